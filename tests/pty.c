/* SPDX-License-Identifier: MIT */
/* Programs on pseudo-terminals. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

#include "engine/base/clock.h"
#include "engine/base/utf8.h"

static void open_pty(struct pty *pty, int cols, int rows)
{
	struct winsize size = { .ws_col = (unsigned short)cols, .ws_row = (unsigned short)rows };

	memset(pty, 0, sizeof(*pty));
	pty->cols = cols;
	pty->rows = rows;
	tr2_buf_init(&pty->raw, 64 << 20);
	pty->vterm = vterm_new(rows, cols);
	vterm_set_utf8(pty->vterm, 1);
	pty->screen = vterm_obtain_screen(pty->vterm);
	vterm_screen_enable_altscreen(pty->screen, 1);
	vterm_screen_reset(pty->screen, 1);
	assert_int_equal(openpty(&pty->fd, &pty->slave, NULL, NULL, &size), 0);
	fcntl(pty->fd, F_SETFD, FD_CLOEXEC);
	tcgetattr(pty->slave, &pty->before);
}

static void become_child(struct pty *pty, const char *const *env)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* A shell ignores SIGINT and SIGQUIT in commands that it starts with `&`. */
	for (int signo = 1; signo < NSIG; signo++)
		signal(signo, SIG_DFL);
	close(pty->fd);
	login_tty(pty->slave);
	unsetenv("NO_COLOR");
	unsetenv("CLICOLOR");
	unsetenv("CLICOLOR_FORCE");
	unsetenv("LINES");
	unsetenv("COLUMNS");
	setenv("TERM", "xterm-256color", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	for (; env && *env; env++)
		putenv((char *)(uintptr_t)*env);
}

void pty_spawn(struct pty *pty, const char *const *argv, const char *const *env, int cols, int rows)
{
	open_pty(pty, cols, rows);
	pty->pid = fork();
	assert_true(pty->pid >= 0);
	if (pty->pid)
		return;
	become_child(pty, env);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

void pty_call(struct pty *pty, int (*function)(void *), void *data, const char *const *env,
	      int cols, int rows)
{
	open_pty(pty, cols, rows);
	pty->pid = fork();
	assert_true(pty->pid >= 0);
	if (pty->pid)
		return;
	become_child(pty, env);
	_exit(function(data));
}

void pty_close(struct pty *pty)
{
	if (pty->pid > 0) {
		kill(pty->pid, SIGKILL);
		waitpid(pty->pid, NULL, 0);
	}
	close(pty->fd);
	if (pty->slave >= 0)
		close(pty->slave);
	vterm_free(pty->vterm);
	tr2_buf_release(&pty->raw);
}

bool pty_feed(struct pty *pty, int ms)
{
	struct pollfd fd = { .fd = pty->fd, .events = POLLIN };
	char bytes[8192];
	ssize_t n;

	if (poll(&fd, 1, ms) <= 0 || !(fd.revents & POLLIN))
		return false;
	n = read(pty->fd, bytes, sizeof(bytes));
	if (n <= 0)
		return false;
	tr2_buf_add(&pty->raw, bytes, (size_t)n);
	vterm_input_write(pty->vterm, bytes, (size_t)n);
	return true;
}

const char *pty_text(struct pty *pty)
{
	static struct tr2_buf out = { .max = 1 << 22 };

	tr2_buf_clear(&out);
	for (int y = 0; y < pty->rows; y++) {
		size_t end = out.len;

		for (int x = 0; x < pty->cols; x++) {
			VTermScreenCell cell;
			char bytes[4];

			vterm_screen_get_cell(pty->screen, (VTermPos){ y, x }, &cell);
			if (cell.chars[0] == UINT32_MAX)
				continue;
			for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i]; i++)
				tr2_buf_add(&out, bytes, tr2_utf8_encode(cell.chars[i], bytes));
			if (!cell.chars[0])
				tr2_buf_addch(&out, ' ');
			else if (cell.chars[0] != ' ')
				end = out.len;
		}
		out.len = end;
		tr2_buf_addch(&out, '\n');
	}
	return tr2_buf_cstr(&out);
}

