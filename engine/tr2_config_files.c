/* SPDX-License-Identifier: MIT */
/*
 * Which configuration files Git reads, in which order, and what they include.
 *
 * Conditions on remote URLs need the URLs of all files of the walk, whatever their order, so
 * the first such condition starts a second walk that only collects them.
 */
#include "config.h"
#include "engine/tr2_config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/buf.h"
#include "engine/tr2_config_env.h"
#include "engine/tr2_config_repo.h"
#include "engine/tr2_env.h"

#define INCLUDE_MAX_DEPTH 10
#define FILE_MAX_BYTES (16u << 20)
#define SYSTEM_CONFIG "/etc/gitconfig"

struct walk {
	tr2_config_fn *fn;
	void *data;
	const struct tr2_config_repo *repo; /* NULL: none is known */
	struct tr2_buf *urls;		    /* collected remote URLs, each with its NUL */
	bool collecting;		    /* this walk only gathers `urls` */
	bool have_urls;
	void (*roots)(struct walk *walk);
};

/* A file being read. */
struct file {
	struct walk *walk;
	const char *path;
	int scope;
	int depth;
};

static void read_file(struct walk *walk, const char *path, int scope, int depth, bool *missing);

const char *tr2_scope_name(int scope)
{
	static const char *const names[TR2_NR_SCOPES] = {
		[TR2_SCOPE_UNKNOWN] = "unknown",   [TR2_SCOPE_SYSTEM] = "system",
		[TR2_SCOPE_GLOBAL] = "global",	   [TR2_SCOPE_LOCAL] = "local",
		[TR2_SCOPE_WORKTREE] = "worktree", [TR2_SCOPE_COMMAND] = "command",
		[TR2_SCOPE_SUBMODULE] = "submodule",
	};

	return names[scope >= 0 && scope < TR2_NR_SCOPES ? scope : TR2_SCOPE_UNKNOWN];
}

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* Append `~/...`, `~user/...` or `%(prefix)/...` expanded; false where there is no such home. */
static bool add_expanded(struct tr2_buf *out, const char *path)
{
	const char *rest = path, *home = NULL;
	char user[256], mem[4096];
	struct passwd pw, *found = NULL;

	if (starts_with(path, "%(prefix)/")) {
		return tr2_buf_addstr(out, "/usr") && tr2_buf_addstr(out, path + 9);
	} else if (path[0] == '~' && (path[1] == '/' || !path[1])) {
		home = tr2_env("HOME");
		rest = path + 1;
	} else if (path[0] == '~') {
		size_t len = strcspn(path + 1, "/");

		if (len >= sizeof(user))
			return false;
		memcpy(user, path + 1, len);
		user[len] = '\0';
		if (!getpwnam_r(user, &pw, mem, sizeof(mem), &found) && found)
			home = found->pw_dir;
		rest = path + 1 + len;
	} else {
		return tr2_buf_addstr(out, path);
	}
	return home && tr2_buf_addstr(out, home) && tr2_buf_addstr(out, rest);
}

/* The directory of `file` with its '/', nothing where it has none. */
static void add_dirname(struct tr2_buf *out, const char *file)
{
	const char *slash = strrchr(file, '/');

	if (slash)
		tr2_buf_add(out, file, (size_t)(slash - file) + 1);
}

static void include(const struct file *from, const char *value)
{
	struct tr2_buf expanded, path;
	bool missing;

	if (!value || from->depth >= INCLUDE_MAX_DEPTH)
		return;
	tr2_buf_init(&expanded, PATH_MAX);
	tr2_buf_init(&path, 2 * PATH_MAX);
	if (add_expanded(&expanded, value) && expanded.len) {
		if (*tr2_buf_cstr(&expanded) != '/')
			add_dirname(&path, from->path);
		tr2_buf_add(&path, expanded.data, expanded.len);
		if (!path.failed)
			read_file(from->walk, tr2_buf_cstr(&path), from->scope, from->depth + 1,
				  &missing);
	}
	tr2_buf_release(&path);
	tr2_buf_release(&expanded);
}

