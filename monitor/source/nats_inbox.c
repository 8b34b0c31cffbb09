/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/source/nats_inbox.h"

#include <stdio.h>

#include "monitor/nats/wire.h"

#if defined(HAVE_NATS) && defined(HAVE_ZSTD)

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/nats/nats_calls.h"

/* While the queue has this many bytes or more, the thread of libnats that delivers messages
 * blocks. */
#define INBOX_BYTES (8u << 20)
/* Bytes that a message counts for besides its payload, which may be empty. */
#define LETTER_BYTES WIRE_MAX_HEADERS
/* Maximum ms to wait for an answer of the server, or for the end of the consumers. */
#define ASK_MS 3000
/* Maximum delay before the next attempt to create a consumer. */
#define AGAIN_NS NS_PER_SEC
/* Interval of checks of the stream's state. */
#define LOOK_NS (5 * NS_PER_SEC)
/* Heartbeat of the consumer. With libnats' default of 5 s, consumers received nothing for 18 s
 * after a leader had died. */
#define HEARTBEAT_NS NS_PER_SEC

struct held_batch {
	natsMsg *message;
	struct held_batch *next;
	size_t bytes;
};

/* The lock protects the members below it. Messages with a sequence number up to `last_seq` are
 * dropped on arrival. */
struct nats_inbox {
	struct nats_link *link;
	char *subject;
	bool only_new;
	ns_t since;
	void (*came)(void *data);
	void *data;

	pthread_mutex_t lock;
	pthread_cond_t cond;
	struct held_batch *first, *last;
	size_t bytes;
	/* messages up to this sequence number were queued or skipped; 0: none */
	uint64_t last_seq;
	int64_t created; /* server's time of the stream's creation; 0: unknown */
	/* the inbox is being closed, so threads must not wait */
	bool closing;
	bool leave; /* a new consumer must be created that skips stored messages */
	/* number of consumers for which libnats may still call on_message() */
	unsigned nr_consumers;
	bool is_abandoned; /* on_complete() of the last consumer frees the inbox */
	struct nats_inbox_state state;
};

static void nats_inbox_notify(struct nats_inbox *in)
{
	in->came(in->data);
}

static void held_free(struct held_batch *held)
{
	nats->natsMsg_Destroy(held->message);
	free(held);
}

static bool nats_inbox_number_of(natsMsg *message, uint64_t *seq)
{
	jsMsgMetaData *meta = NULL;

	if (nats->natsMsg_GetMetaData(&meta, message) != NATS_OK)
		return false;
	*seq = meta->Sequence.Stream;
	nats->jsMsgMetaData_Destroy(meta);
	return true;
}

static void on_message(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
		       void *data)
{
	struct nats_inbox *in = data;
	struct held_batch *held = xmalloc(sizeof(*held));
	bool was_empty, is_new;
	uint64_t seq;

	(void)connection;
	(void)subscription;
	*held = (struct held_batch){ .message = message,
				     .bytes = (size_t)nats->natsMsg_GetDataLength(message) +
					      LETTER_BYTES };
	is_new = nats_inbox_number_of(message, &seq);
	pthread_mutex_lock(&in->lock);
	while (in->bytes >= INBOX_BYTES && !in->closing && !in->leave)
		pthread_cond_wait(&in->cond, &in->lock);
	/* A new consumer may deliver messages again that were queued or skipped before. */
	if (!is_new || in->closing || in->leave || seq <= in->last_seq) {
		pthread_mutex_unlock(&in->lock);
		held_free(held);
		return;
	}
	in->last_seq = seq;
	was_empty = !in->first;
	if (in->last)
		in->last->next = held;
	else
		in->first = held;
	in->last = held;
	in->bytes += held->bytes;
	pthread_mutex_unlock(&in->lock);
	if (was_empty)
		nats_inbox_notify(in);
}

static void inbox_destroy(struct nats_inbox *in)
{
	pthread_cond_destroy(&in->cond);
	pthread_mutex_destroy(&in->lock);
	free(in->subject);
	free(in);
}

static void on_complete(void *data)
{
	struct nats_inbox *in = data;
	bool is_over;

	pthread_mutex_lock(&in->lock);
	in->nr_consumers--;
	is_over = in->is_abandoned && !in->nr_consumers;
	pthread_cond_broadcast(&in->cond);
	pthread_mutex_unlock(&in->lock);
	if (is_over)
		inbox_destroy(in);
}

