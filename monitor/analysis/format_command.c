/* SPDX-License-Identifier: MIT */
/*
 * Names of commands. In the argv of Git, options of `git` itself or an alias may be in the place of
 * the name. Other argv begin with the program, maybe as a path.
 */
#include "config.h"

#include "monitor/analysis/format_text.h"

#include <string.h>

#include "monitor/base/platform.h"
#include "monitor/base/secrets.h"
#include "monitor/base/word.h"
#include "monitor/event/sid.h"

struct command_words {
	const char *name; /* borrowed */
	size_t len;
	uint32_t from;
	/* word that the user typed in place of the name, such as an alias; NULL: none */
	const char *typed;
	size_t typed_len;
};

static bool takes_value(const char *option, size_t len)
{
	static const char *const options[] = { "-C",
					       "-c",
					       "--git-dir",
					       "--work-tree",
					       "--namespace",
					       "--super-prefix",
					       "--config-env",
					       "--attr-source",
					       "--shallow-file" };

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (word_is(option, len, options[i]))
			return true;
	return false;
}

static const char *path_base_name(const char *path, size_t *len)
{
	const char *slash = platform_find_last(path, '/', *len);

	if (!slash || slash + 1 == path + *len)
		return path;
	*len -= (size_t)(slash + 1 - path);
	return slash + 1;
}

static bool is_git(const char *base, size_t len)
{
	return word_is(base, len, "git") || word_is(base, len, "git.exe");
}

/* Return the index of the first argument after git's own options, and set `*word` and `*len` to it;
 * `nr`, the number of arguments, if there is none. */
static uint32_t git_word(struct strings_cursor cursor, uint32_t nr, const char **word, size_t *len)
{
	bool value = false;

	strings_next(&cursor, len);
	for (uint32_t i = 1; i < nr; i++) {
		*word = strings_next(&cursor, len);
		if (!value && (!*len || **word != '-'))
			return i;
		value = !value && takes_value(*word, *len);
	}
	*word = NULL;
	*len = 0;
	return nr;
}

/*
 * Skip the arguments that repeat the name: `fetch`, or each word of a name such as `remote-add`.
 * Returns false if the arguments do not form the name.
 */
static bool skip_named(const struct model *m, const struct strings *argv,
		       struct command_words *told)
{
	struct strings_cursor cursor = strings_begin(m, argv);
	const char *item, *at = told->name, *end = told->name + told->len;
	size_t len;
	uint32_t nr = 0;

	for (uint32_t i = 0; (item = strings_next(&cursor, &len)); i++) {
		if (i < told->from)
			continue;
		if (!len || (size_t)(end - at) < len || memcmp(at, item, len) ||
		    (at + len < end && at[len] != '-'))
			break;
		nr++;
		at += len;
		if (at == end)
			break;
		at++;
	}
	if (at != end)
		return false;
	told->from += nr;
	return true;
}

static void describe_git_command(const struct model *m, const struct strings *argv,
				 struct command_words *told)
{
	const char *word;
	size_t len;
	uint32_t at = git_word(strings_begin(m, argv), argv->nr, &word, &len);
	bool internal = told->name && told->len && *told->name == '_';

	if (!word) {
		/* the command line has only options of git, such as `git --version` */
		told->from = 1;
		return;
	}
	told->from = at;
	if (!told->name || internal) {
		told->name = word;
		told->len = len;
		told->from = at + 1;
	} else if (!skip_named(m, argv, told)) {
		told->typed = word;
		told->typed_len = len;
		told->from = at + 1;
	}
}

static void describe_argv(const struct model *m, const struct strings *argv,
			  struct command_words *told)
{
	struct strings_cursor cursor = strings_begin(m, argv);
	size_t len;
	const char *program = strings_next(&cursor, &len);
	const char *base = program ? path_base_name(program, &len) : NULL;

	if (!base)
		return;
	told->from = 1;
	if (is_git(base, len)) {
		describe_git_command(m, argv, told);
	} else if (told->name && *told->name != '_') {
		skip_named(m, argv, told);
		return;
	}
	if (!told->name || (told->len && *told->name == '_' && !is_git(base, len))) {
		told->name = base;
		told->len = len;
	}
}

static struct command_words describe_command(const struct model *m, const struct process *process)
{
	struct command_words told = { 0 };

	if (process->name != SYM_NONE)
		told.name = model_sym(m, process->name, &told.len);
	describe_argv(m, &process->argv, &told);
	if (!told.name && process->hierarchy != SYM_NONE)
		told.name = hierarchy_leaf(m, process->hierarchy, &told.len);
	if (!told.name)
		told.name = sid_own(model_text(m, process->sid), process->sid.len, &told.len);
	return told;
}

const char *command_name(const struct model *m, const struct process *process, size_t *len)
{
	struct command_words told = describe_command(m, process);

	*len = told.len;
	return told.name;
}

static const struct alias_item *alias_of(const struct model *m, const struct process *process,
					 const struct command_words *told)
{
	for (uint32_t i = process->aliases.nr; i-- > 0;) {
		const struct alias_item *item = PROCESS_ITEM(m, &process->aliases, alias_item, i);
		size_t len;
		const char *alias = model_sym(m, item->alias, &len);

		if (len == told->typed_len && !memcmp(alias, told->typed, len))
			return item;
	}
	return NULL;
}

