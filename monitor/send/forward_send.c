/* SPDX-License-Identifier: MIT */
/*
 * The sender of a forwarder runs in the thread of the NATS link while that is connected. It only
 * publishes messages with a reply subject and waits for the answers, so an agent needs only the
 * permissions to publish under its own name and to receive the answers.
 */
#include "config.h"
#include "monitor/send/forward_priv.h"

#if defined(HAVE_NATS) && defined(HAVE_ZSTD)

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/shortage.h"
#include "monitor/nats/nats_calls.h"

/* A message is sent this many times without an answer before another server is tried. */
#define MAX_REPEATS 3
/* Shortest and longest pause if a server answers but does not store the message. */
#define REFUSED_FIRST_NS   NS_PER_SEC
#define REFUSED_LONGEST_NS (8 * NS_PER_SEC)
/* Pause before reading the spool again if descriptors or memory were short. */
#define UNREAD_NS NS_PER_SEC

enum sent { SENT_STORED, SENT_AGAIN, SENT_END };

static void error_set(struct forward *f, const char *error)
{
	bool is_other;

	pthread_mutex_lock(&f->lock);
	is_other = strcmp(f->error, error) != 0;
	if (is_other)
		snprintf(f->error, sizeof(f->error), "%s", error);
	pthread_cond_broadcast(&f->cond);
	pthread_mutex_unlock(&f->lock);
	if (is_other && f->config.changed)
		f->config.changed(f->config.data);
}

static void on_answer(natsConnection *connection, natsSubscription *subscription, natsMsg *msg,
		      void *data)
{
	struct forward *f = data;
	const char *dot = strrchr(nats->natsMsg_GetSubject(msg), '.');
	struct forward_answer answer = { .no_stream = nats->natsMsg_IsNoResponders(msg),
					 .ack = FORWARD_UNCLEAR };
	struct wire_id id;

	(void)connection;
	(void)subscription;
	if (!answer.no_stream)
		answer.ack = forward_ack_parse(nats->natsMsg_GetData(msg),
					       (size_t)nats->natsMsg_GetDataLength(msg), answer.why,
					       sizeof(answer.why));
	/* An answer with another id belongs to an earlier message. */
	if (dot && sscanf(dot + 1, "%" SCNd64 "-%" SCNu64, &id.run, &id.seq) == 2) {
		pthread_mutex_lock(&f->lock);
		if (id.run == f->asked.run && id.seq == f->asked.seq) {
			f->answered = true;
			f->answer = answer;
		}
		pthread_mutex_unlock(&f->lock);
		nats_link_wake(f->link);
	}
	nats->natsMsg_Destroy(msg);
}

static void answers_ended(void *data)
{
	struct forward *f = data;

	pthread_mutex_lock(&f->lock);
	f->answers_ended = true;
	pthread_cond_broadcast(&f->cond);
	pthread_mutex_unlock(&f->lock);
}

static bool forward_send_publish(struct forward *f, natsConnection *connection, const char *inbox,
				 const struct forward_message *m)
{
	char reply[128], text[WIRE_HEAD_BYTES], id[WIRE_ID_BYTES];
	struct wire_head head = m->head;
	natsMsg *msg = NULL;
	natsStatus status;

	snprintf(reply, sizeof(reply), "%s.%" PRId64 "-%" PRIu64, inbox, m->id.run, m->id.seq);
	/* Set the time just before sending, because viewers would take time in the queue for a
	 * difference of clocks. */
	head.wall_ns = tr2_clock_wall();
	wire_head_print(&head, text);
	wire_id_print(&f->config.name, &m->id, id);
	pthread_mutex_lock(&f->lock);
	f->asked = m->id;
	f->answered = false;
	pthread_mutex_unlock(&f->lock);
	status = nats->natsMsg_Create(&msg, f->subject, reply, m->bytes, (int)m->len);
	if (status == NATS_OK)
		status = nats->natsMsgHeader_Set(msg, WIRE_HEADER_ID, id);
	if (status == NATS_OK)
		status = nats->natsMsgHeader_Set(msg, WIRE_HEADER, text);
	if (status == NATS_OK)
		status = nats->natsConnection_PublishMsg(connection, msg);
	nats->natsMsg_Destroy(msg);
	return status == NATS_OK;
}

