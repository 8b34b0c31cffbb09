/* SPDX-License-Identifier: MIT */
/*
 * The end of the program for a reason that nobody can mend while it runs: out of memory, or a
 * bug. One line on stderr, after the terminal was put back as it was found. Bad input never
 * comes here: it is counted.
 */
#ifndef MONITOR_DIE_H
#define MONITOR_DIE_H

#include <stddef.h>

/* Called once before the line is written: gives the terminal back. Any thread. */
extern void (*die_hook)(void);

/* "trace2top: " + text on stderr, exit status 2. */
_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same where so many bytes could not be had. */
_Noreturn void die_of_memory(size_t bytes);

/* "trace2top: bug: " + text, then abort(). */
_Noreturn void bug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Like malloc(), calloc(), realloc(), strdup(), but they die where memory is short.
 * A product of sizes that does not fit in size_t counts as short memory. */
void *xmalloc(size_t bytes);
void *xcalloc(size_t nr, size_t bytes);
void *xrealloc(void *old, size_t bytes);
void *xreallocarray(void *old, size_t nr, size_t bytes);
char *xstrdup(const char *s);

#endif
