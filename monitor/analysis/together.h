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

enum together_kind { TOGETHER_RUNNING, TOGETHER_WAITING, TOGETHER_RUNNABLE, TOGETHER_SYSCALL };

struct together_part {
	uint8_t kind;          /* enum together_kind */
	bool has_others;       /* other labels are included; `label` is the largest one */
	sym_t category, label; /* SYM_NONE for running; label: SYM_NONE for system calls */
	uint64_t count;        /* number of occurrences; 0 for running */
	ns_t time;
};

struct together {
	struct together_part *parts; /* ro: largest first */
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
bool together_make(struct together *together, const struct analysis *what, uint32_t slot);
void together_release(struct together *together);

/* Append for a screen: a part; the heading; the processors. */
void together_say(const struct model *model, const struct together_part *part, struct tr2_buf *out);
void together_say_heading(const struct model *model, const struct process *process,
			  const struct together *together, struct tr2_buf *out);
void together_say_procs(const struct together *together, struct tr2_buf *out);

/*
 * Everything as lines of a report: the heading, the parts, the processors. Returns false after the
 * last.
 */
struct together_line {
	struct tr2_buf text;
	bool is_part;
	uint64_t count; /* 0: not printed */
	ns_t time;
};
bool together_line(const struct model *model, const struct process *process,
		   const struct together *together, uint32_t nr, struct together_line *line);

#endif
