/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/report/report_over_time.h"

#include "monitor/analysis/over_time.h"
#include "monitor/base/json_write.h"
#include "monitor/report/report_rules.h"
#include "monitor/report/text_cells.h"

#define TEXT_ROWS 10

/* ---- text ---- */

static void over_time_text_row(struct out *o, const struct over_time_walk *walk)
{
	const struct strip_slot *slot = walk->slot;
	const uint64_t counts[] = { slot->began, slot->ended,  slot->failed, slot->signaled,
				    slot->lost,  slot->errors, walk->running };

	put_string(o, "  ");
	tr2_buf_add_wall_time(&o->buf, walk->start);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		put_string(o, " ");
		put_right(o, human_count(counts[i]).text, 8);
	}
	put(o, " %9s", over_time_quantile_text(strip_quantile(slot, 0.5)).text);
	put(o, " %9s", over_time_quantile_text(strip_quantile(slot, 0.9)).text);
	put(o, " %9s\n", human_duration(slot->longest).text);
}

void over_time_text(struct out *o)
{
	struct strip strip = { 0 };
	struct over_time_walk walk;

	model_strip(o->m, &strip);
	strip_widen(&strip, TEXT_ROWS);
	if (strip.all.nr)
		put(o,
		    "\nOver time, all commands, %s per row\n  %-27s %8s %8s %8s %8s %8s %8s %8s "
		    "%9s %9s %9s\n",
		    human_mark(((ns_t)1 << strip.all.shift) * NS_PER_SEC).text, "FROM", "BEGAN",
		    "ENDED", "FAILED", "SIGNALED", "LOST", "ERRORS", "RUNNING", "P50", "P90",
		    "MAX");
	over_time_walk_begin(&walk, &strip, &strip.all);
	while (over_time_walk_next(&walk))
		over_time_text_row(o, &walk);
	strip_release(&strip);
}

/* ---- JSON ---- */

static void json_slot(struct tr2_jw *jw, const struct over_time_walk *walk, int64_t seconds)
{
	const struct strip_slot *slot = walk->slot;

	tr2_jw_object(jw);
	json_write_time(jw, "start", walk->start);
	json_write_number(jw, "seconds", seconds);
	json_write_count(jw, "began", slot->began);
	json_write_count(jw, "ended", slot->ended);
	json_write_count(jw, "failed", slot->failed);
	json_write_count(jw, "signaled", slot->signaled);
	json_write_count(jw, "lost", slot->lost);
	json_write_count(jw, "errors", slot->errors);
	json_write_count(jw, "running", walk->running);
	json_write_seconds(jw, "p50", strip_quantile(slot, 0.5));
	json_write_seconds(jw, "p90", strip_quantile(slot, 0.9));
	json_write_seconds(jw, "max", slot->longest);
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

static void json_slice(struct tr2_jw *jw, const struct trend_slice *slice)
{
	tr2_jw_object(jw);
	json_write_time(jw, "first", slice->first);
	json_write_time(jw, "last", slice->last);
	json_write_count(jw, "count", slice->nr);
	json_write_seconds(jw, "p90", slice->p90);
	tr2_jw_end_object(jw);
}

void command_trend_json(struct tr2_jw *jw, const struct command_trends *trends, uint32_t row)
{
	const struct command_trend *trend = &trends->rows[row];

	tr2_jw_key(jw, "p90_over_time");
	tr2_jw_array(jw);
	for (uint32_t i = 0; i < trend->nr_slices; i++)
		json_slice(jw, &trends->slices[trend->first_slice + i]);
	tr2_jw_end_array(jw);
	tr2_jw_key(jw, "trend");
	if (!trend->tested) {
		tr2_jw_null(jw);
		return;
	}
	tr2_jw_object(jw);
	json_write_count(jw, "newest", trend->newest);
	json_write_count(jw, "others", trend->others);
	json_write_seconds(jw, "newest_p50", trend->newest_median);
	json_write_seconds(jw, "others_p50", trend->others_median);
	json_write_real(jw, "ratio", trend->ratio);
	json_write_real(jw, "p", trend->p);
	json_write_real(jw, "adjusted", trend->adjusted);
	json_write_cstring(jw, "sign", trend->sign > 0 ? "up" : trend->sign < 0 ? "down" : "=");
	tr2_jw_end_object(jw);
}
