/* SPDX-License-Identifier: MIT */
/* Why there is no connection to a server, in words. */
#ifndef MONITOR_NATS_WHY_H
#define MONITOR_NATS_WHY_H

#include <stdbool.h>
#include <stddef.h>

#if defined(HAVE_NATS) && defined(HAVE_ZSTD)

#include "monitor/nats/nats_calls.h"
#include "monitor/nats/nats_url.h"

#define NATS_CONNECT_MS 5000
/* A server that takes nothing for so long (it is stopped) is given up. */
#define NATS_WRITE_MS 2000

/* What `status` of natsConnection_Connect() means, right behind it in its thread, as a line into
 * `out`. True where only a person can mend it. It may try the server once more, which takes
 * NATS_WRITE_MS at most. */
bool nats_why_say(const struct nats_server *server, natsStatus status, char *out, size_t bytes);

#endif
#endif
