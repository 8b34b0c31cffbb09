/* SPDX-License-Identifier: MIT */
/*
 * Total time of all threads of a process, for formats that report why threads do not run
 * (formats.def). For Go: goroutines that wait, are runnable, are in a system call, or run; and how
 * busy the processors were.
 *
 *   lanes' time = waiting, by reason + runnable, by reason + system calls + running
 *
 * Running is the self time of all other regions. Open regions last until `now`, or until the end of
 * the trace. One pass over all trees: 10,000 threads take less than 5 ms.
 */
#ifndef MONITOR_TOGETHER_H
#define MONITOR_TOGETHER_H

#include "engine/base/buf.h"
#include "monitor/analysis/analysis.h"

enum together_kind {
	THREAD_TOTALS_RUNNING,
	THREAD_TOTALS_WAITING,
	THREAD_TOTALS_RUNNABLE,
	THREAD_TOTALS_SYSCALL
};

struct thread_totals_part {
	uint8_t kind;          /* enum together_kind */
	bool has_others;       /* other labels are included; `label` is the largest one */
	sym_t category, label; /* SYM_NONE for running; label: SYM_NONE for system calls */
	uint64_t count;        /* number of occurrences; 0 for running */
	ns_t time;
};

struct thread_totals {
	struct thread_totals_part *parts; /* ro: largest first */
	uint32_t nr, cap;
	uint64_t nr_lanes; /* goroutine lives */
	ns_t time;         /* of all lanes: the sum of the parts */
	uint32_t nr_procs;
	ns_t procs_wall, procs_time; /* of each P; of all that ran */
	bool is_partial;             /* threads were evicted from the list */
};

/*
 * Compute for the process in `slot`, which must be in use. Returns false with an empty result if
 * its format has no such view.
 */
bool thread_totals_make(struct thread_totals *together, const struct analysis *what, uint32_t slot);
void thread_totals_release(struct thread_totals *together);

/* Append for a screen: a part; the heading; the processors. */
void thread_totals_format(const struct model *model, const struct thread_totals_part *part,
			  struct tr2_buf *out);
void thread_totals_format_heading(const struct model *model, const struct process *process,
				  const struct thread_totals *together, struct tr2_buf *out);
void thread_totals_format_procs(const struct thread_totals *together, struct tr2_buf *out);

/*
 * Everything as lines of a report: the heading, the parts, the processors. Returns false after the
 * last.
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
