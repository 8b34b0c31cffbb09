/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/repo_names.h"

#include <string.h>

void repo_names_clear(struct repo_names *names)
{
	names->nr = 0;
	names->is_full = false;
}

static bool is_same_path(const struct repo_path *a, const char *path, size_t len)
{
	return a->len == len && (a->path == path || !memcmp(a->path, path, len));
}

static size_t without_git(const char *path, size_t len)
{
	return len > 5 && !memcmp(path + len - 5, "/.git", 5) ? len - 5 : len;
}

void repo_names_add(struct repo_names *names, const char *path, size_t len)
{
	len = without_git(path, len);
	for (int i = 0; i < names->nr; i++)
		if (is_same_path(&names->paths[i], path, len))
			return;
	if (names->nr == REPO_NAMES_MAX)
		names->is_full = true;
	else
		names->paths[names->nr++] = (struct repo_path){ path, len };
}

/* Return the offset at which the last `nr` components of a path begin; 0 if it has no more
 * components. */
static size_t components_begin(const char *path, size_t len, int nr)
{
	while (len && path[len - 1] == '/')
		len--;
	for (; len; len--)
		if (path[len - 1] == '/' && !--nr)
			return len;
	return 0;
}

static bool is_unique(const struct repo_names *names, const char *path, size_t len, size_t from)
{
	for (int i = 0; i < names->nr; i++) {
		const struct repo_path *other = &names->paths[i];

		if (is_same_path(other, path, len) || other->len < len - from)
			continue;
		if (!memcmp(other->path + other->len - (len - from), path + from, len - from) &&
		    (other->len == len - from || other->path[other->len - (len - from) - 1] == '/'))
			return false;
	}
	return true;
}

const char *repo_names_get(const struct repo_names *names, const char *path, size_t *len)
{
	size_t from = *len = without_git(path, *len);

	if (names->nr < 2) {
		*len = 0;
		return NULL;
	}
	for (int nr = 1; from; nr++) {
		from = components_begin(path, *len, nr);
		if (names->is_full || is_unique(names, path, *len, from))
			break;
	}
	*len -= from;
	return path + from;
}
