/* SPDX-License-Identifier: MIT */
/* Describes why a NATS server cannot be reached. */
#ifndef MONITOR_NATS_WHY_H
#define MONITOR_NATS_WHY_H

#include <stdbool.h>
#include <stddef.h>

#if defined(HAVE_NATS) && defined(HAVE_ZSTD)

#include "monitor/nats/nats_calls.h"
#include "monitor/nats/nats_url.h"

#define NATS_CONNECT_MS 5000
/* How long a server that is stopped and accepts no data delays the check. */
#define NATS_WRITE_MS 2000

/* Describe the result `status` of natsConnection_Connect() in one line. Call right after it in
 * the same thread. Returns true if only the user can fix the cause. May connect to the server
 * once more, for NATS_WRITE_MS at most. */
bool nats_why_format(const struct nats_server *server, natsStatus status, char *out, size_t bytes);

#endif
#endif
