/* SPDX-License-Identifier: MIT */
/*
 * A batch collects the complete lines of one host for the next message.
 *
 * If the server has acknowledged all messages, the batch must be packed 100 ms after its first
 * line, but no sooner than `hold_ns` after the previous batch, or at once if it has 256 KiB. Else
 * it must be packed if it has 1 MiB or the next line would exceed that.
 *
 * Used by one thread at a time.
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
	ns_t first_ns; /* monotonic time at which the first line was added */
	ns_t left_ns;  /* monotonic time at which the previous batch was packed; NS_NONE: never */
	ns_t hold_ns;  /* minimum time between two batches that are not full, except at the end */
};

void forward_batch_init(struct forward_batch *batch, ns_t hold_ns);
void forward_batch_release(struct forward_batch *batch);

/* True if a line of `len` bytes fits into the batch. An empty batch accepts any line. */
static inline bool forward_batch_takes(const struct forward_batch *batch, size_t len)
{
	return !batch->lines.len || batch->lines.len + len <= WIRE_MAX_LINES;
}

/* Add a line with its LF. */
void forward_batch_add(struct forward_batch *batch, const char *line, size_t len, ns_t now);
/* Return the monotonic time at which the batch must be packed; NS_NONE: not now. `is_idle`: the
 * server has acknowledged all messages. */
ns_t forward_batch_due(const struct forward_batch *batch, bool is_idle);
/* Empty the batch, which was packed at the monotonic time `now`. */
void forward_batch_left(struct forward_batch *batch, ns_t now);

/* The compressor of messages. forward_packer_new() returns NULL if the program is built without
 * zstd. */
struct forward_packer;
struct forward_packer *forward_packer_new(void);
void forward_packer_free(struct forward_packer *packer);

/*
 * Pack complete lines into messages of at most `max_packed` bytes. `message` gets the number of
 * lines and the bytes of each message, and must free the bytes. The number of lines that do not fit
 * into a message is added to `*lost`.
 */
void forward_pack(struct forward_packer *packer, const char *lines, size_t len, size_t max_packed,
		  void (*message)(void *data, uint64_t events, char *bytes, size_t len), void *data,
		  uint64_t *lost);

#endif
