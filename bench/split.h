/* SPDX-License-Identifier: MIT */
/* Splits events in memory as a directory of traces would: lists of lines by SID, in the order of
 * their first lines. The caller keeps the bytes. */
#ifndef BENCH_SPLIT_H
#define BENCH_SPLIT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"

#define SPLIT_NONE UINT32_MAX

struct split_line {
	size_t at;
	uint32_t len;  /* including LF */
	uint32_t next; /* next line of the same file, or SPLIT_NONE */
};

struct split_file {
	uint64_t sid_hash; /* tr2_hash() of the SID */
	uint32_t first, last;
};

struct split {
	struct split_line *lines;
	struct split_file *files;
	uint32_t nr_lines, nr_files;
	uint32_t *index, mask; /* private: number of a file + 1, by hash; 0: none */
};

static inline uint32_t split_file_of(struct split *split, uint64_t sid_hash)
{
	uint32_t at = (uint32_t)sid_hash & split->mask;

	for (; split->index[at]; at = (at + 1) & split->mask)
		if (split->files[split->index[at] - 1].sid_hash == sid_hash)
			return split->index[at] - 1;
	split->files[split->nr_files] = (struct split_file){ sid_hash, SPLIT_NONE, SPLIT_NONE };
	split->index[at] = ++split->nr_files;
	return split->nr_files - 1;
}

static inline void split_line_add(struct split *split, uint64_t sid_hash, size_t at, size_t len)
{
	struct split_file *file = &split->files[split_file_of(split, sid_hash)];

	if (file->last == SPLIT_NONE)
		file->first = split->nr_lines;
	else
		split->lines[file->last].next = split->nr_lines;
	file->last = split->nr_lines;
	split->lines[split->nr_lines++] = (struct split_line){ at, (uint32_t)len, SPLIT_NONE };
}

/* Split at most `max` lines. Lines without a SID are skipped. `each` (may be NULL) gets each other
 * line, NUL-terminated meanwhile, and the place of its SID; it may change the line. */
static inline void split_make(struct split *split, char *bytes, size_t len, uint32_t max,
			      void (*each)(char *line, const char *sid))
{
	*split = (struct split){ .mask = 1023 };
	while (split->mask / 2 < max)
		split->mask = split->mask * 2 + 1;
	split->lines = xcalloc(max, sizeof(*split->lines));
	split->files = xcalloc(max, sizeof(*split->files));
	split->index = xcalloc((size_t)split->mask + 1, sizeof(*split->index));
	for (size_t at = 0; at < len && split->nr_lines < max;) {
		char *end = memchr(bytes + at, '\n', len - at), *sid, *quote;

		if (!end)
			break;
		*end = '\0';
		sid = strstr(bytes + at, "\"sid\":\"");
		quote = sid ? strchr(sid + 7, '"') : NULL;
		if (quote && each)
			each(bytes + at, sid + 7);
		if (quote)
			split_line_add(split, tr2_hash(sid + 7, (size_t)(quote - sid - 7)), at,
				       (size_t)(end + 1 - (bytes + at)));
		*end = '\n';
		at = (size_t)(end + 1 - bytes);
	}
}

static inline void split_release(struct split *split)
{
	free(split->lines);
	free(split->files);
	free(split->index);
}

#endif
