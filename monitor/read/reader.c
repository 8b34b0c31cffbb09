/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/read/reader.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"

/* A reader and its state share one allocation, because there may be 100,000 readers. */
#define STATE_AT ((sizeof(struct reader) + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1))

int reader_detect(uint32_t formats, const char *bytes, size_t len, bool is_all)
{
	int maybe = DETECT_NONE;
	bool more = false;

	for (unsigned i = 0; i < nr_readers; i++) {
		if (!(formats >> i & 1))
			continue;
		switch (readers[i]->probe(bytes, len, is_all)) {
		case PROBE_YES:
			return (int)i;
		case PROBE_MAYBE:
			if (maybe == DETECT_NONE)
				maybe = (int)i;
			more = true;
			break;
		case PROBE_MORE:
			more = true;
			break;
		case PROBE_NO:
			break;
		}
	}
	return is_all ? maybe : more ? DETECT_MORE : DETECT_NONE;
}

void reader_names(uint32_t formats, char *out, size_t bytes)
{
	size_t at = 0;

	*out = '\0';
	for (unsigned i = 0; i < nr_readers; i++) {
		const char *name = reader_words[i + 1].word;
		size_t len = strlen(name);

		if (!(formats >> i & 1))
			continue;
		if (len + 2 > bytes - at)
			return;
		if (at)
			out[at++] = ',';
		memcpy(out + at, name, len + 1);
		at += len;
	}
}

struct reader *reader_new_of(unsigned kind, struct tr2_intern *syms,
			     const struct reader_stream *stream)
{
	const struct reader_ops *ops = readers[kind];
	struct reader *reader = xcalloc(1, STATE_AT + ops->state_bytes);

	reader->ops = ops;
	reader->state = (char *)reader + STATE_AT;
	if (ops->per_stream)
		ops->begin(reader->state, syms, stream);
	else
		ops->init(reader->state, syms);
	return reader;
}

void reader_free(struct reader *reader)
{
	if (!reader)
		return;
	if (reader->ops->release)
		reader->ops->release(reader->state);
	free(reader);
}

size_t reader_held(const struct reader *reader)
{
	size_t more = reader->ops->held_bytes ? reader->ops->held_bytes(reader->state) : 0;

	return sizeof(*reader) + reader->ops->state_bytes + more;
}
