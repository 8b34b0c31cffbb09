/* SPDX-License-Identifier: MIT */
/*
 * A bounded queue of messages from a NATS server to the intake thread.
 *
 *   server ==> threads of libnats --> [ queue, bounded ] --> intake thread
 *
 * If the queue is full the thread of libnats blocks, and the server's flow control holds back the
 * rest. A slow viewer lags without affecting others. After a lost connection, messages are
 * requested again by the server's sequence numbers, from the one after the last received.
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
	const char *subject; /* pattern for the subjects of events; borrowed for the call */
	bool only_new;       /* skip stored messages */
	ns_t since;          /* wall time: oldest stored message to read; NS_NONE: all */
	/* Callback: called on any thread when a message arrived or the state changed; must not
	 * block. */
	void (*came)(void *data);
	void *data;
};

struct nats_letter {
	/* subject and headers of the message; NULL: the message has no such header */
	const char *subject, *id, *head;
	const char *payload;
	size_t len;
	uint64_t pending; /* number of messages that follow it in the server's stream */
	ns_t stamp;       /* wall time of the server's clock when it stored the message */
	void *message;    /* private: the message of libnats */
};

struct nats_inbox_state {
	struct nats_link_status link;
	char error[200]; /* error while connected; "": none */
	bool is_refused; /* the error persists until the user fixes its cause */
	bool was_joined; /* the server has created a consumer before */
	bool is_counted; /* `stored` is valid */
	uint64_t stored; /* messages that the stream had when the first consumer was created */
	bool is_drained; /* all stored messages were received at the last check */
	ns_t joined_ns;  /* monotonic time at which the first consumer was created */
	/* failed connection attempts since the start or since the last consumer was created */
	unsigned failures;
};

/*
 * Create an inbox and check its configuration; does not connect. Returns NULL with a line in `why`
 * on error.
 */
struct nats_inbox *nats_inbox_new(const struct nats_inbox_config *config, char *why,
				  size_t why_bytes);
void nats_inbox_start(struct nats_inbox *inbox);
/*
 * Get the next message, valid until nats_letter_done(). Returns false if the inbox is empty.
 * Intake thread.
 */
bool nats_inbox_take(struct nats_inbox *inbox, struct nats_letter *out);
void nats_letter_done(struct nats_letter *letter);
/* Get the state of the connection and the stream. Any thread. */
void nats_inbox_state(struct nats_inbox *inbox, struct nats_inbox_state *out);
/* Skip all pending messages and continue with new ones. */
void nats_inbox_leave(struct nats_inbox *inbox);
/* Stop the inbox and free it. Waits for its threads. */
void nats_inbox_free(struct nats_inbox *inbox);

#endif