static bool takes_message(const struct command_words *told)
{
	static const char *const names[] = { "commit", "merge", "tag", "stash", "notes" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (word_is(told->name, told->len, names[i]))
			return true;
	return false;
}

/* True for -m and -F, alone or after other letters (`-qm`), --message and --file. */
static bool is_message_option(const char *option, size_t len)
{
	if (len > 2 && option[0] == '-' && option[1] == '-')
		return word_is(option, len, "--message") || word_is(option, len, "--file");
	return len > 1 && option[0] == '-' && (option[len - 1] == 'm' || option[len - 1] == 'F');
}

/* Return the first argument from index `from` on that is not empty, an option, or, if `messages`, a
 * message; NULL: none. */
static const char *skip_options(const struct model *m, const struct strings *argv, uint32_t from,
				bool messages, size_t *len)
{
	struct strings_cursor cursor = strings_begin(m, argv);
	const char *item;
	bool message = false;

	for (uint32_t i = 0; (item = strings_next(&cursor, len)); i++) {
		if (i < from)
			continue;
		if (!message && *len && *item != '-')
			return item;
		message = messages && !message && is_message_option(item, *len);
	}
	return NULL;
}

const char *command_argument(const struct model *m, const struct process *process, size_t *len)
{
	struct command_words told = describe_command(m, process);
	const struct alias_item *alias = told.typed ? alias_of(m, process, &told) : NULL;
	bool messages = takes_message(&told);
	const char *found = alias ? skip_options(m, &alias->argv, 1, messages, len) : NULL;

	return found ? found : skip_options(m, &process->argv, told.from, messages, len);
}

const char *process_worktree(const struct model *m, const struct process *process, size_t *len)
{
	const struct worktree_item *item;

	*len = 0;
	if (!process->worktrees.nr)
		return NULL;
	item = PROCESS_ITEM(m, &process->worktrees, worktree_item, process->worktrees.nr - 1);
	return item->worktree == SYM_NONE ? NULL : model_sym(m, item->worktree, len);
}

static void append_redacted(const char *text, size_t len, struct tr2_buf *out)
{
	secrets_add(out, text, len, SAY_MAX_BYTES / 4);
}

static void append_args_from(const struct model *m, const struct strings *argv, uint32_t from,
			     struct tr2_buf *out)
{
	if (argv->nr <= from)
		return;
	tr2_buf_addch(out, ' ');
	format_strings(m, argv, from, out);
}

void format_command(const struct model *m, const struct process *process, struct tr2_buf *out,
		    size_t *name_len)
{
	struct command_words told = describe_command(m, process);
	const struct alias_item *alias = told.typed ? alias_of(m, process, &told) : NULL;
	size_t before = out->len;

	append_redacted(told.name, told.len, out);
	*name_len = out->len - before;
	if (alias)
		append_args_from(m, &alias->argv, 1, out);
	append_args_from(m, &process->argv, told.from, out);
	if (told.typed) {
		tr2_buf_addstr(out, " (");
		append_redacted(told.typed, told.typed_len, out);
		tr2_buf_addch(out, ')');
	}
}

void format_ancestors(const struct model *m, const struct process *process, struct tr2_buf *out)
{
	size_t len, part;
	const char *at = model_sym(m, process->hierarchy, &len);

	if (process->hierarchy == SYM_NONE)
		return;
	for (; memchr(at, '/', len); at += part + 1, len -= part + 1) {
		part = (size_t)((const char *)memchr(at, '/', len) - at);
		if (part && *at != '_') {
			append_redacted(at, part, out);
			tr2_buf_addstr(out, SAY_BELOW);
		}
	}
}

void format_hierarchy(const struct model *m, sym_t hierarchy, struct tr2_buf *out)
{
	size_t len;
	const char *at = model_sym(m, hierarchy, &len), *slash;

	for (; (slash = memchr(at, '/', len)); len -= (size_t)(slash + 1 - at), at = slash + 1) {
		append_redacted(at, (size_t)(slash - at), out);
		tr2_buf_addstr(out, SAY_BELOW);
	}
	append_redacted(at, len, out);
}

const char *hierarchy_leaf(const struct model *m, sym_t hierarchy, size_t *len)
{
	const char *text = model_sym(m, hierarchy, len);

	return path_base_name(text, len);
}

void format_command_name(const struct model *m, const struct process *process, struct tr2_buf *out)
{
	size_t len;
	const char *name = command_name(m, process, &len);

	append_redacted(name, len, out);
}

void format_process(const struct model *m, const struct process *process, struct tr2_buf *out)
{
	format_ancestors(m, process, out);
	format_command_name(m, process, out);
}

/* Append the command line that a shell runs, without the directory of its first word. */
static void format_shell_line(const char *line, size_t len, struct tr2_buf *out, size_t *name_len)
{
	size_t word = len && memchr(line, ' ', len)
			      ? (size_t)((const char *)memchr(line, ' ', len) - line)
			      : len;
	size_t before = out->len, name = word;
	const char *base = path_base_name(line, &name);

	append_redacted(base, len - (size_t)(base - line), out);
	*name_len = out->len - before < name ? out->len - before : name;
}

void format_argv(const struct model *m, const struct strings *argv, bool is_shell,
		 struct tr2_buf *out, size_t *name_len)
{
	struct command_words told = { 0 };
	size_t before = out->len;

	if (is_shell && argv->nr) {
		struct strings_cursor cursor = strings_begin(m, argv);
		size_t len;
		const char *line = strings_next(&cursor, &len);

		format_shell_line(line, len, out, name_len);
		append_args_from(m, argv, 1, out);
		return;
	}

	describe_argv(m, argv, &told);
	if (told.name)
		append_redacted(told.name, told.len, out);
	*name_len = out->len - before;
	append_args_from(m, argv, told.from, out);
}
