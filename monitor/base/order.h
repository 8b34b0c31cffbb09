/* SPDX-License-Identifier: MIT */
/* Comparison functions for qsort(), ascending. */
#ifndef MONITOR_ORDER_H
#define MONITOR_ORDER_H

#include <stdint.h>

static inline int order_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static inline int order_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

#endif
