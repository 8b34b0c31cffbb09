/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/event/sid.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "monitor/base/platform.h"
#include "monitor/event/event.h"

#define HOST_LEN 9  /* length of the host part of a SID: "H0123abcd", "Localhost" */
#define TIME_LEN 23 /* length of "20260102T122842.123456Z" */

const char *sid_own(const char *sid, size_t len, size_t *own_len)
{
	const char *slash = len ? platform_find_last(sid, '/', len) : NULL;
	const char *own = slash ? slash + 1 : sid;

	*own_len = len - (size_t)(own - sid);
	return own;
}

uint32_t sid_depth(const char *sid, size_t len)
{
	const char *at = sid, *end = sid + len;
	uint32_t depth = 0;

	while ((at = memchr(at, '/', (size_t)(end - at)))) {
		depth++;
		at++;
	}
	return depth;
}

static int64_t hex_value(const char *s, size_t len)
{
	int64_t v = 0;

	if (!len || len > 15)
		return NUM_NONE;
	for (size_t i = 0; i < len; i++) {
		char c = s[i];

		if (c >= '0' && c <= '9')
			v = v * 16 + (c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v * 16 + (c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			v = v * 16 + (c - 'A' + 10);
		else
			return NUM_NONE;
	}
	return v;
}

/* Parse the last component of a SID: the pid after the last '-', and the host before it. */
static void own_take_apart(const char *own, size_t len, struct sid_parts *out)
{
	size_t pid_at = len;
	const char *host;

	while (pid_at > 0 && own[pid_at - 1] != '-' && len - pid_at < 17)
		pid_at--;
	if (pid_at < 1 || pid_at >= len || own[pid_at - 1] != '-' || own[pid_at] != 'P')
		return;
	out->pid = hex_value(own + pid_at + 1, len - pid_at - 1);
	if (out->pid == NUM_NONE || pid_at < HOST_LEN + 2 || own[pid_at - 2 - HOST_LEN] != '-')
		return;
	host = own + pid_at - 1 - HOST_LEN;
	if (memcmp(host, "Localhost", HOST_LEN) &&
	    (host[0] != 'H' || hex_value(host + 1, HOST_LEN - 1) == NUM_NONE))
		return;
	memcpy(out->host, host, HOST_LEN);
}

void sid_take_apart(const char *sid, size_t len, struct sid_parts *out)
{
	size_t own_len;
	const char *own = sid_own(sid, len, &own_len);

	*out = (struct sid_parts){ .parent_len =
					   own == sid ? SID_NO_PARENT : (size_t)(own - sid) - 1,
				   .depth = sid_depth(sid, len),
				   .pid = NUM_NONE };
	own_take_apart(own, own_len, out);
}

ns_t sid_time(const char *sid, size_t len)
{
	const char *own = sid_own(sid, len, &len);
	char text[TIME_LEN + 1];
	struct tm tm = { 0 };
	int us;

	if (len < TIME_LEN)
		return NS_NONE;
	memcpy(text, own, TIME_LEN);
	text[TIME_LEN] = '\0';
	if (sscanf(text, "%4d%2d%2dT%2d%2d%2d.%6dZ", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		   &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &us) != 7)
		return NS_NONE;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	return (ns_t)platform_time_of_utc(&tm) * NS_PER_SEC + us * NS_PER_US;
}

bool sid_is_within(const char *sid, size_t len, const char *root, size_t root_len)
{
	return len >= root_len && !memcmp(sid, root, root_len) &&
	       (len == root_len || sid[root_len] == '/');
}
