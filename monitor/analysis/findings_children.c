/* SPDX-License-Identifier: MIT */
/* findings about child processes */
#include "config.h"
#include "monitor/analysis/findings_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/analysis/format_text.h"
#include "monitor/analysis/formats.h"
#include "monitor/base/grow.h"

#define LINE_BYTES 100

static bool is_hook(const struct model *m, const struct process *parent, const struct child *child,
		    const void *data)
{
	(void)m;
	(void)parent;
	return child->hook == *(const sym_t *)data;
}

/*
 * In a push, the hooks of the remote side run in parallel with the critical path, while a region of
 * the push waits for the whole remote side. So return at least the duration of the hook if `p` is
 * receive-pack.
 */
static ns_t hook_held(const struct looking *l, const struct process *p, sym_t hook)
{
	ns_t held = held_below(l, is_hook, &hook), ran = 0;

	for (uint32_t k = 0; symbol_equals(l->m, p->name, "receive-pack") && k < p->children.nr;
	     k++) {
		const struct child *child = process_child(l->m, p, k);

		if (child->hook == hook && child->elapsed != NS_NONE)
			ran = ns_add(ran, child->elapsed);
	}
	return ran > held ? ran : held;
}

void check_slow_hook(struct looking *l)
{
	sym_t *seen = NULL;
	uint32_t nr = 0, cap = 0;

	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);

		for (uint32_t k = 0; k < p->children.nr; k++) {
			sym_t hook = process_child(l->m, p, k)->hook;
			bool is_new = hook != SYM_NONE;
			const char *name;
			size_t len;

			for (uint32_t s = 0; s < nr; s++)
				is_new &= seen[s] != hook;
			/* Git has about thirty hooks; more than 100 names are made up */
			if (!is_new || nr >= 100)
				continue;
			GROW(seen, nr, cap, 8);
			seen[nr++] = hook;
			name = model_sym(l->m, hook, &len);
			report_finding(l, l->slots[i], hook_held(l, p, hook), "%.*s",
				       (int)(len < 100 ? len : 100), name);
		}
	}
	free(seen);
}

/*
 * Return the first child that `match` selects; NULL: none. Sets `*slot` to its parent and `*count`
 * to the number of such children.
 */
static const struct child *first_child(const struct looking *l,
				       bool (*match)(const struct model *m,
						     const struct process *parent,
						     const struct child *child, const void *data),
				       uint32_t *slot, uint64_t *count)
{
	const struct child *first = NULL;

	*count = 0;
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);

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

static uint64_t count_same(const struct looking *l,
			   bool (*match)(const struct model *m, const struct process *parent,
					 const struct child *child, const void *data),
			   uint64_t hash)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);

		for (uint32_t k = 0; k < p->children.nr; k++) {
			const struct child *child = process_child(l->m, p, k);

			count += match(l->m, p, child, NULL) &&
				 string_list_hash(l->m, &child->argv) == hash;
		}
	}
	return count;
}

void report_children(struct looking *l,
		     bool (*match)(const struct model *m, const struct process *parent,
				   const struct child *child, const void *data),
		     uint64_t least)
{
	uint32_t slot = SLOT_NONE;
	uint64_t count, same;
	const struct child *first = first_child(l, match, &slot, &count);
	struct tr2_buf words;

	if (!first || count < least)
		return;
	same = count_same(l, match, string_list_hash(l->m, &first->argv));
	tr2_buf_init(&words, 4096);
	append_words(l->m, &first->argv, &words);
	if (same > 1)
		report_finding(l, slot, held_below(l, match, NULL), "%" PRIu64 " times %.*s", same,
			       (int)words.len, words.data);
	else
		report_finding(l, slot, held_below(l, match, NULL), "%.*s", (int)words.len,
			       words.data);
	tr2_buf_release(&words);
}

static bool is_maintenance(const struct model *m, const struct process *parent,
			   const struct child *child, const void *data)
{
	(void)data;
	/* commands that `git maintenance` starts are part of that maintenance */
	return has_word(m, &child->argv, "--auto") &&
	       !symbol_equals(m, parent->name, "maintenance") &&
	       (has_word(m, &child->argv, "gc") ||
		(has_word(m, &child->argv, "maintenance") && has_word(m, &child->argv, "run")));
}

