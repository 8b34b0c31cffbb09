/* SPDX-License-Identifier: MIT */
/* names of parts, children and processes; the nesting limit of the program that wrote a trace */
#include "config.h"

#include "monitor/analysis/parts_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "monitor/analysis/format_text.h"
#include "monitor/base/platform.h"
#include "monitor/base/word.h"

#define GIT_DEFAULT_NESTING 2
#define SHELL_LINE_BYTES    200

const char *const part_kind_names[NR_PART_KINDS] = {
	[PART_REGION] = "region", [PART_NONE] = "none", [PART_INIT] = "init",
	[PART_SPAWN] = "spawn",   [PART_REAP] = "reap", [PART_UNTRACED] = "untraced",
	[PART_PERSON] = "person", [PART_LOST] = "lost", [PART_COMMAND] = "command",
};

/* Splits an argv into words. The first item may be a command line, so it is split at spaces. */
struct words {
	struct strings_cursor cursor;
	const char *line;
	size_t left;
};

static const char *word_next(struct words *w, size_t *len)
{
	const char *word;

	while (w->left && *w->line == ' ') {
		w->line++;
		w->left--;
	}
	if (!w->left)
		return strings_next(&w->cursor, len);
	word = w->line;
	for (*len = 0; *len < w->left && word[*len] != ' '; ++*len)
		;
	w->line += *len;
	w->left -= *len;
	return word;
}

void format_argv_label(const struct model *m, const struct strings *argv, struct tr2_buf *out)
{
	struct words words = { .cursor = strings_begin(m, argv) };
	const char *word, *slash;
	size_t len;

	words.line = strings_next(&words.cursor, &words.left);
	word = words.line ? word_next(&words, &len) : NULL;
	if (!word || !len) {
		tr2_buf_addstr(out, "?");
		return;
	}
	slash = platform_find_last(word, '/', len);
	if (slash && slash + 1 < word + len) {
		len -= (size_t)(slash + 1 - word);
		word = slash + 1;
	}
	tr2_buf_add(out, word, len < SAY_MAX_BYTES / 4 ? len : SAY_MAX_BYTES / 4);
	if (!word_is(word, len, "git"))
		return;
	while ((word = word_next(&words, &len))) {
		if (word_is(word, len, "-C") || word_is(word, len, "-c")) {
			word_next(&words, &len);
		} else if (len && *word != '-') {
			tr2_buf_addch(out, ' ');
			tr2_buf_add(out, word, len < SAY_MAX_BYTES / 4 ? len : SAY_MAX_BYTES / 4);
			return;
		}
	}
}

void format_child_label(const struct model *m, const struct child *child, struct tr2_buf *out)
{
	if (child->hook != SYM_NONE) {
		tr2_buf_addstr(out, "hook ");
		format_symbol(m, child->hook, out);
	} else {
		format_argv_label(m, &child->argv, out);
	}
}

void format_process_hierarchy(const struct model *m, const struct process *p, struct tr2_buf *out)
{
	if (p->hierarchy != SYM_NONE)
		format_symbol(m, p->hierarchy, out);
	else if (p->name != SYM_NONE)
		format_symbol(m, p->name, out);
	else
		format_argv_label(m, &p->argv, out);
}

const char *const part_leads[NR_PART_KINDS] = {
	[PART_INIT] = "start of ",
	[PART_SPAWN] = "spawn of ",
	[PART_REAP] = "end of ",
	[PART_LOST] = "after the last event of ",
};

static void append_hierarchy(const char *name, size_t len, struct tr2_buf *out)
{
	const char *slash;

	for (; (slash = memchr(name, '/', len));
	     len -= (size_t)(slash + 1 - name), name = slash + 1) {
		tr2_buf_add(out, name, (size_t)(slash - name));
		tr2_buf_addstr(out, SAY_BELOW);
	}
	tr2_buf_add(out, name, len);
}

void part_format(const struct parts *parts, const struct model *m, const struct part *part,
		 struct tr2_buf *out)
{
	const char *text;
	size_t len;

	switch ((enum part_kind)part->kind) {
	case PART_REGION:
		format_region(m, part->category, part->label, out);
		return;
	case PART_NONE:
		tr2_buf_addstr(out, "in no region");
		return;
	case PART_COMMAND:
		tr2_buf_addstr(out, "while nothing traced ran");
		return;
	case PART_UNTRACED:
	case PART_PERSON:
		text = part_label(parts, m, part, &len);
		break;
	default:
		tr2_buf_addstr(out, part_leads[part->kind]);
		text = part_name(parts, part, &len);
		break;
	}
	tr2_buf_add(out, text ? text : "?", text ? len : 1);
}

