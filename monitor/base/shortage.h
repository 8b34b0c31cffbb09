/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_SHORTAGE_H
#define MONITOR_SHORTAGE_H

/* How to mend what made a system call fail with the errno `error`: "; raise ..." to follow
 * strerror(), "" where there is no advice. Static. Any thread. */
const char *shortage_mend(int error);

#endif