void check_maintenance(struct looking *l)
{
	report_children(l, is_maintenance, 1);
}

/* True if the child is a shell snippet that ends in " get", " store" or " erase", which Git appends
 * to a credential helper. */
static bool is_helper_snippet(const struct model *m, const struct child *child)
{
	static const char *const verbs[] = { " get", " store", " erase" };
	struct strings_cursor at = strings_begin(m, &child->argv);
	size_t len;
	const char *text = strings_next(&at, &len);

	for (size_t i = 0; child->use_shell == 1 && child->argv.nr == 1 && text && i < 3; i++) {
		size_t behind = strlen(verbs[i]);

		if (len > behind && !memcmp(text + len - behind, verbs[i], behind))
			return true;
	}
	return false;
}

static bool is_credential_helper(const struct model *m, const struct process *parent,
				 const struct child *child, const void *data)
{
	(void)parent;
	(void)data;
	return has_prefix(m, &child->argv, "git credential-") ||
	       has_prefix(m, &child->argv, "credential-") ||
	       has_word(m, &child->argv, "credential") || is_helper_snippet(m, child);
}

ns_t held_by_credential_helpers(const struct looking *l)
{
	uint32_t slot;
	uint64_t count;

	return first_child(l, is_credential_helper, &slot, &count)
		       ? held_below(l, is_credential_helper, NULL)
		       : 0;
}

void check_credential_helper(struct looking *l)
{
	report_children(l, is_credential_helper, 1);
}

/* True if the child is probably the hook of core.fsmonitor, which the trace does not name. */
static bool is_fsmonitor_hook(const struct model *m, const struct process *parent,
			      const struct child *child, const void *data)
{
	(void)parent;
	(void)data;
	return child->use_shell == 1 && child->hook == SYM_NONE && child->argv.nr == 3 &&
	       child->has_cd && (has_word(m, &child->argv, "1") || has_word(m, &child->argv, "2"));
}

void check_fsmonitor_hook(struct looking *l)
{
	report_children(l, is_fsmonitor_hook, 1);
}

static bool is_lazy_fetch(const struct model *m, const struct process *parent,
			  const struct child *child, const void *data)
{
	(void)parent;
	(void)data;
	return has_word(m, &child->argv, "fetch") && has_word(m, &child->argv, "--stdin") &&
	       has_prefix(m, &child->argv, "--filter");
}

/* Minimum number of fetches of missing objects. A checkout needs one for all missing objects; a
 * second one may have fetched a commit. */
#define LAZY_LEAST 3

static uint64_t objects_of(const struct looking *l, const struct data_item *item)
{
	int64_t nr = datum_number(l, item, 0);

	return nr > 0 && nr < INT32_MAX ? (uint64_t)nr : 0;
}

void check_lazy_fetch(struct looking *l)
{
	uint32_t slot = SLOT_NONE;
	uint64_t count, objects = 0;

	if (!first_child(l, is_lazy_fetch, &slot, &count) || count < LAZY_LEAST)
		return;
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);

		for (uint32_t k = 0; k < p->data.nr; k++) {
			const struct data_item *item = PROCESS_ITEM(l->m, &p->data, data_item, k);

			if (symbol_equals(l->m, item->key, "fetch_count"))
				objects += objects_of(l, item);
		}
	}
	if (objects)
		report_finding(l, slot, held_below(l, is_lazy_fetch, NULL),
			       "%" PRIu64 " fetches of %" PRIu64 " objects", count, objects);
	else
		report_finding(l, slot, held_below(l, is_lazy_fetch, NULL), "%" PRIu64 " fetches",
			       count);
}

static bool is_alternate_refs(const struct model *m, const struct process *parent,
			      const struct child *child, const void *data)
{
	(void)parent;
	(void)data;
	return has_word(m, &child->argv, "for-each-ref") &&
	       has_prefix(m, &child->argv, "--git-dir=") &&
	       has_prefix(m, &child->argv, "--format=%(objectname)");
}

