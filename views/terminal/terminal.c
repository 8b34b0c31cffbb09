/* SPDX-License-Identifier: MIT */
/*
 * The terminal thread: it sets curses up, reads keys (input.c), draws (paint.c) and restores the
 * terminal (restore.c). The loop fills the mailbox and writes to a pipe.
 *
 * `wish` is the state that the loop wants, `is` the state that the thread has reached. Both are
 * initially RUN and are written under the lock. The thread sets `is` after the terminal has reached
 * that state: restored before SUSPEND and STOP, set up again before RUN, handed to the command
 * before LEND.
 *
 * If the terminal accepts no bytes, the thread may block in write(2). While the loop waits for
 * SUSPEND, STOP or LEND, it then flushes pending output and interrupts write(2) with a signal, but
 * not while the thread restores the terminal: the restore sequence would be flushed, too. If
 * terminal_stop() cannot unblock the thread, it abandons the thread with its memory.
 */
#include "config.h"

#include "views/terminal/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

#include "engine/base/clock.h"
#include "monitor/base/die.h"
#include "monitor/base/platform.h"
#include "monitor/base/thread_signals.h"
#include "views/terminal/clipboard.h"
#include "views/terminal/foreground.h"
#include "views/terminal/input.h"
#include "views/terminal/modes.h"
#include "views/terminal/paint.h"
#include "views/terminal/restore.h"

#define FREE_SIGNAL  SIGUSR1 /* signal that interrupts the thread's write(2) */
#define QUEUE_KEYS   1024
#define STOP_WAIT_NS (100 * 1000000L)
/* Limits of further waits for the thread: while it is blocked, and in total. */
#define STOP_WAITS_HUNG 5
#define STOP_WAITS_LATE 50

enum wish { WISH_RUN, WISH_SUSPEND, WISH_LEND, WISH_STOP };

struct terminal {
	struct terminal_config config;
	char *title;
	pthread_t thread;
	/* pipe from the loop to the thread: a byte wakes the thread */
	int poke[2];
	int in_fd, out_fd;
	struct termios was; /* original modes of the terminal, which restoring sets again */
	FILE *in, *out;
	SCREEN *screen;
	/* Locked by the thread while it restores the terminal, and by the loop while it unblocks
	 * the thread. */
	pthread_mutex_t restoring;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* The lock orders the accesses of the loop and the thread to the next members, up to
	 * `failed`. */
	struct surface *mail; /* the latest surface to show, or NULL */
	struct surface *spare;
	int wish; /* enum wish: state that the loop wants */
	int is;   /* enum wish: state that the thread has reached */
	bool repaint, new_look;
	struct terminal_look look;
	int cols, rows; /* new size of the terminal; 0: unchanged */
	char *copy;
	struct terminal_foreground lent_to;
	struct key_event keys[QUEUE_KEYS];
	unsigned key_head, key_tail;
	char why[128];
	bool begun, failed;
	atomic_bool gone;
	/* The next members are owned by the thread. */
	struct surface *shown;
	struct input input;
	struct paint paint;
	struct foreground foreground;
	bool has_title; /* there is a title, and the terminal can show it */
	bool has_asked;
};

static void prepare_restore(const struct terminal *terminal)
{
	restore_begin(terminal->out_fd, &terminal->was);
	restore_add("\033[?2004l");
	if (terminal->has_title)
		restore_add(TITLE_BACK);
	/* Turn mouse reports off in any case: the user may turn them on later. */
	restore_add("\033[?1000l\033[?1002l\033[?1006l");
	restore_add(tigetstr("sgr0"));
	restore_add(tigetstr("rmcup"));
	restore_add(tigetstr("cnorm"));
	restore_add(tigetstr("rmkx"));
}

static void push_key(void *data, const struct key_event *key)
{
	struct terminal *terminal = data;

	pthread_mutex_lock(&terminal->lock);
	if (terminal->key_tail - terminal->key_head < QUEUE_KEYS)
		terminal->keys[terminal->key_tail++ % QUEUE_KEYS] = *key;
	pthread_mutex_unlock(&terminal->lock);
	terminal->config.wake(terminal->config.wake_data);
}

static void extra(const struct terminal *terminal, const char *bytes)
{
	fputs(bytes, terminal->out);
	fflush(terminal->out);
}

static void set_modes(const struct terminal *terminal)
{
	modes_set(terminal->out, &terminal->was);
	modes_set_look(terminal->out, &terminal->config.look);
	if (terminal->has_title)
		modes_set_title(terminal->out, terminal->title);
}

