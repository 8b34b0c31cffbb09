/* SPDX-License-Identifier: MIT */
/*
 * The library libnats, loaded when it is first needed: linked with the program, it and OpenSSL
 * would make the start slower. After nats_link_new(), call its functions as
 * `nats->natsOptions_Create(&options)`.
 */
#ifndef MONITOR_NATS_CALLS_H
#define MONITOR_NATS_CALLS_H

#ifdef HAVE_NATS

#include <nats/nats.h>

struct nats_calls {
#define NATS_CALL(function) __typeof__(function) *function;
#include "monitor/nats/nats_calls.def"
};

/* Functions of libnats; NULL until it is loaded. */
extern const struct nats_calls *nats;

/* Load libnats if necessary. Returns NULL, or an error valid until the next call of dlerror(). One
 * thread only; afterwards any thread may use `nats`. */
const char *nats_calls_load(void);

/* Add or remove a user of libnats. Removing the last one waits up to two seconds for the library's
 * threads, which must not free a connection while exit() unloads OpenSSL. Any thread. */
void nats_calls_hold(void);
void nats_calls_release(void);

#endif
#endif
