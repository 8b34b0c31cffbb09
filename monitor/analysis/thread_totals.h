/* SPDX-License-Identifier: MIT */
/*
 * The total time of all lanes of a process, for formats that report why threads do not run
 * (formats.def).
 *
 *   time of all lanes = waiting, by reason + runnable, by reason + system calls + running
 *
 * A lane is a thread that stands for a goroutine; threads of the runtime are left out. Running is
 * the self time of all other regions. Open regions last until process_now() if the process is live
 * (live.h), otherwise until its last event.
 */
#ifndef MONITOR_THREAD_TOTALS_H
#define MONITOR_THREAD_TOTALS_H

#include "engine/base/buf.h"
#include "monitor/analysis/analysis.h"

enum together_kind {
	THREAD_TOTALS_RUNNING,
	THREAD_TOTALS_WAITING,
	THREAD_TOTALS_RUNNABLE,
	THREAD_TOTALS_SYSCALL
};

struct thread_totals_part {
	uint8_t kind; /* enum together_kind */
	/* the part includes other labels; `label` is the one with the most time */
	bool has_others;
	/* category: SYM_NONE if running; label: SYM_NONE if running or in system calls */
	sym_t category, label;
	uint64_t count; /* number of occurrences of the state; 0 for running */
	ns_t time;
};

struct thread_totals {
	struct thread_totals_part *parts; /* ro: largest first */
	uint32_t nr, cap;
	uint64_t nr_lanes; /* goroutines */
	ns_t time;         /* total time of all lanes in ns, the sum of the parts */
	uint32_t nr_procs;
	/* duration of the process; sum of the running times of all Ps (Go's processors) */
	ns_t procs_wall, procs_time;
	/* the process's list of threads lacks some, so sums are incomplete */
	bool is_partial;
};

/*
 * Compute the sums for the process in the used slot `slot`. Returns false with an empty result if
 * its format has no such sums in formats.def.
 */
bool thread_totals_make(struct thread_totals *together, const struct analysis *what, uint32_t slot);
void thread_totals_release(struct thread_totals *together);

/* Append one part of the time; the heading; the number of Go's processors with the duration of the
 * process. */
void thread_totals_format(const struct model *model, const struct thread_totals_part *part,
			  struct tr2_buf *out);
void thread_totals_format_heading(const struct model *model, const struct process *process,
				  const struct thread_totals *together, struct tr2_buf *out);
void thread_totals_format_procs(const struct thread_totals *together, struct tr2_buf *out);

/*
 * A line of the text report: the heading, a part, or the processors. thread_totals_line() returns
 * false after the last.
 */
struct thread_totals_line {
	struct tr2_buf text;
	bool is_part;
	uint64_t count; /* 0: not printed */
	ns_t time;
};
bool thread_totals_line(const struct model *model, const struct process *process,
			const struct thread_totals *together, uint32_t nr,
			struct thread_totals_line *line);

#endif
