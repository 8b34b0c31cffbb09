/* SPDX-License-Identifier: MIT */
/*
 * A queue of the messages of an agent that no server has stored yet, oldest first. The current
 * message is the one that is being sent.
 *
 *   spool (on disk), oldest --- in memory --- newest     the first may be the current message
 *
 * Invariant: messages that are only in the spool are older than those in memory, except for the
 * current one. `bytes` counts memory; above `max_bytes`, messages are dropped, except the current
 * and the newest one. With a spool, the oldest messages move there when memory has more than half
 * of that. The oldest message except the current one is dropped first; its successor reports the
 * loss; if none exists, `lost` is kept for the next message. The queue has no locks: the caller
 * must synchronise.
 */
#ifndef MONITOR_FORWARD_QUEUE_H
#define MONITOR_FORWARD_QUEUE_H

#include "monitor/nats/wire.h"
#include "monitor/send/spool.h"

struct forward_message {
	struct wire_id id;
	struct wire_head head;
	/* bytes of the packed message, owned; NULL: the message is only in the spool */
	char *bytes;
	size_t len;
	bool under_way; /* true while the message is being sent, so that it must not change */
	bool has_file;  /* true if the message has a file in the spool, even if `bytes` is set */
	/* true if the head of the message changed but could not be written to its file */
	bool head_is_new;
	struct forward_message *next;
};

struct forward_queue {
	struct forward_message *first, *last;
	unsigned nr; /* ro: number of messages in the queue */
	size_t bytes, max_bytes;
	struct spool *spool; /* spool for messages on disk; NULL: none */
	size_t spooled;      /* ro: bytes of the messages that are only in the spool */
	/* numbers of lost and of filtered events that no message has reported yet */
	uint64_t lost, filtered;
	uint64_t lost_ever;
	/* ro: errno if the oldest message could not be read from the spool at the last try, but may
	 * be later; 0: none */
	int read_error;
};

/* Initialise the queue. It takes ownership of `spool`, whose messages come first; NULL: none. */
void forward_queue_init(struct forward_queue *queue, size_t max_bytes, struct spool *spool);
void forward_queue_release(struct forward_queue *queue);

/* Append a message; takes ownership of its bytes. The head of the message gets the numbers of
 * events that were lost and filtered out since the last message. */
void forward_queue_push(struct forward_queue *queue, const struct wire_id *id,
			const struct wire_head *head, char *bytes, size_t len);
/* Count events that were lost before they were part of a message. */
void forward_queue_lose(struct forward_queue *queue, uint64_t events);

/*
 * Return the oldest message, with its bytes in memory, for sending. Drops messages that can never
 * be read from the spool. Returns NULL if the queue is empty, or if the message cannot be read from
 * the spool now; in this case `read_error` is set, and the caller tries again later.
 */
struct forward_message *forward_queue_first(struct forward_queue *queue);
/* Remove the current message, because the server has stored it. */
void forward_queue_done(struct forward_queue *queue);
/* Remove the current message and count its events as lost, because the server can never store
 * it. */
void forward_queue_drop_first(struct forward_queue *queue);
/* End the queue: messages in memory go to the spool, or are lost if there is no spool or it cannot
 * store them. */
void forward_queue_end(struct forward_queue *queue);

#endif
