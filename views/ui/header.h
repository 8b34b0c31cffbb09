/* SPDX-License-Identifier: MIT */
/* One to four lines at the top of the screen: sources, state and graphs, fitted to the width. */
#ifndef VIEWS_HEADER_H
#define VIEWS_HEADER_H

#include "monitor/analysis/finding_kinds.h"
#include "views/draw/surface.h"
#include "views/ui/graphs.h"
#include "views/ui/ui.h"

#define HEADER_RATE_SLOTS 11 /* number of slots: the current second and the ten before it */

/* Number of processes that ended in each recent second. Seconds are those of the monotonic clock +
 * 1. */
struct header_rate {
	/* the second of the last slot, slots[HEADER_RATE_SLOTS - 1]; 0 before the first update */
	int64_t second;
	/* second in which counting last started: at the first update, or after existing content */
	int64_t first;
	uint64_t last_ended; /* number of processes that had ended at the last update */
	uint64_t slots[HEADER_RATE_SLOTS];
};

/* Count the processes that ended; call once per frame. */
void header_rate_update(struct header_rate *rate, const struct ui_input *in);

/* True while content from before the start of trace2top is being read; false during a replay. */
bool header_is_reading(const struct ui_input *in);

/* True if no more input is expected, or if all input existed before the start of trace2top. */
bool header_is_all_read(const struct ui_input *in);

/* Draw the header. `esc`: show that Esc skips the rest of the existing content. */
void header_draw(struct surface *surface, int rows, const struct header_rate *rate,
		 const struct graphs *graphs, const struct ui_input *in, const char *specs,
		 const char *path, bool esc, const struct finding_kinds *findings);

#endif
