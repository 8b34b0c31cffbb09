/* SPDX-License-Identifier: MIT */
/*
 * Copy this program to a host that has none, for --remote. Only a standalone program (`make
 * static`) runs without the libraries of its host, so only that is offered. The copy is in the
 * cache of the remote user, in a directory with the program's version.
 */
#ifndef MONITOR_REMOTE_COPY_H
#define MONITOR_REMOTE_COPY_H

#include <stdbool.h>
#include <stddef.h>

/* Shell code that adds the directory of the copy to PATH if trace2top is not installed. */
#define REMOTE_COPY_PATH                                                                           \
	"command -v trace2top >/dev/null 2>&1 || "                                                 \
	"PATH=$PATH:${XDG_CACHE_HOME:-$HOME/.cache}/trace2top/" PACKAGE_VERSION "; "

/*
 * Ask the user once per host if the program may be copied to `host`, and copy it with ssh. Does not
 * ask without a terminal, and remembers a no. Returns true if the program is there now. Otherwise
 * `why` is the reason in one line, unchanged if there is nothing to offer. Waits for the user and
 * for ssh; call it before threads exist and with the signals' default actions.
 */
bool remote_copy_offer(const char *host, char *why, size_t why_bytes);

#endif
