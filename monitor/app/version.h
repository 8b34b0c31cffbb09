/* SPDX-License-Identifier: MIT */
/* Print the version, the formats and the built-in libraries. */
#ifndef MONITOR_VERSION_H
#define MONITOR_VERSION_H

void version_print(void);

#endif
