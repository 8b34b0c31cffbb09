/* SPDX-License-Identifier: MIT */
/*
 * Short names of repositories: the last component of each working tree, or as many components as
 * are needed to distinguish working trees with the same last component. One thread.
 */
#ifndef VIEWS_REPO_NAMES_H
#define VIEWS_REPO_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define REPO_NAMES_MAX 64

/* A set of paths, which are borrowed; initially all zeros. */
struct repo_names {
	struct repo_path {
		const char *path;
		size_t len;
	} paths[REPO_NAMES_MAX];
	int nr;
	bool is_full; /* more paths were added than fit: names are then only last components */
};

void repo_names_clear(struct repo_names *names);

/* Add a path, without "/.git" at its end, unless it was added before. */
void repo_names_add(struct repo_names *names, const char *path, size_t len);

/* Return the name of a path that was added: a part of the path. `*len`: length of the path, then of
 * the name. NULL if there are fewer than two paths, because a name would distinguish nothing. */
const char *repo_names_get(const struct repo_names *names, const char *path, size_t *len);

#endif
