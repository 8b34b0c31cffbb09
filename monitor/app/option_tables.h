/* SPDX-License-Identifier: MIT */
/*
 * The tables whose words are option values: exporters, themes, sources ... Their modules are above
 * that of the options, which must not include them, so monitor/app connects both.
 */
#ifndef MONITOR_OPTION_TABLES_H
#define MONITOR_OPTION_TABLES_H

/* Set the words of each option whose values are words of a table. Call it before options are parsed
 * and before threads exist. */
void option_tables_init(void);

#endif
