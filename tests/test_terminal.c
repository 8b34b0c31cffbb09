/* SPDX-License-Identifier: MIT */
/* Tests of the terminal thread on a pseudo-terminal. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monitor/base/die.h"
#include "tests/pty.h"
#include "views/terminal/terminal.h"

#define RMCUP "\033[?1049l"
#define SMCUP "\033[?1049h"

static bool slow_restore; /* the terminal thread is delayed while it restores the terminal */
static bool slow_death;   /* the first thread is delayed some milliseconds while it dies */

int __real_tcsetattr(int fd, int how, const struct termios *termios);
int __wrap_tcsetattr(int fd, int how, const struct termios *termios);

int __wrap_tcsetattr(int fd, int how, const struct termios *termios)
{
	int result = __real_tcsetattr(fd, how, termios);

	if (slow_restore && gettid() != getpid() && termios->c_lflag & ICANON)
		poll(NULL, 0, 150); /* longer than terminal_stop() waits once */
	if (slow_death && gettid() == getpid())
		poll(NULL, 0, 3);
	return result;
}

struct program {
	struct terminal_config config;
	bool flood;   /* draw continuously */
	bool slow;    /* set slow_restore when quitting */
	bool dies;    /* die of a signal, with slow_death */
	bool stopped; /* stop the terminal's output before the screen starts */
	int nr_left;  /* frames to draw before the program ends; 0: no limit */
	int pipe[2];
	struct terminal *terminal;
	struct surface *surface;
	char last[64];
	unsigned nr_frames;
	bool quit;
};

static void wake(void *data)
{
	struct program *program = data;
	ssize_t n = write(program->pipe[1], "", 1);

	(void)n;
}

static void show(struct program *program)
{
	struct surface *surface = program->surface;

	surface_clear(surface);
	surface_printf(surface, 0, 0, surface->cols, STYLE_LIVE, "size %dx%d", surface->cols,
		       surface->rows);
	surface_printf(surface, 0, 1, surface->cols, STYLE_FAILED, "key %s", program->last);
	surface_text(surface, 0, 2, surface->cols, STYLE_TEXT, "wide 目録 e\xcc\x81 end \033[31m",
		     SIZE_MAX);
	for (int y = 3; program->flood && y < surface->rows; y++)
		for (int x = 0; x < surface->cols; x++)
			surface_printf(surface, x, y, 1, STYLE_TEXT, "%c",
				       'a' + (int)((program->nr_frames + (unsigned)(x * y)) % 26));
	program->nr_frames++;
	terminal_show(program->terminal, surface);
}

static void act(struct program *program, const struct key_event *key)
{
	struct tr2_buf name;

	tr2_buf_init(&name, 64);
	key_text(key->key, &name);
	snprintf(program->last, sizeof(program->last), "<%s%s>", key->pasted ? "pasted " : "",
		 tr2_buf_cstr(&name));
	if (key->key == KEY_CODE_MOUSE)
		snprintf(program->last, sizeof(program->last), "<%s %d,%d>",
			 key->button == MOUSE_DRAG ? "drag" : "mouse", key->x, key->y);
	tr2_buf_release(&name);
	if (key->key == 'q' && !key->pasted)
		program->quit = true;
	if (key->key == 'T')
		terminal_set_look(program->terminal,
				  (struct terminal_look){ .theme = THEME_SIXTEEN,
							  .colour = COLOUR_ALWAYS,
							  .mouse = true });
	if (key->key == 'D')
		die("as it was told");
	if (key->key == 'R') {
		terminal_restore();
		program->flood = true;
		program->nr_left = 50;
	}
	if (key->key == 'Z') {
		terminal_suspend(program->terminal);
		if (write(STDOUT_FILENO, "in the shell", 12) != 12)
			exit(9);
		terminal_resume(program->terminal);
	}
}

/* Exit the program once the terminal is set to O_NONBLOCK: other users of it, such as a shell, do
 * not expect EAGAIN. */