static bool set_up(struct terminal *terminal)
{
	const char *term = getenv("TERM");
	struct winsize size;
	int cols, rows;

	terminal_size(&cols, &rows);
	/* Let curses ignore a size above the limit, because it stores sizes in shorts. */
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && (size.ws_col > cols || size.ws_row > rows))
		use_env(FALSE);
	terminal->screen = newterm(NULL, terminal->out, terminal->in);
	if (!terminal->screen) {
		snprintf(terminal->why, sizeof(terminal->why),
			 "unknown terminal type '%s': set TERM, or use --lines for plain output, "
			 "or --once for a report",
			 term ? term : "");
		return false;
	}
	set_term(terminal->screen);
	/* Without the capability `cup`, curses starts but cannot move the cursor. */
	if (!modes_can("cup")) {
		snprintf(terminal->why, sizeof(terminal->why),
			 "the terminal type '%s' cannot move its cursor: set TERM, or use --lines "
			 "for plain output, or --once for a report",
			 term ? term : "");
		endwin();
		return false;
	}
	if (COLS != cols || LINES != rows)
		resizeterm(rows, cols);
	input_set_up();
	terminal->has_title = terminal->title && modes_takes_title();
	prepare_restore(terminal);
	restore_arm();
	return true;
}

static void give_back(struct terminal *terminal)
{
	if (!restore_is_armed())
		return;
	extra(terminal, "\033[?2004l");
	/* Discard pending input, which may be the terminal's answer to the query: the shell would
	 * read it. */
	if (terminal->input.background.awaited &&
	    tr2_clock_monotonic() - terminal->input.background.asked_ns < NS_PER_SEC)
		tcflush(terminal->in_fd, TCIFLUSH);
	endwin();
	pthread_mutex_lock(&terminal->restoring);
	restore_now(true);
	pthread_mutex_unlock(&terminal->restoring);
}

struct mail {
	struct surface *surface;
	char *copy;
	int wish, cols, rows;
	bool repaint, new_look;
};

/* Call with the lock held. */
static void take_look(struct terminal *terminal)
{
	terminal->config.look = terminal->look;
}

static struct mail take_mail(struct terminal *terminal)
{
	struct mail mail;

	pthread_mutex_lock(&terminal->lock);
	mail = (struct mail){ terminal->mail, terminal->copy,    terminal->wish,    terminal->cols,
			      terminal->rows, terminal->repaint, terminal->new_look };
	if (mail.new_look)
		take_look(terminal);
	terminal->new_look = false;
	terminal->mail = NULL;
	terminal->copy = NULL;
	terminal->cols = terminal->rows = 0;
	terminal->repaint = false;
	pthread_mutex_unlock(&terminal->lock);
	return mail;
}

static void reach(struct terminal *terminal, int state)
{
	pthread_mutex_lock(&terminal->lock);
	terminal->is = state;
	pthread_cond_broadcast(&terminal->changed);
	pthread_mutex_unlock(&terminal->lock);
}

static void keep_shown(struct terminal *terminal, struct surface *surface)
{
	pthread_mutex_lock(&terminal->lock);
	if (!terminal->spare) {
		terminal->spare = terminal->shown;
		terminal->shown = NULL;
	}
	pthread_mutex_unlock(&terminal->lock);
	surface_free(terminal->shown);
	terminal->shown = surface;
}

void terminal_repaint(struct terminal *terminal)
{
	pthread_mutex_lock(&terminal->lock);
	terminal->repaint = true;
	pthread_mutex_unlock(&terminal->lock);
}

static void choose_look(struct terminal *terminal)
{
	enum theme theme = theme_for((enum theme)terminal->config.look.theme,
				     terminal->input.background.light);

	paint_start(&terminal->paint, (int)theme, terminal->config.look.colour);
	/* Query the background only if the theme depends on it and the terminal probably supports
	 * this; others might show the query as text. */
	if (terminal->config.look.theme == THEME_AUTO && terminal->paint.colour &&
	    !terminal->has_asked && modes_takes_title()) {
		terminal->has_asked = true;
		extra(terminal, background_ask(&terminal->input.background, tr2_clock_monotonic()));
	}
}

static void copy_out(const struct terminal *terminal, char *text)
{
	char *bytes = text && modes_takes_title() ? clipboard_sequence(text) : NULL;

	if (bytes)
		extra(terminal, bytes);
	free(bytes);
	free(text);
}

