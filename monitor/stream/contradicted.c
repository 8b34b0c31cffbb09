/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/stream/contradicted.h"

#include <string.h>

#include "engine/base/hash.h"
#include "monitor/stream/batcher.h"
#include "monitor/stream/origin.h"
#include "monitor/stream/sid_owners.h"

struct record_sender {
	sym_t agent;
	int64_t source; /* number of the source; -1: unknown */
};

/* Return the hash of the root process's SID: the part of the SID before the first '/'. */
static uint64_t root_sid_hash(const struct batch *batch, uint32_t index)
{
	size_t len;
	const char *sid = batch_sid_text(batch, index, &len), *slash = memchr(sid, '/', len);

	return slash ? tr2_hash(sid, (size_t)(slash - sid)) : batch->sids[index].hash;
}

/* True if the record is an event of a process that belongs to another agent than `from`. A STREAM
 * record first sets `from`. */
static bool is_contradicted(struct batcher *b, const struct event *ev, struct record_sender *from)
{
	if (ev->kind == REC_STREAM) {
		from->agent = event_sym(ev, FLD_AGENT);
		from->source = event_get(ev, FLD_SOURCE, -1);
	}
	return ev->kind <= REC_UNKNOWN && event_has(ev, TR2_F_SID) &&
	       !sid_owners_admit(b->owners, root_sid_hash(b->batch, (uint32_t)ev->v[TR2_F_SID]),
				 from->agent);
}

static void count_contradicted(struct batcher *b, const struct record_sender *from)
{
	if (from->source >= 0 && from->source < b->nr_origins)
		b->origins[from->source]->stats.contradicted++;
}

void contradicted_remove(struct batcher *b)
{
	struct record_sender from = { .agent = SYM_NONE, .source = -1 };
	struct batch_cursor cursor = batch_begin(b->batch);
	struct batch *kept = NULL;
	uint32_t at = 0;
	struct event ev;

	for (; batch_next(&cursor, &ev); at++) {
		bool is_wrong = is_contradicted(b, &ev, &from);

		if (is_wrong)
			count_contradicted(b, &from);
		if (is_wrong && !kept) {
			struct batch_cursor again = batch_begin(b->batch);
			struct event before;

			kept = batch_new();
			kept->is_safe = b->batch->is_safe;
			kept->has_decoded_sids = b->batch->has_decoded_sids;
			for (uint32_t i = 0; i < at && batch_next(&again, &before); i++)
				batch_add_from(kept, b->batch, &before);
		}
		if (kept && !is_wrong)
			batch_add_from(kept, b->batch, &ev);
	}
	if (!kept)
		return;
	batch_free(b->batch);
	b->batch = kept;
}
