/* SPDX-License-Identifier: MIT */
/*
 * The batch that is being filled: whole lines of one host, and when they leave.
 *
 *   100 ms after the first line, but a second after the batch before at the earliest;
 *   at once with 256 KiB; while a message waits to be stored not before 1 MiB
 *
 * So what a quiet host says is seen soon, a busy one sends a message a second, and where the server
 * is slow messages get larger in place of more. One thread.
 */
#ifndef MONITOR_FORWARD_BATCH_H
#define MONITOR_FORWARD_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/base/clock.h"
#include "monitor/nats/wire.h"

#define FORWARD_FIRST_NS   (100 * NS_PER_MS)
#define FORWARD_FULL_BYTES (256u << 10)

struct forward_batch {
	struct tr2_buf lines;
	uint64_t events;
	ns_t first_ns; /* monotonic: of its first line */
	ns_t left_ns;  /* monotonic: when the one before left; NS_NONE: there was none */
	ns_t hold_ns;  /* between two that are not full */
};

void forward_batch_init(struct forward_batch *batch, ns_t hold_ns);
void forward_batch_release(struct forward_batch *batch);

/* Does a line of `len` bytes still go into it? An empty one takes any of WIRE_MAX_UNPACKED. */
static inline bool forward_batch_takes(const struct forward_batch *batch, size_t len)
{
	return !batch->lines.len || batch->lines.len + len <= WIRE_MAX_LINES;
}

/* Add a line, with its LF. */
void forward_batch_add(struct forward_batch *batch, const char *line, size_t len, ns_t now);
/* When it leaves; NS_NONE: not by itself. `is_idle`: no message waits to be stored. */
ns_t forward_batch_due(const struct forward_batch *batch, bool is_idle);
/* It has left. */
void forward_batch_left(struct forward_batch *batch, ns_t now);

/* What packs; NULL where this was built without zstd. */
struct forward_packer;
struct forward_packer *forward_packer_new(void);
void forward_packer_free(struct forward_packer *packer);

/*
 * Pack whole lines into messages of at most `max_packed` bytes: `message` gets each, with its
 * lines' number and bytes that are malloc()ed and its own. Lines that fit none even alone are
 * counted in `*lost`.
 */
void forward_pack(struct forward_packer *packer, const char *lines, size_t len, size_t max_packed,
		  void (*message)(void *data, uint64_t events, char *bytes, size_t len), void *data,
		  uint64_t *lost);

#endif
