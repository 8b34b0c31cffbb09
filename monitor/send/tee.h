/* SPDX-License-Identifier: MIT */
/*
 * A tee: a thread that passes on what comes through its tap to a target as Git has them, a path, a
 * directory or a socket, so that a collector that was there misses nothing.
 *
 *   coming in    to a stream socket     to datagrams     to a file     to a directory
 *   connection   a connection each      a line each      whole lines   a file each, by its SID
 *   datagrams    a connection a SID     as they came     whole lines   a file a SID
 *
 * Bytes go on unchanged, in order within their connection. Nobody waits for a tee: what its
 * target does not take, and what comes while there is none, is dropped by whole lines and
 * counted; it is tried again each second.
 *
 * Calls are for the thread that made it, unless they say otherwise.
 */
#ifndef MONITOR_TEE_H
#define MONITOR_TEE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/base/tap.h"

#define TEE_TAP_BYTES (2u << 20)
/* Connections, or files, that are open at once; of more the lines are dropped. */
#define TEE_MAX_OUTLETS 4096u

struct tee;

struct tee_stats {
	struct tap_losses passed, lost;
	char error[100]; /* why its target takes nothing now; "" */
};

/* `spec` is borrowed. NULL, with a line of `why`, where it is no target. */
struct tee *tee_new(const char *spec, char *why, size_t why_bytes);
/*
 * One whose target another has to say, now and whenever it fails: `ask` returns a spec, which is
 * free()d, or NULL for none at present, and then what comes is passed over, uncounted. Asked by
 * this call, and by the tee's thread, at most once a second and after tee_ask_again(); it may take
 * some milliseconds.
 */
struct tee *tee_new_asking(char *(*ask)(void *data), void *data);
/* What was said may be another now. Any thread; returns at once. */
void tee_ask_again(struct tee *tee);
/* The path within its spec; not of one that asks. */
const char *tee_path(const struct tee *tee);
/* What is to be passed on is put there. */
struct tap *tee_tap(struct tee *tee);
/* Start the thread. */
void tee_start(struct tee *tee);
/* Any thread. */
void tee_stats(struct tee *tee, struct tee_stats *out);
/* Nothing is put any more: pass on what there is, for two seconds at most, end the thread. */
void tee_end(struct tee *tee);
void tee_free(struct tee *tee);

#endif
