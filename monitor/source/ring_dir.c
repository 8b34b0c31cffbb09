/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/source/ring_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/base/die.h"

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static bool is_as_we_make_it(const struct stat *st)
{
	return st->st_uid == geteuid() && (st->st_mode & 07777) == 0700;
}

/* Lock the directory. Returns NULL, or the reason why it cannot be used. */
static const char *ring_dir_fault_of(int fd, const struct stat *st)
{
	if (st->st_uid != geteuid())
		return "belongs to another user";
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return "can be written to by other users";
	if (flock(fd, LOCK_EX | LOCK_NB))
		return "is read by another trace2top";
	return NULL;
}

static char *path_of(const char *socket)
{
	size_t len = strlen(socket);
	char *path = xmalloc(len + sizeof(RING_DIR_SUFFIX));

	memcpy(path, socket, len);
	memcpy(path + len, RING_DIR_SUFFIX, sizeof(RING_DIR_SUFFIX));
	return path;
}

struct ring_dir *ring_dir_make(const char *socket, char *why, size_t why_bytes)
{
	struct ring_dir *dir = xcalloc(1, sizeof(*dir));
	const char *fault = NULL;
	struct stat st;

	dir->path = path_of(socket);
	dir->fd = -1;
	if (mkdir(dir->path, 0700) && errno != EEXIST)
		fault = strerror(errno);
	if (!fault && !lstat(dir->path, &st) && S_ISLNK(st.st_mode))
		fault = "is a symbolic link";
	if (!fault && ((dir->fd = open(dir->path, OPEN_DIR)) < 0 || fstat(dir->fd, &st)))
		fault = strerror(errno);
	if (!fault)
		fault = ring_dir_fault_of(dir->fd, &st);
	if (fault) {
		snprintf(why, why_bytes, "no rings, for %s: %s", dir->path, fault);
		if (dir->fd >= 0)
			close(dir->fd);
		free(dir->path);
		free(dir);
		return NULL;
	}
	dir->is_removed = is_as_we_make_it(&st);
	return dir;
}

/* True if the path still refers to the opened directory. */
static bool ring_dir_exists(const struct ring_dir *dir)
{
	struct stat own, st;

	return !fstat(dir->fd, &own) && !lstat(dir->path, &st) && own.st_dev == st.st_dev &&
	       own.st_ino == st.st_ino;
}

void ring_dir_leave(struct ring_dir *dir)
{
	if (!dir)
		return;
	if (dir->is_removed && ring_dir_exists(dir))
		rmdir(dir->path);
	close(dir->fd);
	free(dir->path);
	free(dir);
}

void ring_dir_sweep(int parent, const char *socket)
{
	char *path = path_of(socket);
	int fd = openat(parent, path, OPEN_DIR);
	DIR *all = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *ent;
	struct stat st;

	if (all && !fstat(fd, &st) && is_as_we_make_it(&st) && !flock(fd, LOCK_EX | LOCK_NB)) {
		while ((ent = readdir(all)))
			unlinkat(fd, ent->d_name, 0);
		unlinkat(parent, path, AT_REMOVEDIR);
	}
	if (all)
		closedir(all);
	else if (fd >= 0)
		close(fd);
	free(path);
}
