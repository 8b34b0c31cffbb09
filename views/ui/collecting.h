/* SPDX-License-Identifier: MIT */
/*
 * Rows that a view collects in slices, one per frame, while it shows the last complete rows. This
 * part decides when collecting begins; the view has two results, and does the work:
 *
 *   if (collecting_begins(c, key, version, ns))  reset result[!c->shown]
 *   if (c->works)                                continue result[!c->shown], then
 *           collecting_continued(c, is_complete)
 *   if (c->has_rows)                             show result[c->shown]
 *
 * One thread.
 */
#ifndef VIEWS_COLLECTING_H
#define VIEWS_COLLECTING_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"

struct collecting {
	int shown;     /* ro: index of the complete result; the other one is being collected */
	bool has_rows; /* ro: the shown result is complete */
	bool works;    /* ro: the other result is being collected */
	/* private: input of the shown result, and of the one that is being collected */
	uint64_t key, version, next_key, next_version;
	ns_t begun; /* private: monotonic time at which the last collecting began */
	bool slow;  /* private: the last collecting took more than one frame */
};

/*
 * Return true if the view must begin to collect into the other result. `key` is a hash of the
 * choice of the rows: if it changes, the shown rows are dropped. `version` changes if the rows may
 * have changed: the shown rows stay until the new ones are complete; if collecting took several
 * frames, it begins again after at least 1 s. `now` is monotonic.
 */
bool collecting_begins(struct collecting *c, uint64_t key, uint64_t version, ns_t now);

/* Call after each slice. */
void collecting_continued(struct collecting *c, bool is_complete);

#endif
