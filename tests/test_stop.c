/* SPDX-License-Identifier: MIT */
/*
 * Tests of stopping the screen with Ctrl-Z or Ctrl-S, and of killing it, mostly while a process
 * writes to its socket.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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

static char dir[64], path[100], spec[140], note[100];

static int set_up(void **state)
{
	(void)state;
	signal(SIGPIPE, SIG_IGN);
	strcpy(dir, "/tmp/trace2top-stop-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/sock", dir);
	snprintf(spec, sizeof(spec), "af_unix:stream:%s", path);
	snprintf(note, sizeof(note), "%s/note", dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	unlink(note);
	return rmdir(dir);
}

static void start(struct pty *pty, const char **argv)
{
	static const char *const settings[] = { "XDG_CONFIG_HOME=/nowhere", "TZ=UTC", NULL };

	argv[0] = program_path();
	pty_spawn(pty, argv, settings, 120, 40);
}

static void start_socket(struct pty *pty)
{
	const char *argv[] = { NULL, spec, NULL };
	struct path_watch watch;

	path_watch_open(&watch, path);
	start(pty, argv);
	path_wait(&watch, true);
	path_watch_close(&watch);
	pty_wait(pty, "1 Processes");
}

static int try_connect(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(addr.sun_path, path);
	if (!connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return fd;
	close(fd);
	return -1;
}

static bool put_string(int fd, const char *name)
{
	char line[300];
	int len = snprintf(line, sizeof(line),
			   "{\"event\":\"start\",\"sid\":\"%s\",\"thread\":\"main\",\"t_abs\":0.1,"
			   "\"argv\":[\"git\",\"%s\"]}\n",
			   name, name);

	return send(fd, line, (size_t)len, 0) == len;
}

/* Like Git, a writer blocks if its socket is not read, and ends at the first error. */
static pid_t writer(void)
{
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	fd = try_connect();
	while (put_string(fd, "busy"))
		;
	_exit(errno == EPIPE || errno == ECONNRESET ? 0 : 1);
}

static void assert_writer_ends(pid_t pid)
{
	int64_t until = tr2_clock_monotonic() / NS_PER_MS + PROGRAM_DEADLINE_MS;
	int status;

	while (!waitpid(pid, &status, WNOHANG)) {
		if (tr2_clock_monotonic() / NS_PER_MS > until) {
			kill(pid, SIGKILL);
			fail_msg("a writer hangs");
		}
		poll(NULL, 0, 5);
	}
	assert_int_equal(status, 0);
}

static void stop(struct pty *pty)
{
	int status;

	kill(pty->pid, SIGTSTP);
	assert_int_equal(waitpid(pty->pid, &status, WUNTRACED), pty->pid);
	assert_true(WIFSTOPPED(status));
}

static void end(struct pty *pty)
{
	kill(pty->pid, SIGTERM);
	assert_int_equal(pty_wait_exit(pty, true), 0);
	assert_true(pty_is_restored(pty));
	assert_int_equal(access(path, F_OK), -1);
	pty_close(pty);
}

static void stopping_frees_writers_and_continuing_listens_again(void **state)
{
	struct path_watch watch;
	struct pty pty;
	int idle, fd;
	pid_t pid;

	(void)state;
	start_socket(&pty);
	idle = try_connect();
	assert_true(put_string(idle, "before"));
	pty_wait(&pty, "before");
	pid = writer();
	pty_wait(&pty, "busy");
	stop(&pty);
	assert_true(pty_is_restored(&pty));
	assert_writer_ends(pid);
	assert_false(put_string(idle, "during"));
	assert_int_equal(errno, EPIPE);
	close(idle);
	assert_int_equal(try_connect(), -1);
	assert_int_equal(errno, ENOENT);
	path_watch_open(&watch, path);
	kill(pty.pid, SIGCONT);
	path_wait(&watch, true);
	path_watch_close(&watch);
	/* When the screen is drawn again, the program listens. */
	pty_wait(&pty, "gap ");
	fd = try_connect();
	assert_true(fd >= 0 && put_string(fd, "after"));
	pty_wait(&pty, "after");
	close(fd);
	end(&pty);
}

static void stopping_stops_the_command_and_leaves_its_socket(void **state)
{
	char script[500], socket[100];
	const char *argv[] = { NULL, "--", "sh", "-c", script, NULL };
	struct path_watch watch;
	struct pty pty;
	int command;
	FILE *f;

	(void)state;
	snprintf(script, sizeof(script),
		 "echo $$ ${GIT_TRACE2_EVENT#af_unix:stream:} >%s.new; mv %s.new %s; while "
		 "read x; do :; done",
		 note, note, note);
	path_watch_open(&watch, note);
	start(&pty, argv);
	path_wait(&watch, true);
	path_watch_close(&watch);
	f = fopen(note, "r");
	assert_int_equal(fscanf(f, "%d %99s", &command, socket), 2);
	fclose(f);
	pty_wait(&pty, "1 Processes");
	stop(&pty);
	program_wait_mode(command, 'T');
	/* The socket stays, because children of the command use it. */
	assert_int_equal(access(socket, F_OK), 0);
	kill(pty.pid, SIGCONT);
	program_wait_mode(command, 'S');
	assert_int_equal(access(socket, F_OK), 0);
	kill(pty.pid, SIGTERM);
	pty_wait_exit(&pty, true);
	assert_int_equal(access(socket, F_OK), -1);
	pty_close(&pty);
}

