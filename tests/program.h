/* SPDX-License-Identifier: MIT */
/*
 * Runs the real trace2top in a test: collects its output, waits for its end with a deadline, and
 * waits for its socket with inotify. Missing a deadline fails the running test unless the function
 * returns it.
 */
#ifndef TESTS_PROGRAM_H
#define TESTS_PROGRAM_H

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/clock.h"

#define PROGRAM_DEADLINE_MS 120000

struct program {
	pid_t pid;
	int out, err; /* pipes with the program's output */
	char *out_text, *err_text;
	void (*before_exec)(void); /* called in the child; may be NULL */
};

static inline const char *program_path(void)
{
	static char path[4096];
	const char *dir = getenv("abs_top_builddir");

	snprintf(path, sizeof(path), "%s/trace2top", dir ? dir : ".");
	return path;
}

/* Call before exec: drop root's right to access any file, so that permissions apply. */
static inline void program_be_ordinary(void)
{
	prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE);
	prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH);
}

/* Start the program at `path`, which becomes argv[0]. The caller initialises p->before_exec. `in`:
 * standard input, -1 for /dev/null. */
static inline void program_start_at(struct program *p, const char *path, const char **argv, int in)
{
	int out[2], err[2];

	argv[0] = path;
	assert_int_equal(pipe2(out, O_CLOEXEC) | pipe2(err, O_CLOEXEC), 0);
	p->pid = fork();
	if (!p->pid) {
		if (p->before_exec)
			p->before_exec();
		in = in < 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : in;
		dup2(in, 0);
		dup2(out[1], 1);
		dup2(err[1], 2);
		execv(argv[0], (char **)(uintptr_t)argv);
		_exit(99);
	}
	close(out[1]);
	close(err[1]);
	p->out = out[0];
	p->err = err[0];
	p->out_text = calloc(1, 1);
	p->err_text = calloc(1, 1);
}

static inline void program_start(struct program *p, const char **argv, int in)
{
	p->before_exec = NULL;
	program_start_at(p, program_path(), argv, in);
}

static inline bool program_read(int fd, char **text)
{
	size_t len = strlen(*text);
	ssize_t n;

	*text = realloc(*text, len + 65536 + 1);
	n = read(fd, *text + len, 65536);
	(*text)[len + (n > 0 ? (size_t)n : 0)] = '\0';
	return n > 0;
}

/* Collect the output until the program and its children have closed both pipes. Returns false on
 * timeout or if poll() fails. */
static inline bool program_collect(struct program *p, int deadline_ms)
{
	struct pollfd fds[2] = { { .fd = p->out, .events = POLLIN },
				 { .fd = p->err, .events = POLLIN } };
	int64_t until = tr2_clock_monotonic() / NS_PER_MS + deadline_ms;

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		int64_t left = until - tr2_clock_monotonic() / NS_PER_MS;

		if (left <= 0 || poll(fds, 2, (int)left) <= 0)
			return false;
		if (fds[0].revents && !program_read(p->out, &p->out_text))
			fds[0].fd = -1;
		if (fds[1].revents && !program_read(p->err, &p->err_text))
			fds[1].fd = -1;
	}
	return true;
}

/* Wait for the program's end, and return its exit status as a shell would. The output is valid
 * until program_free(). */
static inline int program_end(struct program *p)
{
	int status;

	if (!program_collect(p, PROGRAM_DEADLINE_MS)) {
		kill(p->pid, SIGKILL);
		waitpid(p->pid, &status, 0);
		fail_msg("it did not end; out: %s\nerr: %s", p->out_text, p->err_text);
	}
	assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
	close(p->out);
	close(p->err);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static inline void program_free(struct program *p)
{
	free(p->out_text);
	free(p->err_text);
}

static inline int program_run(struct program *p, const char **argv, int in)
{
	program_start(p, argv, in);
	return program_end(p);
}

/* Return the first number of the JSON key `key` in the program's output, from `section` on; -1 if
 * there is none. */
static inline long long program_number(const struct program *p, const char *section,
				       const char *key)
{
	const char *at = strstr(p->out_text, section);
	char quoted[64];

	snprintf(quoted, sizeof(quoted), "\"%s\":", key);
	at = at ? strstr(at, quoted) : NULL;
	return at ? strtoll(at + strlen(quoted), NULL, 10) : -1;
}

static inline char program_mode(pid_t pid)
{
	char path[40], line[300], mode = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	fclose(f);
	assert_int_equal(sscanf(strrchr(line, ')') + 2, "%c", &mode), 1);
	return mode;
}

static inline void program_wait_mode(pid_t pid, char mode)
{
	for (int i = 0; program_mode(pid) != mode && i < PROGRAM_DEADLINE_MS / 5; i++)
		poll(NULL, 0, 5);
	assert_int_equal(program_mode(pid), mode);
}

struct path_watch {
	int fd;
	char path[512];
};

/* Watch for changes of `path`. Call before starting the process that creates or removes it. */
static inline void path_watch_open(struct path_watch *w, const char *path)
{
	char dir[512];
	char *slash;

	snprintf(w->path, sizeof(w->path), "%s", path);
	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	*slash = '\0';
	w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	assert_true(w->fd >= 0 &&
		    inotify_add_watch(w->fd, dir,
				      IN_CREATE | IN_DELETE | IN_ATTRIB | IN_MOVED_TO) >= 0);
}

static inline void path_wait(struct path_watch *w, bool there)
{
	int64_t until = tr2_clock_monotonic() / NS_PER_MS + PROGRAM_DEADLINE_MS;
	struct pollfd fd = { .fd = w->fd, .events = POLLIN };
	char bytes[4096];
	struct stat st;

	while (!lstat(w->path, &st) != there) {
		int64_t left = until - tr2_clock_monotonic() / NS_PER_MS;

		if (left <= 0 || poll(&fd, 1, (int)left) <= 0)
			fail_msg("%s is %sthere", w->path, there ? "not " : "still ");
		while (read(w->fd, bytes, sizeof(bytes)) > 0)
			;
	}
}

static inline void path_watch_close(struct path_watch *w)
{
	close(w->fd);
}

#endif
