/* SPDX-License-Identifier: MIT */
/* News of sources, such as states, errors, lags and losses. Counters are reported as increments,
 * with a pause between two reports. Loop thread. */
#ifndef VIEWS_LINE_SOURCE_NEWS_H
#define VIEWS_LINE_SOURCE_NEWS_H

#include "views/line/pace.h"
#include "views/ui/ui.h"

struct source_news {
	bool ascii;
	struct source_told *told; /* private, as all members below; one struct per source */
	int nr;
	uint64_t lost, unread; /* values of the counters that were reported */
	/* earliest monotonic time of the next report: of losses and malformed lines; of the
	 * progress of reading (NS_NONE: reading was not noticed yet) */
	ns_t lost_next, read_next;
	ns_t read_pause;
	bool was_read;
};

void source_news_init(struct source_news *news, bool ascii);
void source_news_release(struct source_news *news);

/* Append news of the sources in `in`, one line each. `pace` limits all lines except the summary of
 * the existing content. */
void source_news_check(struct source_news *news, struct pace *pace, const struct ui_input *in,
		       struct tr2_buf *out);

#endif
