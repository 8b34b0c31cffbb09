/* SPDX-License-Identifier: MIT */
/*
 * Create a new file in a trace directory: choose its name, handle existing names, and limit the
 * number of files. Any thread; a few system calls.
 */
#ifndef TR2_DST_DIR_H
#define TR2_DST_DIR_H

#include <stdbool.h>

struct tr2_dir_file {
	int fd;    /* close-on-exec; -1 on failure */
	int error; /* errno on failure; 0 if the directory is full */
	/* The directory has its maximum number of files. If `fd` is valid, it is the newly
	 * created sentinel file git-trace2-discard. */
	bool full;
};

/*
 * Create `directory`/`name`, or name.1 to name.9 if that exists. If `max_files` > 0 and the
 * directory has that many entries of any kind, create the sentinel git-trace2-discard instead,
 * once. While the sentinel exists, nothing is created.
 */
struct tr2_dir_file tr2_dir_create(const char *directory, const char *name, int max_files);

/* True if tr2_dir_create() would create a trace file there, not the sentinel or nothing. */
bool tr2_dir_has_space(const char *directory, int max_files);

#endif
