/* SPDX-License-Identifier: MIT */
/* What a user is called on this machine. */
#ifndef MONITOR_USER_H
#define MONITOR_USER_H

#include <stdint.h>

#define USER_BYTES 33

/*
 * The name of a user by /etc/passwd, printable; else the number. Written into `out`, which is
 * returned. No other directory is asked: a screen must not wait for a network. Names are remembered.
 * One thread.
 */
const char *user_name(int64_t uid, char out[USER_BYTES]);

#endif
