/* SPDX-License-Identifier: MIT */
/*
 * The families of rows whose words stand in the command line: exporters, themes, sources ... The
 * room of the options knows none of them, so the program brings them together.
 */
#ifndef MONITOR_FAMILIES_H
#define MONITOR_FAMILIES_H

/* Give every ROW option its words. Before options are parsed, and before there are threads. */
void families_init(void);

#endif
