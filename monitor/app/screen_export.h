/* SPDX-License-Identifier: MIT */
/*
 * Reports and exports requested on the screen: of the selected and visible processes, at the
 * displayed time. A file gets its name once it is complete. Loop thread.
 */
#ifndef MONITOR_SCREEN_EXPORT_H
#define MONITOR_SCREEN_EXPORT_H

#include "monitor/app/screen.h"

/* Write the text report into a new file of the working directory. */
void screen_report(struct screen *screen);

/* ui_export(). */
void screen_export(struct screen *screen);

/* Words by row of exporters.def; NULL for formats that the screen does not offer. Constant. */
const struct word *export_words(void);

/* Call `offer` with each file whose name starts with `begun`; directories end with a slash. */
void export_files(const char *begun, void (*offer)(void *data, const char *name), void *data);

/* Return long work that the screen shows as `what` and Esc cancels (screen.c). */
struct work screen_work(struct screen *screen, const char *what);

#endif
