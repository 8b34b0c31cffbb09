/* SPDX-License-Identifier: MIT */
/*
 * Names, command lines, times and counts in words, as screen and line mode say them: each
 * appends to `out`. Nothing of what the trace said is escaped: that is the part of the code that
 * writes to a terminal or a file. One thread (local time); no errors: what does not fit is cut.
 */
#ifndef MONITOR_SAY_H
#define MONITOR_SAY_H

#include "engine/base/buf.h"
#include "monitor/model/model.h"

#define SAY_MAX_BYTES (64u << 10) /* of one line */

/*
 * Between a command and one that it started: `fetch > index-pack`. What stands with a '/' is a
 * region, `category/label`, wherever a person reads it; JSON, filters and what Git writes have the
 * '/' of Git's own hierarchies.
 */
#define SAY_BELOW " > "

/* Its say_ancestors() and command_name(): `fetch > index-pack`. */
void say_process(const struct model *model, const struct process *process, struct tr2_buf *out);

/*
 * What it is called, borrowed as what the model gives out: its name; of what Git names for itself
 * (`_run_dashed_`) and of what has no name the word that was typed, or the program's base name;
 * with no argv the last part of its hierarchy or SID.
 */
const char *command_name(const struct model *model, const struct process *process, size_t *len);

void say_command_name(const struct model *model, const struct process *process,
		      struct tr2_buf *out);

/*
 * Its command_name() and the arguments behind it, without options of git itself (`-C DIR`); the
 * words of an alias in its place, with the alias in parentheses behind: `fetch r3 (job40)`. The
 * first `*name_len` bytes of what is appended are the name.
 */
void say_command(const struct model *model, const struct process *process, struct tr2_buf *out,
		 size_t *name_len);

/* Its first argument that is no option, an alias's before what was typed; NULL: it has none. */
const char *command_argument(const struct model *model, const struct process *process, size_t *len);

/* The last worktree of a repository that it used; NULL: it named none. */
const char *process_worktree(const struct model *model, const struct process *process, size_t *len);

/* The same of a command line alone; nothing where that is empty. `is_shell`: a shell reads it. */
void say_argv(const struct model *model, const struct strings *argv, bool is_shell,
	      struct tr2_buf *out, size_t *name_len);

/* The commands above it, each with SAY_BELOW behind: its hierarchy without its own name. */
void say_ancestors(const struct model *model, const struct process *process, struct tr2_buf *out);

/* All the names of a hierarchy as it came, Git's own as well. */
void say_hierarchy(const struct model *model, sym_t hierarchy, struct tr2_buf *out);

/* The last name of a hierarchy, borrowed. */
const char *hierarchy_leaf(const struct model *model, sym_t hierarchy, size_t *len);

/* The items from number `from` on, with quotes around those with spaces. */
void say_strings(const struct model *model, const struct strings *strings, uint32_t from,
		 struct tr2_buf *out);

/* All items as a shell takes them: each that needs it in quotes. */
void say_shell(const struct model *model, const struct strings *strings, struct tr2_buf *out);

/* Does it tell a class of children? Git writes `?` where nobody has named one. */
bool is_child_class(const struct model *model, sym_t class_name);

void say_sym(const struct model *model, sym_t sym, struct tr2_buf *out);

/* A term of a filter: `field = value`, joined to what stands there; none for SYM_NONE. */
void say_term(const struct model *model, const char *field, sym_t value, struct tr2_buf *out);
void say_term_text(const char *field, const char *text, size_t len, struct tr2_buf *out);

/* category/label, "?" for what is absent. */
void say_region(const struct model *model, sym_t category, sym_t label, struct tr2_buf *out);

/* DIED_IN and "category/label". */
#define DIED_IN "died in "
void say_died_in(const struct model *model, const struct open_region *region, struct tr2_buf *out);

/* Wall time of day, local: 12:28:42.123; "-" for NS_NONE. */
/* "2026-01-02 " where `wall` is of another day than `now`, for what stands before say_time(). */
void say_date(ns_t wall, ns_t now, struct tr2_buf *out);
void say_time(ns_t wall, bool millis, struct tr2_buf *out);

void say_duration(ns_t ns, struct tr2_buf *out);
void say_count(uint64_t count, struct tr2_buf *out);
void say_times(uint64_t count, struct tr2_buf *out); /* "1 time", "2 times" */

#endif