static void set_error(struct nats_inbox *in, bool refused, const char *error)
{
	bool is_other;

	pthread_mutex_lock(&in->lock);
	is_other = strcmp(in->state.error, error) != 0 || in->state.is_refused != refused;
	snprintf(in->state.error, sizeof(in->state.error), "%s", error);
	in->state.is_refused = refused;
	pthread_mutex_unlock(&in->lock);
	if (is_other)
		nats_inbox_notify(in);
}

static bool stream_ask(struct nats_inbox *in, jsCtx *js, int64_t *created, uint64_t *last)
{
	jsStreamInfo *info = NULL;
	char ignored[8];

	if (nats->js_GetStreamInfo(&info, js, wire_streams[WIRE_EVENTS], NULL, NULL) != NATS_OK) {
		/* Discard the server's refusal: messages can arrive even if the user may not
		 * request the stream's state. */
		nats_link_refusal(in->link, ignored, sizeof(ignored));
		return false;
	}
	*created = info->Created;
	*last = info->State.LastSeq;
	nats->jsStreamInfo_Destroy(info);
	return true;
}

/*
 * If the server answers, update `created` and `last_seq`, and clear `leave`. A recreated stream
 * restarts its sequence numbers; a stream that lost its newest messages uses their numbers again.
 * If stored messages must be skipped, `last_seq` becomes the newest number.
 */
static void stream_check(struct nats_inbox *in, jsCtx *js)
{
	int64_t created;
	uint64_t last;

	if (!stream_ask(in, js, &created, &last))
		return;
	pthread_mutex_lock(&in->lock);
	if (in->leave || (in->only_new && !in->created))
		in->last_seq = last;
	else if (in->created && in->created != created)
		in->last_seq = 0;
	else if (in->last_seq > last)
		in->last_seq = last;
	in->created = created;
	in->leave = false;
	pthread_mutex_unlock(&in->lock);
}

/* True if the stream was recreated or lost its newest messages: libnats does not detect either,
 * and would wait for numbers that do not come. True also if the creation time was unknown. */
static bool stream_is_other(struct nats_inbox *in, jsCtx *js)
{
	int64_t created;
	uint64_t last;
	bool other;

	if (!stream_ask(in, js, &created, &last))
		return false;
	pthread_mutex_lock(&in->lock);
	other = in->created != created || last < in->last_seq;
	pthread_mutex_unlock(&in->lock);
	return other;
}

static void begin_at(struct nats_inbox *in, jsConsumerConfig *config)
{
	pthread_mutex_lock(&in->lock);
	if (in->leave || (in->only_new && !in->created)) {
		config->DeliverPolicy = js_DeliverNew;
	} else if (in->last_seq) {
		config->DeliverPolicy = js_DeliverByStartSequence;
		config->OptStartSeq = in->last_seq + 1;
	} else if (in->since != NS_NONE) {
		config->DeliverPolicy = js_DeliverByStartTime;
		config->OptStartTime = in->since;
	}
	in->leave = false;
	pthread_mutex_unlock(&in->lock);
}

/* Write to `out` why the server did not create a consumer. Returns true if only the user can fix
 * the cause. */
static bool format_refused(struct nats_inbox *in, natsStatus status, jsErrCode code, char *out,
			   size_t bytes)
{
	char refusal[200];

	if (nats_link_refusal(in->link, refusal, sizeof(refusal))) {
		snprintf(out, bytes, "no right to read there: %.160s", refusal);
		return true;
	}
	if (code == JSStreamNotFoundErr) {
		snprintf(out, bytes, "the server has no stream %s: trace2top --fleet-init makes it",
			 wire_streams[WIRE_EVENTS]);
		return true;
	}
	if (code == JSNotEnabledErr || code == JSNotEnabledForAccountErr ||
	    status == NATS_NO_RESPONDERS) {
		snprintf(out, bytes, "JetStream is not on at the server: see its configuration");
		return true;
	}
	snprintf(out, bytes, "the server does not answer for %s now: %s", wire_streams[WIRE_EVENTS],
		 nats->natsStatus_GetText(status));
	return false;
}

static void count_stored(struct nats_inbox *in, natsSubscription *subscription)
{
	jsConsumerInfo *info = NULL;
	bool is_counted;

	pthread_mutex_lock(&in->lock);
	is_counted = in->state.is_counted;
	pthread_mutex_unlock(&in->lock);
	if (is_counted ||
	    nats->natsSubscription_GetConsumerInfo(&info, subscription, NULL, NULL) != NATS_OK)
		return;
	pthread_mutex_lock(&in->lock);
	in->state.stored = info->NumPending + info->Delivered.Consumer;
	in->state.is_counted = true;
	pthread_mutex_unlock(&in->lock);
	nats->jsConsumerInfo_Destroy(info);
	nats_inbox_notify(in);
}