/* The pattern of a `gitdir:` condition in full, then the match. */
static bool gitdir_matches(const struct file *from, const char *cond, size_t len, unsigned fold)
{
	const struct tr2_config_repo *repo = from->walk->repo;
	struct tr2_buf pattern, raw;
	bool yes;

	if (!repo)
		return false;
	tr2_buf_init(&raw, PATH_MAX);
	tr2_buf_init(&pattern, 2 * PATH_MAX);
	tr2_buf_add(&raw, cond, len);
	if (starts_with(tr2_buf_cstr(&raw), "./")) {
		add_dirname(&pattern, from->path);
		tr2_buf_addstr(&pattern, raw.data + 2);
	} else {
		if (raw.len && raw.data[0] != '/' && raw.data[0] != '~')
			tr2_buf_addstr(&pattern, "**/");
		add_expanded(&pattern, tr2_buf_cstr(&raw));
	}
	if (pattern.len && pattern.data[pattern.len - 1] == '/')
		tr2_buf_addstr(&pattern, "**");
	yes = !pattern.failed &&
	      (tr2_wildmatch(tr2_buf_cstr(&pattern), repo->git_dir, TR2_WILD_PATH | fold) ||
	       tr2_wildmatch(tr2_buf_cstr(&pattern), repo->real_git_dir, TR2_WILD_PATH | fold));
	tr2_buf_release(&raw);
	tr2_buf_release(&pattern);
	return yes;
}

static bool branch_matches(const struct file *from, const char *cond, size_t len)
{
	const struct tr2_config_repo *repo = from->walk->repo;
	char pattern[1024];

	if (!repo || !repo->branch[0] || len + 3 > sizeof(pattern))
		return false;
	memcpy(pattern, cond, len);
	pattern[len] = '\0';
	if (len && pattern[len - 1] == '/')
		memcpy(pattern + len, "**", 3);
	return tr2_wildmatch(pattern, repo->branch, TR2_WILD_PATH);
}

static void collect_urls(struct walk *walk)
{
	struct walk gather = *walk;

	gather.collecting = true;
	walk->have_urls = true;
	walk->roots(&gather);
}

static bool url_matches(const struct file *from, const char *cond, size_t len)
{
	struct walk *walk = from->walk;
	char pattern[4096];

	/* A file that is included by such a condition may not set URLs itself. */
	if (walk->collecting || len >= sizeof(pattern) || !walk->urls)
		return false;
	memcpy(pattern, cond, len);
	pattern[len] = '\0';
	if (!walk->have_urls)
		collect_urls(walk);
	for (size_t at = 0; at < walk->urls->len; at += strlen(walk->urls->data + at) + 1)
		if (tr2_wildmatch(pattern, walk->urls->data + at, TR2_WILD_PATH))
			return true;
	return false;
}

/* `cond` is what stands between "includeif." and ".path". */
static bool condition_holds(const struct file *from, const char *cond, size_t len)
{
	static const char has_url[] = "hasconfig:remote.*.url:";

	if (len > 7 && starts_with(cond, "gitdir:"))
		return gitdir_matches(from, cond + 7, len - 7, 0);
	if (len > 9 && starts_with(cond, "gitdir/i:"))
		return gitdir_matches(from, cond + 9, len - 9, TR2_WILD_FOLD);
	if (len > 9 && starts_with(cond, "onbranch:"))
		return branch_matches(from, cond + 9, len - 9);
	if (len >= sizeof(has_url) && starts_with(cond, has_url))
		return url_matches(from, cond + sizeof(has_url) - 1, len - sizeof(has_url) + 1);
	return false;
}

static bool ends_with(const char *s, size_t len, const char *suffix)
{
	size_t n = strlen(suffix);

	return len >= n && !memcmp(s + len - n, suffix, n);
}

static void entry(void *data, const char *key, const char *value, int scope)
{
	struct file *from = data;
	struct walk *walk = from->walk;
	size_t len = strlen(key);

	(void)scope;
	if (!walk->collecting)
		walk->fn(walk->data, key, value, from->scope);
	else if (value && starts_with(key, "remote.") && len > 11 && ends_with(key, len, ".url"))
		tr2_buf_add(walk->urls, value, strlen(value) + 1);
	if (!strcmp(key, "include.path"))
		include(from, value);
	else if (starts_with(key, "includeif.") && len > 15 && ends_with(key, len, ".path") &&
		 condition_holds(from, key + 10, len - 15))
		include(from, value);
}

