/* SPDX-License-Identifier: MIT */
/*
 * Find the repository of a process. Git reports a worktree, but not the path of a bare repository,
 * which is taken from arguments of the process or of an ancestor, such as --git-dir.
 */
#include "config.h"
#include "monitor/analysis/findings_check.h"

#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/pids.h"
#include "monitor/event/sid.h"

struct named_path {
	const char *bytes; /* text of the path, not NUL-terminated; NULL: unknown */
	size_t len;
};

enum named { NAMED_NOTHING, NAMED_DIRECTORY, NAMED_REPOSITORY };

static enum named name_repository(struct named_path *path, const char *bytes, size_t len)
{
	*path = (struct named_path){ bytes, len };
	return NAMED_REPOSITORY;
}

static bool is_word(const char *item, size_t len, const char *word)
{
	return item && len == strlen(word) && !memcmp(item, word, len);
}

static bool is_server(const struct model *m, const struct process *p)
{
	return symbol_equals(m, p->name, "upload-pack") ||
	       symbol_equals(m, p->name, "receive-pack") ||
	       symbol_equals(m, p->name, "upload-archive");
}

/*
 * Get the repository that the arguments of the process name, or the directory (-C) in which the
 * process looks for a repository. A relative path after -C counts as unknown.
 */
static enum named path_of_arguments(const struct model *m, const struct process *p,
				    struct named_path *out)
{
	static const char git_dir[] = "--git-dir=";
	struct strings_cursor at = strings_begin(m, &p->argv);
	struct named_path directory = { 0 };
	enum named named = NAMED_NOTHING;
	bool serves = is_server(m, p);
	const char *item, *last = NULL;
	size_t len, last_len = 0;

	strings_next(&at, &len);
	while ((item = strings_next(&at, &len))) {
		last = item;
		last_len = len;
		if (is_word(item, len, "--git-dir")) {
			item = strings_next(&at, &len);
			return name_repository(out, item, len);
		}
		if (len >= strlen(git_dir) && !memcmp(item, git_dir, strlen(git_dir)))
			return name_repository(out, item + strlen(git_dir), len - strlen(git_dir));
		if (is_word(item, len, "-C")) {
			item = strings_next(&at, &len);
			directory.bytes = len && *item == '/' ? item : NULL;
			directory.len = len;
			named = NAMED_DIRECTORY;
		} else if (is_word(item, len, "-c")) {
			strings_next(&at, &len);
		} else if (*item != '-' && !serves) {
			/* options after the command's name are those of the command */
			break;
		}
	}
	if (serves && last && *last != '-')
		return name_repository(out, last, last_len);
	*out = directory;
	return named;
}

/* Return the path of the process's repository; unknown if that may be on another machine. */
static struct named_path path_here(const struct model *m, const struct process *p)
{
	struct named_path path = { 0 };
	struct sid_parts sid;
	enum named named;

	if (p->agent != SYM_NONE)
		return path;
	sid_take_apart(model_text(m, p->sid), p->sid.len, &sid);
	if (strcmp(sid.host, pid_own_host()) != 0)
		return path;
	named = path_of_arguments(m, p, &path);
	if (named != NAMED_REPOSITORY && p->worktrees.nr) {
		path.bytes = model_sym(
			m, PROCESS_ITEM(m, &p->worktrees, worktree_item, 0)->worktree, &path.len);
		return path;
	}
	while (named == NAMED_NOTHING && p->parent != SLOT_NONE) {
		p = model_slot(m, p->parent);
		/* a child in a worktree would have reported the worktree, so the repository is
		 * bare */
		if (p->worktrees.nr)
			return (struct named_path){ 0 };
		named = path_of_arguments(m, p, &path);
	}
	return path;
}

const struct repository_facts *repository_of(const struct looking *l, uint32_t slot)
{
	static const struct repository_facts unknown = { .known = false };
	struct findings *f = l->out;
	struct finding_look *look;
	struct named_path path = { 0 };
	uint64_t hash;

	if (l->of->look)
		path = path_here(l->m, model_slot(l->m, slot));
	if (!path.bytes || !path.len)
		return &unknown;
	hash = tr2_hash(path.bytes, path.len);
	for (uint32_t i = 0; i < f->nr_looks && i < MAX_FINDING_LOOKS; i++)
		if (f->looks[i].path_hash == hash)
			return &f->looks[i].facts;
	look = &f->looks[f->nr_looks++ % MAX_FINDING_LOOKS];
	look->path_hash = hash;
	l->of->look(path.bytes, path.len, &look->facts);
	return &look->facts;
}
