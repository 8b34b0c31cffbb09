/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/source/private_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "monitor/base/die.h"
#include "monitor/source/ring_dir.h"

#define PREFIX   "trace2top-run-"
#define TEMPLATE PREFIX "XXXXXX"
/* A directory that changed less than this many seconds ago may not be locked yet. */
#define YOUNG_SECONDS 10

/* True if the directory is abandoned; then `fd` holds its lock. */
static bool is_left(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_uid == geteuid() && (st.st_mode & 07777) == 0700 &&
	       time(NULL) - st.st_mtime >= YOUNG_SECONDS && !flock(fd, LOCK_EX | LOCK_NB);
}

/* Remove the directories in `tmp` that killed trace2tops left, with their sockets and ring
 * directories. Directories with other files stay. */
static void sweep(const char *tmp)
{
	DIR *all = opendir(tmp);
	struct dirent *ent;

	while (all && (ent = readdir(all))) {
		struct stat st;
		int fd;

		if (strncmp(ent->d_name, PREFIX, strlen(PREFIX)) ||
		    strlen(ent->d_name) != strlen(TEMPLATE))
			continue;
		fd = openat(dirfd(all), ent->d_name,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (is_left(fd)) {
			if (!fstatat(fd, PRIVATE_DIR_SOCKET, &st, AT_SYMLINK_NOFOLLOW) &&
			    S_ISSOCK(st.st_mode))
				unlinkat(fd, PRIVATE_DIR_SOCKET, 0);
			ring_dir_sweep(fd, PRIVATE_DIR_SOCKET);
			unlinkat(dirfd(all), ent->d_name, AT_REMOVEDIR);
		}
		close(fd);
	}
	if (all)
		closedir(all);
}

bool private_dir_make(struct private_dir *dir, char *why, size_t why_bytes)
{
	const char *tmp = getenv("TMPDIR");
	char path[80];

	*dir = (struct private_dir){ .fd = -1 };
	/* The path of a Unix socket may have about 100 bytes. */
	if (!tmp || *tmp != '/' || strlen(tmp) > 50)
		tmp = "/tmp";
	sweep(tmp);
	snprintf(path, sizeof(path), "%s/" TEMPLATE, tmp);
	if (!mkdtemp(path)) {
		snprintf(why, why_bytes, "cannot make a private directory in %s: %s", tmp,
			 strerror(errno));
		return false;
	}
	dir->path = xstrdup(path);
	return true;
}

void private_dir_hold(struct private_dir *dir)
{
	/* On failure, another trace2top may remove the directory as abandoned. */
	dir->fd = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir->fd >= 0 && flock(dir->fd, LOCK_EX | LOCK_NB)) {
		close(dir->fd);
		dir->fd = -1;
	}
}

void private_dir_remove(struct private_dir *dir)
{
	if (!dir->path)
		return;
	rmdir(dir->path);
	free(dir->path);
	if (dir->fd >= 0)
		close(dir->fd);
	*dir = (struct private_dir){ .fd = -1 };
}
