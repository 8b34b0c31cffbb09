/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/trace2.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tr2_call.h"
#include "engine/tr2_config.h"
#include "engine/tr2_env.h"
#include "engine/tr2_lock.h"
#include "engine/tr2_readers.h"

/* Source file and lines that trace2_cmd_name() reports with the events of requested configuration
 * and environment variables, as in Git. */
#define LIST_FILE          "trace2.c"
#define LIST_CONFIG_LINE   439
#define LIST_ENV_VARS_LINE 440

static void emit_list_event(enum tr2_event_kind kind, const char *file, int line,
			    enum tr2_field field, const char **list)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, kind, file, line))
		return;
	tr2_record_list(&call.rec, field, list);
	tr2_call_end(&call);
}

static void emit_text(enum tr2_event_kind kind, const char *file, int line, enum tr2_field field,
		      const char *text)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, kind, file, line))
		return;
	tr2_record_text(&call.rec, field, text);
	tr2_call_end(&call);
}

void trace2_cmd_start_fl(const char *file, int line, const char **argv)
{
	emit_list_event(TR2_E_START, file, line, TR2_F_ARGV, argv);
}

void trace2_cmd_ancestry_fl(const char *file, int line, const char **names)
{
	emit_list_event(TR2_E_CMD_ANCESTRY, file, line, TR2_F_ANCESTRY, names);
}

void trace2_cmd_path_fl(const char *file, int line, const char *path)
{
	emit_text(TR2_E_CMD_PATH, file, line, TR2_F_PATH, path);
}

void trace2_cmd_mode_fl(const char *file, int line, const char *mode)
{
	emit_text(TR2_E_CMD_MODE, file, line, TR2_F_NAME, mode);
}

void trace2_cmd_error_va_fl(const char *file, int line, const char *fmt, va_list ap)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, TR2_E_ERROR, file, line))
		return;
	tr2_call_message(&call, fmt, ap);
	if (fmt && *fmt)
		tr2_record_text(&call.rec, TR2_F_FMT, fmt);
	tr2_call_end(&call);
}

void trace2_cmd_alias_fl(const char *file, int line, const char *alias, const char **argv)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, TR2_E_ALIAS, file, line))
		return;
	tr2_record_text(&call.rec, TR2_F_ALIAS, alias);
	tr2_record_list(&call.rec, TR2_F_ARGV, argv);
	tr2_call_end(&call);
}

/*
 * Append `name` to the inherited command hierarchy, after a '/' unless that is empty, and export
 * the result for children. Returns NULL if out of memory.
 */
static char *extend_hierarchy(const char *name)
{
	char variable[TR2_VARIABLE_BYTES];
	const char *parents = tr2_env(tr2_variable(TR2_S_PARENT_NAME, variable));
	size_t len = parents && *parents ? strlen(parents) + 1 : 0;
	char *hierarchy = malloc(len + strlen(name) + 1);
	sigset_t before;

	if (!hierarchy)
		return NULL;
	if (len) {
		memcpy(hierarchy, parents, len - 1);
		hierarchy[len - 1] = '/';
	}
	memcpy(hierarchy + len, name, strlen(name) + 1);
	tr2_lock(&before);
	tr2_env_export(variable, hierarchy);
	tr2_unlock(&before);
	return hierarchy;
}

void trace2_cmd_name_fl(const char *file, int line, const char *name)
{
	struct tr2_call call;
	char *hierarchy;

	if (!name)
		name = "";
	if (!tr2_call_begin(&call, TR2_E_CMD_NAME, file, line))
		return;
	hierarchy = extend_hierarchy(name);
	tr2_record_text(&call.rec, TR2_F_NAME, name);
	if (hierarchy && *hierarchy)
		tr2_record_text(&call.rec, TR2_F_HIERARCHY, hierarchy);
	tr2_call_end(&call);
	free(hierarchy);
	trace2_cmd_list_config_fl(LIST_FILE, LIST_CONFIG_LINE);
	trace2_cmd_list_env_vars_fl(LIST_FILE, LIST_ENV_VARS_LINE);
}

static void emit_param(const char *file, int line, const char *param, const char *value, int scope)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, TR2_E_DEF_PARAM, file, line))
		return;
	tr2_record_text(&call.rec, TR2_F_SCOPE, tr2_scope_name(scope));
	tr2_record_text(&call.rec, TR2_F_PARAM, param);
	tr2_record_opt(&call.rec, TR2_F_VALUE, value);
	tr2_call_end(&call);
}

