/* SPDX-License-Identifier: MIT */
/*
 * Write a file completely or not at all: data goes to a temporary file beside it, which is renamed
 * at the end. If that is impossible (a device, a FIFO, a file with several links or another owner,
 * a directory without write permission), writes to the file itself and truncates it on failure. An
 * incomplete report is never left behind.
 */
#ifndef MONITOR_WHOLE_FILE_H
#define MONITOR_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct whole_file {
	FILE *to;   /* rw: write to it; NULL if it could not be opened */
	char *path; /* private: final path, links resolved */
	char *temp; /* private: temporary path; NULL: the file itself is written */
};

/*
 * Open `path` for writing. A new file gets `mode` less the umask, an existing one keeps its mode.
 * Returns false with errno on failure: ELOOP if `path` is a link in a directory that other users
 * can write to.
 */
bool whole_file_open(struct whole_file *file, const char *path, mode_t mode);

/* Return O_NOFOLLOW if its group or other users can write to the directory of `path`, else 0. */
int whole_file_nofollow(const char *path);

/*
 * Finish; also valid if opening failed. `ok`: all writes succeeded. Returns false with errno if
 * the file was not written or cannot be kept. If `ok` is false errno is not changed.
 */
bool whole_file_close(struct whole_file *file, bool ok);

#endif
