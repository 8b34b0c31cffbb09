/* SPDX-License-Identifier: MIT */
/*
 * Facts about a process as text. Each function appends to `out` without escaping, as say.h. One
 * thread (local time).
 */
#ifndef MONITOR_FACTS_H
#define MONITOR_FACTS_H

#include "engine/base/buf.h"
#include "monitor/model/model.h"

/* FACT(ID, name), in display order. */
#define FACTS(FACT)                                                                                \
	FACT(COMMAND, "command")                                                                   \
	FACT(STATE, "state") /* printed by the view, which knows how to draw it */                 \
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

/* True if the fact is known. */
bool process_has_fact(const struct process *process, enum fact fact);

/*
 * Append the fact; nothing for FACT_STATE. A SID of more than `cells` cells is printed one
 * component per line; a start gets its date unless it is that of `now_ns` (wall clock).
 */
void fact_format(const struct model *model, const struct process *process, enum fact fact,
		 int cells, ns_t now_ns, struct tr2_buf *out);

#endif
