/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/own_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "monitor/base/die.h"
#include "monitor/base/platform.h"

#define SOCKET_NAME "trace2top.sock"
#define TARGET      "af_unix:stream:"
#define TARGET_NAME "trace2top-attach-"
#define TARGET_MADE "-made.sock"
#define TARGET_END  ".sock"
#define MEND        "give a SOURCE, or set trace2.eventTarget"

static const char open_to_others[] = "is open to other users";

/* Return why a directory with the status `st` is not private to the user; NULL if it is. `others`:
 * mask of permissions that other users must not have. */
static const char *not_ours(const struct stat *st, mode_t others)
{
	if (S_ISLNK(st->st_mode))
		return "is a symbolic link";
	if (!S_ISDIR(st->st_mode))
		return "is not a directory";
	if (st->st_uid != geteuid())
		return "belongs to another user";
	return st->st_mode & others ? open_to_others : NULL;
}

static bool is_ours(const char *path, bool through_link, mode_t others, char *why, size_t why_bytes)
{
	struct stat st;
	const char *fault;

	if (through_link ? stat(path, &st) : lstat(path, &st))
		fault = strerror(errno);
	else
		fault = not_ours(&st, others);
	if (fault == open_to_others)
		snprintf(why, why_bytes,
			 "cannot create a socket: %s: %s; run chmod go-rwx %s, or give a SOURCE",
			 path, fault, path);
	else if (fault)
		snprintf(why, why_bytes, "cannot create a socket: %s: %s; " MEND, path, fault);
	return !fault;
}

/*
 * Get the directory for sockets in the user's cache. Others must not be able to replace it by
 * writing to ~/.cache; but ~/.cache may be a symbolic link, and its group may write to it: the user
 * chose that.
 */
static bool in_cache(char *dir, size_t bytes, char *why, size_t why_bytes)
{
	const char *home = getenv("HOME");

	if (!home || *home != '/') {
		snprintf(why, why_bytes,
			 "cannot create a socket: neither XDG_RUNTIME_DIR nor HOME is set; " MEND);
		return false;
	}
	snprintf(dir, bytes, "%s/.cache", home);
	mkdir(dir, 0700);
	if (!is_ours(dir, true, S_IWOTH, why, why_bytes))
		return false;
	snprintf(dir, bytes, "%s/.cache/trace2top", home);
	mkdir(dir, 0700);
	return is_ours(dir, false, S_IRWXG | S_IRWXO, why, why_bytes);
}

static char *own_socket_named(const char *name, char *why, size_t why_bytes)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	char dir[PATH_MAX], path[PATH_MAX + NAME_MAX + 2];

	/* Ignore a relative path, as the XDG specification requires. */
	if (runtime && *runtime == '/') {
		snprintf(dir, sizeof(dir), "%s", runtime);
		if (!is_ours(dir, false, S_IRWXG | S_IRWXO, why, why_bytes))
			return NULL;
	} else if (!in_cache(dir, sizeof(dir), why, why_bytes)) {
		return NULL;
	}
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return xstrdup(path);
}

char *own_socket_path(char *why, size_t why_bytes)
{
	return own_socket_named(SOCKET_NAME, why, why_bytes);
}

#define HOST_MAX_BYTES 12 /* a socket's path has at most 107 bytes */
#define HASH_BYTES     6
#define BOOT_BYTES     8
#define HERE_BYTES     (HOST_MAX_BYTES + 1 + BOOT_BYTES + 1 + 1)

/*
 * Write "HOST-BOOT8-": the host's name, cut and with a hash if it is too long, and the start of the
 * boot id, or zeros if that is unknown. The name distinguishes containers, which share a boot id.
 */
static const char *here_name(char out[HERE_BYTES])
{
	char host[256] = "", boot[BOOT_BYTES + 1] = "";
	uint32_t hash = 2166136261u;

	platform_boot_id(boot, sizeof(boot));
	if (strspn(boot, "0123456789abcdef") != BOOT_BYTES)
		snprintf(boot, sizeof(boot), "%08d", 0);
	if (gethostname(host, sizeof(host) - 1) || !*host)
		snprintf(host, sizeof(host), "host");
	for (char *p = host; *p; p++) {
		hash = (hash ^ (unsigned char)*p) * 16777619u;
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-", *p))
			*p = '_';
	}
	if (strlen(host) > HOST_MAX_BYTES)
		snprintf(host + HOST_MAX_BYTES - HASH_BYTES, HASH_BYTES + 1, "%06x",
			 (unsigned)(hash & 0xffffff));
	snprintf(out, HERE_BYTES, "%.*s-%s-", HOST_MAX_BYTES, host, boot);
	return out;
}

char *own_target(bool made, char *why, size_t why_bytes)
{
	char name[120], here[HERE_BYTES], *path, *target;
	size_t bytes;

	snprintf(name, sizeof(name), TARGET_NAME "%s%ld-%lld%s", here_name(here), (long)getpid(),
		 (long long)(tr2_clock_wall() / NS_PER_MS), made ? TARGET_MADE : TARGET_END);
	path = own_socket_named(name, why, why_bytes);
	if (!path)
		return NULL;
	bytes = strlen(TARGET) + strlen(path) + 1;
	target = xmalloc(bytes);
	snprintf(target, bytes, TARGET "%s", path);
	free(path);
	return target;
}

/* Return the position of the dash before the digits that end at `end`; NULL: none. */
static const char *number_back(const char *from, const char *end)
{
	const char *p = end;

	while (p > from && p[-1] >= '0' && p[-1] <= '9')
		p--;
	return p < end && p > from && p[-1] == '-' ? p - 1 : NULL;
}

/* Return the position after "HOST-BOOT8" in `name`, which begins after TARGET_NAME; NULL if
 * own_target() did not make it. HOST may contain dashes, so the name is parsed from its end. */
static const char *here_end(const char *name)
{
	size_t len = strlen(name), made = strlen(TARGET_MADE), plain = strlen(TARGET_END);
	const char *end = name + len;

	if (len > made && !strcmp(end - made, TARGET_MADE))
		end -= made;
	else if (len > plain && !strcmp(end - plain, TARGET_END))
		end -= plain;
	else
		return NULL;
	end = number_back(name, end);
	end = end ? number_back(name, end) : NULL;
	if (!end || end - name < BOOT_BYTES + 2 || end[-BOOT_BYTES - 1] != '-' ||
	    strspn(end - BOOT_BYTES, "0123456789abcdef") < BOOT_BYTES)
		return NULL;
	return end;
}

const char *own_target_path(const char *target)
{
	const char *path = target + strlen(TARGET), *name;

	if (strncmp(target, TARGET "/", strlen(TARGET) + 1))
		return NULL;
	name = strrchr(path, '/') + 1;
	if (strncmp(name, TARGET_NAME, strlen(TARGET_NAME)))
		return NULL;
	return here_end(name + strlen(TARGET_NAME)) ? path : NULL;
}

bool own_target_is_here(const char *target)
{
	const char *path = own_target_path(target), *name, *end;
	char here[HERE_BYTES];

	if (!path)
		return false;
	name = strrchr(path, '/') + 1 + strlen(TARGET_NAME);
	end = here_end(name);
	here_name(here);
	return strlen(here) == (size_t)(end - name) + 1 && !strncmp(name, here, strlen(here));
}

bool own_target_is_made(const char *target)
{
	size_t len = strlen(target), end = strlen(TARGET_MADE);

	return len >= end && !strcmp(target + len - end, TARGET_MADE);
}
