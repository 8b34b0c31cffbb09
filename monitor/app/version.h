/* SPDX-License-Identifier: MIT */
/* The output of --version: version, formats and built-in libraries. */
#ifndef MONITOR_VERSION_H
#define MONITOR_VERSION_H

/* Print the output of --version. Call after option_tables_init(); any thread. */
void version_print(void);

#endif
