/* SPDX-License-Identifier: MIT */
/*
 * Names, command lines, times and counts as text for screen and line mode. Each function appends to
 * `out`. Text of the trace is not escaped: the code that writes to a terminal or file does that.
 * One thread (local time); no errors: what does not fit is truncated.
 */
#ifndef MONITOR_SAY_H
#define MONITOR_SAY_H

#include "engine/base/buf.h"
#include "monitor/attribute/attribute.h"
#include "monitor/model/model.h"

#define SAY_MAX_BYTES (64u << 10) /* maximum length of a formatted line */

/*
 * Separates a command from the one that started it: `fetch > index-pack`. For people a '/' only
 * separates `category/label` of a region. JSON, filters and Git's own output use '/' in hierarchies
 * as Git does.
 */
#define SAY_BELOW " > "

/* Append a process with its ancestors: format_ancestors(), then command_name(): `fetch >
 * index-pack`. */
void format_process(const struct model *model, const struct process *process, struct tr2_buf *out);

/*
 * Return the name of a process, borrowed from the model. Without a name, or with one of Git's
 * internal names (`_run_dashed_`), it is the word that was typed or the program's base name;
 * without argv the last component of its hierarchy or SID.
 */
const char *command_name(const struct model *model, const struct process *process, size_t *len);

void format_command_name(const struct model *model, const struct process *process,
			 struct tr2_buf *out);

/*
 * Append the command of a process: command_name() and the arguments after it, without git's own
 * options (`-C DIR`). An alias is expanded, with its name in parentheses: `fetch r3 (job40)`.
 * `*name_len`: length of the appended name.
 */
void format_command(const struct model *model, const struct process *process, struct tr2_buf *out,
		    size_t *name_len);

/* Return the first argument of a process that is neither an option nor a message (`-m MESSAGE`),
 * with an alias expanded; NULL if it has none. */
const char *command_argument(const struct model *model, const struct process *process, size_t *len);

/* Return the last worktree that a process used; NULL: none. */
const char *process_worktree(const struct model *model, const struct process *process, size_t *len);

/*
 * Append a command line like format_command(), without a process; nothing if it is empty.
 * `is_shell`: run by a shell.
 */
void format_argv(const struct model *model, const struct strings *argv, bool is_shell,
		 struct tr2_buf *out, size_t *name_len);

/* Append the names of the process's ancestors, each followed by SAY_BELOW: its hierarchy without
 * its own name. */
void format_ancestors(const struct model *model, const struct process *process,
		      struct tr2_buf *out);

/* Append all names of a hierarchy, including Git's internal ones. */
void format_hierarchy(const struct model *model, sym_t hierarchy, struct tr2_buf *out);

/* Return the last name of a hierarchy, borrowed. */
const char *hierarchy_leaf(const struct model *model, sym_t hierarchy, size_t *len);

/* Append the items of a list from index `from` on, with quotes around those with spaces. */
void format_strings(const struct model *model, const struct strings *strings, uint32_t from,
		    struct tr2_buf *out);

/* Append all items of a list with shell quoting. */
void format_shell(const struct model *model, const struct strings *strings, struct tr2_buf *out);

/* True if the symbol is a class of children. Git writes `?` for an unspecified class. */
bool is_child_class(const struct model *model, sym_t class_name);

void format_symbol(const struct model *model, sym_t sym, struct tr2_buf *out);

/* Append a filter term `field = value`, joined with "and" to existing text; nothing for
 * SYM_NONE. */
void format_term(const struct model *model, const char *field, sym_t value, struct tr2_buf *out);
void format_term_text(const char *field, const char *text, size_t len, struct tr2_buf *out);
/*
 * Append the filter term that matches a value of an attribute: `code = 1`, `param core.abbrev =
 * "12"`. NULL for `value`: the term for processes without a value. Nothing for a duration, a time,
 * and a flag that is not set.
 */
void format_attribute_term(const struct attribute_ref *ref, const struct value *value,
			   struct tr2_buf *out);

/* Append the category/label of a region, with "?" for absent ones. */
void format_region(const struct model *model, sym_t category, sym_t label, struct tr2_buf *out);

/* Append DIED_IN and the "category/label" of the region. */
#define DIED_IN "died in "
void format_died_in(const struct model *model, const struct open_region *region,
		    struct tr2_buf *out);

/* Append the local wall time of day: 12:28:42.123; "-" for NS_NONE. */
/* Append the date "2026-01-02 " if `wall` is on another day than `now`; call before
 * format_time(). */
void format_date(ns_t wall, ns_t now, struct tr2_buf *out);
void format_time(ns_t wall, bool millis, struct tr2_buf *out);

/*
 * Append at most `max` bytes of a text; if it is longer, "…" follows. Passwords are hidden first,
 * because the end of a password is needed to detect it.
 */
void format_cut(const char *text, size_t len, size_t max, struct tr2_buf *out);

void format_duration(ns_t ns, struct tr2_buf *out);
void format_count(uint64_t count, struct tr2_buf *out);
void format_times(uint64_t count, struct tr2_buf *out); /* "1 time", "2 times" */

#endif