/* Restore the terminal if the screen or a command has it; then set it up for `wish`. */
static void hand_over(struct terminal *terminal, int wish)
{
	if (terminal->is == WISH_LEND) {
		foreground_end(&terminal->foreground);
		pthread_mutex_lock(&terminal->restoring);
		restore_now(true);
		pthread_mutex_unlock(&terminal->restoring);
	}
	if (terminal->is == WISH_RUN)
		give_back(terminal);
	if (wish == WISH_LEND) {
		restore_arm_with(GUEST_LEAVES);
		foreground_begin(&terminal->foreground, &terminal->lent_to, terminal->in_fd,
				 terminal->out_fd);
	}
	if (wish == WISH_RUN) {
		restore_arm();
		refresh();
		set_modes(terminal);
	}
	reach(terminal, wish);
}

static bool obey(struct terminal *terminal)
{
	struct mail mail = take_mail(terminal);

	copy_out(terminal, mail.copy);
	if (mail.wish == WISH_STOP) {
		if (terminal->is == WISH_LEND)
			hand_over(terminal, WISH_SUSPEND);
		surface_free(mail.surface);
		return false;
	}
	if (mail.wish != terminal->is) {
		mail.repaint |= mail.wish == WISH_RUN;
		hand_over(terminal, mail.wish);
	}
	if (mail.cols && (mail.cols != COLS || mail.rows != LINES))
		resizeterm(mail.rows, mail.cols);
	if (mail.cols && terminal->is == WISH_LEND)
		foreground_resized(&terminal->foreground);
	if (mail.new_look) {
		choose_look(terminal);
		if (terminal->is == WISH_RUN)
			modes_set_look(terminal->out, &terminal->config.look);
		mail.repaint = true;
	}
	if (mail.repaint && terminal->is == WISH_RUN)
		clearok(curscr, TRUE);
	if (mail.surface && terminal->is == WISH_RUN) {
		paint_surface(&terminal->paint, mail.surface,
			      mail.repaint ? NULL : terminal->shown);
		keep_shown(terminal, mail.surface);
	} else {
		surface_free(mail.surface);
		if (mail.repaint)
			terminal_repaint(terminal);
	}
	return true;
}

static void read_keys(struct terminal *terminal)
{
	bool was_light = terminal->input.background.light;

	input_read(&terminal->input, push_key, terminal);
	if (terminal->input.background.light == was_light ||
	    terminal->config.look.theme != THEME_AUTO)
		return;
	choose_look(terminal);
	clearok(curscr, TRUE);
	if (terminal->shown)
		paint_surface(&terminal->paint, terminal->shown, NULL);
}

static void serve_guest(struct terminal *terminal, bool readable)
{
	const struct key_event back = { .key = TERMINAL_FOREGROUND_KEY };

	if (foreground_serve(&terminal->foreground, readable))
		push_key(terminal, &back);
}

static void watch(struct terminal *terminal)
{
	struct pollfd fds[2] = {
		{ .fd = terminal->poke[0], .events = POLLIN },
		{ .fd = terminal->in_fd, .events = POLLIN },
	};
	char drain[64];

	for (;;) {
		bool is_lent = terminal->is == WISH_LEND;

		fds[1].fd = terminal->is != WISH_SUSPEND && !atomic_load(&terminal->gone)
				    ? terminal->in_fd
				    : -1;
		int wait_ms = is_lent          ? foreground_wait_ms(&terminal->foreground)
			      : fds[1].fd >= 0 ? input_wait_ms(&terminal->input)
					       : -1;
		int nr = poll(fds, 2, wait_ms);

		if (nr < 0 && errno != EINTR)
			return;
		if (nr < 0)
			fds[1].revents = 0;
		if (is_lent)
			serve_guest(terminal, fds[1].revents & POLLIN);
		else if (nr == 0 || (nr > 0 && fds[1].revents & POLLIN))
			read_keys(terminal);
		if (fds[1].revents & (POLLHUP | POLLERR | POLLNVAL)) {
			atomic_store(&terminal->gone, true);
			terminal->config.wake(terminal->config.wake_data);
		}
		while (read(terminal->poke[0], drain, sizeof(drain)) > 0)
			;
		if (!obey(terminal))
			return;
	}
}

