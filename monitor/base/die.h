/* SPDX-License-Identifier: MIT */
/*
 * die: exit on errors that cannot be handled: out of memory, or a bug. Restores the terminal, then
 * prints one line on stderr. Never called for bad input, which is counted instead.
 */
#ifndef MONITOR_DIE_H
#define MONITOR_DIE_H

#include <stddef.h>

/*
 * Called once before the line is printed, to restore the terminal. May be called on any thread.
 */
extern void (*die_hook)(void);

/* Print "trace2top: " and the text on stderr and exit with status 2. */
_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* die() because an allocation of `bytes` failed. */
_Noreturn void die_of_memory(size_t bytes);

/* Print "trace2top: bug: " and the text, then abort(). */
_Noreturn void bug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Like malloc(), calloc(), realloc(), strdup(), but exit if out of memory. A product of sizes that
 * overflows size_t counts as out of memory.
 */
void *xmalloc(size_t bytes);
void *xcalloc(size_t nr, size_t bytes);
void *xrealloc(void *old, size_t bytes);
void *xreallocarray(void *old, size_t nr, size_t bytes);
char *xstrdup(const char *s);

#endif
