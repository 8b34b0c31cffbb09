/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_config_repo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/tr2_config.h"
#include "engine/tr2_config_safe.h"
#include "engine/tr2_env.h"
#include "engine/tr2_path.h"

#define GITFILE_MAX_BYTES (1 << 20)

static const char *set_path(struct tr2_buf *out, const char *dir, const char *name)
{
	size_t len = strlen(dir);

	tr2_buf_clear(out);
	if (len && dir[len - 1] == '/' && *name == '/')
		name++;
	return tr2_buf_addstr(out, dir) && tr2_buf_addstr(out, name) ? tr2_buf_cstr(out) : NULL;
}

/* Append a file without its trailing line ends. Returns false if nothing remains, or on failure. */
static bool read_trimmed_file(struct tr2_buf *out, const char *path)
{
	if (!path || !tr2_file_read(out, path))
		return false;
	while (out->len && (out->data[out->len - 1] == '\n' || out->data[out->len - 1] == '\r'))
		out->len--;
	return out->len > 0;
}

static bool add_resolved_path(struct tr2_buf *out, const char *dir, const char *path)
{
	if (*path == '/')
		return tr2_buf_addstr(out, path);
	return tr2_buf_addstr(out, dir) && tr2_buf_addch(out, '/') && tr2_buf_addstr(out, path);
}

static bool add_common_dir(struct tr2_buf *out, const char *git_dir)
{
	const char *env = tr2_env("GIT_COMMON_DIR"), *file;
	struct tr2_buf path, word;
	struct stat st;
	bool ok;

	if (env)
		return tr2_buf_addstr(out, env);
	tr2_buf_init(&path, TR2_PATH_MAX_BYTES);
	tr2_buf_init(&word, TR2_PATH_MAX_BYTES);
	file = set_path(&path, git_dir, "/commondir");
	if (file && !lstat(file, &st)) {
		ok = read_trimmed_file(&word, file);
		tr2_buf_clear(&path);
		ok = ok && add_resolved_path(&path, git_dir, tr2_buf_cstr(&word)) &&
		     tr2_path_real(out, tr2_buf_cstr(&path));
	} else {
		ok = file && tr2_buf_addstr(out, git_dir);
	}
	tr2_buf_release(&path);
	tr2_buf_release(&word);
	return ok;
}

/* True if the HEAD file at `path` begins with an object id or with a symbolic ref to refs/, or is a
 * symbolic link to refs/. */
static bool is_head(const char *path)
{
	struct tr2_buf text;
	const char *at;
	char link[8];
	ssize_t n = readlink(path, link, sizeof(link));
	bool ok;

	if (n >= 0)
		return n >= 5 && !memcmp(link, "refs/", 5);
	tr2_buf_init(&text, TR2_PATH_MAX_BYTES);
	tr2_file_read(&text, path);
	at = tr2_buf_cstr(&text);
	ok = strspn(at, "0123456789abcdefABCDEF") >= 40;
	if (!strncmp(at, "ref:", 4))
		ok = !strncmp(at + 4 + strspn(at + 4, " \t\n\r"), "refs/", 5);
	tr2_buf_release(&text);
	return ok;
}

static bool can_enter(struct tr2_buf *path, const char *dir, const char *name)
{
	return set_path(path, dir, name) && !access(tr2_buf_cstr(path), X_OK);
}

static bool is_git_dir(const char *dir)
{
	const char *objects = tr2_env("GIT_OBJECT_DIRECTORY");
	struct tr2_buf path, common;
	bool ok;

	tr2_buf_init(&path, TR2_PATH_MAX_BYTES);
	tr2_buf_init(&common, TR2_PATH_MAX_BYTES);
	ok = set_path(&path, dir, "/HEAD") && is_head(tr2_buf_cstr(&path)) &&
	     add_common_dir(&common, dir) &&
	     (objects ? !access(objects, X_OK)
		      : can_enter(&path, tr2_buf_cstr(&common), "/objects")) &&
	     can_enter(&path, tr2_buf_cstr(&common), "/refs");
	tr2_buf_release(&path);
	tr2_buf_release(&common);
	return ok;
}

enum repo_search {
	NOTHING,
	FOUND,
	/* Git would reject the repository in this directory, or an error occurred */
	REFUSED
};

static bool add_named_dir(struct tr2_buf *out, const char *dir, const char *gitfile)
{
	static const char lead[] = "gitdir: ";
	struct tr2_buf text, path;
	const char *line;
	bool ok = false;

	tr2_buf_init(&text, GITFILE_MAX_BYTES);
	tr2_buf_init(&path, TR2_PATH_MAX_BYTES);
	if (read_trimmed_file(&text, gitfile)) {
		line = tr2_buf_cstr(&text);
		ok = !strncmp(line, lead, sizeof(lead) - 1) && line[sizeof(lead) - 1] &&
		     add_resolved_path(&path, dir, line + sizeof(lead) - 1) &&
		     is_git_dir(tr2_buf_cstr(&path)) && tr2_path_real(out, tr2_buf_cstr(&path));
	}
	tr2_buf_release(&text);
	tr2_buf_release(&path);
	return ok;
}

