/* SPDX-License-Identifier: MIT */
/*
 * An outlet: one connection or file to which a tee writes. Lines are buffered in memory until the
 * target accepts them. If the buffer is full, whole lines are dropped and counted.
 *
 * Invariant: `out` from `at` on is the data that was not written yet. It starts within a line only
 * if the first part of that line was written (`torn`); if the outlet closes, that line is lost. For
 * a datagram socket, each message is preceded by its length.
 *
 * One thread per outlet.
 */
#ifndef MONITOR_OUTLET_H
#define MONITOR_OUTLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "monitor/base/tap.h"

enum outlet_kind {
	OUTLET_STREAM, /* a stream socket: one connection per outlet */
	OUTLET_DGRAM,  /* a datagram socket: one datagram per line */
	OUTLET_FILE,   /* a file, or a FIFO: whole lines are appended */
	OUTLET_DIR,    /* a directory: one new file per outlet */
};

/* Maximum buffer of an outlet, and maximum size of a datagram. */
#define OUTLET_MAX_BYTES (256u << 10)
#define OUTLET_MAX_DGRAM (208u << 10)

struct outlet_target {
	enum outlet_kind kind; /* for a path, it is decided when it is opened: FILE or DIR */
	const char *path;      /* path of the target; borrowed, within the spec */
	bool is_path;          /* the target is a path, not a socket: FILE or DIR */
	bool any_socket;       /* try STREAM first, then DGRAM, as Git does */
	int max_files;         /* limit on the number of files in a directory; 0: no limit */
};

/* Parse a target as Git does: an absolute path, or af_unix:[stream:|dgram:]PATH. Returns false with
 * a one-line reason in `why` on error. */
bool outlet_target_parse(const char *spec, struct outlet_target *out, char *why, size_t why_bytes);
/* True if all input connections of a tee share one outlet. */
static inline bool outlet_is_shared(const struct outlet_target *target)
{
	return target->kind == OUTLET_DGRAM || target->kind == OUTLET_FILE;
}

struct outlet {
	int fd; /* ro: descriptor; -1: closed */
	struct tr2_buf out;
	size_t at;
	bool torn;
};

void outlet_init(struct outlet *outlet);
/* Open the outlet; `name` is the name of a new file in a directory. Returns 0 or an errno value.
 * On EAGAIN lines are buffered. */
int outlet_open(struct outlet *outlet, const struct outlet_target *target, const char *name);
/* Return the number of bytes that are buffered. */
static inline size_t outlet_waiting(const struct outlet *outlet)
{
	return outlet->out.len - outlet->at;
}
/* Buffer whole lines, or a last line without LF. Lines for which `room` is not enough are added
 * to `lost`. `message`: the bytes are one message, even with LFs. */
void outlet_put(struct outlet *outlet, enum outlet_kind kind, const char *bytes, size_t len,
		bool message, size_t room, struct tap_losses *lost);
/* Write buffered bytes without blocking. Returns 0 or an errno value; then the outlet is closed
 * and the rest of its bytes was added to `lost`. */
int outlet_flush(struct outlet *outlet, enum outlet_kind kind, struct tap_losses *lost,
		 struct tap_losses *passed);
/* Close the outlet. Buffered lines are lost. */
void outlet_close(struct outlet *outlet, enum outlet_kind kind, struct tap_losses *lost);
void outlet_release(struct outlet *outlet);

/* Add bytes and their lines to `losses`; text after the last LF is a line, too. */
void losses_add(struct tap_losses *losses, const char *bytes, size_t len);
/* Add bytes of which lines may be incomplete to `losses`: only LFs are counted as lines. */
void losses_add_pieces(struct tap_losses *losses, const char *bytes, size_t len);

#endif
