/* SPDX-License-Identifier: MIT */
/*
 * Create a new file in a trace directory: choose its name, handle existing names, and limit the
 * number of files. Any thread; each function makes a few system calls.
 */
#ifndef TR2_DST_DIR_H
#define TR2_DST_DIR_H

#include <stdbool.h>

struct tr2_dir_file {
	int fd;    /* descriptor of the new file, close-on-exec; -1 on failure */
	int error; /* errno on failure; 0 if nothing was created because the directory is full */
	/* The directory has its maximum number of files. If `fd` is valid, it is the newly
	 * created sentinel file git-trace2-discard. */
	bool full;
};

/*
 * Create `directory`/`name`, or name.1 to name.9 if that exists. If `max_files` > 0 and the
 * directory has that many entries of any kind, create the empty file git-trace2-discard (the
 * sentinel) instead, once. While the sentinel exists, nothing is created.
 */
struct tr2_dir_file tr2_dir_create(const char *directory, const char *name, int max_files);

/*
 * True if tr2_dir_create() would create a trace file in the directory, rather than the sentinel or
 * nothing.
 */
bool tr2_dir_has_space(const char *directory, int max_files);

#endif