/* True if the server denied the permission to publish or to receive answers; the connection then
 * ends. */
static bool is_denied(struct forward *f, struct nats_link *link)
{
	char text[300], why[300 + sizeof(f->shown)];

	if (!nats_link_refusal(link, text, sizeof(text)))
		return false;
	if (strstr(text, "Publish"))
		snprintf(why, sizeof(why), "no permission to publish as %s", f->shown);
	else
		snprintf(why, sizeof(why), "no permission to receive answers: %s", text);
	nats_link_give_up(link, true, why);
	return true;
}

/* Wait for `pause` ns. Returns false if the connection must end. */
static bool pause_for(struct nats_link *link, ns_t pause)
{
	ns_t until = tr2_clock_monotonic() + pause;

	while (tr2_clock_monotonic() < until)
		if (!nats_link_wait(link, until))
			return false;
	return true;
}

/* Evaluate the server's answer. If the message was not stored, wait for `*pause`, then double
 * `*pause` up to REFUSED_LONGEST_NS. */
static enum sent answered(struct forward *f, struct nats_link *link,
			  const struct forward_answer *answer, ns_t *pause)
{
	char why[sizeof(f->error)];

	if (!answer->no_stream && answer->ack == FORWARD_STORED)
		return SENT_STORED;
	if (answer->no_stream)
		snprintf(why, sizeof(why),
			 "the server has no stream for %.200s; run trace2top --fleet-init",
			 f->subject);
	else if (answer->ack == FORWARD_REFUSED)
		snprintf(why, sizeof(why), "the server rejected the message: %s", answer->why);
	else
		snprintf(why, sizeof(why), "the server's answer is not from JetStream");
	error_set(f, why);
	if (!pause_for(link, *pause))
		return SENT_END;
	*pause = *pause * 2 < REFUSED_LONGEST_NS ? *pause * 2 : REFUSED_LONGEST_NS;
	return SENT_AGAIN;
}

static enum sent attempt(struct forward *f, struct nats_link *link, natsConnection *connection,
			 const char *inbox, const struct forward_message *m, ns_t *pause)
{
	ns_t until;

	if (!forward_send_publish(f, connection, inbox, m)) {
		nats_link_give_up(link, false, "the server accepts no messages");
		return SENT_END;
	}
	until = tr2_clock_monotonic() + f->config.ack_ns;
	while (tr2_clock_monotonic() < until) {
		bool goes_on = nats_link_wait(link, until), has_answer;
		struct forward_answer answer;

		/* An answer that has arrived counts, even if the connection must end. */
		pthread_mutex_lock(&f->lock);
		has_answer = f->answered;
		answer = f->answer;
		pthread_mutex_unlock(&f->lock);
		if (has_answer)
			return answered(f, link, &answer, pause);
		if (!goes_on || is_denied(f, link))
			return SENT_END;
	}
	return SENT_AGAIN;
}

static void stored(struct forward *f, const struct forward_message *m)
{
	bool had_error = *f->error;

	f->messages++;
	f->events += m->head.events;
	f->bytes += m->len;
	if (f->config.rate)
		f->send_ns += (ns_t)((double)m->len / (double)f->config.rate * (double)NS_PER_SEC);
	*f->error = '\0';
	forward_queue_done(&f->queue);
	pthread_cond_broadcast(&f->cond);
	/* If the queue is empty, the forwarder's batch may be due now. */
	if (!f->queue.first)
		tap_wake(f->tap);
	if (had_error && f->config.changed)
		f->config.changed(f->config.data);
}

/* Send the first message of the queue until the server has stored it. Returns false if the
 * connection must end. */
