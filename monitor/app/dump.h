/* SPDX-License-Identifier: MIT */
/*
 * The options --keys and --dump run the screen without a terminal. The sources are read as with
 * --once, then the script of --keys, if given, is executed and screens are written as text or as an
 * SVG file. With --clock=EVENTS the time is that of the last event.
 *
 * The script has one command per line; blank lines and lines that start with # are ignored:
 *
 *   NAME ...          press keys, named as in the help: Down Enter F5 [ Space
 *   text WORDS        type characters
 *   paste WORDS       paste text, as a terminal does
 *   resize COLSxROWS  resize the screen
 *   dump [TITLE]      write the screen
 *   styles [TITLE]    write the screen with the names of its styles
 *   frame SECONDS     add the screen to an animation for this time; with --dump=FILE.svg only
 *
 * Without a dump, styles or frame line, the screen is written once, at the end.
 */
#ifndef MONITOR_DUMP_H
#define MONITOR_DUMP_H

#include "monitor/settings/options.h"

struct setup;

int dump_run(const struct options *options, struct setup *setup);

#endif
