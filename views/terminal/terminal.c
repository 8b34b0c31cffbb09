/* SPDX-License-Identifier: MIT */
/*
 * The terminal thread. Everything curses happens in it: set-up, keys, drawing, restoring. The
 * loop's side only fills the mailbox and pokes a pipe.
 */
#include "config.h"

#include "views/terminal/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
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
#include "monitor/base/thread_signals.h"
#include "views/terminal/presses.h"
#include "views/terminal/restore.h"

#define FREE_SIGNAL SIGUSR1 /* gets the thread out of write(2) */
#define QUEUE_KEYS 1024
#define STOP_WAIT_NS (100 * 1000000L)
/* So often at most where the thread hangs, and where it is merely late. */
#define STOP_WAITS_HUNG 5
#define STOP_WAITS_LATE 50
#define ESCAPE_DELAY_MS 25
/* A terminal that never ends what it began to paste must not lock its user out. */
#define PASTE_PAUSE_NS NS_PER_SEC

#define TITLE_KEEP "\033[22;2t"
#define TITLE_BACK "\033[23;2t"

enum wish { WISH_RUN, WISH_SUSPEND, WISH_STOP };

struct terminal {
	struct terminal_config config;
	char *title;
	pthread_t thread;
	int poke[2]; /* loop to thread: something in the mailbox */
	int in_fd, out_fd;
	struct termios was; /* before us */
	FILE *in, *out;
	SCREEN *screen;
	/* Held while the terminal is put back, or while the thread is freed: never both. */
	pthread_mutex_t restoring;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* under the lock: */
	struct surface *mail; /* the latest surface, or NULL */
	struct surface *spare;
	int wish;	      /* enum wish */
	int is;		      /* enum wish: what the thread has come to */
	bool repaint, new_look;
	int theme, look_colour;
	bool mouse;
	int cols, rows; /* wanted size, 0: as it is */
	struct key_event keys[QUEUE_KEYS];
	unsigned key_head, key_tail;
	char why[128];
	bool begun, failed;
	atomic_bool gone;
	/* the thread's alone: */
	struct surface *shown;
	struct presses presses;
	bool pasting;	 /* between the terminal's marks */
	ns_t pasted_ns;	 /* monotonic: of the last character of it */
	bool has_title;	 /* the terminal has one to be set */
	bool colour;
	int pairs;
	short pair_of[NR_STYLES][NR_STYLES];
};

static void prepare_restore(const struct terminal *terminal)
{
	restore_begin(terminal->out_fd, &terminal->was);
	restore_add("\033[?2004l");
	if (terminal->has_title)
		restore_add(TITLE_BACK);
	/* It may be turned on later. */
	restore_add("\033[?1000l\033[?1002l\033[?1006l");
	restore_add(tigetstr("sgr0"));
	restore_add(tigetstr("rmcup"));
	restore_add(tigetstr("cnorm"));
	restore_add(tigetstr("rmkx"));
}

/* ---- colours ---- */

static bool wants_colour(const struct terminal *terminal)
{
	const char *no = getenv("NO_COLOR");

	if (terminal->config.colour == COLOUR_NEVER ||
	    !theme_colours[terminal->config.theme] || !has_colors())
		return false;
	return terminal->config.colour == COLOUR_ALWAYS || !no || !*no;
}

static short pair_for(struct terminal *terminal, int style, int over)
{
	const struct look *look = style_look(terminal->config.theme, style);
	const struct look *top = style_look(terminal->config.theme, over);
	short *pair = &terminal->pair_of[style][over];
	bool many = COLORS >= 256 && theme_colours[terminal->config.theme] >= 256;
	int fg = many ? look->fg : look->fg16, bg = many ? look->bg : look->bg16;

	if (*pair)
		return *pair;
	if (over != STYLE_TEXT) {
		int top_fg = many ? top->fg : top->fg16, top_bg = many ? top->bg : top->bg16;

		bg = top_bg != LOOK_DEFAULT ? top_bg : bg;
		fg = top_fg != LOOK_DEFAULT ? top_fg : fg;
	}
	if (terminal->pairs + 1 >= COLOR_PAIRS || terminal->pairs + 1 >= 32767)
		return 0;
	*pair = (short)++terminal->pairs;
	init_pair(*pair, (short)fg, (short)bg);
	return *pair;
}

static attr_t attributes_of(unsigned look)
{
	attr_t attributes = A_NORMAL;

	if (look & LOOK_BOLD)
		attributes |= A_BOLD;
	if (look & LOOK_DIM)
		attributes |= A_DIM;
	if (look & LOOK_UNDERLINE)
		attributes |= A_UNDERLINE;
	if (look & LOOK_REVERSE)
		attributes |= A_REVERSE;
	return attributes;
}

