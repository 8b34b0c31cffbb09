/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/terminal/foreground.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "views/terminal/modes.h"

/* Pause in the command's output after which the last row is drawn again: full-screen programs may
 * have erased it. */
#define ROW_PAUSE_NS (150 * NS_PER_MS)
/* Input is dropped for this time after old output that contains Esc was written again: it may be
 * the terminal's answers to queries. */
#define ANSWERS_NS (200 * NS_PER_MS)
/* Interval in ms for retrying to pass typed bytes to the command. */
#define AGAIN_MS 20

/* Write all bytes to the terminal. Returns false after an error or a signal. */
static bool foreground_put(const struct foreground *foreground, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(foreground->out_fd, bytes, len);

		if (n <= 0)
			return false;
		bytes += n;
		len -= (size_t)n;
	}
	return true;
}

static void foreground_put_text(const struct foreground *foreground, const char *text)
{
	foreground_put(foreground, text, strlen(text));
}

/* Draw the last row if it is reserved. Overwrites a cursor position that the command saved. */
static void foreground_draw_row(struct foreground *foreground)
{
	char text[300];

	foreground->over = false;
	if (!foreground->has_row)
		return;
	snprintf(text, sizeof(text), "\0337\033[1;%dr\033[%d;1H\033[0;7m%.*s\033[0m\033[K\0338",
		 foreground->rows - 1, foreground->rows, 200, foreground->of.told);
	foreground_put_text(foreground, text);
}

static void set_raw(const struct foreground *foreground)
{
	struct termios raw;

	if (tcgetattr(foreground->out_fd, &raw))
		return;
	/* As cfmakeraw(), which is not in POSIX. */
	raw.c_iflag &=
		~(tcflag_t)(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
	raw.c_oflag &= ~(tcflag_t)OPOST;
	raw.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
	raw.c_cflag &= ~(tcflag_t)(CSIZE | PARENB);
	raw.c_cflag |= CS8;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	tcsetattr(foreground->out_fd, TCSANOW, &raw);
}

static bool copy_output(struct foreground *foreground)
{
	char bytes[16 << 10];
	size_t len;
	bool any = false;

	while ((len = foreground->of.output(foreground->of.data, bytes, sizeof(bytes)))) {
		any = foreground->over = true;
		foreground->has_escapes |= memchr(bytes, 033, len) != NULL;
		if (!foreground_put(foreground, bytes, len))
			break;
	}
	if (any)
		foreground->wrote_ns = tr2_clock_monotonic();
	return any;
}

static void take_size(struct foreground *foreground)
{
	int cols, rows;

	foreground->has_row = terminal_size(&cols, &rows) && rows > 2 &&
			      cols > (int)strlen(foreground->of.told) && modes_can("csr") &&
			      modes_can("sc") && modes_can("rc");
	foreground->rows = rows;
	foreground_draw_row(foreground);
}

static void replay(struct foreground *foreground)
{
	foreground->of.rewind(foreground->of.data);
	copy_output(foreground);
	if (foreground->has_escapes)
		foreground->quiet_ns = tr2_clock_monotonic() + ANSWERS_NS;
}

/* Write the command's output again, because terminals reflow text differently. */
void foreground_resized(struct foreground *foreground)
{
	foreground_put_text(foreground, "\033[0m\033[H\033[2J");
	take_size(foreground);
	foreground_put_text(foreground, "\033[H");
	replay(foreground);
}

void foreground_begin(struct foreground *foreground, const struct terminal_foreground *of,
		      int in_fd, int out_fd)
{
	*foreground = (struct foreground){ .of = *of, .in_fd = in_fd, .out_fd = out_fd };
	set_raw(foreground);
	/* If the cursor is in the last row, which may be reserved, scroll up by one row. */
	foreground_put_text(foreground, "\r\n\033[A");
	take_size(foreground);
	if (!foreground->has_row) {
		foreground_put_text(foreground, of->told);
		foreground_put_text(foreground, "\r\n");
	}
	replay(foreground);
}

void foreground_end(struct foreground *foreground)
{
	char text[60];

	if (!foreground->has_row)
		return;
	snprintf(text, sizeof(text), "\0337\033[r\033[%d;1H\033[K\0338", foreground->rows);
	foreground_put_text(foreground, text);
}

/* Read input. Until `quiet_ns` it is dropped; later it is kept up to the key that returns to
 * trace2top. Returns true if that key was read and not dropped. */
static bool take_typed(struct foreground *foreground)
{
	char *typed = foreground->typed + foreground->nr_typed, *key;
	ssize_t n =
		read(foreground->in_fd, typed, sizeof(foreground->typed) - foreground->nr_typed);

	if (n <= 0 || tr2_clock_monotonic() < foreground->quiet_ns)
		return false;
	key = memchr(typed, TERMINAL_FOREGROUND_KEY, (size_t)n);
	foreground->nr_typed += key ? (size_t)(key - typed) : (size_t)n;
	return key != NULL;
}

static void give_typed(struct foreground *foreground)
{
	size_t taken;

	if (!foreground->nr_typed)
		return;
	taken = foreground->of.input(foreground->of.data, foreground->typed, foreground->nr_typed);
	foreground->nr_typed -= taken;
	memmove(foreground->typed, foreground->typed + taken, foreground->nr_typed);
}

bool foreground_serve(struct foreground *foreground, bool readable)
{
	/* While `typed` is full, input is not read. */
	bool comes_back = readable && foreground->nr_typed < sizeof(foreground->typed) &&
			  take_typed(foreground);

	give_typed(foreground);
	if (!copy_output(foreground) && foreground->over &&
	    tr2_clock_monotonic() - foreground->wrote_ns >= ROW_PAUSE_NS)
		foreground_draw_row(foreground);
	return comes_back;
}

int foreground_wait_ms(const struct foreground *foreground)
{
	if (foreground->nr_typed)
		return AGAIN_MS;
	return foreground->over && foreground->has_row ? (int)(ROW_PAUSE_NS / NS_PER_MS) : -1;
}
