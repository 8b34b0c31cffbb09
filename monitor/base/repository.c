/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/repository.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/base/platform.h"

#define PATH_BYTES     4096
#define IDX_HEAD_BYTES 1072 /* size in bytes of a pack index without objects */
#define IDX_ENTRY      28   /* bytes per object in a pack index with SHA-1 */
/* approximate bytes per line of packed-refs */
#define PACKED_REF 64
#define REF_DEPTH  6 /* maximum depth of directories below `refs` that are read */

/* Set `out` to DIR/NAME, or to an absolute NAME. Returns false if it does not fit. */
static bool repository_join(char *out, const char *dir, const char *name)
{
	int len = *name == '/' ? snprintf(out, PATH_BYTES, "%s", name)
			       : snprintf(out, PATH_BYTES, "%s/%s", dir, name);

	return len > 0 && len < PATH_BYTES;
}

static ssize_t repository_read(const char *dir, const char *name, void *out, size_t bytes)
{
	char path[PATH_BYTES];
	struct stat st;
	ssize_t nr = -1;
	int fd;

	if (!repository_join(path, dir, name))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		nr = read(fd, out, bytes);
	close(fd);
	return nr;
}

static int64_t repository_size(const char *dir, const char *name)
{
	char path[PATH_BYTES];
	struct stat st;

	return repository_join(path, dir, name) && !stat(path, &st) ? (int64_t)st.st_size : -1;
}

/* Set `out` to the path in a file of one line, such as `gitdir: PATH`. */
static bool repository_link(const char *dir, const char *name, const char *lead, char *out)
{
	char line[PATH_BYTES];
	ssize_t len = repository_read(dir, name, line, sizeof(line) - 1);
	size_t lead_len = strlen(lead);

	if (len <= 0)
		return false;
	line[len] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return !strncmp(line, lead, lead_len) && line[lead_len] &&
	       repository_join(out, dir, line + lead_len);
}

static bool repository_is_bare(const char *path)
{
	return repository_size(path, "HEAD") >= 0 && repository_size(path, "refs") >= 0;
}

static bool repository_find_git(const char *path, char *git)
{
	char link[PATH_BYTES];
	struct stat st;

	if (repository_join(git, path, ".git") && !stat(git, &st)) {
		if (!S_ISREG(st.st_mode))
			return true;
		if (!repository_link(path, ".git", "gitdir: ", link))
			return false;
		memcpy(git, link, sizeof(link));
		return true;
	}
	if (repository_is_bare(path)) {
		memcpy(git, path, strlen(path) + 1);
		return true;
	}
	return snprintf(git, PATH_BYTES, "%s.git", path) < PATH_BYTES && repository_is_bare(git);
}

/* Find the directory with the objects and refs, which all worktrees share. */
static bool repository_find(const char *path, char *out)
{
	char git[PATH_BYTES];

	if (!repository_find_git(path, git))
		return false;
	if (!repository_link(git, "commondir", "", out))
		memcpy(out, git, PATH_BYTES);
	return true;
}

static bool repository_name_ends(const char *name, const char *end)
{
	size_t len = strlen(name), wanted = strlen(end);

	return len >= wanted && !strcmp(name + len - wanted, end);
}

static void repository_look_packs(const char *objects, struct repository_facts *facts)
{
	char path[PATH_BYTES];
	struct dirent *entry;
	DIR *dir = repository_join(path, objects, "pack") ? opendir(path) : NULL;

	for (int i = 0; dir && i < REPOSITORY_ENTRIES && (entry = readdir(dir)); i++) {
		int64_t size;

		facts->midx |= !strncmp(entry->d_name, "multi-pack-index", 16);
		facts->bitmaps |= repository_name_ends(entry->d_name, ".bitmap");
		if (!repository_name_ends(entry->d_name, ".idx"))
			continue;
		facts->packs++;
		size = repository_size(path, entry->d_name);
		if (size > IDX_HEAD_BYTES)
			facts->objects += (uint64_t)(size - IDX_HEAD_BYTES) / IDX_ENTRY;
	}
	if (dir)
		closedir(dir);
}

