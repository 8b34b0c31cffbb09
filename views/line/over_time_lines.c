/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "views/line/over_time_lines.h"

#include <inttypes.h>

#include "monitor/analysis/format_text.h"
#include "monitor/analysis/over_time.h"

#define MAX_LINES 10

static void count_line(const char *what, uint64_t count, struct tr2_buf *out)
{
	if (!count)
		return;
	tr2_buf_addstr(out, ", ");
	format_count(count, out);
	tr2_buf_addf(out, " %s", what);
}

static void slot_line(const struct over_time_walk *walk, ns_t now, struct tr2_buf *out)
{
	const struct strip_slot *slot = walk->slot;

	format_date(walk->start, now, out);
	format_time(walk->start, false, out);
	count_line("began", slot->began, out);
	count_line("ended", slot->ended, out);
	count_line("failed", slot->failed, out);
	count_line("signaled", slot->signaled, out);
	count_line("lost", slot->lost, out);
	count_line(slot->errors == 1 ? "error" : "errors", slot->errors, out);
	if (slot->longest != NS_NONE) {
		tr2_buf_addstr(out, ", median about ");
		format_duration(strip_quantile(slot, 0.5), out);
		tr2_buf_addstr(out, ", 90 % within about ");
		format_duration(strip_quantile(slot, 0.9), out);
		tr2_buf_addstr(out, ", longest ");
		format_duration(slot->longest, out);
	}
	count_line("running at the end", walk->running, out);
	tr2_buf_addch(out, '\n');
}

void over_time_lines(const struct model *m, ns_t now, struct tr2_buf *out)
{
	struct strip strip = { 0 };
	struct over_time_walk walk;

	model_strip(m, &strip);
	strip_widen(&strip, MAX_LINES);
	tr2_buf_addstr(out, "Commands over time");
	if (strip.all.nr) {
		tr2_buf_addstr(out, ", one line per ");
		format_duration(((ns_t)1 << strip.all.shift) * NS_PER_SEC, out);
		tr2_buf_addch(out, '\n');
	} else {
		tr2_buf_addstr(out, ": no process with a time\n");
	}
	over_time_walk_begin(&walk, &strip, &strip.all);
	while (over_time_walk_next(&walk))
		slot_line(&walk, now, out);
	strip_release(&strip);
}
