/* SPDX-License-Identifier: MIT */
/*
 * What was told of processes: the model is looked at again and again, and what is new since the last
 * look becomes sentences, each once. Nothing is told of what was there before we came, unless it
 * goes on.
 *
 *   3 started, git fetch --all
 *   4 started, under 3: git index-pack --stdin
 *   3 fetch: in fetch/negotiation for 5 seconds      5, 30 and 120 seconds
 *   3 fetch failed with code 128 after 2.3 seconds: unable to access ...
 *   5, git status, done after 8 milliseconds         it began and ended between two looks
 *
 * A process has a number from when it is first spoken of, by which a person names it; it is not used
 * again. What is remembered is as much as the model keeps. Loop thread.
 */
#ifndef VIEWS_LINE_TOLD_H
#define VIEWS_LINE_TOLD_H

#include "engine/base/slots.h"
#include "monitor/analysis/waiting.h"
#include "views/line/pace.h"

struct told_process {
	struct handle handle;
	uint64_t number;   /* 0: it has none yet */
	uint64_t wait;     /* what it was seen to wait for */
	uint8_t wait_told; /* for how many of the times */
	uint8_t state;     /* enum told_state */
};

struct told {
	int64_t depth; /* ro: how deep what is told may stand */
	bool ascii;
	struct pace pace;               /* ro, but `blocked` */
	struct told_process *processes; /* private, all below */
	uint32_t nr, cap, nr_kept;
	struct tr2_slots by_hash;
	uint64_t last_number;
	struct told_change *changes;
	uint32_t nr_changes, cap_changes;
	struct waits waits;
	uint64_t last_error; /* which error was told last */
	uint64_t version;    /* of the model, as last looked at */
};

void told_init(struct told *told, int64_t depth, bool ascii);
void told_release(struct told *told);

/*
 * Append what is new, a line each. `what` is live (not the past), its model settled; its `now` and
 * `filter` are heeded. `monotonic`: now, for the pace. O(processes) where something is new.
 */
void told_look(struct told *told, const struct analysis *what, ns_t monotonic, struct tr2_buf *out);
/* Append what was counted and not told yet. */
void told_end(struct told *told, ns_t monotonic, struct tr2_buf *out);

/* The number of a process; the process of a number, HANDLE_NONE where it is of none. */
uint64_t told_number(struct told *told, struct handle process);
struct handle told_process(const struct told *told, uint64_t number);

#endif
