/* SPDX-License-Identifier: MIT */
/*
 * A bounded queue of messages from a NATS server to the intake thread.
 *
 *   server ==> threads of libnats --> [ queue, bounded ] --> intake thread
 *
 * If the queue is full, the thread of libnats blocks, and the server's flow control holds back
 * further messages.
 */
#ifndef MONITOR_NATS_INBOX_H
#define MONITOR_NATS_INBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "monitor/nats/nats_link.h"

struct nats_inbox;

struct nats_inbox_config {
	struct nats_link_config link;
	/* subject pattern; copied */
	const char *subject;
	bool only_new; /* skip messages that the server stored before reading began */
	/* wall time of the oldest stored message to receive; NS_NONE: all */
	ns_t since;
	/* Called on any thread when a message arrived in the empty inbox, or the state may have
	 * changed; must not block. */
	void (*came)(void *data);
	void *data;
};

struct nats_letter {
	/* subject; values of the headers WIRE_HEADER_ID and WIRE_HEADER, NULL: none */
	const char *subject, *id, *head;
	const char *payload;
	size_t len;
	/* number of messages that the server still had for the consumer after this message; 0
	 * also if unknown */
	uint64_t pending;
	/* server's wall time at which it stored the message; 0: unknown */
	ns_t stamp;
	void *message; /* private: of libnats */
};

struct nats_inbox_state {
	struct nats_link_status link;
	char error[200]; /* error of the last attempt to create a consumer; "": none */
	bool is_refused; /* only the user can fix the cause of `error` */
	bool was_joined; /* a consumer was created at least once */
	bool is_counted; /* `stored` is valid */
	/* number of stored messages for the consumer, counted once, after it was created */
	uint64_t stored;
	bool is_drained; /* at the last check the server had no more messages for the consumer */
	ns_t joined_ns;  /* monotonic time at which the first consumer was created */
	/* number of connection errors since the last consumer was created, or since the start */
	unsigned failures;
};

/* Create an inbox without connecting. Returns NULL with an error in `why`. */
struct nats_inbox *nats_inbox_new(const struct nats_inbox_config *config, char *why,
				  size_t why_bytes);
void nats_inbox_start(struct nats_inbox *inbox);
/* Get the next message; it is valid until nats_letter_done(). Returns false if the inbox is
 * empty. Intake thread. */
bool nats_inbox_take(struct nats_inbox *inbox, struct nats_letter *out);
void nats_letter_done(struct nats_letter *letter);
/* Get the state of the connection and of the inbox. Any thread. */
void nats_inbox_state(struct nats_inbox *inbox, struct nats_inbox_state *out);
/* Discard the queued messages, skip the stored ones and receive only new ones. */
void nats_inbox_leave(struct nats_inbox *inbox);
/* Stop the inbox and its link, as nats_link_stop() does. Frees the inbox, unless libnats still
 * uses it: then libnats' last call frees it. */
void nats_inbox_free(struct nats_inbox *inbox);

#endif
