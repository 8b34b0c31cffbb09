/* SPDX-License-Identifier: MIT */
/* What is found for Git's users in children: what is waited for, and what is started too often. */
#include "config.h"
#include "monitor/analysis/findings_look.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/grow.h"
#include "monitor/base/humanize.h"

static bool is_hook(const struct model *m, const struct process *parent, const struct child *child,
		    const void *data)
{
	(void)m;
	(void)parent;
	return child->hook == *(const sym_t *)data;
}

void look_slow_hook(struct looking *l)
{
	sym_t *seen = NULL;
	uint32_t nr = 0, cap = 0;

	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = process_of(l, i);

		for (uint32_t k = 0; k < p->children.nr; k++) {
			sym_t hook = process_child(l->m, p, k)->hook;
			bool is_new = hook != SYM_NONE;
			const char *name;
			size_t len;

			for (uint32_t s = 0; s < nr; s++)
				is_new &= seen[s] != hook;
			/* Git has some thirty hooks. */
			if (!is_new || nr >= 100)
				continue;
			GROW(seen, nr, cap, 8);
			seen[nr++] = hook;
			name = model_sym(l->m, hook, &len);
			found(l, l->slots[i], held_below(l, is_hook, &hook), "%.*s",
			      (int)(len < 100 ? len : 100), name);
		}
	}
	free(seen);
}

/* The first child of the tree that `match` is true of; NULL. `*slot` is its parent's, `*count` how
 * many there are. */
static const struct child *first_child(const struct looking *l,
				       bool (*match)(const struct model *m,
						     const struct process *parent,
						     const struct child *child, const void *data),
				       uint32_t *slot, uint64_t *count)
{
	const struct child *first = NULL;

	*count = 0;
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = process_of(l, i);

		for (uint32_t k = 0; k < p->children.nr; k++) {
			const struct child *child = process_child(l->m, p, k);

			if (!match(l->m, p, child, NULL))
				continue;
			if (!first) {
				first = child;
				*slot = l->slots[i];
			}
			++*count;
		}
	}
	return first;
}

/* Children that `match` is true of, told by the words of the first. */
static void look_children(struct looking *l,
			  bool (*match)(const struct model *m, const struct process *parent,
					const struct child *child, const void *data),
			  uint64_t least)
{
	uint32_t slot = SLOT_NONE;
	uint64_t count;
	const struct child *first = first_child(l, match, &slot, &count);
	struct tr2_buf words;

	if (!first || count < least)
		return;
	tr2_buf_init(&words, 4096);
	say_words(l->m, &first->argv, &words);
	if (count > 1)
		found(l, slot, held_below(l, match, NULL), "%" PRIu64 " times %.*s", count,
		      (int)words.len, words.data);
	else
		found(l, slot, held_below(l, match, NULL), "%.*s", (int)words.len, words.data);
	tr2_buf_release(&words);
}

static bool is_maintenance(const struct model *m, const struct process *parent,
			   const struct child *child, const void *data)
{
	(void)parent;
	(void)data;
	return has_word(m, &child->argv, "--auto") &&
	       (has_word(m, &child->argv, "gc") ||
		(has_word(m, &child->argv, "maintenance") && has_word(m, &child->argv, "run")));
}

void look_maintenance(struct looking *l)
{
	look_children(l, is_maintenance, 1);
}

static bool is_credential_helper(const struct model *m, const struct process *parent,
				 const struct child *child, const void *data)
{
	(void)parent;
	(void)data;
	return has_prefix(m, &child->argv, "git credential-") ||
	       has_prefix(m, &child->argv, "credential-") ||
	       has_word(m, &child->argv, "credential");
}

void look_credential_helper(struct looking *l)
{
	look_children(l, is_credential_helper, 1);
}

static bool is_lazy_fetch(const struct model *m, const struct process *parent,
			  const struct child *child, const void *data)
{
	(void)parent;
	(void)data;
	return has_word(m, &child->argv, "fetch") && has_word(m, &child->argv, "--stdin") &&
	       has_prefix(m, &child->argv, "--filter");
}