/* readable forms of part_leads */
static const char *const part_words[NR_PART_KINDS] = {
	[PART_INIT] = "startup of ",
	[PART_SPAWN] = "fork+exec of ",
	[PART_REAP] = "end of ",
	[PART_LOST] = "after the last event of ",
};

static bool is_shell_program(const char *program, size_t len)
{
	static const char *const shells[] = { "sh", "bash", "dash", "ash", "ksh", "zsh" };
	const char *slash = platform_find_last(program, '/', len);

	if (slash) {
		len -= (size_t)(slash + 1 - program);
		program = slash + 1;
	}
	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++)
		if (word_is(program, len, shells[i]))
			return true;
	return false;
}

static void append_line_item(const char *item, size_t len, struct tr2_buf *out)
{
	tr2_buf_add(out, item, len < SHELL_LINE_MAX ? len : SHELL_LINE_MAX);
}

/* Append the first three items of an argv such as `sh -c LINE`; return false for another argv. */
static bool append_shell_argv(struct strings_cursor cursor, struct tr2_buf *out)
{
	size_t len[3];
	const char *item[3];

	for (int i = 0; i < 3; i++)
		if (!(item[i] = strings_next(&cursor, &len[i])))
			return false;
	if (!is_shell_program(item[0], len[0]) || len[1] < 2 || *item[1] != '-' ||
	    item[1][len[1] - 1] != 'c')
		return false;
	for (int i = 0; i < 3; i++) {
		tr2_buf_addstr(out, i ? " " : "");
		append_line_item(item[i], len[i], out);
	}
	return true;
}

bool child_shell_line(const struct model *m, const struct child *child, struct tr2_buf *out)
{
	struct strings_cursor cursor = strings_begin(m, &child->argv);
	bool has_blank = false, is_shell = child->use_shell == 1;
	size_t len = 0;
	const char *line;

	if (child->hook != SYM_NONE)
		return false;
	if (append_shell_argv(cursor, out))
		return true;
	line = strings_next(&cursor, &len);
	for (size_t i = 0; line && i < len; i++) {
		has_blank |= line[i] == ' ';
		is_shell |= line[i] && strchr(";|&<>()`$\n", line[i]);
	}
	if (has_blank && is_shell)
		append_line_item(line, len, out);
	return has_blank && is_shell;
}

void format_child_name(const struct model *m, const struct child *child, struct tr2_buf *out)
{
	struct tr2_buf line;

	tr2_buf_init(&line, 4 * SHELL_LINE_MAX);
	if (child_shell_line(m, child, &line))
		format_cut(tr2_buf_cstr(&line), line.len, SHELL_LINE_BYTES, out);
	else
		format_child_label(m, child, out);
	tr2_buf_release(&line);
}

/*
 * Append the command line that a shell ran in all children of the part, or the words with which
 * these command lines begin. Returns false if there is none, or if the label has more information.
 */
static bool append_part_line(const struct parts *parts, const struct model *m,
			     const struct part *part, struct tr2_buf *out)
{
	size_t len, label_len;
	const char *line = part_line(parts, part, &len);
	const char *label = part_label(parts, m, part, &label_len);

	if (!line || (part->cut && label && !platform_find(line, len, label, label_len)))
		return false;
	format_cut(line, len, SHELL_LINE_BYTES, out);
	tr2_buf_addstr(out, part->cut ? " …" : "");
	return true;
}

void part_format_label(const char *label, size_t len, struct tr2_buf *out)
{
	static const char none[] = "in no region";

	if (len == strlen(none) && !memcmp(label, none, len)) {
		tr2_buf_addstr(out, "outside any region");
		return;
	}
	for (int kind = 0; kind < NR_PART_KINDS; kind++) {
		size_t lead = part_leads[kind] ? strlen(part_leads[kind]) : 0;

		if (!lead || len < lead || memcmp(label, part_leads[kind], lead) != 0)
			continue;
		tr2_buf_addstr(out, part_words[kind]);
		label += lead;
		len -= lead;
		break;
	}
	tr2_buf_add(out, label, len);
}

void part_format_whole(const struct parts *parts, const struct model *m, const struct part *part,
		       struct tr2_buf *out)
{
	const struct process *p = part->slot == SLOT_NONE ? NULL : model_slot(m, part->slot);
	const struct child *child = NULL;
	const char *name;
	size_t len;

