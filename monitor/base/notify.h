/* SPDX-License-Identifier: MIT */
/* Notify the service manager (systemd Type=notify). Any thread. */
#ifndef MONITOR_NOTIFY_H
#define MONITOR_NOTIFY_H

#include <stdbool.h>

/*
 * Send `state`, such as "READY=1", and a STATUS text (each may be NULL) to $NOTIFY_SOCKET, a path
 * or an abstract name that begins with @. Waits at most one second. Returns true if sent or if the
 * variable is unset or empty; false with errno on failure.
 */
bool notify_send(const char *state, const char *status_fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