void look_lazy_fetch(struct looking *l)
{
	uint32_t slot = SLOT_NONE;
	uint64_t count, objects = 0;

	if (!first_child(l, is_lazy_fetch, &slot, &count) || count < 5)
		return;
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = process_of(l, i);

		for (uint32_t k = 0; k < p->data.nr; k++) {
			const struct data_item *item = PROCESS_ITEM(l->m, &p->data, data_item, k);

			if (sym_is(l->m, item->key, "fetch_count"))
				objects += (uint64_t)datum_number(l, item, 0);
		}
	}
	if (objects)
		found(l, slot, held_below(l, is_lazy_fetch, NULL),
		      "%" PRIu64 " fetches of %" PRIu64 " objects", count, objects);
	else
		found(l, slot, held_below(l, is_lazy_fetch, NULL), "%" PRIu64 " fetches", count);
}

/* From the start of ssh to the first answer. */
void look_ssh_setup(struct looking *l)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = process_of(l, i);
		const struct data_item *answer =
			datum_of(l, l->slots[i], "transfer", "negotiated-version");

		for (uint32_t k = 0; answer && k < p->children.nr; k++) {
			const struct child *child = process_child(l->m, p, k);
			if (!sym_is(l->m, child->child_class, "transport/ssh") ||
			    child->begin_at == NS_NONE || answer->t_abs == NS_NONE ||
			    answer->t_abs <= child->begin_at)
				continue;
			found(l, l->slots[i], answer->t_abs - child->begin_at,
			      "%s from its start to the first answer",
			      human_duration(answer->t_abs - child->begin_at).text);
			return;
		}
	}
}

static bool is_fetch(const struct model *m, const struct child *child)
{
	struct tr2_buf label;
	bool result;

	tr2_buf_init(&label, 4096);
	say_child_label(m, child, &label);
	result = label.len == 9 && !memcmp(label.data, "git fetch", 9);
	tr2_buf_release(&label);
	return result;
}

static bool is_fetch_of(const struct model *m, const struct process *parent,
			const struct child *child, const void *data)
{
	return parent == data && is_fetch(m, child);
}

void look_serial_fetch(struct looking *l)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = process_of(l, i);
		ns_t end = NS_NONE;
		uint32_t nr = 0;
		ns_t most = 0;
		bool overlap = false;

		for (uint32_t k = 0; k < p->children.nr; k++) {
			const struct child *child = process_child(l->m, p, k);

			if (!is_fetch(l->m, child) || child->begin_at == NS_NONE)
				continue;
			nr++;
			most = ns_add(most, child_most(l, child));
			overlap |= end != NS_NONE && child->begin_at < end;
			end = child->exit_at;
		}
		if (nr >= 3 && !overlap && can_hold(l, most))
			found(l, l->slots[i], held_below(l, is_fetch_of, p), "%" PRIu32 " fetches",
			      nr);
	}
}

/* A clean or smudge filter: under a shell, in a command that writes or reads files of the tree. */
static bool is_filter(const struct model *m, const struct process *parent,
		      const struct child *child)
{
	static const char *const commands[] = { "checkout", "switch", "restore", "reset", "clone",
						"add",      "commit", "stash",   "merge", "pull",
						"rebase",   "status", "diff" };

	if (child->use_shell != 1 || child->hook != SYM_NONE)
		return false;
	if (child->child_class != SYM_NONE && !sym_is(m, child->child_class, "?"))
		return false;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (sym_is(m, parent->name, commands[i]))
			return true;
	return false;
}

static size_t first_word(const struct model *m, const struct child *child, const char **word)
{
	struct strings_cursor at = strings_begin(m, &child->argv);
	size_t len, blank;

	*word = strings_next(&at, &len);
	if (!*word)
		return 0;
	for (blank = 0; blank < len && (*word)[blank] != ' '; blank++)
		;
	return blank;
}

/* Children of `parent` that are as `like` is. */
struct alike {
	const struct process *parent;
	const struct child *like;
	uint64_t hash;
};