static void *watch_flags(void *data)
{
	(void)data;
	while (!(fcntl(STDOUT_FILENO, F_GETFL) & O_NONBLOCK))
		;
	_exit(5);
}

static void be_killed(void)
{
	pthread_t thread;

	slow_death = true;
	if (pthread_create(&thread, NULL, watch_flags, NULL))
		_exit(6);
	die("of a signal");
}

static void take_signal(struct program *program, int fd)
{
	struct signalfd_siginfo info;
	int cols, rows;

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo != SIGWINCH) {
		if (program->dies)
			be_killed();
		program->quit = true;
		return;
	}
	terminal_size(&cols, &rows);
	surface_resize(program->surface, cols, rows);
	terminal_resize(program->terminal, cols, rows);
}

static int run(void *data)
{
	struct program *program = data;
	struct pollfd fds[2] = { { .events = POLLIN }, { .events = POLLIN } };
	struct key_event key;
	sigset_t signals;
	int cols, rows;
	char why[128], drain[64];

	setlocale(LC_ALL, "");
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGWINCH);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	fds[0].fd = signalfd(-1, &signals, 0);
	if (pipe(program->pipe))
		return 9;
	fds[1].fd = program->pipe[0];
	program->config.wake = wake;
	program->config.wake_data = program;
	terminal_size(&cols, &rows);
	program->surface = surface_new(cols, rows, false);
	if (program->stopped && (write(STDOUT_FILENO, "before", 6) != 6 || tcdrain(STDOUT_FILENO) ||
				 tcflow(STDOUT_FILENO, TCOOFF)))
		return 6;
	program->terminal = terminal_start(&program->config, why, sizeof(why));
	if (!program->terminal)
		return 8;
	while (!program->quit) {
		show(program);
		if (program->nr_left && !--program->nr_left)
			break;
		if (poll(fds, 2, program->flood ? 1 : -1) < 0)
			continue;
		if (fds[0].revents)
			take_signal(program, fds[0].fd);
		if (fds[1].revents && read(program->pipe[0], drain, sizeof(drain)) < 0)
			return 7;
		while (terminal_next_key(program->terminal, &key))
			act(program, &key);
	}
	slow_restore = program->slow;
	terminal_stop(program->terminal);
	surface_free(program->surface);
	return 0;
}

static void draws_surfaces_and_returns_keys(void **state)
{
	struct program program = { 0 };
	struct pty pty;

	(void)state;
	pty_call(&pty, run, &program, NULL, 60, 12);
	pty_wait(&pty, "size 60x12");
	pty_wait(&pty, "wide 目録 e\xcc\x81 end ^[[31m");
	pty_send(&pty, "j");
	pty_wait(&pty, "<j>");
	pty_send(&pty, "\033OA");
	pty_wait(&pty, "<Up>");
	pty_send(&pty, "\033[6~");
	pty_wait(&pty, "<PgDn>");
	pty_send(&pty, "\033OP");
	pty_wait(&pty, "<F1>");
	pty_send(&pty, "\x03");
	pty_wait(&pty, "<C-c>");
	pty_send(&pty, "\033");
	pty_wait(&pty, "<Esc>");
	pty_send(&pty, "ü");
	pty_wait(&pty, "<ü>");
	pty_close(&pty);
}

static void resizing_redraws_at_the_new_size(void **state)
{
	struct program program = { 0 };
	struct pty pty;

	(void)state;
	pty_call(&pty, run, &program, NULL, 60, 12);
	pty_wait(&pty, "size 60x12");
	pty_resize(&pty, 100, 30);
	pty_wait(&pty, "size 100x30");
	pty_resize(&pty, 40, 10);
	pty_wait(&pty, "size 40x10");
	pty_close(&pty);
}

