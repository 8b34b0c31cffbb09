/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/nats/nats_calls.h"

#ifdef HAVE_NATS

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

static struct nats_calls calls;
const struct nats_calls *nats;

static const struct {
	const char *name;
	void **at;
} functions[] = {
#define NATS_CALL(function) { #function, (void **)&calls.function },
#include "monitor/nats/nats_calls.def"
};

const char *nats_calls_load(void)
{
	void *library;

	if (nats)
		return NULL;
	library = dlopen(NATS_SONAME, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return dlerror();
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		*functions[i].at = dlsym(library, functions[i].name);
		if (!*functions[i].at)
			return dlerror();
	}
	nats = &calls;
	return NULL;
}

#endif
