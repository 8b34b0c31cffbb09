/* SPDX-License-Identifier: MIT */
/* What is found for Git's users: where time goes that a setting or another command saves. */
#include "config.h"
#include "monitor/analysis/findings_look.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/grow.h"
#include "monitor/base/humanize.h"

static bool is(const char *text, const char *word)
{
	return !strcmp(text, word);
}

static const struct process *process_of(const struct looking *l, uint32_t i)
{
	return model_slot(l->m, l->slots[i]);
}

/* ---- regions and data ---- */

static bool in_refresh(const char *category, const char *label)
{
	return (is(category, "index") && (is(label, "refresh") || is(label, "preload"))) ||
	       (is(category, "progress") && is(label, "Refresh index"));
}

void look_index_refresh(struct looking *l)
{
	ns_t held = held_in(l, in_refresh);
	uint32_t slot = SLOT_NONE;
	int64_t nr = 0;

	for (uint32_t i = 0; held && i < l->nr; i++) {
		const struct data_item *datum =
			datum_of(l, l->slots[i], "index", "refresh/sum_lstat");

		if (!datum)
			datum = datum_of(l, l->slots[i], "index", "preload/sum_lstat");
		if (datum && slot == SLOT_NONE)
			slot = l->slots[i];
		nr += datum_number(l, datum, 0);
	}
	if (nr)
		found(l, slot, held, "%" PRId64 " times lstat()", nr);
	else if (held)
		found(l, slot, held, "index/refresh");
}

static bool in_untracked(const char *category, const char *label)
{
	return (is(category, "status") && is(label, "untracked")) ||
	       (is(category, "dir") && is(label, "read_directory"));
}

void look_untracked_scan(struct looking *l)
{
	ns_t held = held_in(l, in_untracked);
	uint32_t slot = SLOT_NONE;
	int64_t nr = 0;

	for (uint32_t i = 0; held && i < l->nr; i++) {
		const struct data_item *datum =
			datum_of(l, l->slots[i], "read_directory", "directories-visited");

		/* That it counts nodes says that the untracked cache is there. */
		if (datum_of(l, l->slots[i], "read_directory", "node-creation"))
			return;
		if (datum && slot == SLOT_NONE)
			slot = l->slots[i];
		nr += datum_number(l, datum, 0);
	}
	if (nr)
		found(l, slot, held, "%" PRId64 " directories", nr);
	else if (held)
		found(l, slot, held, "dir/read_directory");
}

static bool in_index_io(const char *category, const char *label)
{
	return is(category, "index") && (is(label, "do_read_index") || is(label, "do_write_index"));
}

void look_large_index(struct looking *l)
{
	ns_t held = held_in(l, in_index_io);

	for (uint32_t i = 0; held && i < l->nr; i++) {
		int64_t nr = datum_number(l, datum_of(l, l->slots[i], "index", "read/cache_nr"), 0);

		if (nr < 50000)
			continue;
		found(l, l->slots[i], held, "%" PRId64 " entries", nr);
		return;
	}
}

static bool in_full_index(const char *category, const char *label)
{
	return is(category, "index") && is(label, "ensure_full_index");
}

void look_sparse_expanded(struct looking *l)
{
	ns_t held = held_in(l, in_full_index);

	if (held)
		found(l, l->root, held, "index/ensure_full_index");
}

static bool in_renames(const char *category, const char *label)
{
	return ((is(category, "merge") || is(category, "diff")) && strstr(label, "rename")) ||
	       (is(category, "diff") &&
		(is(label, "basename matches") || is(label, "cull basename"))) ||
	       (is(category, "progress") && strstr(label, "rename detection"));
}

void look_rename_detection(struct looking *l)
{
	ns_t held = held_in(l, in_renames);

	if (held)
		found(l, l->root, held, "regions of renames");
}

static bool in_updating_files(const char *category, const char *label)
{
	return is(category, "progress") &&
	       (is(label, "Updating files") || is(label, "Checking out files"));
}

void look_serial_checkout(struct looking *l)
{
	ns_t held = held_in(l, in_updating_files);
	uint32_t slot = SLOT_NONE;
	int64_t nr = 0;

	if (!held)
		return;
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = process_of(l, i);

		if (sym_is(l->m, p->name, "checkout--worker"))
			return;
		for (uint32_t k = 0; k < p->data.nr; k++) {
			const struct data_item *item = PROCESS_ITEM(l->m, &p->data, data_item, k);
			int64_t objects = sym_is(l->m, item->key, "total_objects")
						  ? datum_number(l, item, 0)
						  : 0;

			if (objects <= nr)
				continue;
			nr = objects;
			slot = l->slots[i];
		}
	}
	if (nr >= 1000)
		found(l, slot, held, "%" PRId64 " files", nr);
}