static bool send_first(struct forward *f, struct nats_link *link, natsConnection *connection,
		       const char *inbox, const struct forward_message *m)
{
	ns_t pause = REFUSED_FIRST_NS;
	unsigned silent = 0;
	enum sent sent;

	for (;;) {
		sent = attempt(f, link, connection, inbox, m, &pause);
		pthread_mutex_lock(&f->lock);
		if (sent == SENT_STORED)
			stored(f, m);
		else
			f->repeats++;
		silent = f->answered ? 0 : silent + 1;
		pthread_mutex_unlock(&f->lock);
		if (sent != SENT_AGAIN)
			return sent == SENT_STORED;
		if (silent == MAX_REPEATS) {
			nats_link_give_up(link, false, "the server does not answer");
			return false;
		}
	}
}

/* Wait until the rate limit allows the next message. Up to a second of unused rate is saved for
 * later. Returns false if the connection must end. */
static bool wait_for_rate(struct forward *f, struct nats_link *link)
{
	ns_t now = tr2_clock_monotonic();

	if (!f->config.rate)
		return true;
	if (f->send_ns < now - NS_PER_SEC)
		f->send_ns = now - NS_PER_SEC;
	return f->send_ns <= now || pause_for(link, f->send_ns - now);
}

static void unread_report(struct forward *f, int error)
{
	char why[sizeof(f->error)];

	snprintf(why, sizeof(why), "--spool: cannot read the oldest message: %s%s", strerror(error),
		 shortage_recover(error));
	error_set(f, why);
}

static void send_all(struct forward *f, struct nats_link *link, natsConnection *connection,
		     const char *inbox)
{
	size_t max = (size_t)nats->natsConnection_GetMaxPayload(connection);

	max = max > 2 * WIRE_MAX_HEADERS ? max - WIRE_MAX_HEADERS : max;
	f->max_packed = max < WIRE_MAX_UNPACKED ? max : WIRE_MAX_UNPACKED;
	for (;;) {
		struct forward_message *m;
		int unread;

		pthread_mutex_lock(&f->lock);
		while ((m = forward_queue_first(&f->queue)) && m->len > max)
			forward_queue_drop_first(&f->queue);
		unread = m ? 0 : f->queue.read_error;
		pthread_mutex_unlock(&f->lock);
		if (!m) {
			ns_t until = unread ? tr2_clock_monotonic() + UNREAD_NS : NS_NONE;

			if (unread)
				unread_report(f, unread);
			if (!nats_link_wait(link, until) || is_denied(f, link))
				return;
			continue;
		}
		if (!wait_for_rate(f, link) || !send_first(f, link, connection, inbox, m))
			return;
	}
}

static void unsubscribe(struct forward *f, natsSubscription *subscription)
{
	nats->natsSubscription_Unsubscribe(subscription);
	pthread_mutex_lock(&f->lock);
	while (!f->answers_ended)
		pthread_cond_wait(&f->cond, &f->lock);
	pthread_mutex_unlock(&f->lock);
	nats->natsSubscription_Destroy(subscription);
}

void forward_send_run(void *data, struct nats_link *link, natsConnection *connection)
{
	struct forward *f = data;
	natsSubscription *subscription = NULL;
	natsInbox *inbox = NULL;
	char pattern[128];

	if (nats->natsInbox_Create(&inbox) != NATS_OK) {
		nats_link_give_up(link, false, "libnats is out of memory");
		return;
	}
	snprintf(pattern, sizeof(pattern), "%s.*", inbox);
	f->answers_ended = false;
	if (nats->natsConnection_Subscribe(&subscription, connection, pattern, on_answer, f) !=
	    NATS_OK) {
		nats_link_give_up(link, false, "the server accepts no messages");
	} else if (nats->natsSubscription_SetOnCompleteCB(subscription, answers_ended, f) !=
		   NATS_OK) {
		nats->natsSubscription_Destroy(subscription);
		nats_link_give_up(link, false, "libnats is out of memory");
	} else {
		send_all(f, link, connection, inbox);
		unsubscribe(f, subscription);
	}
	nats->natsInbox_Destroy(inbox);
}

#else

void forward_send_run(void *data, struct nats_link *link, struct __natsConnection *connection)
{
	(void)data;
	(void)link;
	(void)connection;
}

#endif
