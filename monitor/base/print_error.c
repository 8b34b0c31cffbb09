/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/print_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "monitor/base/visible.h"

/* A path has at most 4096 bytes. */
#define TEXT_BYTES 8192

/* No allocation: the message may be about lack of memory. */
void complain_print_error(const char *fmt, ...)
{
	char text[TEXT_BYTES], line[2 * TEXT_BYTES] = "trace2top: ";
	size_t len, at = strlen(line), part;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	len = strlen(text);
	for (size_t i = 0; i < len && at + VISIBLE_BYTES < sizeof(line); at += part)
		i += visible_next(text + i, len - i, line + at, &part);
	line[at++] = '\n';
	fwrite(line, 1, at, stderr);
}