static void *terminal_main(void *data)
{
	struct terminal *terminal = data;
	bool good = set_up(terminal);

	pthread_mutex_lock(&terminal->lock);
	terminal->begun = true;
	terminal->failed = !good;
	pthread_cond_broadcast(&terminal->changed);
	pthread_mutex_unlock(&terminal->lock);
	if (good) {
		/* Setting the modes writes to the terminal and may block; the loop does not wait
		 * for this. */
		set_modes(terminal);
		background_begin(&terminal->input.background, getenv("COLORFGBG"));
		choose_look(terminal);
		watch(terminal);
		give_back(terminal);
	}
	reach(terminal, WISH_STOP);
	return NULL;
}

static void terminal_nothing(int signo)
{
	(void)signo;
}

static void poke(struct terminal *terminal)
{
	ssize_t n = write(terminal->poke[1], "", 1);

	(void)n; /* if the pipe is full, the thread wakes up anyway */
}

/* Wait until the thread has reached `state` or has ended, at most 100 ms. Returns false after a
 * timeout. The lock is held. */
static bool await(struct terminal *terminal, int state)
{
	struct timespec until;
	int result = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += STOP_WAIT_NS;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	while (terminal->is != state && terminal->is != WISH_STOP && result != ETIMEDOUT)
		result = pthread_cond_timedwait(&terminal->changed, &terminal->lock, &until);
	return terminal->is == state || terminal->is == WISH_STOP;
}

/*
 * If the terminal accepts no bytes, flush pending bytes and interrupt the thread's write(2) with a
 * signal. Call this repeatedly, because curses may write again. Returns false if nothing was done,
 * for example because the thread is only late.
 */
static bool free_if_hung(struct terminal *terminal)
{
	struct pollfd out = { .fd = terminal->out_fd, .events = POLLOUT };
	struct termios termios;
	bool hung;

	if (pthread_mutex_trylock(&terminal->restoring))
		return false;
	hung = restore_is_armed() && poll(&out, 1, 0) == 0;
	if (hung) {
		if (tcgetattr(terminal->out_fd, &termios) == 0) {
			termios.c_iflag &= ~(tcflag_t)IXON;
			tcsetattr(terminal->out_fd, TCSANOW, &termios);
		}
		tcflow(terminal->out_fd, TCOON);
		tcflush(terminal->out_fd, TCOFLUSH);
		pthread_kill(terminal->thread, FREE_SIGNAL);
	}
	pthread_mutex_unlock(&terminal->restoring);
	return hung;
}

static bool terminal_change(struct terminal *terminal, int wish)
{
	int hung = 0;
	bool done;

	pthread_mutex_lock(&terminal->lock);
	terminal->wish = wish;
	poke(terminal);
	done = await(terminal, wish);
	for (int i = 0; !done && wish != WISH_RUN && i < STOP_WAITS_LATE; i++) {
		hung += free_if_hung(terminal);
		if (hung > STOP_WAITS_HUNG)
			break;
		done = await(terminal, wish);
	}
	pthread_mutex_unlock(&terminal->lock);
	return done;
}

static bool open_files(struct terminal *terminal)
{
	bool keys_on_stdin = isatty(STDIN_FILENO);
	int in = keys_on_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
			       : open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

	terminal->in_fd = in;
	terminal->out_fd = out;
	terminal->in = in >= 0 ? fdopen(in, "r") : NULL;
	terminal->out = out >= 0 ? fdopen(out, "w") : NULL;
	if (!terminal->in || !terminal->out || tcgetattr(out, &terminal->was) < 0)
		return false;
	return platform_pipe(terminal->poke, true) == 0;
}

static void free_all(struct terminal *terminal)
{
	if (terminal->in)
		fclose(terminal->in);
	if (terminal->out)
		fclose(terminal->out);
	close(terminal->poke[0]);
	close(terminal->poke[1]);
	surface_free(terminal->mail);
	surface_free(terminal->spare);
	surface_free(terminal->shown);
	free(terminal->title);
	free(terminal->copy);
	pthread_mutex_destroy(&terminal->restoring);
	pthread_mutex_destroy(&terminal->lock);
	pthread_cond_destroy(&terminal->changed);
	free(terminal);
}

