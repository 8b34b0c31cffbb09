/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_readers.h"

#include <stddef.h>

#include "engine/trace2_child.h"
#include "engine/trace2_json.h"
#include "engine/trace2_param.h"
#include "engine/trace2_repo.h"

static void read_own_child(struct child_process *cmd, void *sink)
{
	(trace2_child_fields)(sink, &cmd->trace2_child_id, &cmd->trace2_child_us_start, cmd->pid,
			      cmd->trace2_child_class, cmd->trace2_hook_name, cmd->dir,
			      cmd->git_cmd, cmd->use_shell, cmd->argv);
}

static void read_own_repo(struct repository *repo, void *sink)
{
	(trace2_repo_fields)(sink, &repo->trace2_repo_id, repo->worktree);
}

static void read_own_json(const struct json_writer *jw, void *sink)
{
	(trace2_json_fields)(sink, jw->json, jw->pretty);
}

static void read_own_param(const struct key_value_info *kvi, void *sink)
{
	(trace2_param_fields)(sink, kvi->scope);
}

static void (*child_reader)(struct child_process *, void *) = read_own_child;
static void (*repo_reader)(struct repository *, void *) = read_own_repo;
static void (*json_reader)(const struct json_writer *, void *) = read_own_json;
static void (*param_reader)(const struct key_value_info *, void *) = read_own_param;

void(trace2_set_child_reader)(void (*read)(struct child_process *, void *))
{
	child_reader = read ? read : read_own_child;
}

void(trace2_set_repo_reader)(void (*read)(struct repository *, void *))
{
	repo_reader = read ? read : read_own_repo;
}

void(trace2_set_json_reader)(void (*read)(const struct json_writer *, void *))
{
	json_reader = read ? read : read_own_json;
}

void(trace2_set_param_reader)(void (*read)(const struct key_value_info *, void *))
{
	param_reader = read ? read : read_own_param;
}

void(trace2_child_fields)(void *sink, int *id, uint64_t *us_start, int pid, const char *child_class,
			  const char *hook_name, const char *dir, int git_cmd, int use_shell,
			  const char *const *argv)
{
	*(struct tr2_child *)sink = (struct tr2_child){
		.id = id,
		.us_start = us_start,
		.pid = pid,
		.child_class = child_class,
		.hook_name = hook_name,
		.dir = dir,
		.git_cmd = git_cmd,
		.use_shell = use_shell,
		.argv = argv,
	};
}

void(trace2_repo_fields)(void *sink, int *id, const char *worktree)
{
	*(struct tr2_repo *)sink = (struct tr2_repo){ .id = id, .worktree = worktree };
}

void(trace2_json_fields)(void *sink, const char *text, int pretty)
{
	*(struct tr2_json *)sink = (struct tr2_json){ .text = text, .pretty = pretty };
}

void(trace2_param_fields)(void *sink, int scope)
{
	*(int *)sink = scope;
}

void tr2_read_child(struct child_process *cmd, struct tr2_child *out)
{
	*out = (struct tr2_child){ .pid = -1 };
	if (cmd)
		child_reader(cmd, out);
}

/* The API of regions and data declares the repository const, but the reader does not. */
void tr2_read_repo(const struct repository *repo, struct tr2_repo *out)
{
	*out = (struct tr2_repo){ 0 };
	if (repo)
		repo_reader((struct repository *)(uintptr_t)repo, out);
}

void tr2_read_json(const struct json_writer *jw, struct tr2_json *out)
{
	*out = (struct tr2_json){ 0 };
	if (jw)
		json_reader(jw, out);
}

int tr2_read_scope(const struct key_value_info *kvi)
{
	int scope = TRACE2_SCOPE_UNKNOWN;

	if (kvi)
		param_reader(kvi, &scope);
	return scope;
}
