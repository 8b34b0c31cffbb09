/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/spread.h"

#include "monitor/base/hist.h"

/* maximum number of octaves of nanoseconds, enough for 18 minutes */
#define SPREAD_CELLS 40

/* Draw one cell per octave, from the smallest that has a duration to the largest; if there is not
 * enough room, the largest are omitted. */
void draw_spread(struct surface *surface, struct rect area, const uint64_t *sums)
{
	uint64_t octaves[SPREAD_CELLS] = { 0 };
	int first = SPREAD_CELLS, last = 0, x = area.x + 1;

	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		int octave = 0;

		if (!sums[i])
			continue;
		for (ns_t ns = hist_bucket_ns(i); ns > 1 && octave < SPREAD_CELLS - 1; ns >>= 1)
			octave++;
		octaves[octave] += sums[i];
		first = octave < first ? octave : first;
		last = octave > last ? octave : last;
	}
	if (first > last)
		return;
	x += surface_printf(surface, x, area.y, area.cols - 2, STYLE_DIM, "distribution ");
	struct slot slot = { surface, x, area.y, area.x + area.cols - x, false, 0, NULL };

	slot_duration(&slot, STYLE_DIM, 1ll << first);
	x += 8;
	if (last - first + 1 > area.x + area.cols - x - 9)
		last = first + area.x + area.cols - x - 10;
	if (last < first)
		return;
	surface_spark(surface, x, area.y, STYLE_SPARK, octaves + first, last - first + 1);
	slot.x = x + last - first + 2;
	slot.cols = area.x + area.cols - slot.x;
	slot_duration(&slot, STYLE_DIM, 2ll << last);
}