static void start_colours(struct terminal *terminal)
{
	terminal->colour = wants_colour(terminal);
	terminal->pairs = 0;
	memset(terminal->pair_of, 0, sizeof(terminal->pair_of));
	if (!terminal->colour)
		return;
	start_color();
	use_default_colors();
}

/* ---- drawing ---- */

static void draw_cell(struct terminal *terminal, int x, int y, const struct cell *cell)
{
	const struct look *look = style_look(terminal->config.theme, cell->style);
	const struct look *over = style_look(terminal->config.theme, cell->over);
	unsigned attributes = terminal->colour ? look->attributes | over->attributes
					       : look->mono | over->mono;
	wchar_t text[CELL_MAX_CHARS + 1] = { 0 };
	cchar_t out;

	for (int i = 0; i < CELL_MAX_CHARS; i++)
		text[i] = (wchar_t)cell->ch[i];
	setcchar(&out, text, attributes_of(attributes),
		 terminal->colour ? pair_for(terminal, cell->style, cell->over) : 0, NULL);
	mvadd_wch(y, x, &out);
}

/* Only cells that differ from the last surface go to curses. */
static void draw(struct terminal *terminal, const struct surface *surface, bool all)
{
	const struct surface *old = terminal->shown;

	all |= !old || old->cols != surface->cols || old->rows != surface->rows;
	if (all)
		erase();
	for (int y = 0; y < surface->rows && y < LINES; y++)
		for (int x = 0; x < surface->cols && x < COLS; x++) {
			size_t at = (size_t)y * (size_t)surface->cols + (size_t)x;
			const struct cell *cell = &surface->cells[at];

			if (!cell->width ||
			    (!all && !memcmp(cell, &old->cells[at], sizeof(*cell))))
				continue;
			draw_cell(terminal, x, y, cell);
		}
	refresh();
}

/* ---- keys ---- */

static const struct {
	int curses;
	uint32_t key;
} curses_keys[] = {
	{ KEY_UP, KEY_CODE_UP },	   { KEY_DOWN, KEY_CODE_DOWN },
	{ KEY_LEFT, KEY_CODE_LEFT },	   { KEY_RIGHT, KEY_CODE_RIGHT },
	{ KEY_PPAGE, KEY_CODE_PAGE_UP },   { KEY_NPAGE, KEY_CODE_PAGE_DOWN },
	{ KEY_HOME, KEY_CODE_HOME },	   { KEY_END, KEY_CODE_END },
	{ KEY_BTAB, KEY_CODE_BACKTAB },	   { KEY_BACKSPACE, KEY_CODE_BACKSPACE },
	{ KEY_DC, KEY_CODE_DELETE },	   { KEY_IC, KEY_CODE_INSERT },
	{ KEY_ENTER, '\r' },
};

static void push_key(struct terminal *terminal, const struct key_event *key)
{
	pthread_mutex_lock(&terminal->lock);
	if (terminal->key_tail - terminal->key_head < QUEUE_KEYS)
		terminal->keys[terminal->key_tail++ % QUEUE_KEYS] = *key;
	pthread_mutex_unlock(&terminal->lock);
	terminal->config.wake(terminal->config.wake_data);
}

static bool mouse_event(struct terminal *terminal, struct key_event *key)
{
	MEVENT event;

	if (getmouse(&event) != OK)
		return false;
	key->key = KEY_CODE_MOUSE;
	key->x = (int16_t)event.x;
	key->y = (int16_t)event.y;
	if (event.bstate & BUTTON4_PRESSED)
		key->button = MOUSE_WHEEL_UP;
	else if (event.bstate & BUTTON5_PRESSED)
		key->button = MOUSE_WHEEL_DOWN;
	else if (event.bstate & BUTTON1_DOUBLE_CLICKED)
		key->button = MOUSE_DOUBLE;
	else if (event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED))
		key->button = presses_second(&terminal->presses, event.x, event.y)
				      ? MOUSE_DOUBLE
				      : MOUSE_PRESS;
	else if (event.bstate & BUTTON1_RELEASED)
		key->button = MOUSE_RELEASE;
	else
		key->button = MOUSE_DRAG;
	return true;
}

static bool translate(struct terminal *terminal, int kind, wint_t ch, struct key_event *key)
{
	*key = (struct key_event){ .key = (uint32_t)ch };
	if (kind == OK)
		return ch != 0;
	if (ch == KEY_MOUSE)
		return mouse_event(terminal, key);
	if (ch >= KEY_F(1) && ch <= KEY_F(12)) {
		key->key = KEY_CODE_F0 + (uint32_t)(ch - KEY_F0);
		return true;
	}
	for (size_t i = 0; i < sizeof(curses_keys) / sizeof(*curses_keys); i++)
		if ((wint_t)curses_keys[i].curses == ch) {
			key->key = curses_keys[i].key;
			return true;
		}
	return false;
}

