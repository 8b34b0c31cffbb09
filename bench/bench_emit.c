/* SPDX-License-Identifier: MIT */
/*
 * CPU time of calls of libtrace2: with tracing off; hidden by the nesting limit; and on, compared
 * with bare write(2) of the same bytes. Then the same events into rings, compared with clock
 * readings and with LTTng-UST. The rings are measured by a process of their own:
 *
 * 	bench_emit 1|16	prints CPU ns of an event into a ring and of a clock reading, one line per
 * 			run: in 1 thread, or the mean of 16 threads at the same time
 */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bench.h"
#include "engine/trace2.h"

#define NR_RUNS          31
#define NR_EVENTS        20000
#define NR_THREADS       16
#define NR_THREAD_EVENTS 2500
#define NR_OFF           20000000
#define NR_HIDDEN        200000

static char event_path[] = "bench-emit-XXXXXX";
static char bare_path[] = "bench-bare-XXXXXX";
static char line[4096];
static size_t line_len;
static int bare_fd;
static pthread_barrier_t barrier;

static void emit_event(int nr)
{
	for (int i = 0; i < nr; i++)
		trace2_data_string("index", NULL, "read/version", "2");
}

static void write_bare(int nr)
{
	for (int i = 0; i < nr; i++)
		if (write(bare_fd, line, line_len) != (ssize_t)line_len)
			abort();
}

static double cost_of(void (*body)(int), int nr)
{
	double from = bench_cpu_ns();

	body(nr);
	return (bench_cpu_ns() - from) / nr;
}

struct worker {
	pthread_t thread;
	void (*body)(int);
	double cost;
};

static void *emit_worker(void *data)
{
	struct worker *worker = data;

	if (worker->body == emit_event)
		trace2_thread_start("bench");
	pthread_barrier_wait(&barrier);
	worker->cost = cost_of(worker->body, NR_THREAD_EVENTS);
	pthread_barrier_wait(&barrier);
	if (worker->body == emit_event)
		trace2_thread_exit();
	return NULL;
}

/* Return the mean CPU nanoseconds per call of NR_THREADS threads at the same time. */
static double threads_cost(void (*body)(int))
{
	struct worker workers[NR_THREADS];
	double sum = 0;

	for (int i = 0; i < NR_THREADS; i++) {
		workers[i].body = body;
		if (pthread_create(&workers[i].thread, NULL, emit_worker, &workers[i]))
			abort();
	}
	for (int i = 0; i < NR_THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		sum += workers[i].cost;
	}
	return sum / NR_THREADS;
}

static void copy_last_line(void)
{
	char text[8192];
	int fd = open(event_path, O_RDONLY);
	struct stat st;
	ssize_t n;
	char *from;

	if (fd < 0 || fstat(fd, &st))
		abort();
	n = pread(fd, text, sizeof(text) - 1, st.st_size > 8191 ? st.st_size - 8191 : 0);
	close(fd);
	if (n < 2)
		abort();
	text[n - 1] = '\0';
	from = strrchr(text, '\n');
	from = from ? from + 1 : text;
	line_len = strlen(from) + 1;
	memcpy(line, from, line_len - 1);
	line[line_len - 1] = '\n';
}

static void bench_off(void)
{
	struct bench_runs runs = { .nr = 0 };

	for (int run = 0; run < NR_RUNS; run++) {
		double from = bench_cpu_ns(), empty;

		for (int i = 0; i < NR_OFF / 10; i++)
			__asm__ volatile("" ::: "memory");
		empty = bench_cpu_ns() - from;
		from = bench_cpu_ns();
		for (int i = 0; i < NR_OFF / 10; i++) {
			trace2_data_string("index", NULL, "read/version", "2");
			__asm__ volatile("" ::: "memory");
		}
		bench_add(&runs, (bench_cpu_ns() - from - empty) / (NR_OFF / 10));
	}
	bench_row("emit: a call, tracing off (goal <= 1)", &runs, "ns");
}

static void bench_hidden(void)
{
	struct bench_runs runs = { .nr = 0 };

	trace2_region_enter("a", "a", NULL);
	trace2_region_enter("b", "b", NULL);
	for (int run = 0; run < NR_RUNS; run++) {
		double from = bench_cpu_ns();

		for (int i = 0; i < NR_HIDDEN; i++) {
			trace2_region_enter("c", "c", NULL);
			trace2_region_leave("c", "c", NULL);
		}
		bench_add(&runs, (bench_cpu_ns() - from) / NR_HIDDEN);
	}
	trace2_region_leave("b", "b", NULL);
	trace2_region_leave("a", "a", NULL);
	bench_row("emit: a region pair below the limit (<= 100)", &runs, "ns");
}

