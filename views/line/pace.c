/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "views/line/pace.h"

#include <inttypes.h>
#include <string.h>

void pace_init(struct pace *pace)
{
	*pace = (struct pace){ .counting = NS_NONE };
}

static unsigned nr_in_last_second(const struct pace *pace, ns_t now)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < pace->nr; i++)
		nr += now - pace->said[i] < NS_PER_SEC;
	return nr;
}

bool pace_has_room(const struct pace *pace, ns_t now, enum pace_rank rank)
{
	static const unsigned most[] = {
		[PACE_BELOW] = PACE_LINES / 2 - 1,
		[PACE_TOP] = PACE_LINES - 3,
		[PACE_TROUBLE] = PACE_LINES - 1,
	};

	if (pace->blocked ||
	    (rank != PACE_TROUBLE && pace->counting != NS_NONE && rank <= pace->counting_rank))
		return false;
	return nr_in_last_second(pace, now) < most[rank];
}

void pace_said(struct pace *pace, ns_t now)
{
	pace->said[pace->at] = now;
	pace->at = (pace->at + 1) % PACE_LINES;
	pace->nr += pace->nr < PACE_LINES;
}

void pace_count(struct pace *pace, ns_t now, enum pace_rank rank, enum pace_kind kind)
{
	if (pace->counting == NS_NONE) {
		pace->counting = now;
		pace->counting_rank = 0;
	}
	if (rank > pace->counting_rank)
		pace->counting_rank = (uint8_t)rank;
	pace->counts[kind]++;
}

bool pace_merged(struct pace *pace, ns_t now, bool end, struct tr2_buf *out)
{
	static const char *const words[NR_PACE_KINDS] = { "started", "done", "failed" };
	const char *more = " more";

	if (pace->counting == NS_NONE)
		return false;
	if (!end && (pace->blocked || now - pace->counting < NS_PER_SEC ||
		     nr_in_last_second(pace, now) >= PACE_LINES))
		return false;
	for (int i = 0; i < NR_PACE_KINDS; i++) {
		if (!pace->counts[i])
			continue;
		tr2_buf_addf(out, "%s%" PRIu64 "%s %s", *more ? "" : ", ", pace->counts[i], more,
			     words[i]);
		more = "";
	}
	memset(pace->counts, 0, sizeof(pace->counts));
	pace->counting = NS_NONE;
	pace_said(pace, now);
	return true;
}
