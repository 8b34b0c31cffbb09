/* SPDX-License-Identifier: MIT */
/*
 * Connects the options with tables whose words are values of options, such as exporters and themes:
 * monitor/settings must not include the modules of these tables.
 */
#ifndef MONITOR_OPTION_TABLES_H
#define MONITOR_OPTION_TABLES_H

/* Call it before options are parsed and before threads exist. */
void option_tables_init(void);

#endif
