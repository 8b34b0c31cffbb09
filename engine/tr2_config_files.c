/* SPDX-License-Identifier: MIT */
/*
 * The configuration files that Git reads, in order, and the files that they include. An include may
 * depend on a remote URL that any of the files sets. The first such include therefore starts a
 * second reading of all files that collects the URLs.
 */
#include "config.h"
#include "engine/tr2_config.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/buf.h"
#include "engine/tr2_config_env.h"
#include "engine/tr2_config_repo.h"
#include "engine/tr2_env.h"
#include "engine/tr2_path.h"

#define INCLUDE_MAX_DEPTH 10
#define SYSTEM_CONFIG     "/etc/gitconfig"

struct config_walk {
	tr2_config_fn *fn;
	void *data;
	/* the Git repository around the current directory; NULL: none known */
	struct tr2_config_repo *repo;
	struct tr2_buf *urls; /* collected remote URLs, each followed by a NUL */
	/* this reading of the files only collects remote URLs in `urls` */
	bool collecting;
	bool have_urls;
	void (*roots)(struct config_walk *walk);
};

struct config_source {
	struct config_walk *walk;
	const char *path; /* NULL: the environment */
	int scope;
	int depth;
};

static void read_config_file(struct config_walk *walk, const char *path, int scope, int depth);

const char *tr2_scope_name(int scope)
{
	static const char *const names[TR2_NR_SCOPES] = {
		[TR2_SCOPE_UNKNOWN] = "unknown",     [TR2_SCOPE_SYSTEM] = "system",
		[TR2_SCOPE_GLOBAL] = "global",       [TR2_SCOPE_LOCAL] = "local",
		[TR2_SCOPE_WORKTREE] = "worktree",   [TR2_SCOPE_COMMAND] = "command",
		[TR2_SCOPE_SUBMODULE] = "submodule",
	};

	return names[scope >= 0 && scope < TR2_NR_SCOPES ? scope : TR2_SCOPE_UNKNOWN];
}

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* Read the file that an include names. A relative path in the environment is ignored. */
static void include_file(const struct config_source *from, const char *value)
{
	struct tr2_buf expanded, path;
	bool ok;

	if (!value || from->depth >= INCLUDE_MAX_DEPTH)
		return;
	tr2_buf_init(&expanded, TR2_PATH_MAX_BYTES);
	tr2_buf_init(&path, 2 * TR2_PATH_MAX_BYTES);
	ok = tr2_path_expand(&expanded, value, false) && expanded.len;
	if (ok && *expanded.data != '/')
		ok = from->path && tr2_path_dirname(&path, from->path);
	if (ok && tr2_buf_addstr(&path, tr2_buf_cstr(&expanded)))
		read_config_file(from->walk, tr2_buf_cstr(&path), from->scope, from->depth + 1);
	tr2_buf_release(&path);
	tr2_buf_release(&expanded);
}

/*
 * Append the expanded pattern of an includeIf "gitdir:" condition. Its first `*literal` bytes, the
 * configuration file's directory in place of "./", are compared literally. Returns false on
 * failure.
 */
static bool add_gitdir_pattern(struct tr2_buf *out, const struct config_source *from,
			       struct tr2_buf *cond, size_t *literal)
{
	struct tr2_buf expanded, file;
	const char *text = tr2_buf_cstr(cond);
	bool ok = true;

	tr2_buf_init(&expanded, TR2_PATH_MAX_BYTES);
	tr2_buf_init(&file, TR2_PATH_MAX_BYTES);
	if (tr2_path_expand(&expanded, text, true))
		text = tr2_buf_cstr(&expanded);
	*literal = 0;
	if (starts_with(text, "./")) {
		ok = from->path && tr2_path_real(&file, from->path) &&
		     tr2_path_dirname(out, tr2_buf_cstr(&file));
		*literal = out->len;
		text += 2;
	} else if (*text != '/') {
		tr2_buf_addstr(out, "**/");
	}
	tr2_buf_addstr(out, text);
	if (out->len && out->data[out->len - 1] == '/')
		tr2_buf_addstr(out, "**");
	tr2_buf_release(&expanded);
	tr2_buf_release(&file);
	return ok && !out->failed;
}

