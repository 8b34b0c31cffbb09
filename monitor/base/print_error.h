/* SPDX-License-Identifier: MIT */
/*
 * Print "trace2top: " and the text as one line on stderr. Control characters, including line
 * breaks, are made visible. The user and password of the first URL in the text are hidden. Any
 * thread. Do not call while the screen is open.
 */
#ifndef MONITOR_PRINT_ERROR_H
#define MONITOR_PRINT_ERROR_H

void complain_print_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
