/* SPDX-License-Identifier: MIT */
/* Names of signals; strsignal() returns descriptions instead. */
#ifndef MONITOR_SIGNAL_NAME_H
#define MONITOR_SIGNAL_NAME_H

#include <stdint.h>

#define SIGNAL_NAME_BYTES 32

/* Return a name such as "SIGKILL", or "signal 64", written into `number`. */
const char *signal_name(int64_t signo, char number[SIGNAL_NAME_BYTES]);

#endif
