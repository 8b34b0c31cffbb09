/* SPDX-License-Identifier: MIT */
/*
 * Job control (see credentials(7), "Process group and session"): being stopped and continued by
 * whoever started us, where that is a shell that does so, and where it is not. The screen and
 * --once share it; of the main thread.
 */
#ifndef MONITOR_JOB_H
#define MONITOR_JOB_H

#include <stdbool.h>

/*
 * Stop, and return when continued. `by_key`: Ctrl-Z was pressed here, and is for the whole job,
 * as it would be had the terminal driver seen it; the terminal is as the shell knows it.
 *
 * Where no shell could continue the program (it is what a terminal window, tmux(1), ssh(1) or a
 * container runs), the kernel stops nobody by SIGTSTP. It stops all the same, and says on the
 * terminal that Enter continues it: a process of its own waits for that.
 */
void job_stop(bool by_key);

/* Is there a shell that could continue us? Else the kernel lets no Ctrl-Z stop the job. */
bool job_has_shell(void);

/* Does a shell that could put us in front have the terminal of standard output now? What is
 * written there would come over its prompt. */
bool job_is_behind(void);

/* Where the program was started with `&` from such a shell: be stopped, as whatever uses the
 * terminal from there is, until it is put in front. */
void job_come_to_front(void);

#endif
