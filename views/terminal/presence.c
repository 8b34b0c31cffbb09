/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/terminal/terminal.h"

#include <fcntl.h>
#include <langinfo.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

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
	*cols = size.ws_col < SURFACE_MAX_COLS ? size.ws_col : SURFACE_MAX_COLS;
	*rows = size.ws_row < SURFACE_MAX_ROWS ? size.ws_row : SURFACE_MAX_ROWS;
	return true;
}
