/* SPDX-License-Identifier: MIT */
/*
 * The option --attach makes Git trace the user's commands until trace2top exits. It appends a value
 * to trace2.eventTarget in Git's global configuration (the last value counts) and removes it at the
 * end. The value is a socket whose name identifies host, boot and process.
 *
 * If trace2top and its cleanup process are both killed, the value stays and no process listens on
 * its socket. The next --attach or --detach on this host removes the value, unless the host was
 * restarted.
 *
 * Used by the main thread, except attach_before().
 */
#ifndef MONITOR_ATTACH_H
#define MONITOR_ATTACH_H

#include <stdbool.h>

#include "monitor/app/git_config.h"

struct attach;

/*
 * Remove the values of monitors killed on this host since its last boot from Git's configuration,
 * choose a socket and fork the cleanup process. No other thread may exist. Returns NULL with `why`
 * (GIT_WHY_BYTES) on failure.
 */
struct attach *attach_open(char *why);

/* Return the socket of --attach as the spec of a source. Intake must listen on it before
 * attach_on(). */
const char *attach_spec(const struct attach *attach);

/*
 * Return the target that Git's configuration would have without this monitor, ignoring values added
 * after this monitor's. NULL: none, or neither a path nor a socket. Reads the configuration at each
 * call until attach_off(), then returns the last result. The caller frees the result. `attach` is a
 * struct attach. Any thread may call this function, one at a time, but not during attach_open() or
 * attach_close().
 */
char *attach_before(void *attach);

/* Start tracing Git commands. Returns false with `why` on failure, after trying to undo changes of
 * Git's configuration. */
bool attach_on(struct attach *attach, char *why);

/* Stop tracing Git commands; attach_on() starts it again. Prints an error on failure. */
void attach_off(struct attach *attach);

/* Stop tracing Git commands, then free everything. NULL is allowed. */
void attach_close(struct attach *attach);

/* Run --detach: remove the values of monitors killed on this host since its last boot from Git's
 * configuration. Returns the exit status. */
int attach_detach_run(void);

/* Warn on stderr if --attach left Git's event target: no process listens on it, or it is of another
 * host or boot. */
void attach_report_left(void);

#endif
