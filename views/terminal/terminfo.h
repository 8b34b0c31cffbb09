/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of common terminals inside the program, for hosts without a terminfo database. Only
 * the standalone program (`make static`) has them.
 */
#ifndef VIEWS_TERMINAL_TERMINFO_H
#define VIEWS_TERMINAL_TERMINFO_H

/*
 * If the program but not the system describes the terminal that TERM names, set TERMINFO to the
 * program's description. A TERMINFO that is set is kept. No effect unless the program is
 * standalone. Call this before other threads exist and before curses starts.
 */
void terminfo_provide(void);

#endif