/* A stream over its limits deletes messages, so fewer than the counted ones may arrive. */
static void nats_inbox_drained_check(struct nats_inbox *in, natsSubscription *subscription)
{
	jsConsumerInfo *info = NULL;

	if (nats->natsSubscription_GetConsumerInfo(&info, subscription, NULL, NULL) != NATS_OK)
		return;
	pthread_mutex_lock(&in->lock);
	in->state.is_drained = !info->NumPending;
	pthread_mutex_unlock(&in->lock);
	nats->jsConsumerInfo_Destroy(info);
	nats_inbox_notify(in);
}

static natsStatus reader_make(struct nats_inbox *in, jsCtx *js, natsSubscription **out,
			      jsErrCode *code)
{
	jsSubOptions options;
	natsStatus status;

	nats->jsSubOptions_Init(&options);
	options.Stream = wire_streams[WIRE_EVENTS];
	options.Ordered = true;
	options.Config.Heartbeat = HEARTBEAT_NS;
	stream_check(in, js);
	begin_at(in, &options.Config);
	status = nats->js_Subscribe(out, js, in->subject, on_message, in, NULL, &options, code);
	if (status != NATS_OK)
		return status;
	/* No limit: on_message() blocks, so the server's flow control limits pending messages. */
	nats->natsSubscription_SetPendingLimits(*out, -1, -1);
	pthread_mutex_lock(&in->lock);
	in->nr_consumers++;
	pthread_mutex_unlock(&in->lock);
	nats->natsSubscription_SetOnCompleteCB(*out, on_complete, in);
	pthread_mutex_lock(&in->lock);
	if (!in->state.was_joined)
		in->state.joined_ns = tr2_clock_monotonic();
	in->state.was_joined = true;
	in->state.failures = 0;
	pthread_mutex_unlock(&in->lock);
	set_error(in, false, "");
	count_stored(in, *out);
	return status;
}

/* Wait at most ASK_MS until libnats has called on_message() for the last time. */
static void reader_end(struct nats_inbox *in, natsSubscription *subscription)
{
	struct timespec until;

	nats->natsSubscription_Unsubscribe(subscription);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ASK_MS / 1000;
	pthread_mutex_lock(&in->lock);
	while (in->nr_consumers && !pthread_cond_timedwait(&in->cond, &in->lock, &until))
		;
	pthread_mutex_unlock(&in->lock);
	nats->natsSubscription_Destroy(subscription);
}

static bool wants_restart(struct nats_inbox *in)
{
	bool leave;

	pthread_mutex_lock(&in->lock);
	leave = in->leave && !in->closing;
	pthread_mutex_unlock(&in->lock);
	return leave;
}

/* Returns true if another consumer must be created on the same connection. */
static bool nats_inbox_read_more(struct nats_inbox *in, jsCtx *js)
{
	natsSubscription *subscription = NULL;
	jsErrCode code = 0;
	natsStatus status = reader_make(in, js, &subscription, &code);
	ns_t look = tr2_clock_monotonic() + LOOK_NS;
	bool on, anew = false;
	char why[200];

	if (status != NATS_OK) {
		bool refused = format_refused(in, status, code, why, sizeof(why));

		set_error(in, refused, why);
		if (refused)
			nats_link_give_up(in->link, true, why);
		return !refused && nats_link_wait(in->link, tr2_clock_monotonic() + AGAIN_NS);
	}
	do {
		on = nats_link_wait(in->link, look);
		if (on && tr2_clock_monotonic() >= look) {
			anew = stream_is_other(in, js);
			nats_inbox_drained_check(in, subscription);
			look = tr2_clock_monotonic() + LOOK_NS;
		}
	} while (on && !anew && !wants_restart(in));
	reader_end(in, subscription);
	return on;
}

static void nats_inbox_run(void *data, struct nats_link *link, natsConnection *connection)
{
	struct nats_inbox *in = data;
	jsOptions options;
	jsCtx *js = NULL;

	(void)link;
	nats->jsOptions_Init(&options);
	options.Wait = ASK_MS;
	if (nats->natsConnection_JetStream(&js, connection, &options) != NATS_OK)
		return;
	while (nats_inbox_read_more(in, js))
		;
	nats->jsCtx_Destroy(js);
}

static void changed(void *data)
{
	struct nats_inbox *in = data;
	struct nats_link_status status;

	nats_link_status(in->link, &status);
	pthread_mutex_lock(&in->lock);
	in->state.failures += status.state == NATS_LINK_AWAY && *status.error;
	pthread_mutex_unlock(&in->lock);
	nats_inbox_notify(in);
}

