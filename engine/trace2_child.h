/* SPDX-License-Identifier: MIT */
/*
 * struct child_process for hosts that have none of their own: what libtrace2 reads of a child.
 * A host with its own registers a reader (trace2_set_child_reader) and leaves this header out.
 *
 *	struct child_process cmd = TRACE2_CHILD_PROCESS_INIT;
 *
 *	cmd.argv = argv;
 *	cmd.trace2_child_class = "editor";
 *	trace2_child_start(&cmd);
 *	cmd.pid = fork();
 *	...
 *	trace2_child_exit(&cmd, exit_code);
 *
 * The strings and argv are the host's and must live until the last call for the child.
 */
#ifndef TRACE2_CHILD_H
#define TRACE2_CHILD_H

#include <stdint.h>

struct child_process {
	const char *const *argv;        /* NULL-terminated; passwords in URLs are hidden */
	const char *dir;                /* where it runs; NULL: where we are */
	const char *trace2_child_class; /* "editor", "pager" ...; NULL: "?" */
	const char *trace2_hook_name;   /* not NULL: it is this hook, whatever the class */
	uint64_t trace2_child_us_start; /* set by trace2_child_start() */
	int trace2_child_id;            /* set by trace2_child_start() */
	int pid;                        /* -1 where it could not be started */
	unsigned git_cmd : 1;           /* argv lacks the leading "git" */
	unsigned use_shell : 1;
};

#define TRACE2_CHILD_PROCESS_INIT                                                                  \
	{                                                                                          \
		0, 0, 0, 0, 0, 0, -1, 0, 0                                                         \
	}

#endif
