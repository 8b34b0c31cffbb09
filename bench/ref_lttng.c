/* SPDX-License-Identifier: MIT */
/*
 * The reference of what tracing costs: an LTTng-UST tracepoint with the fields of an event of
 * kind `data`, written into the ring buffer of a session that ref_lttng.sh has started, or not.
 * Prints CPU ns a call, one run a line.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "bench/ref_lttng_tp.h"

#include <unistd.h>

#include "bench/bench.h"

#define NR_RUNS   31
#define NR_EVENTS 20000
/* The buffers are emptied by another process: let it, between the runs. */
#define REST_US 20000

int main(void)
{
	for (int run = 0; run < NR_RUNS; run++) {
		double from = bench_cpu_ns();

		for (int i = 0; i < NR_EVENTS; i++)
			lttng_ust_tracepoint(bench_trace2, data, __FILE__, __LINE__, i, i, 1,
					     "index", "read/version", "2");
		printf("%.2f\n", (bench_cpu_ns() - from) / NR_EVENTS);
		usleep(REST_US);
	}
	return 0;
}
