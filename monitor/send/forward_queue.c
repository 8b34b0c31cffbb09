/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/send/forward_queue.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "monitor/base/die.h"
#include "monitor/base/shortage.h"

/* Interval in ms and number of retries to write to the spool at the end, if descriptors or
 * memory are short. */
#define SHORT_LOOK_MS 10
#define SHORT_LOOKS   100

static void forward_queue_append(struct forward_queue *q, struct forward_message *m)
{
	*(q->last ? &q->last->next : &q->first) = m;
	q->last = m;
	q->nr++;
	if (m->bytes)
		q->bytes += m->len;
	else
		q->spooled += m->len;
}

static void found(void *data, const struct wire_id *id, const struct wire_head *head, size_t len)
{
	struct forward_message *m = xcalloc(1, sizeof(*m));

	m->id = *id;
	m->head = *head;
	m->len = len;
	m->has_file = true;
	forward_queue_append(data, m);
}

void forward_queue_init(struct forward_queue *q, size_t max_bytes, struct spool *spool)
{
	uint64_t torn = 0;

	*q = (struct forward_queue){ .max_bytes = max_bytes, .spool = spool };
	if (spool)
		spool_scan(spool, found, q, &torn);
	forward_queue_lose(q, torn);
}

/* Remove `m` from the queue. `before`: the message before it; NULL: none. */
static void forward_queue_take_out(struct forward_queue *q, struct forward_message *before,
				   struct forward_message *m)
{
	*(before ? &before->next : &q->first) = m->next;
	if (q->last == m)
		q->last = before;
	q->nr--;
	if (m->bytes)
		q->bytes -= m->len;
	else
		q->spooled -= m->len;
}

static void free_message(struct forward_message *m)
{
	free(m->bytes);
	free(m);
}

void forward_queue_release(struct forward_queue *q)
{
	while (q->first) {
		struct forward_message *m = q->first;

		forward_queue_take_out(q, NULL, m);
		free_message(m);
	}
	spool_close(q->spool);
}

void forward_queue_lose(struct forward_queue *q, uint64_t events)
{
	q->lost += events;
	q->lost_ever += events;
}

static void file_remove(struct forward_queue *q, struct forward_message *m)
{
	if (m->has_file)
		spool_remove(q->spool, &m->id);
	m->has_file = false;
}

static void head_write(struct forward_queue *q, struct forward_message *m)
{
	m->head_is_new = !spool_rehead(q->spool, &m->id, &m->head, m->len);
}

static void drop(struct forward_queue *q, struct forward_message *before, struct forward_message *m)
{
	struct forward_message *next = m->next;
	uint64_t lost = m->head.events + m->head.lost;

	q->lost_ever += m->head.events;
	if (next) {
		next->head.lost += lost;
		next->head.filtered += m->head.filtered;
		if (next->has_file)
			head_write(q, next);
	} else {
		q->lost += lost;
		q->filtered += m->head.filtered;
	}
	file_remove(q, m);
	forward_queue_take_out(q, before, m);
	free_message(m);
}

/* Drop the oldest message that is not being sent. Returns false if there is none. */
static bool drop_oldest(struct forward_queue *q)
{
	struct forward_message *before = q->first && q->first->under_way ? q->first : NULL;
	struct forward_message *m = before ? before->next : q->first;

	if (m)
		drop(q, before, m);
	return m != NULL;
}

/*
 * Move the oldest message in memory to the spool; with `under_way`, also a message that is being
 * sent. Drops the oldest messages if the spool is full. Returns false if no message could be moved.
 */
static bool spool_oldest(struct forward_queue *q, bool under_way)
{
	struct forward_message *m = q->first;

	while (m && (!m->bytes || (m->under_way && !under_way)))
		m = m->next;
	if (!m || !q->spool)
		return false;
	while (q->spooled + m->len > SPOOL_MAX_BYTES && q->first != m && drop_oldest(q))
		;
	if (!m->has_file && !spool_write(q->spool, &m->id, &m->head, m->bytes, m->len))
		return false;
	m->has_file = true;
	free(m->bytes);
	m->bytes = NULL;
	q->bytes -= m->len;
	q->spooled += m->len;
	return true;
}

void forward_queue_push(struct forward_queue *q, const struct wire_id *id,
			const struct wire_head *head, char *bytes, size_t len)
{
	struct forward_message *m = xcalloc(1, sizeof(*m));

	*m = (struct forward_message){ .id = *id, .head = *head, .bytes = bytes, .len = len };
	m->head.lost = q->lost;
	m->head.filtered = q->filtered;
	q->lost = q->filtered = 0;
	forward_queue_append(q, m);
	while (q->spool && q->bytes > q->max_bytes / 2 && spool_oldest(q, false))
		;
	/* Never drop the newest message, because it reports losses before it. */
	while (q->bytes > q->max_bytes && q->nr > 1u + q->first->under_way && drop_oldest(q))
		;
}

struct forward_message *forward_queue_first(struct forward_queue *q)
{
	struct forward_message *m;

	q->read_error = 0;
	while ((m = q->first)) {
		m->under_way = true;
		if (m->bytes)
			return m;
		m->bytes = spool_read(q->spool, &m->id, m->len);
		q->read_error = m->bytes || !shortage_is(errno) ? 0 : errno;
		if (q->read_error) {
			m->under_way = false;
			return NULL;
		}
		if (m->bytes) {
			/* The file stays in the spool until the message leaves the queue. */
			q->spooled -= m->len;
			q->bytes += m->len;
			return m;
		}
		drop(q, NULL, m);
	}
	return NULL;
}

void forward_queue_done(struct forward_queue *q)
{
	struct forward_message *m = q->first;

	file_remove(q, m);
	forward_queue_take_out(q, NULL, m);
	free_message(m);
}

void forward_queue_drop_first(struct forward_queue *q)
{
	drop(q, NULL, q->first);
}

void forward_queue_end(struct forward_queue *q)
{
	for (int looks = 0; q->bytes && looks < SHORT_LOOKS;) {
		if (spool_oldest(q, true))
			continue;
		if (!q->spool || !shortage_is(errno))
			break;
		poll(NULL, 0, SHORT_LOOK_MS);
		looks++;
	}
	for (struct forward_message *m = q->first; m; m = m->next)
		if (m->head_is_new)
			head_write(q, m);
	while (q->bytes) {
		struct forward_message *before = NULL, *m = q->first;

		for (; !m->bytes; before = m, m = m->next)
			;
		drop(q, before, m);
	}
}
