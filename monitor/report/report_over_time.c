/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/report/report_over_time.h"

#include "monitor/analysis/over_time.h"

static void json_slot(struct tr2_jw *jw, const struct over_time_walk *walk, int64_t seconds)
{
	const struct strip_slot *slot = walk->slot;

	tr2_jw_object(jw);
	tr2_jw_key(jw, "start");
	tr2_jw_time(jw, walk->start);
	tr2_jw_key(jw, "seconds");
	tr2_jw_int(jw, seconds);
	tr2_jw_key(jw, "began");
	tr2_jw_uint(jw, slot->began);
	tr2_jw_key(jw, "ended");
	tr2_jw_uint(jw, slot->ended);
	tr2_jw_key(jw, "failed");
	tr2_jw_uint(jw, slot->failed);
	tr2_jw_key(jw, "signaled");
	tr2_jw_uint(jw, slot->signaled);
	tr2_jw_key(jw, "lost");
	tr2_jw_uint(jw, slot->lost);
	tr2_jw_key(jw, "errors");
	tr2_jw_uint(jw, slot->errors);
	tr2_jw_key(jw, "running");
	tr2_jw_uint(jw, walk->running);
	tr2_jw_key(jw, "p50");
	tr2_jw_seconds(jw, strip_quantile(slot, 0.5));
	tr2_jw_key(jw, "p90");
	tr2_jw_seconds(jw, strip_quantile(slot, 0.9));
	tr2_jw_key(jw, "max");
	tr2_jw_seconds(jw, slot->longest);
	tr2_jw_end_object(jw);
}

static void json_slots(struct tr2_jw *jw, const char *key, const struct strip *strip,
		       const struct strip_slots *slots)
{
	struct over_time_walk walk;

	tr2_jw_key(jw, key);
	tr2_jw_array(jw);
	over_time_walk_begin(&walk, strip, slots);
	while (over_time_walk_next(&walk))
		json_slot(jw, &walk, (int64_t)1 << slots->shift);
	tr2_jw_end_array(jw);
}

void over_time_json(struct tr2_jw *jw, const struct model *m)
{
	struct strip strip = { 0 };

	model_strip(m, &strip);
	json_slots(jw, "over_time", &strip, &strip.all);
	if (strip.all.shift)
		json_slots(jw, "over_time_recent", &strip, &strip.recent);
	strip_release(&strip);
}
