/* SPDX-License-Identifier: MIT */
/*
 * Adapter between Git's structures and libtrace2. Compiled in Git's tree as trace2-adapter.c,
 * instead of trace2.o, trace2/tr2_*.o and compat/linux/procinfo.o: see git-drop-in.md. libtrace2's
 * trace2.h conflicts with Git's, so declarations that Git's lacks are repeated here.
 */
#include "git-compat-util.h"
#include "config.h"
#include "json-writer.h"
#include "repository.h"
#include "run-command.h"
#include "version.h"

void trace2_set_version(const char *version);
void trace2_set_bug_handler(void (*handler)(const char *message));
int trace2_timer_declare(const char *category, const char *name, int per_thread);
int trace2_counter_declare(const char *category, const char *name, int per_thread);
void trace2_set_child_reader(void (*read)(struct child_process *cmd, void *sink));
void trace2_child_fields(void *sink, int *id, uint64_t *us_start, int pid, const char *child_class,
			 const char *hook_name, const char *dir, int git_cmd, int use_shell,
			 const char *const *argv);
void trace2_set_repo_reader(void (*read)(struct repository *repo, void *sink));
void trace2_repo_fields(void *sink, int *id, const char *worktree);
void trace2_set_json_reader(void (*read)(const struct json_writer *jw, void *sink));
void trace2_json_fields(void *sink, const char *text, int pretty);
void trace2_set_param_reader(void (*read)(const struct key_value_info *kvi, void *sink));
void trace2_param_fields(void *sink, int scope);

static void read_child(struct child_process *cmd, void *sink)
{
	trace2_child_fields(sink, &cmd->trace2_child_id, &cmd->trace2_child_us_start, cmd->pid,
			    cmd->trace2_child_class, cmd->trace2_hook_name, cmd->dir, cmd->git_cmd,
			    cmd->use_shell, (const char *const *)cmd->args.v);
}

static void read_repo(struct repository *repo, void *sink)
{
	trace2_repo_fields(sink, &repo->trace2_repo_id, repo->worktree);
}

static void read_json(const struct json_writer *jw, void *sink)
{
	trace2_json_fields(sink, jw->json.buf, jw->pretty);
}

/* Git's scope numbers are the same as libtrace2's. */
static void read_param(const struct key_value_info *kvi, void *sink)
{
	trace2_param_fields(sink, kvi->scope);
}

/* Git's BUG() aborts, too. */
static void abort_on_bug(const char *message UNUSED)
{
	abort();
}

/* Before main(). The order of declarations is that of Git's enums in trace2.h. */
__attribute__((constructor)) static void tell_libtrace2(void)
{
	trace2_set_version(git_version_string);
	trace2_set_bug_handler(abort_on_bug);
	trace2_set_child_reader(read_child);
	trace2_set_repo_reader(read_repo);
	trace2_set_json_reader(read_json);
	trace2_set_param_reader(read_param);
	trace2_timer_declare("test", "test1", 0);
	trace2_timer_declare("test", "test2", 1);
	trace2_counter_declare("test", "test1", 0);
	trace2_counter_declare("test", "test2", 1);
	trace2_counter_declare("packed-refs", "jumps_made", 0);
	trace2_counter_declare("reftable", "reseeks_made", 0);
	trace2_counter_declare("fsync", "writeout-only", 0);
	trace2_counter_declare("fsync", "hardware-flush", 0);
}
