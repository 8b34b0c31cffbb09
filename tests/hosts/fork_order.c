/* SPDX-License-Identifier: MIT */
/*
 * A host with an allocator of its own, which holds its lock across fork() as ours is held: while
 * one thread forks with that lock taken, another is inside the library, wanting memory. Neither
 * waits for the other for ever.
 */
#include "config.h"
#include "tests/hosts/host.h"

#include <pthread.h>
#include <sched.h>

static pthread_mutex_t heap = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool forking, wanting;

char *__wrap_strdup(const char *text);

/* The library's, within what it does under its lock. */
char *__wrap_strdup(const char *text)
{
	char *copy = malloc(strlen(text) + 1);

	wanting = true;
	pthread_mutex_lock(&heap);
	pthread_mutex_unlock(&heap);
	return copy ? strcpy(copy, text) : NULL;
}

/* Before the library's, since it was registered later. */
static void prepare(void)
{
	pthread_mutex_lock(&heap);
	forking = true;
	while (!wanting)
		sched_yield();
}

static void in_parent(void)
{
	pthread_mutex_unlock(&heap);
}

static void in_child(void)
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

static void forks(void)
{
	pthread_t thread;
	int status;
	pid_t pid;

	pthread_atfork(prepare, in_parent, in_child);
	CHECK(!pthread_create(&thread, NULL, declare, NULL), "pthread_create");
	pid = fork();
	if (!pid) {
		alarm(120);
		(trace2_session_id)();
		trace2_counter_declare("c", "of the child", 0);
		_exit(0);
	}
	pthread_join(thread, NULL);
	CHECK(waitpid(pid, &status, 0) == pid && !status, "the child: wait status %x",
	      (unsigned)status);
}

int main(void)
{
	host_begin();
	CHECK(!host_run(forks), "a host whose allocator is locked across fork()");
	return host_end();
}
