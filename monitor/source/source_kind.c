/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/source/source.h"

#include <string.h>

#define SOURCE(ID, spec, help, ops) extern const struct source_ops ops;
#include "monitor/source/sources.def"

const struct source_ops *const source_kinds[NR_SOURCES] = {
#define SOURCE(ID, spec, help, ops) [SOURCE_##ID] = &ops,
#include "monitor/source/sources.def"
};

static bool is_named(enum source_kind kind, const char *spec, const char **path)
{
	const struct word *word = &source_words[kind];
	size_t before = word_fixed(word);
	struct stat st;

	if (strncmp(spec, word->word, before))
		return false;
	*path = spec + before;
	if (!word->word[before]) {
		*path = NULL;
		return !spec[before];
	}
	return !source_kinds[kind]->claims ||
	       source_kinds[kind]->claims(stat(*path, &st) ? NULL : &st);
}

enum source_kind source_kind_of(const char *spec, const char **path)
{
	int kind = NR_SOURCES - 1;

	while (kind && !is_named(kind, spec, path))
		kind--;
	if (!kind)
		*path = spec;
	return kind;
}

/* Git treats a value without a prefix such as `af_unix:` as a path only if it is absolute. */
const char *source_target_path(const char *target)
{
	const char *path;
	enum source_kind kind = source_kind_of(target, &path);

	return source_kinds[kind]->is_target && (path != target || *path == '/') ? path : NULL;
}
