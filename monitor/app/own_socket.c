/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/own_socket.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "monitor/base/die.h"

#define SOCKET_NAME "trace2top.sock"
#define TARGET      "af_unix:stream:"
#define TARGET_NAME "trace2top-attach-"
#define TARGET_MADE "-made.sock"
#define TARGET_END  ".sock"
#define MEND        "name a SOURCE, or set trace2.eventTarget"

/* Why `path`, of which `st` tells, is no directory of ours alone; NULL: it is one. `others`: the
 * permissions that nobody else may have. */
static const char *not_ours(const struct stat *st, mode_t others)
{
	if (S_ISLNK(st->st_mode))
		return "is a symbolic link";
	if (!S_ISDIR(st->st_mode))
		return "is no directory";
	if (st->st_uid != geteuid())
		return "belongs to another user";
	return st->st_mode & others ? "is open to other users" : NULL;
}

static bool is_ours(const char *path, bool through_link, mode_t others, char *why, size_t why_bytes)
{
	struct stat st;
	const char *fault;

	if (through_link ? stat(path, &st) : lstat(path, &st))
		fault = strerror(errno);
	else
		fault = not_ours(&st, others);
	if (fault)
		snprintf(why, why_bytes, "no place for a socket of our own: %s: %s; " MEND, path,
			 fault);
	return !fault;
}

/* Whoever can write to the cache can put a directory of his in the place of ours. That it is a
 * link, or that its group can read it, is the user's own choice. */
static bool in_cache(char *dir, size_t bytes, char *why, size_t why_bytes)
{
	const char *home = getenv("HOME");

	if (!home || *home != '/') {
		snprintf(why, why_bytes,
			 "no place for a socket of our own: neither XDG_RUNTIME_DIR nor HOME is "
			 "set; " MEND);
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

static char *named(const char *name, char *why, size_t why_bytes)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	char dir[PATH_MAX], path[PATH_MAX + NAME_MAX + 2];

	/* By its specification one that is not absolute counts as none. */
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
	return named(SOCKET_NAME, why, why_bytes);
}

char *own_target(bool made, char *why, size_t why_bytes)
{
	char name[80], *path, *target;
	size_t bytes;

	snprintf(name, sizeof(name), TARGET_NAME "%ld-%lld%s", (long)getpid(),
		 (long long)(tr2_clock_wall() / NS_PER_MS), made ? TARGET_MADE : TARGET_END);
	path = named(name, why, why_bytes);
	if (!path)
		return NULL;
	bytes = strlen(TARGET) + strlen(path) + 1;
	target = xmalloc(bytes);
	snprintf(target, bytes, TARGET "%s", path);
	free(path);
	return target;
}

static const char *digits_skip(const char *p)
{
	return p + strspn(p, "0123456789");
}

const char *own_target_path(const char *target)
{
	const char *path = target + strlen(TARGET), *pid, *start, *end;

	if (strncmp(target, TARGET "/", strlen(TARGET) + 1))
		return NULL;
	pid = strrchr(path, '/') + 1;
	if (strncmp(pid, TARGET_NAME, strlen(TARGET_NAME)))
		return NULL;
	pid += strlen(TARGET_NAME);
	start = digits_skip(pid);
	if (start == pid || *start++ != '-')
		return NULL;
	end = digits_skip(start);
	return end != start && (!strcmp(end, TARGET_END) || !strcmp(end, TARGET_MADE)) ? path
										       : NULL;
}

bool own_target_is_made(const char *target)
{
	size_t len = strlen(target), end = strlen(TARGET_MADE);

	return len >= end && !strcmp(target + len - end, TARGET_MADE);
}
