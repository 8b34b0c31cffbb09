/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/user.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* number of slots of the cache; uids that share a slot replace each other */
#define REMEMBERED 64u

static bool is_printable(const char *name)
{
	for (const char *p = name; *p; p++)
		if (!isgraph((unsigned char)*p))
			return false;
	return *name && strlen(name) < USER_BYTES;
}

static void look_up(int64_t uid, char out[USER_BYTES])
{
	FILE *file = fopen("/etc/passwd", "re");
	char *line = NULL;
	size_t bytes = 0;

	snprintf(out, USER_BYTES, "%" PRId64, uid);
	while (file && getline(&line, &bytes, file) > 0) {
		/* NAME:PASSWORD:UID: */
		char *password = strchr(line, ':'), *number, *end;

		number = password ? strchr(password + 1, ':') : NULL;
		if (!number || !isdigit((unsigned char)number[1]) ||
		    strtoll(number + 1, &end, 10) != uid || *end != ':')
			continue;
		*password = '\0';
		if (is_printable(line)) {
			snprintf(out, USER_BYTES, "%s", line);
			break;
		}
	}
	free(line);
	if (file)
		fclose(file);
}

const char *user_name(int64_t uid, char out[USER_BYTES])
{
	static _Thread_local struct user_known {
		bool is_known;
		int64_t uid;
		char name[USER_BYTES];
	} known[REMEMBERED];
	struct user_known *k = &known[(uint64_t)uid % REMEMBERED];

	if (!k->is_known || k->uid != uid) {
		look_up(uid, k->name);
		k->uid = uid;
		k->is_known = true;
	}
	memcpy(out, k->name, USER_BYTES);
	return out;
}