void trace2_def_param_fl(const char *file, int line, const char *param, const char *value,
			 const struct key_value_info *kvi)
{
	if (tr2_is_on())
		emit_param(file, line, param, value, tr2_read_scope(kvi));
}

/* Return the next item of a comma-separated list, without blanks around it; NULL: none, or out of
 * memory. The caller frees the item. */
static char *next_piece(const char **rest)
{
	static const char blanks[] = " \t\n\v\f\r";
	const char *from = *rest, *end;
	char *piece;

	if (!from)
		return NULL;
	end = from + strcspn(from, ",");
	*rest = *end ? end + 1 : NULL;
	from += strspn(from, blanks);
	while (end > from && strchr(blanks, end[-1]))
		end--;
	piece = malloc((size_t)(end > from ? end - from : 0) + 1);
	if (piece) {
		memcpy(piece, from, end > from ? (size_t)(end - from) : 0);
		piece[end > from ? end - from : 0] = '\0';
	}
	return piece;
}

static bool is_requested(const char *key)
{
	const char *rest = tr2_settings_text(&tr2_state.settings, TR2_S_CONFIG_PARAMS);
	bool wanted = false;
	char *pattern;

	while (!wanted && (pattern = next_piece(&rest))) {
		wanted = tr2_wildmatch(pattern, key, TR2_WILD_FOLD);
		free(pattern);
	}
	return wanted;
}

struct source_place {
	const char *file;
	int line;
};

static void report_config_entry(void *data, const char *key, const char *value, int scope)
{
	const struct source_place *place = data;

	if (is_requested(key))
		emit_param(place->file, place->line, key, value, scope);
}

void trace2_cmd_list_config_fl(const char *file, int line)
{
	static int done;
	struct source_place place = { file, line };
	int saved_errno = errno;

	if (!tr2_is_on() || __atomic_exchange_n(&done, 1, __ATOMIC_RELAXED))
		return;
	if (tr2_settings_text(&tr2_state.settings, TR2_S_CONFIG_PARAMS))
		tr2_config_read_all(report_config_entry, &place);
	errno = saved_errno;
}

void trace2_cmd_list_env_vars_fl(const char *file, int line)
{
	static int done;
	int saved_errno = errno;
	const char *rest;
	char *name;

	if (!tr2_is_on() || __atomic_exchange_n(&done, 1, __ATOMIC_RELAXED))
		return;
	rest = tr2_settings_text(&tr2_state.settings, TR2_S_ENV_VARS);
	while ((name = next_piece(&rest))) {
		const char *value = getenv(name); /* reported as data, not used as a setting */

		if (value && *value)
			emit_param(file, line, name, value, TR2_SCOPE_COMMAND);
		free(name);
	}
	errno = saved_errno;
}

void trace2_cmd_set_config_fl(const char *file, int line, const char *key, const char *value)
{
	int saved_errno = errno;

	if (tr2_is_on() && key && is_requested(key))
		emit_param(file, line, key, value, TR2_SCOPE_UNKNOWN);
	errno = saved_errno;
}

void trace2_def_repo_fl(const char *file, int line, struct repository *repo)
{
	struct tr2_repo fields;
	struct tr2_call call;

	if (!repo || !tr2_is_on())
		return;
	tr2_read_repo(repo, &fields);
	if (!fields.id || *fields.id || !fields.worktree)
		return;
	if (!tr2_call_begin(&call, TR2_E_DEF_REPO, file, line))
		return;
	*fields.id = __atomic_add_fetch(&tr2_state.nr_repos, 1, __ATOMIC_RELAXED);
	tr2_record_num(&call.rec, TR2_F_REPO, *fields.id);
	tr2_record_text(&call.rec, TR2_F_WORKTREE, fields.worktree);
	tr2_call_end(&call);
}

void(trace2_collect_process_info)(enum trace2_process_info_reason reason)
{
	struct tr2_ancestry *above;
	int saved_errno = errno;

	if (reason != TRACE2_PROCESS_INFO_STARTUP || !tr2_is_on())
		return;
	/* on the heap, because the list of ancestors is too large for a small stack */
	above = malloc(sizeof(*above));
	if (above && tr2_ancestry(above))
		trace2_cmd_ancestry_fl("compat/linux/procinfo.c", 170, above->names);
	free(above);
	errno = saved_errno;
}