void look_fsmonitor_trivial(struct looking *l)
{
	for (uint32_t i = 0; i < l->nr; i++)
		if (datum_of(l, l->slots[i], NULL, "query/trivial-response"))
			found(l, l->slots[i], 0, "fsm_client/query");
}

void look_many_fsyncs(struct looking *l)
{
	int64_t nr = 0;
	uint32_t slot = SLOT_NONE;

	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = process_of(l, i);
		int64_t here = datum_number(
			l, datum_of(l, l->slots[i], "fsync", "fsync/hardware-flush"), 0);

		for (uint32_t k = 0; k < p->counters.nr; k++) {
			const struct counter_item *item =
				PROCESS_ITEM(l->m, &p->counters, counter_item, k);

			if (!item->of_thread && sym_is(l->m, item->category, "fsync") &&
			    sym_is(l->m, item->name, "hardware-flush"))
				here = item->count;
		}
		if (here > 0 && slot == SLOT_NONE)
			slot = l->slots[i];
		nr += here > 0 ? here : 0;
	}
	if (nr >= 200)
		found(l, slot, 0, "%" PRId64 " flushes", nr);
}

void look_process_starts(struct looking *l)
{
	ns_t held = held_of_kind(l, PART_SPAWN, SLOT_NONE) + held_of_kind(l, PART_INIT, SLOT_NONE) +
		    held_of_kind(l, PART_REAP, SLOT_NONE);

	if (l->nr >= 10)
		found(l, l->root, held, "%" PRIu32 " processes", l->nr);
}

void look_nesting_limit(struct looking *l)
{
	struct tr2_buf line;

	if (!parts_limit_is_said(l->parts))
		return;
	tr2_buf_init(&line, 500);
	parts_limit_say(l->parts, &line);
	found(l, l->root, l->parts->at_limit, "%.*s", (int)line.len, line.data);
	tr2_buf_release(&line);
}

/* ---- children ---- */

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
		bool overlap = false;

		for (uint32_t k = 0; k < p->children.nr; k++) {
			const struct child *child = process_child(l->m, p, k);

			if (!is_fetch(l->m, child) || child->begin_at == NS_NONE)
				continue;
			nr++;
			overlap |= end != NS_NONE && child->begin_at < end;
			end = child->exit_at;
		}
		if (nr >= 3 && !overlap)
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

	if (child->use_shell != 1 || child->hook != SYM_NONE || child->child_class != SYM_NONE)
		if (child->use_shell != 1 || child->hook != SYM_NONE ||
		    !sym_is(m, child->child_class, "?"))
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
};

static int by_key(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Sum up equal keys; how many are left. */
static uint32_t tally_sum(struct tally *items, uint32_t nr)
{
	uint32_t to = 0;

	if (nr)
		qsort(items, nr, sizeof(*items), by_key);
	for (uint32_t i = 0; i < nr; i++) {
		if (to && items[to - 1].key == items[i].key)
			items[to - 1].nr += items[i].nr;
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

			if (!is_filter(l->m, p, child))
				continue;
			for (uint32_t j = 0; j < p->children.nr; j++)
				nr += is_like_filter(l->m, p, process_child(l->m, p, j), &alike);
			len = first_word(l->m, child, &word);
			if (nr >= LEAST_ALIKE)
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
			items[nr++] = (struct tally){ words_hash(l->m, &child->argv), k, 1 };
		}
		nr = tally_sum(items, nr);
		for (uint32_t t = 0; t < nr; t++)
			if (items[t].nr >= LEAST_ALIKE)
				say_alike(l, l->slots[i], process_child(l->m, p, items[t].first),
					  items[t].nr);
	}
	free(items);
}

/* ---- what is wrong ---- */

void look_lock_held(struct looking *l)
{
	static const char tail[] = ".lock': File exists";

	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = process_of(l, i);

		for (uint32_t k = 0; k < p->errors.nr; k++) {
			const struct error_item *error =
				PROCESS_ITEM(l->m, &p->errors, error_item, k);
			const char *msg = error->has_msg ? model_text(l->m, error->msg) : "";
			size_t len = error->has_msg ? error->msg.len : 0;
			const char *at = len ? memmem(msg, len, tail, sizeof(tail) - 1) : NULL;
			const char *from = at;

			if (!at)
				continue;
			while (from > msg && from[-1] != '/' && from[-1] != '\'')
				from--;
			found(l, l->slots[i], 0, "%.*s.lock",
			      (int)(at - from < 100 ? at - from : 100), from);
			break;
		}
	}
}