static void start_thread(struct terminal *terminal)
{
	struct sigaction action = { .sa_handler = terminal_nothing };
	sigset_t old;

	sigaction(FREE_SIGNAL, &action, NULL);
	thread_signals_block(FREE_SIGNAL, &old);
	if (pthread_create(&terminal->thread, NULL, terminal_main, terminal) != 0)
		die("cannot start the terminal's thread");
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

struct terminal *terminal_start(const struct terminal_config *config, char *why, size_t why_bytes)
{
	struct terminal *terminal = xcalloc(1, sizeof(*terminal));
	pthread_condattr_t monotonic;

	terminal->config = *config;
	terminal->title = config->title ? xstrdup(config->title) : NULL;
	terminal->poke[0] = terminal->poke[1] = -1;
	pthread_mutex_init(&terminal->restoring, NULL);
	pthread_mutex_init(&terminal->lock, NULL);
	/* Wait by the monotonic clock, so that setting the wall clock has no effect. */
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&terminal->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	if (!open_files(terminal)) {
		snprintf(why, why_bytes, "no terminal for the screen");
		free_all(terminal);
		return NULL;
	}
	start_thread(terminal);
	pthread_mutex_lock(&terminal->lock);
	while (!terminal->begun)
		pthread_cond_wait(&terminal->changed, &terminal->lock);
	pthread_mutex_unlock(&terminal->lock);
	if (terminal->failed) {
		snprintf(why, why_bytes, "%s", terminal->why);
		pthread_join(terminal->thread, NULL);
		free_all(terminal);
		return NULL;
	}
	die_hook = terminal_restore;
	restore_crashes();
	return terminal;
}

void terminal_show(struct terminal *terminal, const struct surface *surface)
{
	struct surface *copy;

	pthread_mutex_lock(&terminal->lock);
	copy = terminal->mail ? terminal->mail : terminal->spare;
	if (copy == terminal->spare)
		terminal->spare = NULL;
	terminal->mail = NULL;
	pthread_mutex_unlock(&terminal->lock);
	if (!copy)
		copy = surface_new(surface->cols, surface->rows, surface->ascii);
	surface_copy(copy, surface);
	pthread_mutex_lock(&terminal->lock);
	terminal->mail = copy;
	pthread_mutex_unlock(&terminal->lock);
	poke(terminal);
}

void terminal_copy(struct terminal *terminal, const char *text)
{
	pthread_mutex_lock(&terminal->lock);
	free(terminal->copy);
	terminal->copy = xstrdup(text);
	pthread_mutex_unlock(&terminal->lock);
	poke(terminal);
}

void terminal_set_look(struct terminal *terminal, struct terminal_look look)
{
	pthread_mutex_lock(&terminal->lock);
	terminal->look = look;
	terminal->new_look = true;
	pthread_mutex_unlock(&terminal->lock);
}

void terminal_resize(struct terminal *terminal, int cols, int rows)
{
	pthread_mutex_lock(&terminal->lock);
	terminal->cols = cols;
	terminal->rows = rows;
	terminal->repaint = true;
	pthread_mutex_unlock(&terminal->lock);
	poke(terminal);
}

bool terminal_next_key(struct terminal *terminal, struct key_event *key)
{
	bool any;

	pthread_mutex_lock(&terminal->lock);
	any = terminal->key_head != terminal->key_tail;
	if (any)
		*key = terminal->keys[terminal->key_head++ % QUEUE_KEYS];
	pthread_mutex_unlock(&terminal->lock);
	return any;
}

bool terminal_is_gone(const struct terminal *terminal)
{
	return atomic_load(&terminal->gone);
}

void terminal_suspend(struct terminal *terminal)
{
	terminal_change(terminal, WISH_SUSPEND);
}

void terminal_hand_over(struct terminal *terminal, const struct terminal_foreground *foreground)
{
	pthread_mutex_lock(&terminal->lock);
	terminal->lent_to = *foreground;
	pthread_mutex_unlock(&terminal->lock);
	terminal_change(terminal, WISH_LEND);
}

void terminal_foreground_wrote(struct terminal *terminal)
{
	poke(terminal);
}

void terminal_resume(struct terminal *terminal)
{
	terminal_change(terminal, WISH_RUN);
}

void terminal_stop(struct terminal *terminal)
{
	if (!terminal)
		return;
	if (!terminal_change(terminal, WISH_STOP)) {
		/* Keep the memory, which the blocked thread may still use. */
		terminal_restore();
		return;
	}
	pthread_join(terminal->thread, NULL);
	if (terminal->screen)
		delscreen(terminal->screen);
	terminal_restore();
	restore_end();
	free_all(terminal);
}

const char *terminal_library(void)
{
	return curses_version();
}
