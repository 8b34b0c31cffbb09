/* SPDX-License-Identifier: MIT */
/* The two lines at the top: sources and state. Fitted to the width. */
#ifndef VIEWS_HEADER_H
#define VIEWS_HEADER_H

#include "views/draw/surface.h"
#include "views/ui/ui.h"

#define HEADER_RATE_SLOTS 13 /* seconds in the sparkline */

/* Events per second, by whole seconds of the monotonic clock. */
struct header_rate {
	int64_t second;       /* of slots[HEADER_RATE_SLOTS - 1]; 0 before the first update */
	int64_t old_second;   /* the last second in which old content was read */
	uint64_t last_events; /* events pushed at the last update */
	uint64_t slots[HEADER_RATE_SLOTS];
};

/* Update with the input. Call once per frame. */
void header_rate_update(struct header_rate *rate, const struct ui_input *in);

/* True while content from before the start is being read. */
bool header_is_reading(const struct ui_input *in);

/* Draw the header. `esc`: show that Esc skips the remaining old content. `nr_findings`: number of
 * findings that matter. */
void header_draw(struct surface *surface, int rows, const struct header_rate *rate,
		 const struct ui_input *in, const char *specs, const char *path, bool esc,
		 uint32_t nr_findings);

#endif