/* Codes of our own for the marks around what is pasted: see set_up(). */
enum { KEY_PASTE_BEGIN = KEY_MAX + 1, KEY_PASTE_END };

static bool is_paste_mark(struct terminal *terminal, int kind, wint_t ch)
{
	if (kind != KEY_CODE_YES || (ch != KEY_PASTE_BEGIN && ch != KEY_PASTE_END))
		return false;
	terminal->pasting = ch == KEY_PASTE_BEGIN;
	terminal->pasted_ns = tr2_clock_monotonic();
	return true;
}

static void read_keys(struct terminal *terminal)
{
	struct key_event key;
	wint_t ch;
	int kind;

	if (terminal->pasting && tr2_clock_monotonic() - terminal->pasted_ns > PASTE_PAUSE_NS)
		terminal->pasting = false;
	while ((kind = get_wch(&ch)) != ERR) {
		/* Before anybody can know of it, and count the pause from there. */
		if (terminal->pasting)
			terminal->pasted_ns = tr2_clock_monotonic();
		if (is_paste_mark(terminal, kind, ch) || !translate(terminal, kind, ch, &key))
			continue;
		key.pasted = terminal->pasting;
		push_key(terminal, &key);
	}
}

/* ---- the thread ---- */

static void extra(const struct terminal *terminal, const char *bytes)
{
	fputs(bytes, terminal->out);
	fflush(terminal->out);
}

static void set_mouse(struct terminal *terminal)
{
	mousemask(terminal->config.mouse ? ALL_MOUSE_EVENTS | REPORT_MOUSE_POSITION : 0, NULL);
	mouseinterval(0);
	/* Movement while a button is down: curses asks for presses alone. */
	extra(terminal, terminal->config.mouse ? "\033[?1002h" : "\033[?1002l");
}

static void set_modes(struct terminal *terminal)
{
	raw();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	/* Ctrl-S must go on stopping the terminal, and Ctrl-C comes to us as a key. */
	struct termios now;

	if (tcgetattr(terminal->out_fd, &now) == 0) {
		now.c_iflag = (now.c_iflag & ~(tcflag_t)IXON) |
			      (terminal->was.c_iflag & IXON);
		tcsetattr(terminal->out_fd, TCSANOW, &now);
	}
	set_mouse(terminal);
	extra(terminal, "\033[?2004h");
	if (terminal->has_title) {
		/* The one that is there is kept by the terminal until we are done. */
		fprintf(terminal->out, TITLE_KEEP "\033]2;%s\007", terminal->title);
		fflush(terminal->out);
	}
}

/* Of the xterm family, or with a status line: others would show the sequence as text. */
static bool takes_title(void)
{
	char *status = tigetstr("tsl");

	return tigetflag("XT") == 1 || (status && status != (char *)-1);
}

static bool set_up(struct terminal *terminal)
{
	const char *term = getenv("TERM");

	terminal->screen = newterm(NULL, terminal->out, terminal->in);
	if (!terminal->screen) {
		snprintf(terminal->why, sizeof(terminal->why),
			 "the terminal type '%s' is not known; set TERM", term ? term : "");
		return false;
	}
	set_term(terminal->screen);
	set_escdelay(ESCAPE_DELAY_MS);
	define_key("\033[200~", KEY_PASTE_BEGIN);
	define_key("\033[201~", KEY_PASTE_END);
	terminal->has_title = terminal->title && takes_title();
	prepare_restore(terminal);
	restore_arm();
	return true;
}

static void give_back(struct terminal *terminal)
{
	if (!restore_is_armed())
		return;
	extra(terminal, "\033[?2004l");
	endwin();
	pthread_mutex_lock(&terminal->restoring);
	restore_now(true);
	pthread_mutex_unlock(&terminal->restoring);
}

struct mail {
	struct surface *surface;
	int wish, cols, rows;
	bool repaint, new_look;
};

/* Under the lock. */
static void take_look(struct terminal *terminal)
{
	terminal->config.theme = terminal->theme;
	terminal->config.colour = terminal->look_colour;
	terminal->config.mouse = terminal->mouse;
}

static struct mail take_mail(struct terminal *terminal)
{
	struct mail mail;

