/* SPDX-License-Identifier: MIT */
/*
 * The library libnats, which is loaded when it is first needed. Linked with the program, it and
 * OpenSSL would double the startup time of trace2top, even if they are not used. After
 * nats_link_new(), call its functions as `nats->natsOptions_Create(&options)`.
 */
#ifndef MONITOR_NATS_CALLS_H
#define MONITOR_NATS_CALLS_H

#ifdef HAVE_NATS

#include <nats/nats.h>

struct nats_calls {
#define NATS_CALL(function) __typeof__(function) *function;
#include "monitor/nats/nats_calls.def"
};

/* Table of the functions of libnats; NULL until the library is loaded. */
extern const struct nats_calls *nats;

/* Load libnats if necessary. Returns NULL, or the reason of a failure, valid until the next
 * dlerror(). Only one thread may call this; afterwards any thread may use `nats`. */
const char *nats_calls_load(void);

/*
 * Count the users of libnats: one function adds a user, the other removes one. Removing the last
 * one waits up to two seconds for the library's threads, because a thread that frees a connection
 * must not run while exit() unloads OpenSSL. Any thread may call these functions.
 */
void nats_calls_hold(void);
void nats_calls_release(void);

#endif
#endif
