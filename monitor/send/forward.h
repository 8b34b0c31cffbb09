/* SPDX-License-Identifier: MIT */
/*
 * The forwarder of an agent sends the EVENT lines of its tap to a NATS JetStream server.
 *
 *   tap --> batch --> pack --> queue (memory, spool) --> one message at a time --> server
 *   \____ forwarder's thread ____/                    \__ the link's thread (nats_link.h) __/
 *
 * A message is sent again with the same id until the server acknowledges it. So messages stay in
 * order, and the server can detect repeated ones. If messages do not fit into the queue, the oldest
 * are dropped, and a later message reports the loss.
 *
 * Call the functions from the thread that created the forwarder, unless stated otherwise.
 */
#ifndef MONITOR_FORWARD_H
#define MONITOR_FORWARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/base/tap.h"
#include "monitor/nats/nats_link.h"
#include "monitor/nats/wire.h"

#define FORWARD_TAP_BYTES   (4u << 20)
#define FORWARD_QUEUE_BYTES (64u << 20)
#define FORWARD_RATE        (1u << 20)
#define FORWARD_HOLD_NS     NS_PER_SEC
#define FORWARD_ACK_NS      (2 * NS_PER_SEC)

struct forward;

struct forward_config {
	struct nats_link_config link; /* configuration of the link; the forwarder sets its `name` */
	struct wire_name name;        /* name of the agent, SITE.HOST */
	size_t buffer_bytes;          /* maximum bytes of packed messages in memory */
	/* packed bytes that may be sent per second on average; 0: no limit */
	uint64_t rate;
	/* minimum time in ns between two batches that are not full, except at the end */
	ns_t hold_ns;
	ns_t ack_ns; /* ns to wait for the server's answer to a message */
	/* directory to which messages move when memory has more than half of `buffer_bytes`, and
	 * at the end; NULL: none */
	const char *spool;
	/* Called on any thread when the status changes; must not block; may be NULL. */
	void (*changed)(void *data);
	void *data;
};

struct forward_stats {
	/* numbers of events, messages and packed bytes that the server has stored since the
	 * start */
	uint64_t events, messages, bytes;
	uint64_t lost, filtered; /* events */
	/* number of attempts to send that no answer confirmed as stored */
	uint64_t repeats;
	unsigned waiting; /* number of messages that the server has not stored yet */
	size_t spooled;   /* number of bytes of the waiting messages that are only in the spool */
	struct nats_link_status link;
	char error[300]; /* why the server stores no messages now; "": no reason */
};

/* Create a forwarder; it does not connect yet. Returns NULL with one line in `why` on error. */
struct forward *forward_new(const struct forward_config *config, char *why, size_t why_bytes);
/* Return the tap for the lines to send: complete lines in BYTES entries. */
struct tap *forward_tap(struct forward *forward);
void forward_start(struct forward *forward);
/* Count events that were lost or filtered out elsewhere than in the tap. Any thread. */
void forward_count(struct forward *forward, uint64_t lost, uint64_t filtered);
/* Get counters and status. Any thread. */
void forward_stats(struct forward *forward, struct forward_stats *out);
/*
 * Send the remaining messages for at most five seconds, and end the threads. Messages that the
 * server has not stored go to the spool; those that cannot be stored there are lost. Call it after
 * the last line.
 */
void forward_end(struct forward *forward);
void forward_free(struct forward *forward);

#endif
