/* SPDX-License-Identifier: MIT */
/*
 * Reports and exports that are asked for on the screen: of what is chosen and shown there, at the
 * moment that is looked at. A file has its name when it is whole. Loop thread.
 */
#ifndef MONITOR_SCREEN_EXPORT_H
#define MONITOR_SCREEN_EXPORT_H

#include "monitor/app/screen.h"

/* The text report, into a new file of the working directory. */
void screen_report(struct screen *screen);

/* ui_export(). */
void screen_export(struct screen *screen);

/* By row of exporters.def; words of NULL where a form is not for the screen. Constant. */
const struct word *export_words(void);

/* Call `offer` with each file, directories with a slash, whose name begins with `begun`. */
void export_files(const char *begun, void (*offer)(void *data, const char *name), void *data);

/* Long work that the screen tells of as `what`, and that Esc breaks off (screen.c). */
struct work screen_work(struct screen *screen, const char *what);

#endif
