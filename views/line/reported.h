/* SPDX-License-Identifier: MIT */
/*
 * News of processes: each update prints the differences between the model and the last reports as
 * sentences. A process is reported only if it sent an event after trace2top began to follow its
 * trace.
 *
 *   3 started, git fetch --all
 *   4 started, under 3: git index-pack --stdin
 *   3 fetch: in fetch/negotiation for 5 seconds            after 5, 30 and 120 seconds
 *   3 fetch failed with code 128 after 2.3 seconds: unable to access ...
 *   5, git status, done after 8 milliseconds               it started and ended between two updates
 *
 * A process gets a number when it is first named in news or listed, by which the user refers to it.
 * Numbers are not reused. Loop thread.
 */
#ifndef VIEWS_LINE_REPORTED_H
#define VIEWS_LINE_REPORTED_H

#include "engine/base/hash_index.h"
#include "monitor/analysis/waiting.h"
#include "views/line/pace.h"

struct reported_process {
	struct handle handle;
	uint64_t number;   /* number by which the user refers to the process; 0: it has none yet */
	uint64_t wait;     /* hash of the last wait of the process or of one below */
	uint8_t wait_told; /* number of wait_times that were reported of it */
	uint8_t state;     /* enum told_state */
};

struct reported {
	int64_t depth; /* ro: maximum depth of the processes that are reported; -1: all */
	bool ascii;
	struct pace pace;                   /* ro, except `blocked` */
	struct reported_process *processes; /* private to reported.c, as are all members below */
	uint32_t nr, cap, nr_kept;
	struct tr2_hash_index by_hash;
	uint64_t last_number;
	struct reported_change *changes;
	uint32_t nr_changes, cap_changes;
	struct waits waits;
	uint64_t last_error; /* hash that identifies the error that was last reported */
	uint64_t version;    /* version of the model at the last update */
};

void reported_init(struct reported *told, int64_t depth, bool ascii);
void reported_release(struct reported *told);

/*
 * Append news of processes, one line each, or one line of counts if there is too much (pace.h).
 * `what` must be the analysis of the present with a settled model; its `now` and `filter` apply.
 * `monotonic`: the current time. O(processes) if the model changed.
 */
void reported_check(struct reported *told, const struct analysis *what, ns_t monotonic,
		    struct tr2_buf *out);
/* Append the news that was only counted. */
void reported_end(struct reported *told, ns_t monotonic, struct tr2_buf *out);

/* reported_number(): return the number of a process, a new one if it has none.
 * reported_process(): return the process with a number, or HANDLE_NONE. */
uint64_t reported_number(struct reported *told, struct handle process);
struct handle reported_process(const struct reported *told, uint64_t number);

#endif
