/* SPDX-License-Identifier: MIT */
/*
 * Facts about a process as text. Each function appends to `out` without escaping, as in
 * format_text.h. One thread (local time).
 */
#ifndef MONITOR_FACTS_H
#define MONITOR_FACTS_H

#include "engine/base/buf.h"
#include "monitor/model/model.h"

/* The facts, in the order in which they are shown: FACT(ID, name). */
#define FACTS(FACT)                                                                                \
	FACT(COMMAND, "command")                                                                   \
	FACT(STATE, "state") /* printed by the view, which draws it in colour */                   \
	FACT(NAME, "name")                                                                         \
	FACT(SID, "sid")                                                                           \
	FACT(AGENT, "agent")                                                                       \
	FACT(EXE, "exe")                                                                           \
	FACT(PATH, "path")                                                                         \
	FACT(WORKTREE, "worktree")                                                                 \
	FACT(PARENT, "parent")                                                                     \
	FACT(ANCESTRY, "ancestry")                                                                 \
	FACT(MODES, "modes")                                                                       \
	FACT(ALIASES, "aliases")                                                                   \
	FACT(EXECS, "execs")                                                                       \
	FACT(START, "started")

enum fact {
#define FACT(ID, name) FACT_##ID,
	FACTS(FACT)
#undef FACT
		NR_FACTS
};

const char *fact_name(enum fact fact);

/* True if the fact is known of the process. */
bool process_has_fact(const struct process *process, enum fact fact);

/*
 * Append a fact about a process; nothing for FACT_STATE. A SID of more than `cells` cells is
 * printed one component per line; a start gets its date unless it is that of `now_ns` (wall clock).
 */
void fact_format(const struct model *model, const struct process *process, enum fact fact,
		 int cells, ns_t now_ns, struct tr2_buf *out);

#endif
