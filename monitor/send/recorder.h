/* SPDX-License-Identifier: MIT */
/*
 * The recorder is a thread that writes the data of its tap to a recording
 * (monitor/read/recording.h).
 *
 *   tap --> whole lines (incomplete lines are kept per stream) --> chunk --> file or pipe
 *
 * A chunk is written at the latest when it has RECORDING_CHUNK_BYTES or about a second after its
 * first entry (100 ms for a pipe or standard output). If a write fails, recording stops, but the
 * tap is still drained. With `max_bytes`, a new file starts at half of that size and the previous
 * one is kept as FILE.old; not for a pipe or standard output.
 *
 * If another program removes, renames or replaces the file, its path is opened again within about a
 * second, as at the start.
 *
 * Call the functions from the thread that created the recorder, unless stated otherwise.
 */
#ifndef MONITOR_RECORDER_H
#define MONITOR_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/base/tap.h"

#define RECORDER_TAP_BYTES (16u << 20)
/* Minimum of max_bytes, unless it is 0. */
#define RECORDER_MIN_BYTES (1u << 20)

struct recorder;

struct recorder_config {
	const char *path;   /* path of the recording, borrowed; "-": standard output */
	uint64_t max_bytes; /* about the maximum size of FILE and FILE.old together; 0: no limit */
	/* the events are redacted; the recording's head notes this and has no host name */
	bool redacted;
	/* Called on the recorder's thread when recording stops early, or when the file was
	 * removed, renamed or replaced. Must not block; may be NULL. */
	void (*stopped)(void *data);
	void *data;
};

struct recorder_stats {
	uint64_t bytes;         /* number of bytes written to all files */
	struct tap_losses lost; /* numbers of lines and bytes that did not fit into the tap */
	/* number of times that the file was removed, with its content, and created again */
	unsigned removed;
	/* number of times that the file was renamed, or its path replaced, and a new one created */
	unsigned renamed;
	bool has_stopped;
	/* error that stopped recording; "": none */
	char error[200];
};

/* Open the recording; the tap is not read yet. Returns NULL with one line in `why` on error. */
struct recorder *recorder_new(const struct recorder_config *config, char *why, size_t why_bytes);
struct tap *recorder_tap(struct recorder *recorder);
void recorder_start(struct recorder *recorder);
/* Get counters and status. Any thread. */
void recorder_stats(struct recorder *recorder, struct recorder_stats *out);
/* Write the rest, for at most about two seconds if a pipe is not read, and end the thread. Call
 * it after the last input. */
void recorder_end(struct recorder *recorder);
void recorder_free(struct recorder *recorder);

#endif
