/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/past_median.h"

#include <inttypes.h>
#include <stdlib.h>

#include "monitor/base/humanize.h"

#define LATE_NS       (50 * NS_PER_MS)
#define REMAINING_MIN 5u

static int shortest_first(const void *a, const void *b)
{
	ns_t x = *(const ns_t *)a, y = *(const ns_t *)b;

	return x < y ? -1 : x > y;
}

static ns_t sorted_quantile(const ns_t *sorted, uint32_t nr, uint32_t percent)
{
	return sorted[(nr * percent + 99) / 100 - 1];
}

bool past_median_make(ns_t *durations, uint32_t nr, ns_t elapsed, struct past_median *usual)
{
	uint32_t longer;

	*usual = (struct past_median){ .remaining = NS_NONE };
	if (nr < PAST_MEDIAN_MIN || elapsed == NS_NONE)
		return false;
	qsort(durations, nr, sizeof(*durations), shortest_first);
	usual->n = nr;
	usual->p50 = sorted_quantile(durations, nr, 50);
	usual->p90 = sorted_quantile(durations, nr, 90);
	while (usual->slower_than < nr && durations[usual->slower_than] < elapsed)
		usual->slower_than++;
	usual->late = ns_sub(elapsed, usual->p90) > (usual->p90 > LATE_NS ? usual->p90 : LATE_NS);
	for (longer = usual->slower_than; longer < nr && durations[longer] <= elapsed; longer++)
		;
	if (nr - longer >= REMAINING_MIN)
		usual->remaining = sorted_quantile(durations + longer, nr - longer, 50) - elapsed;
	return true;
}

bool past_median_of_region(const struct model *m, const struct process *p, sym_t category,
			   sym_t label, ns_t elapsed, struct past_median *usual)
{
	ns_t durations[PAST_MEDIAN_DURATIONS];
	uint32_t nr = model_past_region(m, p, category, label, durations);

	return past_median_make(durations, nr, elapsed, usual);
}

bool past_median_of_child(const struct model *m, const struct process *p, const struct child *c,
			  ns_t elapsed, struct past_median *usual)
{
	ns_t durations[PAST_MEDIAN_DURATIONS];
	uint32_t nr = model_past_child(m, p, c, durations);

	return past_median_make(durations, nr, elapsed, usual);
}

bool past_median_is_late(const struct model *m, const struct process *p, ns_t elapsed,
			 struct past_median *usual)
{
	ns_t durations[PAST_MEDIAN_DURATIONS];
	uint32_t nr, similar = 0;

	if (elapsed == NS_NONE || elapsed <= LATE_NS)
		return false;
	/* if more than a tenth of the past durations are at least half of `elapsed`, so is p90: the
	 * process is not late */
	nr = model_past_process(m, p, durations);
	for (uint32_t i = 0; i < nr && similar <= nr / 10; i++)
		similar += durations[i] >= elapsed - elapsed / 2;
	return similar <= nr / 10 && past_median_make(durations, nr, elapsed, usual) && usual->late;
}

void past_median_format(const struct past_median *usual, struct tr2_buf *out)
{
	tr2_buf_addf(out, "usually %s", human_duration(usual->p50).text);
	tr2_buf_addf(out, " (90 %%: %s) of %" PRIu32 ", slower than %" PRIu32 " %%",
		     human_duration(usual->p90).text, usual->n,
		     usual->slower_than * 100 / usual->n);
	if (usual->remaining != NS_NONE)
		tr2_buf_addf(out, ", ends in about %s", human_duration(usual->remaining).text);
	else if (usual->late)
		tr2_buf_addstr(out, ": late");
}
