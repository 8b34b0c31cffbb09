/* SPDX-License-Identifier: MIT */
/* Read members of the host program's structures, through a reader function that the host program
 * registered, or by the layout of the companion header, such as trace2_child.h. Any thread. */
#ifndef TR2_READERS_H
#define TR2_READERS_H

#include <stdint.h>

#include "engine/trace2.h"

struct tr2_child {
	int *id;
	uint64_t *us_start;
	int pid;
	const char *child_class, *hook_name, *dir;
	int git_cmd, use_shell;
	const char *const *argv;
};

struct tr2_repo {
	int *id;
	const char *worktree;
};

struct tr2_json {
	const char *text;
	int pretty;
};

void tr2_read_child(struct child_process *cmd, struct tr2_child *out);
void tr2_read_repo(const struct repository *repo, struct tr2_repo *out);
void tr2_read_json(const struct json_writer *jw, struct tr2_json *out);
/* Return the scope of a configuration value, an enum trace2_scope. */
int tr2_read_scope(const struct key_value_info *kvi);

#endif
