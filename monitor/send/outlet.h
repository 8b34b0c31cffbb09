/* SPDX-License-Identifier: MIT */
/*
 * Outlets: where a tee's lines leave. What is put waits in memory until it is taken; who puts more
 * than there is room for loses it, whole lines at a time, and counts it.
 *
 * Invariant: `out` from `at` on is what was put and did not leave. It begins within a line only
 * where the part before left (`torn`), and then that line is lost with the outlet. Of DGRAM each
 * message stands behind its length.
 *
 * One thread for an outlet.
 */
#ifndef MONITOR_OUTLET_H
#define MONITOR_OUTLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "monitor/base/tap.h"

enum outlet_kind {
	OUTLET_STREAM, /* a stream socket: a connection each */
	OUTLET_DGRAM,  /* a datagram socket: a line each */
	OUTLET_FILE,   /* a file, or a FIFO: appended to by whole lines */
	OUTLET_DIR,    /* a new file in a directory each */
};

/* What one outlet holds at most, and what a datagram may have. */
#define OUTLET_MAX_BYTES (256u << 10)
#define OUTLET_MAX_DGRAM (208u << 10)

struct outlet_target {
	enum outlet_kind kind; /* of a path a directory or not is found out when it is opened */
	const char *path;      /* borrowed, within the spec */
	bool is_path;          /* FILE or DIR */
	bool any_socket;       /* STREAM, else DGRAM */
	int max_files;         /* of a directory; 0: no bound */
};

/* Take a target apart as Git does: an absolute path, or af_unix:[stream:|dgram:]PATH. False, with a
 * line of `why`. */
bool outlet_target_parse(const char *spec, struct outlet_target *out, char *why, size_t why_bytes);
/* Is there one outlet for all, not one for each connection? */
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
/* Open it; `name` is that of a new file. 0, or an errno; EAGAIN: not yet, and what is put waits. */
int outlet_open(struct outlet *outlet, const struct outlet_target *target, const char *name);
/* How many bytes wait. */
static inline size_t outlet_waiting(const struct outlet *outlet)
{
	return outlet->out.len - outlet->at;
}
/* Put whole lines, or a last one; of what does not fit in `room` the lines are added to `lost`.
 * `message`: it is one, whatever LFs it has. */
void outlet_put(struct outlet *outlet, enum outlet_kind kind, const char *bytes, size_t len,
		bool message, size_t room, struct tap_losses *lost);
/* Write what waits, as much as is taken now. 0, or an errno: it is closed then, and what waited
 * was added to `lost`. */
int outlet_flush(struct outlet *outlet, enum outlet_kind kind, struct tap_losses *lost,
		 struct tap_losses *passed);
/* Close it; what waits is lost. */
void outlet_close(struct outlet *outlet, enum outlet_kind kind, struct tap_losses *lost);
void outlet_release(struct outlet *outlet);

/* Add so many bytes, and their lines; what stands behind the last LF is one, too. */
void losses_add(struct tap_losses *losses, const char *bytes, size_t len);
/* The same of pieces of lines: each line counts where its LF is. */
void losses_add_pieces(struct tap_losses *losses, const char *bytes, size_t len);

#endif
