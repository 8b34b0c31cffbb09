/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/filter/filter_process.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/buf.h"

struct filter_process_subject {
	const struct model *m;
	const struct process *p;
	filter_visit *visit;
	void *data;
};

static bool visit_sym(const struct filter_process_subject *s, sym_t sym)
{
	const char *text;
	size_t len;

	if (sym == SYM_NONE)
		return false;
	text = model_sym(s->m, sym, &len);
	return filter_give_text(s->visit, s->data, text, len);
}

static bool visit_text(const struct filter_process_subject *s, const char *text, size_t len)
{
	return filter_give_text(s->visit, s->data, text, len);
}

static bool visit_number(const struct filter_process_subject *s, int64_t number)
{
	return filter_give_number(s->visit, s->data, number);
}

static bool visit_argv(const struct filter_process_subject *s)
{
	struct strings_cursor cursor = strings_begin(s->m, &s->p->argv);
	struct tr2_buf line;
	const char *item;
	size_t len;
	bool result;

	if (!s->p->argv.known)
		return false;
	tr2_buf_init(&line, SIZE_MAX / 2);
	while ((item = strings_next(&cursor, &len))) {
		tr2_buf_add(&line, item, len);
		if (cursor.left)
			tr2_buf_addch(&line, ' ');
	}
	result = visit_text(s, tr2_buf_cstr(&line), line.len);
	tr2_buf_release(&line);
	return result;
}

static bool visit_regions(const struct filter_process_subject *s, bool labels)
{
	for (uint32_t i = 0; i < s->p->threads.nr; i++) {
		const struct thread *t = process_thread(s->m, s->p, i);
		uint32_t level = 0;

		for (uint32_t ref = t->nodes; ref; ref = model_node_next(s->m, ref, &level)) {
			const struct timing_cell *cell =
				model_cell(s->m, model_node(s->m, ref)->cell);

			if (visit_sym(s, labels ? cell->label : cell->category))
				return true;
		}
	}
	return false;
}

#define ANY_ITEM(s, list, type, item, condition)                                                   \
	do {                                                                                       \
		for (uint32_t i_ = 0; i_ < (s)->p->list.nr; i_++) {                                \
			const struct type *item = PROCESS_ITEM((s)->m, &(s)->p->list, type, i_);   \
			if (condition)                                                             \
				return true;                                                       \
		}                                                                                  \
		return false;                                                                      \
	} while (0)

static bool visit_worktrees(const struct filter_process_subject *s)
{
	ANY_ITEM(s, worktrees, worktree_item, item, visit_sym(s, item->worktree));
}

static bool visit_params(const struct filter_process_subject *s)
{
	ANY_ITEM(s, params, param_item, item, visit_sym(s, item->param));
}

static bool visit_keys(const struct filter_process_subject *s)
{
	ANY_ITEM(s, data, data_item, item, visit_sym(s, item->key));
}

static bool visit_threads(const struct filter_process_subject *s)
{
	ANY_ITEM(s, threads, thread, item, visit_sym(s, item->name));
}

static bool visit_messages(const struct filter_process_subject *s)
{
	ANY_ITEM(s, errors, error_item, item,
		 item->has_msg && visit_text(s, model_text(s->m, item->msg), item->msg.len));
}

static bool visit_modes(const struct filter_process_subject *s)
{
	for (uint32_t i = 0; i < s->p->modes.nr; i++)
		if (visit_sym(s, *(const sym_t *)vec_at(model_heap(s->m), &s->p->modes, i,
							sizeof(sym_t))))
			return true;
	return false;
}

static int64_t process_state_bits(const struct process *p)
{
	static const int64_t bits[NR_STATES] = {
		[STATE_RUNNING] = FILTER_STATE_RUNNING,   [STATE_EXITED] = FILTER_STATE_EXITED,
		[STATE_SIGNALED] = FILTER_STATE_SIGNALED, [STATE_REPLACED] = FILTER_STATE_REPLACED,
		[STATE_LOST] = FILTER_STATE_LOST,         [STATE_UNTRACED] = FILTER_STATE_UNTRACED,
	};

	return bits[p->state] | (process_failed(p) ? FILTER_STATE_FAILED : 0);
}

bool filter_process_value(const struct model *m, const struct process *p, enum filter_field field,
			  filter_visit *visit, void *data)
{
	struct filter_process_subject s = { .m = m, .p = p, .visit = visit, .data = data };

	switch (field) {
	case FILTER_NAME:
		return visit_sym(&s, p->name);
	case FILTER_ARGV:
	case FILTER_WORD:
		return visit_argv(&s);
	case FILTER_HIERARCHY:
		return visit_sym(&s, p->hierarchy);
	case FILTER_SID:
		return visit_text(&s, model_text(s.m, p->sid), p->sid.len);
	case FILTER_HOST:
		return *p->host && visit_text(&s, p->host, strlen(p->host));
	case FILTER_AGENT:
		return visit_sym(&s, p->agent);
	case FILTER_EXE:
		return visit_sym(&s, p->exe);
	case FILTER_MODE:
		return visit_modes(&s);
	case FILTER_WORKTREE:
		return visit_worktrees(&s);
	case FILTER_PARAM:
		return visit_params(&s);
	case FILTER_CATEGORY:
		return visit_regions(&s, false);
	case FILTER_LABEL:
		return visit_regions(&s, true);
	case FILTER_KEY:
		return visit_keys(&s);
	case FILTER_THREAD:
		return visit_threads(&s);
	case FILTER_MESSAGE:
		return visit_messages(&s);
	case FILTER_PID:
		return visit_number(&s, p->pid);
	case FILTER_DEPTH:
		return visit_number(&s, p->depth);
	case FILTER_CODE:
		return visit_number(&s, p->code);
	case FILTER_SIGNO:
		return visit_number(&s, p->signo);
	case FILTER_THREADS:
		return visit_number(&s, p->threads.nr);
	case FILTER_REGIONS:
		return visit_number(&s, (int64_t)p->nr_regions);
	case FILTER_CHILDREN:
		return visit_number(&s, p->children.nr);
	case FILTER_ERRORS:
		return visit_number(&s, p->nr_errors);
	case FILTER_ELAPSED:
		return visit_number(&s, process_elapsed(p));
	case FILTER_START:
		return visit_number(&s, p->start);
	case FILTER_STATE:
		return visit_number(&s, process_state_bits(p));
	case FILTER_ERROR:
		return visit_number(&s, p->nr_errors > 0);
	case FILTER_FAILED:
		return visit_number(&s, process_failed(p));
	case FILTER_LIVE:
		return visit_number(&s, p->state == STATE_RUNNING);
	default:
		return false;
	}
}

static bool process_values(const void *data, enum filter_field field, filter_visit *visit,
			   void *visit_data)
{
	const struct filter_process_subject *s = data;

	return filter_process_value(s->m, s->p, field, visit, visit_data);
}

bool filter_process(struct filter *filter, const struct model *m, uint32_t slot)
{
	struct filter_process_subject s = { .m = m, .p = model_slot(m, slot) };

	return filter_match(filter, &s, process_values);
}
