/* SPDX-License-Identifier: MIT */
/*
 * The tables whose words are option values: exporters, themes, sources ... The options module is
 * below these tables, so the program connects them.
 */
#ifndef MONITOR_OPTION_TABLES_H
#define MONITOR_OPTION_TABLES_H

/* Set the words of every option that has a table of words. Call before options are parsed and
 * before threads exist. */
void option_tables_init(void);

#endif