static bool comes(struct pty *pty, const char *text, bool there, int ms)
{
	ns_t end = tr2_clock_monotonic() + ms * NS_PER_MS;

	while ((strstr(pty_text(pty), text) != NULL) != there) {
		if (tr2_clock_monotonic() > end)
			return false;
		/* A large screen arrives in many pieces, and comparing after each would take most
		 * of the time. */
		for (int i = 0; pty_feed(pty, i ? 0 : 100) && i < 16; i++)
			;
	}
	return true;
}

static void wait_for(struct pty *pty, const char *text, bool there)
{
	if (comes(pty, text, there, PTY_DEADLINE_MS))
		return;
	print_error("waited for '%s' to %s; the screen is\n%s", text, there ? "come" : "go",
		    pty_text(pty));
	fail();
}

bool pty_comes(struct pty *pty, const char *text, int ms)
{
	return comes(pty, text, true, ms);
}

void pty_wait(struct pty *pty, const char *text)
{
	wait_for(pty, text, true);
}

void pty_wait_gone(struct pty *pty, const char *text)
{
	wait_for(pty, text, false);
}

bool pty_wrote(const struct pty *pty, const char *bytes)
{
	return pty->raw.len && memmem(pty->raw.data, pty->raw.len, bytes, strlen(bytes));
}

void pty_wait_wrote(struct pty *pty, const char *bytes)
{
	ns_t end = tr2_clock_monotonic() + PTY_DEADLINE_MS * NS_PER_MS;

	while (!pty_wrote(pty, bytes)) {
		if (tr2_clock_monotonic() > end)
			fail_msg("waited for the bytes '%s'; the screen is\n%s",
				 bytes + (*bytes < ' '), pty_text(pty));
		pty_feed(pty, 100);
	}
}

void pty_send(struct pty *pty, const char *bytes)
{
	size_t len = strlen(bytes);

	assert_int_equal(write(pty->fd, bytes, len), (ssize_t)len);
}

void pty_resize(struct pty *pty, int cols, int rows)
{
	struct winsize size = { .ws_col = (unsigned short)cols, .ws_row = (unsigned short)rows };

	while (pty_feed(pty, 0))
		;
	pty->cols = cols;
	pty->rows = rows;
	vterm_set_size(pty->vterm, rows, cols);
	ioctl(pty->fd, TIOCSWINSZ, &size);
}

int pty_wait_exit(struct pty *pty, bool reading)
{
	ns_t end = tr2_clock_monotonic() + PTY_DEADLINE_MS * NS_PER_MS;
	struct pollfd behind = { .fd = pty->slave, .events = POLLOUT };
	int status = 0;

	while (waitpid(pty->pid, &status, WNOHANG) == 0) {
		if (tr2_clock_monotonic() > end) {
			print_error("it has not ended within %d ms\n", PTY_DEADLINE_MS);
			fail();
		}
		if (!reading || !pty_feed(pty, 10))
			poll(NULL, 0, 5);
	}
	pty->pid = 0;
	while (pty_feed(pty, 0))
		;
	/* The program's last output may still be in the kernel. A NUL byte written to the slave
	 * side arrives after that output. */
	if (poll(&behind, 1, 0) > 0 && write(pty->slave, "", 1) == 1)
		while (pty_feed(pty, PTY_DEADLINE_MS) && pty->raw.data[pty->raw.len - 1])
			;
	return status;
}

bool pty_is_restored(struct pty *pty)
{
	struct termios now;

	return tcgetattr(pty->slave, &now) == 0 && now.c_iflag == pty->before.c_iflag &&
	       now.c_oflag == pty->before.c_oflag && now.c_cflag == pty->before.c_cflag &&
	       now.c_lflag == pty->before.c_lflag &&
	       !memcmp(now.c_cc, pty->before.c_cc, sizeof(now.c_cc));
}