	pthread_mutex_lock(&terminal->lock);
	mail = (struct mail){ terminal->mail, terminal->wish, terminal->cols, terminal->rows,
			      terminal->repaint, terminal->new_look };
	if (mail.new_look)
		take_look(terminal);
	terminal->new_look = false;
	terminal->mail = NULL;
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

static bool obey(struct terminal *terminal)
{
	struct mail mail = take_mail(terminal);

	if (mail.wish == WISH_STOP) {
		surface_free(mail.surface);
		return false;
	}
	if (mail.wish == WISH_SUSPEND && terminal->is == WISH_RUN) {
		give_back(terminal);
		reach(terminal, WISH_SUSPEND);
	} else if (mail.wish == WISH_RUN && terminal->is == WISH_SUSPEND) {
		restore_arm();
		refresh();
		set_modes(terminal);
		mail.repaint = true;
		reach(terminal, WISH_RUN);
	}
	if (mail.cols && (mail.cols != COLS || mail.rows != LINES))
		resizeterm(mail.rows, mail.cols);
	if (mail.new_look) {
		start_colours(terminal);
		if (terminal->is == WISH_RUN)
			set_mouse(terminal);
		mail.repaint = true;
	}
	if (mail.repaint && terminal->is == WISH_RUN)
		clearok(curscr, TRUE);
	if (mail.surface && terminal->is == WISH_RUN) {
		draw(terminal, mail.surface, mail.repaint);
		keep_shown(terminal, mail.surface);
	} else {
		surface_free(mail.surface);
		if (mail.repaint)
			terminal_repaint(terminal); /* with the surface that is yet to come */
	}
	return true;
}

static void watch(struct terminal *terminal)
{
	struct pollfd fds[2] = {
		{ .fd = terminal->poke[0], .events = POLLIN },
		{ .fd = terminal->in_fd, .events = POLLIN },
	};
	char drain[64];

	for (;;) {
		fds[1].fd = terminal->is == WISH_RUN && !atomic_load(&terminal->gone)
				    ? terminal->in_fd
				    : -1;
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return;
		if (fds[1].revents & POLLIN)
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
		/* This writes, and the terminal may be stopped: nobody waits for it. */
		set_modes(terminal);
		start_colours(terminal);
		watch(terminal);
		give_back(terminal);
	}
	reach(terminal, WISH_STOP);
	return NULL;
}

/* ---- the loop's side ---- */

static void nothing(int signo)
{
	(void)signo;
}

static void poke(struct terminal *terminal)
{
	ssize_t n = write(terminal->poke[1], "", 1);

	(void)n; /* full: it will wake anyway */
}

/* Wait until the thread is in `state`, 100 ms at most. */
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
 * Where the thread hangs in write(2), let the terminal take bytes again, drop what it has not
 * taken, and interrupt the call; curses may try once more, so does this. False where it does not
 * hang but is late, as on a machine that has much to do: what it writes must not be dropped then,
 * nor the modes changed that it has put back.
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

static bool change(struct terminal *terminal, int wish)
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

bool terminal_is_there(void)
{
	int fd;

	if (!isatty(STDOUT_FILENO))
		return false;
	if (isatty(STDIN_FILENO))
		return true;
	fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool terminal_has_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

bool terminal_size(int *cols, int *rows)
{
	struct winsize size;

	*cols = 80;
	*rows = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_col || !size.ws_row)
		return false;
	*cols = size.ws_col;
	*rows = size.ws_row;
	return true;
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
	return pipe2(terminal->poke, O_CLOEXEC | O_NONBLOCK) == 0;
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
	pthread_mutex_destroy(&terminal->restoring);
	pthread_mutex_destroy(&terminal->lock);
	pthread_cond_destroy(&terminal->changed);
	free(terminal);
}

static void start_thread(struct terminal *terminal)
{
	struct sigaction action = { .sa_handler = nothing };
	sigset_t old;

	sigaction(FREE_SIGNAL, &action, NULL);
	thread_signals_block(FREE_SIGNAL, &old);
	if (pthread_create(&terminal->thread, NULL, terminal_main, terminal) != 0)
		die("cannot start the terminal's thread");
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

struct terminal *terminal_start(const struct terminal_config *config, char *why,
				size_t why_bytes)
{
	struct terminal *terminal = xcalloc(1, sizeof(*terminal));
	pthread_condattr_t monotonic;

	terminal->config = *config;
	terminal->title = config->title ? xstrdup(config->title) : NULL;
	terminal->poke[0] = terminal->poke[1] = -1;
	pthread_mutex_init(&terminal->restoring, NULL);
	pthread_mutex_init(&terminal->lock, NULL);
	/* A clock that is set back must not make a wait longer. */
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&terminal->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	if (!open_files(terminal)) {
		snprintf(why, why_bytes, "there is no terminal to show a screen on");
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

void terminal_set_look(struct terminal *terminal, enum theme theme, int colour, bool mouse)
{
	pthread_mutex_lock(&terminal->lock);
	terminal->theme = (int)theme;
	terminal->look_colour = colour;
	terminal->mouse = mouse;
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
	change(terminal, WISH_SUSPEND);
}

void terminal_resume(struct terminal *terminal)
{
	change(terminal, WISH_RUN);
}

void terminal_stop(struct terminal *terminal)
{
	if (!terminal)
		return;
	if (!change(terminal, WISH_STOP)) {
		/* It cannot be freed: leave it its memory, the process ends anyway. */
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
