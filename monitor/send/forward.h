/* SPDX-License-Identifier: MIT */
/*
 * The forwarder: what makes of trace2top an agent. It sends lines of EVENT, which come through its
 * tap, to a NATS JetStream server, and keeps them until that has stored them.
 *
 *   tap --> batch --> pack --> queue (memory, spool) --> one message at a time --> server
 *           \____ its own thread ____/      \__ the link's thread (nats_link.h) __/
 *
 * One message is under way, and repeated under its id until the server says that it is stored: so
 * order holds, and repeats can be told. Nobody waits for any of it: what does not fit is lost,
 * oldest first, counted, and told by the message behind it.
 *
 * Calls are for the thread that made it, unless they say otherwise.
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
	struct nats_link_config link; /* its name is made by us */
	struct wire_name name;        /* what this agent calls itself */
	size_t buffer_bytes;          /* of packed messages, in memory */
	uint64_t rate;                /* packed bytes a second; 0: no bound */
	ns_t hold_ns;                 /* between two messages that are not full */
	ns_t ack_ns;                  /* how long an answer is waited for */
	const char *spool;            /* a directory; NULL: none */
	/* Called from any thread when its status changed; must not block. NULL: nobody asks. */
	void (*changed)(void *data);
	void *data;
};

struct forward_stats {
	uint64_t events, messages, bytes; /* stored, since it began; bytes as packed */
	uint64_t lost, filtered;          /* events */
	uint64_t repeats;                 /* messages that were sent again */
	unsigned waiting;                 /* messages */
	size_t waiting_bytes, spooled;    /* of them, in memory; on disk */
	struct nats_link_status link;
	char error[300]; /* why nothing is stored now, in words; "" */
};

/* Check what is given; nothing is connected to yet. NULL, with a line of `why`. */
struct forward *forward_new(const struct forward_config *config, char *why, size_t why_bytes);
/* Whole lines are put there, as BYTES of one stream; no other entries. */
struct tap *forward_tap(struct forward *forward);
void forward_start(struct forward *forward);
/* So many events did not come to the tap: lost, or held back on purpose. Any thread. */
void forward_count(struct forward *forward, uint64_t lost, uint64_t filtered);
/* Any thread. */
void forward_stats(struct forward *forward, struct forward_stats *out);
/* Nothing is put any more: send what there is, for five seconds at most; the rest goes into the
 * spool, or is lost. */
void forward_end(struct forward *forward);
void forward_free(struct forward *forward);

#endif
