/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_sid.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/tr2_env.h"
#include "engine/tr2_lock.h"
#include "engine/tr2_sha1.h"
#include "engine/tr2_time.h"

/* A session id. It does not change once `newest` points to it, and is never freed, because a host
 * program may keep the text of an old one. */
struct session_id {
	/* the previous session id of this process, so that leak checkers find it */
	struct session_id *before;
	/* offset in the session id of its last component, which this process added */
	size_t own_at;
	int depth;
	char text[];
};

static struct session_id *newest; /* atomic; the current session id; changed with tr2_lock() held */

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

/* Create the session id from `parent` (if any) and a component of this process. Call with
 * tr2_lock() held. */
static bool make_sid(const char *variable, const char *parent)
{
	size_t own_at = parent && *parent ? strlen(parent) + 1 : 0;
	struct session_id *made = malloc(sizeof(*made) + own_at + TR2_SID_COMPONENT_BYTES);

	if (!made)
		return false;
	made->before = newest;
	made->own_at = own_at;
	made->depth = 0;
	if (own_at) {
		memcpy(made->text, parent, own_at - 1);
		made->text[own_at - 1] = '/';
	}
	make_component(made->text + own_at);
	for (size_t i = 0; i < own_at; i++)
		made->depth += made->text[i] == '/';
	tr2_env_export(variable, made->text);
	__atomic_store_n(&newest, made, __ATOMIC_RELEASE);
	return true;
}

static const struct session_id *current_sid(void)
{
	return __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
}

const char *tr2_sid_get(const char *variable)
{
	sigset_t before;

	if (!current_sid()) {
		tr2_lock(&before);
		if (!newest)
			make_sid(variable, tr2_env(variable));
		tr2_unlock(&before);
	}
	return current_sid() ? current_sid()->text : "";
}

const char *tr2_sid_own(void)
{
	return current_sid() ? current_sid()->text + current_sid()->own_at : "";
}

int tr2_sid_depth(void)
{
	return current_sid() ? current_sid()->depth : 0;
}

bool tr2_sid_renew(const char *variable)
{
	return make_sid(variable, newest ? newest->text : NULL);
}
