/* SPDX-License-Identifier: MIT */
/* Tests of system calls that fail while the screen runs (tests/fail_io.c). */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "tests/program.h"
#include "tests/pty.h"

static char dir[64], path[100], sock[100], shim[4200];

static int set_up(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/trace2top-live-XXXXXX");
	snprintf(shim, sizeof(shim), "LD_PRELOAD=%s/tests/.libs/fail_io.so",
		 getenv("abs_top_builddir"));
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(sock, sizeof(sock), "%s/sock", dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	unlink(sock);
	return rmdir(dir);
}

/* Start the program. The system call that `call` (FAIL_IO_CALL=NAME) names fails with `error`. */
static void start(struct pty *pty, const char *spec, const char *call, int error)
{
	const char *argv[] = { program_path(), spec, NULL };
	char number[40];
	const char *const settings[] = { "XDG_CONFIG_HOME=/nowhere",
					 "TZ=UTC",
					 shim,
					 call,
					 "FAIL_IO_NTH=1",
					 "FAIL_IO_IN=trace2top",
					 number,
					 "ASAN_OPTIONS=verify_asan_link_order=0",
					 NULL };

	if (access(strchr(shim, '=') + 1, R_OK))
		skip();
	snprintf(number, sizeof(number), "FAIL_IO_ERRNO=%d", error);
	pty_spawn(pty, argv, settings, 120, 40);
}

static void append(const char *name)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

	dprintf(fd,
		"{\"event\":\"start\",\"sid\":\"%s\",\"thread\":\"main\",\"t_abs\":0.1,"
		"\"argv\":[\"git\",\"%s\"]}\n",
		name, name);
	close(fd);
}

static void quit(struct pty *pty)
{
	pty_send(pty, "q");
	assert_int_equal(pty_wait_exit(pty, true), 0);
	assert_true(pty_is_restored(pty));
	pty_close(pty);
}

/* inotify_add_watch() or inotify_init1() fails, as if the user's limit were reached. */
static void without_inotify_files_are_followed_all_the_same(void **state)
{
	static const char *const calls[] = { "FAIL_IO_CALL=inotify_add_watch",
					     "FAIL_IO_CALL=inotify_init1" };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct pty pty;

		append("first");
		start(&pty, i / 2 ? dir : path, calls[i % 2], i % 2 ? EMFILE : ENOSPC);
		pty_wait(&pty, "first");
		append("second");
		pty_wait(&pty, "second");
		quit(&pty);
		unlink(path);
	}
}

static ns_t cpu_time(pid_t pid)
{
	struct timespec ts;
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
	assert_int_equal(clock_gettime(clock, &ts), 0);
	return (ns_t)ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

/* A pending connection keeps the socket readable. */
static void lack_of_descriptors_is_reported_without_a_busy_loop(void **state)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct path_watch watch;
	char spec[140];
	struct pty pty;
	ns_t before;

	(void)state;
#ifdef TR2_PORTABLE /* the portable build uses accept() */
	skip();
#endif
	snprintf(spec, sizeof(spec), "af_unix:stream:%s", sock);
	path_watch_open(&watch, sock);
	start(&pty, spec, "FAIL_IO_CALL=accept4", EMFILE);
	path_wait(&watch, true);
	path_watch_close(&watch);
	pty_wait(&pty, "1 Processes");
	strcpy(addr.sun_path, sock);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	pty_send(&pty, "o");
	pty_wait(&pty, "Too many open files");
	before = cpu_time(pty.pid);
	poll(NULL, 0, 600);
	assert_true(cpu_time(pty.pid) - before < 300 * NS_PER_MS);
	pty_send(&pty, "q"); /* leaves the page */
	pty_wait(&pty, "1 Processes");
	quit(&pty);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(without_inotify_files_are_followed_all_the_same),
		TEST(lack_of_descriptors_is_reported_without_a_busy_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
