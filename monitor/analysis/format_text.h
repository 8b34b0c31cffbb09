/* SPDX-License-Identifier: MIT */
/*
 * Names, command lines, times and counts as text for people. The format_*() functions append to
 * `out`. Only format_shell() escapes control characters. One thread.
 */
#ifndef MONITOR_FORMAT_TEXT_H
#define MONITOR_FORMAT_TEXT_H

#include "engine/base/buf.h"
#include "monitor/attribute/attribute.h"
#include "monitor/model/model.h"

/* maximum bytes of a line of text; the limits of its items are fractions of it */
#define SAY_MAX_BYTES (64u << 10)

/* Separates a command from the command that started it: `fetch > index-pack`. */
#define SAY_BELOW " > "

/* Append the ancestors and the name of a process, such as `fetch > index-pack`. */
void format_process(const struct model *model, const struct process *process, struct tr2_buf *out);

/*
 * Return the name of a process, borrowed from the model. If the process has no name, or one of
 * Git's internal names such as `_run_dashed_`, the name is taken from argv, the hierarchy or the
 * SID if possible.
 */
const char *command_name(const struct model *model, const struct process *process, size_t *len);

void format_command_name(const struct model *model, const struct process *process,
			 struct tr2_buf *out);

/*
 * Append command_name() and the arguments after it, without git's own options (`-C DIR`). An alias
 * is expanded, with its name in parentheses: `fetch r3 (job40)`. Sets `*name_len` to the length of
 * the appended name.
 */
void format_command(const struct model *model, const struct process *process, struct tr2_buf *out,
		    size_t *name_len);

/* Return the first argument of a process, with an alias expanded, that is neither an option nor a
 * message (`-m MESSAGE`); NULL: none. */
const char *command_argument(const struct model *model, const struct process *process, size_t *len);

/* Return the last worktree that a process reported; NULL: none. */
const char *process_worktree(const struct model *model, const struct process *process, size_t *len);

/* Append a command line as format_command() does. `is_shell`: a shell runs the command line. */
void format_argv(const struct model *model, const struct strings *argv, bool is_shell,
		 struct tr2_buf *out, size_t *name_len);

/* Append the names of the process's ancestors, each followed by SAY_BELOW, without Git's internal
 * names. */
void format_ancestors(const struct model *model, const struct process *process,
		      struct tr2_buf *out);

void format_hierarchy(const struct model *model, sym_t hierarchy, struct tr2_buf *out);

const char *hierarchy_leaf(const struct model *model, sym_t hierarchy, size_t *len);

/* Append the items of a list from index `from` on, until SAY_MAX_BYTES / 2, with passwords hidden
 * (secrets.h). Empty items, and items with spaces if the list has several items, are quoted. */
void format_strings(const struct model *model, const struct strings *strings, uint32_t from,
		    struct tr2_buf *out);

/* Append the items of a list, until SAY_MAX_BYTES / 2, as words of a shell, with passwords hidden
 * (secrets.h). */
void format_shell(const struct model *model, const struct strings *strings, struct tr2_buf *out);

/* False for SYM_NONE and for `?`, which Git writes if no class is specified. */
bool is_child_class(const struct model *model, sym_t class_name);

void format_symbol(const struct model *model, sym_t sym, struct tr2_buf *out);

/* Append a filter term `field = value`, after "and" if there is text; nothing for SYM_NONE. */
void format_term(const struct model *model, const char *field, sym_t value, struct tr2_buf *out);
void format_term_text(const char *field, const char *text, size_t len, struct tr2_buf *out);
/*
 * Append the filter term for a value of an attribute: `code = 1`, `param core.abbrev = "12"`. If
 * `value` is NULL, append the term for processes without a value. Append nothing for a duration, a
 * time, a flag that is not set, and a state if `value` is NULL.
 */
void format_attribute_term(const struct attribute_ref *ref, const struct value *value,
			   struct tr2_buf *out);

/* Append "category/label", with "?" for an absent one. */
void format_region(const struct model *model, sym_t category, sym_t label, struct tr2_buf *out);

#define DIED_IN "died in "
void format_died_in(const struct model *model, const struct open_region *region,
		    struct tr2_buf *out);

/* format_time() appends a local time of day: 12:28:42, or 12:28:42.123 with `millis`; "-" for
 * NS_NONE and negative times. format_date() appends the date "2026-01-02 " if `wall` is on another
 * day than `now`. */
void format_date(ns_t wall, ns_t now, struct tr2_buf *out);
void format_time(ns_t wall, bool millis, struct tr2_buf *out);

/* Append at most `max` bytes of a text as secrets_add() does, and "…" if there are more. */
void format_cut(const char *text, size_t len, size_t max, struct tr2_buf *out);

void format_duration(ns_t ns, struct tr2_buf *out);
void format_count(uint64_t count, struct tr2_buf *out);
/* Append a count, such as "1 time" or "2 times". */
void format_times(uint64_t count, struct tr2_buf *out);

/* Append the exact number and a noun, such as "1 run" or "12345 runs". */
void format_runs(uint64_t count, struct tr2_buf *out);

#endif
