/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/facts.h"

#include <inttypes.h>
#include <string.h>

#include "monitor/analysis/format_text.h"

/* length in bytes after which no further mode, alias, worktree or exec is printed; a long SID is
 * split into lines up to this length, and at most this many bytes of its rest follow */
#define MAX_FACT_BYTES 4000u

const char *fact_name(enum fact fact)
{
	static const char *const names[NR_FACTS] = {
#define FACT(ID, name) [FACT_##ID] = name,
		FACTS(FACT)
#undef FACT
	};

	return names[fact];
}

bool process_has_fact(const struct process *process, enum fact fact)
{
	switch (fact) {
	case FACT_COMMAND:
		return process->argv.known;
	case FACT_NAME:
		return process->hierarchy != SYM_NONE || process->name != SYM_NONE;
	case FACT_AGENT:
		return process->agent != SYM_NONE;
	case FACT_EXE:
		return process->exe != SYM_NONE;
	case FACT_PATH:
		return process->path != SYM_NONE;
	case FACT_WORKTREE:
		return process->worktrees.nr;
	case FACT_PARENT:
		return process->parent != SLOT_NONE;
	case FACT_ANCESTRY:
		return process->ancestry.known;
	case FACT_MODES:
		return process->modes.nr;
	case FACT_ALIASES:
		return process->aliases.nr;
	case FACT_EXECS:
		return process->execs.nr;
	default:
		return true;
	}
}

static void append_alias(const struct model *m, const struct alias_item *item, struct tr2_buf *out)
{
	format_symbol(m, item->alias, out);
	tr2_buf_addstr(out, " = ");
	format_strings(m, &item->argv, 0, out);
}

static void append_fact_list(const struct model *m, const struct process *process, enum fact fact,
			     struct tr2_buf *out)
{
	const struct vec *list = fact == FACT_MODES      ? &process->modes
				 : fact == FACT_ALIASES  ? &process->aliases
				 : fact == FACT_WORKTREE ? &process->worktrees
							 : &process->execs;

	for (uint32_t i = 0; i < list->nr && out->len < MAX_FACT_BYTES; i++) {
		if (i)
			tr2_buf_addstr(out, "; ");
		if (fact == FACT_ALIASES) {
			append_alias(m, PROCESS_ITEM(m, list, alias_item, i), out);
		} else if (fact == FACT_WORKTREE) {
			const struct worktree_item *item = PROCESS_ITEM(m, list, worktree_item, i);

			format_symbol(m, item->worktree, out);
		} else if (fact == FACT_EXECS) {
			const struct exec_item *item = PROCESS_ITEM(m, list, exec_item, i);

			format_strings(m, &item->argv, 0, out);
			if (item->code != NUM_NONE)
				tr2_buf_addf(out, " (failed: %" PRId64 ")", item->code);
		} else {
			format_symbol(m,
				      *(const sym_t *)vec_at(model_heap(m), list, i, sizeof(sym_t)),
				      out);
		}
	}
}

static void append_sid(const struct model *m, const struct process *process, int cells,
		       struct tr2_buf *out)
{
	size_t left = process->sid.len, part;
	const char *at = model_text(m, process->sid), *slash;
	bool fits = left <= (size_t)cells;

	for (; !fits && (slash = memchr(at, '/', left)) && out->len < MAX_FACT_BYTES;
	     left -= part, at += part) {
		part = (size_t)(slash + 1 - at);
		tr2_buf_add(out, at, part);
		tr2_buf_addch(out, '\n');
	}
	tr2_buf_add(out, at, left < MAX_FACT_BYTES ? left : MAX_FACT_BYTES);
}

static void append_parent(const struct model *m, uint32_t slot, struct tr2_buf *out)
{
	const struct process *parent = model_slot(m, slot);

	format_process(m, parent, out);
	if (parent->pid != NUM_NONE)
		tr2_buf_addf(out, " %" PRId64, parent->pid);
}

void fact_format(const struct model *m, const struct process *process, enum fact fact, int cells,
		 ns_t now_ns, struct tr2_buf *out)
{
	switch (fact) {
	case FACT_COMMAND:
		format_strings(m, &process->argv, 0, out);
		break;
	case FACT_STATE:
		break;
	case FACT_NAME:
		format_process(m, process, out);
		break;
	case FACT_SID:
		append_sid(m, process, cells, out);
		break;
	case FACT_AGENT:
		format_symbol(m, process->agent, out);
		break;
	case FACT_EXE:
		format_symbol(m, process->exe, out);
		break;
	case FACT_PATH:
		format_symbol(m, process->path, out);
		break;
	case FACT_PARENT:
		append_parent(m, process->parent, out);
		break;
	case FACT_ANCESTRY:
		format_strings(m, &process->ancestry, 0, out);
		break;
	case FACT_START:
		format_date(process->start, now_ns, out);
		format_time(process->start, true, out);
		break;
	default:
		append_fact_list(m, process, fact, out);
	}
}
