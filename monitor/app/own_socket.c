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

#include "monitor/base/die.h"

#define SOCKET_NAME "trace2top.sock"
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

char *own_socket_path(char *why, size_t why_bytes)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	char dir[PATH_MAX], path[PATH_MAX + sizeof(SOCKET_NAME) + 1];

	/* By its specification one that is not absolute counts as none. */
	if (runtime && *runtime == '/') {
		snprintf(dir, sizeof(dir), "%s", runtime);
		if (!is_ours(dir, false, S_IRWXG | S_IRWXO, why, why_bytes))
			return NULL;
	} else if (!in_cache(dir, sizeof(dir), why, why_bytes)) {
		return NULL;
	}
	snprintf(path, sizeof(path), "%s/" SOCKET_NAME, dir);
	return xstrdup(path);
}
