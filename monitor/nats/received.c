/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/nats/received.h"

#include <string.h>

#define SLOT_NS (RECEIVED_SKEW_NS / RECEIVED_SLOTS)

static struct received_run *run_front(struct received *h, unsigned at)
{
	struct received_run run = h->runs[at];

	memmove(h->runs + 1, h->runs, at * sizeof(*h->runs));
	h->runs[0] = run;
	return h->runs;
}

static struct received_run *run_add(struct received *h, int64_t run)
{
	if (h->nr_runs < RECEIVED_RUNS)
		h->nr_runs++;
	h->runs[h->nr_runs - 1] = (struct received_run){ .run = run };
	return run_front(h, h->nr_runs - 1);
}

void received_message(struct received *h, const struct wire_id *id, struct received_news *out)
{
	bool is_first = !h->nr_runs;
	struct received_run *run = NULL;
	unsigned at = 0;

	*out = (struct received_news){ 0 };
	while (at < h->nr_runs && h->runs[at].run != id->run)
		at++;
	if (at < h->nr_runs) {
		if (id->seq < h->runs[at].next) {
			out->is_repeat = true;
			return;
		}
		/* A message of an earlier run means two agents: a restarted agent first sends what
		 * its earlier run left. */
		out->are_two = at > 0;
		run = run_front(h, at);
		out->missed = id->seq - run->next;
	} else {
		/* A new run that is older than the last message's is no restart: its earlier
		 * messages do not count as lost. */
		bool is_new = !is_first && id->run > h->runs[0].run;

		run = run_add(h, id->run);
		out->missed = is_new ? id->seq : 0;
	}
	run->next = id->seq < UINT64_MAX ? id->seq + 1 : id->seq;
}

void received_clock(struct received *h, ns_t wall, ns_t stamp)
{
	int64_t slot = stamp / SLOT_NS + 1;
	ns_t skew = ns_sub(stamp, wall);
	struct received_least *least;

	if (stamp < 0)
		return;
	least = &h->least[slot % RECEIVED_SLOTS];
	if (least->slot != slot || skew < least->least)
		*least = (struct received_least){ slot, skew };
}

ns_t received_skew(const struct received *h, ns_t now)
{
	int64_t slot = now / SLOT_NS + 1;
	ns_t least = NS_NONE;

	for (int i = 0; i < RECEIVED_SLOTS; i++)
		if (h->least[i].slot > slot - RECEIVED_SLOTS && h->least[i].slot <= slot &&
		    (least == NS_NONE || h->least[i].least < least))
			least = h->least[i].least;
	return least;
}
