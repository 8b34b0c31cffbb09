/* SPDX-License-Identifier: MIT */
/* What the host of a URL tells of where it leads. */
#ifndef MONITOR_HOST_H
#define MONITOR_HOST_H

#include <stdbool.h>

/*
 * Does what is sent to `host`, a name or an address without brackets, stay on this machine? No
 * name but "localhost" is looked up. Any thread.
 */
bool host_is_loopback(const char *host);

#endif
