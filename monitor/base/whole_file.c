/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/base/die.h"

static bool is_replaceable(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_nlink == 1 && st->st_uid == geteuid();
}

static int temp_make(struct whole_file *file, const struct stat *old, mode_t mode)
{
	size_t bytes = strlen(file->path) + 32;
	int fd;

	file->temp = xmalloc(bytes);
	snprintf(file->temp, bytes, "%s.%ld.tmp", file->path, (long)getpid());
	fd = open(file->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, mode);
	if (fd >= 0 && (!old || !fchmod(fd, old->st_mode & 07777)))
		return fd;
	if (fd >= 0) {
		close(fd);
		unlink(file->temp);
	}
	free(file->temp);
	file->temp = NULL;
	return -1;
}

int whole_file_nofollow(const char *path)
{
	char *dir = xstrdup(path), *slash = strrchr(dir, '/');
	struct stat st;
	bool shared;

	if (slash)
		slash[slash == dir] = '\0';
	shared = !stat(slash ? dir : ".", &st) && st.st_mode & (S_IWGRP | S_IWOTH);
	free(dir);
	return shared ? O_NOFOLLOW : 0;
}

bool whole_file_open(struct whole_file *file, const char *path, mode_t mode)
{
	int nofollow = whole_file_nofollow(path);
	struct stat st;
	bool there, refused = nofollow && !lstat(path, &st) && S_ISLNK(st.st_mode);
	char *resolved;
	int fd = -1;

	there = !stat(path, &st);
	resolved = there ? realpath(path, NULL) : NULL;
	*file = (struct whole_file){ .path = resolved ? resolved : xstrdup(path) };
	if (refused) {
		errno = ELOOP;
		return false;
	}
	/* Do not replace a dangling symbolic link: opening it creates its target. */
	if (there ? resolved && is_replaceable(&st) : lstat(path, &st) != 0)
		fd = temp_make(file, there ? &st : NULL, mode);
	if (fd < 0)
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | nofollow,
			  mode);
	file->to = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!file->to && fd >= 0)
		close(fd);
	return file->to != NULL;
}

/* Discard an incomplete file: remove the temporary file, or truncate a regular one. */
static void undo(struct whole_file *file)
{
	int error = errno;
	struct stat st;

	if (file->temp)
		unlink(file->temp);
	else if (file->to && !fstat(fileno(file->to), &st) && S_ISREG(st.st_mode) &&
		 ftruncate(fileno(file->to), 0))
		error = errno;
	errno = error;
}

bool whole_file_close(struct whole_file *file, bool ok)
{
	int error = ok ? 0 : errno;

	ok = ok && file->to && !fflush(file->to) && !ferror(file->to);
	error = ok || error ? error : errno;
	if (!ok)
		undo(file);
	if (file->to && fclose(file->to) && ok) {
		error = errno;
		ok = false;
	}
	if (ok && file->temp && rename(file->temp, file->path)) {
		error = errno;
		ok = false;
	}
	if (!ok && file->temp)
		unlink(file->temp);
	free(file->temp);
	free(file->path);
	*file = (struct whole_file){ 0 };
	errno = error;
	return ok;
}
