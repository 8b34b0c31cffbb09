/* SPDX-License-Identifier: MIT */
/* The two lines at the top of the screen: sources and state, fitted to the width. */
#ifndef VIEWS_HEADER_H
#define VIEWS_HEADER_H

#include "monitor/analysis/finding_kinds.h"
#include "views/draw/surface.h"
#include "views/ui/graphs.h"
#include "views/ui/ui.h"

#define HEADER_RATE_SLOTS 11 /* this second and the ten before */

/* Processes that ended, by whole seconds of the monotonic clock. */
struct header_rate {
	int64_t second;      /* of slots[HEADER_RATE_SLOTS - 1]; 0 before the first update */
	int64_t first;       /* the second of the first update */
	uint64_t last_ended; /* processes that had ended at the last update */
	uint64_t slots[HEADER_RATE_SLOTS];
};

/* Update the rate with the input of a frame. Call once per frame. */
void header_rate_update(struct header_rate *rate, const struct ui_input *in);

/* True while content from before the start of trace2top is being read. */
bool header_is_reading(const struct ui_input *in);

/* True if no more input can arrive, or everything that was read existed before the start. */
bool header_is_all_read(const struct ui_input *in);

/* Draw the header. `esc`: show that Esc skips the remaining old content. */
void header_draw(struct surface *surface, int rows, const struct header_rate *rate,
		 const struct graphs *graphs, const struct ui_input *in, const char *specs,
		 const char *path, bool esc, const struct finding_kinds *findings);

#endif
