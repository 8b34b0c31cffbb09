/* SPDX-License-Identifier: MIT */
/*
 * facts about a process as text, not escaped
 */
#ifndef MONITOR_FACTS_H
#define MONITOR_FACTS_H

#include "engine/base/buf.h"
#include "monitor/model/model.h"

/* FACT(ID, name): the facts about a process, in the order in which they are shown */
#define FACTS(FACT)                                                                                \
	FACT(COMMAND, "command")                                                                   \
	FACT(STATE, "state") /* the view draws the state itself */                                 \
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

/* False if the fact is unknown; SID, state and start count as known. */
bool process_has_fact(const struct process *process, enum fact fact);

/*
 * Append a fact about a process; nothing for FACT_STATE. A SID of more than `cells` bytes gets one
 * line per component. A start time gets its date unless it is on the day of `now_ns` (wall clock).
 */
void fact_format(const struct model *model, const struct process *process, enum fact fact,
		 int cells, ns_t now_ns, struct tr2_buf *out);

#endif
