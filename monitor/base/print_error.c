/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/print_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "monitor/base/secrets.h"
#include "monitor/base/visible.h"

/* Maximum size of a message before control characters are made visible. */
#define TEXT_BYTES 8192

/* Return the end of a URL's user and password, which begin at `from`: the last '@' in the text;
 * else the end of a URL whose port is not a number and so may be a password; else `from`. */
static const char *userinfo_end(const char *from)
{
	const char *at = strrchr(from, '@');
	size_t len = strcspn(from, " \t\n'\""), host = strcspn(from, ":/?#"), port;

	if (at)
		return at;
	if (host >= len || from[host] != ':' || *from == '[')
		return from;
	port = strspn(from + host + 1, "0123456789");
	return port && strchr(":,;)/", from[host + 1 + port]) ? from
	       : host + 1 + port == len                       ? from
							      : from + len;
}

static void hide_userinfo(char *text, size_t bytes)
{
	char *from = strstr(text, "://");
	char rest[TEXT_BYTES];
	const char *end;

	if (!from)
		return;
	from += strlen("://");
	end = userinfo_end(from);
	if (end == from)
		return;
	snprintf(rest, sizeof(rest), "%s", end);
	snprintf(from, bytes - (size_t)(from - text), "%s%s", SECRETS_HIDDEN, rest);
}

/* No allocation: the message may be that memory is short. */
void complain_print_error(const char *fmt, ...)
{
	char text[TEXT_BYTES], line[2 * TEXT_BYTES] = "trace2top: ";
	size_t len, at = strlen(line), part;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	hide_userinfo(text, sizeof(text));
	len = strlen(text);
	for (size_t i = 0; i < len && at + VISIBLE_BYTES < sizeof(line); at += part)
		i += visible_next(text + i, len - i, line + at, &part);
	line[at++] = '\n';
	fwrite(line, 1, at, stderr);
}
