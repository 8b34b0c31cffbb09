/* SPDX-License-Identifier: MIT */
/*
 * Where the time of all threads of a process went together, of formats whose threads tell what they
 * do when they do not run (formats.def): of Go, goroutines that wait, are runnable, are in a system
 * call, or run; and how busy the processors were.
 *
 *   lanes' time = waiting, by reason + runnable, by reason + system calls + running
 *
 * Running is what is left of the other regions' time: their self time. What is open counts up to
 * `now`, or to the end of the trace. One walk over all trees: 10,000 threads take less than 5 ms.
 */
#ifndef MONITOR_TOGETHER_H
#define MONITOR_TOGETHER_H

#include "engine/base/buf.h"
#include "monitor/analysis/analysis.h"

enum together_kind { TOGETHER_RUNNING, TOGETHER_WAITING, TOGETHER_RUNNABLE, TOGETHER_SYSCALL };

struct together_part {
	uint8_t kind;          /* enum together_kind */
	bool has_others;       /* it stands for other labels, too: `label` is the largest one */
	sym_t category, label; /* SYM_NONE: of running; label: of system calls */
	uint64_t count;        /* how often; 0: running */
	ns_t time;
};

struct together {
	struct together_part *parts; /* ro: largest first */
	uint32_t nr, cap;
	uint64_t nr_lanes; /* lives of goroutines */
	ns_t time;         /* theirs: the parts' sum */
	uint32_t nr_procs;
	ns_t procs_wall, procs_time; /* of each; of all that ran */
	bool is_partial;             /* threads have left the list of threads */
};

/* Of the process in `slot`, which must be in use. False, and nothing in it, where its format has
 * no such view. */
bool together_make(struct together *together, const struct analysis *what, uint32_t slot);
void together_release(struct together *together);

/* Append, for a screen: a part; the heading of all of them; the processors. */
void together_say(const struct model *model, const struct together_part *part, struct tr2_buf *out);
void together_say_heading(const struct model *model, const struct process *process,
			  const struct together *together, struct tr2_buf *out);
void together_say_procs(const struct together *together, struct tr2_buf *out);

/* All of it as lines of a report: the heading, the parts, the processors. False behind the last. */
struct together_line {
	struct tr2_buf text;
	bool is_part;
	uint64_t count; /* 0: none is said */
	ns_t time;
};
bool together_line(const struct model *model, const struct process *process,
		   const struct together *together, uint32_t nr, struct together_line *line);

#endif
