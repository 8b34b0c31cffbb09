/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_sid.h"

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/tr2_sha1.h"
#include "engine/tr2_time.h"

static char *sid;
static const char *own;
static int depth;
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static void host_component(char out[16])
{
	char name[HOST_NAME_MAX + 1];
	uint8_t digest[20];

	if (gethostname(name, sizeof(name))) {
		snprintf(out, 16, "Localhost");
		return;
	}
	name[sizeof(name) - 1] = '\0';
	tr2_sha1(name, strlen(name), digest);
	snprintf(out, 16, "H%02x%02x%02x%02x", digest[0], digest[1], digest[2], digest[3]);
}

static void make_component(char out[TR2_SID_COMPONENT_BYTES])
{
	ns_t wall = tr2_clock_wall();
	struct tr2_civil at = tr2_civil_of(wall / NS_PER_SEC);
	char host[16];

	host_component(host);
	snprintf(out, TR2_SID_COMPONENT_BYTES, "%04d%02u%02uT%02u%02u%02u.%06uZ-%s-P%08x", at.year,
		 at.month, at.day, at.hour, at.minute, at.second,
		 (unsigned)(wall % NS_PER_SEC / NS_PER_US), host, (unsigned)getpid());
}

static void make_sid(const char *variable, const char *parent)
{
	size_t parent_len = parent && *parent ? strlen(parent) + 1 : 0;
	char *made = malloc(parent_len + TR2_SID_COMPONENT_BYTES);
	int slashes = 0;

	if (!made)
		return;
	if (parent_len) {
		memcpy(made, parent, parent_len - 1);
		made[parent_len - 1] = '/';
	}
	make_component(made + parent_len);
	for (size_t i = 0; i < parent_len; i++)
		slashes += made[i] == '/';
	own = made + parent_len;
	depth = slashes;
	free(sid);
	sid = made;
	setenv(variable, sid, 1);
}

const char *tr2_sid_get(const char *variable)
{
	pthread_mutex_lock(&making);
	if (!sid)
		make_sid(variable, getenv(variable));
	pthread_mutex_unlock(&making);
	return sid ? sid : "";
}

const char *tr2_sid_own(void)
{
	return own ? own : "";
}

int tr2_sid_depth(void)
{
	return depth;
}

const char *tr2_sid_renew(const char *variable)
{
	make_sid(variable, sid);
	return sid ? sid : "";
}
