/* SPDX-License-Identifier: MIT */
/* Tests of the queue of messages of a NATS server, with functions in place of libnats. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#if defined(HAVE_NATS) && defined(HAVE_ZSTD)

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "monitor/nats/nats_calls.h"
#include "monitor/nats/nats_link.h"
#include "monitor/source/nats_inbox.h"

struct nats_link {
	void (*run)(void *data, struct nats_link *link, natsConnection *connection);
	void *data;
};

static struct nats_link only_link;

struct nats_link *nats_link_new(const struct nats_link_config *config, char *why, size_t why_bytes)
{
	(void)config;
	(void)why;
	(void)why_bytes;
	return &only_link;
}

void nats_link_start(struct nats_link *link,
		     void (*run)(void *data, struct nats_link *link, natsConnection *connection),
		     void (*changed)(void *data), void *data)
{
	(void)changed;
	*link = (struct nats_link){ run, data };
}

void nats_link_stop(struct nats_link *link)
{
	(void)link;
}

void nats_link_free(struct nats_link *link)
{
	(void)link;
}

/* The connection is lost as soon as the consumer was created. */
bool nats_link_wait(struct nats_link *link, ns_t until)
{
	(void)link;
	(void)until;
	return false;
}

void nats_link_give_up(struct nats_link *link, bool refused, const char *error)
{
	(void)link;
	(void)refused;
	(void)error;
}

bool nats_link_refusal(struct nats_link *link, char *out, size_t bytes)
{
	(void)link;
	(void)out;
	(void)bytes;
	return false;
}

void nats_link_wake(struct nats_link *link)
{
	(void)link;
}

void nats_link_status(struct nats_link *link, struct nats_link_status *out)
{
	(void)link;
	*out = (struct nats_link_status){ .state = NATS_LINK_UP };
}

const char *nats_link_missing(void)
{
	return NULL;
}

static natsMsgHandler on_message;
static natsOnCompleteCB on_complete;
static void *closure;
static unsigned nr_destroyed; /* number of destroyed messages */

static natsStatus get_context(jsCtx **js, natsConnection *connection, jsOptions *options)
{
	(void)connection;
	(void)options;
	*js = NULL;
	return NATS_OK;
}

static natsStatus init_options(jsOptions *options)
{
	*options = (jsOptions){ 0 };
	return NATS_OK;
}

static natsStatus init_subscription(jsSubOptions *options)
{
	*options = (jsSubOptions){ 0 };
	return NATS_OK;
}

static natsStatus get_stream(jsStreamInfo **info, jsCtx *js, const char *stream, jsOptions *options,
			     jsErrCode *code)
{
	(void)info;
	(void)js;
	(void)stream;
	(void)options;
	(void)code;
	return NATS_ERR;
}

static natsStatus subscribe(natsSubscription **out, jsCtx *js, const char *subject,
			    natsMsgHandler handler, void *data, jsOptions *options,
			    jsSubOptions *how, jsErrCode *code)
{
	(void)js;
	(void)subject;
	(void)options;
	(void)how;
	(void)code;
	*out = NULL;
	on_message = handler;
	closure = data;
	return NATS_OK;
}

static natsStatus set_limits(natsSubscription *subscription, int messages, int bytes)
{
	(void)subscription;
	(void)messages;
	(void)bytes;
	return NATS_OK;
}

static natsStatus set_complete(natsSubscription *subscription, natsOnCompleteCB callback,
			       void *data)
{
	(void)subscription;
	(void)data;
	on_complete = callback;
	return NATS_OK;
}

static natsStatus get_consumer(jsConsumerInfo **info, natsSubscription *subscription,
			       jsOptions *options, jsErrCode *code)
{
	(void)info;
	(void)subscription;
	(void)options;
	(void)code;
	return NATS_ERR;
}

static natsStatus unsubscribe(natsSubscription *subscription)
{
	(void)subscription;
	return NATS_OK;
}

static void destroy_subscription(natsSubscription *subscription)
{
	(void)subscription;
}

static void destroy_context(jsCtx *js)
{
	(void)js;
}

static natsStatus get_meta(jsMsgMetaData **meta, natsMsg *message)
{
	(void)meta;
	(void)message;
	return NATS_ERR;
}

static int get_length(const natsMsg *message)
{
	(void)message;
	return 0;
}

static void destroy_message(natsMsg *message)
{
	(void)message;
	nr_destroyed++;
}

static const struct nats_calls calls = {
	.natsConnection_JetStream = get_context,
	.jsOptions_Init = init_options,
	.jsSubOptions_Init = init_subscription,
	.js_GetStreamInfo = get_stream,
	.js_Subscribe = subscribe,
	.natsSubscription_SetPendingLimits = set_limits,
	.natsSubscription_SetOnCompleteCB = set_complete,
	.natsSubscription_GetConsumerInfo = get_consumer,
	.natsSubscription_Unsubscribe = unsubscribe,
	.natsSubscription_Destroy = destroy_subscription,
	.jsCtx_Destroy = destroy_context,
	.natsMsg_GetMetaData = get_meta,
	.natsMsg_GetDataLength = get_length,
	.natsMsg_Destroy = destroy_message,
};

const struct nats_calls *nats = &calls;

static unsigned nr_waits;
static bool completes; /* libnats ends a consumer while the queue waits for that */

int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *lock,
				  const struct timespec *until);
int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *lock,
				  const struct timespec *until)
{
	(void)cond;
	(void)until;
	nr_waits++;
	if (!completes)
		return ETIMEDOUT;
	completes = false;
	pthread_mutex_unlock(lock);
	on_complete(closure);
	pthread_mutex_lock(lock);
	return 0;
}

static void came(void *data)
{
	(void)data;
}

static struct nats_inbox *start_inbox(void)
{
	struct nats_inbox_config config = { .subject = "s", .came = came };
	struct nats_inbox *in;
	char why[100];

	nr_waits = 0;
	in = nats_inbox_new(&config, why, sizeof(why));
	assert_non_null(in);
	nats_inbox_start(in);
	return in;
}

static void connect_and_lose(void)
{
	only_link.run(only_link.data, &only_link, NULL);
}

/* A late end of the old consumer is not taken for the end of the next one. */
static void waits_for_each_consumer(void **state)
{
	struct nats_inbox *in = start_inbox();

	(void)state;
	connect_and_lose();
	assert_int_equal(nr_waits, 1);
	/* The old consumer ends while the queue waits for both; the next one ends later. */
	completes = true;
	connect_and_lose();
	assert_int_equal(nr_waits, 3);
	on_complete(closure);
	nats_inbox_free(in);
}

/* libnats may deliver a message after the queue has waited for the consumer's end in vain. */
static void drops_messages_after_its_end(void **state)
{
	struct nats_inbox *in = start_inbox();

	(void)state;
	connect_and_lose();
	nats_inbox_free(in);
	nr_destroyed = 0;
	on_message(NULL, NULL, NULL, closure);
	assert_int_equal(nr_destroyed, 1);
	on_complete(closure);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_for_each_consumer),
		cmocka_unit_test(drops_messages_after_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 77;
}

#endif
