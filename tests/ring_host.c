/* SPDX-License-Identifier: MIT */
/*
 * A traced program for ring.py. The environment names the destination.
 *
 * ring_host crash THREADS       regions in every thread, then a SIGSEGV in the first of these
 * ring_host flat THREADS NR     NR data events per thread, as fast as possible; prints the number
 *                               of events of these threads
 * ring_host until-killed        numbered data events forever; writes a byte after the first
 */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <engine/trace2.h>

static pthread_barrier_t barrier;
static long nr_each;

static void *die_inside(void *data)
{
	long nr = *(long *)data;

	trace2_thread_start("worker");
	trace2_region_enter("work", "deflate", NULL);
	trace2_region_enter_printf("work", "object", NULL, "object %ld", nr);
	trace2_data_intmax("work", NULL, "size", 17);
	pthread_barrier_wait(&barrier);
	if (!nr)
		raise(SIGSEGV);
	for (;;)
		pause();
	return NULL;
}

static void run_crash(long threads)
{
	static long numbers[64];
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1);
	trace2_region_enter("load", "index", NULL);
	trace2_region_enter("load", "parse", NULL);
	for (long i = 0; i < threads && i < 64; i++) {
		numbers[i] = i;
		pthread_create(&thread, NULL, die_inside, &numbers[i]);
	}
	pthread_barrier_wait(&barrier);
	for (;;)
		pause();
}

static void *write_data(void *data)
{
	(void)data;
	trace2_thread_start("writer");
	for (long i = 0; i < nr_each; i++)
		trace2_data_intmax("flat", NULL, "number", i);
	trace2_thread_exit();
	return NULL;
}

static void flat(long threads)
{
	pthread_t all[64];

	for (long i = 0; i < threads && i < 64; i++)
		pthread_create(&all[i], NULL, write_data, NULL);
	for (long i = 0; i < threads && i < 64; i++)
		pthread_join(all[i], NULL);
	/* Count the data events, and start and end of each thread. */
	printf("%ld\n", threads * (nr_each + 2));
}

static void until_killed(void)
{
	for (long i = 0;; i++) {
		trace2_data_intmax("killed", NULL, "number", i);
		if (!i && write(STDOUT_FILENO, "\n", 1) < 0)
			return;
	}
}

int main(int argc, const char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long threads = argc > 2 ? atol(argv[2]) : 1;

	nr_each = argc > 3 ? atol(argv[3]) : 0;
	trace2_initialize_clock();
	trace2_initialize();
	trace2_cmd_start(argv);
	trace2_cmd_name("ring_host");
	if (!strcmp(what, "crash"))
		run_crash(threads);
	else if (!strcmp(what, "flat"))
		flat(threads);
	else if (!strcmp(what, "until-killed"))
		until_killed();
	return trace2_cmd_exit(0);
}