/* The whole file into `out`; false where it cannot be read. */
static bool slurp(struct tr2_buf *out, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	ssize_t n = -1;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && !S_ISDIR(st.st_mode)) {
		do {
			if (!tr2_buf_reserve(out, 4096))
				break;
			n = read(fd, out->data + out->len, 4096);
			if (n > 0)
				out->len += (size_t)n;
		} while (n > 0 || (n < 0 && errno == EINTR));
	}
	close(fd);
	return n == 0;
}

static void read_file(struct walk *walk, const char *path, int scope, int depth, bool *missing)
{
	struct file file = { .walk = walk, .path = path, .scope = scope, .depth = depth };
	struct tr2_buf text;

	tr2_buf_init(&text, FILE_MAX_BYTES);
	*missing = !slurp(&text, path);
	if (!*missing)
		tr2_config_parse(tr2_buf_cstr(&text), text.len, entry, &file, NULL);
	tr2_buf_release(&text);
}

static void read_in_dir(struct walk *walk, const char *dir, const char *name, int scope)
{
	char path[PATH_MAX];
	bool missing;
	int n = snprintf(path, sizeof(path), "%s%s", dir, name);

	if (n > 0 && (size_t)n < sizeof(path))
		read_file(walk, path, scope, 0, &missing);
}

static void read_system(struct walk *walk)
{
	const char *no = tr2_env("GIT_CONFIG_NOSYSTEM"), *path = tr2_env("GIT_CONFIG_SYSTEM");
	bool skip = false, missing;

	if (no && *no)
		tr2_config_bool(no, &skip);
	if (!skip)
		read_file(walk, path ? path : SYSTEM_CONFIG, TR2_SCOPE_SYSTEM, 0, &missing);
}

static void read_global(struct walk *walk)
{
	const char *only = tr2_env("GIT_CONFIG_GLOBAL"), *xdg = tr2_env("XDG_CONFIG_HOME");
	const char *home = tr2_env("HOME");
	bool missing;

	if (only) {
		if (*only)
			read_file(walk, only, TR2_SCOPE_GLOBAL, 0, &missing);
		return;
	}
	if (xdg && *xdg)
		read_in_dir(walk, xdg, "/git/config", TR2_SCOPE_GLOBAL);
	else if (home)
		read_in_dir(walk, home, "/.config/git/config", TR2_SCOPE_GLOBAL);
	if (home)
		read_in_dir(walk, home, "/.gitconfig", TR2_SCOPE_GLOBAL);
}

static void early_roots(struct walk *walk)
{
	read_system(walk);
	read_global(walk);
}

static void all_roots(struct walk *walk)
{
	early_roots(walk);
	if (walk->repo) {
		read_in_dir(walk, walk->repo->common_dir, "/config", TR2_SCOPE_LOCAL);
		if (walk->repo->has_worktree_config)
			read_in_dir(walk, walk->repo->git_dir, "/config.worktree",
				    TR2_SCOPE_WORKTREE);
	}
	if (!walk->collecting)
		tr2_config_read_env(walk->fn, walk->data);
}

static void no_roots(struct walk *walk)
{
	(void)walk;
}

static void run(void (*roots)(struct walk *), const struct tr2_config_repo *repo,
		tr2_config_fn *fn, void *data)
{
	struct tr2_buf urls;
	struct walk walk = { .fn = fn, .data = data, .repo = repo, .urls = &urls, .roots = roots };

	tr2_buf_init(&urls, FILE_MAX_BYTES);
	roots(&walk);
	tr2_buf_release(&urls);
}

void tr2_config_read_early(tr2_config_fn *fn, void *data)
{
	run(early_roots, NULL, fn, data);
}

void tr2_config_read_all(tr2_config_fn *fn, void *data)
{
	struct tr2_config_repo repo;
	bool has_repo = tr2_env_is_trusted() && tr2_config_repo_find(&repo);

	run(all_roots, has_repo ? &repo : NULL, fn, data);
}

bool tr2_config_read_file(const char *path, int scope, tr2_config_fn *fn, void *data)
{
	struct walk walk = { .fn = fn, .data = data, .roots = no_roots };
	bool missing;

	read_file(&walk, path, scope, 0, &missing);
	return !missing;
}
