/* SPDX-License-Identifier: MIT */
/*
 * The inbox of a nats source: messages of agents on their way from the server to the intake thread.
 *
 *   server ==> library's threads --> [ inbox, bounded ] --> intake thread
 *
 * What is full makes the library's thread wait; then the server's flow control holds the rest back,
 * so that a slow viewer lags and nobody else does. What is lost with a connection is asked for again
 * by the server's numbers, from behind the last message that came.
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
	const char *subject; /* a pattern of subjects of events; borrowed for the call */
	bool only_new;       /* nothing of what is stored */
	ns_t since;          /* wall: of what is stored nothing older; NS_NONE: all */
	/* Called from any thread when a message came or something else changed; must not block. */
	void (*came)(void *data);
	void *data;
};

struct nats_letter {
	const char *subject, *id, *head; /* headers: NULL: it has none */
	const char *payload;
	size_t len;
	uint64_t pending; /* how many were behind it in the server's stream */
	ns_t stamp;       /* wall, by the server: when it was stored */
	void *message;    /* private */
};

struct nats_inbox_state {
	struct nats_link_status link;
	char error[200]; /* why nothing comes though there is a connection; "": nothing is wrong */
	bool is_refused; /* and only a person can mend it */
	bool was_joined; /* the server has taken us as a reader once */
	bool is_counted; /* `stored` is known */
	uint64_t stored; /* messages that were there when we came */
	bool is_drained; /* the server had sent all that it has, when it was asked last */
	ns_t joined_ns;  /* monotonic: when the server took us first */
	unsigned failures; /* servers that could not be had, since it began or was joined */
};

/* Check what is given; nothing is connected to yet. NULL, with a line of `why`. */
struct nats_inbox *nats_inbox_new(const struct nats_inbox_config *config, char *why,
				  size_t why_bytes);
void nats_inbox_start(struct nats_inbox *inbox);
/* The next letter, valid until nats_letter_done(); false: there is none now. The intake thread. */
bool nats_inbox_take(struct nats_inbox *inbox, struct nats_letter *out);
void nats_letter_done(struct nats_letter *letter);
/* How it stands. Any thread. */
void nats_inbox_state(struct nats_inbox *inbox, struct nats_inbox_state *out);
/* Leave what was not taken yet, and go on with what is new. */
void nats_inbox_leave(struct nats_inbox *inbox);
/* Waits for its threads. */
void nats_inbox_free(struct nats_inbox *inbox);

#endif
