/* SPDX-License-Identifier: MIT */
/*
 * What is known of a process itself, fact by fact, in words: each appends to `out` and escapes
 * nothing, as say.h. One thread (local time).
 */
#ifndef MONITOR_FACTS_H
#define MONITOR_FACTS_H

#include "engine/base/buf.h"
#include "monitor/model/model.h"

/* FACT(ID, name), in the order in which they are told. */
#define FACTS(FACT)                                                                                \
	FACT(COMMAND, "command")                                                                   \
	FACT(STATE, "state") /* told by whoever knows how it is drawn */                           \
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

/* Has it been said? */
bool process_has_fact(const struct process *process, enum fact fact);

/*
 * The fact, nothing for FACT_STATE. A SID of more than `cells` has a line for each part; a start
 * its date where that is not the one of `now_ns` (wall).
 */
void fact_say(const struct model *model, const struct process *process, enum fact fact, int cells,
	      ns_t now_ns, struct tr2_buf *out);

#endif
