/* SPDX-License-Identifier: MIT */
/* Execute the queries of the page of queries. Used by the loop thread. */
#ifndef MONITOR_SCREEN_QUERY_H
#define MONITOR_SCREEN_QUERY_H

#include "monitor/app/screen.h"

/* Execute the query of ui_query() in a thread. Waits for its end if `screen->asked` is NULL. */
void screen_query(struct screen *screen);
void screen_query_cancel(struct screen *screen);
/* Write the last result as CSV to a new file in the working directory. */
void screen_query_write(struct screen *screen);

void screen_query_fill(struct screen *screen, struct ui_input *in);
void screen_query_close(struct screen *screen);

/* Offer the words that begin with `begun` to complete a query: SELECT and the names of stored
 * queries for the first word, otherwise keywords, and tables except regions with their columns. */
void query_words_offer(const char *begun, bool is_first,
		       void (*offer)(void *data, const char *word), void *data);

#endif
