/* SPDX-License-Identifier: MIT */
/*
 * libnats, loaded on demand: with OpenSSL it would double the startup time of every trace2top.
 * After nats_link_new(), call it as `nats->natsOptions_Create(&options)`.
 */
#ifndef MONITOR_NATS_CALLS_H
#define MONITOR_NATS_CALLS_H

#ifdef HAVE_NATS

#include <nats/nats.h>

struct nats_calls {
#define NATS_CALL(function) __typeof__(function) *function;
#include "monitor/nats/nats_calls.def"
};

/* NULL until it is loaded. */
extern const struct nats_calls *nats;

/* Load it if necessary. Returns NULL, or the reason of a failure (static). One thread; afterwards
 * any thread may use `nats`. */
const char *nats_calls_load(void);

/*
 * Count users of the loaded library. The last release waits up to two seconds for its threads,
 * because a thread that frees a connection must not run while exit() unloads OpenSSL. Any thread.
 */
void nats_calls_hold(void);
void nats_calls_release(void);

#endif
#endif
