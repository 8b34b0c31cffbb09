/* SPDX-License-Identifier: MIT */
/*
 * A small program that is traced the way Git is: worker threads with nested regions, a child,
 * timers, counters, data. It sorts numbers and runs `git version`, which writes to the same
 * destination.
 *
 * 	cc traced.c $(pkg-config --cflags --libs trace2) -o traced
 * 	GIT_TRACE2_EVENT=/tmp/trace ./traced
 * 	trace2top /tmp/trace
 *
 * Usage: traced [THREADS [ROUNDS]]
 */
#define _POSIX_C_SOURCE 200809L /* for compilers in strict ISO C mode */

#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trace2.h>
#include <trace2_child.h>
#include <trace2_json.h>

#define NR_NUMBERS  20000
#define MAX_THREADS 64

extern char **environ;

static int sort_timer, numbers_counter;
static int nr_rounds = 3;

static int compare_numbers(const void *a, const void *b)
{
	return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

static void sort_round(int round, unsigned *seed)
{
	static const char category[] = "sort";
	int *numbers = malloc(NR_NUMBERS * sizeof(*numbers));

	if (!numbers)
		return;
	trace2_region_enter_printf(category, "round", NULL, "round %d", round);
	trace2_region_enter(category, "fill", NULL);
	for (int i = 0; i < NR_NUMBERS; i++)
		numbers[i] = rand_r(seed);
	trace2_region_leave(category, "fill", NULL);

	trace2_region_enter(category, "qsort", NULL);
	trace2_timer_start(sort_timer);
	qsort(numbers, NR_NUMBERS, sizeof(*numbers), compare_numbers);
	trace2_timer_stop(sort_timer);
	trace2_region_leave(category, "qsort", NULL);

	trace2_counter_add(numbers_counter, NR_NUMBERS);
	trace2_data_intmax(category, NULL, "smallest", numbers[0]);
	trace2_region_leave_printf(category, "round", NULL, "round %d", round);
	free(numbers);
}

static void *sort_worker(void *data)
{
	unsigned seed = (unsigned)(size_t)data;

	trace2_thread_start("sorter");
	for (int round = 0; round < nr_rounds; round++)
		sort_round(round, &seed);
	trace2_thread_exit();
	return NULL;
}

static void run_threads(int nr)
{
	pthread_t threads[MAX_THREADS];
	int started = 0;

	trace2_region_enter("main", "threads", NULL);
	while (started < nr &&
	       !pthread_create(&threads[started], NULL, sort_worker, (void *)(size_t)(started + 1)))
		started++;
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	trace2_data_intmax("main", NULL, "threads", started);
	trace2_region_leave("main", "threads", NULL);
}

/* Run `argv` and wait. Traces the child and its exit code. */
static int run_child(const char *child_class, char **argv)
{
	struct child_process cmd = TRACE2_CHILD_PROCESS_INIT;
	pid_t pid;
	int status = 0, code = -1;

	cmd.argv = (const char *const *)argv;
	cmd.trace2_child_class = child_class;
	trace2_child_start(&cmd);
	if (!posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ)) {
		cmd.pid = (int)pid;
		if (waitpid(pid, &status, 0) == pid)
			code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	trace2_child_exit(&cmd, code);
	return code;
}

int main(int argc, char **argv)
{
	char git[] = "git", version[] = "version";
	char *child[] = { git, version, NULL };
	struct json_writer summary = { "{\"sorted\":true}", 0 };
	int nr_threads = argc > 1 ? atoi(argv[1]) : 4;

	trace2_initialize_clock();
	trace2_set_version("traced 1.0");
	sort_timer = trace2_timer_declare("sort", "qsort", 1);
	numbers_counter = trace2_counter_declare("sort", "numbers", 1);
	trace2_initialize();
	trace2_cmd_start(argv);
	trace2_collect_process_info(TRACE2_PROCESS_INFO_STARTUP);
	trace2_cmd_name("traced");

	if (argc > 2)
		nr_rounds = atoi(argv[2]);
	if (nr_threads < 0 || nr_threads > MAX_THREADS)
		nr_threads = MAX_THREADS;
	run_threads(nr_threads);
	if (run_child("version", child))
		trace2_printf("%s did not run", child[0]);
	trace2_data_json("main", NULL, "summary", &summary);
	return trace2_cmd_exit(0);
}
