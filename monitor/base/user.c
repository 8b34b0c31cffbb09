/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/user.h"

#include <ctype.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdbool.h>
#include <string.h>

/* number of slots of the cache; a uid has one slot, which holds the last user that needed it */
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
	struct passwd *entry;

	snprintf(out, USER_BYTES, "%" PRId64, uid);
	while (file && (entry = fgetpwent(file)))
		if (entry->pw_uid == uid && is_printable(entry->pw_name)) {
			snprintf(out, USER_BYTES, "%s", entry->pw_name);
			break;
		}
	if (file)
		fclose(file);
}

const char *user_name(int64_t uid, char out[USER_BYTES])
{
	static struct user_known {
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
