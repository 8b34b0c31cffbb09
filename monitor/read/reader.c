/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/read/reader.h"

#include <stdlib.h>

#include "monitor/base/die.h"
#include "monitor/read/reader_event.h"

const struct reader_ops *const readers[NR_READERS] = {
#define READER(ID, name) [READER_##ID] = &reader_##name##_ops,
#include "monitor/read/readers.def"
};

struct reader *reader_new(enum reader_kind kind, struct tr2_intern *syms)
{
	struct reader *reader = xmalloc(sizeof(*reader));
	const struct reader_ops *ops = readers[kind];

	reader->ops = ops;
	reader->state = xcalloc(1, ops->state_bytes);
	ops->init(reader->state, syms);
	return reader;
}

void reader_free(struct reader *reader)
{
	if (!reader)
		return;
	free(reader->state);
	free(reader);
}
