/* SPDX-License-Identifier: MIT */
/*
 * Shared by the benchmarks: a clock of this thread's CPU time, and medians with their range. A
 * benchmark is a program that prints its rows and, on success, exits with 0. `make bench` runs
 * those in BENCHES (bench/local.mk) with variables such as
 *
 * 	BENCH_DATA	a file of real Git events, multiplied
 * 	BENCH_BUILD	the build's bench/ directory, with the references that could be built
 * 	BENCH_SOURCE	the source's bench/ directory
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BENCH_MAX_RUNS 5000

struct bench_runs {
	double v[BENCH_MAX_RUNS];
	unsigned nr;
};

static inline double bench_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static inline void bench_add(struct bench_runs *runs, double v)
{
	if (runs->nr < BENCH_MAX_RUNS)
		runs->v[runs->nr++] = v;
}

static inline int bench_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Return the median; sorts the runs. */
static inline double bench_median(struct bench_runs *runs)
{
	qsort(runs->v, runs->nr, sizeof(runs->v[0]), bench_compare);
	return runs->nr ? runs->v[runs->nr / 2] : 0;
}

static inline void bench_row(const char *what, struct bench_runs *runs, const char *unit)
{
	double median = bench_median(runs);

	printf("%-44s %10.1f %-10s [%.1f .. %.1f] of %u runs\n", what, median, unit, runs->v[0],
	       runs->v[runs->nr - 1], runs->nr);
}

#endif
