/* SPDX-License-Identifier: MIT */
/*
 * Reference cost of tracing: an LTTng-UST tracepoint with the fields of a `data` event, written
 * into the ring buffer of a session, if ref_lttng.sh has started one. Prints CPU ns per call, one
 * run per line; with a number of threads, the mean over the threads.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "bench/ref_lttng_tp.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/bench.h"

#define NR_RUNS          31
#define NR_EVENTS        20000
#define NR_THREAD_EVENTS 2500
#define MAX_THREADS      64
/* Pause in which the process that drains the buffers can run. */
#define REST_US 20000

static pthread_barrier_t barrier;

static double lttng_cost(int nr)
{
	double from = bench_cpu_ns();

	for (int i = 0; i < nr; i++)
		lttng_ust_tracepoint(bench_trace2, data, __FILE__, __LINE__, i, i, 1, "index",
				     "read/version", "2");
	return (bench_cpu_ns() - from) / nr;
}

static void *lttng_worker(void *data)
{
	lttng_cost(1);
	pthread_barrier_wait(&barrier);
	*(double *)data = lttng_cost(NR_THREAD_EVENTS);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static double lttng_threads_cost(int nr)
{
	pthread_t threads[MAX_THREADS];
	double costs[MAX_THREADS], sum = 0;

	pthread_barrier_init(&barrier, NULL, (unsigned)nr);
	for (int i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, lttng_worker, &costs[i]))
			abort();
	for (int i = 0; i < nr; i++) {
		pthread_join(threads[i], NULL);
		sum += costs[i];
	}
	pthread_barrier_destroy(&barrier);
	return sum / nr;
}

int main(int argc, char **argv)
{
	int nr_threads = argc > 1 ? atoi(argv[1]) : 1;

	if (nr_threads < 1 || nr_threads > MAX_THREADS)
		return 1;
	for (int run = 0; run < NR_RUNS; run++) {
		printf("%.2f\n",
		       nr_threads > 1 ? lttng_threads_cost(nr_threads) : lttng_cost(NR_EVENTS));
		usleep(REST_US);
	}
	return 0;
}
