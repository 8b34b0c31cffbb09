/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/stream/streams.h"

#include <stdlib.h>

void streams_init(struct streams *all, struct journal *journal, struct tr2_intern *syms,
		  struct replay *replay)
{
	*all = (struct streams){ .syms = syms, .replay = replay, .relay_skew_ns = NS_NONE };
	batcher_init(&all->out, journal);
	taps_init(&all->taps);
	splitter_pool_init(&all->pool, SPLITTER_MAX_PARTIAL_BYTES);
	stream_names_init(&all->names);
}

void streams_release(struct streams *all)
{
	batcher_release(&all->out);
	splitter_pool_release(&all->pool);
	for (unsigned i = 0; i < nr_readers; i++)
		reader_free(all->readers[i]);
	for (unsigned i = 0; i < nr_readers; i++)
		free(all->shared[i]);
	stream_names_release(&all->names);
	taps_release(&all->taps);
}

bool streams_have_room(struct streams *all)
{
	return journal_has_room(all->out.journal) && taps_have_room(&all->taps);
}
