/* SPDX-License-Identifier: MIT */
/* Describes why a server cannot be reached. */
#ifndef MONITOR_NATS_WHY_H
#define MONITOR_NATS_WHY_H

#include <stdbool.h>
#include <stddef.h>

#if defined(HAVE_NATS) && defined(HAVE_ZSTD)

#include "monitor/nats/nats_calls.h"
#include "monitor/nats/nats_url.h"

#define NATS_CONNECT_MS 5000
/* Timeout of a server that accepts no data (it is stopped). */
#define NATS_WRITE_MS 2000

/* Describe `status` of natsConnection_Connect() in one line. Call right after it in the same
 * thread. Returns true if only the user can fix it. May try the server once more, for
 * NATS_WRITE_MS at most. */
bool nats_why_format(const struct nats_server *server, natsStatus status, char *out, size_t bytes);

#endif
#endif
