/* SPDX-License-Identifier: MIT */
/*
 * Test host whose forked children are sessions of their own (trace2_set_fork_sid), whichever thread
 * forks and whichever calls libtrace2 first in the child. No line of a child may have its parent's
 * session id, and its sums must contain nothing of the parent.
 */
#include "config.h"
#include "tests/hosts/host.h"

#include <pthread.h>

#ifdef SANITIZED
/* In a child, the leak checker would report memory of its parent's other threads. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return 1;
}
#endif

static char trace[PATH_MAX];

static void begin_session_host(void)
{
	setenv("GIT_TRACE2_EVENT", trace, 1);
	unsetenv("GIT_TRACE2_PARENT_SID");
	trace2_set_fork_sid(1);
	trace2_counter_declare("c", "n", 1);
	trace2_initialize();
	CHECK(trace2_is_enabled(), "tracing is off");
}

static void child_wait(pid_t pid, int want)
{
	int status;

	CHECK(waitpid(pid, &status, 0) == pid && status == want, "the child: wait status %x",
	      (unsigned)status);
}

static void in_thread(void *(*body)(void *))
{
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, body, NULL), "pthread_create");
	pthread_join(thread, NULL);
}

static void *fork_without_calls(void *data)
{
	pid_t pid = fork();

	if (!pid) {
		trace2_data_string("c", NULL, "whose", "child");
		exit(0);
	}
	child_wait(pid, 0);
	return data;
}

static void forks_in_another_thread(void)
{
	begin_session_host();
	in_thread(fork_without_calls);
	trace2_data_string("c", NULL, "whose", "parent");
}

static void *calling_worker(void *data)
{
	trace2_thread_start("worker");
	trace2_data_string("c", NULL, "whose", "child");
	trace2_thread_exit();
	return data;
}

static void *silent_worker(void *data)
{
	trace2_data_string("c", NULL, "whose", "child");
	return data;
}

static void child_calls_in_new_threads(void *(*body)(void *))
{
	pid_t pid;

	begin_session_host();
	trace2_region_enter("c", "of the parent", NULL);
	pid = fork();
	if (!pid) {
		in_thread(body);
		trace2_data_string("c", NULL, "whose", "child");
		exit(0);
	}
	child_wait(pid, 0);
	trace2_region_leave("c", "of the parent", NULL);
	trace2_data_string("c", NULL, "whose", "parent");
}

static void calls_first_in_a_known_thread(void)
{
	child_calls_in_new_threads(calling_worker);
}

static void calls_first_in_a_new_thread(void)
{
	child_calls_in_new_threads(silent_worker);
}

static void calls_first_in_many_threads(void)
{
	pid_t pid;

	begin_session_host();
	pid = fork();
	if (!pid) {
		pthread_t threads[8];

		for (int i = 0; i < 8; i++)
			CHECK(!pthread_create(&threads[i], NULL, calling_worker, NULL),
			      "pthread_create");
		for (int i = 0; i < 8; i++)
			pthread_join(threads[i], NULL);
		exit(0);
	}
	child_wait(pid, 0);
	trace2_data_string("c", NULL, "whose", "parent");
}

static void *count_five(void *data)
{
	trace2_thread_start("counter");
	trace2_counter_add(0, 500);
	trace2_thread_exit();
	return data;
}

static void counted_before(void)
{
	pid_t pid;

	begin_session_host();
	in_thread(count_five);
	trace2_counter_add(0, 70);
	pid = fork();
	if (!pid) {
		trace2_counter_add(0, 1);
		exit(0);
	}
	child_wait(pid, 0);
	trace2_data_string("c", NULL, "whose", "parent");
}

static void child_emits_nothing(void)
{
	pid_t pid;

	begin_session_host();
	pid = fork();
	if (!pid)
		exit(0);
	child_wait(pid, 0);
	trace2_data_string("c", NULL, "whose", "parent");
}

static void child_reads_its_id(void)
{
	char parent[PATH_MAX];
	pid_t pid;

	begin_session_host();
	snprintf(parent, sizeof(parent), "%s", (trace2_session_id)());
	pid = fork();
	if (!pid) {
		const char *own = (trace2_session_id)();

		CHECK(!strncmp(own, parent, strlen(parent)) && own[strlen(parent)] == '/',
		      "the child's session id is %s", own);
		exit(0);
	}
	child_wait(pid, 0);
	trace2_data_string("c", NULL, "whose", "parent");
}

/* A forked session that wrote no event must not write a signal event, for itself or its parent. */
static void child_dies(void)
{
	pid_t pid;

	begin_session_host();
	pid = fork();
	if (!pid)
		raise(SIGPIPE);
	child_wait(pid, SIGPIPE);
	trace2_data_string("c", NULL, "whose", "parent");
}

