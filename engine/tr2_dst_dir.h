/* SPDX-License-Identifier: MIT */
/* Create a new file in a trace directory. Any thread. */
#ifndef TR2_DST_DIR_H
#define TR2_DST_DIR_H

#include <stdbool.h>

struct tr2_dir_file {
	int fd;    /* descriptor of the new file, close-on-exec; -1: none */
	int error; /* errno on failure; 0 if `full` */
	/* The directory has at least `max_files` entries, or the sentinel file git-trace2-discard.
	 * A valid `fd` is then the sentinel, newly created. */
	bool full;
};

/*
 * Create `directory`/`name`, or the first of name.1 to name.9 that does not exist. If `max_files` >
 * 0, create nothing if the directory contains the sentinel, git-trace2-discard, and the empty
 * sentinel instead if it has at least `max_files` entries ("." and ".." count).
 */
struct tr2_dir_file tr2_dir_create(const char *directory, const char *name, int max_files);

/* True if tr2_dir_create() would try to create a trace file in the directory. */
bool tr2_dir_has_space(const char *directory, int max_files);

#endif
