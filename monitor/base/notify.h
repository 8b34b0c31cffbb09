/* SPDX-License-Identifier: MIT */
/*
 * What a service tells whoever started it, by a datagram to the socket that $NOTIFY_SOCKET names, as
 * systemd's Type=notify wants it: no library is needed for that. Any thread.
 */
#ifndef MONITOR_NOTIFY_H
#define MONITOR_NOTIFY_H

#include <stdbool.h>

/*
 * Tell lines of VARIABLE=value, such as "READY=1", "STOPPING=1", "STATUS=words", to the socket of
 * that name: a path, or an abstract one that begins with @. Waits a second at most. True where
 * nobody wants to be told (no $NOTIFY_SOCKET), or it was; else false with errno.
 */
bool notify_tell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
