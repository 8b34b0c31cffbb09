/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/attribute/attribute.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/buf.h"
#include "monitor/attribute/arguments.h"
#include "monitor/base/grow.h"
#include "monitor/base/user.h"

struct attribute_subject {
	const struct model *m;
	const struct process *p;
	bool of_group; /* for attribute_visit_group() */
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

static sym_t last_worktree(const struct attribute_subject *s)
{
	const struct vec *list = &s->p->worktrees;

	return list->nr ? PROCESS_ITEM(s->m, list, worktree_item, list->nr - 1)->worktree
			: SYM_NONE;
}

static bool visit_worktrees(const struct attribute_subject *s)
{
	if (s->of_group)
		return visit_sym(s, last_worktree(s));
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

static bool visit_classes(const struct attribute_subject *s)
{
	ANY_ITEM(s, children, child, item, visit_sym(s, item->child_class));
}

static bool visit_error_formats(const struct attribute_subject *s)
{
	ANY_ITEM(s, errors, error_item, item,
		 item->fmt != SYM_NONE ? visit_sym(s, item->fmt)
				       : item->has_msg && visit_text(s, model_text(s->m, item->msg),
								     item->msg.len));
}

static bool visit_argument(const struct attribute_subject *s)
{
	size_t len;
	const char *argument = process_argument(s->m, s->p, &len);

	return argument && visit_text(s, argument, len);
}

static bool visit_name_and(const struct attribute_subject *s, const char *word, size_t word_len)
{
	size_t len;
	const char *name;
	struct tr2_buf line;
	bool result;

	if (s->p->name == SYM_NONE || !word)
		return visit_sym(s, s->p->name);
	name = model_sym(s->m, s->p->name, &len);
	tr2_buf_init(&line, SIZE_MAX / 2);
	tr2_buf_add(&line, name, len);
	tr2_buf_addch(&line, ' ');
	tr2_buf_add(&line, word, word_len);
	result = visit_text(s, tr2_buf_cstr(&line), line.len);
	tr2_buf_release(&line);
	return result;
}

static bool visit_command(const struct attribute_subject *s)
{
	size_t len;
	const char *argument = process_argument(s->m, s->p, &len);

	return visit_name_and(s, argument, len);
}

static bool visit_subcommand(const struct attribute_subject *s)
{
	size_t len;
	const char *word = process_subcommand(s->m, s->p, &len);

	return visit_name_and(s, word, len);
}

static bool visit_options(const struct attribute_subject *s)
{
	struct strings_cursor cursor = strings_begin(s->m, &s->p->argv);
	const char *item;
	size_t len;

	strings_next(&cursor, &len);
	while ((item = strings_next(&cursor, &len))) {
		if (len == 2 && !memcmp(item, "--", 2))
			return false;
		if (len && *item == '-' && visit_text(s, item, len))
			return true;
	}
	return false;
}

static bool visit_parent(const struct attribute_subject *s)
{
	return s->p->parent != SLOT_NONE && visit_sym(s, model_slot(s->m, s->p->parent)->name);
}

static bool visit_nesting(const struct attribute_subject *s)
{
	int64_t deepest = 0;

	for (uint32_t i = 0; i < s->p->threads.nr; i++) {
		const struct thread *t = process_thread(s->m, s->p, i);

		deepest = t->max_nesting > deepest ? t->max_nesting : deepest;
	}
	return visit_number(s, deepest);
}

static bool visit_local_time(const struct attribute_subject *s, const char *format)
{
	time_t seconds = s->p->start / NS_PER_SEC;
	struct tm local;
	char text[8];

	if (s->p->start == NS_NONE || !localtime_r(&seconds, &local))
		return false;
	return visit_text(s, text, strftime(text, sizeof(text), format, &local));
}

static bool visit_weekday(const struct attribute_subject *s)
{
	static const char days[7][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	time_t seconds = s->p->start / NS_PER_SEC;
	struct tm local;

	return s->p->start != NS_NONE && localtime_r(&seconds, &local) &&
	       visit_text(s, days[local.tm_wday], 3);
}

/* Visit the elapsed time of the process less the time in which a child ran. Children must be in
 * order of their starts. */
static bool visit_self_time(const struct attribute_subject *s)
{
	ns_t elapsed = process_elapsed(s->p), busy = 0, until = NS_NONE;

	if (elapsed == NS_NONE)
		return false;
	for (uint32_t i = 0; i < s->p->children.nr; i++) {
		const struct child *c = process_child(s->m, s->p, i);
		ns_t from = c->start, to;

		if (from == NS_NONE)
			continue;
		to = c->elapsed != NS_NONE ? from + c->elapsed
		     : c->end != NS_NONE   ? c->end
					   : s->p->end;
		from = until != NS_NONE && from < until ? until : from;
		if (to == NS_NONE || to <= from)
			continue;
		busy += to - from;
		until = to;
	}
	return visit_number(s, busy < elapsed ? elapsed - busy : 0);
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
	if (s->of_group)
		return last_worktree(s) != SYM_NONE && visit_last_component(s, last_worktree(s));
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
	if (s->of_group)
		return visit_text(s, name, strlen(name));
	return visit_text(s, name, strlen(name)) ||
	       (strcmp(name, number) && visit_text(s, number, strlen(number))) ||
	       (s->p->uid == (int64_t)geteuid() && visit_text(s, "me", 2));
}

static bool visit_keyed(const struct attribute_subject *s, sym_t category, sym_t key,
			struct value value)
{
	if (key == SYM_NONE)
		return false;
	if (category != SYM_NONE)
		value.category = model_sym(s->m, category, &value.category_len);
	value.key = model_sym(s->m, key, &value.key_len);
	return s->visit(s->data, &value);
}

static struct value value_of_text(const struct attribute_subject *s, struct text text)
{
	return (struct value){ .text = model_text(s->m, text), .len = text.len };
}

#define ANY_NEWEST_ITEM(s, list, type, item, condition)                                            \
	do {                                                                                       \
		for (uint32_t i_ = (s)->p->list.nr; i_-- > 0;) {                                   \
			const struct type *item = PROCESS_ITEM((s)->m, &(s)->p->list, type, i_);   \
			if (condition)                                                             \
				return true;                                                       \
		}                                                                                  \
		return false;                                                                      \
	} while (0)

static bool visit_param_values(const struct attribute_subject *s)
{
	ANY_NEWEST_ITEM(s, params, param_item, item,
			item->has_value && visit_keyed(s, SYM_NONE, item->param,
						       value_of_text(s, item->value)));
}

static bool visit_data_values(const struct attribute_subject *s)
{
	ANY_NEWEST_ITEM(
		s, data, data_item, item,
		item->has_value && !item->is_json && item->category != SYM_NONE &&
			visit_keyed(s, item->category, item->key, value_of_text(s, item->value)));
}

static bool visit_counters(const struct attribute_subject *s)
{
	ANY_NEWEST_ITEM(s, counters, counter_item, item,
			!item->of_thread && item->category != SYM_NONE && item->count != NUM_NONE &&
				visit_keyed(s, item->category, item->name,
					    (struct value){ .number = item->count }));
}

static bool visit_timers(const struct attribute_subject *s)
{
	ANY_NEWEST_ITEM(s, timers, timer_item, item,
			!item->of_thread && item->category != SYM_NONE && item->total != NS_NONE &&
				visit_keyed(s, item->category, item->name,
					    (struct value){ .number = item->total }));
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
VISIT(hour, visit_local_time(s, "%H"))
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
	struct value value = { .text = word,
			       .len = strlen(word),
			       .number = process_state_bits(s->p) };

	return s->visit(s->data, &value);
}

enum {
	GROUP_BY = ATTRIBUTE_USE_GROUP_BY,
	GROUP = ATTRIBUTE_USE_GROUP_BY | ATTRIBUTE_USE_GROUP_MENU,
};

const struct attribute_desc attributes[NR_ATTRIBUTES] = {
#define ATTRIBUTE(ID, word, type, rows, doc, values, test, uses, letter, heading, column)          \
	KEYED_ATTRIBUTE(ID, word, NULL, type, rows, doc, values, test, uses, letter)
#define KEYED_ATTRIBUTE(ID, word_, key_, type_, rows, doc_, values, test_, uses_, letter_)         \
	[ATTRIBUTE_##ID] = { .word = word_,                                                        \
			     .doc = doc_,                                                          \
			     .key = key_,                                                          \
			     .type = ATTRIBUTE_TYPE_##type_,                                       \
			     .test = ATTRIBUTE_TEST_##test_,                                       \
			     .uses = (uses_),                                                      \
			     .letter = letter_ },
#include "monitor/attribute/attributes.def"
};

static bool visit_attribute(const struct attribute_subject *s, enum attribute attribute)
{
	static bool (*const visits[NR_ATTRIBUTES])(const struct attribute_subject *) = {
#define ATTRIBUTE(ID, word, type, rows, doc, values, test, uses, letter, heading, column)          \
	[ATTRIBUTE_##ID] = visit_##values,
#define KEYED_ATTRIBUTE(ID, word, key, type, rows, doc, values, test, uses, letter)                \
	[ATTRIBUTE_##ID] = visit_##values,
#include "monitor/attribute/attributes.def"
	};

	return visits[attribute](s);
}

bool attribute_visit(const struct model *m, const struct process *p, enum attribute attribute,
		     value_visit *visit, void *data)
{
	struct attribute_subject s = { .m = m, .p = p, .visit = visit, .data = data };

	return visit_attribute(&s, attribute);
}

bool attribute_visit_group(const struct model *m, const struct process *p, enum attribute attribute,
			   value_visit *visit, void *data)
{
	struct attribute_subject s = {
		.m = m, .p = p, .of_group = true, .visit = visit, .data = data
	};

	return visit_attribute(&s, attribute);
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

bool attribute_set_key(struct attribute_ref *ref, const char *key, size_t len)
{
	const char *slash;

	ref->category = NULL;
	ref->category_len = 0;
	ref->key = key;
	ref->key_len = len;
	if (!strchr(attributes[ref->attribute].key, '/'))
		return len > 0;
	slash = memchr(key, '/', len);
	if (!slash || slash == key || slash + 1 == key + len)
		return false;
	ref->category = key;
	ref->category_len = (size_t)(slash - key);
	ref->key = slash + 1;
	ref->key_len = len - ref->category_len - 1;
	return true;
}

bool attribute_parse(struct attribute_ref *out, const char *text, size_t len)
{
	const char *blank = memchr(text, ' ', len);
	size_t word_len = blank ? (size_t)(blank - text) : len;

	for (int i = 0; i < NR_ATTRIBUTES; i++) {
		if (strlen(attributes[i].word) != word_len ||
		    memcmp(attributes[i].word, text, word_len) || !attributes[i].key != !blank)
			continue;
		*out = (struct attribute_ref){ .attribute = (enum attribute)i };
		return !blank || attribute_set_key(out, blank + 1, len - word_len - 1);
	}
	return false;
}

void attribute_format_key(const struct attribute_ref *ref, struct tr2_buf *out)
{
	if (!ref->key)
		return;
	if (ref->category) {
		tr2_buf_add(out, ref->category, ref->category_len);
		tr2_buf_addch(out, '/');
	}
	tr2_buf_add(out, ref->key, ref->key_len);
}

void attribute_format(const struct attribute_ref *ref, struct tr2_buf *out)
{
	tr2_buf_addstr(out, attributes[ref->attribute].word);
	if (ref->key)
		tr2_buf_addch(out, ' ');
	attribute_format_key(ref, out);
}

static bool same_text(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return a_len == b_len && (!a_len || !memcmp(a, b, a_len));
}

bool attribute_is_key(const struct attribute_ref *ref, const struct value *value)
{
	return same_text(ref->key, ref->key_len, value->key, value->key_len) &&
	       same_text(ref->category, ref->category_len, value->category, value->category_len);
}

void attribute_format_value(enum attribute attribute, const struct value *value,
			    struct tr2_buf *out)
{
	switch (attributes[attribute].type) {
	case ATTRIBUTE_TYPE_TEXT:
	case ATTRIBUTE_TYPE_STATE:
	case ATTRIBUTE_TYPE_VALUE:
		tr2_buf_add(out, value->text, value->len);
		break;
	default:
		tr2_buf_addf(out, "%" PRId64, value->number);
	}
}

/*
 * Values of a process for attribute_format_group(). The first value is appended to `out`; the list
 * is used if another value differs.
 */
struct grouped {
	const struct attribute_ref *ref;
	struct tr2_buf *out;
	size_t from;
	bool has_first;
	struct tr2_buf all;
	struct grouped_text {
		/* start of the text in `all`; set after the last text was added, because adding a
		 * text can move `all` */
		const char *text;
		size_t from, len;
	} * texts;
	uint32_t nr, cap;
};

static void list_grouped(struct grouped *g, const char *text, size_t len)
{
	GROW(g->texts, g->nr, g->cap, 8);
	g->texts[g->nr++] = (struct grouped_text){ .from = g->all.len, .len = len };
	tr2_buf_add(&g->all, text, len);
}

static bool add_grouped(void *data, const struct value *value)
{
	struct grouped *g = data;
	size_t first_len = g->out->len - g->from, len;

	if (!attribute_is_key(g->ref, value))
		return false;
	attribute_format_value(g->ref->attribute, value, g->out);
	if (!g->has_first) {
		g->has_first = true;
		return g->ref->key != NULL;
	}
	len = g->out->len - g->from - first_len;
	if (!same_text(g->out->data + g->from, first_len, g->out->data + g->from + first_len,
		       len)) {
		if (!g->nr)
			list_grouped(g, g->out->data + g->from, first_len);
		list_grouped(g, g->out->data + g->from + first_len, len);
	}
	g->out->len -= len;
	return false;
}

static int grouped_compare(const void *a, const void *b)
{
	const struct grouped_text *x = a, *y = b;
	size_t len = x->len < y->len ? x->len : y->len;
	int order = len ? memcmp(x->text, y->text, len) : 0;

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

static void format_listed_values(struct grouped *g)
{
	const char *all = tr2_buf_cstr(&g->all);

	for (uint32_t i = 0; i < g->nr; i++)
		g->texts[i].text = all + g->texts[i].from;
	qsort(g->texts, g->nr, sizeof(*g->texts), grouped_compare);
	g->out->len = g->from;
	for (uint32_t i = 0; i < g->nr; i++) {
		if (i && !grouped_compare(&g->texts[i], &g->texts[i - 1]))
			continue;
		if (i)
			tr2_buf_addstr(g->out, ", ");
		tr2_buf_add(g->out, g->texts[i].text, g->texts[i].len);
	}
}

bool attribute_format_group(const struct model *m, const struct process *p,
			    const struct attribute_ref *ref, struct tr2_buf *out)
{
	struct grouped g = { .ref = ref, .out = out, .from = out->len };

	tr2_buf_init(&g.all, SIZE_MAX / 2);
	attribute_visit_group(m, p, ref->attribute, add_grouped, &g);
	if (g.nr)
		format_listed_values(&g);
	else if (!g.has_first)
		tr2_buf_addstr(out, "(none)");
	free(g.texts);
	tr2_buf_release(&g.all);
	return g.has_first;
}

bool attribute_number(const char *text, size_t len, double *out)
{
	size_t at = len && *text == '-', digits = 0;
	double number = 0, unit = 0;

	for (; at < len; at++) {
		if (text[at] == '.' && !unit && digits) {
			unit = 1;
			continue;
		}
		if (text[at] < '0' || text[at] > '9')
			return false;
		number = number * 10 + (text[at] - '0');
		unit *= 10;
		digits++;
	}
	if (!digits || text[len - 1] == '.' || digits > 300)
		return false;
	*out = (*text == '-' ? -number : number) / (unit > 0 ? unit : 1);
	return true;
}
