/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/read/seems.h"

#include <stdint.h>
#include <string.h>

struct seems_row {
	uint16_t at;
	uint8_t len;
	const char *magic;
	struct seems seems;
};

static const struct seems_row rows[] = {
#define SEEMS(at, magic, what, advice) { at, sizeof(magic) - 1, magic, { what, advice } },
#include "monitor/read/seems.def"
};

/* Return the address of a control character that text files do not contain, or NULL. */
static const char *binary_in(const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)bytes[i] < ' ' && !strchr("\t\n\v\f\r\b\033", bytes[i]))
			return bytes + i;
	return memchr(bytes, 0, len);
}

struct seems seems_of(const char *bytes, size_t len)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].at + (size_t)rows[i].len <= len &&
		    !memcmp(bytes + rows[i].at, rows[i].magic, rows[i].len))
			return rows[i].seems;
	if (binary_in(bytes, len))
		return (struct seems){ "binary data of unknown format",
				       "pass the path in trace2.eventTarget" };
	return (struct seems){ "text, not a trace",
			       "Git's event target writes one JSON object per line: see "
			       "trace2.eventTarget" };
}
