/* SPDX-License-Identifier: MIT */
/*
 * A new file in a directory of traces: its name, what happens where the name is taken, and the
 * bound on how many files there may be. Any thread; a few system calls.
 */
#ifndef TR2_DST_DIR_H
#define TR2_DST_DIR_H

#include <stdbool.h>

struct tr2_dir_file {
	int fd;    /* close-on-exec; -1 where there is none */
	int error; /* errno then; 0 where `full` says it all */
	/* The directory holds its maximum. With a descriptor: that of the sentinel, made now. */
	bool full;
};

/*
 * Create `directory`/`name`, or name.1 to name.9 where that exists. With `max_files` > 0 a
 * directory of that many entries (whatever they are) gets the sentinel git-trace2-discard
 * instead, once; while that is there nothing is created.
 */
struct tr2_dir_file tr2_dir_create(const char *directory, const char *name, int max_files);

/* Whether tr2_dir_create() would make a file there, and not the sentinel or nothing. */
bool tr2_dir_takes_files(const char *directory, int max_files);

#endif
