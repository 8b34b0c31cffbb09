/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/source/socket_path.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/base/platform.h"
#include "monitor/base/umask.h"
#include "monitor/source/socket_user.h"

/* Number and interval of further attempts to lock a directory. Other users may lock a directory
 * that they can open for any time, so the wait for it is short (LOCK_TRIES_SHARED). */
#define LOCK_TRIES        400
#define LOCK_TRIES_SHARED 10
#define LOCK_TRY_MS       5

/* True if a connection to the socket is refused, so that no process has it open. */
static bool is_stale(const struct sockaddr_un *addr)
{
	static const int types[] = { SOCK_STREAM, SOCK_DGRAM };

	for (int i = 0; i < 2; i++) {
		int fd = tr2_platform_socket(AF_UNIX, types[i], true);
		int failed = fd < 0 || connect(fd, (const struct sockaddr *)addr, sizeof(*addr));
		int err = errno;

		if (fd >= 0)
			close(fd);
		if (!failed || err == EAGAIN)
			return false; /* a process listens, or the socket's queue is full */
		if (err == ECONNREFUSED)
			return true;
	}
	return false;
}

static bool path_clear(const struct sockaddr_un *addr, char *why, size_t why_bytes)
{
	const char *path = addr->sun_path;
	char user[160];
	struct stat st;

	if (lstat(path, &st)) {
		if (errno == ENOENT)
			return true;
		snprintf(why, why_bytes, "%s: %s", path, strerror(errno));
		return false;
	}
	if (S_ISLNK(st.st_mode))
		snprintf(why, why_bytes, "%s is a symbolic link: name the socket itself", path);
	else if (!S_ISSOCK(st.st_mode))
		snprintf(why, why_bytes, "%s is there and no socket: give another path", path);
	else if (st.st_uid != geteuid())
		snprintf(why, why_bytes, "%s belongs to another user; use another path", path);
	else if (!is_stale(addr))
		snprintf(why, why_bytes, "%s is already in use by %s; stop it or use another path",
			 path, socket_user(path, user, sizeof(user)) ? user : "another program");
	else if (unlink(path))
		snprintf(why, why_bytes, "%s: cannot remove the stale socket: %s", path,
			 strerror(errno));
	else
		return true;
	return false;
}

/*
 * Lock the directory of `path`: the second of two trace2tops that replace a stale socket at once
 * could remove the new socket of the first. Continues without the lock after some attempts. close()
 * of the result unlocks; -1: the directory cannot be opened.
 */
static int path_lock(const char *path)
{
	const char *slash = strrchr(path, '/');
	char dir[sizeof(((struct sockaddr_un *)0)->sun_path) + 1];
	struct stat st;
	int fd, tries;

	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	tries = fstat(fd, &st) || st.st_uid != geteuid() || st.st_mode & (S_IRWXG | S_IRWXO)
			? LOCK_TRIES_SHARED
			: LOCK_TRIES;
	while (flock(fd, LOCK_EX | LOCK_NB) && tries-- > 0)
		poll(NULL, 0, LOCK_TRY_MS);
	return fd;
}

static int bind_and_listen(const struct sockaddr_un *addr, int type, unsigned mode,
			   struct stat *made, char *why, size_t why_bytes)
{
	mode_t mask = umask_get();
	bool failed;
	int fd;

	if (!path_clear(addr, why, why_bytes))
		return -1;
	fd = tr2_platform_socket(AF_UNIX, type, true);
	/* With fchmod() before bind(), the socket never has another mode. The umask is changed
	 * only if it would remove a permission, because all threads share it. */
	if (mode & mask)
		umask(mask & ~mode);
	failed = fd < 0 || fchmod(fd, mode) ||
		 bind(fd, (const struct sockaddr *)addr, sizeof(*addr));
	if (mode & mask)
		umask(mask);
	if (failed || (type != SOCK_DGRAM && listen(fd, SOMAXCONN))) {
		snprintf(why, why_bytes, "cannot listen on %s: %s", addr->sun_path,
			 strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	if (lstat(addr->sun_path, made))
		memset(made, 0, sizeof(*made));
	return fd;
}

int socket_path_open(const char *path, int type, unsigned mode, struct stat *made, char *why,
		     size_t why_bytes)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int lock, fd;

	if (strlen(path) >= sizeof(addr.sun_path)) {
		snprintf(why, why_bytes,
			 "the socket's path is longer than %zu bytes: give a shorter one",
			 sizeof(addr.sun_path) - 1);
		return -1;
	}
	memcpy(addr.sun_path, path, strlen(path) + 1);
	lock = path_lock(path);
	fd = bind_and_listen(&addr, type, mode, made, why, why_bytes);
	if (lock >= 0)
		close(lock);
	return fd;
}

void socket_path_remove(const char *path, const struct stat *made)
{
	struct stat st;

	if (!lstat(path, &st) && st.st_dev == made->st_dev && st.st_ino == made->st_ino)
		unlink(path);
}
