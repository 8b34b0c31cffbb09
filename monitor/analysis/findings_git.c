/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/findings_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/format_text.h"
#include "monitor/base/grow.h"
#include "monitor/base/platform.h"

static bool text_is_word(const char *text, const char *word)
{
	return !strcmp(text, word);
}

static bool in_refresh(const char *category, const char *label)
{
	return (text_is_word(category, "index") &&
		(text_is_word(label, "refresh") || text_is_word(label, "preload"))) ||
	       (text_is_word(category, "progress") && text_is_word(label, "Refresh index"));
}

/* sums ignore numbers in traces from this value on: they are invalid, and a sum could overflow */
#define DATUM_MOST (INT64_C(1) << 40)

/*
 * Add up the largest value of a data key in each process: repeated work on the same files reports
 * the number again. Sets `*slot` to the first process that has the key, unless it is set.
 */
static int64_t datum_sum(const struct looking *l, const char *category, const char *key,
			 uint32_t *slot)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);
		int64_t most = 0;

		for (uint32_t k = 0; k < p->data.nr; k++) {
			const struct data_item *item = PROCESS_ITEM(l->m, &p->data, data_item, k);
			int64_t number;

			if (!symbol_equals(l->m, item->key, key) ||
			    !symbol_equals(l->m, item->category, category))
				continue;
			if (*slot == SLOT_NONE)
				*slot = l->slots[i];
			number = datum_number(l, item, 0);
			most = number > most && number < DATUM_MOST ? number : most;
		}
		sum += most;
	}
	return sum;
}

#define REFRESH_LEAST 5000

void check_index_refresh(struct looking *l)
{
	ns_t held = held_in(l, in_refresh);
	uint32_t slot = SLOT_NONE;
	int64_t nr = held ? datum_sum(l, "index", "refresh/sum_lstat", &slot) +
				     datum_sum(l, "index", "preload/sum_lstat", &slot)
			  : 0;

	/* fewer than REFRESH_LEAST calls of lstat() take long only if Git reads the files again or
	 * the machine is busy */
	if (nr >= REFRESH_LEAST)
		report_finding(l, slot, held, "%" PRId64 " times lstat()", nr);
	else if (held && !nr)
		report_finding(l, slot, held, "index/refresh");
}

static bool in_untracked(const char *category, const char *label)
{
	return (text_is_word(category, "status") && text_is_word(label, "untracked")) ||
	       (text_is_word(category, "dir") && text_is_word(label, "read_directory"));
}

#define UNTRACKED_DIRECTORIES 500
#define UNTRACKED_PATHS       5000

void check_untracked_scan(struct looking *l)
{
	ns_t held = held_in(l, in_untracked);
	uint32_t slot = SLOT_NONE;
	int64_t nr;

	/* the advice does not help `git add`, which always searches for untracked files */
	if (symbol_equals(l->m, looking_process(l, 0)->name, "add"))
		return;
	/* if the trace reports node counts, the untracked cache is in use */
	for (uint32_t i = 0; held && i < l->nr; i++)
		if (datum_of(l, l->slots[i], "read_directory", "node-creation"))
			return;
	nr = held ? datum_sum(l, "read_directory", "directories-visited", &slot) : 0;
	if (slot != SLOT_NONE && symbol_equals(l->m, model_slot(l->m, slot)->name, "add"))
		return;
	/* few directories and files take long only if the machine is busy */
	if (nr && nr < UNTRACKED_DIRECTORIES &&
	    datum_sum(l, "read_directory", "paths-visited", &slot) < UNTRACKED_PATHS)
		return;
	if (nr)
		report_finding(l, slot, held, "%" PRId64 " directories", nr);
	else if (held)
		report_finding(l, slot, held, "dir/read_directory");
}

/* minimum number of directories read; with a filled untracked cache Git reads fewer */
#define OPENDIR_LEAST 100

void check_untracked_cache_cold(struct looking *l)
{
	ns_t held = held_in(l, in_untracked);

	for (uint32_t i = 0; held && i < l->nr; i++) {
		int64_t nr =
			datum_number(l, datum_of(l, l->slots[i], "read_directory", "opendir"), 0);

		if (nr < OPENDIR_LEAST)
			continue;
		report_finding(l, l->slots[i], held, "%" PRId64 " directories were read", nr);
		return;
	}
}

/* True for reading or writing the index, comparing it with trees, and its cache tree: the cost
 * grows with the size of the index. */
static bool in_whole_index(const char *category, const char *label)
{
	return (text_is_word(category, "index") &&
		(text_is_word(label, "do_read_index") || text_is_word(label, "do_write_index"))) ||
	       (text_is_word(category, "unpack_trees") && text_is_word(label, "traverse_trees")) ||
	       text_is_word(category, "cache_tree") || text_is_word(category, "cache-tree");
}

