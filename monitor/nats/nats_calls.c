/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/nats/nats_calls.h"

#ifdef HAVE_NATS

#include <pthread.h>

#include "monitor/base/library.h"

#define END_MS 2000

static struct nats_calls calls;
const struct nats_calls *nats;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned nr_users;

static const struct library_function functions[] = {
#define NATS_CALL(function) { #function, (void **)&calls.function },
#include "monitor/nats/nats_calls.def"
};

const char *nats_calls_load(void)
{
	const char *why = NULL;

	if (!nats)
		why = library_load(NATS_SONAME, functions, sizeof(functions) / sizeof(*functions));
	if (!why)
		nats = &calls;
	return why;
}

void nats_calls_hold(void)
{
	pthread_mutex_lock(&lock);
	nr_users++;
	pthread_mutex_unlock(&lock);
}

void nats_calls_release(void)
{
	pthread_mutex_lock(&lock);
	if (!--nr_users)
		nats->nats_CloseAndWait(END_MS);
	pthread_mutex_unlock(&lock);
}

#endif
