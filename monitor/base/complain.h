/* SPDX-License-Identifier: MIT */
/*
 * Print one line on stderr: "trace2top: " and the text. Control characters, including line breaks,
 * are made visible, because paths may contain them. Any thread. Do not call while the screen is
 * open.
 */
#ifndef MONITOR_COMPLAIN_H
#define MONITOR_COMPLAIN_H

void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
