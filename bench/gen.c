/* SPDX-License-Identifier: MIT */
/* gen MEGABYTES < EVENTS > MORE: multiplies a file of real events, to at most MEGABYTES. Each copy
 * has its own SIDs (another host in each component). */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST_DIGITS 8

static char *gen_read_all(FILE *file, size_t *len)
{
	char *bytes = NULL;
	size_t cap = 0, nr;

	*len = 0;
	do {
		if (cap - *len < 1 << 16)
			bytes = realloc(bytes, cap = cap * 2 + (1 << 20));
		if (!bytes)
			exit(1);
		nr = fread(bytes + *len, 1, cap - *len, file);
		*len += nr;
	} while (nr);
	return bytes;
}

/* Overwrite the host with `number` in each component of the SID that begins at `sid`. */
static void sid_renumber(char *sid, uint32_t number)
{
	char *end = strchr(sid, '"');
	char hex[HOST_DIGITS + 1];

	snprintf(hex, sizeof(hex), "%08x", (unsigned)number);
	for (char *host = sid; (host = strstr(host, "-H")) && host < end; host += 2)
		memcpy(host + 2, hex, HOST_DIGITS);
}

static bool copy_write(char *bytes, size_t len, uint32_t number, size_t *left)
{
	for (char *p = bytes; p < bytes + len;) {
		char *lf = memchr(p, '\n', (size_t)(bytes + len - p));
		size_t line_len = lf ? (size_t)(lf + 1 - p) : 0;
		char *sid;

		if (!lf || line_len > *left)
			return false;
		*lf = 0;
		sid = strstr(p, "\"sid\":\"");
		if (sid)
			sid_renumber(sid + 7, number);
		*lf = '\n';
		fwrite(p, 1, line_len, stdout);
		*left -= line_len;
		p += line_len;
	}
	return true;
}

int main(int argc, char **argv)
{
	size_t len, left = argc > 1 ? strtoull(argv[1], NULL, 10) * 1000000 : 0;
	char *bytes;

	if (!left) {
		fputs("usage: gen MEGABYTES < EVENTS\n", stderr);
		return 2;
	}
	bytes = gen_read_all(stdin, &len);
	for (uint32_t number = 0x10000000; len && copy_write(bytes, len, number, &left); number++)
		;
	free(bytes);
	return fflush(stdout) || ferror(stdout);
}