void check_alternate_refs(struct looking *l)
{
	report_children(l, is_alternate_refs, 1);
}

/* True for a `git fetch` without a shell, except a fetch of missing objects (lazy-fetch). */
static bool is_fetch(const struct model *m, const struct process *parent, const struct child *child)
{
	struct tr2_buf label;
	bool result;

	if (child->use_shell == 1 || is_lazy_fetch(m, parent, child, NULL))
		return false;
	tr2_buf_init(&label, 4096);
	format_child_label(m, child, &label);
	result = label.len == 9 && !memcmp(label.data, "git fetch", 9);
	tr2_buf_release(&label);
	return result;
}

static bool is_fetch_of(const struct model *m, const struct process *parent,
			const struct child *child, const void *data)
{
	return parent == data && is_fetch(m, parent, child);
}

void check_serial_fetch(struct looking *l)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);
		ns_t end = NS_NONE;
		uint32_t nr = 0;
		ns_t most = 0;
		bool overlap = false;

		for (uint32_t k = 0; k < p->children.nr; k++) {
			const struct child *child = process_child(l->m, p, k);

			if (!is_fetch(l->m, p, child) || child->begin_at == NS_NONE)
				continue;
			nr++;
			most = ns_add(most, child_most(l, child));
			overlap |= end != NS_NONE && child->begin_at < end;
			end = child->exit_at;
		}
		if (nr >= 3 && !overlap && can_hold(l, most))
			report_finding(l, l->slots[i], held_below(l, is_fetch_of, p),
				       "%" PRIu32 " fetches", nr);
	}
}

/* True for a shell command without a child class, except hooks, if the parent's command is one of
 * `names`. */
static bool is_configured(const struct model *m, const struct process *parent,
			  const struct child *child, const char *const *names)
{
	if (child->use_shell != 1 || child->hook != SYM_NONE)
		return false;
	if (child->child_class != SYM_NONE && !symbol_equals(m, child->child_class, "?"))
		return false;
	for (; *names; names++)
		if (symbol_equals(m, parent->name, *names))
			return true;
	return false;
}

/* True for `rebase --exec` and `bisect`, which may run the user's command repeatedly. */
static bool runs_what_was_asked(const struct model *m, const struct process *parent)
{
	return symbol_equals(m, parent->name, "bisect--helper") ||
	       symbol_equals(m, parent->name, "bisect") ||
	       (symbol_equals(m, parent->name, "rebase") &&
		(has_prefix(m, &parent->argv, "--exec") || has_prefix(m, &parent->argv, "-x")));
}

/*
 * True if the child is probably a clean or smudge filter or a merge driver: a shell command without
 * arguments, of a command that reads or writes files.
 */
static bool is_filter(const struct model *m, const struct process *parent,
		      const struct child *child)
{
	static const char *const commands[] = {
		"checkout", "switch",  "restore",      "reset",       "clone",  "add",
		"commit",   "stash",   "merge",        "pull",        "rebase", "status",
		"diff",     "am",      "apply",        "cherry-pick", "revert", "read-tree",
		"rm",       "archive", "update-index", "hash-object", NULL
	};

	return child->argv.nr == 1 && !is_helper_snippet(m, child) &&
	       is_configured(m, parent, child, commands) && !runs_what_was_asked(m, parent);
}

/* True if the child is probably a textconv program, which has one argument, or an external diff
 * program, which has at least six. */
static bool is_diff_driver(const struct model *m, const struct process *parent,
			   const struct child *child)
{
	static const char *const commands[] = { "diff",  "log",       "show",         "blame",
						"stash", "reflog",    "format-patch", "whatchanged",
						"grep",  "diff-tree", "diff-index",   "diff-files",
						NULL };

	return (child->argv.nr == 2 || child->argv.nr >= 7) &&
	       is_configured(m, parent, child, commands);
}

typedef bool child_match(const struct model *m, const struct process *parent,
			 const struct child *child);

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

struct alike {
	const struct process *parent;
	child_match *match;
	/* result of first_word_hash(), child_work_hash() or process_work_hash() */
	uint64_t hash;
};

