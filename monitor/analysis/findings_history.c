/* SPDX-License-Identifier: MIT */
/* findings about reading refs, history and objects, and about waiting for a signature, a filter or
 * submodules */
#include "config.h"
#include "monitor/analysis/findings_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool in_refs(const char *category, const char *label)
{
	return (!strcmp(category, "fetch") && !strcmp(label, "consume_refs")) ||
	       (!strcmp(category, "push") && !strcmp(label, "transport_push")) ||
	       (!strcmp(category, "fetch-pack") &&
		(!strcmp(label, "mark_complete_local_refs") ||
		 !strcmp(label, "mark_common_remote_refs") ||
		 !strcmp(label, "parse_remote_refs_and_find_cutoff")));
}

/* minimum numbers of refs, and of loose refs (one file each), that count as many */
#define REFS_LEAST       20000
#define LOOSE_REFS_LEAST 2000

static bool has_many_refs(const struct repository_facts *facts)
{
	return facts->refs >= REFS_LEAST || facts->loose_refs >= LOOSE_REFS_LEAST;
}

static bool reads_refs(const struct model *m, const struct process *p)
{
	static const char *const always[] = { "branch", "tag",  "for-each-ref", "show-ref",
					      "fetch",  "push", "describe",     "pack-refs" };
	static const char *const options[] = { "--all",  "--branches", "--remotes",
					       "--tags", "--decorate", "--glob=" };

	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		if (symbol_equals(m, p->name, always[i]))
			return true;
	if (!symbol_equals(m, p->name, "log") && !symbol_equals(m, p->name, "rev-list"))
		return false;
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (has_prefix(m, &p->argv, options[i]))
			return true;
	return false;
}

/* Report the first process that reads refs, reaches the thresholds of the row, and whose repository
 * is known to have many refs; return false if there is none. `none`: time of each process outside
 * any region. */
static bool report_known_refs(struct looking *l, const ns_t *none, ns_t in_regions)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		ns_t held = in_regions + none[l->slots[i] - l->lowest];
		const struct repository_facts *facts;

		if (!can_hold(l, held) || !reads_refs(l->m, looking_process(l, i)))
			continue;
		facts = repository_of(l, l->slots[i]);
		if (!facts->known || !has_many_refs(facts))
			continue;
		if (facts->loose_refs >= LOOSE_REFS_LEAST)
			report_finding(l, l->slots[i], held,
				       "its repository has %" PRIu32 "%s loose refs now",
				       facts->loose_refs,
				       facts->loose_refs == REPOSITORY_ENTRIES ? " or more" : "");
		else
			report_finding(l, l->slots[i], held,
				       "its repository has about %" PRIu64 " packed refs now",
				       facts->refs);
		return true;
	}
	return false;
}

void check_many_refs(struct looking *l)
{
	ns_t held = held_in(l, in_refs), *none;

	/* the alternate-refs finding reports the time for reading refs */
	if (root_has_finding(l, FINDING_ALTERNATE_REFS))
		return;
	none = held_by_process(l, part_is_none);
	if (!report_known_refs(l, none, held) && held)
		report_finding(l, l->root, held, "in regions whose time grows with their number");
	free(none);
}

/* Return the arguments after the name of the command; those before it are options of git itself. */
static struct strings_cursor arguments_begin(const struct model *m, const struct process *p)
{
	struct strings_cursor at = strings_begin(m, &p->argv), first = at;
	const char *item;
	size_t len;

	strings_next(&first, &len);
	while ((item = strings_next(&at, &len))) {
		size_t name_len = 0;
		const char *name = p->name == SYM_NONE ? NULL : model_sym(m, p->name, &name_len);

		if (name && len == name_len && !memcmp(item, name, len))
			return at;
	}
	/* no argument names the command, as for an alias: return the arguments after the program */
	return first;
}

/* True for options such as -p, whose work a commit-graph does not shorten, and for --stdin, which
 * waits for input. */