/* A minimal shell with job control: executes single-byte orders and answers when its job stops. */
struct shell {
	const char **argv;
	int order[2], answer[2];
};

static void terminal_give(pid_t group)
{
	signal(SIGTTOU, SIG_IGN);
	tcsetpgrp(STDIN_FILENO, group);
	signal(SIGTTOU, SIG_DFL);
}

static int shell_run(void *data)
{
	struct shell *sh = data;
	pid_t job = fork();
	int status = 0;
	char order;

	if (!job) {
		setpgid(0, 0);
		/* The order says if the job starts in the foreground. */
		if (read(sh->order[0], &order, 1) != 1)
			_exit(9);
		if (order == 'f')
			terminal_give(getpid());
		execv(sh->argv[0], (char **)(uintptr_t)sh->argv);
		_exit(127);
	}
	setpgid(job, job);
	while (waitpid(job, &status, WUNTRACED) == job && WIFSTOPPED(status)) {
		terminal_give(getpid());
		if (write(STDOUT_FILENO, "in the shell", 12) != 12 ||
		    write(sh->answer[1], &(int){ WSTOPSIG(status) }, sizeof(int)) < 0 ||
		    read(sh->order[0], &order, 1) != 1)
			return 7;
		if (order == 'f')
			terminal_give(job);
		kill(-job, SIGCONT);
		if (order != 'f' && read(sh->order[0], &order, 1) == 1 && order == 'f')
			terminal_give(job);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 6;
}

static void shell_start(struct shell *sh, struct pty *pty, bool in_front)
{
	static const char *argv[] = { NULL, spec, NULL };
	static const char *const settings[] = { "XDG_CONFIG_HOME=/nowhere", "TZ=UTC", NULL };

	argv[0] = program_path();
	sh->argv = argv;
	assert_int_equal(pipe2(sh->order, O_CLOEXEC) | pipe2(sh->answer, O_CLOEXEC), 0);
	pty_call(pty, shell_run, sh, settings, 120, 40);
	assert_int_equal(write(sh->order[1], in_front ? "f" : "b", 1), 1);
}

static void shell_order(struct shell *sh, char order)
{
	assert_int_equal(write(sh->order[1], &order, 1), 1);
}

/* Return the signal that stopped the job. */
static int shell_answer(struct shell *sh)
{
	struct pollfd fd = { .fd = sh->answer[0], .events = POLLIN };
	int signo;

	if (poll(&fd, 1, PROGRAM_DEADLINE_MS) <= 0)
		fail_msg("the job was not stopped");
	assert_int_equal(read(sh->answer[0], &signo, sizeof(signo)), sizeof(signo));
	return signo;
}

static void shell_end(struct shell *sh, struct pty *pty)
{
	pty_send(pty, "q");
	assert_int_equal(pty_wait_exit(pty, true), 0);
	assert_true(pty_is_restored(pty));
	pty_close(pty);
	for (int i = 0; i < 2; i++) {
		close(sh->order[i]);
		close(sh->answer[i]);
	}
}

static void ctrl_z_stops_it_and_fg_continues_it_at_the_new_size(void **state)
{
	struct shell sh;
	struct pty pty;

	(void)state;
	shell_start(&sh, &pty, true);
	pty_wait(&pty, "Nothing has been traced yet");
	pty_send(&pty, "\x1a");
	assert_int_equal(shell_answer(&sh), SIGTSTP);
	pty_wait(&pty, "in the shell");
	assert_true(pty_is_restored(&pty));
	assert_int_equal(access(path, F_OK), -1);
	pty_resize(&pty, 80, 24);
	shell_order(&sh, 'f');
	pty_wait(&pty, "gap ");
	pty_wait(&pty, "[1 Processes");
	pty_wait_gone(&pty, "? help  q quit");
	assert_int_equal(access(path, F_OK), 0);
	shell_end(&sh, &pty);
}

#define SMCUP "\033[?1049h"

static size_t nr_times(struct pty *pty, const char *bytes)
{
	const char *at = tr2_buf_cstr(&pty->raw);
	size_t nr = 0;

	while ((at = strstr(at, bytes))) {
		at += strlen(bytes);
		nr++;
	}
	return nr;
}

static void continued_in_the_background_it_reads_and_does_not_draw(void **state)
{
	struct path_watch watch;
	struct shell sh;
	struct pty pty;
	int fd;

	(void)state;
	shell_start(&sh, &pty, true);
	pty_wait(&pty, "Nothing has been traced yet");
	pty_send(&pty, "\x1a");
	shell_answer(&sh);
	pty_wait(&pty, "in the shell");
	path_watch_open(&watch, path);
	shell_order(&sh, 'b');
	path_wait(&watch, true);
	path_watch_close(&watch);
	while ((fd = try_connect()) < 0)
		/* between bind() and listen() connections are refused */
		assert_int_equal(errno, ECONNREFUSED);
	for (int i = 0; i < 2000; i++)
		assert_true(put_string(fd, "behind"));
	while (pty_feed(&pty, 0))
		;
	assert_int_equal(nr_times(&pty, SMCUP), 1);
	assert_true(pty_is_restored(&pty));
	shell_order(&sh, 'f');
	pty_wait(&pty, "behind");
	close(fd);
	shell_end(&sh, &pty);
}

static void started_in_the_background_it_waits_for_fg(void **state)
{
	struct shell sh;
	struct pty pty;

	(void)state;
	shell_start(&sh, &pty, false);
	assert_int_equal(shell_answer(&sh), SIGTTOU);
	pty_wait(&pty, "in the shell");
	assert_int_equal(nr_times(&pty, SMCUP), 0);
	assert_int_equal(access(path, F_OK), -1);
	shell_order(&sh, 'f');
	pty_wait(&pty, "Nothing has been traced yet");
	shell_end(&sh, &pty);
}

/* In a terminal window without a shell the user could not continue the program after Ctrl-Z. */
static void enter_continues_without_a_shell(void **state)
{
	struct pty pty;
	int status;

	(void)state;
	start_socket(&pty);
	for (int i = 0; i < 2; i++) {
		pty_send(&pty, "\x1a");
		assert_int_equal(waitpid(pty.pid, &status, WUNTRACED), pty.pid);
		assert_true(WIFSTOPPED(status));
		assert_true(pty_is_restored(&pty));
		while (nr_times(&pty, "press Enter") <= (size_t)i)
			assert_true(pty_feed(&pty, PROGRAM_DEADLINE_MS));
		assert_int_equal(access(path, F_OK), -1);
		pty_send(&pty, i ? "\x03" : "\r");
		if (!i)
			pty_wait(&pty, "gap ");
	}
	pty_wait_exit(&pty, true);
	assert_int_equal(access(path, F_OK), -1);
	pty_close(&pty);
}

/* Ctrl-S stops the output; the program draws more than the terminal buffers. */
static void hold(struct pty *pty)
{
	pty_send(pty, "\x13");
	for (int k = 0; k < 40; k++)
		pty_send(pty, k % 2 ? "\t" : "?");
}

static void a_stopped_terminal_delays_no_writer(void **state)
{
	struct pty pty;
	int fd, status;

	(void)state;
	start_socket(&pty);
	hold(&pty);
	fd = try_connect();
	assert_true(fd >= 0);
	/* A socket that is not read buffers far fewer lines. */
	for (int i = 0; i < 20000; i++)
		assert_true(put_string(fd, "while-held"));
	kill(pty.pid, SIGTERM);
	status = pty_wait_exit(&pty, false);
	assert_true(WIFEXITED(status) || WTERMSIG(status) == SIGTERM);
	assert_true(pty_is_restored(&pty));
	assert_int_equal(access(path, F_OK), -1);
	assert_false(put_string(fd, "afterwards"));
	close(fd);
	pty_close(&pty);
}

static void a_killed_screen_blocks_no_writer_and_the_next_cleans_up(void **state)
{
	struct pty pty;
	pid_t pid;
	int fd;

	(void)state;
	start_socket(&pty);
	pid = writer();
	pty_wait(&pty, "busy");
	kill(pty.pid, SIGKILL);
	pty_wait_exit(&pty, true);
	assert_writer_ends(pid);
	assert_int_equal(try_connect(), -1);
	assert_int_equal(errno, ECONNREFUSED);
	pty_close(&pty);
	start_socket(&pty);
	fd = try_connect();
	assert_true(fd >= 0 && put_string(fd, "next"));
	pty_wait(&pty, "next");
	close(fd);
	end(&pty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(stopping_frees_writers_and_continuing_listens_again),
		TEST(stopping_stops_the_command_and_leaves_its_socket),
		TEST(ctrl_z_stops_it_and_fg_continues_it_at_the_new_size),
		TEST(continued_in_the_background_it_reads_and_does_not_draw),
		TEST(started_in_the_background_it_waits_for_fg),
		TEST(enter_continues_without_a_shell),
		TEST(a_stopped_terminal_delays_no_writer),
		TEST(a_killed_screen_blocks_no_writer_and_the_next_cleans_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
