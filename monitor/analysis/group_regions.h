/* SPDX-License-Identifier: MIT */
/*
 * Regions by group of processes: the sums of each category and label per row of the commands
 * (commands.h). Includes completed regions of the kept threads of kept processes. One thread; about
 * 0.1 us per region tree node.
 */
#ifndef MONITOR_GROUP_REGIONS_H
#define MONITOR_GROUP_REGIONS_H

#include "monitor/analysis/commands.h"

struct group_region {
	uint32_t row; /* row of the commands */
	sym_t category, label;
	uint64_t count, failed; /* failed: in a process that failed */
	ns_t total, self, min, max;
};

struct group_regions {
	struct group_region *items; /* ro: by row, then by total, largest first */
	uint32_t nr, cap;
	struct tr2_hash_index by_key; /* private */
};

/* Fill `out`, which must be all zeros. `commands` was made from `of` and the model has not changed.
 * `nesting`: the deepest nesting that is included; -1: all. */
void group_regions_make(struct group_regions *out, const struct commands *commands,
			const struct commands_of *of, int64_t nesting);
void group_regions_release(struct group_regions *regions);

#endif
