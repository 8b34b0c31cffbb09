/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/source/source.h"

#include <stdio.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/source/ring_dir.h"

const struct word source_words[NR_SOURCES] = {
#define SOURCE(ID, spec, help, ops) [SOURCE_##ID] = { spec, help },
#include "monitor/source/sources.def"
};

char *source_socket_spec(const char *path)
{
	const struct word *word = &source_words[SOURCE_STREAM];
	size_t before = word_fixed(word), len = strlen(path);
	char *spec = xmalloc(before + len + 1);

	memcpy(spec, word->word, before);
	memcpy(spec + before, path, len + 1);
	return spec;
}

void source_set_state(struct source *s, enum source_state state)
{
	s->origin.stats.state =
		state == SOURCE_DONE && s->origin.is_incomplete ? SOURCE_FAILED : state;
}

bool source_follows(const struct source *s)
{
	return !s->context->config.once || s->follows;
}

void source_busy(struct source *s)
{
	s->origin.is_busy = true;
	if (s->origin.stats.state == SOURCE_FOLLOWING)
		s->origin.stats.state = SOURCE_READING;
	if (s->context->streams->is_running)
		s->context->on_busy(s->context->data);
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
	s->become = kind;
}
