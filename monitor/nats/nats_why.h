/* SPDX-License-Identifier: MIT */
/* Describe why a NATS server cannot be reached. */
#ifndef MONITOR_NATS_WHY_H
#define MONITOR_NATS_WHY_H

#include <stdbool.h>
#include <stddef.h>

#if defined(HAVE_NATS) && defined(HAVE_ZSTD)

#include "monitor/nats/nats_calls.h"
#include "monitor/nats/nats_url.h"

#define NATS_CONNECT_MS 5000
/* Maximum ms for sending to a server, and for a second attempt to connect. */
#define NATS_WRITE_MS 2000

/*
 * Describe the result `status` of natsConnection_Connect() in one line, in the same thread,
 * directly afterwards. Returns true if only the user can fix the cause. May look up the server's
 * name, and try to connect for at most NATS_WRITE_MS.
 */
bool nats_why_format(const struct nats_server *server, natsStatus status, char *out, size_t bytes);

#endif
#endif
