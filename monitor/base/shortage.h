/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_SHORTAGE_H
#define MONITOR_SHORTAGE_H

#include <stdbool.h>

/* Return advice to append to strerror(`error`), such as "; free some memory"; "" if there is none.
 * Static. Any thread. */
const char *shortage_recover(int error);
/* True if the errno `error` means a shortage of descriptors or memory. */
static inline bool shortage_is(int error)
{
	return *shortage_recover(error) != '\0';
}

#endif
