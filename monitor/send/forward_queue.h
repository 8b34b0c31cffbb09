/* SPDX-License-Identifier: MIT */
/*
 * The messages of an agent that no server has stored yet, oldest first.
 *
 *   spool (on disk), oldest --- in memory --- newest     the first may be current
 *
 * Invariant: messages in the spool are older than those in memory. `bytes` counts memory, at most
 * `max_bytes` plus one message; with a spool, the oldest move there above half of that. The oldest
 * message except the current one is dropped first; its successor reports the loss, or `lost` is
 * kept for the next message. No locks: the caller synchronises.
 */
#ifndef MONITOR_FORWARD_QUEUE_H
#define MONITOR_FORWARD_QUEUE_H

#include "monitor/nats/wire.h"
#include "monitor/send/spool.h"

struct forward_message {
	struct wire_id id;
	struct wire_head head;
	char *bytes; /* the packed message, owned; NULL: it is only in the spool */
	size_t len;
	bool under_way;   /* the message is being sent, so it must not change */
	bool has_file;    /* the message has a file in the spool, even if `bytes` is set */
	bool head_is_new; /* the head changed, but could not be written to the file */
	struct forward_message *next;
};

struct forward_queue {
	struct forward_message *first, *last;
	unsigned nr; /* ro: number of messages */
	size_t bytes, max_bytes;
	struct spool *spool;     /* directory for messages on disk; NULL: none */
	size_t spooled;          /* ro: bytes of messages that are only in the spool */
	uint64_t lost, filtered; /* numbers of events that no message has reported yet */
	uint64_t lost_ever;
	int read_error; /* ro: errno of reading the oldest message from the spool; 0 */
};

/* Initialise the queue; takes ownership of `spool`, whose messages come first. */
void forward_queue_init(struct forward_queue *queue, size_t max_bytes, struct spool *spool);
void forward_queue_release(struct forward_queue *queue);

/* Append a message; takes ownership of its bytes. Its head gets the numbers of events that were
 * lost and filtered out since the last message. */
void forward_queue_push(struct forward_queue *queue, const struct wire_id *id,
			const struct wire_head *head, char *bytes, size_t len);
/* Count events that were lost before they were part of a message. */
void forward_queue_lose(struct forward_queue *queue, uint64_t events);

/* Return the oldest message, with its bytes in memory, for sending. NULL if the queue is empty,
 * or if the message cannot be read from the spool now (`read_error`); then try again later. */
struct forward_message *forward_queue_first(struct forward_queue *queue);
/* Remove the message that was sent: the server has stored it. */
void forward_queue_done(struct forward_queue *queue);
/* Remove the message that was sent and count its events as lost: the server can never store it. */
void forward_queue_drop_first(struct forward_queue *queue);
/* End the queue: messages in memory go to the spool or are lost. */
void forward_queue_end(struct forward_queue *queue);

#endif
