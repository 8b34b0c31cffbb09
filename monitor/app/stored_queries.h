/* SPDX-License-Identifier: MIT */
/*
 * Stored queries are files NAME.sql in $XDG_CONFIG_HOME/trace2top/queries (or ~/.config), and those
 * installed with trace2top. The user's files take precedence. Any thread may call the functions.
 */
#ifndef MONITOR_STORED_QUERIES_H
#define MONITOR_STORED_QUERIES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Return the SQL that a line stands for: if it is one word, the stored query of this name, else the
 * line itself. The caller frees the text. Returns NULL with one line in `why` if there is no such
 * query or it cannot be read.
 */
char *stored_query_text(const char *line, char *why, size_t why_bytes);

/* Call `offer` with the names of the stored queries that begin with `begun`. */
void stored_queries_offer(const char *begun, void (*offer)(void *data, const char *name),
			  void *data);

#endif
