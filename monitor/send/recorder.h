/* SPDX-License-Identifier: MIT */
/*
 * The recorder: a thread that keeps what comes through its tap as a recording (read/recording.h).
 *
 *   tap --> whole lines, the rest held a stream --> chunk --> file or pipe
 *
 * A chunk is written at RECORDING_CHUNK_BYTES, or a second after its first entry (100 ms into a
 * pipe). Where it cannot be written recording stops, which its stats tell; the tap is emptied all
 * the same, so that nobody waits for it. Bounded: with `max_bytes` a new file is begun at half of
 * that, and the one before is kept as FILE.old.
 *
 * Calls are for the thread that made it, unless they say otherwise.
 */
#ifndef MONITOR_RECORDER_H
#define MONITOR_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/base/tap.h"

#define RECORDER_TAP_BYTES (16u << 20)
/* Smaller bounds would hold next to nothing. */
#define RECORDER_MIN_BYTES (1u << 20)

struct recorder;

struct recorder_config {
	const char *path;   /* borrowed; "-": standard output */
	uint64_t max_bytes; /* 0: no bound */
	bool redacted;      /* said in its head, which names no host then */
	/* Called from its thread when it stopped; must not block. NULL: nobody asks. */
	void (*stopped)(void *data);
	void *data;
};

struct recorder_stats {
	uint64_t bytes;         /* written, ever */
	struct tap_losses lost; /* what did not fit into the tap */
	bool has_stopped;
	char error[200]; /* why; "" where who reads a pipe has left */
};

/* Open where it goes; nothing is read yet. NULL, with a line of `why`. */
struct recorder *recorder_new(const struct recorder_config *config, char *why, size_t why_bytes);
/* What is to be recorded is put there. */
struct tap *recorder_tap(struct recorder *recorder);
/* Start the thread. */
void recorder_start(struct recorder *recorder);
/* Any thread. */
void recorder_stats(struct recorder *recorder, struct recorder_stats *out);
/* Nothing is put any more: write what there is, end the thread. */
void recorder_end(struct recorder *recorder);
void recorder_free(struct recorder *recorder);

#endif
