/* SPDX-License-Identifier: MIT */
/* The two lines on top: what is watched, and how it does. Fitted to the width. */
#ifndef VIEWS_HEADER_H
#define VIEWS_HEADER_H

#include "views/draw/surface.h"
#include "views/ui/ui.h"

#define HEADER_RATE_SLOTS 13 /* seconds that the sparkline shows */

/* Events a second, by whole seconds of the monotonic clock. */
struct header_rate {
	int64_t second;       /* of slots[HEADER_RATE_SLOTS - 1]; 0: nothing seen yet */
	int64_t old_second;   /* the last in which old content was read */
	uint64_t last_events; /* pushed, when last looked */
	uint64_t slots[HEADER_RATE_SLOTS];
};

/* Note what has arrived. Call once a frame. */
void header_rate_update(struct header_rate *rate, const struct ui_input *in);

/* Is content from before we came still being read? */
bool header_is_reading(const struct ui_input *in);

/* `esc`: Esc would leave what is still to be read; that is said then. `nr_findings`: that matter. */
void header_draw(struct surface *surface, int rows, const struct header_rate *rate,
		 const struct ui_input *in, const char *specs, const char *path, bool esc,
		 uint32_t nr_findings);

#endif
