/* SPDX-License-Identifier: MIT */
/* User names. */
#ifndef MONITOR_USER_H
#define MONITOR_USER_H

#include <stdint.h>

#define USER_BYTES 33

/* Write the user's name from /etc/passwd into `out` and return `out`. If there is none, or if it is
 * not printable or too long, write the number `uid`. Each thread has its own cache. */
const char *user_name(int64_t uid, char out[USER_BYTES]);

#endif
