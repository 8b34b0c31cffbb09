/* SPDX-License-Identifier: MIT */
/*
 * A tee is a thread that forwards the data of its tap to a Git trace target (path, directory or
 * socket), so that an existing collector still receives events.
 *
 *   input        stream socket        datagram socket   file          directory
 *   connection   one connection each  one per line      whole lines   one file each, named by SID
 *   datagrams    one connection/SID   unchanged         whole lines   one file per SID
 *
 * Bytes are forwarded unchanged, in the order in which they arrived on their connection; a file
 * gets an LF after a last line without one. A tee never blocks the programs that write traces:
 * lines that the target does not accept, or that arrive while it is unreachable, are dropped whole
 * and counted. While input arrives, the tee tries to open an unreachable target every second.
 *
 * Call the functions from the thread that created the tee, unless stated otherwise.
 */
#ifndef MONITOR_TEE_H
#define MONITOR_TEE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/base/tap.h"

#define TEE_TAP_BYTES (2u << 20)
/* Maximum number of open connections or files. Lines that would need more are dropped. */
#define TEE_MAX_OUTLETS 4096u

struct tee;

struct tee_stats {
	struct tap_losses passed, lost;
	/* the last failure since the target was opened; "": none */
	char error[100];
};

/* Create a tee to the target `spec`, which is borrowed. Returns NULL with one line in `why` if it
 * is not a valid target. */
struct tee *tee_new(const char *spec, char *why, size_t why_bytes);
/*
 * Create a tee whose target `ask` returns: a malloc()ed specification, or NULL if there is no
 * target now; then input is skipped and not counted. `ask` is called by this function and by the
 * tee's thread: after tee_ask_again(), and at most once per second while the target cannot be
 * opened.
 */
struct tee *tee_new_asking(char *(*ask)(void *data), void *data);
/* Make the tee call `ask` again, because the target may have changed. Any thread; does not
 * block. */
void tee_ask_again(struct tee *tee);
/* Return the target's path. Not for a tee with `ask`. */
const char *tee_path(const struct tee *tee);
struct tap *tee_tap(struct tee *tee);
void tee_start(struct tee *tee);
/* Get counters and status. Any thread. */
void tee_stats(struct tee *tee, struct tee_stats *out);
/* Forward the rest, for at most two seconds, and end the thread. Call it after the last input. */
void tee_end(struct tee *tee);
void tee_free(struct tee *tee);

#endif
