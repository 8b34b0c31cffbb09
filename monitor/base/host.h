/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_HOST_H
#define MONITOR_HOST_H

#include <stdbool.h>

/* True if `host` is "localhost" or a loopback address without brackets. Any thread. */
bool host_is_loopback(const char *host);

#endif
