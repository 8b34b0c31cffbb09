/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_HOST_H
#define MONITOR_HOST_H

#include <stdbool.h>

/*
 * True if `host`, a name or an address without brackets, is this machine's loopback. The only known
 * name is "localhost". Any thread.
 */
bool host_is_loopback(const char *host);

#endif
