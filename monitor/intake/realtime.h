/* SPDX-License-Identifier: MIT */
/*
 * Real-time scheduling of the thread that reads sockets. The kernel holds some 170 unread
 * events, 1.2 milliseconds of a busy writer, or eleven datagrams where dgram_queue.h cannot
 * help; on a machine with other work an ordinary thread may be off the processor for longer,
 * and the writer waits.
 */
#ifndef MONITOR_REALTIME_H
#define MONITOR_REALTIME_H

#include <pthread.h>
#include <stdbool.h>

/*
 * Schedule the calling thread before all ordinary ones (SCHED_RR at its lowest priority, not
 * inherited by what it forks; see sched(7)). False where that is not permitted: it takes root,
 * CAP_SYS_NICE or a limit RLIMIT_RTPRIO of 1; where there is only one processor, which what is
 * traced needs itself; or where RLIMIT_RTTIME would end a program that is busy for long. Nothing
 * is changed then.
 */
bool realtime_begin(void);

/*
 * Start a thread that is scheduled so from its first moment on: one that has to ask for it
 * itself waits for its first turn among all others. False, and no thread, where that is not
 * permitted. It is inherited by what that thread forks until it calls realtime_begin().
 */
bool realtime_thread(pthread_t *thread, void *(*run)(void *data), void *data);

/* The processor that the calling thread runs on; negative where that is not known. */
int realtime_processor(void);

/* Let the calling thread run on all processors of the program's first thread but `processor`;
 * nothing is done where none would be left. */
void realtime_avoid(int processor);

#endif
