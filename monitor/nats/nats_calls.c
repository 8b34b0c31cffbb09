/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/nats/nats_calls.h"

#ifdef HAVE_NATS

#include "monitor/base/library.h"

static struct nats_calls calls;
const struct nats_calls *nats;

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

#endif