void check_large_index(struct looking *l)
{
	ns_t held = held_in(l, in_whole_index);

	for (uint32_t i = 0; held && i < l->nr; i++) {
		int64_t nr = datum_number(l, datum_of(l, l->slots[i], "index", "read/cache_nr"), 0);
		int64_t out =
			datum_number(l, datum_of(l, l->slots[i], "index", "write/cache_nr"), 0);

		nr = out > nr ? out : nr;

		if (nr < 50000)
			continue;
		report_finding(l, l->slots[i], held, "%" PRId64 " entries", nr);
		return;
	}
}

static bool in_full_index(const char *category, const char *label)
{
	return text_is_word(category, "index") && text_is_word(label, "ensure_full_index");
}

void check_sparse_expanded(struct looking *l)
{
	ns_t held = held_in(l, in_full_index);

	if (held)
		report_finding(l, l->root, held, "index/ensure_full_index");
}

static bool in_renames(const char *category, const char *label)
{
	return ((text_is_word(category, "merge") || text_is_word(category, "diff")) &&
		strstr(label, "rename")) ||
	       (text_is_word(category, "diff") && (text_is_word(label, "basename matches") ||
						   text_is_word(label, "cull basename"))) ||
	       (text_is_word(category, "progress") && strstr(label, "rename detection"));
}

void check_rename_detection(struct looking *l)
{
	ns_t held = held_in(l, in_renames);

	if (held)
		report_finding(l, l->root, held, "regions of renames");
}

/* Return the largest positive value of a data key, and set `*slot` to its process; 0: none. */
static int64_t datum_most(const struct looking *l, const char *key, uint32_t *slot)
{
	int64_t most = 0;

	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);

		for (uint32_t k = 0; k < p->data.nr; k++) {
			const struct data_item *item = PROCESS_ITEM(l->m, &p->data, data_item, k);
			int64_t number =
				symbol_equals(l->m, item->key, key) ? datum_number(l, item, 0) : 0;

			if (number <= most)
				continue;
			most = number;
			*slot = l->slots[i];
		}
	}
	return most;
}

static bool in_negotiation(const char *category, const char *label)
{
	return !strncmp(category, "negotiation_", 12) ||
	       (text_is_word(category, "fetch-pack") && !strncmp(label, "negotiation_", 12));
}

#define ROUNDS_LEAST 5

void check_negotiation_rounds(struct looking *l)
{
	uint32_t slot = SLOT_NONE;
	int64_t nr = datum_most(l, "total_rounds", &slot);

	if (nr >= ROUNDS_LEAST)
		report_finding(l, slot, held_in(l, in_negotiation), "%" PRId64 " rounds", nr);
}

static bool in_updating_files(const char *category, const char *label)
{
	return (text_is_word(category, "progress") &&
		(text_is_word(label, "Updating files") ||
		 text_is_word(label, "Checking out files"))) ||
	       (text_is_word(category, "unpack_trees") && text_is_word(label, "unpack_trees"));
}

#define CHECKOUT_FILES 1000

/*
 * Return the number of files that a process probably wrote: the total of its progress, or else the
 * growth of its index; 0: unknown.
 */
static int64_t files_written(const struct looking *l, uint32_t slot)
{
	int64_t written = datum_number(l, datum_of(l, slot, "progress", "total_objects"), 0);
	int64_t had = datum_number(l, datum_of(l, slot, "index", "read/cache_nr"), 0);
	int64_t has = datum_number(l, datum_of(l, slot, "index", "write/cache_nr"), 0);

	if (written > 0)
		return written < DATUM_MOST ? written : 0;
	return had >= 0 && has > had && has < DATUM_MOST ? has - had : 0;
}

