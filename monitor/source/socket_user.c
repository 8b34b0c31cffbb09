/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/source/socket_user.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/platform.h"
#include "monitor/base/visible.h"

#define NAME_BYTES 64
#define ARGS_BYTES 4096

/* Connections in /proc/net/unix that are not accepted yet have the path of their socket, but
 * inode 0. */
static bool find_inode(const char *path, unsigned long *inode)
{
	FILE *table = fopen(TR2_PLATFORM_PROC "/net/unix", "re");
	char line[512];
	bool found = false;

	while (table && !found && fgets(line, sizeof(line), table)) {
		int at = 0;

		line[strcspn(line, "\n")] = '\0';
		found = sscanf(line, "%*s %*s %*s %*s %*s %*s %lu %n", inode, &at) == 1 && at &&
			*inode && !strcmp(line + at, path);
	}
	if (table)
		fclose(table);
	return found;
}

static bool has_socket(int proc, const char *pid, const char *link)
{
	char name[NAME_BYTES], target[NAME_BYTES];
	struct dirent *entry;
	bool found = false;
	DIR *dir;
	int fd;

	snprintf(name, sizeof(name), "%.20s/fd", pid);
	fd = openat(proc, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd >= 0 ? fdopendir(fd) : NULL;
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (!found && (entry = readdir(dir))) {
		ssize_t len = readlinkat(fd, entry->d_name, target, sizeof(target) - 1);

		if (len > 0)
			target[len] = '\0';
		found = len > 0 && !strcmp(target, link);
	}
	closedir(dir);
	return found;
}

/* Returns the number of bytes read; `out` is NUL-terminated. */
static size_t read_of(int proc, const char *pid, const char *what, char *out, size_t bytes)
{
	char name[NAME_BYTES];
	ssize_t len = -1;
	int fd;

	snprintf(name, sizeof(name), "%.20s/%s", pid, what);
	fd = openat(proc, name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		len = read(fd, out, bytes - 1);
		close(fd);
	}
	out[len > 0 ? len : 0] = '\0';
	return len > 0 ? (size_t)len : 0;
}

static void format_user(int proc, const char *pid, char *out, size_t bytes)
{
	char args[ARGS_BYTES], line[2 * NAME_BYTES];
	size_t len = read_of(proc, pid, "comm", args, NAME_BYTES);
	struct tr2_buf shown;
	int at;

	args[strcspn(args, "\n")] = '\0';
	at = snprintf(line, sizeof(line), "%s (pid %.20s", len ? args : "a process", pid);
	len = read_of(proc, pid, "cmdline", args, sizeof(args));
	for (size_t from = strlen(args) + 1; from < len; from += strlen(args + from) + 1)
		if (args[from] == '-') {
			at += snprintf(line + at, sizeof(line) - (size_t)at, ", %.*s",
				       (int)strcspn(args + from, "="), args + from);
			break;
		}
	tr2_buf_init(&shown, SIZE_MAX / 2);
	text_visible(&shown, line, strlen(line));
	snprintf(out, bytes, "%s)", tr2_buf_cstr(&shown));
	tr2_buf_release(&shown);
}

bool socket_user(const char *path, char *out, size_t bytes)
{
	char link[NAME_BYTES];
	unsigned long inode;
	struct dirent *entry;
	bool found = false;
	DIR *proc;

	if (!find_inode(path, &inode))
		return false;
	snprintf(link, sizeof(link), "socket:[%lu]", inode);
	proc = opendir(TR2_PLATFORM_PROC);
	while (proc && !found && (entry = readdir(proc))) {
		found = isdigit((unsigned char)*entry->d_name) &&
			has_socket(dirfd(proc), entry->d_name, link);
		if (found)
			format_user(dirfd(proc), entry->d_name, out, bytes);
	}
	if (proc)
		closedir(proc);
	return found;
}