static void empty_files(void)
{
	if (truncate(event_path, 0) || ftruncate(bare_fd, 0))
		abort();
}

static void rows(const char *what, struct bench_runs *on, struct bench_runs *bare,
		 struct bench_runs *ratio)
{
	char text[64];

	snprintf(text, sizeof(text), "emit: an event line, %s", what);
	bench_row(text, on, "ns");
	snprintf(text, sizeof(text), "emit: write(2) of its %zu bytes, %s", line_len, what);
	bench_row(text, bare, "ns");
	snprintf(text, sizeof(text), "emit: ratio, %s (goal <= 1.15)", what);
	for (unsigned i = 0; i < ratio->nr; i++)
		ratio->v[i] *= 100;
	bench_row(text, ratio, "percent");
}

/* Read the output of a reference, one run per line. Returns true if the reference succeeded. */
static bool runs_of(const char *command, struct bench_runs *runs)
{
	FILE *pipe = popen(command, "r");
	double ns;

	while (pipe && fscanf(pipe, "%lf", &ns) == 1)
		bench_add(runs, ns);
	return pipe && !pclose(pipe) && runs->nr;
}

static void bench_lttng(struct bench_runs *event)
{
	const char *build = getenv("BENCH_BUILD"), *source = getenv("BENCH_SOURCE");
	struct bench_runs on = { .nr = 0 }, off = { .nr = 0 };
	char program[4096], command[8400];

	snprintf(program, sizeof(program), "%s/ref_lttng", build ? build : "bench");
	if (access(program, X_OK)) {
		puts("skipped: LTTng-UST (its headers are not installed)");
		return;
	}
	snprintf(command, sizeof(command), "sh '%s/ref_lttng.sh' '%s'",
		 source ? source : "../bench", program);
	if (!runs_of(program, &off) || !runs_of(command, &on)) {
		puts("skipped: LTTng-UST (no session, or it lost events)");
		return;
	}
	bench_row("LTTng-UST, the same event into its buffer", &on, "ns");
	printf("%-44s %10.2f\n", "  event line to a file / LTTng-UST",
	       bench_median(event) / bench_median(&on));
	bench_row("LTTng-UST, off", &off, "ns");
}

static void bench_single(void)
{
	struct bench_runs on = { .nr = 0 }, bare = { .nr = 0 }, ratio = { .nr = 0 };

	for (int run = 0; run < NR_RUNS; run++) {
		double a, b = 0;

		empty_files();
		if (run % 2)
			b = cost_of(write_bare, NR_EVENTS);
		a = cost_of(emit_event, NR_EVENTS);
		if (run % 2 == 0)
			b = cost_of(write_bare, NR_EVENTS);
		bench_add(&on, a);
		bench_add(&bare, b);
		bench_add(&ratio, a / b);
	}
	rows("1 thread", &on, &bare, &ratio);
	bench_lttng(&on);
}

#define NR_ROUNDS 3

static void read_clock(int nr)
{
	struct timespec ts;

	for (int i = 0; i < nr; i++)
		clock_gettime(CLOCK_MONOTONIC, &ts);
}

static bool are_rings(const char *directory)
{
	char command[200];

	snprintf(command, sizeof(command), "cat '%s'/* | head -c 8 | grep -q TR2RING1", directory);
	return !system(command);
}

/* Measure events in rings and print a line per run. The first run warms up the rings and is not
 * printed. */
static int print_rings(int nr_threads)
{
	char directory[64] = "/dev/shm/bench-ring-XXXXXX", command[100];
	bool good;

	if (!mkdtemp(directory))
		return 1;
	unsetenv("GIT_TRACE2");
	unsetenv("GIT_TRACE2_PERF");
	setenv("GIT_TRACE2_EVENT", directory, 1);
	trace2_set_git_config(0);
	trace2_set_ring(128 << 10);
	trace2_initialize();
	good = are_rings(directory);
	pthread_barrier_init(&barrier, NULL, NR_THREADS);
	for (int run = 0; good && run <= NR_RUNS; run++) {
		double on =
			nr_threads > 1 ? threads_cost(emit_event) : cost_of(emit_event, NR_EVENTS);
		double clock =
			nr_threads > 1 ? threads_cost(read_clock) : cost_of(read_clock, NR_EVENTS);

		if (run)
			printf("%.2f %.2f\n", on, clock);
	}
	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	return system(command) || !good;
}

