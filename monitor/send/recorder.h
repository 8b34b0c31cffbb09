/* SPDX-License-Identifier: MIT */
/*
 * The recorder: a thread that writes the trace data that trace2top reads to a recording
 * (monitor/read/recording.h). It gets a copy of the data from a queue, its tap.
 *
 *   tap --> whole lines (incomplete lines are kept per stream) --> chunk --> file or pipe
 *
 * A chunk is written when it has RECORDING_CHUNK_BYTES, or a second after its first entry (100 ms
 * for a pipe). If a write fails, recording stops and the stats report it; the tap is still drained,
 * so that no writer blocks. With `max_bytes`, a new file starts at half of that size and the
 * previous one is kept as FILE.old.
 *
 * If another program removes, renames or replaces the file, its path is opened again within a
 * second, like at the start. The stats count this.
 *
 * Call functions from the creating thread, unless stated otherwise.
 */
#ifndef MONITOR_RECORDER_H
#define MONITOR_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/base/tap.h"

#define RECORDER_TAP_BYTES (16u << 20)
/* Smallest allowed value of max_bytes. */
#define RECORDER_MIN_BYTES (1u << 20)

struct recorder;

struct recorder_config {
	const char *path;   /* path of the recording; borrowed; "-": standard output */
	uint64_t max_bytes; /* maximum size of the recording; 0: no limit */
	/* the events are redacted, as the file's header records; it has no host name */
	bool redacted;
	/* Callback: called from the recorder's thread when it stops or when the file was removed
	 * or renamed; must not block. May be NULL. */
	void (*stopped)(void *data);
	void *data;
};

struct recorder_stats {
	uint64_t bytes;         /* bytes written in total */
	struct tap_losses lost; /* data that did not fit into the tap */
	unsigned removed;       /* how often the file was removed, so that its content is lost */
	unsigned renamed;       /* how often the file was renamed */
	bool has_stopped;
	char error[200]; /* reason why recording stopped; "" if the reader of a pipe closed it */
};

/* Open the file of the recording; reads nothing from the tap yet. Returns NULL with a one-line
 * reason in `why` on error. */
struct recorder *recorder_new(const struct recorder_config *config, char *why, size_t why_bytes);
/* Return the tap for the data to record. */
struct tap *recorder_tap(struct recorder *recorder);
/* Start the recorder's thread. */
void recorder_start(struct recorder *recorder);
/* Get the recorder's counters and status. Any thread. */
void recorder_stats(struct recorder *recorder, struct recorder_stats *out);
/* Call after the last input: write the rest and end the thread. */
void recorder_end(struct recorder *recorder);
void recorder_free(struct recorder *recorder);

#endif
