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
	char *bytes; /* owned; NULL: in the spool */
	size_t len;
	bool under_way;   /* the current message: being sent, unchangeable */
	bool has_file;    /* has a file in the spool; with `bytes` it was also read */
	bool head_is_new; /* the file's head could not be rewritten */
	struct forward_message *next;
};

struct forward_queue {
	struct forward_message *first, *last;
	unsigned nr; /* ro */
	size_t bytes, max_bytes;
	struct spool *spool;     /* NULL: none */
	size_t spooled;          /* ro: bytes in the spool */
	uint64_t lost, filtered; /* not yet reported */
	uint64_t lost_ever;
	int read_error; /* ro: errno of reading the oldest from the spool; 0 */
};

/* Initialise; takes ownership of `spool`, whose messages come first. */
void forward_queue_init(struct forward_queue *queue, size_t max_bytes, struct spool *spool);
void forward_queue_release(struct forward_queue *queue);

/* Append a message; takes ownership of its bytes. Sets `lost` and `filtered` of its head to the
 * unreported counts. */
void forward_queue_push(struct forward_queue *queue, const struct wire_id *id,
			const struct wire_head *head, char *bytes, size_t len);
/* Count events that were lost before they were part of a message. */
void forward_queue_lose(struct forward_queue *queue, uint64_t events);

/* Return the oldest message, which becomes current, with its bytes in memory. NULL if the queue
 * is empty, or if it cannot be read from the spool now (`read_error`); then try again later. */
struct forward_message *forward_queue_first(struct forward_queue *queue);
/* Remove the current message: it was stored. */
void forward_queue_done(struct forward_queue *queue);
/* Remove the current message and count its events as lost: it can never be stored. */
void forward_queue_drop_first(struct forward_queue *queue);
/* End: messages in memory go to the spool or are lost. */
void forward_queue_end(struct forward_queue *queue);

#endif
