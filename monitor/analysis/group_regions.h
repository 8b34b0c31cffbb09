/* SPDX-License-Identifier: MIT */
/*
 * Sum up regions per group of processes: one row per group (row of commands.h), category and label.
 * Includes the completed regions of the threads and processes that the model still has. Used by one
 * thread; takes about 0.1 us per region tree node.
 */
#ifndef MONITOR_GROUP_REGIONS_H
#define MONITOR_GROUP_REGIONS_H

#include "monitor/analysis/commands.h"

struct group_region {
	uint32_t row; /* index of the group's row in the commands */
	sym_t category, label;
	/* number of completed regions, and of those in processes that failed */
	uint64_t count, failed;
	ns_t total, self, min, max;
};

struct group_regions {
	/* ro: sorted by row of the commands, then by total time, largest first */
	struct group_region *items;
	uint32_t nr, cap;
	struct tr2_hash_index by_key; /* private */
};

/* Fill `out`, which must be all zeros. `commands` must have been made from `of`, and the model must
 * not have changed since. `nesting`: maximum nesting of regions that are included; -1: no limit. */
void group_regions_make(struct group_regions *out, const struct commands *commands,
			const struct commands_of *of, int64_t nesting);
void group_regions_release(struct group_regions *regions);

#endif
