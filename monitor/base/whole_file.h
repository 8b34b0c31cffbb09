/* SPDX-License-Identifier: MIT */
/*
 * Write a file completely or not at all, through a temporary file in the same directory. If that is
 * impossible, such as for a device or a file with several links, data goes to the file itself; if
 * writing fails, a regular file is then truncated.
 */
#ifndef MONITOR_WHOLE_FILE_H
#define MONITOR_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct whole_file {
	FILE *to;   /* rw: stream to write the data to; NULL: opening failed */
	char *path; /* private: path of the file, without symbolic links if possible */
	char *temp; /* private: path of the temporary file; NULL: none */
};

/*
 * Open `path` for writing. A new file gets `mode` less the umask; an existing one keeps its mode.
 * Returns false with errno on failure, such as ELOOP if `path` is a link in a directory that others
 * can write to.
 */
bool whole_file_open(struct whole_file *file, const char *path, mode_t mode);

/* Return O_NOFOLLOW if the group or others can write to the directory of `path`, else 0. */
int whole_file_nofollow(const char *path);

/*
 * Close the file and give it its final name. Call it also if opening failed. `ok` false: writing
 * failed; discards the file and keeps errno. Returns false with errno if the file was not written.
 */
bool whole_file_close(struct whole_file *file, bool ok);

#endif
