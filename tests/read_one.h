/* SPDX-License-Identifier: MIT */
/* Read one record with the EVENT reader. */
#ifndef TESTS_READ_ONE_H
#define TESTS_READ_ONE_H

#include <stdlib.h>

#include "monitor/read/reader_event.h"

static inline void read_one_bad(void *data, const char *record, size_t len, const struct diag *why)
{
	(void)record;
	(void)len;
	*(struct diag *)data = *why;
}

/* record[len] is its LF; `batch` must not be full. `why` is set for a malformed record. */
static inline enum read_result read_one(struct reader *reader, const char *record, size_t len,
					struct batch *batch, struct diag *why)
{
	struct read_counts counts = { 0 };

	if (reader_lines(reader, record, len + 1, batch, &counts, read_one_bad, why) != len + 1)
		abort();
	return counts.nr_malformed ? READ_BAD
	       : counts.nr_unknown ? READ_UNKNOWN
	       : counts.nr_events  ? READ_OK
				   : READ_BLANK;
}

#endif
