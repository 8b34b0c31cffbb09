/* SPDX-License-Identifier: MIT */
/*
 * Write the reports and exports that the user requests on the screen, of the processes of
 * ui_roots() that the filter selects, at the displayed time. A file gets its content when the
 * content is complete. Used by the loop thread.
 */
#ifndef MONITOR_SCREEN_EXPORT_H
#define MONITOR_SCREEN_EXPORT_H

#include "monitor/app/screen.h"

/* Write the text report to a new file in the working directory. */
void screen_report(struct screen *screen);

/* Write the export that the user chose (ui_export()). */
void screen_export(struct screen *screen);

/* Get the words of the export formats, by row of exporters.def; NULL for formats that the screen
 * does not offer. */
void export_words(struct word words[NR_EXPORTERS]);

/* Call `offer` with the names of files that start with `begun`; hidden ones only if `begun` has
 * their dot. Names of directories end with a slash. */
void export_files(const char *begun, void (*offer)(void *data, const char *name), void *data);

/* Return a struct work for long work, which the screen shows as `what` and Esc cancels. */
struct work screen_work(struct screen *screen, const char *what);

#endif
