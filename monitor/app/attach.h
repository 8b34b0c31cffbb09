/* SPDX-License-Identifier: MIT */
/*
 * --attach: every Git command of the user is traced from now on, and no more once we are gone. The
 * user's own setting is never touched: a value of ours is added behind it to trace2.eventTarget
 * (the last one counts), and taken out again. The value names a socket that is ours alone, and so
 * tells by itself whose it is; no state is kept anywhere.
 *
 * What a monitor leaves that was killed together with its guard is told by nobody answering at
 * its socket, and is mended by the next start with --attach, or by --detach.
 *
 * Main thread.
 */
#ifndef MONITOR_ATTACH_H
#define MONITOR_ATTACH_H

#include <stdbool.h>

#include "monitor/app/git_config.h"

struct attach;

/*
 * Mend what is left over, choose the socket and fork the guard; nothing is traced yet. No thread
 * may exist. NULL with `why` (GIT_WHY_BYTES) where that cannot be.
 */
struct attach *attach_open(char *why);

/* The socket as a source, which must be listened on before attach_on(). */
const char *attach_spec(const struct attach *attach);

/*
 * What would be written to without us, as a target of Git's; NULL: nothing, or what nobody can pass
 * on. Asked anew at each call, without those that came after us; the caller frees it. `attach` is a
 * struct attach; any thread, while none calls attach_open() or attach_close().
 */
char *attach_before(void *attach);

/* From now on; false with `why`, and Git's configuration is as it was. */
bool attach_on(struct attach *attach, char *why);

/* Not any more, until attach_on(). What cannot be undone at once is told of on stderr. */
void attach_off(struct attach *attach);

/* attach_off(), and let go of all. NULL: nothing. */
void attach_close(struct attach *attach);

/* --detach: mend and say what was done. Returns the exit status. */
int attach_mend_run(void);

/* Is what Git writes to one that a monitor has left over? Then a line on stderr says so. */
void attach_tell_left(void);

#endif
