/* SPDX-License-Identifier: MIT */
/*
 * Short names of repositories: the last component of each working tree; if two working trees have
 * the same last component, as many components as tell them apart. One thread.
 */
#ifndef VIEWS_REPO_NAMES_H
#define VIEWS_REPO_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define REPO_NAMES_MAX 64

/* All zeros is empty. The paths are borrowed. */
struct repo_names {
	struct repo_path {
		const char *path;
		size_t len;
	} paths[REPO_NAMES_MAX];
	int nr;
	bool is_full; /* there are more: names are then last components */
};

void repo_names_clear(struct repo_names *names);

/* Add a path unless it is there. Symbols are compared by address first, so this is fast. */
void repo_names_add(struct repo_names *names, const char *path, size_t len);

/* Return the name of an added path, a part of it, and its length in `*len` (which is that of the
 * path before). NULL if there is only one path: a name says nothing then. */
const char *repo_names_get(const struct repo_names *names, const char *path, size_t *len);

#endif
