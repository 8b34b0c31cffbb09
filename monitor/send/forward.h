/* SPDX-License-Identifier: MIT */
/*
 * The forwarder of an agent: sends the EVENT lines of its tap to a NATS JetStream server, and keeps
 * them until the server has stored them.
 *
 *   tap --> batch --> pack --> queue (memory, spool) --> one message at a time --> server
 *   \____ forwarder's thread ____/                    \__ the link's thread (nats_link.h) __/
 *
 * One message is sent at a time and repeated with its id until the server acknowledges it. This
 * keeps the order, and repeats can be detected. Nothing blocks: messages that do not fit are lost,
 * oldest first, counted, and reported by the next message.
 *
 * Call from the creating thread, unless stated otherwise.
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
	struct nats_link_config link; /* `name` is set by the forwarder */
	struct wire_name name;        /* name of the agent */
	size_t buffer_bytes;          /* limit on packed messages in memory */
	uint64_t rate;                /* limit in packed bytes per second; 0: no limit */
	ns_t hold_ns;                 /* minimum time between two messages that are not full */
	ns_t ack_ns;                  /* how long to wait for the server's answer */
	/* directory for messages that do not fit into memory; NULL: none */
	const char *spool;
	/* Callback: called from any thread when the status changes; must not block. May be NULL. */
	void (*changed)(void *data);
	void *data;
};

struct forward_stats {
	/* stored by the server since the start; `bytes` are packed */
	uint64_t events, messages, bytes;
	uint64_t lost, filtered;       /* numbers of events */
	uint64_t repeats;              /* number of messages sent again */
	unsigned waiting;              /* messages not stored by the server yet */
	size_t waiting_bytes, spooled; /* bytes of these messages in memory and on disk */
	struct nats_link_status link;
	char error[300]; /* reason why the server stores nothing now; "": it does */
};

/* Create a forwarder without connecting. Returns NULL with one line in `why` if the
 * configuration is invalid. */
struct forward *forward_new(const struct forward_config *config, char *why, size_t why_bytes);
/* Return the tap for the lines to send: complete lines, as BYTES of one stream; no other
 * entries. */
struct tap *forward_tap(struct forward *forward);
void forward_start(struct forward *forward);
/* Count events that were not put into the tap, because they were lost or filtered out. Any
 * thread. */
void forward_count(struct forward *forward, uint64_t lost, uint64_t filtered);
/* Get the forwarder's counters and status. Any thread. */
void forward_stats(struct forward *forward, struct forward_stats *out);
/* Call after the last line: send the remaining messages for at most five seconds. The rest
 * then goes to the spool or is lost. */
void forward_end(struct forward *forward);
void forward_free(struct forward *forward);

#endif