/* True for the commands in `names`, whose progress counts objects, not files. */
static bool packs_objects(const struct model *m, const struct process *p)
{
	static const char *const names[] = { "index-pack", "unpack-objects", "pack-objects",
					     "rev-list", "upload-pack" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (symbol_equals(m, p->name, names[i]))
			return true;
	return false;
}

void check_serial_checkout(struct looking *l)
{
	ns_t held = held_in(l, in_updating_files);
	uint32_t slot = SLOT_NONE;
	int64_t nr = 0;

	for (uint32_t i = 0; held && i < l->nr; i++) {
		int64_t written = files_written(l, l->slots[i]);

		if (symbol_equals(l->m, looking_process(l, i)->name, "checkout--worker"))
			return;
		if (packs_objects(l->m, looking_process(l, i)) || written <= nr)
			continue;
		nr = written;
		slot = l->slots[i];
	}
	if (nr >= CHECKOUT_FILES)
		report_finding(l, slot, held, "%" PRId64 " files", nr);
}

void check_fsmonitor_trivial(struct looking *l)
{
	for (uint32_t i = 0; i < l->nr; i++)
		if (datum_of(l, l->slots[i], NULL, "query/trivial-response"))
			report_finding(l, l->slots[i], 0, "fsm_client/query");
}

void check_many_fsyncs(struct looking *l)
{
	int64_t nr = 0;
	uint32_t slot = SLOT_NONE;

	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);
		int64_t here = datum_number(
			l, datum_of(l, l->slots[i], "fsync", "fsync/hardware-flush"), 0);

		for (uint32_t k = 0; k < p->counters.nr; k++) {
			const struct counter_item *item =
				PROCESS_ITEM(l->m, &p->counters, counter_item, k);

			if (!item->of_thread && symbol_equals(l->m, item->category, "fsync") &&
			    symbol_equals(l->m, item->name, "hardware-flush"))
				here = item->count;
		}
		if (here <= 0 || here >= DATUM_MOST)
			continue;
		if (slot == SLOT_NONE)
			slot = l->slots[i];
		nr += here;
	}
	if (nr >= 200)
		report_finding(l, slot, 0, "%" PRId64 " flushes", nr);
}

/*
 * maximum gap between two traced processes of an untraced script that the start of the second one
 * can explain
 */
#define GAP_MOST (20 * (ns_t)NS_PER_MS)

static ns_t held_in_gaps(const struct looking *l)
{
	ns_t held = 0;

	for (uint32_t i = 0; i < l->parts->nr_pieces; i++) {
		const struct piece *piece = &l->parts->pieces[i];
		const struct process *p;

		if (l->parts->items[piece->part].kind != PART_UNTRACED || piece->time > GAP_MOST ||
		    piece->slot == SLOT_NONE || piece->child == SLOT_NONE)
			continue;
		p = model_slot(l->m, piece->slot);
		if (piece->child < p->children.nr &&
		    process_child(l->m, p, piece->child)->nr_processes > 1)
			held += piece->time;
	}
	return held;
}

#define STARTS_LEAST 20

/* True for `git submodule status` and other subcommands except `foreach`: the user cannot avoid the
 * processes that Git itself starts. */
static bool is_own_submodule_script(const struct looking *l)
{
	const struct process *root = looking_process(l, 0);

	return has_word(l->m, &root->argv, "submodule") && root->argv.nr > 2 &&
	       !has_word(l->m, &root->argv, "foreach");
}

void check_process_starts(struct looking *l)
{
	ns_t held = held_of_kind(l, PART_SPAWN) + held_of_kind(l, PART_INIT) +
		    held_of_kind(l, PART_REAP) + held_in_gaps(l);

	/* report nothing if the lazy-fetch finding reports the processes */
	if (l->nr >= STARTS_LEAST && !is_own_submodule_script(l) &&
	    !root_has_finding(l, FINDING_LAZY_FETCH))
		report_finding(l, l->root, held, "%" PRIu32 " processes", l->nr);
}

void check_nesting_limit(struct looking *l)
{
	struct tr2_buf line;

	if (!parts_limit_is_shown(l->parts))
		return;
	tr2_buf_init(&line, 500);
	parts_limit_format(l->parts, &line);
	report_finding(l, l->root, l->parts->at_limit, "%.*s", (int)line.len, line.data);
	tr2_buf_release(&line);
}

/*
 * Parse "Unable to create 'PATH.lock': File exists" or "could not lock config file PATH: File
 * exists". Sets `*from` to the start of the last component of PATH. Returns the end of PATH; NULL
 * for other messages.
 */
static const char *locked_file(const char *msg, size_t len, const char **from)
{
	static const char lock[] = ".lock': File exists", exists[] = ": File exists";
	static const char config[] = "could not lock config file ";
	const char *at = platform_find(msg, len, lock, sizeof(lock) - 1);

	if (!at && platform_find(msg, len, config, sizeof(config) - 1))
		at = platform_find(msg, len, exists, sizeof(exists) - 1);
	for (*from = at; at && *from > msg && !strchr("/' ", (*from)[-1]);)
		--*from;
	return at;
}

void check_lock_held(struct looking *l)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);

		for (uint32_t k = 0; k < p->errors.nr; k++) {
			const struct error_item *error =
				PROCESS_ITEM(l->m, &p->errors, error_item, k);
			const char *msg = error->has_msg ? model_text(l->m, error->msg) : "";
			size_t len = error->has_msg ? error->msg.len : 0;
			const char *from, *at = len ? locked_file(msg, len, &from) : NULL;

			if (!at)
				continue;
			report_finding(l, l->slots[i], 0, "%.*s.lock",
				       (int)(at - from < 100 ? at - from : 100), from);
			break;
		}
	}
}

