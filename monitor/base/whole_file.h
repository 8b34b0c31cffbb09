/* SPDX-License-Identifier: MIT */
/*
 * Write a file completely or not at all: data goes to a temporary file in the same directory. The
 * temporary file is renamed at the end. If that is impossible (as for a device, a FIFO, a file with
 * several links or another owner, a dangling link, a directory without write permission), data goes
 * to the file itself; if that fails, it is truncated if it is a regular file.
 */
#ifndef MONITOR_WHOLE_FILE_H
#define MONITOR_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct whole_file {
	FILE *to;   /* rw: stream to write the data to; NULL: none */
	char *path; /* private: path of the file, with symbolic links resolved if the file exists */
	char *temp; /* private: path of the temporary file; NULL: the file itself is written to */
};

/*
 * Open `path` for writing. A new file gets `mode` less the umask, an existing one keeps its mode.
 * Returns false with errno on failure: ELOOP if `path` is a link in a directory that other users
 * can write to.
 */
bool whole_file_open(struct whole_file *file, const char *path, mode_t mode);

/* Return O_NOFOLLOW if other users can write to the directory of `path`, else 0. */
int whole_file_nofollow(const char *path);

/*
 * Close the file and rename it to its final name. Also valid if opening failed. `ok`: all writes
 * succeeded; if not, the file is discarded. Returns false with errno if the file was not written or
 * cannot be kept. If `ok` is false errno is not changed.
 */
bool whole_file_close(struct whole_file *file, bool ok);

#endif
