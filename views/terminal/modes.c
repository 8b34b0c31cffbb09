/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/terminal/modes.h"
#include "views/terminal/terminal.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

bool modes_can(const char *capability)
{
	const char *way = tigetstr(capability);

	return way && way != (char *)-1;
}

bool modes_takes_title(void)
{
	return tigetflag("XT") == 1 || modes_can("tsl");
}

/* curs_set() may fail: then the cursor stays as it is. */
void modes_set_look(FILE *out, const struct terminal_look *look)
{
	bool on = look->mouse;

	curs_set(look->cursor);
	mousemask(on ? ALL_MOUSE_EVENTS | REPORT_MOUSE_POSITION : 0, NULL);
	mouseinterval(0);
	/* Curses may enable only reports of clicks, so enable reports of dragging, too. */
	fputs(on ? "\033[?1002h" : "\033[?1002l", out);
	fflush(out);
}

void modes_set(FILE *out, const struct termios *was)
{
	struct termios now;

	raw();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	/* raw() turned IXON off: set it again if it was set, so that Ctrl-S stops the output. */
	if (tcgetattr(fileno(out), &now) == 0) {
		now.c_iflag = (now.c_iflag & ~(tcflag_t)IXON) | (was->c_iflag & IXON);
		tcsetattr(fileno(out), TCSANOW, &now);
	}
	fputs("\033[?2004h", out);
	fflush(out);
}

void modes_set_title(FILE *out, const char *title)
{
	fprintf(out, TITLE_KEEP "\033]2;%s\007", title);
	fflush(out);
}
