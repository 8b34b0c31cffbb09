/* SPDX-License-Identifier: MIT */
/*
 * --attach: trace all Git commands of the user until the monitor exits. A value is appended to
 * trace2.eventTarget in the global configuration (the last one counts) and removed at the end; the
 * user's own value is never changed. The value names a socket whose name identifies host, boot and
 * process, so no other state is kept.
 *
 * If the monitor and its guard are both killed, the value stays and no process listens on its
 * socket. The next --attach, or --detach, removes it.
 *
 * Main thread.
 */
#ifndef MONITOR_ATTACH_H
#define MONITOR_ATTACH_H

#include <stdbool.h>

#include "monitor/app/git_config.h"

struct attach;

/*
 * Remove left-over values, choose the socket and fork the cleanup process. Nothing is traced yet.
 * No thread may exist. Returns NULL with `why` (GIT_WHY_BYTES) on failure.
 */
struct attach *attach_open(char *why);

/* Return the socket as a source. It must be listening before attach_on(). */
const char *attach_spec(const struct attach *attach);

/*
 * Return the target that Git would write to without this monitor, ignoring values that were added
 * after ours. NULL if none exists, or if events cannot be forwarded to it. Reads the
 * configuration at each call; the caller frees the result. `attach` is a struct attach. Any
 * thread, but not during attach_open() or attach_close().
 */
char *attach_before(void *attach);

/* Start tracing. Returns false with `why`, and Git's configuration is unchanged. */
bool attach_on(struct attach *attach, char *why);

/* Stop tracing until attach_on(). Prints an error if the value could not be removed. */
void attach_off(struct attach *attach);

/* attach_off(), then free everything. NULL is allowed. */
void attach_close(struct attach *attach);

/* --detach: remove left-over values and print the result. Returns the exit status. */
int attach_detach_run(void);

/* Print a warning if Git writes to the socket of a monitor that was killed. */
void attach_report_left(void);

#endif
