/* SPDX-License-Identifier: MIT */
/*
 * One line on stderr: "trace2top: " and a text. Paths are somebody's: what a terminal would obey
 * is made visible, a line break in one, too. Any thread; not while the screen is open.
 */
#ifndef MONITOR_COMPLAIN_H
#define MONITOR_COMPLAIN_H

void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
