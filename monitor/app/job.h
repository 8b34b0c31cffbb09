/* SPDX-License-Identifier: MIT */
/*
 * Job control: stops the program, with or without a shell that can continue it. Used by the loop
 * thread.
 */
#ifndef MONITOR_JOB_H
#define MONITOR_JOB_H

#include <stdbool.h>

/*
 * Stop the program, and return when it is continued. `by_key`: Ctrl-Z was read as a key, so the
 * whole job is stopped, as the terminal driver would do. The terminal's modes must be restored
 * first.
 *
 * Without a shell that could continue the program, for example if tmux(1) runs it directly, a
 * helper process prints that Enter continues the program, and waits for Enter.
 */
void job_stop(bool by_key);

bool job_has_shell(void);

/* True if the program is in the background of a shell that now owns the terminal of standard
 * output. */
bool job_is_behind(void);

/* If a shell with job control started the program with `&`, stop until it is in the foreground. */
void job_come_to_front(void);

#endif
