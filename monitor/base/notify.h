/* SPDX-License-Identifier: MIT */
/*
 * What a service tells whoever started it, by a datagram to the socket that $NOTIFY_SOCKET names, as
 * systemd's Type=notify wants it: no library is needed for that. Any thread.
 */
#ifndef MONITOR_NOTIFY_H
#define MONITOR_NOTIFY_H

#include <stdbool.h>

/*
 * Tell the socket of that name (a path, or an abstract one that begins with @) a state, such as
 * "READY=1" (NULL: none), and a STATUS in words for people (NULL: none), whose control characters
 * are made visible: each line is a variable. Waits a second at most. True where nobody wants to be
 * told (no $NOTIFY_SOCKET), or it was; else false with errno.
 */
bool notify_tell(const char *state, const char *status_fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
