/* SPDX-License-Identifier: MIT */
/*
 * Test host with a thread that has a stack of only 16 KiB. API calls must work there, also if they
 * read Git's configuration or the ancestors' names. Death by SIGPIPE must work there, too.
 */
#include "config.h"
#include "tests/hosts/host.h"

#include <pthread.h>

#define STACK_BYTES 16384

static char trace[PATH_MAX];
static bool rings;

static void in_small_thread(void *(*body)(void *))
{
	pthread_attr_t attr;
	pthread_t thread;

	setenv("GIT_TRACE2_EVENT", rings ? host_path("rings") : trace, 1);
	if (rings)
		setenv("GIT_TRACE2_EVENT_RING", "16k", 1);
	setenv("GIT_TRACE2_PERF", host_path("traces"), 1);
	setenv("GIT_TRACE2_MAX_FILES", "1000", 1);
	setenv("GIT_TRACE2_CONFIG_PARAMS", "*", 1);
	setenv("GIT_TRACE2_DST_DEBUG", "1", 1);
	setenv("HOME", host_dir, 1);
	CHECK(!chdir(host_path("repo")), "chdir: %m");
	trace2_set_fork_sid(1);
	trace2_initialize();
	CHECK(trace2_is_enabled(), "tracing is off");
	pthread_attr_init(&attr);
	CHECK(!pthread_attr_setstacksize(&attr, STACK_BYTES) &&
		      !pthread_create(&thread, &attr, body, NULL),
	      "pthread_create");
	pthread_join(thread, NULL);
}

static void *name_it(void *data)
{
	trace2_cmd_name("small");
	return data;
}

static void names_the_command(void)
{
	in_small_thread(name_it);
}

static void *ask_for_ancestry(void *data)
{
	trace2_collect_process_info(TRACE2_PROCESS_INFO_STARTUP);
	return data;
}

static void asks_for_ancestry(void)
{
	in_small_thread(ask_for_ancestry);
}

static void *break_a_pipe(void *data)
{
	int fds[2];

	trace2_region_enter("c", "l", NULL);
	CHECK(!pipe(fds) && !close(fds[0]), "pipe: %m");
	if (write(fds[1], "x", 1) < 0)
		perror("write");
	return data;
}

static void breaks_a_pipe(void)
{
	in_small_thread(break_a_pipe);
}

static void *emit_much(void *data)
{
	trace2_thread_start("small");
	trace2_printf("%s %0*d", "a message", 3000, 7);
	trace2_data_intmax("c", NULL, "k", 1);
	trace2_thread_exit();
	return data;
}

static void emits_much(void)
{
	in_small_thread(emit_much);
}

/* A forked child with a session of its own needs a new file in the directory. */
static void *fork_there(void *data)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		trace2_data_intmax("c", NULL, "forked", 1);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status, "the child");
	return data;
}

static void forks_in_small_stack(void)
{
	in_small_thread(fork_there);
}

static void check_small_stack_host(void (*host)(void), int status, const char *key)
{
	char command[2 * PATH_MAX];
	int got;

	unlink(trace);
	got = host_run(host);
	CHECK(got == status, "%s: status %d, not %d", key, got, status);
#ifdef TR2_PORTABLE /* the portable build does not know the ancestors */
	if (!strcmp(key, "cmd_ancestry"))
		return;
#endif
	CHECK(host_count(trace, key) == 1, "%s is not reported", key);
	rings = true;
	got = host_run(host);
	rings = false;
	CHECK(got == status, "with rings, %s: status %d, not %d", key, got, status);
	snprintf(command, sizeof(command), "! cat '%s'/* | grep -q '{'; rm '%s'/*",
		 host_path("rings"), host_path("rings"));
	CHECK(!system(command), "%s: lines, not rings", key);
}

int main(void)
{
	char command[3 * PATH_MAX];

#ifdef SANITIZED
	host_skip("a sanitizer's own frames are larger");
#endif
	host_begin();
	snprintf(command, sizeof(command),
		 "mkdir -p '%s/repo/.git/objects' '%s/repo/.git/refs' && cd '%s/repo' && "
		 "echo 'ref: refs/heads/main' >.git/HEAD && "
		 "printf '[core]\\n\\trepositoryformatversion = 0\\n[who]\\n\\there = yes\\n"
		 "[includeIf \"gitdir:**/repo/.git\"]\\n\\tpath = ~/more\\n"
		 "[includeIf \"onbranch:main\"]\\n\\tpath = ~root/none\\n"
		 "[includeIf \"hasconfig:remote.*.url:https://x/**\"]\\n\\tpath = more\\n"
		 "[remote \"o\"]\\n\\turl = https://x/y\\n' >.git/config",
		 host_dir, host_dir, host_dir);
	CHECK(!system(command), "%s", command);
	host_write(host_path("more"), "[include]\n\tpath = more2\n");
	host_write(host_path("more2"), "[who]\n\tmore = yes\n");
	snprintf(trace, sizeof(trace), "%s", host_path("trace"));
	CHECK(!mkdir(host_path("traces"), 0755) && !mkdir(host_path("rings"), 0700), "mkdir: %m");
	check_small_stack_host(emits_much, 0, "thread_exit");
	check_small_stack_host(names_the_command, 0, "who.here");
	CHECK(host_count(trace, "who.more") == 1, "included configuration");
	check_small_stack_host(asks_for_ancestry, 0, "cmd_ancestry");
	check_small_stack_host(breaks_a_pipe, 128 + SIGPIPE, "\"event\":\"signal\"");
	check_small_stack_host(forks_in_small_stack, 0, "\"forked\"");
	return host_end();
}
