/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/intake/contradicted.h"

#include <string.h>

#include "engine/base/hash.h"
#include "monitor/intake/intake_priv.h"
#include "monitor/intake/sid_owners.h"
#include "monitor/intake/source.h"

/* Where a record of a batch comes from: its agent and its source. */
struct origin {
	sym_t agent;
	int64_t source; /* index in the intake's sources; -1: unknown */
};

/* Hash of the SID of the root process, which is the part before the first '/'. */
static uint64_t root_sid_hash(const struct batch *batch, uint32_t index)
{
	size_t len;
	const char *sid = batch_sid_text(batch, index, &len), *slash = memchr(sid, '/', len);

	return slash ? tr2_hash(sid, (size_t)(slash - sid)) : batch->sids[index].hash;
}

/* True if the record is an event of a process that belongs to another agent. */
static bool is_contradicted(struct intake *in, const struct event *ev, struct origin *origin)
{
	if (ev->kind == REC_STREAM) {
		origin->agent = event_sym(ev, FLD_AGENT);
		origin->source = event_get(ev, FLD_SOURCE, -1);
	}
	return ev->kind <= REC_UNKNOWN && event_has(ev, TR2_F_SID) &&
	       !sid_owners_admit(in->owners, root_sid_hash(in->batch, (uint32_t)ev->v[TR2_F_SID]),
				 origin->agent);
}

static void count_contradicted(struct intake *in, const struct origin *origin)
{
	if (origin->source >= 0 && origin->source < in->nr_sources)
		in->sources[origin->source]->live.contradicted++;
}

void contradicted_remove(struct intake *in)
{
	struct origin origin = { .agent = SYM_NONE, .source = -1 };
	struct batch_cursor cursor = batch_begin(in->batch);
	struct batch *kept = NULL;
	uint32_t at = 0;
	struct event ev;

	for (; batch_next(&cursor, &ev); at++) {
		bool is_wrong = is_contradicted(in, &ev, &origin);

		if (is_wrong)
			count_contradicted(in, &origin);
		if (is_wrong && !kept) {
			struct batch_cursor again = batch_begin(in->batch);
			struct event before;

			kept = batch_new();
			kept->is_safe = in->batch->is_safe;
			kept->has_decoded_sids = in->batch->has_decoded_sids;
			for (uint32_t i = 0; i < at && batch_next(&again, &before); i++)
				batch_add_from(kept, in->batch, &before);
		}
		if (kept && !is_wrong)
			batch_add_from(kept, in->batch, &ev);
	}
	if (!kept)
		return;
	batch_free(in->batch);
	in->batch = kept;
}
