/* SPDX-License-Identifier: MIT */
/*
 * The forwarder of an agent: sends the EVENT lines of its tap to a NATS JetStream server, and keeps
 * them until the server has stored them.
 *
 *   tap --> batch --> pack --> queue (memory, spool) --> one message at a time --> server
 *   \____ forwarder's thread ____/                    \__ the link's thread (nats_link.h) __/
 *
 * Each message is repeated with its id until the server acknowledges it. So messages stay in order,
 * and the server can detect repeated ones. Adding lines never waits for a server: if messages do
 * not fit, the oldest are dropped and counted, and the next message reports the loss.
 *
 * Call these functions from the creating thread, unless stated otherwise.
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
	size_t buffer_bytes;          /* limit above which packed messages in memory are dropped */
	/* maximum packed bytes sent per second; 0: no limit */
	uint64_t rate;
	/* minimum time in ns between two messages that are not full */
	ns_t hold_ns;
	ns_t ack_ns; /* time to wait for the server's answer to a message */
	/* directory to which messages move when memory has more than half of `buffer_bytes`, or at
	 * the end; NULL: none */
	const char *spool;
	/* Any thread may call it when the status changes; it must not block. May be NULL. */
	void (*changed)(void *data);
	void *data;
};

struct forward_stats {
	/* events, messages and their packed bytes that the server has stored since the start */
	uint64_t events, messages, bytes;
	uint64_t lost, filtered; /* events */
	/* attempts to send a message that no answer confirmed as stored */
	uint64_t repeats;
	unsigned waiting; /* number of messages that the server has not stored yet */
	size_t spooled;   /* bytes of the waiting messages that are only in the spool */
	struct nats_link_status link;
	char error[300]; /* why the server stores no messages now; "": no error */
};

/* Create a forwarder; it does not connect yet. Returns NULL with one line in `why` on error. */
struct forward *forward_new(const struct forward_config *config, char *why, size_t why_bytes);
/* Return the tap for the lines to send: complete lines, as BYTES entries of one stream; no other
 * entries. */
struct tap *forward_tap(struct forward *forward);
void forward_start(struct forward *forward);
/* Count events that were lost or filtered out instead of put into the tap. Any thread may call
 * it. */
void forward_count(struct forward *forward, uint64_t lost, uint64_t filtered);
/* Get counters and status. Any thread may call it. */
void forward_stats(struct forward *forward, struct forward_stats *out);
/*
 * Send the remaining messages for at most five seconds, then end the threads; call this after the
 * last line. Messages that were not stored go to the spool; those that cannot be stored there are
 * lost.
 */
void forward_end(struct forward *forward);
void forward_free(struct forward *forward);

#endif
