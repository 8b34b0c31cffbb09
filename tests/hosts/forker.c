/* SPDX-License-Identifier: MIT */
/*
 * Test host that forks while its threads hold locks of libtrace2. No child may hang, whether
 * tracing is on or off.
 */
#include "config.h"
#include "tests/hosts/host.h"

#include <pthread.h>

#define NR_THREADS 3
#ifdef SANITIZED
#define NR_CHILDREN 30
#else
#define NR_CHILDREN (getenv("COUNTS_ALL") ? 150 : 60)
#endif

static _Atomic bool done;

static void *read_session_ids(void *data)
{
	while (!done)
		(trace2_session_id)();
	return data;
}

static void *create_contexts(void *data)
{
	while (!done) {
		trace2_thread_start("worker");
		trace2_counter_add(0, 1);
		trace2_thread_exit();
	}
	return data;
}

/* trace2_cmd_name() makes GIT_TRACE2_PARENT_NAME longer each time. Only one thread may do this,
 * because setenv() is not safe in several threads. */
static void *set_names_in_loop(void *data)
{
	static _Atomic int nr_namers;

	if (nr_namers++)
		return data;
	for (int i = 0; i < 3000 && !done; i++)
		trace2_cmd_name("x");
	return data;
}

__attribute__((unused)) static void *first_call(void *data)
{
	trace2_thread_start("first");
	trace2_counter_add(0, 1);
	trace2_thread_exit();
	return data;
}

static void call_in_child(unsigned nr)
{
	pthread_t thread;

	(void)thread;
	alarm(120);
	(trace2_session_id)();
	if (nr % 3 == 1)
		trace2_cmd_name("child");
/* Skipped with sanitizers: tsan takes the thread for one of the parent; asan's heap lock may be
 * held. */
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
	else if (nr % 3 == 2 && !pthread_create(&thread, NULL, first_call, NULL))
		pthread_join(thread, NULL);
#endif
	_exit(0);
}

static void fork_beside_thread(void *(*body)(void *))
{
	pthread_t threads[NR_THREADS];
	unsigned nr_hung = 0;

	for (int i = 0; i < NR_THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, body, NULL), "pthread_create");
	for (unsigned nr = 0; nr < NR_CHILDREN && !nr_hung; nr++) {
		int status;
		pid_t pid = fork();

		CHECK(pid >= 0, "fork: %m");
		if (!pid)
			call_in_child(nr);
		CHECK(waitpid(pid, &status, 0) == pid, "waitpid: %m");
		nr_hung += WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
		CHECK(nr_hung || !status, "a child's wait status is %x", (unsigned)status);
	}
	done = true;
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK(!nr_hung, "a child hung");
}

static void fork_while_off(void)
{
	fork_beside_thread(read_session_ids);
}

static void on_beside(void *(*body)(void *))
{
	setenv("GIT_TRACE2_PERF", host_path("perf"), 1);
	trace2_counter_declare("c", "n", 1);
	trace2_initialize();
	CHECK(trace2_is_enabled(), "tracing is off");
	fork_beside_thread(body);
}

static void fork_during_session_id(void)
{
	on_beside(read_session_ids);
}

static void fork_during_contexts(void)
{
	on_beside(create_contexts);
}

static void fork_during_names(void)
{
	on_beside(set_names_in_loop);
}

#ifdef __SANITIZE_ADDRESS__
enum { HEAP_SURVIVES_FORK = 0 };
#else
enum { HEAP_SURVIVES_FORK = 1 };
#endif

int main(void)
{
	host_begin();
	CHECK(!host_run(fork_while_off), "off");
	CHECK(!host_run(fork_during_session_id), "on, with threads reading the session id");
	if (HEAP_SURVIVES_FORK) {
		CHECK(!host_run(fork_during_contexts), "on, with threads starting and ending");
		CHECK(!host_run(fork_during_names), "on, with a thread naming the command");
	} else {
		puts("left out: threads that use the heap, whose lock is asan's and not free "
		     "in a child");
	}
	return host_end();
}
