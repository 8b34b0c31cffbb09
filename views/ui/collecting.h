/* SPDX-License-Identifier: MIT */
/*
 * Decides when a view collects its rows, in slices, one per frame. The view has two results: it can
 * show the last complete one while it collects the other:
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
	int shown;     /* ro: index of the result that is shown */
	bool has_rows; /* ro: there is a complete result for the current key: result[shown] */
	bool works;    /* ro: the result that is not shown is being collected */
	/* private: keys and versions of the shown result, and of the result that is being
	 * collected */
	uint64_t key, version, next_key, next_version;
	ns_t begun; /* private: monotonic time at which collecting last began */
	bool slow;  /* private: the current or last collecting takes more than one frame */
};

/*
 * Return true if the view must begin to collect rows. `key` is a hash of the choice of the rows: if
 * it changes, the shown rows are dropped. `version` changes if the rows may have changed: the shown
 * rows then stay until the new ones are complete. If collecting took several frames, a new version
 * is collected at most once per second. `now` is monotonic.
 */
bool collecting_begins(struct collecting *c, uint64_t key, uint64_t version, ns_t now);

/* Call after each slice of collecting. */
void collecting_continued(struct collecting *c, bool is_complete);

#endif
