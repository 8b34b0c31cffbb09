/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/intake/source.h"

#include <stdio.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/intake/intake_priv.h"
#include "monitor/intake/ring_dir.h"

#define SOURCE(ID, spec, help, ops) extern const struct source_ops ops;
#include "monitor/intake/sources.def"

const struct source_ops *const source_kinds[NR_SOURCES] = {
#define SOURCE(ID, spec, help, ops) [SOURCE_##ID] = &ops,
#include "monitor/intake/sources.def"
};

const struct word source_words[NR_SOURCES] = {
#define SOURCE(ID, spec, help, ops) [SOURCE_##ID] = { spec, help },
#include "monitor/intake/sources.def"
};

/* ---- names of sources ---- */

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

/* Git accepts only absolute paths as targets without a prefix. */
const char *intake_target_path(const char *target)
{
	const char *path;
	enum source_kind kind = source_kind_of(target, &path);

	return source_kinds[kind]->is_target && (path != target || *path == '/') ? path : NULL;
}

char *intake_socket_spec(const char *path)
{
	const struct word *word = &source_words[SOURCE_STREAM];
	size_t before = word_fixed(word), len = strlen(path);
	char *spec = xmalloc(before + len + 1);

	memcpy(spec, word->word, before);
	memcpy(spec + before, path, len + 1);
	return spec;
}

/* ---- work of a source ---- */

void source_set_state(struct source *s, enum source_state state)
{
	s->origin.stats.state =
		state == SOURCE_DONE && s->origin.is_incomplete ? SOURCE_FAILED : state;
}

bool source_follows(const struct source *s)
{
	return !s->intake->config.once || s->follows;
}

void source_busy(struct source *s)
{
	s->origin.is_busy = true;
	if (s->origin.stats.state == SOURCE_FOLLOWING)
		s->origin.stats.state = SOURCE_READING;
	if (s->intake->streams.is_running)
		ev_idle_start(s->intake->loop, &s->intake->idle);
}

void source_make_rings(struct source *s, const char *path)
{
	char why[sizeof(s->origin.stats.error)];

	s->rings = ring_dir_make(path, why, sizeof(why));
	if (!s->rings)
		origin_error(&s->origin, "%s", why);
}

void source_become(struct source *s, enum source_kind kind)
{
	s->become = source_kinds[kind];
}

bool source_convert(struct source *s)
{
	const struct source_ops *ops = s->become;
	char why[200];

	s->become = NULL;
	s->ops->close(s);
	s->ops = ops;
	s->origin.stats.kind = ops->kind;
	s->origin.stats.error[0] = '\0';
	s->origin.can_wait = s->origin.is_stored = false;
	if (!ops->open(s, why, sizeof(why))) {
		origin_error(&s->origin, "%s", why);
		ops->close(s);
		s->ops = ops = source_kinds[SOURCE_FILE];
		s->origin.stats.kind = ops->kind;
		ops->open(s, why, sizeof(why));
	}
	ops->start(s);
	return s->origin.is_busy;
}
