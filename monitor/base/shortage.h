/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_SHORTAGE_H
#define MONITOR_SHORTAGE_H

#include <stdbool.h>

/* How to mend what made a system call fail with the errno `error`: "; raise ..." to follow
 * strerror(), "" where there is no advice. Static. Any thread. */
const char *shortage_mend(int error);
/* Is it for want of something that may be there again later? Any thread. */
static inline bool shortage_is(int error)
{
	return *shortage_mend(error) != '\0';
}

#endif