/* Check if `path`, the `.git` in `dir`, is or names a repository that Git accepts. If so, set
 * repo->git_dir. */
static enum repo_search check_dot_git(struct tr2_config_repo *repo, const char *dir, bool is_cwd,
				      const char *path)
{
	struct tr2_buf *git_dir = &repo->git_dir;
	struct stat st;
	bool safe;

	if (stat(path, &st))
		return errno == ENOENT || errno == ENOTDIR ? NOTHING : REFUSED;
	if (S_ISDIR(st.st_mode)) {
		if (!is_git_dir(path))
			return NOTHING;
		safe = tr2_config_safe_owner(NULL, dir, path) &&
		       tr2_path_absolute(git_dir, is_cwd ? ".git" : path);
	} else {
		safe = S_ISREG(st.st_mode) && add_named_dir(git_dir, dir, path) &&
		       tr2_config_safe_owner(path, dir, tr2_buf_cstr(git_dir));
	}
	return safe ? FOUND : REFUSED;
}

static enum repo_search search_directory(struct tr2_config_repo *repo, const char *dir, bool is_cwd)
{
	enum repo_search found = REFUSED;
	struct tr2_buf path;

	tr2_buf_init(&path, TR2_PATH_MAX_BYTES);
	if (set_path(&path, dir, "/.git"))
		found = check_dot_git(repo, dir, is_cwd, tr2_buf_cstr(&path));
	tr2_buf_release(&path);
	if (found != NOTHING || !is_git_dir(dir))
		return found;
	if (!tr2_config_safe_bare(dir) || !tr2_config_safe_owner(NULL, NULL, dir))
		return REFUSED;
	return tr2_path_absolute(&repo->git_dir, is_cwd ? "." : dir) ? FOUND : REFUSED;
}

/* If `ceiling` is a directory above `cwd`, return its length, including a '/' at its end; otherwise
 * 0. */
static size_t match_ceiling(const char *cwd, const char *ceiling)
{
	size_t len = strlen(ceiling);

	if (len && ceiling[len - 1] == '/')
		len--;
	return strncmp(cwd, ceiling, len) || cwd[len] != '/' || !cwd[len + 1] ? 0 : len + 1;
}

/* Return the length, including a '/' at its end, of the lowest directory above `cwd` that
 * GIT_CEILING_DIRECTORIES lists; 0: none. */
static size_t ceiling_of(const char *cwd)
{
	const char *list = tr2_env("GIT_CEILING_DIRECTORIES");
	bool resolve = true;
	size_t best = 0;

	while (list) {
		size_t len = strcspn(list, ":"), got = 0;
		struct tr2_buf entry, real;

		tr2_buf_init(&entry, TR2_PATH_MAX_BYTES);
		tr2_buf_init(&real, TR2_PATH_MAX_BYTES);
		if (!len)
			resolve = false;
		if (*list == '/' && tr2_buf_add(&entry, list, len)) {
			if (!resolve)
				got = match_ceiling(cwd, tr2_buf_cstr(&entry));
			else if (tr2_path_real(&real, tr2_buf_cstr(&entry)))
				got = match_ceiling(cwd, tr2_buf_cstr(&real));
		}
		tr2_buf_release(&entry);
		tr2_buf_release(&real);
		if (got > best)
			best = got;
		list = list[len] ? list + len + 1 : NULL;
	}
	return best;
}

/* Remove the last component of the path `dir`. Returns false if `dir` is "/", or if its parent is
 * the ceiling directory (of `ceiling` bytes with its '/') or above it. */
static bool cut_last_component(char *dir, size_t ceiling)
{
	size_t len = strlen(dir);

	if (len <= 1)
		return false;
	while (dir[--len] != '/')
		;
	if (ceiling && len < ceiling)
		return false;
	dir[len ? len : 1] = '\0';
	return true;
}

static bool across_file_systems(void)
{
	const char *text = tr2_env("GIT_DISCOVERY_ACROSS_FILESYSTEM");
	bool yes = false;

	if (text)
		tr2_config_bool(text, &yes);
	return yes;
}

static bool find_upwards(struct tr2_config_repo *repo)
{
	char *dir = getcwd(NULL, 0);
	bool one_device = !across_file_systems(), is_cwd = true;
	enum repo_search found = NOTHING;
	struct stat first, here;
	size_t ceiling;

	if (!dir || stat(dir, &first)) {
		free(dir);
		return false;
	}
	ceiling = ceiling_of(dir);
	do {
		if (one_device && (stat(dir, &here) || here.st_dev != first.st_dev))
			break;
		found = search_directory(repo, dir, is_cwd);
		is_cwd = false;
	} while (found == NOTHING && cut_last_component(dir, ceiling));
	free(dir);
	return found == FOUND;
}

