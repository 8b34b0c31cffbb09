/* SPDX-License-Identifier: MIT */
/* A mutex whose holder is not kept off the processor while a real-time thread waits for it. */
#ifndef MONITOR_PI_MUTEX_H
#define MONITOR_PI_MUTEX_H

#include <pthread.h>

/* Initialise `mutex` with priority inheritance, without where the kernel has none of that. It is
 * used and destroyed as any other. */
void pi_mutex_init(pthread_mutex_t *mutex);

#endif
