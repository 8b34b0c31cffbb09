/* SPDX-License-Identifier: MIT */
/*
 * An outlet is one connection or file to which a tee writes. Lines are buffered until the target
 * accepts them; lines that do not fit are dropped whole and counted.
 *
 * Invariant: `out` from `at` on is the data that was not written yet. It starts within a line only
 * if the first part of that line was written (`torn`); if the outlet is closed then, that line
 * counts as lost. For a datagram socket, the length of each message precedes it.
 *
 * Used by one thread at a time.
 */
#ifndef MONITOR_OUTLET_H
#define MONITOR_OUTLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "monitor/base/tap.h"

enum outlet_kind {
	OUTLET_STREAM, /* stream socket: one connection per outlet */
	OUTLET_DGRAM,  /* datagram socket: one datagram per line or message */
	OUTLET_FILE,   /* file or FIFO: whole lines are appended */
	OUTLET_DIR,    /* directory: one new file per outlet */
};

/* Usual limit on the bytes that an outlet buffers, and maximum size of a datagram. */
#define OUTLET_MAX_BYTES (256u << 10)
#define OUTLET_MAX_DGRAM (208u << 10)

struct outlet_target {
	/* kind of the target; for a path, FILE or DIR is set when the path is opened */
	enum outlet_kind kind;
	const char *path; /* path in the specification; borrowed */
	/* the target is a path, not a socket */
	bool is_path;
	bool any_socket; /* try a stream socket first, then a datagram socket, as Git does */
	int max_files;   /* limit of the directory's entries, for tr2_dir_create(); 0: none */
};

/* Parse a target: an absolute path, or af_unix:[stream:|dgram:]PATH. Returns false with one line
 * in `why` on error. */
bool outlet_target_parse(const char *spec, struct outlet_target *out, char *why, size_t why_bytes);
/* True if a tee's inputs share one outlet. */
static inline bool outlet_is_shared(const struct outlet_target *target)
{
	return target->kind == OUTLET_DGRAM || target->kind == OUTLET_FILE;
}

struct outlet {
	int fd; /* ro: -1: closed */
	struct tr2_buf out;
	size_t at;
	bool torn;
};

void outlet_init(struct outlet *outlet);
/* Open the outlet; `name`: the new file in a target directory. Returns 0 or an errno value. After
 * EAGAIN, lines can be buffered until the outlet can be opened. */
int outlet_open(struct outlet *outlet, const struct outlet_target *target, const char *name);
static inline size_t outlet_waiting(const struct outlet *outlet)
{
	return outlet->out.len - outlet->at;
}
/* Buffer whole lines, or a last line without LF. Lines that exceed the `room` bytes that may be
 * buffered, or OUTLET_MAX_DGRAM as a datagram, are added to `lost`. `message`: the bytes are one
 * datagram, even with LFs. */
void outlet_put(struct outlet *outlet, enum outlet_kind kind, const char *bytes, size_t len,
		bool message, size_t room, struct tap_losses *lost);
/* Write buffered bytes without blocking. Returns 0, or an errno value if an error closed the
 * outlet. Written lines and bytes are added to `passed`, lost ones to `lost`. */
int outlet_flush(struct outlet *outlet, enum outlet_kind kind, struct tap_losses *lost,
		 struct tap_losses *passed);
/* Close the outlet. Buffered lines are added to `lost`. */
void outlet_close(struct outlet *outlet, enum outlet_kind kind, struct tap_losses *lost);
void outlet_release(struct outlet *outlet);

/* Add bytes and their lines to `losses`; text after the last LF counts as a line. */
void losses_add(struct tap_losses *losses, const char *bytes, size_t len);
/* Add bytes to `losses`; only LFs count as lines. */
void losses_add_pieces(struct tap_losses *losses, const char *bytes, size_t len);

#endif