	name = part_name(parts, part, &len);
	if (name && (part_words[part->kind] || part->kind == PART_NONE)) {
		tr2_buf_addstr(out, part->kind == PART_NONE ? "outside any region of "
							    : part_words[part->kind]);
		append_hierarchy(name, len, out);
		return;
	}
	if (part->kind == PART_NONE || part->kind == PART_COMMAND) {
		tr2_buf_addstr(out, part->kind == PART_NONE ? "outside any region" : "idle");
		return;
	}
	if (p && part->child != SLOT_NONE)
		child = process_child(m, p, part->child);
	if (!append_part_line(parts, m, part, out))
		part_format(parts, m, part, out);
	if (part->kind == PART_PERSON)
		tr2_buf_addstr(out, ", a person");
	else if (part->kind == PART_UNTRACED)
		tr2_buf_addstr(out, child && child->forgotten ? ", evicted" : ", not traced");
}

void part_format_within(const struct parts *parts, const struct model *m, const struct part *part,
			struct tr2_buf *out)
{
	const char *name, *slash;
	size_t len;

	name = part_name(parts, part, &len);
	slash = name ? platform_find_last(name, '/', len) : NULL;
	if (part->kind == PART_NONE) {
		tr2_buf_addstr(out, "outside any region");
	} else if (name && part_words[part->kind]) {
		tr2_buf_addstr(out, part_words[part->kind]);
		len -= slash ? (size_t)(slash + 1 - name) : 0;
		tr2_buf_add(out, slash ? slash + 1 : name, len);
	} else {
		part_format_whole(parts, m, part, out);
	}
}

void part_format_process(const struct parts *parts, const struct part *part, struct tr2_buf *out)
{
	size_t len;
	const char *name = part_name(parts, part, &len);

	if (name)
		append_hierarchy(name, len, out);
}

static int64_t nesting_limit_of(const struct model *m, const struct process *p)
{
	int64_t found = NUM_NONE;

	for (uint32_t i = 0; i < p->params.nr; i++) {
		const struct param_item *item = PROCESS_ITEM(m, &p->params, param_item, i);
		const char *value = model_text(m, item->value), *name;
		int64_t number = 0;
		size_t len;
		bool env;

		if (item->param == SYM_NONE || !item->has_value || !item->value.len ||
		    item->value.len > 6)
			continue;
		name = model_sym(m, item->param, &len);
		env = word_is(name, len, "GIT_TRACE2_EVENT_NESTING");
		if (!env && (len != strlen("trace2.eventNesting") ||
			     strncasecmp(name, "trace2.eventNesting", len) != 0))
			continue;
		for (uint32_t j = 0; j < item->value.len && number >= 0; j++)
			number = value[j] >= '0' && value[j] <= '9' ? 10 * number + value[j] - '0'
								    : -1;
		/* as in Git, the environment variable takes precedence over the configuration */
		if (number > 0 && (env || found == NUM_NONE))
			found = number;
	}
	return found;
}

int64_t writer_nesting(const struct model *m, uint32_t slot, bool *is_default)
{
	int64_t said = NUM_NONE;

	*is_default = false;
	if (slot == SLOT_NONE)
		slot = model_first_root(m);
	if (slot == SLOT_NONE)
		return NUM_NONE;
	if (model_slot(m, slot)->format != SYM_NONE)
		return NUM_NONE;
	said = nesting_limit_of(m, model_slot(m, slot));
	if (said != NUM_NONE)
		return said;
	*is_default = model_deepest(m) <= GIT_DEFAULT_NESTING;
	return *is_default ? GIT_DEFAULT_NESTING : NUM_NONE;
}

bool parts_limit_is_shown(const struct parts *parts)
{
	return parts->at_limit >= PARTS_LIMIT_MIN &&
	       parts->at_limit >= parts->wall / PARTS_LIMIT_SHARE;
}

void parts_limit_format(const struct parts *parts, struct tr2_buf *out)
{
	if (!parts_limit_is_shown(parts))
		return;
	tr2_buf_addf(out,
		     "up to %.0f %% of the time is in regions at the nesting limit, whose inner "
		     "regions were not written",
		     (double)parts->at_limit * 100 / (double)parts->wall);
	if (parts->nesting_default)
		tr2_buf_addf(out, ", assuming Git's default of %" PRId64, parts->nesting);
	tr2_buf_addf(out, ": git config --global trace2.eventNesting %d", OWN_COMMAND_NESTING);
}
