/* SPDX-License-Identifier: MIT */
/*
 * A program that runs traced processes one after the other, each with nested regions in one thread,
 * for bench_load.py.
 *
 * Usage: load_writer PROCESSES REGIONS EVENTS
 *        PROCESSES (0: until killed) with REGIONS each, and an outer region around each four; on
 *        average at most about EVENTS per second (0: no limit)
 */
#define _POSIX_C_SOURCE 200809L

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include "engine/trace2.h"

#define NR_LABELS     50
#define REGIONS_A_NAP 50

extern char **environ;

static void sleep_until(long long at)
{
	struct timespec ts = { .tv_sec = at / 1000000000, .tv_nsec = at % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

static int traced_process(const char **argv)
{
	long regions = atol(argv[2]), rate = atol(argv[3]);
	struct timespec now;
	long long begin;
	char label[32];

	clock_gettime(CLOCK_MONOTONIC, &now);
	begin = now.tv_sec * 1000000000LL + now.tv_nsec;
	trace2_initialize_clock();
	trace2_initialize();
	trace2_cmd_start(argv);
	trace2_cmd_name("load");
	for (long i = 0; i < regions; i++) {
		snprintf(label, sizeof(label), "step %ld", i % NR_LABELS);
		if (i % 4 == 0)
			trace2_region_enter("load", "round", NULL);
		trace2_region_enter("load", label, NULL);
		trace2_region_leave("load", label, NULL);
		if (i % 4 == 3)
			trace2_region_leave("load", "round", NULL);
		if (rate && i % REGIONS_A_NAP == 0)
			sleep_until(begin + i * 2500000000LL / rate);
	}
	return trace2_cmd_exit(0);
}

int main(int argc, char **argv)
{
	long nr = argc == 4 ? atol(argv[1]) : 0;
	char one[] = "-1";
	char *child[] = { argv[0], one, argv[2], argv[3], NULL };
	pid_t pid;

	if (argc != 4) {
		fprintf(stderr, "usage: load_writer PROCESSES REGIONS EVENTS\n");
		return 2;
	}
	if (nr < 0)
		return traced_process((const char **)argv);
	for (long i = 0; !nr || i < nr; i++)
		if (posix_spawn(&pid, argv[0], NULL, NULL, child, environ) ||
		    waitpid(pid, NULL, 0) != pid)
			return 1;
	return 0;
}
