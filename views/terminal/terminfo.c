/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "views/terminal/terminfo.h"

#ifdef STANDALONE

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <curses.h>
#include <term.h>

/* "b64:..." is the encoding of a compiled description that ncurses reads from TERMINFO. */
static const struct {
	const char *term, *description;
} built_in_terminals[] = {
#define TERMINAL(term, description) { term, description },
#include "views/terminal/terminfo.inc"
#undef TERMINAL
};

static bool system_describes(const char *term)
{
	int error;

	if (setupterm(term, STDOUT_FILENO, &error) == ERR)
		return false;
	del_curterm(cur_term);
	return true;
}

void terminfo_provide(void)
{
	const char *term = getenv("TERM");

	if (!term || !*term || getenv("TERMINFO") || system_describes(term))
		return;
	for (size_t i = 0; i < sizeof(built_in_terminals) / sizeof(*built_in_terminals); i++)
		if (!strcmp(built_in_terminals[i].term, term))
			setenv("TERMINFO", built_in_terminals[i].description, 1);
}

#else

void terminfo_provide(void)
{
}

#endif