static uint64_t first_word_hash(const struct model *m, const struct child *child)
{
	const char *word;
	size_t len = first_word(m, child, &word);

	return len ? tr2_hash(word, len) : 0;
}

static bool begins_alike(const struct model *m, const struct process *parent,
			 const struct child *child, const void *data)
{
	const struct alike *alike = data;

	return parent == alike->parent && alike->match(m, parent, child) &&
	       first_word_hash(m, child) == alike->hash;
}

static uint64_t child_work_hash(const struct model *m, const struct child *child)
{
	return tr2_hash_pair(string_list_hash(m, &child->argv),
			     tr2_hash(model_text(m, child->cd), child->cd.len));
}

static bool is_like(const struct model *m, const struct process *parent, const struct child *child,
		    const void *data)
{
	const struct alike *alike = data;

	return parent == alike->parent && child_work_hash(m, child) == alike->hash;
}

struct tally {
	uint64_t key;
	uint32_t first, nr;
	ns_t most; /* upper limit of the total duration of the items in ns */
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

/* Merge the items with equal keys. Returns the number of keys. */
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

/*
 * Append the words with which the first arguments of all children like `child` begin, and "…" if
 * the rest differs: the argument of a filter may contain the name of its file.
 */
static void append_common_line(const struct looking *l, const struct alike *alike,
			       const struct child *child, struct tr2_buf *out)
{
	struct strings_cursor at = strings_begin(l->m, &child->argv);
	size_t len, first;
	const char *line = strings_next(&at, &len), *word;
	bool cut = false;

	first = first_word(l->m, child, &word);
	for (uint32_t k = 0; k < alike->parent->children.nr; k++) {
		const struct child *other = process_child(l->m, alike->parent, k);
		struct strings_cursor other_at = strings_begin(l->m, &other->argv);
		size_t other_len, same = 0;
		const char *text = strings_next(&other_at, &other_len);

		if (!begins_alike(l->m, alike->parent, other, alike))
			continue;
		while (same < len && same < other_len && line[same] == text[same])
			same++;
		if (same == len && (other_len == len || text[len] == ' ')) {
			cut |= other_len > len;
			continue;
		}
		cut = true;
		while (same > first && (same == len || line[same] != ' '))
			same--;
		len = same;
	}
	format_cut(line, len, LINE_BYTES, out);
	tr2_buf_addstr(out, cut ? " …" : "");
}

#define LEAST_ALIKE 10

static void check_per_file(struct looking *l, child_match *match)
{
	struct tally *items = NULL;
	uint32_t cap = 0;

	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);
		uint32_t nr = 0;

		if (p->children.nr < LEAST_ALIKE)
			continue;
		for (uint32_t k = 0; k < p->children.nr; k++) {
			const struct child *child = process_child(l->m, p, k);

			if (!match(l->m, p, child))
				continue;
			GROW(items, nr, cap, 64);
			items[nr++] = (struct tally){ first_word_hash(l->m, child), k, 1,
						      child_most(l, child) };
		}
		nr = tally_sum(items, nr);
		for (uint32_t t = 0; t < nr; t++) {
			struct alike alike = { p, match, items[t].key };
			struct tr2_buf line;

			if (items[t].nr < LEAST_ALIKE || !can_hold(l, items[t].most))
				continue;
			tr2_buf_init(&line, 4096);
			append_common_line(l, &alike, process_child(l->m, p, items[t].first),
					   &line);
			report_finding(l, l->slots[i], held_below(l, begins_alike, &alike),
				       "%" PRIu32 " times %.*s", items[t].nr, (int)line.len,
				       line.data);
			tr2_buf_release(&line);
		}
	}
	free(items);
}

void check_filter_per_file(struct looking *l)
{
	check_per_file(l, is_filter);
}

void check_diff_driver_per_file(struct looking *l)
{
	check_per_file(l, is_diff_driver);
}

