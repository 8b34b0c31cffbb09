/* SPDX-License-Identifier: MIT */
/*
 * --keys and --dump: the screen without a terminal. The sources are read to their present end,
 * then keys are taken from a file, and screens are written as text. With --clock=EVENTS time is
 * that of the last event, so that the same input gives the same bytes.
 *
 * The file of keys holds a command a line; blank lines and those beginning with # are passed
 * over:
 *   NAME ...          press keys, by the names that the help shows: Down Enter F5 [ Space
 *   text WORDS        type characters
 *   paste WORDS       paste them, as a terminal does: they are no keys
 *   resize COLSxROWS  the screen has another size
 *   dump [TITLE]      write the screen
 *   styles [TITLE]    write it with the meaning of its colours
 * Without a dump or styles line, the screen is written once, at the end.
 */
#ifndef MONITOR_DUMP_H
#define MONITOR_DUMP_H

#include "monitor/settings/options.h"

struct setup; /* views/ui/setup.h: what the user has set up; changed by the setup page */

/* Returns the exit status. */
int dump_run(const struct options *options, struct setup *setup);

#endif
