/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/terminal/guest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "views/terminal/modes.h"

/* Redraw the row this long after the guest's last output: full-screen programs blank it. */
#define ROW_PAUSE_NS (150 * NS_PER_MS)
/* Replayed output may contain terminal queries: input within this time is their answers, not
 * keys. */
#define ANSWERS_NS (200 * NS_PER_MS)
/* Interval of retries if the guest accepts no keys. */
#define AGAIN_MS 20

/* Write everything. Returns false after a signal: the thread is needed elsewhere. */
static bool guest_put(const struct guest *guest, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(guest->out_fd, bytes, len);

		if (n <= 0)
			return false;
		bytes += n;
		len -= (size_t)n;
	}
	return true;
}

static void guest_put_text(const struct guest *guest, const char *text)
{
	guest_put(guest, text, strlen(text));
}

/* The cursor is saved and restored; terminals can save it only once. */
static void guest_draw_row(struct guest *guest)
{
	char text[300];

	guest->over = false;
	if (!guest->has_row)
		return;
	snprintf(text, sizeof(text), "\0337\033[1;%dr\033[%d;1H\033[0;7m%.*s\033[0m\033[K\0338",
		 guest->rows - 1, guest->rows, 200, guest->of.told);
	guest_put_text(guest, text);
}

static void set_raw(const struct guest *guest)
{
	struct termios raw;

	if (tcgetattr(guest->out_fd, &raw))
		return;
	cfmakeraw(&raw);
	tcsetattr(guest->out_fd, TCSANOW, &raw);
}

static bool copy_output(struct guest *guest)
{
	char bytes[16 << 10];
	size_t len;
	bool any = false;

	while ((len = guest->of.output(guest->of.data, bytes, sizeof(bytes)))) {
		any = guest->over = true;
		guest->has_escapes |= memchr(bytes, 033, len) != NULL;
		if (!guest_put(guest, bytes, len))
			break;
	}
	if (any)
		guest->wrote_ns = tr2_clock_monotonic();
	return any;
}

static void take_size(struct guest *guest)
{
	int cols, rows;

	guest->has_row = terminal_size(&cols, &rows) && rows > 2 &&
			 cols > (int)strlen(guest->of.told) && modes_can("csr") &&
			 modes_can("sc") && modes_can("rc");
	guest->rows = rows;
	guest_draw_row(guest);
}

/* Write the guest's output again from the beginning. */
static void replay(struct guest *guest)
{
	guest->of.rewind(guest->of.data);
	copy_output(guest);
	if (guest->has_escapes)
		guest->quiet_ns = tr2_clock_monotonic() + ANSWERS_NS;
}

/* Terminals reflow text differently on resize, so everything is replayed. */
void guest_resized(struct guest *guest)
{
	guest_put_text(guest, "\033[0m\033[H\033[2J");
	take_size(guest);
	guest_put_text(guest, "\033[H");
	replay(guest);
}

void guest_begin(struct guest *guest, const struct terminal_guest *of, int in_fd, int out_fd)
{
	*guest = (struct guest){ .of = *of, .in_fd = in_fd, .out_fd = out_fd };
	set_raw(guest);
	/* The cursor may be in the last row: scroll up. */
	guest_put_text(guest, "\r\n\033[A");
	take_size(guest);
	if (!guest->has_row) {
		guest_put_text(guest, of->told);
		guest_put_text(guest, "\r\n");
	}
	replay(guest);
}

void guest_end(struct guest *guest)
{
	char text[60];

	if (!guest->has_row)
		return;
	snprintf(text, sizeof(text), "\0337\033[r\033[%d;1H\033[K\0338", guest->rows);
	guest_put_text(guest, text);
}

/* Read typed bytes up to the key that returns. Returns true if it was pressed. */
static bool take_typed(struct guest *guest)
{
	char *typed = guest->typed + guest->nr_typed, *key;
	ssize_t n = read(guest->in_fd, typed, sizeof(guest->typed) - guest->nr_typed);

	if (n <= 0 || tr2_clock_monotonic() < guest->quiet_ns)
		return false;
	key = memchr(typed, TERMINAL_GUEST_KEY, (size_t)n);
	guest->nr_typed += key ? (size_t)(key - typed) : (size_t)n;
	return key != NULL;
}

static void give_typed(struct guest *guest)
{
	size_t taken;

	if (!guest->nr_typed)
		return;
	taken = guest->of.input(guest->of.data, guest->typed, guest->nr_typed);
	guest->nr_typed -= taken;
	memmove(guest->typed, guest->typed + taken, guest->nr_typed);
}

bool guest_serve(struct guest *guest, bool readable)
{
	/* Input that does not fit stays in the terminal's buffer. */
	bool comes_back = readable && guest->nr_typed < sizeof(guest->typed) && take_typed(guest);

	give_typed(guest);
	if (!copy_output(guest) && guest->over &&
	    tr2_clock_monotonic() - guest->wrote_ns >= ROW_PAUSE_NS)
		guest_draw_row(guest);
	return comes_back;
}

int guest_wait_ms(const struct guest *guest)
{
	if (guest->nr_typed)
		return AGAIN_MS;
	return guest->over && guest->has_row ? (int)(ROW_PAUSE_NS / NS_PER_MS) : -1;
}