/* Loose objects are spread over 256 directories: count those in one, as `git gc` does. */
static void repository_look_loose(const char *objects, struct repository_facts *facts)
{
	char path[PATH_BYTES];
	struct dirent *entry;
	DIR *dir = repository_join(path, objects, "17") ? opendir(path) : NULL;

	for (int i = 0; dir && i < REPOSITORY_ENTRIES && (entry = readdir(dir)); i++)
		facts->objects += *entry->d_name != '.' ? 256 : 0;
	if (dir)
		closedir(dir);
}

/* True if the commit-graph file `name` in `dir` has changed-path filters. */
static bool has_path_filters(const char *dir, const char *name)
{
	unsigned char head[8 + 12 * 256];
	ssize_t len = repository_read(dir, name, head, sizeof(head));

	if (len < 8 || memcmp(head, "CGPH", 4) != 0)
		return false;
	for (ssize_t i = 0; i < head[6] && 8 + 12 * (i + 1) <= len; i++)
		if (!memcmp(head + 8 + 12 * i, "BIDX", 4))
			return true;
	return false;
}

static void repository_look_graph(const char *objects, struct repository_facts *facts)
{
	char chain[PATH_BYTES], name[PATH_BYTES];
	ssize_t len;
	char *hash, *rest = NULL;

	if (repository_size(objects, "info/commit-graph") >= 0) {
		facts->commit_graph = true;
		facts->path_filters = has_path_filters(objects, "info/commit-graph");
		return;
	}
	len = repository_read(objects, "info/commit-graphs/commit-graph-chain", chain,
			      sizeof(chain) - 1);
	if (len <= 0)
		return;
	chain[len] = '\0';
	facts->commit_graph = true;
	for (hash = strtok_r(chain, "\n", &rest); hash; hash = strtok_r(NULL, "\n", &rest)) {
		int bytes = snprintf(name, sizeof(name), "info/commit-graphs/graph-%s.graph", hash);

		facts->path_filters |= bytes < (int)sizeof(name) && has_path_filters(objects, name);
	}
}

/* Count loose refs, up to REF_DEPTH levels deep and REPOSITORY_ENTRIES in number. */
static void count_loose_refs(const char *path, int depth, struct repository_facts *facts)
{
	struct dirent *entry;
	DIR *dir = opendir(path);

	while (dir && facts->loose_refs < REPOSITORY_ENTRIES && (entry = readdir(dir))) {
		char below[PATH_BYTES];
		struct stat st;
		enum platform_entry kind = platform_entry_kind(entry);
		bool is_dir = kind == PLATFORM_DIRECTORY;

		if (*entry->d_name == '.')
			continue;
		if (kind == PLATFORM_UNKNOWN)
			is_dir = repository_join(below, path, entry->d_name) &&
				 !lstat(below, &st) && S_ISDIR(st.st_mode);
		if (!is_dir)
			facts->loose_refs++;
		else if (depth < REF_DEPTH && repository_join(below, path, entry->d_name))
			count_loose_refs(below, depth + 1, facts);
	}
	if (dir)
		closedir(dir);
}

void repository_look(const char *worktree, size_t len, struct repository_facts *facts)
{
	char path[PATH_BYTES], common[PATH_BYTES], objects[PATH_BYTES];
	int64_t packed;

	*facts = (struct repository_facts){ .known = false };
	if (!len || *worktree != '/' || len >= sizeof(path) || memchr(worktree, '\0', len))
		return;
	memcpy(path, worktree, len);
	path[len] = '\0';
	if (!repository_find(path, common) || !repository_join(objects, common, "objects") ||
	    access(objects, R_OK | X_OK))
		return;
	facts->known = true;
	facts->alternates = repository_size(objects, "info/alternates") > 0;
	repository_look_packs(objects, facts);
	repository_look_loose(objects, facts);
	repository_look_graph(objects, facts);
	if (repository_join(path, common, "refs"))
		count_loose_refs(path, 0, facts);
	packed = repository_size(common, "packed-refs");
	facts->refs = facts->loose_refs + (packed > 0 ? (uint64_t)packed / PACKED_REF : 0);
}
