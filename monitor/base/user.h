/* SPDX-License-Identifier: MIT */
/* User names. */
#ifndef MONITOR_USER_H
#define MONITOR_USER_H

#include <stdint.h>

#define USER_BYTES 33

/*
 * Write the user's name from /etc/passwd, printable, into `out` and return it; the number if there
 * is none. No network directory is queried, because the screen must not wait for it. Names are
 * cached. One thread.
 */
const char *user_name(int64_t uid, char out[USER_BYTES]);

#endif
