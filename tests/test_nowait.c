/* SPDX-License-Identifier: MIT */
/*
 * Tests that in several states of the screen a blocking writer finishes, and the report has all its
 * events.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "tests/program.h"
#include "tests/pty.h"

/* Number of events, by default far more than the kernel buffers; NOWAIT_EVENTS overrides it. */
static int nr_events = 4000;

#define ESC    "\033"
#define END    "\033OF"
#define CTRL_S "\x13"
#define CTRL_Q "\x11"

/* Keys that enter a state, text of the screen then, keys used there, keys that leave it. */
static const struct state {
	const char *name, *keys, *marker, *meanwhile, *back;
	bool unread; /* the program's terminal is not read */
} states[] = {
	{ "running", "", "before", "", "", false },
	{ "paused", " ", "PAUSED", "", " ", false },
	{ "looking back", "[", "PAST", "[]", END, false },
	{ "at a prompt", "\\", "Filter:", "x", ESC, false },
	{ "searching", "/", "Search:", "e", ESC, false },
	{ "setting up", "C", "Setup", "j", ESC, false },
	{ "showing the log", "e", "> Events", "", ESC, false },
	{ "showing the flame", "F", "Flame", "", ESC, false },
	{ "writing reports", "", "before", "w", "", false },
	{ "held", CTRL_S, "before", "\t?", CTRL_Q ESC, true },
	{ "held and paused", " " CTRL_S, "before", "\t?", CTRL_Q ESC " ", true },
};

static char dir[64], path[100], spec[140], home[4096];

static int set_up(void **state)
{
	const char *events = getenv("NOWAIT_EVENTS");

	(void)state;
	nr_events = events ? atoi(events) : nr_events;
	signal(SIGPIPE, SIG_IGN);
	strcpy(dir, "/tmp/trace2top-nowait-XXXXXX");
	if (!getcwd(home, sizeof(home)) || !mkdtemp(dir) || chdir(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/sock", dir);
	return 0;
}

static int tear_down(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return chdir(home) || system(command);
}

static int connect_to(int type)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	strcpy(addr.sun_path, path);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

static bool put_string(int fd, const char *name, const char *event)
{
	char line[300];
	int len = snprintf(line, sizeof(line),
			   "{\"event\":\"%s\",\"sid\":\"%s\",\"thread\":\"main\",\"t_abs\":0.1,"
			   "\"argv\":[\"git\",\"%s\"],\"msg\":\"m\",\"fmt\":\"m\"}\n",
			   event, name, name);

	return send(fd, line, (size_t)len, 0) == len;
}

static pid_t writer(int type)
{
	pid_t pid = fork();
	bool ok = true;
	int fd;

	if (pid)
		return pid;
	fd = connect_to(type);
	for (int i = 0; i < nr_events && ok; i++)
		ok = put_string(fd, "busy", i ? "error" : "start");
	_exit(!ok);
}

static void assert_writer_ends(pid_t pid, struct pty *pty, const struct state *s)
{
	ns_t until = tr2_clock_monotonic() + PROGRAM_DEADLINE_MS * NS_PER_MS;
	int status;

	while (!waitpid(pid, &status, WNOHANG)) {
		if (tr2_clock_monotonic() > until) {
			kill(pid, SIGKILL);
			fail_msg("a writer hangs while the screen is %s", s->name);
		}
		pty_send(pty, s->meanwhile);
		if (s->unread || !pty_feed(pty, 5))
			poll(NULL, 0, 5);
	}
	assert_int_equal(status, 0);
}

static long long reported(void)
{
	static const char heading[] = "Totals\n  events ";
	char bytes[65536];
	glob_t reports;
	long long most = -1;

	assert_int_equal(glob("trace2top-*.txt", 0, NULL, &reports), 0);
	for (size_t i = 0; i < reports.gl_pathc; i++) {
		FILE *file = fopen(reports.gl_pathv[i], "r");
		const char *at;
		long long nr;

		assert_non_null(file);
		bytes[fread(bytes, 1, sizeof(bytes) - 1, file)] = '\0';
		fclose(file);
		unlink(reports.gl_pathv[i]);
		at = strstr(bytes, heading);
		nr = at ? atoll(at + sizeof(heading) - 1) : -1;
		most = nr > most ? nr : most;
	}
	globfree(&reports);
	return most;
}

static void no_writer_waits_and_nothing_is_lost(const struct state *s, int type)
{
	static const char *const settings[] = { "XDG_CONFIG_HOME=/nowhere", "TZ=UTC", NULL };
	const char *argv[] = { program_path(), spec, NULL };
	struct pty pty;
	long long nr;
	pid_t pid;
	int fd;

	snprintf(spec, sizeof(spec), "af_unix:%s:%s", type == SOCK_DGRAM ? "dgram" : "stream",
		 path);
	pty_spawn(&pty, argv, settings, 120, 40);
	pty_wait(&pty, "1 Processes");
	fd = connect_to(type);
	assert_true(put_string(fd, "before", "start"));
	pty_wait(&pty, "before");
	pty_send(&pty, s->keys);
	pty_wait(&pty, s->marker);
	pid = writer(type);
	assert_writer_ends(pid, &pty, s);
	pty_send(&pty, s->back);
	assert_true(put_string(fd, "last-of-all", "start"));
	close(fd);
	pty_send(&pty, "1");
	pty_wait(&pty, "last-of-all");
	/* `?` is handled after all keys typed meanwhile, and the help replaces the message of a
	 * report. */
	pty_send(&pty, "?");
	pty_wait(&pty, "one row up");
	pty_send(&pty, ESC);
	pty_wait_gone(&pty, "one row up");
	assert_null(strstr(pty_text(&pty), ".txt"));
	pty_send(&pty, "w");
	pty_wait(&pty, ".txt");
	kill(pty.pid, SIGTERM);
	assert_int_equal(pty_wait_exit(&pty, true), 0);
	pty_close(&pty);
	nr = reported();
	if (nr != nr_events + 2)
		fail_msg("%lld events while the screen is %s", nr, s->name);
}

static void all_states(int type)
{
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		no_writer_waits_and_nothing_is_lost(&states[i], type);
}

static void over_stream_no_writer_waits_and_nothing_is_lost(void **state)
{
	(void)state;
	all_states(SOCK_STREAM);
}

static void over_dgram_no_writer_waits_and_nothing_is_lost(void **state)
{
	(void)state;
	all_states(SOCK_DGRAM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(over_stream_no_writer_waits_and_nothing_is_lost),
		TEST(over_dgram_no_writer_waits_and_nothing_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
