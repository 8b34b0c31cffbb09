/* SPDX-License-Identifier: MIT */
/*
 * Where a recording is written to: a file, which is gone on with where it is a recording already,
 * or a pipe. Nothing that was written is ever written again; what an end without warning left
 * behind the last whole chunk is cut off. One thread.
 */
#ifndef MONITOR_RECORD_FILE_H
#define MONITOR_RECORD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"

struct record_file {
	const char *path; /* ro: borrowed; NULL: standard output */
	int fd;           /* private: -1: closed */
	bool is_stored;   /* ro: a file, which can be gone on with */
	uint64_t bytes;   /* ro: in it */
};

/* Open `path` ("-": standard output) to append to. False, with a line of `why`, where it cannot
 * be: no recording is ever written over what is none, or what another one writes to. */
bool record_file_open(struct record_file *file, const char *path, char *why, size_t why_bytes);

/*
 * Write all of it. False with errno where it cannot be; then a file holds none of it. `give_up`
 * is asked now and then while a pipe takes nothing; then errno is ETIMEDOUT.
 */
bool record_file_write(struct record_file *file, const char *bytes, size_t len,
		       bool (*give_up)(void *data), void *data);

/* Name it FILE.old, in place of the one before, and begin a new one. False with errno; it has its
 * name as before then. */
bool record_file_renew(struct record_file *file);

/* When the first and the last entry of the recording at `path` came (wall), as it says itself.
 * False where it is none. */
bool record_file_bounds(const char *path, ns_t *first, ns_t *last);

void record_file_close(struct record_file *file);

#endif
