/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/stream/batcher.h"

#include <stdlib.h>

#include "engine/trace2.h"
#include "monitor/base/die.h"
#include "monitor/stream/contradicted.h"
#include "monitor/stream/sid_owners.h"

void batcher_init(struct batcher *b, struct journal *journal)
{
	*b = (struct batcher){ .journal = journal,
			       .batch = journal_take(journal),
			       .stream = UINT32_MAX };
}

void batcher_release(struct batcher *b)
{
	if (b->owners)
		contradicted_remove(b);
	journal_push(b->journal, b->batch);
	sid_owners_free(b->owners);
	free(b->origins);
}

void batcher_add_origin(struct batcher *b, struct origin *origin)
{
	b->origins = xreallocarray(b->origins, (size_t)b->nr_origins + 1, sizeof(struct origin *));
	b->origins[b->nr_origins++] = origin;
}

void batcher_push(struct batcher *b)
{
	if (b->owners)
		contradicted_remove(b);
	if (b->on_push)
		b->on_push(b->data);
	if (batch_is_empty(b->batch))
		return;
	trace2_data_intmax("intake", NULL, "batch_events", b->batch->nr_events);
	journal_push(b->journal, b->batch);
	b->batch = journal_take(b->journal);
	b->stream = UINT32_MAX;
	b->pushed_ns = tr2_clock_monotonic();
}

void batcher_set_safe(struct batcher *b, bool is_safe)
{
	if (b->batch->is_safe != is_safe)
		batcher_push(b);
	b->batch->is_safe = is_safe;
}
