/* SPDX-License-Identifier: MIT */
/*
 * libnats, loaded when it is needed: with OpenSSL behind it, it would double the time in which
 * every trace2top starts. `nats->natsOptions_Create(&options)` calls it, once nats_link_new()
 * has been there.
 */
#ifndef MONITOR_NATS_CALLS_H
#define MONITOR_NATS_CALLS_H

#ifdef HAVE_NATS

#include <nats/nats.h>

struct nats_calls {
#define NATS_CALL(function) __typeof__(function) *function;
#include "monitor/nats/nats_calls.def"
};

/* NULL until it was loaded. */
extern const struct nats_calls *nats;

/* Load it, unless it is loaded. NULL, or why it cannot be (static). One thread, but each may ask
 * `nats` from then on. */
const char *nats_calls_load(void);

/*
 * Once it is loaded: hold it while anything of it is in use, and release it. With the last one its
 * threads end, two seconds at most: one may still free a connection, while exit() takes OpenSSL
 * away from it. Any thread.
 */
void nats_calls_hold(void);
void nats_calls_release(void);

#endif
#endif
