/* SPDX-License-Identifier: MIT */
/*
 * The messages of an agent that no server has stored yet, oldest first.
 *
 *   spool (on disk), oldest --- in memory --- newest        the first one may be under way
 *
 * Invariant: those in the spool are older than those in memory. `bytes` are those in memory, at
 * most `max_bytes` but for one message; with a spool the oldest of them go there from half of that
 * on. What is dropped is the oldest that is not under way; the message behind it tells of that, and
 * where there is none `lost` waits for the next one. No locks: whoever has it has one.
 */
#ifndef MONITOR_FORWARD_QUEUE_H
#define MONITOR_FORWARD_QUEUE_H

#include "monitor/nats/wire.h"
#include "monitor/send/spool.h"

struct forward_message {
	struct wire_id id;
	struct wire_head head;
	char *bytes; /* malloc()ed; NULL: in the spool */
	size_t len;
	bool under_way; /* it was given out, and does not change any more */
	bool has_file; /* in the spool; with `bytes`, too, where it was read and is not stored yet */
	bool head_is_new; /* that file's could not be written anew */
	struct forward_message *next;
};

struct forward_queue {
	struct forward_message *first, *last;
	unsigned nr; /* ro */
	size_t bytes, max_bytes;
	struct spool *spool;     /* NULL: none */
	size_t spooled;          /* ro: bytes there */
	uint64_t lost, filtered; /* not told yet */
	uint64_t lost_ever;
	int read_error; /* ro: errno of why the oldest is not read from the spool now; 0 */
};

/* `spool` is the queue's from now on; what is in it comes first. */
void forward_queue_init(struct forward_queue *queue, size_t max_bytes, struct spool *spool);
void forward_queue_release(struct forward_queue *queue);

/* Append a message with those bytes, which are the queue's; its head's `lost` and `filtered` are
 * set by what is to be told. */
void forward_queue_push(struct forward_queue *queue, const struct wire_id *id,
			const struct wire_head *head, char *bytes, size_t len);
/* So many events were lost before they became part of a message. */
void forward_queue_lose(struct forward_queue *queue, uint64_t events);

/* The oldest, under way from now on: its bytes are in memory. NULL: there is none, or it cannot be
 * read from the spool now (`read_error`), and is to be tried again later. */
struct forward_message *forward_queue_first(struct forward_queue *queue);
/* It is stored: it leaves. */
void forward_queue_done(struct forward_queue *queue);
/* It can never be stored: it leaves, and its events are lost. */
void forward_queue_drop_first(struct forward_queue *queue);
/* Nothing is sent any more: what is in memory goes into the spool, or is lost. */
void forward_queue_end(struct forward_queue *queue);

#endif
