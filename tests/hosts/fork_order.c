/* SPDX-License-Identifier: MIT */
/*
 * Test host whose own allocator holds its heap's lock across fork(), as libtrace2 does with its own
 * lock. One thread forks with the heap locked while another thread is inside libtrace2 and
 * allocates. Neither may deadlock.
 */
#include "config.h"
#include "tests/hosts/host.h"

#include <pthread.h>
#include <sched.h>

static pthread_mutex_t heap = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool forking, wanting;
static bool names; /* the allocating thread sets an environment variable */

/* Stands for libc's lock of the environment, which fork() does not take. */
static pthread_mutex_t environment = PTHREAD_MUTEX_INITIALIZER;

char *__wrap_strdup(const char *text);
int __wrap_setenv(const char *set_names, const char *value, int overwrite);
int __real_setenv(const char *set_names, const char *value, int overwrite);

static void want_memory(void)
{
	wanting = true;
	pthread_mutex_lock(&heap);
	pthread_mutex_unlock(&heap);
}

/* libtrace2 calls strdup() while it holds its lock. */
char *__wrap_strdup(const char *text)
{
	char *copy = malloc(strlen(text) + 1);

	if (!names)
		want_memory();
	return copy ? strcpy(copy, text) : NULL;
}

int __wrap_setenv(const char *set_names, const char *value, int overwrite)
{
	int failed;

	pthread_mutex_lock(&environment);
	if (names && forking)
		want_memory();
	failed = __real_setenv(set_names, value, overwrite);
	pthread_mutex_unlock(&environment);
	return failed;
}

/* Runs before libtrace2's fork handler: those registered last run first. */
static void on_prepare(void)
{
	pthread_mutex_lock(&heap);
	forking = true;
	while (!wanting)
		sched_yield();
}

static void on_parent(void)
{
	pthread_mutex_unlock(&heap);
}

static void on_child(void)
{
	pthread_mutex_init(&heap, NULL);
}

static void *declare(void *data)
{
	while (!forking)
		sched_yield();
	trace2_counter_declare("c", "n", 0);
	return data;
}

static void *set_names(void *data)
{
	while (!forking)
		sched_yield();
	trace2_cmd_name("x");
	return data;
}

static void fork_during_call(void *(*body)(void *))
{
	pthread_t thread;
	int status;
	pid_t pid;

	pthread_atfork(on_prepare, on_parent, on_child);
	CHECK(!pthread_create(&thread, NULL, body, NULL), "pthread_create");
	pid = fork();
	if (!pid) {
		alarm(20);
		(trace2_session_id)();
		trace2_counter_declare("c", "of the child", 0);
		trace2_cmd_name("of the child");
		_exit(0);
	}
	pthread_join(thread, NULL);
	CHECK(waitpid(pid, &status, 0) == pid && !status, "the child: wait status %x",
	      (unsigned)status);
}

static void forks_with_locked_heap(void)
{
	fork_during_call(declare);
}

static void forks_beside_a_name(void)
{
	names = true;
	setenv("GIT_TRACE2_PERF", host_path("perf"), 1);
	trace2_initialize();
	CHECK(trace2_is_enabled(), "tracing is off");
	fork_during_call(set_names);
}

int main(void)
{
	host_begin();
	CHECK(!host_run(forks_with_locked_heap), "a host whose allocator is locked across fork()");
	CHECK(!host_run(forks_beside_a_name), "another thread sets a variable");
	return host_end();
}