static bool begins_literally(struct tr2_buf *pattern, size_t literal, struct tr2_buf *path,
			     unsigned fold)
{
	const char *p = tr2_buf_cstr(pattern), *t = tr2_buf_cstr(path);

	return path->len >= literal &&
	       !(fold ? strncasecmp(p, t, literal) : strncmp(p, t, literal));
}

static bool pattern_rest_matches(struct tr2_buf *pattern, size_t literal, struct tr2_buf *path,
				 unsigned fold)
{
	return tr2_wildmatch(tr2_buf_cstr(pattern) + literal, tr2_buf_cstr(path) + literal,
			     TR2_WILD_PATH | fold);
}

/* True if the pattern `cond` of an include matches the repository's real path or, if the real path
 * begins with the literal part, the path by which it was found. */
static bool gitdir_matches(const struct config_source *from, const char *cond, size_t len,
			   unsigned fold)
{
	struct tr2_config_repo *repo = from->walk->repo;
	struct tr2_buf pattern, raw;
	size_t literal;
	bool yes;

	if (!repo)
		return false;
	tr2_buf_init(&raw, TR2_PATH_MAX_BYTES);
	tr2_buf_init(&pattern, 2 * TR2_PATH_MAX_BYTES);
	yes = tr2_buf_add(&raw, cond, len) && add_gitdir_pattern(&pattern, from, &raw, &literal) &&
	      begins_literally(&pattern, literal, &repo->real_git_dir, fold) &&
	      (pattern_rest_matches(&pattern, literal, &repo->real_git_dir, fold) ||
	       (begins_literally(&pattern, literal, &repo->git_dir, fold) &&
		pattern_rest_matches(&pattern, literal, &repo->git_dir, fold)));
	tr2_buf_release(&raw);
	tr2_buf_release(&pattern);
	return yes;
}

static void collect_urls(struct config_walk *walk)
{
	struct config_walk gather = *walk;

	gather.collecting = true;
	walk->have_urls = true;
	walk->roots(&gather);
}

static bool url_matches(const struct config_source *from, const char *cond, size_t len)
{
	struct config_walk *walk = from->walk;
	struct tr2_buf pattern;
	bool yes = false;

	/* As in Git, files included because of a remote URL must not set remote URLs: do not read
	 * them while collecting URLs. */
	if (walk->collecting)
		return false;
	tr2_buf_init(&pattern, TR2_PATH_MAX_BYTES);
	if (!walk->have_urls)
		collect_urls(walk);
	if (tr2_buf_add(&pattern, cond, len))
		for (size_t at = 0; at < walk->urls->len && !yes;
		     at += strlen(walk->urls->data + at) + 1)
			yes = tr2_wildmatch(tr2_buf_cstr(&pattern), walk->urls->data + at,
					    TR2_WILD_PATH);
	tr2_buf_release(&pattern);
	return yes;
}

static bool skip_condition_kind(const char **cond, size_t *len, const char *kind)
{
	size_t n = strlen(kind);

	if (*len < n || memcmp(*cond, kind, n))
		return false;
	*cond += n;
	*len -= n;
	return true;
}

/* Evaluate the condition of an include, the text between "includeif." and ".path". Conditions on a
 * branch and unknown ones are false. */
static bool condition_holds(const struct config_source *from, const char *cond, size_t len)
{
	if (skip_condition_kind(&cond, &len, "gitdir:"))
		return gitdir_matches(from, cond, len, 0);
	if (skip_condition_kind(&cond, &len, "gitdir/i:"))
		return gitdir_matches(from, cond, len, TR2_WILD_FOLD);
	return skip_condition_kind(&cond, &len, "hasconfig:remote.*.url:") &&
	       url_matches(from, cond, len);
}

static bool ends_with(const char *s, size_t len, const char *suffix)
{
	size_t n = strlen(suffix);

	return len >= n && !memcmp(s + len - n, suffix, n);
}

static void handle_entry(void *data, const char *key, const char *value, int scope)
{
	struct config_source *from = data;
	struct config_walk *walk = from->walk;
	size_t len = strlen(key);

	(void)scope;
	if (!walk->collecting)
		walk->fn(walk->data, key, value, from->scope);
	else if (value && starts_with(key, "remote.") && len >= 11 && ends_with(key, len, ".url"))
		tr2_buf_add(walk->urls, value, strlen(value) + 1);
	if (!strcmp(key, "include.path"))
		include_file(from, value);
	else if (starts_with(key, "includeif.") && len > 15 && ends_with(key, len, ".path") &&
		 condition_holds(from, key + 10, len - 15))
		include_file(from, value);
}