static void report_similar_children(struct looking *l, uint32_t slot, const struct child *child,
				    uint32_t nr)
{
	struct alike alike = { model_slot(l->m, slot), NULL, child_work_hash(l->m, child) };
	struct tr2_buf words;

	tr2_buf_init(&words, 4096);
	append_words(l->m, &child->argv, &words);
	report_finding(l, slot, held_below(l, is_like, &alike), "%" PRIu32 " times %.*s", nr,
		       (int)words.len, words.data);
	tr2_buf_release(&words);
}

/*
 * True if the command line of the process is known and a script probably started it: `parent` has
 * no child event for it, or that child has several traced processes.
 */
static bool is_in_script(const struct model *m, const struct process *parent,
			 const struct process *p)
{
	return p->argv.nr &&
	       (p->link == SLOT_NONE || (p->link < parent->children.nr &&
					 process_child(m, parent, p->link)->nr_processes > 1));
}

static uint64_t process_work_hash(const struct model *m, const struct process *p)
{
	uint64_t hash = string_list_hash(m, &p->argv);

	if (!p->worktrees.nr)
		return hash;
	return tr2_hash_pair(hash, PROCESS_ITEM(m, &p->worktrees, worktree_item, 0)->worktree);
}

static bool is_like_process(const struct model *m, const struct process *parent,
			    const struct process *p, const void *data)
{
	const struct alike *alike = data;

	return parent == alike->parent && is_in_script(m, parent, p) &&
	       process_work_hash(m, p) == alike->hash;
}

static void report_similar_processes(struct looking *l, const struct process *parent,
				     const struct tally *tally)
{
	struct alike alike = { parent, NULL, tally->key };
	struct tr2_buf words;

	tr2_buf_init(&words, 4096);
	append_words(l->m, &model_slot(l->m, tally->first)->argv, &words);
	report_finding(l, tally->first, held_in_processes(l, is_like_process, &alike),
		       "%" PRIu32 " times %.*s", tally->nr, (int)words.len, words.data);
	tr2_buf_release(&words);
}

static void check_in_scripts(struct looking *l)
{
	struct tally *items = NULL;
	uint32_t cap = 0;

	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);
		uint32_t nr = 0;

		for (uint32_t slot = runs_what_was_asked(l->m, p) ? SLOT_NONE : p->first_child;
		     slot != SLOT_NONE; slot = model_next_sibling(l->m, slot)) {
			const struct process *kid = model_slot(l->m, slot);
			ns_t elapsed = process_elapsed(kid);

			if (!is_in_script(l->m, p, kid))
				continue;
			GROW(items, nr, cap, 64);
			items[nr++] =
				(struct tally){ process_work_hash(l->m, kid), slot, 1,
						elapsed == NS_NONE ? l->parts->wall : elapsed };
		}
		nr = tally_sum(items, nr);
		for (uint32_t t = 0; t < nr; t++)
			if (items[t].nr >= LEAST_ALIKE && can_hold(l, items[t].most))
				report_similar_processes(l, p, &items[t]);
	}
	free(items);
}

void check_repeated_child(struct looking *l)
{
	struct tally *items = NULL;
	uint32_t cap = 0;

	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);
		uint32_t nr = 0;

		if (p->children.nr < LEAST_ALIKE || runs_what_was_asked(l->m, p) ||
		    format_of(l->m, p)->has_tasks)
			continue;
		for (uint32_t k = 0; k < p->children.nr; k++) {
			const struct child *child = process_child(l->m, p, k);

			/* other findings report filters, diff drivers and lazy fetches */
			if (!child->argv.nr || is_filter(l->m, p, child) ||
			    is_diff_driver(l->m, p, child) || is_lazy_fetch(l->m, p, child, NULL))
				continue;
			GROW(items, nr, cap, 64);
			items[nr++] = (struct tally){ child_work_hash(l->m, child), k, 1,
						      child_most(l, child) };
		}
		nr = tally_sum(items, nr);
		for (uint32_t t = 0; t < nr; t++)
			if (items[t].nr >= LEAST_ALIKE && can_hold(l, items[t].most))
				report_similar_children(l, l->slots[i],
							process_child(l->m, p, items[t].first),
							items[t].nr);
	}
	free(items);
	check_in_scripts(l);
}