void look_child_killed(struct looking *l)
{
	static const uint8_t signals[] = { 2, 6, 9, 11, 15 };

	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = process_of(l, i);

		for (uint32_t k = 0; k < p->children.nr; k++) {
			const struct child *child = process_child(l->m, p, k);
			struct tr2_buf label;

			for (size_t s = 0; s < sizeof(signals); s++) {
				if (child->code != 128 + signals[s])
					continue;
				tr2_buf_init(&label, 4096);
				say_child_label(l->m, child, &label);
				found(l, l->slots[i], 0, "%.*s by signal %u",
				      (int)(label.len < 100 ? label.len : 100), label.data,
				      signals[s]);
				tr2_buf_release(&label);
			}
		}
	}
}

/* Git's version, as two numbers; false where `exe` is none. */
static bool git_version(const struct model *m, const struct process *p, int *major, int *minor)
{
	char exe[64];

	sym_copy(m, p->exe, exe, sizeof(exe));
	return sscanf(exe, "%4d.%4d", major, minor) == 2;
}

void look_old_protocol(struct looking *l)
{
	const struct process *root = process_of(l, 0);
	int64_t highest = -1;
	uint32_t slot = SLOT_NONE;
	int major, minor;

	if (!sym_is(l->m, root->name, "fetch") && !sym_is(l->m, root->name, "clone") &&
	    !sym_is(l->m, root->name, "ls-remote") && !sym_is(l->m, root->name, "pull"))
		return;
	for (uint32_t i = 0; i < l->nr; i++) {
		int64_t version = datum_number(
			l, datum_of(l, l->slots[i], "transfer", "negotiated-version"), -1);

		if (version > highest) {
			highest = version;
			slot = l->slots[i];
		}
	}
	if (highest < 0 || highest >= 2 || !git_version(l->m, root, &major, &minor))
		return;
	if (major > 2 || (major == 2 && minor >= 26))
		found(l, slot, 0, "version %" PRId64, highest);
}

/* ---- of all processes together ---- */

void look_traces_discarded(struct looking *l)
{
	uint64_t nr = model_event_count(l->m, TR2_E_TOO_MANY_FILES);

	if (nr)
		found(l, SLOT_NONE, 0, "%" PRIu64 " times", nr);
}

struct loop_root {
	uint64_t key; /* of its words and worktree */
	ns_t start;
	uint32_t slot;
};

static int by_key_and_start(const void *a, const void *b)
{
	const struct loop_root *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

#define LOOP_LEAST  20
#define LOOP_WITHIN (10 * (ns_t)NS_PER_SEC)

static void say_loop(struct looking *l, const struct loop_root *roots, uint32_t nr)
{
	struct tr2_buf words;
	ns_t held = 0;

	for (uint32_t i = 0; i < nr; i++) {
		ns_t elapsed = process_elapsed(model_slot(l->m, roots[i].slot));

		held = elapsed == NS_NONE ? held : ns_add(held, elapsed);
	}
	tr2_buf_init(&words, 4096);
	say_words(l->m, &model_slot(l->m, roots[0].slot)->argv, &words);
	found(l, roots[0].slot, held, "%" PRIu32 " times %.*s", nr, (int)words.len, words.data);
	tr2_buf_release(&words);
}

void look_command_in_a_loop(struct looking *l)
{
	struct loop_root *roots = NULL;
	uint32_t nr = 0, cap = 0, end;

	for (uint32_t slot = model_first_root(l->m); slot != SLOT_NONE;
	     slot = model_slot(l->m, slot)->next_sibling) {
		const struct process *p = model_slot(l->m, slot);
		sym_t worktree = SYM_NONE;

		if (!p->argv.nr || p->start == NS_NONE)
			continue;
		if (p->worktrees.nr)
			worktree = PROCESS_ITEM(l->m, &p->worktrees, worktree_item, 0)->worktree;
		GROW(roots, nr, cap, 64);
		roots[nr++] = (struct loop_root){ words_hash(l->m, &p->argv) * 31 + worktree,
						  p->start, slot };
	}
	if (nr)
		qsort(roots, nr, sizeof(*roots), by_key_and_start);
	for (uint32_t i = 0; i < nr; i = end) {
		bool dense = false;

		for (end = i; end < nr && roots[end].key == roots[i].key; end++)
			dense |=
				end - i + 1 >= LOOP_LEAST &&
				roots[end].start - roots[end - LOOP_LEAST + 1].start <= LOOP_WITHIN;
		if (dense)
			say_loop(l, roots + i, end - i);
	}
	free(roots);
}
