/* SPDX-License-Identifier: MIT */
/* Exit on errors that cannot be handled, such as a lack of memory. Malformed input is no such
 * error. */
#ifndef MONITOR_DIE_H
#define MONITOR_DIE_H

#include <stddef.h>

/* Function that die() and bug() call before they print, to restore the terminal, on any thread.
 * NULL: none. */
extern void (*die_hook)(void);

/* Print "trace2top: " and the text as one line on stderr and exit with status 2. */
_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Exit like die(): an allocation of `bytes` failed. */
_Noreturn void die_of_memory(size_t bytes);

/* Print "trace2top: bug: " and the text on stderr, then abort(). */
_Noreturn void bug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* malloc(), calloc(), realloc() and strdup() that exit if out of memory or if a product of sizes
 * overflows. */
void *xmalloc(size_t bytes);
void *xcalloc(size_t nr, size_t bytes);
void *xrealloc(void *old, size_t bytes);
void *xreallocarray(void *old, size_t nr, size_t bytes);
char *xstrdup(const char *s);

#endif