static bool is_any_value(const char *value)
{
	(void)value;
	return true;
}

static bool has_value(const char *value)
{
	return value;
}

static bool is_bool_value(const char *value)
{
	bool on;

	return tr2_config_bool(value, &on);
}

static bool is_hash_name(const char *value)
{
	return value && (!strcmp(value, "sha1") || !strcmp(value, "sha256"));
}

static bool is_ref_storage(const char *value)
{
	const char *end = value ? strstr(value, "://") : NULL;
	size_t len = end ? (size_t)(end - value) : value ? strlen(value) : 0;

	return (len == 5 && !memcmp(value, "files", 5)) ||
	       (len == 8 && !memcmp(value, "reftable", 8));
}

/* The extensions of the repository format in Git 2.55. `since` is the lowest format version
 * that allows the extension. */
static const struct {
	const char *key;
	int since;
	bool (*is_valid)(const char *value);
} extensions[] = {
	{ "noop", 0, is_any_value },
	{ "preciousobjects", 0, is_bool_value },
	{ "partialclone", 0, has_value },
	{ "worktreeconfig", 0, is_bool_value },
	{ "noop-v1", 1, is_any_value },
	{ "objectformat", 1, is_hash_name },
	{ "compatobjectformat", 1, is_hash_name },
	{ "refstorage", 1, is_ref_storage },
	{ "relativeworktrees", 1, is_bool_value },
	{ "submodulepathconfig", 1, is_bool_value },
};

#define NEWEST_FORMAT 1

struct repo_format {
	/* core.repositoryFormatVersion of the repository; -1: not set */
	int version;
	bool is_new; /* the repository has an extension that format version 0 does not allow */
	bool is_unknown;
	bool is_invalid;
};

static void on_format_key(void *data, const char *key, const char *value, int scope)
{
	struct repo_format *format = data;

	(void)scope;
	if (!strcmp(key, "core.repositoryformatversion")) {
		format->is_invalid |= !tr2_config_int(value, &format->version);
		return;
	}
	if (strncmp(key, "extensions.", 11))
		return;
	for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
		if (strcmp(extensions[i].key, key + 11))
			continue;
		format->is_new |= extensions[i].since > 0;
		format->is_invalid |= !extensions[i].is_valid(value);
		return;
	}
	format->is_unknown = true;
}

static bool is_known_format(const char *common_dir)
{
	struct repo_format format = { .version = -1 };
	struct tr2_buf path, text;

	tr2_buf_init(&path, TR2_PATH_MAX_BYTES);
	tr2_buf_init(&text, TR2_FILE_MAX_BYTES);
	if (set_path(&path, common_dir, "/config") && tr2_file_read(&text, tr2_buf_cstr(&path)))
		tr2_config_parse(tr2_buf_cstr(&text), text.len, on_format_key, &format, NULL);
	tr2_buf_release(&path);
	tr2_buf_release(&text);
	return !format.is_invalid && format.version <= NEWEST_FORMAT &&
	       !(format.version >= 1 && format.is_unknown) &&
	       !(format.version == 0 && format.is_new);
}

static bool find_git_dir(struct tr2_config_repo *repo)
{
	const char *env = tr2_env("GIT_DIR");

	if (!env)
		return find_upwards(repo);
	return *env && tr2_path_absolute(&repo->git_dir, env);
}

bool tr2_config_repo_find(struct tr2_config_repo *repo)
{
	const char *git_dir, *common_dir;

	tr2_buf_init(&repo->git_dir, TR2_PATH_MAX_BYTES);
	tr2_buf_init(&repo->real_git_dir, TR2_PATH_MAX_BYTES);
	tr2_buf_init(&repo->common_dir, TR2_PATH_MAX_BYTES);
	if (!find_git_dir(repo))
		return false;
	git_dir = tr2_buf_cstr(&repo->git_dir);
	if (!tr2_path_real(&repo->real_git_dir, git_dir)) {
		tr2_buf_clear(&repo->real_git_dir);
		tr2_buf_addstr(&repo->real_git_dir, git_dir);
	}
	if (!add_common_dir(&repo->common_dir, git_dir))
		return false;
	common_dir = tr2_buf_cstr(&repo->common_dir);
	return *common_dir && is_known_format(common_dir);
}

void tr2_config_repo_release(struct tr2_config_repo *repo)
{
	tr2_buf_release(&repo->git_dir);
	tr2_buf_release(&repo->real_git_dir);
	tr2_buf_release(&repo->common_dir);
}
