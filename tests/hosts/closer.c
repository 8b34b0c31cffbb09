/* SPDX-License-Identifier: MIT */
/*
 * Test host that closes unknown descriptors and opens its own with the same numbers. No trace line
 * may be written to the host's files, and none of them may be closed or replaced.
 */
#include "config.h"
#include "tests/hosts/host.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "engine/base/clock.h"

#define NR_FILES 300
#define HIGHEST  1024

static char target[PATH_MAX];

static int listener = -1;

static void to_file(void)
{
	snprintf(target, sizeof(target), "%s", host_path("trace"));
}

static void to_directory(void)
{
	snprintf(target, sizeof(target), "%s", host_path("traces"));
	mkdir(target, 0755);
}

static void to_socket(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%.90s/sock", host_dir);
	snprintf(target, sizeof(target), "af_unix:stream:%s", addr.sun_path);
	if (listener >= 0)
		return;
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CHECK(!bind(listener, (struct sockaddr *)&addr, sizeof(addr)) && !listen(listener, 100),
	      "bind: %m");
}

static int trace_fd = -1;

static void begin_tracing(void)
{
	bool there[HIGHEST];

	for (int fd = 0; fd < HIGHEST; fd++)
		there[fd] = fcntl(fd, F_GETFD) >= 0;
	setenv("GIT_TRACE2_EVENT", target, 1);
	trace2_initialize();
	CHECK(trace2_is_enabled(), "tracing to %s is off", target);
	for (int fd = 0; fd < HIGHEST; fd++)
		if (!there[fd] && fcntl(fd, F_GETFD) >= 0)
			trace_fd = fd;
	trace2_data_string("c", NULL, "begun", "v");
}

static void emit_lines(void)
{
	static const char *const argv[] = { "host", NULL };

	trace2_data_string("c", NULL, "after", "v");
	trace2_cmd_mode("after");
	trace2_cmd_start((const char **)(uintptr_t)argv);
}

static int victim_open(int flags)
{
	int fd = open(host_path("victim"), flags | O_CREAT | O_TRUNC, 0644);

	CHECK(fd >= 0, "open: %m");
	return fd;
}

static void assert_unharmed(int fd)
{
	struct stat here, there;

	CHECK(!stat(host_path("victim"), &there) && !there.st_size,
	      "trace lines in the host's file");
	CHECK(!fstat(fd, &here) && here.st_ino == there.st_ino,
	      "the host's descriptor was replaced");
}

static void wait_for_check(void)
{
	ns_t until = tr2_clock_monotonic() + NS_PER_MS;

	while (tr2_clock_monotonic() < until)
		;
}

static void replace_descriptor(int flags)
{
	CHECK(dup2(victim_open(flags), trace_fd) == trace_fd, "dup2: %m");
}

static void closes_all_and_opens_many(void)
{
	int fds[NR_FILES];

	begin_tracing();
	for (int fd = 3; fd < HIGHEST; fd++)
		close(fd);
	for (int i = 0; i < NR_FILES; i++)
		fds[i] = victim_open(O_WRONLY | O_APPEND);
	emit_lines();
	for (int i = 0; i < NR_FILES; i++)
		assert_unharmed(fds[i]);
}

static void opens_on_the_same_number(void)
{
	begin_tracing();
	replace_descriptor(O_WRONLY);
	wait_for_check();
	emit_lines();
	assert_unharmed(trace_fd);
	exit(0);
}

/* At exit the library checks its descriptor even if little time has passed since the last check. */
static void check_at_exit(void)
{
	assert_unharmed(trace_fd);
}

static void ends_with_it(void)
{
	atexit(check_at_exit); /* runs after libtrace2's handler, which is registered later */
	begin_tracing();
	replace_descriptor(O_WRONLY);
	exit(0);
}

/* The next write fails unless the descriptor is checked before. libtrace2 must not close it. */
static void opens_what_cannot_be_written(void)
{
	begin_tracing();
	replace_descriptor(O_RDONLY);
	trace2_data_string("c", NULL, "after", "v");
	assert_unharmed(trace_fd);
}

static void is_a_daemon(void)
{
	int status;
	pid_t pid;

	begin_tracing();
	pid = fork();
	if (!pid) {
		replace_descriptor(O_WRONLY);
		emit_lines();
		assert_unharmed(trace_fd);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status, "the daemon");
	emit_lines();
}

/* A forked session needs a descriptor of its own: the host may use the number of its parent's
 * descriptor. */
static void is_a_daemon_with_a_session(void)
{
	trace2_set_fork_sid(1);
	is_a_daemon();
}

static void puts_a_socket_there(void)
{
	int pair[2];
	char byte;

	begin_tracing();
	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair) && dup2(pair[0], trace_fd) == trace_fd,
	      "%m");
	wait_for_check();
	emit_lines();
	CHECK(recv(pair[1], &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN,
	      "trace lines in the host's socket");
	close(pair[1]);
	trace2_data_string("c", NULL, "after", "v");
	CHECK(recv(trace_fd, &byte, 1, MSG_DONTWAIT) == 0, "the host's descriptor was replaced");
}

static void any_target(void (*host)(void), const char *what)
{
	void (*const to[])(void) = { to_file, to_directory, to_socket };

	for (size_t i = 0; i < sizeof(to) / sizeof(*to); i++) {
		to[i]();
		CHECK(!host_run(host), "a host that %s, traced to %s", what, target);
	}
}

static void reopens_an_inherited_number(void)
{
	int fd = open(host_path("trace"), O_WRONLY | O_APPEND | O_CREAT, 0644);

	CHECK(dup2(fd, 7) == 7, "dup2: %m");
	begin_tracing();
	CHECK(dup2(victim_open(O_WRONLY), 7) == 7, "dup2: %m");
	wait_for_check();
	emit_lines();
	assert_unharmed(7);
}

static void reopens_standard_error(void)
{
	begin_tracing();
	close(2);
	CHECK(victim_open(O_WRONLY) == 2, "descriptor 2 is not free");
	wait_for_check();
	emit_lines();
	assert_unharmed(2);
}

static void redirects_standard_error(void)
{
	char text[8192];
	int fds[2];

	begin_tracing();
	CHECK(!pipe(fds) && dup2(fds[1], 2) == 2, "pipe: %m");
	wait_for_check();
	emit_lines();
	CHECK(read(fds[0], text, sizeof(text)) > 0,
	      "trace does not follow the redirected standard error");
	close(fds[0]);
	emit_lines(); /* writing must not raise SIGPIPE */
}

int main(void)
{
	int err = dup(2);

	host_begin();
	any_target(closes_all_and_opens_many, "closes all and opens many");
	any_target(opens_on_the_same_number, "opens on the same number");
	any_target(ends_with_it, "opens on the same number and ends");
	any_target(is_a_daemon, "is a daemon");
	any_target(is_a_daemon_with_a_session, "is a daemon with a session");
	any_target(puts_a_socket_there, "puts a socket there");
	to_file();
	CHECK(!host_run(opens_what_cannot_be_written), "a host that opens an unwritable file");
	strcpy(target, "7");
	CHECK(!host_run(reopens_an_inherited_number), "a host that reopens an inherited number");
	strcpy(target, "1");
	CHECK(!host_run(reopens_standard_error), "a host that reopens standard error");
	CHECK(!host_run(redirects_standard_error), "a host that redirects standard error");
	dup2(err, 2);
	return host_end();
}
