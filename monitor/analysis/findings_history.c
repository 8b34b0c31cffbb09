/* SPDX-License-Identifier: MIT */
/* Findings for Git users about reading history, and about waiting for a server, a signature, a filter
 * or submodules. */
#include "config.h"
#include "monitor/analysis/findings_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/hash.h"

/* ---- reading history ---- */

/* True for options whose work a commit-graph does not shorten, or that wait for input. */
static bool does_other_work(const struct model *m, const struct strings *argv)
{
	static const char *const words[] = { "-p",        "-u", "--patch", "--stat",
					     "--numstat", "-c", "--cc",    "-L",
					     "-S",        "-G", "--raw",   "--shortstat",
					     "--stdin",   "-m", "-g" };
	static const char *const prefixes[] = { "-S",      "-G",        "-L",      "--stat=",
						"--patch", "--dirstat", "--name-", "--objects" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (has_word(m, argv, words[i]))
			return true;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (has_prefix(m, argv, prefixes[i]))
			return true;
	return false;
}

static bool reads_history(const struct model *m, const struct process *p)
{
	static const char *const always[] = { "log",      "rev-list", "merge-base",  "shortlog",
					      "describe", "name-rev", "show-branch", "blame" };
	static const char *const lists[] = { "tag", "branch", "for-each-ref" };
	static const char *const limits[] = { "--contains", "--no-contains", "--merged",
					      "--no-merged" };

	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		if (symbol_equals(m, p->name, always[i]))
			return !does_other_work(m, &p->argv);
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		for (size_t k = 0; k < sizeof(limits) / sizeof(*limits); k++)
			if (symbol_equals(m, p->name, lists[i]) &&
			    has_prefix(m, &p->argv, limits[k]))
				return true;
	return false;
}

/* Return the number of commits without a changed-path filter, as reported; -1 if Git reported no
 * use of filters. */
static int64_t commits_without_filter(const struct looking *l, uint32_t slot)
{
	static const char key[] = "\"filter_not_present\":";
	const struct data_item *item = datum_of(l, slot, "bloom", "statistics");
	char text[256];
	const char *at;

	if (!item || !item->has_value || item->value.len >= sizeof(text))
		return -1;
	memcpy(text, model_text(l->m, item->value), item->value.len);
	text[item->value.len] = '\0';
	at = strstr(text, key);
	return at ? strtoll(at + sizeof(key) - 1, NULL, 10) : -1;
}

enum commit_graph { GRAPH_UNKNOWN, GRAPH_ABSENT, GRAPH_PRESENT };

/*
 * Check whether the process's repository has a commit-graph now. GRAPH_UNKNOWN if its worktree is
 * not on this machine, not readable or has its repository elsewhere.
 */
static enum commit_graph look_for_graph(const struct model *m, const struct process *p)
{
	static const char *const names[] = { "info/commit-graph",
					     "info/commit-graphs/commit-graph-chain" };
	const char *worktree = NULL;
	char path[4096];
	size_t len = 0;

	if (p->agent == SYM_NONE && p->worktrees.nr)
		worktree = model_sym(m, PROCESS_ITEM(m, &p->worktrees, worktree_item, 0)->worktree,
				     &len);
	if (!worktree || !len || *worktree != '/' || len > sizeof(path) / 2 ||
	    memchr(worktree, '\0', len))
		return GRAPH_UNKNOWN;
	snprintf(path, sizeof(path), "%.*s/.git/objects/info", (int)len, worktree);
	if (access(path, R_OK | X_OK))
		return GRAPH_UNKNOWN;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%.*s/.git/objects/%s", (int)len, worktree, names[i]);
		if (!access(path, F_OK))
			return GRAPH_PRESENT;
	}
	return GRAPH_ABSENT;
}

/* Minimum number of commits without a filter that explains a slow command. */
#define UNFILTERED_LEAST 1000

static void report_history(struct looking *l, uint32_t slot, ns_t held)
{
	const struct process *p = model_slot(l->m, slot);
	int64_t unfiltered = commits_without_filter(l, slot);
	enum commit_graph graph = look_for_graph(l->m, p);
	struct tr2_buf line;

	/* With filters and a commit-graph the advice cannot help. */
	if (unfiltered >= 0 && unfiltered < UNFILTERED_LEAST)
		return;
	if (graph == GRAPH_PRESENT && unfiltered < 0 && !has_word(l->m, &p->argv, "--"))
		return;
	tr2_buf_init(&line, 4096);
	append_words(l->m, &p->argv, &line);
	if (unfiltered > 0)
		tr2_buf_addf(&line, ": %" PRId64 " commits have no changed-path filter",
			     unfiltered);
	else if (graph == GRAPH_PRESENT)
		tr2_buf_addstr(&line, ": its commit-graph has no changed-path filters");
	else if (graph == GRAPH_ABSENT)
		tr2_buf_addstr(&line, ": its repository has no commit-graph now");
	report_finding(l, slot, held, "%.*s", (int)line.len, line.data);
	tr2_buf_release(&line);
}

void check_history_walk(struct looking *l)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		ns_t held = 0;

		if (!reads_history(l->m, looking_process(l, i)))
			continue;
		for (uint32_t k = 0; k < l->parts->nr_pieces; k++) {
			const struct piece *piece = &l->parts->pieces[k];

			if (piece->slot == l->slots[i] &&
			    l->parts->items[piece->part].kind == PART_NONE)
				held += piece->time;
		}
		if (can_hold(l, held)) {
			report_history(l, l->slots[i], held);
			return;
		}
	}
}

/* status prints how far the branch is from its upstream; nothing else in this region takes long. */
static bool in_status_print(const char *category, const char *label)
{
	return !strcmp(category, "status") && !strcmp(label, "print");
}

void check_ahead_behind(struct looking *l)
{
	ns_t held = held_in(l, in_status_print);

	if (held)
		report_finding(l, l->root, held, "in status/print");
}

/* ---- waiting for a server, a signature, a filter, submodules ---- */

/* Older Git (2.39) has no region for the answer: it waits in the region around it. */
static bool in_receive_status(const char *category, const char *label)
{
	return (!strcmp(category, "send_pack") && !strcmp(label, "receive_status")) ||
	       (!strcmp(category, "transport_push") && !strcmp(label, "push_refs"));
}

void check_slow_server(struct looking *l)
{
	ns_t held = held_in(l, in_receive_status);

	/* A hook of the server that is traced has a finding of its own. */
	if (held && !root_has_finding(l, FINDING_SLOW_HOOK))
		report_finding(l, l->root, held, "waited for its answer");
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

/* Git runs only filter processes, such as that of Git LFS, in this class. */
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

/* True for the child that reports the changes in a submodule. */
static bool is_submodule_status(const struct model *m, const struct process *parent,
				const struct child *child, const void *data)
{
	(void)parent;
	(void)data;
	return child->has_cd && has_word(m, &child->argv, "status") &&
	       has_word(m, &child->argv, "--porcelain=2");
}

void check_submodule_status(struct looking *l)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);
		uint32_t nr = 0;

		for (uint32_t k = 0; k < p->children.nr; k++)
			nr += is_submodule_status(l->m, p, process_child(l->m, p, k), NULL);
		if (nr < SUBMODULES_LEAST)
			continue;
		report_finding(l, l->slots[i], held_below(l, is_submodule_status, NULL),
			       "%" PRIu32 " submodules", nr);
		return;
	}
}
