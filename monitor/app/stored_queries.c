/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/stored_queries.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/settings/config_file.h"

#ifndef QUERIES_DIRECTORY
#define QUERIES_DIRECTORY "/usr/share/trace2top/queries"
#endif

#define QUERY_SUFFIX         ".sql"
#define MAX_STORED_BYTES     (64u << 10)
#define NR_QUERY_DIRECTORIES 2

static bool query_directory(int number, char path[PATH_MAX])
{
	char *config, *slash;

	if (number) {
		snprintf(path, PATH_MAX, "%s", QUERIES_DIRECTORY);
		return true;
	}
	config = config_file_path();
	slash = config ? strrchr(config, '/') : NULL;
	if (slash)
		snprintf(path, PATH_MAX, "%.*s/queries", (int)(slash - config), config);
	free(config);
	return slash != NULL;
}

static bool is_query_name(const char *line)
{
	size_t len = strcspn(line, " \t\n\r;/()*'\"");

	return len && !line[len] && *line != '.' && len < NAME_MAX - strlen(QUERY_SUFFIX);
}

static char *query_read(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text;
	size_t len;

	if (!file)
		return NULL;
	text = xmalloc(MAX_STORED_BYTES + 1);
	len = fread(text, 1, MAX_STORED_BYTES + 1, file);
	errno = ferror(file) ? EIO : len > MAX_STORED_BYTES || memchr(text, '\0', len) ? EFBIG : 0;
	fclose(file);
	if (errno || len > MAX_STORED_BYTES) {
		free(text);
		return NULL;
	}
	text[len] = '\0';
	return text;
}

char *stored_query_text(const char *line, char *why, size_t why_bytes)
{
	char directory[PATH_MAX], path[2 * PATH_MAX], *text;

	if (!is_query_name(line))
		return xstrdup(line);
	for (int i = 0; i < NR_QUERY_DIRECTORIES; i++) {
		if (!query_directory(i, directory))
			continue;
		snprintf(path, sizeof(path), "%s/%s" QUERY_SUFFIX, directory, line);
		text = query_read(path);
		if (text)
			return text;
		if (errno != ENOENT && errno != ENOTDIR) {
			snprintf(why, why_bytes, "cannot read the query %.60s" QUERY_SUFFIX ": %s",
				 line,
				 errno == EFBIG ? "not a text of at most 64K" : strerror(errno));
			return NULL;
		}
	}
	snprintf(why, why_bytes,
		 "'%.60s' is not a SELECT, and no query is stored as %.60s" QUERY_SUFFIX, line,
		 line);
	return NULL;
}

void stored_queries_offer(const char *begun, void (*offer)(void *data, const char *name),
			  void *data)
{
	char directory[PATH_MAX];

	for (int i = 0; i < NR_QUERY_DIRECTORIES; i++) {
		struct dirent **entries;
		int nr = query_directory(i, directory)
				 ? scandir(directory, &entries, NULL, alphasort)
				 : -1;

		for (int k = 0; k < nr; k++) {
			char *name = entries[k]->d_name, *end = strstr(name, QUERY_SUFFIX);

			if (end && !end[strlen(QUERY_SUFFIX)]) {
				*end = '\0';
				if (is_query_name(name) && !strncmp(name, begun, strlen(begun)))
					offer(data, name);
			}
			free(entries[k]);
		}
		if (nr >= 0)
			free(entries);
	}
}
