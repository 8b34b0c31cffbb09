/* SPDX-License-Identifier: MIT */
/*
 * struct child_process for host programs without their own (see trace2_set_child_reader()): the
 * members of a child that libtrace2 reads.
 *
 * 	struct child_process cmd = TRACE2_CHILD_PROCESS_INIT;
 *
 * 	cmd.argv = argv;
 * 	cmd.trace2_child_class = "editor";
 * 	trace2_child_start(&cmd);
 * 	cmd.pid = fork();
 * 	...
 * 	trace2_child_exit(&cmd, exit_code);
 *
 * The host program owns the strings and argv, which must stay valid until the last call for the
 * child.
 */
#ifndef TRACE2_CHILD_H
#define TRACE2_CHILD_H

#include <stdint.h>

struct child_process {
	/* command line of the child, NULL-terminated */
	const char *const *argv;
	/* working directory of the child; NULL: that of this process */
	const char *dir;
	const char *trace2_child_class; /* child class: "editor", "pager" ...; NULL: "?" */
	/* name of the hook that the child runs; overrides the child class; NULL: not a hook */
	const char *trace2_hook_name;
	uint64_t trace2_child_us_start; /* set by trace2_child_start() */
	int trace2_child_id;            /* set by trace2_child_start() */
	int pid;                        /* pid of the child; -1 if it could not be started */
	/* the child runs git, but argv does not contain the leading "git" */
	unsigned git_cmd : 1;
	unsigned use_shell : 1;
};

#define TRACE2_CHILD_PROCESS_INIT                                                                  \
	{                                                                                          \
		0, 0, 0, 0, 0, 0, -1, 0, 0                                                         \
	}

#endif