static bool rings_of(const char *command, struct bench_runs *on, struct bench_runs *clock,
		     struct bench_runs *over)
{
	FILE *pipe = popen(command, "r");
	double a, b;

	while (pipe && fscanf(pipe, "%lf %lf", &a, &b) == 2) {
		bench_add(on, a);
		bench_add(clock, b);
		bench_add(over, a - b);
	}
	return pipe && !pclose(pipe) && on->nr;
}

static void bench_rings(int nr_threads)
{
	const char *build = getenv("BENCH_BUILD"), *source = getenv("BENCH_SOURCE");
	struct bench_runs on = { .nr = 0 }, clock = { .nr = 0 }, over = { .nr = 0 };
	struct bench_runs lttng = { .nr = 0 };
	char self[4096] = "", program[4096], ours[4200], theirs[12500], text[80];
	bool both;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		abort();
	snprintf(ours, sizeof(ours), "'%s' %d", self, nr_threads);
	snprintf(program, sizeof(program), "%s/ref_lttng", build ? build : "bench");
	snprintf(theirs, sizeof(theirs), "sh '%s/ref_lttng.sh' '%s' %d",
		 source ? source : "../bench", program, nr_threads);
	both = !access(program, X_OK);
	for (int round = 0; round < NR_ROUNDS; round++) {
		both = both && runs_of(theirs, &lttng);
		if (!rings_of(ours, &on, &clock, &over)) {
			puts("skipped: rings (not possible in /dev/shm)");
			return;
		}
	}
	snprintf(text, sizeof(text), "ring: an event, %d thread%s", nr_threads,
		 &"s"[nr_threads < 2]);
	bench_row(text, &on, "ns");
	bench_row("ring: a bare clock reading", &clock, "ns");
	bench_row("ring: the event minus the clock (goal <= 30)", &over, "ns");
	if (!both) {
		puts("skipped: LTTng-UST and rings (not installed, no session, or it lost "
		     "events)");
		return;
	}
	bench_row("LTTng-UST, the same event, alternating", &lttng, "ns");
	printf("%-44s %10.2f\n", "  into a ring / LTTng-UST (goal <= 0.25)",
	       bench_median(&on) / bench_median(&lttng));
}

static void bench_many(void)
{
	struct bench_runs on = { .nr = 0 }, bare = { .nr = 0 }, ratio = { .nr = 0 };

	pthread_barrier_init(&barrier, NULL, NR_THREADS);
	for (int run = 0; run < NR_RUNS; run++) {
		double a, b = 0;

		empty_files();
		if (run % 2)
			b = threads_cost(write_bare);
		a = threads_cost(emit_event);
		if (run % 2 == 0)
			b = threads_cost(write_bare);
		bench_add(&on, a);
		bench_add(&bare, b);
		bench_add(&ratio, a / b);
	}
	rows("16 threads", &on, &bare, &ratio);
}

int main(int argc, char **argv)
{
	char absolute[4096];
	int nr_threads = argc > 1 ? atoi(argv[1]) : 0;

	if (nr_threads == 1 || nr_threads == NR_THREADS)
		return print_rings(nr_threads);
	if (argc > 1) {
		fprintf(stderr, "usage: bench_emit [1|%d]\n", NR_THREADS);
		return 2;
	}
	bench_off();
	close(mkstemp(event_path));
	close(mkstemp(bare_path));
	bare_fd = open(bare_path, O_WRONLY | O_APPEND);
	if (bare_fd < 0 || !realpath(event_path, absolute))
		return 1;
	unsetenv("GIT_TRACE2");
	unsetenv("GIT_TRACE2_PERF");
	setenv("GIT_TRACE2_EVENT", absolute, 1);
	trace2_set_git_config(0);
	trace2_initialize();
	bench_hidden();
	emit_event(1);
	copy_last_line();
	bench_single();
	bench_many();
	unlink(event_path);
	unlink(bare_path);
	bench_rings(1);
	bench_rings(NR_THREADS);
	return 0;
}
