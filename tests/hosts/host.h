/* SPDX-License-Identifier: MIT */
/*
 * Functions for hostile test hosts: programs that do to libtrace2 whatever a host may do, mostly in
 * children, and check the result. Exit status: 0; 1 after printing the error; or 77 if this machine
 * cannot run the test.
 */
#ifndef TESTS_HOSTS_HOST_H
#define TESTS_HOSTS_HOST_H

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/trace2.h"

#ifdef SANITIZED
/* Options for tsan: in the child of a multithreaded program, the ends of the other threads are
 * not visible. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "die_after_fork=0:report_thread_leaks=0";
}
#endif

/* Time after which a host that hangs is killed. */
#define HOST_DEADLINE_S 300

/* Directory of this run, and the process that removes it. */
static char host_dir[128];
static pid_t host_owner;

static inline int host_end(void)
{
	char command[200];

	snprintf(command, sizeof(command), "rm -rf '%s'", host_dir);
	return *host_dir ? system(command) : 0;
}

#define CHECK(truth, ...) ((truth) ? (void)0 : host_fail(__FILE__, __LINE__, __VA_ARGS__))

__attribute__((format(printf, 3, 4), noreturn)) static inline void
host_fail(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	printf("FAIL: %s:%d: ", file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	if (getpid() == host_owner)
		host_end();
	_exit(1);
}

__attribute__((noreturn)) static inline void host_skip(const char *why)
{
	printf("skipped: %s\n", why);
	fflush(stdout);
	_exit(77);
}

static inline const char *host_path(const char *name)
{
	static char path[4][PATH_MAX];
	static unsigned at;
	char *out = path[at++ % 4];

	snprintf(out, PATH_MAX, "%s/%s", host_dir, name);
	return out;
}

static inline void host_begin(void)
{
	static const char *const variables[] = {
		"GIT_TRACE2",
		"GIT_TRACE2_PERF",
		"GIT_TRACE2_EVENT",
		"GIT_TRACE2_PARENT_SID",
	};

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		unsetenv(variables[i]);
	setenv("HOME", "/nonexistent", 1);
	unsetenv("XDG_CONFIG_HOME");
	host_owner = getpid();
	snprintf(host_dir, sizeof(host_dir), "/tmp/trace2-host-XXXXXX");
	CHECK(mkdtemp(host_dir) && !chmod(host_dir, 0755), "mkdtemp: %m");
}

static inline void host_write(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	CHECK(f && fputs(text, f) >= 0 && !fclose(f), "%s: %m", path);
}

/* Return the beginning of a file, less than 4 MiB; "" if the file cannot be opened. The caller
 * frees the text. */
static inline char *host_read(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 4u << 20);

	CHECK(text, "out of memory");
	if (f) {
		size_t len = fread(text, 1, (4u << 20) - 1, f);

		text[len] = '\0';
		fclose(f);
	}
	return text;
}

static inline unsigned host_count(const char *path, const char *needle)
{
	char *text = host_read(path);
	unsigned nr = 0;

	for (const char *at = text; (at = strstr(at, needle)); at += strlen(needle))
		nr++;
	free(text);
	return nr;
}

/* Run `body` in a child. Returns its exit status, or 128 + the signal that killed it. */
static inline int host_run(void (*body)(void))
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0, "fork: %m");
	if (!pid) {
		alarm(HOST_DEADLINE_S);
		body();
		exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid, "waitpid: %m");
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

#endif
