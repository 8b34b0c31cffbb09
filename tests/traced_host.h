/* SPDX-License-Identifier: MIT */
/*
 * Functions for tests of libtrace2 with host programs. Programs that include this set up with
 * make_dir() and tear down with remove_dir().
 */
#ifndef TESTS_TRACED_HOST_H
#define TESTS_TRACED_HOST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/buf.h"

static char dir[] = "/tmp/tr2-host-XXXXXX";
static char target[PATH_MAX];

/* Run a traced host. Returns its exit status, or 128 + the signal that ended it. */
static inline int run_host(const char *value, int (*host)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		setenv("GIT_TRACE2_EVENT", value, 1);
		exit(host());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline void slurp(struct tr2_buf *out, const char *path)
{
	FILE *f = fopen(path, "r");
	size_t n;

	tr2_buf_init(out, 64 << 20);
	assert_non_null(f);
	do {
		assert_true(tr2_buf_reserve(out, 65536));
		n = fread(out->data + out->len, 1, 65536, f);
		out->len += n;
	} while (n);
	fclose(f);
	tr2_buf_cstr(out);
}

static inline int count(const char *text, const char *needle)
{
	int nr = 0;

	while ((text = strstr(text, needle))) {
		nr++;
		text++;
	}
	return nr;
}

static inline int count_in(const char *path, const char *needle)
{
	struct tr2_buf text;
	int nr;

	slurp(&text, path);
	nr = count(tr2_buf_cstr(&text), needle);
	tr2_buf_release(&text);
	return nr;
}

/*
 * Every line of a trace begins and ends as an event does. If its program was killed, the kernel may
 * have ended the last write(2) early, but only at the border of a page.
 */
static inline void assert_whole_lines(const char *path, bool killed)
{
	struct tr2_buf text;
	char *line;

	slurp(&text, path);
	line = text.data;
	while (*line) {
		char *end = strchr(line, '\n');

		if (!end) {
			assert_true(killed);
			assert_int_equal(text.len % (size_t)sysconf(_SC_PAGESIZE), 0);
			break;
		}
		assert_memory_equal(line, "{\"event\":\"", 10);
		assert_int_equal(end[-1], '}');
		line = end + 1;
	}
	tr2_buf_release(&text);
}

static inline int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(target, sizeof(target), "%s/trace", dir);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	setenv("GIT_CONFIG_GLOBAL", "", 1);
	return 0;
}

static inline int remove_dir(void **state)
{
	char command[PATH_MAX];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

#endif
