/* SPDX-License-Identifier: MIT */
/*
 * What is told of sources: where we listen, that a source ends or breaks, that events were lost,
 * how far the reading of old content is. Each once; of what is counted how many more, with a pause
 * between. Loop thread.
 */
#ifndef VIEWS_LINE_SOURCE_NEWS_H
#define VIEWS_LINE_SOURCE_NEWS_H

#include "views/line/pace.h"
#include "views/ui/ui.h"

struct source_news {
	bool ascii;
	struct source_told *told; /* private, all below; one a source */
	int nr;
	uint64_t lost, unread;     /* as told */
	ns_t lost_next, read_next; /* monotonic: when that may be told again; NS_NONE: not yet */
	ns_t read_pause;
	bool was_read;
};

void source_news_init(struct source_news *news, bool ascii);
void source_news_release(struct source_news *news);

/* Append what is new of the sources of `in`, a line each, at the pace. */
void source_news_look(struct source_news *news, struct pace *pace, const struct ui_input *in,
		      struct tr2_buf *out);

#endif
