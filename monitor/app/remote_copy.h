/* SPDX-License-Identifier: MIT */
/*
 * Copy this program to a remote host that does not have it, for --remote. Only a standalone program
 * (`make static`) is offered, because it runs without libraries of the host. The copy is in the
 * cache of the remote user, in a directory with the program's version.
 */
#ifndef MONITOR_REMOTE_COPY_H
#define MONITOR_REMOTE_COPY_H

#include <stdbool.h>
#include <stddef.h>

/* Shell code: if trace2top is not installed, add the directory of the copy to PATH. */
#define REMOTE_COPY_PATH                                                                           \
	"command -v trace2top >/dev/null 2>&1 || "                                                 \
	"PATH=$PATH:${XDG_CACHE_HOME:-$HOME/.cache}/trace2top/" PACKAGE_VERSION "; "

/*
 * Ask the user if the program may be copied to `host`, and copy it with ssh. Does not ask without a
 * terminal, nor again for a host that the user refused. Returns true if the program was copied.
 * Otherwise `why` is set to the reason in one line, or unchanged. Call it before threads exist and
 * with the signals' default actions.
 */
bool remote_copy_offer(const char *host, char *why, size_t why_bytes);

#endif