void check_child_killed(struct looking *l)
{
	static const uint8_t signals[] = { 2, 6, 9, 11, 15 };

	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);

		for (uint32_t k = 0; k < p->children.nr; k++) {
			const struct child *child = process_child(l->m, p, k);
			struct tr2_buf label;

			for (size_t s = 0; s < sizeof(signals); s++) {
				if (child->code != 128 + signals[s])
					continue;
				tr2_buf_init(&label, 4096);
				format_child_name(l->m, child, &label);
				report_finding(l, l->slots[i], 0, "%.*s by signal %u",
					       (int)label.len, label.data, signals[s]);
				tr2_buf_release(&label);
			}
		}
	}
}

static bool git_version(const struct model *m, const struct process *p, int *major, int *minor)
{
	char exe[64];

	sym_copy(m, p->exe, exe, sizeof(exe));
	return sscanf(exe, "%4d.%4d", major, minor) == 2;
}

void check_old_protocol(struct looking *l)
{
	const struct process *root = looking_process(l, 0);
	int64_t highest = -1;
	uint32_t slot = SLOT_NONE;
	int major, minor;

	if (!symbol_equals(l->m, root->name, "fetch") &&
	    !symbol_equals(l->m, root->name, "clone") &&
	    !symbol_equals(l->m, root->name, "ls-remote") &&
	    !symbol_equals(l->m, root->name, "pull"))
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
		report_finding(l, slot, 0, "version %" PRId64, highest);
}

void check_traces_discarded(struct looking *l)
{
	uint64_t nr = model_event_count(l->m, TR2_E_TOO_MANY_FILES);

	if (nr)
		report_finding(l, SLOT_NONE, 0, "%" PRIu64 " times", nr);
}

static int by_key_and_start(const void *a, const void *b)
{
	const struct finding_loop *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->root.slot < y->root.slot ? -1 : x->root.slot > y->root.slot;
}

#define LOOP_LEAST  20
#define LOOP_WITHIN (10 * (ns_t)NS_PER_SEC)

static void append_loop_command(struct looking *l, const struct finding_loop *roots, uint32_t nr)
{
	const struct process *p = NULL;
	struct tr2_buf words;
	uint32_t slot = SLOT_NONE;
	ns_t held = 0;

	/* skip roots that were evicted since they were collected */
	for (uint32_t i = nr; i-- > 0;) {
		const struct process *root = model_process(l->m, roots[i].root);
		ns_t elapsed = root ? process_elapsed(root) : NS_NONE;

		held = elapsed == NS_NONE ? held : ns_add(held, elapsed);
		p = root ? root : p;
		slot = root ? model_handle_here(l->m, roots[i].root).slot : slot;
	}
	if (!p)
		return;
	tr2_buf_init(&words, 4096);
	append_words(l->m, &p->argv, &words);
	report_finding(l, slot, held, "%" PRIu32 " times %.*s", nr, (int)words.len, words.data);
	tr2_buf_release(&words);
}

void finding_loops_add(struct finding_loops *loops, const struct model *m, uint32_t root)
{
	const struct process *p = model_slot(m, root);
	sym_t worktree = SYM_NONE;

	if (!p->argv.nr || p->start == NS_NONE)
		return;
	if (p->worktrees.nr)
		worktree = PROCESS_ITEM(m, &p->worktrees, worktree_item, 0)->worktree;
	GROW(loops->items, loops->nr, loops->cap, 64);
	loops->items[loops->nr++] =
		(struct finding_loop){ string_list_hash(m, &p->argv) * 31 + worktree, p->start,
				       model_handle(m, root) };
}

void check_command_in_a_loop(struct looking *l)
{
	struct finding_loops here = { .nr = 0 }, *loops = l->of->loops ? l->of->loops : &here;
	const struct finding_loop *roots;
	uint32_t nr, end;

	for (uint32_t slot = model_first_root(l->m); !l->of->loops && slot != SLOT_NONE;
	     slot = model_next_sibling(l->m, slot))
		if (!l->of->keep || l->of->keep(l->of->keep_data, l->m, slot))
			finding_loops_add(&here, l->m, slot);
	roots = loops->items;
	nr = loops->nr;
	if (nr)
		qsort(loops->items, nr, sizeof(*loops->items), by_key_and_start);
	for (uint32_t i = 0; i < nr; i = end) {
		bool dense = false;

		for (end = i; end < nr && roots[end].key == roots[i].key; end++)
			dense |=
				end - i + 1 >= LOOP_LEAST &&
				roots[end].start - roots[end - LOOP_LEAST + 1].start <= LOOP_WITHIN;
		if (dense)
			append_loop_command(l, roots + i, end - i);
	}
	free(here.items);
}
