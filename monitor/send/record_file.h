/* SPDX-License-Identifier: MIT */
/* The file or pipe to which a recording is written. An existing recording is appended to, but
 * incomplete or invalid data at its end is removed first. Used by one thread at a time. */
#ifndef MONITOR_RECORD_FILE_H
#define MONITOR_RECORD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"

struct record_file {
	const char *path; /* ro: path of the recording, borrowed; NULL: standard output */
	int fd;           /* private: -1: closed */
	/* ro: the recording is a regular file that was opened by its path */
	bool is_stored;
	uint64_t bytes; /* ro: size of the file, or number of bytes written to a pipe */
};

/*
 * Open `path` ("-": standard output) for appending. Returns false with one line in `why` on error.
 * Refuses files that are not recordings, files that another process has locked, and a terminal as
 * standard output.
 */
bool record_file_open(struct record_file *file, const char *path, char *why, size_t why_bytes);

/*
 * Write all bytes. Returns false with errno on error; a file is then truncated to its previous
 * size, if possible. While a pipe is full, `give_up` is called repeatedly; if it returns true, the
 * function fails with ETIMEDOUT.
 */
bool record_file_write(struct record_file *file, const char *bytes, size_t len,
		       bool (*give_up)(void *data), void *data);

/* Rename the recording to FILE.old, replacing the previous FILE.old, and start a new file. Returns
 * false with errno on error; then the recording keeps its name if possible. */
bool record_file_renew(struct record_file *file);

/* Get the arrival times (wall clock) of the first and last entry of a recording. Returns false
 * unless the file is regular, readable and has a complete chunk. */
bool record_file_bounds(const char *path, ns_t *first, ns_t *last);

enum record_file_state {
	RECORD_FILE_SAME,
	/* the path names another file or none, but the open file still has another name */
	RECORD_FILE_RENAMED,
	/* the open file has no name any more, so closing it loses its content */
	RECORD_FILE_REMOVED,
};

/* Check whether the path still names the recording. Returns RECORD_FILE_SAME also if `is_stored`
 * is false or the check fails. */
enum record_file_state record_file_check(const struct record_file *file);
/* Close the recording and open its path again. */
bool record_file_reopen(struct record_file *file, char *why, size_t why_bytes);

void record_file_close(struct record_file *file);

#endif
