/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_dst_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SENTINEL     "git-trace2-discard"
#define MAX_ATTEMPTS 10

static int create_trace_file(const char *directory, const char *name, int attempt)
{
	size_t len = strlen(directory);
	const char *slash = len && directory[len - 1] == '/' ? "" : "/";
	char path[PATH_MAX], suffix[16] = "";
	int n;

	if (attempt)
		snprintf(suffix, sizeof(suffix), ".%d", attempt);
	n = snprintf(path, sizeof(path), "%s%s%s%s", directory, slash, name, suffix);
	if (n < 0 || (size_t)n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static bool has_sentinel(const char *directory)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/" SENTINEL, directory);

	return n > 0 && (size_t)n < sizeof(path) && !access(path, F_OK);
}

static bool directory_is_full(const char *directory, int max)
{
	DIR *dir = opendir(directory);
	int nr = 0;

	if (!dir)
		return false;
	while (nr < max && readdir(dir))
		nr++;
	closedir(dir);
	return nr >= max;
}

bool tr2_dir_has_space(const char *directory, int max_files)
{
	return max_files <= 0 ||
	       (!has_sentinel(directory) && !directory_is_full(directory, max_files));
}

struct tr2_dir_file tr2_dir_create(const char *directory, const char *name, int max_files)
{
	struct tr2_dir_file file = { .fd = -1 };

	if (max_files > 0) {
		if (has_sentinel(directory)) {
			file.full = true;
			return file;
		}
		if (directory_is_full(directory, max_files)) {
			file.full = true;
			file.fd = create_trace_file(directory, SENTINEL, 0);
			return file;
		}
	}
	for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
		file.fd = create_trace_file(directory, name, attempt);
		if (file.fd >= 0 || errno != EEXIST)
			break;
	}
	file.error = file.fd < 0 ? errno : 0;
	return file;
}
