/* SPDX-License-Identifier: MIT */
/*
 * A queue of the messages of an agent that no server has stored yet, oldest first. The current
 * message is the one that is being sent.
 *
 *   spool (on disk), oldest --- in memory --- newest     the first may be the current message
 *
 * Invariant: messages that are only in the spool are older than those in memory, except the current
 * one. `bytes`: size of the messages in memory. Above half of `max_bytes`, the oldest messages move
 * to the spool, if there is one. Above `max_bytes`, the oldest are dropped, except the current and
 * the newest one; a later message reports the loss. Used by one thread at a time.
 */
#ifndef MONITOR_FORWARD_QUEUE_H
#define MONITOR_FORWARD_QUEUE_H

#include "monitor/nats/wire.h"
#include "monitor/send/spool.h"

struct forward_message {
	struct wire_id id;
	struct wire_head head;
	/* bytes of the packed message, owned; NULL: only in the spool */
	char *bytes;
	size_t len;
	bool under_way; /* the message is being sent and must not change */
	bool has_file;  /* the message has a file in the spool, even if `bytes` is set */
	/* the message's head changed but could not be written to its file */
	bool head_is_new;
	struct forward_message *next;
};

struct forward_queue {
	struct forward_message *first, *last;
	unsigned nr;
	size_t bytes, max_bytes;
	struct spool *spool; /* NULL: none */
	size_t spooled;      /* ro: bytes of messages that are only in the spool */
	/* numbers of events that no message has reported yet as lost or filtered out */
	uint64_t lost, filtered;
	uint64_t lost_ever;
	/* ro: errno if the oldest message could not be read from the spool at the last attempt,
	 * but may be later; 0: none */
	int read_error;
};

/* Initialise the queue. It owns `spool`, whose messages come first; NULL: none. */
void forward_queue_init(struct forward_queue *queue, size_t max_bytes, struct spool *spool);
void forward_queue_release(struct forward_queue *queue);

/* Append a message and own its bytes. Its head gets the numbers of events that were lost and
 * filtered out since the previous message. */
void forward_queue_push(struct forward_queue *queue, const struct wire_id *id,
			const struct wire_head *head, char *bytes, size_t len);
/* Count lost events. The queue itself counts those of messages that it drops. */
void forward_queue_lose(struct forward_queue *queue, uint64_t events);

/*
 * Return the oldest message, with its bytes in memory, for sending. Drops messages that can never
 * be read from the spool. Returns NULL if the queue is empty or, with `read_error` set, if the
 * message cannot be read now.
 */
struct forward_message *forward_queue_first(struct forward_queue *queue);
/* Remove the current message: the server has stored it. */
void forward_queue_done(struct forward_queue *queue);
/* Remove the current message, which the server cannot store, and count its events as lost. */
void forward_queue_drop_first(struct forward_queue *queue);
/* Move messages in memory to the spool; those that cannot be stored there are lost. */
void forward_queue_end(struct forward_queue *queue);

#endif
