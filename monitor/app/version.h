/* SPDX-License-Identifier: MIT */
/* What --version prints: the program's version, the formats and the libraries that are built in. */
#ifndef MONITOR_VERSION_H
#define MONITOR_VERSION_H

/* Print it to standard output. After families_init(); any thread. */
void version_print(void);

#endif
