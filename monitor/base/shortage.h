/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_SHORTAGE_H
#define MONITOR_SHORTAGE_H

#include <stdbool.h>

/*
 * Return advice for a system call that failed with errno `error` for lack of a resource: "; raise
 * ...", to append to strerror(); "" without advice. Static. Any thread.
 */
const char *shortage_recover(int error);
/* True if the errno `error` means a shortage of a resource, such as memory or descriptors, which
 * may be temporary. */
static inline bool shortage_is(int error)
{
	return *shortage_recover(error) != '\0';
}

#endif