struct nats_inbox *nats_inbox_new(const struct nats_inbox_config *config, char *why,
				  size_t why_bytes)
{
	struct nats_link *link = nats_link_new(&config->link, why, why_bytes);
	struct nats_inbox *in;
	pthread_condattr_t attr;

	if (!link)
		return NULL;
	in = xcalloc(1, sizeof(*in));
	in->link = link;
	in->subject = xstrdup(config->subject);
	in->only_new = config->only_new;
	in->since = config->since;
	in->came = config->came;
	in->data = config->data;
	pthread_mutex_init(&in->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&in->cond, &attr);
	pthread_condattr_destroy(&attr);
	return in;
}

void nats_inbox_start(struct nats_inbox *in)
{
	nats_link_start(in->link, nats_inbox_run, changed, in);
}

bool nats_inbox_take(struct nats_inbox *in, struct nats_letter *out)
{
	jsMsgMetaData *meta = NULL;
	struct held_batch *held;
	natsMsg *message;

	pthread_mutex_lock(&in->lock);
	held = in->first;
	if (held) {
		in->first = held->next;
		if (!in->first)
			in->last = NULL;
		in->bytes -= held->bytes;
		pthread_cond_broadcast(&in->cond);
	}
	pthread_mutex_unlock(&in->lock);
	if (!held)
		return false;
	message = held->message;
	free(held);
	*out = (struct nats_letter){ .message = message,
				     .subject = nats->natsMsg_GetSubject(message),
				     .payload = nats->natsMsg_GetData(message),
				     .len = (size_t)nats->natsMsg_GetDataLength(message) };
	nats->natsMsgHeader_Get(message, WIRE_HEADER_ID, &out->id);
	nats->natsMsgHeader_Get(message, WIRE_HEADER, &out->head);
	if (nats->natsMsg_GetMetaData(&meta, message) == NATS_OK) {
		out->pending = meta->NumPending;
		out->stamp = meta->Timestamp;
		nats->jsMsgMetaData_Destroy(meta);
	}
	return true;
}

void nats_letter_done(struct nats_letter *letter)
{
	nats->natsMsg_Destroy(letter->message);
	letter->message = NULL;
}

void nats_inbox_state(struct nats_inbox *in, struct nats_inbox_state *out)
{
	struct nats_link_status status;

	nats_link_status(in->link, &status);
	pthread_mutex_lock(&in->lock);
	*out = in->state;
	pthread_mutex_unlock(&in->lock);
	out->link = status;
}

static void drop_all(struct nats_inbox *in)
{
	while (in->first) {
		struct held_batch *next = in->first->next;

		held_free(in->first);
		in->first = next;
	}
	in->last = NULL;
	in->bytes = 0;
}

void nats_inbox_leave(struct nats_inbox *in)
{
	pthread_mutex_lock(&in->lock);
	in->leave = true;
	drop_all(in);
	pthread_cond_broadcast(&in->cond);
	pthread_mutex_unlock(&in->lock);
	nats_link_wake(in->link);
}

void nats_inbox_free(struct nats_inbox *in)
{
	bool is_abandoned;

	if (!in)
		return;
	pthread_mutex_lock(&in->lock);
	in->closing = true;
	pthread_cond_broadcast(&in->cond);
	pthread_mutex_unlock(&in->lock);
	nats_link_free(in->link);
	pthread_mutex_lock(&in->lock);
	drop_all(in);
	in->is_abandoned = in->nr_consumers > 0;
	is_abandoned = in->is_abandoned;
	pthread_mutex_unlock(&in->lock);
	if (!is_abandoned)
		inbox_destroy(in);
}

#else

struct nats_inbox *nats_inbox_new(const struct nats_inbox_config *config, char *why,
				  size_t why_bytes)
{
	(void)config;
	snprintf(why, why_bytes, "this trace2top was built without %s", nats_link_missing());
	return NULL;
}

void nats_inbox_start(struct nats_inbox *inbox)
{
	(void)inbox;
}

bool nats_inbox_take(struct nats_inbox *inbox, struct nats_letter *out)
{
	(void)inbox;
	(void)out;
	return false;
}

void nats_letter_done(struct nats_letter *letter)
{
	(void)letter;
}

void nats_inbox_state(struct nats_inbox *inbox, struct nats_inbox_state *out)
{
	(void)inbox;
	*out = (struct nats_inbox_state){ 0 };
}

void nats_inbox_leave(struct nats_inbox *inbox)
{
	(void)inbox;
}

void nats_inbox_free(struct nats_inbox *inbox)
{
	(void)inbox;
}

#endif