static bool is_like_filter(const struct model *m, const struct process *parent,
			   const struct child *child, const void *data)
{
	const struct alike *alike = data;
	const char *a, *b;
	size_t len;

	if (parent != alike->parent || !is_filter(m, parent, child))
		return false;
	len = first_word(m, child, &a);
	return len == first_word(m, alike->like, &b) && !memcmp(a, b, len);
}

static bool is_like(const struct model *m, const struct process *parent, const struct child *child,
		    const void *data)
{
	const struct alike *alike = data;

	return parent == alike->parent && words_hash(m, &child->argv) == alike->hash;
}

/* Children of `p` by what `key` says of them; told is the kind that there is most of, if `least`. */
struct tally {
	uint64_t key;
	uint32_t first, nr;
	ns_t most; /* they lasted together */
};

static int by_key(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static void tally_add(struct tally *sum, const struct tally *more)
{
	sum->nr += more->nr;
	sum->most = ns_add(sum->most, more->most);
}

/* Sum up equal keys; how many are left. */
static uint32_t tally_sum(struct tally *items, uint32_t nr)
{
	uint32_t to = 0;

	if (nr)
		qsort(items, nr, sizeof(*items), by_key);
	for (uint32_t i = 0; i < nr; i++) {
		if (to && items[to - 1].key == items[i].key)
			tally_add(&items[to - 1], &items[i]);
		else
			items[to++] = items[i];
	}
	return to;
}

#define LEAST_ALIKE 10

void look_filter_per_file(struct looking *l)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = process_of(l, i);

		for (uint32_t k = 0; k < p->children.nr; k++) {
			const struct child *child = process_child(l->m, p, k);
			struct alike alike = { p, child, 0 };
			const char *word;
			size_t len;
			uint32_t nr = 0;
			ns_t most = 0;

			if (!is_filter(l->m, p, child))
				continue;
			for (uint32_t j = 0; j < p->children.nr; j++) {
				const struct child *other = process_child(l->m, p, j);

				if (!is_like_filter(l->m, p, other, &alike))
					continue;
				nr++;
				most = ns_add(most, child_most(l, other));
			}
			len = first_word(l->m, child, &word);
			if (nr >= LEAST_ALIKE && can_hold(l, most))
				found(l, l->slots[i], held_below(l, is_like_filter, &alike),
				      "%" PRIu32 " times %.*s", nr, (int)(len < 100 ? len : 100),
				      word);
			/* One process has one filter, as a rule: the first is looked at. */
			break;
		}
	}
}

static void say_alike(struct looking *l, uint32_t slot, const struct child *child, uint32_t nr)
{
	struct alike alike = { model_slot(l->m, slot), child, words_hash(l->m, &child->argv) };
	struct tr2_buf words;

	tr2_buf_init(&words, 4096);
	say_words(l->m, &child->argv, &words);
	found(l, slot, held_below(l, is_like, &alike), "%" PRIu32 " times %.*s", nr, (int)words.len,
	      words.data);
	tr2_buf_release(&words);
}

void look_repeated_child(struct looking *l)
{
	struct tally *items = NULL;
	uint32_t cap = 0;

	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = process_of(l, i);
		uint32_t nr = 0;

		if (p->children.nr < LEAST_ALIKE)
			continue;
		for (uint32_t k = 0; k < p->children.nr; k++) {
			const struct child *child = process_child(l->m, p, k);

			/* These have findings of their own. */
			if (!child->argv.nr || is_filter(l->m, p, child) ||
			    is_lazy_fetch(l->m, p, child, NULL))
				continue;
			GROW(items, nr, cap, 64);
			items[nr++] = (struct tally){ words_hash(l->m, &child->argv), k, 1,
						      child_most(l, child) };
		}
		nr = tally_sum(items, nr);
		for (uint32_t t = 0; t < nr; t++)
			if (items[t].nr >= LEAST_ALIKE && can_hold(l, items[t].most))
				say_alike(l, l->slots[i], process_child(l->m, p, items[t].first),
					  items[t].nr);
	}
	free(items);
}