static void quitting_restores_the_terminal(void **state)
{
	struct program program = { .config = { .look = { .mouse = true } } };
	struct pty pty;

	(void)state;
	pty_call(&pty, run, &program, NULL, 60, 12);
	pty_wait(&pty, "size 60x12");
	assert_false(pty_is_restored(&pty));
	assert_true(pty_wrote(&pty, SMCUP));
	pty_send(&pty, "q");
	assert_int_equal(pty_wait_exit(&pty, true), 0);
	assert_true(pty_is_restored(&pty));
	assert_true(pty_wrote(&pty, RMCUP));
	assert_true(pty_wrote(&pty, "\033[?2004l"));
	pty_close(&pty);
}

/* On a busy machine the terminal thread may be late without hanging. Flushing the terminal then
 * would discard its output and undo the restored state. */
static void quitting_slowly_restores_the_terminal_too(void **state)
{
	struct program program = { .slow = true };
	struct pty pty;

	(void)state;
	pty_call(&pty, run, &program, NULL, 60, 12);
	pty_wait(&pty, "size 60x12");
	pty_send(&pty, "q");
	assert_int_equal(pty_wait_exit(&pty, false), 0);
	assert_true(pty_is_restored(&pty));
	assert_true(pty_wrote(&pty, RMCUP));
	pty_close(&pty);
}

static void dying_restores_the_terminal_first(void **state)
{
	struct program program = { 0 };
	struct pty pty;
	const char *line, *rmcup;

	(void)state;
	pty_call(&pty, run, &program, NULL, 60, 12);
	pty_wait(&pty, "size 60x12");
	pty_send(&pty, "D");
	int status = pty_wait_exit(&pty, true);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 2);
	assert_true(pty_is_restored(&pty));
	rmcup = strstr(tr2_buf_cstr(&pty.raw), RMCUP);
	line = strstr(tr2_buf_cstr(&pty.raw), "trace2top: as it was told");
	assert_non_null(rmcup);
	assert_non_null(line);
	assert_true(line > rmcup);
	pty_close(&pty);
}

static void suspending_restores_the_terminal(void **state)
{
	struct program program = { 0 };
	const char *away, *shell;
	struct pty pty;

	(void)state;
	pty_call(&pty, run, &program, NULL, 60, 12);
	pty_wait(&pty, "size 60x12");
	pty_send(&pty, "Z");
	pty_wait(&pty, "<Z>");
	away = strstr(tr2_buf_cstr(&pty.raw), RMCUP);
	assert_non_null(away);
	shell = strstr(away, "in the shell");
	assert_non_null(shell);
	assert_non_null(strstr(shell, SMCUP));
	pty_send(&pty, "q");
	assert_int_equal(pty_wait_exit(&pty, true), 0);
	assert_true(pty_is_restored(&pty));
	pty_close(&pty);
}

static void wait_until_full(const struct pty *pty)
{
	struct pollfd out = { .fd = pty->slave, .events = POLLOUT };

	int full = 0;

	/* The kernel moves bytes to the reader's side for a while. */
	for (int i = 0; i < PTY_DEADLINE_MS / 10 && full < 5; i++) {
		full = poll(&out, 1, 0) > 0 ? 0 : full + 1;
		poll(NULL, 0, 10);
	}
	assert_int_equal(full, 5);
}

/* Nothing reads the pty, so it fills and the terminal thread blocks in write(2). The signal ends
 * the program nevertheless. */
static void end_unread(int signo, bool stopped, bool dies)
{
	struct program program = { .flood = true, .dies = dies };
	struct pty pty;
	int status;

	pty_call(&pty, run, &program, NULL, 200, 60);
	pty_wait(&pty, "size 200x60");
	if (stopped)
		pty_send(&pty, "\x13");
	wait_until_full(&pty);
	kill(pty.pid, signo);
	status = pty_wait_exit(&pty, false);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), dies ? 2 : 0);
	assert_true(pty_is_restored(&pty));
	assert_true(pty_wrote(&pty, RMCUP));
	pty_close(&pty);
}

static void sigterm_ends_the_program_on_an_unread_terminal(void **state)
{
	(void)state;
	end_unread(SIGTERM, false, false);
}

