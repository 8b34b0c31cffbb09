/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/die.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void (*die_hook)(void);

static void last_words(const char *prefix, const char *fmt, va_list ap)
{
	static atomic_flag dying = ATOMIC_FLAG_INIT;
	void (*hook)(void) = die_hook;
	char line[1024];
	int at = snprintf(line, sizeof(line), "trace2top: %s", prefix);
	int n = vsnprintf(line + at, sizeof(line) - (size_t)at - 1, fmt, ap);

	/* If several threads fail at once, only one prints a message. */
	if (atomic_flag_test_and_set(&dying))
		for (;;)
			pause();
	if (n > 0)
		at += n;
	if ((size_t)at > sizeof(line) - 2)
		at = sizeof(line) - 2;
	line[at++] = '\n';
	die_hook = NULL;
	if (hook)
		hook();
	if (write(STDERR_FILENO, line, (size_t)at) < 0)
		return;
}

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	last_words("", fmt, ap);
	va_end(ap);
	_exit(2);
}

void bug(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	last_words("bug: ", fmt, ap);
	va_end(ap);
	abort();
}

void die_of_memory(size_t bytes)
{
	die("out of memory (cannot allocate %zu bytes); lower --history or --max-processes", bytes);
}

static void *or_die(void *p, size_t bytes)
{
	if (!p && bytes)
		die_of_memory(bytes);
	return p;
}

void *xmalloc(size_t bytes)
{
	return or_die(malloc(bytes), bytes);
}

void *xcalloc(size_t nr, size_t bytes)
{
	size_t all;

	if (__builtin_mul_overflow(nr, bytes, &all))
		die_of_memory(SIZE_MAX);
	return or_die(calloc(nr, bytes), all);
}

void *xrealloc(void *old, size_t bytes)
{
	return or_die(realloc(old, bytes), bytes);
}

void *xreallocarray(void *old, size_t nr, size_t bytes)
{
	size_t all;

	if (__builtin_mul_overflow(nr, bytes, &all))
		die_of_memory(SIZE_MAX);
	return or_die(realloc(old, all), all);
}

char *xstrdup(const char *s)
{
	return or_die(strdup(s), strlen(s) + 1);
}
