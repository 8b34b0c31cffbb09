/* SPDX-License-Identifier: MIT */
/* Functions that return the values of a process's attributes (attributes.def). */
#include "config.h"
#include "monitor/attribute/attribute.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/buf.h"
#include "monitor/base/user.h"

struct attribute_subject {
	const struct model *m;
	const struct process *p;
	value_visit *visit;
	void *data;
};

static bool visit_sym(const struct attribute_subject *s, sym_t sym)
{
	const char *text;
	size_t len;

	if (sym == SYM_NONE)
		return false;
	text = model_sym(s->m, sym, &len);
	return value_give_text(s->visit, s->data, text, len);
}

static bool visit_text(const struct attribute_subject *s, const char *text, size_t len)
{
	return value_give_text(s->visit, s->data, text, len);
}

static bool visit_number(const struct attribute_subject *s, int64_t number)
{
	return value_give_number(s->visit, s->data, number);
}

static bool visit_argv(const struct attribute_subject *s)
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

static bool visit_regions(const struct attribute_subject *s, bool labels)
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

static bool visit_worktrees(const struct attribute_subject *s)
{
	ANY_ITEM(s, worktrees, worktree_item, item, visit_sym(s, item->worktree));
}

static bool visit_params(const struct attribute_subject *s)
{
	ANY_ITEM(s, params, param_item, item, visit_sym(s, item->param));
}

static bool visit_keys(const struct attribute_subject *s)
{
	ANY_ITEM(s, data, data_item, item, visit_sym(s, item->key));
}

static bool visit_threads(const struct attribute_subject *s)
{
	ANY_ITEM(s, threads, thread, item, visit_sym(s, item->name));
}

static bool visit_messages(const struct attribute_subject *s)
{
	ANY_ITEM(s, errors, error_item, item,
		 item->has_msg && visit_text(s, model_text(s->m, item->msg), item->msg.len));
}

static bool visit_modes(const struct attribute_subject *s)
{
	for (uint32_t i = 0; i < s->p->modes.nr; i++)
		if (visit_sym(s, *(const sym_t *)vec_at(model_heap(s->m), &s->p->modes, i,
							sizeof(sym_t))))
			return true;
	return false;
}

static bool visit_aliases(const struct attribute_subject *s)
{
	ANY_ITEM(s, aliases, alias_item, item, visit_sym(s, item->alias));
}

static bool visit_hooks(const struct attribute_subject *s)
{
	ANY_ITEM(s, children, child, item, visit_sym(s, item->hook));
}

static bool visit_last_component(const struct attribute_subject *s, sym_t path)
{
	size_t len, from;
	const char *text = model_sym(s->m, path, &len);

	while (len > 1 && text[len - 1] == '/')
		len--;
	for (from = len; from && text[from - 1] != '/'; from--)
		;
	return visit_text(s, text + from, len - from);
}

static bool visit_repos(const struct attribute_subject *s)
{
	ANY_ITEM(s, worktrees, worktree_item, item,
		 item->worktree != SYM_NONE && visit_last_component(s, item->worktree));
}

static bool visit_user(const struct attribute_subject *s)
{
	char name[USER_BYTES], number[24];

	if (s->p->uid == NUM_NONE)
		return false;
	user_name(s->p->uid, name);
	snprintf(number, sizeof(number), "%" PRId64, s->p->uid);
	return visit_text(s, name, strlen(name)) ||
	       (strcmp(name, number) && visit_text(s, number, strlen(number))) ||
	       (s->p->uid == (int64_t)geteuid() && visit_text(s, "me", 2));
}

#define VISIT(name, value)                                                                         \
	static bool visit_##name(const struct attribute_subject *s)                                \
	{                                                                                          \
		return value;                                                                      \
	}
VISIT(name, visit_sym(s, s->p->name))
VISIT(hierarchy, visit_sym(s, s->p->hierarchy))
VISIT(sid, visit_text(s, model_text(s->m, s->p->sid), s->p->sid.len))
VISIT(host, *s->p->host &&visit_text(s, s->p->host, strlen(s->p->host)))
VISIT(agent, visit_sym(s, s->p->agent))
VISIT(exe, visit_sym(s, s->p->exe))
VISIT(path, visit_sym(s, s->p->path))
VISIT(evt, visit_sym(s, s->p->evt))
VISIT(format, visit_sym(s, s->p->format))
VISIT(categories, visit_regions(s, false))
VISIT(labels, visit_regions(s, true))
VISIT(pid, visit_number(s, s->p->pid))
VISIT(depth, visit_number(s, s->p->depth))
VISIT(code, visit_number(s, s->p->code))
VISIT(signo, visit_number(s, s->p->signo))
VISIT(nr_threads, visit_number(s, s->p->threads.nr))
VISIT(nr_regions, visit_number(s, (int64_t)s->p->nr_regions))
VISIT(nr_children, visit_number(s, s->p->children.nr))
VISIT(nr_errors, visit_number(s, s->p->nr_errors))
VISIT(elapsed, visit_number(s, process_elapsed(s->p)))
VISIT(start, visit_number(s, s->p->start))
VISIT(end, visit_number(s, s->p->state == STATE_RUNNING ? NS_NONE : s->p->end))
VISIT(has_error, visit_number(s, s->p->nr_errors > 0))
VISIT(has_failed, visit_number(s, process_failed(s->p)))
VISIT(is_live, visit_number(s, s->p->state == STATE_RUNNING))

static int64_t process_state_bits(const struct process *p)
{
	static const int64_t bits[NR_STATES] = {
		[STATE_RUNNING] = ATTRIBUTE_STATE_RUNNING,
		[STATE_EXITED] = ATTRIBUTE_STATE_EXITED,
		[STATE_SIGNALED] = ATTRIBUTE_STATE_SIGNALED,
		[STATE_REPLACED] = ATTRIBUTE_STATE_REPLACED,
		[STATE_LOST] = ATTRIBUTE_STATE_LOST,
		[STATE_UNTRACED] = ATTRIBUTE_STATE_UNTRACED,
	};

	return bits[p->state] | (process_failed(p) ? ATTRIBUTE_STATE_FAILED : 0);
}

static bool visit_state(const struct attribute_subject *s)
{
	const char *word = process_state_names[s->p->state];
	struct value value = { word, strlen(word), process_state_bits(s->p) };

	return s->visit(s->data, &value);
}

const struct attribute_desc attributes[NR_ATTRIBUTES] = {
#define ATTRIBUTE(ID, word_, type_, rows, doc_, values)                                            \
	[ATTRIBUTE_##ID] = { .word = word_, .doc = doc_, .type = ATTRIBUTE_TYPE_##type_ },
#include "monitor/attribute/attributes.def"
};

bool attribute_visit(const struct model *m, const struct process *p, enum attribute attribute,
		     value_visit *visit, void *data)
{
	static bool (*const visits[NR_ATTRIBUTES])(const struct attribute_subject *) = {
#define ATTRIBUTE(ID, word, type, rows, doc, values) [ATTRIBUTE_##ID] = visit_##values,
#include "monitor/attribute/attributes.def"
	};
	struct attribute_subject s = { .m = m, .p = p, .visit = visit, .data = data };

	return visits[attribute](&s);
}

static bool take_value(void *out, const struct value *value)
{
	*(struct value *)out = *value;
	return true;
}

bool attribute_get(const struct model *m, const struct process *p, enum attribute attribute,
		   struct value *out)
{
	return attribute_visit(m, p, attribute, take_value, out);
}