static void sighup_ends_the_program_on_a_stopped_terminal(void **state)
{
	(void)state;
	end_unread(SIGHUP, true, false);
}

static void sigterm_ends_a_start_on_a_stopped_terminal(void **state)
{
	struct program program = { .stopped = true };
	struct pty pty;
	int status;

	(void)state;
	pty_call(&pty, run, &program, NULL, 60, 12);
	pty_wait(&pty, "before");
	kill(pty.pid, SIGTERM);
	status = pty_wait_exit(&pty, true);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_true(pty_is_restored(&pty));
	pty_close(&pty);
}

/* The thread that draws blocks in write(2) and continues once there is space. */
static void dying_restores_an_unread_terminal(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		end_unread(SIGTERM, i % 2, true);
}

/* A pending frame would overwrite the shell's prompt. */
static void draws_nothing_after_restoring(void **state)
{
	struct program program = { 0 };
	const char *rmcup;
	struct pty pty;

	(void)state;
	pty_call(&pty, run, &program, NULL, 60, 12);
	pty_wait(&pty, "size 60x12");
	pty_send(&pty, "R");
	assert_int_equal(pty_wait_exit(&pty, true), 0);
	assert_true(pty_is_restored(&pty));
	rmcup = strstr(tr2_buf_cstr(&pty.raw), RMCUP);
	assert_non_null(rmcup);
	assert_null(strstr(rmcup, "<R>"));
	pty_close(&pty);
}