static bool is_of_child(const char *line)
{
	const char *sid = strstr(line, "\"sid\":\"");

	CHECK(sid, "a line without a session id: %s", line);
	return strcspn(sid + 7, "/") < strcspn(sid + 7, "\"");
}

/* Check the trace, and return the number of the child's lines. */
static unsigned check_session_trace(const char *what)
{
	char *text = host_read(trace);
	unsigned nr_child = 0, nr_parent_ends = 0;

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		bool of_child = is_of_child(line);

		CHECK(!strstr(line, "\"value\":\"child\"") || of_child, "%s: %s", what, line);
		CHECK(!strstr(line, "\"value\":\"parent\"") || !of_child, "%s: %s", what, line);
		nr_parent_ends += !of_child && strstr(line, "\"event\":\"atexit\"");
		CHECK(of_child || !strstr(line, "\"event\":\"signal\""), "%s: %s", what, line);
		if (!of_child)
			continue;
		if (!nr_child++)
			CHECK(strstr(line, "\"event\":\"version\"") &&
				      strstr(line, "\"thread\":\"main\""),
			      "%s: the child begins with %s", what, line);
		else
			CHECK(!strstr(line, "\"event\":\"version\""),
			      "%s: second version event: %s", what, line);
	}
	CHECK(nr_parent_ends == 1, "%s: the parent's session ends %u times", what, nr_parent_ends);
	free(text);
	return nr_child;
}

static void run_session_host(const char *what, void (*host)(void), unsigned nr_lines_of_child)
{
	unsigned nr;

	unlink(trace);
	CHECK(!host_run(host), "%s", what);
	nr = check_session_trace(what);
	CHECK(nr == nr_lines_of_child, "%s: %u lines of the child, not %u", what, nr,
	      nr_lines_of_child);
}

int main(void)
{
	host_begin();
	snprintf(trace, sizeof(trace), "%s", host_path("trace"));
	run_session_host("a thread that called nothing forks", forks_in_another_thread, 3);
	run_session_host("a child's first call is in a thread that starts",
			 calls_first_in_a_known_thread, 6);
	CHECK(host_count(trace, ":worker\"") == 3, "the worker's name");
	run_session_host("a child's first call is in another thread", calls_first_in_a_new_thread,
			 4);
	run_session_host("nothing is called but exit()", child_emits_nothing, 2);
	run_session_host("the session id is asked for", child_reads_its_id, 2);
	run_session_host("a child dies before any call", child_dies, 0);
	run_session_host("sums of the parent's", counted_before, 4);
	CHECK(host_count(trace, "\"count\":1}") == 2, "the child's own sums");
	CHECK(host_count(trace, "\"count\":570}") == 1 && host_count(trace, "\"count\":571}") == 0,
	      "the totals");
	unlink(trace);
	CHECK(!host_run(calls_first_in_many_threads), "many threads");
	CHECK(host_count(trace, "/20") == 1 + 8 * 3 + 1, "lines of many threads");
	CHECK(host_count(trace, "\"event\":\"version\"") == 2, "many threads, one version");
	return host_end();
}