static void read_config_file(struct config_walk *walk, const char *path, int scope, int depth)
{
	struct config_source file = { .walk = walk, .path = path, .scope = scope, .depth = depth };
	struct tr2_buf text;

	tr2_buf_init(&text, TR2_FILE_MAX_BYTES);
	if (tr2_file_read(&text, path))
		tr2_config_parse(tr2_buf_cstr(&text), text.len, handle_entry, &file, NULL);
	tr2_buf_release(&text);
}

static void read_in_dir(struct config_walk *walk, const char *dir, const char *name, int scope)
{
	struct tr2_buf path;

	tr2_buf_init(&path, TR2_PATH_MAX_BYTES);
	if (tr2_buf_addstr(&path, dir) && tr2_buf_addstr(&path, name))
		read_config_file(walk, tr2_buf_cstr(&path), scope, 0);
	tr2_buf_release(&path);
}

static void read_system(struct config_walk *walk)
{
	const char *no = tr2_env("GIT_CONFIG_NOSYSTEM"), *path = tr2_env("GIT_CONFIG_SYSTEM");
	bool skip = false;

	if (no && *no)
		tr2_config_bool(no, &skip);
	if (!skip)
		read_config_file(walk, path ? path : SYSTEM_CONFIG, TR2_SCOPE_SYSTEM, 0);
}

static void read_global(struct config_walk *walk)
{
	const char *only = tr2_env("GIT_CONFIG_GLOBAL"), *xdg = tr2_env("XDG_CONFIG_HOME");
	const char *home = tr2_env("HOME");

	if (only) {
		if (*only)
			read_config_file(walk, only, TR2_SCOPE_GLOBAL, 0);
		return;
	}
	if (xdg && *xdg)
		read_in_dir(walk, xdg, "/git/config", TR2_SCOPE_GLOBAL);
	else if (home)
		read_in_dir(walk, home, "/.config/git/config", TR2_SCOPE_GLOBAL);
	if (home)
		read_in_dir(walk, home, "/.gitconfig", TR2_SCOPE_GLOBAL);
}

static void early_roots(struct config_walk *walk)
{
	read_system(walk);
	read_global(walk);
}

static void read_config_environment(struct config_walk *walk)
{
	struct config_source environment = { .walk = walk, .scope = TR2_SCOPE_COMMAND };

	tr2_config_read_env(handle_entry, &environment);
}

static void protected_roots(struct config_walk *walk)
{
	early_roots(walk);
	read_config_environment(walk);
}

static void all_roots(struct config_walk *walk)
{
	early_roots(walk);
	if (walk->repo)
		read_in_dir(walk, tr2_buf_cstr(&walk->repo->common_dir), "/config",
			    TR2_SCOPE_LOCAL);
	read_config_environment(walk);
}

static void walk_run(void (*roots)(struct config_walk *), struct tr2_config_repo *repo,
		     tr2_config_fn *fn, void *data)
{
	struct tr2_buf urls;
	struct config_walk walk = {
		.fn = fn, .data = data, .repo = repo, .urls = &urls, .roots = roots
	};

	tr2_buf_init(&urls, TR2_FILE_MAX_BYTES);
	roots(&walk);
	tr2_buf_release(&urls);
}

void tr2_config_read_early(tr2_config_fn *fn, void *data)
{
	walk_run(early_roots, NULL, fn, data);
}

void tr2_config_read_protected(tr2_config_fn *fn, void *data)
{
	walk_run(protected_roots, NULL, fn, data);
}

void tr2_config_read_all(tr2_config_fn *fn, void *data)
{
	struct tr2_config_repo repo;

	if (!tr2_env_is_trusted()) {
		walk_run(all_roots, NULL, fn, data);
		return;
	}
	walk_run(all_roots, tr2_config_repo_find(&repo) ? &repo : NULL, fn, data);
	tr2_config_repo_release(&repo);
}
