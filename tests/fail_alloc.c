/* SPDX-License-Identifier: MIT */
/*
 * Preload library: the FAIL_ALLOC-th malloc(), calloc() or realloc() of a program (from 1) fails,
 * with FAIL_ALLOC_ON=1 also all later ones.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

/* allocations until one fails, 0: none; -1: FAIL_ALLOC was not read yet */
static _Atomic long left = -1;
static long goes_on;

static int alloc_must_fail(void)
{
	long now;

	if (left == -1) {
		const char *nth = getenv("FAIL_ALLOC"), *on = getenv("FAIL_ALLOC_ON");

		goes_on = on && *on == '1';
		left = nth ? atol(nth) : 0;
	}
	if (left <= 0)
		return 0;
	now = --left;
	if (now)
		return 0;
	left = goes_on;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t bytes)
{
	static void *(*next)(size_t);

	if (!next)
		next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
	return alloc_must_fail() ? NULL : next(bytes);
}

void *realloc(void *old, size_t bytes)
{
	static void *(*next)(void *, size_t);

	if (!next)
		next = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
	return alloc_must_fail() ? NULL : next(old, bytes);
}

/* dlsym() itself may call calloc(). */
void *calloc(size_t nr, size_t bytes)
{
	static void *(*next)(size_t, size_t);
	static _Alignas(16) char early[4096];
	static size_t used;
	static int looking;

	if (!next && looking) {
		size_t want = (nr * bytes + 15) & ~(size_t)15;

		if (used + want > sizeof(early))
			return NULL;
		used += want;
		return early + used - want;
	}
	if (!next) {
		looking = 1;
		next = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
	}
	return alloc_must_fail() ? NULL : next(nr, bytes);
}