static bool is_other_work(const char *item, size_t len)
{
	static const char *const words[] = { "-p",        "-u", "--patch", "--stat",
					     "--numstat", "-c", "--cc",    "-L",
					     "-S",        "-G", "--raw",   "--shortstat",
					     "--stdin",   "-m", "-g" };
	static const char *const prefixes[] = { "-S",      "-G",        "-L",      "--stat=",
						"--patch", "--dirstat", "--name-", "--objects" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (len == strlen(words[i]) && !memcmp(item, words[i], len))
			return true;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (len >= strlen(prefixes[i]) && !memcmp(item, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static bool does_other_work(const struct model *m, const struct process *p)
{
	struct strings_cursor at = arguments_begin(m, p);
	const char *item;
	size_t len;

	while ((item = strings_next(&at, &len)) && !(len == 2 && !memcmp(item, "--", 2)))
		if (is_other_work(item, len))
			return true;
	return false;
}

static bool reads_history(const struct model *m, const struct process *p)
{
	static const char *const always[] = { "log",      "rev-list", "merge-base",  "shortlog",
					      "describe", "name-rev", "show-branch", "cherry" };
	static const char *const lists[] = { "tag", "branch", "for-each-ref" };
	static const char *const limits[] = { "--contains", "--no-contains", "--merged",
					      "--no-merged" };

	if (symbol_equals(m, p->name, "blame"))
		return true;
	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		if (symbol_equals(m, p->name, always[i]))
			return !does_other_work(m, p);
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		for (size_t k = 0; k < sizeof(limits) / sizeof(*limits); k++)
			if (symbol_equals(m, p->name, lists[i]) &&
			    has_prefix(m, &p->argv, limits[k]))
				return true;
	return false;
}

static int64_t filter_statistic(const struct looking *l, uint32_t slot, const char *key)
{
	const struct data_item *item = datum_of(l, slot, "bloom", "statistics");
	char text[256], wanted[40];
	const char *at;

	if (!item || !item->has_value || item->value.len >= sizeof(text))
		return -1;
	memcpy(text, model_text(l->m, item->value), item->value.len);
	text[item->value.len] = '\0';
	snprintf(wanted, sizeof(wanted), "\"%s\":", key);
	at = strstr(text, wanted);
	return at ? strtoll(at + strlen(wanted), NULL, 10) : -1;
}

/* minimum number of commits without a changed-path filter, or of wrong answers of such filters,
 * that explains a slow command */
#define UNFILTERED_LEAST 1000
#define PACKS_LEAST      50 /* minimum number of packs that slows down each look-up of an object */
#define OBJECTS_LEAST    5000 /* minimum number of objects that makes reading history slow */

static bool has_path(const struct model *m, const struct process *p)
{
	return has_word(m, &p->argv, "--") || symbol_equals(m, p->name, "blame");
}

/*
 * Append why reading history is slow, if known. Returns false if the trace or the repository shows
 * that the advice cannot help.
 */
static bool append_history_cause(const struct looking *l, uint32_t slot, struct tr2_buf *out)
{
	const struct process *p = model_slot(l->m, slot);
	const struct repository_facts *facts = repository_of(l, slot);
	int64_t unfiltered = filter_statistic(l, slot, "filter_not_present");
	int64_t wrong = filter_statistic(l, slot, "false_positive");

	if (unfiltered >= UNFILTERED_LEAST)
		tr2_buf_addf(out, ": %" PRId64 " commits have no changed-path filter", unfiltered);
	else if (wrong >= UNFILTERED_LEAST)
		tr2_buf_addf(out, ": changed-path filters gave %" PRId64 " wrong answers", wrong);
	else if (facts->known && facts->packs >= PACKS_LEAST && !facts->midx)
		tr2_buf_addf(out,
			     ": its repository has %" PRIu32 " packs and no multi-pack-index now",
			     facts->packs);
	else if (unfiltered >= 0)
		return false;
	else if (!facts->known || facts->alternates)
		return true;
	else if (facts->objects < OBJECTS_LEAST)
		return false;
	else if (!facts->commit_graph)
		tr2_buf_addstr(out, ": its repository has no commit-graph now");
	else if (has_path(l->m, p) && !facts->path_filters)
		tr2_buf_addstr(out, ": its commit-graph has no changed-path filters");
	else
		return false;
	return true;
}

void check_history_walk(struct looking *l)
{
	struct tr2_buf line;
	ns_t *none;

	/* the many-refs finding may report the same time */
	if (root_has_finding(l, FINDING_MANY_REFS))
		return;
	none = held_by_process(l, part_is_none);
	tr2_buf_init(&line, 4096);
	for (uint32_t i = 0; i < l->nr; i++) {
		ns_t held = none[l->slots[i] - l->lowest];

		if (!can_hold(l, held) || !reads_history(l->m, looking_process(l, i)))
			continue;
		tr2_buf_clear(&line);
		append_words(l->m, &looking_process(l, i)->argv, &line);
		if (!append_history_cause(l, l->slots[i], &line))
			continue;
		report_finding(l, l->slots[i], held, "%.*s", (int)line.len, line.data);
		break;
	}
	tr2_buf_release(&line);
	free(none);
}

/* True for the region in which `git status` counts the commits between a branch and its upstream.
 * Without -v and status.submoduleSummary, nothing else in that region takes long. */
static bool in_status_print(const char *category, const char *label)
{
	return !strcmp(category, "status") && !strcmp(label, "print");
}

void check_ahead_behind(struct looking *l)
{
	const struct strings *argv = &model_slot(l->m, l->root)->argv;
	ns_t held = held_in(l, in_status_print);
	const struct repository_facts *facts;

	if (!held || !can_hold(l, held) || has_word(l->m, argv, "-v") ||
	    has_word(l->m, argv, "--verbose"))
		return;
	facts = repository_of(l, l->root);
	report_finding(l, l->root, held, "in status/print%s",
		       facts->known && !facts->commit_graph && !facts->alternates
			       ? ": its repository has no commit-graph now"
			       : "");
}

/* minimum number of bitmap misses that explains a slow walk over objects */
#define MISSES_LEAST 1000

static bool is_below_upload_pack(const struct model *m, const struct process *p)
{
	while (p->parent != SLOT_NONE) {
		p = model_slot(m, p->parent);
		if (symbol_equals(m, p->name, "upload-pack"))
			return true;
	}
	return false;
}

static bool part_is_walking(const struct looking *l, const struct part *part)
{
	return part->kind == PART_NONE || (part->kind == PART_REGION &&
					   (symbol_equals(l->m, part->label, "enumerate-objects") ||
					    symbol_equals(l->m, part->category, "pack-bitmap")));
}

static bool can_use_bitmap(const struct model *m, const struct process *p)
{
	if (symbol_equals(m, p->name, "rev-list"))
		return has_word(m, &p->argv, "--use-bitmap-index");
	return symbol_equals(m, p->name, "pack-objects") && is_below_upload_pack(m, p) &&
	       !has_prefix(m, &p->argv, "--shallow");
}

void check_object_walk(struct looking *l)
{
	ns_t *walking = held_by_process(l, part_is_walking);

	for (uint32_t i = 0; i < l->nr; i++) {
		ns_t held = walking[l->slots[i] - l->lowest];
		int64_t misses;

		if (!can_hold(l, held) || !can_use_bitmap(l->m, looking_process(l, i)))
			continue;
		misses = datum_number(l, datum_of(l, l->slots[i], "bitmap", "bitmap/misses"), -1);
		if (misses >= MISSES_LEAST)
			report_finding(l, l->slots[i], held, "%" PRId64 " bitmap misses", misses);
		else if (misses < 0)
			report_finding(l, l->slots[i], held, "no bitmap was used");
	}
	free(walking);
}

static bool is_signing(const struct model *m, const struct process *parent,
		       const struct child *child, const void *data)
{
	(void)parent;
	(void)data;
	return has_word(m, &child->argv, "-bsau") ||
	       (has_word(m, &child->argv, "-Y") && has_word(m, &child->argv, "sign"));
}

void check_slow_signature(struct looking *l)
{
	report_children(l, is_signing, 1);
}

/* Git starts only filter processes, such as that of Git LFS, in the class `subprocess`. */
static bool is_filter_process(const struct model *m, const struct process *parent,
			      const struct child *child, const void *data)
{
	(void)parent;
	(void)data;
	return symbol_equals(m, child->child_class, "subprocess");
}

void check_slow_filter(struct looking *l)
{
	report_children(l, is_filter_process, 1);
}

#define SUBMODULES_LEAST 10

static bool is_submodule_status(const struct model *m, const struct process *parent,
				const struct child *child, const void *data)
{
	(void)parent;
	(void)data;
	return child->has_cd && has_word(m, &child->argv, "status") &&
	       has_word(m, &child->argv, "--porcelain=2");
}

/* add, diff-index and describe do not obey diff.ignoreSubmodules. */
static bool can_ignore_submodules(const struct model *m, const struct process *p)
{
	static const char *const names[] = { "status", "diff", "commit", "checkout", "switch" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (symbol_equals(m, p->name, names[i]))
			return true;
	return false;
}

void check_submodule_status(struct looking *l)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);
		uint32_t nr = 0;

		if (!can_ignore_submodules(l->m, p))
			continue;
		for (uint32_t k = 0; k < p->children.nr; k++)
			nr += is_submodule_status(l->m, p, process_child(l->m, p, k), NULL);
		if (nr < SUBMODULES_LEAST)
			continue;
		report_finding(l, l->slots[i], held_below(l, is_submodule_status, NULL),
			       "%" PRIu32 " submodules", nr);
		return;
	}
}