static void colour_follows_the_option(void **state)
{
	static const struct {
		int colour;
		const char *env[3];
		bool coloured;
	} cases[] = {
		{ COLOUR_AUTO, { NULL }, true },
		{ COLOUR_AUTO, { "NO_COLOR=1" }, false },
		{ COLOUR_AUTO, { "NO_COLOR=" }, true },
		{ COLOUR_ALWAYS, { "NO_COLOR=1" }, true },
		{ COLOUR_NEVER, { NULL }, false },
		{ COLOUR_AUTO, { "TERM=vt100" }, false },
		{ COLOUR_AUTO, { "CLICOLOR=1" }, true },
		{ COLOUR_AUTO, { "CLICOLOR=0" }, false },
		{ COLOUR_AUTO, { "CLICOLOR=0", "CLICOLOR_FORCE=1" }, true },
		{ COLOUR_AUTO, { "CLICOLOR=0", "CLICOLOR_FORCE=0" }, false },
		{ COLOUR_AUTO, { "NO_COLOR=1", "CLICOLOR_FORCE=1" }, false },
		{ COLOUR_ALWAYS, { "CLICOLOR=0" }, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct program program = { .config = { .look = { .colour = cases[i].colour } } };
		struct pty pty;

		pty_call(&pty, run, &program, cases[i].env, 60, 12);
		pty_wait(&pty, "size 60x12");
		assert_int_equal(pty_wrote(&pty, "38;5;"), cases[i].coloured);
		pty_close(&pty);
	}
}

static void unknown_terminals_are_refused_with_a_reason(void **state)
{
	static const char *const env[] = { "TERM=no-such-terminal", NULL };
	struct program program = { 0 };
	struct pty pty;
	int status;

	(void)state;
	pty_call(&pty, run, &program, env, 60, 12);
	status = pty_wait_exit(&pty, true);
	assert_int_equal(WEXITSTATUS(status), 8);
	assert_true(pty_is_restored(&pty));
	pty_close(&pty);
}

static void mouse_events_have_their_cell(void **state)
{
	struct program program = { .config = { .look = { .mouse = true } } };
	struct pty pty;

	(void)state;
	pty_call(&pty, run, &program, NULL, 60, 12);
	pty_wait(&pty, "size 60x12");
	pty_send(&pty, "\033[<0;8;4M");
	pty_wait(&pty, "<mouse 7,3>");
	pty_send(&pty, "\033[<32;12;5M");
	pty_wait(&pty, "<drag 11,4>");
	pty_close(&pty);
}

static void distinguishes_pasted_text_from_keys(void **state)
{
	struct program program = { 0 };
	struct pty pty;

	(void)state;
	pty_call(&pty, run, &program, NULL, 60, 12);
	pty_wait(&pty, "size 60x12");
	assert_true(pty_wrote(&pty, "\033[?2004h"));
	pty_send(&pty, "\033[200~q\r\003x\033[201~");
	pty_wait(&pty, "<pasted x>");
	pty_send(&pty, "j");
	pty_wait(&pty, "<j>");
	/* A paste without an end mark: after a pause keys work again. */
	pty_send(&pty, "\033[200~y");
	pty_wait(&pty, "<pasted y>");
	poll(NULL, 0, 1100);
	pty_send(&pty, "k");
	pty_wait(&pty, "<k>");
	pty_send(&pty, "q");
	assert_int_equal(pty_wait_exit(&pty, true), 0);
	pty_close(&pty);
}

static void sets_and_restores_the_title(void **state)
{
	static const char *const console[] = { "TERM=linux", NULL };
	struct program program = { .config = { .title = "what is watched" } };
	const char *kept, *set, *back;
	struct pty pty;

	(void)state;
	pty_call(&pty, run, &program, NULL, 60, 12);
	pty_wait(&pty, "size 60x12");
	kept = strstr(tr2_buf_cstr(&pty.raw), "\033[22;2t");
	assert_non_null(kept);
	set = strstr(kept, "\033]2;what is watched\007");
	assert_non_null(set);
	assert_null(strstr(set, "\033[23;2t"));
	pty_send(&pty, "q");
	assert_int_equal(pty_wait_exit(&pty, true), 0);
	back = strstr(tr2_buf_cstr(&pty.raw), "\033[23;2t");
	assert_non_null(back);
	pty_close(&pty);
	pty_call(&pty, run, &program, console, 60, 12);
	pty_wait(&pty, "size 60x12");
	assert_false(pty_wrote(&pty, "\033]2;"));
	pty_close(&pty);
}

static void changed_looks_are_drawn_at_once(void **state)
{
	struct program program = { .config = { .look = { .colour = COLOUR_ALWAYS } } };
	struct pty pty;

	(void)state;
	pty_call(&pty, run, &program, NULL, 60, 12);
	pty_wait(&pty, "size 60x12");
	assert_true(pty_wrote(&pty, "38;5;"));
	assert_false(pty_wrote(&pty, "\033[31m"));
	pty_send(&pty, "T");
	pty_wait(&pty, "<T>");
	assert_true(pty_wrote(&pty, "\033[31m")); /* the style "failed" with 16 colours */
	pty_send(&pty, "q");
	assert_int_equal(pty_wait_exit(&pty, true), 0);
	pty_close(&pty);
}

static int colour_at(struct pty *pty, int x, int y)
{
	VTermScreenCell cell;

	vterm_screen_get_cell(pty->screen, (VTermPos){ y, x }, &cell);
	return VTERM_COLOR_IS_INDEXED(&cell.fg) ? cell.fg.indexed.idx : -1;
}

static void wait_for_theme(struct pty *pty, enum theme theme)
{
	int colour = style_look(theme, STYLE_LIVE)->fg;

	for (int i = 0; colour_at(pty, 0, 0) != colour && i < PTY_DEADLINE_MS / 10; i++)
		pty_feed(pty, 10);
	assert_int_equal(colour_at(pty, 0, 0), colour);
}

#define ASKED "\033]11;?\033\\"

static void queries_and_uses_the_background(void **state)
{
	static const char *const env[] = { "TERM=xterm-256color", NULL };
	static const char *const answers[][3] = {
		{ "\033]11;rgb:ffff/ffff/ffff\033\\" },
		{ "j\033]11;rgb:fd", "fd/f6f6/", "e3e3\007" },
		{ "\033]", "11;rgb:ffff/ffff/ffff\033", "\\" },
	};
	struct pty pty;

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
		struct program program = { .config = { .look = { .colour = COLOUR_ALWAYS } } };

		pty_call(&pty, run, &program, env, 60, 12);
		pty_wait(&pty, "size 60x12");
		assert_true(pty_wrote(&pty, ASKED));
		wait_for_theme(&pty, THEME_DARK); /* the program does not wait for the answer */
		for (int n = 0; n < 3 && answers[i][n]; n++) {
			pty_send(&pty, answers[i][n]);
			pty_feed(&pty, 20); /* read, so that the next piece arrives separately */
		}
		wait_for_theme(&pty, THEME_LIGHT);
		/* No part of the answer became a key. */
		pty_wait(&pty, i == 1 ? "key <j>" : "key\n");
		pty_send(&pty, "\033");
		pty_wait(&pty, "<Esc>");
		pty_send(&pty, "q");
		assert_int_equal(pty_wait_exit(&pty, true), 0);
		assert_true(pty_is_restored(&pty));
		pty_close(&pty);
	}
}

