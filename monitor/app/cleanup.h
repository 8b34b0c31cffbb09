/* SPDX-License-Identifier: MIT */
/*
 * The cleanup process: a child process that adds trace2top's event target to Git's configuration
 * and removes it, at the latest after trace2top (the monitor) has ended, even by kill -9. While the
 * cleanup process is alive, the monitor does not add or remove the target itself.
 *
 * If the cleanup process was killed, the monitor removes the target; if both were killed, see
 * attach.h.
 */
#ifndef MONITOR_CLEANUP_H
#define MONITOR_CLEANUP_H

#include <stdbool.h>

struct cleanup;

/*
 * Fork the cleanup process for the value `target`, which names the socket `path`. No other thread
 * may exist. Returns NULL with `why` (GIT_WHY_BYTES) on failure.
 */
struct cleanup *cleanup_new(const char *target, const char *path, char *why);

/*
 * Append the event target to Git's configuration, so that Git uses it. Returns false with `why` on
 * failure, after trying to undo the change. Takes milliseconds, or seconds while another process
 * has the file's lock.
 */
bool cleanup_on(struct cleanup *cleanup, char *why);

/* Remove the event target from Git's configuration if cleanup_on() succeeded. Returns false with
 * `why` on failure. Takes as long as cleanup_on(). */
bool cleanup_off(struct cleanup *cleanup, char *why);

/* End the cleanup process and free `cleanup`. If the target could not be removed, the cleanup
 * process tries again. */
void cleanup_free(struct cleanup *cleanup);

#endif
