/* SPDX-License-Identifier: MIT */
/*
 * The tables whose words are option values: exporters, themes, sources ... The module of options
 * must not include these tables, because they are above it, so monitor/app connects both.
 */
#ifndef MONITOR_OPTION_TABLES_H
#define MONITOR_OPTION_TABLES_H

/* Set the words of every option whose values are words of a table. Call it before options are
 * parsed and before threads exist. */
void option_tables_init(void);

#endif