static void uses_colorfgbg_before_the_answer(void **state)
{
	static const char *const env[] = { "TERM=xterm-256color", "COLORFGBG=0;15", NULL };
	struct program program = { .config = { .look = { .colour = COLOUR_ALWAYS } } };
	struct pty pty;

	(void)state;
	pty_call(&pty, run, &program, env, 60, 12);
	pty_wait(&pty, "size 60x12");
	wait_for_theme(&pty, THEME_LIGHT);
	pty_send(&pty, "\033]11;rgb:0000/0000/0000\007");
	wait_for_theme(&pty, THEME_DARK);
	pty_close(&pty);
}

static void sends_no_query_without_need(void **state)
{
	static const char *const env[] = { "TERM=xterm-256color", NULL };
	static const char *const linux_env[] = { "TERM=linux", NULL };
	static const struct {
		struct terminal_config config;
		const char *const *env;
	} rows[] = {
		{ { .look = { .theme = THEME_DARK, .colour = COLOUR_ALWAYS } }, env },
		{ { .look = { .colour = COLOUR_NEVER } }, env },
		{ { .look = { .colour = COLOUR_ALWAYS } }, linux_env },
	};
	struct pty pty;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct program program = { .config = rows[i].config };

		pty_call(&pty, run, &program, rows[i].env, 60, 12);
		pty_wait(&pty, "size 60x12");
		assert_false(pty_wrote(&pty, ASKED));
		pty_close(&pty);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draws_surfaces_and_returns_keys),
		cmocka_unit_test(resizing_redraws_at_the_new_size),
		cmocka_unit_test(quitting_restores_the_terminal),
		cmocka_unit_test(quitting_slowly_restores_the_terminal_too),
		cmocka_unit_test(dying_restores_the_terminal_first),
		cmocka_unit_test(suspending_restores_the_terminal),
		cmocka_unit_test(sigterm_ends_the_program_on_an_unread_terminal),
		cmocka_unit_test(sighup_ends_the_program_on_a_stopped_terminal),
		cmocka_unit_test(sigterm_ends_a_start_on_a_stopped_terminal),
		cmocka_unit_test(dying_restores_an_unread_terminal),
		cmocka_unit_test(draws_nothing_after_restoring),
		cmocka_unit_test(colour_follows_the_option),
		cmocka_unit_test(unknown_terminals_are_refused_with_a_reason),
		cmocka_unit_test(distinguishes_pasted_text_from_keys),
		cmocka_unit_test(sets_and_restores_the_title),
		cmocka_unit_test(changed_looks_are_drawn_at_once),
		cmocka_unit_test(queries_and_uses_the_background),
		cmocka_unit_test(uses_colorfgbg_before_the_answer),
		cmocka_unit_test(sends_no_query_without_need),
		cmocka_unit_test(mouse_events_have_their_cell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
