/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/trace2.h"

#include <stdio.h>
#include <string.h>

#include "engine/tr2_call.h"

/*
 * Convert nanoseconds to microseconds, rounded to nearest as printf("%.6f") rounds seconds.
 * printf() itself is used only for a tie, and only the last digit of its text, because its decimal
 * point depends on the locale.
 */
static int64_t ns_to_micros(uint64_t ns)
{
	char text[64], digits[8] = "";
	int n;

	if (ns % 1000 != 500)
		return (int64_t)(ns / 1000 + (ns % 1000 > 500));
	n = snprintf(text, sizeof(text), "%.6f", (double)ns / 1e9);
	if (n < 7)
		return (int64_t)(ns / 1000);
	memcpy(digits, text + n - 1, 1);
	return (int64_t)(ns / 1000 + ((ns / 1000 % 10) != (uint64_t)(digits[0] - '0')));
}

static void emit_timer(struct tr2_call *call, enum tr2_event_kind kind, int id,
		       const struct tr2_timer *timer)
{
	const struct tr2_sum_desc *row = tr2_sum_desc(TR2_SUM_TIMERS, id);

	tr2_call_record(call, kind, NULL, 0);
	tr2_record_text(&call->rec, TR2_F_CATEGORY, row->category);
	tr2_record_text(&call->rec, TR2_F_NAME, row->name);
	tr2_record_num(&call->rec, TR2_F_INTERVALS, (int64_t)timer->nr_intervals);
	tr2_record_num(&call->rec, TR2_F_T_TOTAL, ns_to_micros(timer->total_ns));
	tr2_record_num(&call->rec, TR2_F_T_MIN, ns_to_micros(timer->min_ns));
	tr2_record_num(&call->rec, TR2_F_T_MAX, ns_to_micros(timer->max_ns));
	tr2_call_emit_own(call, TR2_OWN_TIMER);
}

static void emit_counter(struct tr2_call *call, enum tr2_event_kind kind, int id, uint64_t value)
{
	const struct tr2_sum_desc *row = tr2_sum_desc(TR2_SUM_COUNTERS, id);

	tr2_call_record(call, kind, NULL, 0);
	tr2_record_text(&call->rec, TR2_F_CATEGORY, row->category);
	tr2_record_text(&call->rec, TR2_F_NAME, row->name);
	tr2_record_num(&call->rec, TR2_F_COUNT, (int64_t)value);
	tr2_call_emit_own(call, TR2_OWN_COUNTER);
}

void tr2_emit_thread_sums(struct tr2_call *call)
{
	struct tr2_sums *sums = &call->self->sums;
	const struct tr2_sum_desc *row;

	for (int i = 0; (row = tr2_sum_desc(TR2_SUM_TIMERS, i)); i++)
		if (row->per_thread && sums->timers[i].nr_intervals)
			emit_timer(call, TR2_E_TH_TIMER, i, &sums->timers[i]);
	for (int i = 0; (row = tr2_sum_desc(TR2_SUM_COUNTERS, i)); i++)
		if (row->per_thread && sums->counters[i])
			emit_counter(call, TR2_E_TH_COUNTER, i, sums->counters[i]);
	tr2_sums_add_to_totals(sums);
	memset(sums, 0, sizeof(*sums));
}

void tr2_emit_totals(struct tr2_call *call)
{
	struct tr2_sums totals;

	tr2_sums_totals(&totals);
	for (int i = 0; tr2_sum_desc(TR2_SUM_TIMERS, i); i++)
		if (totals.timers[i].nr_intervals)
			emit_timer(call, TR2_E_TIMER, i, &totals.timers[i]);
	for (int i = 0; tr2_sum_desc(TR2_SUM_COUNTERS, i); i++)
		if (totals.counters[i])
			emit_counter(call, TR2_E_COUNTER, i, totals.counters[i]);
}

static bool enter_for_sum(struct tr2_call *call, enum tr2_sum_family family, int id)
{
	char text[16];

	if (!tr2_call_enter(call))
		return false;
	if (tr2_sum_desc(family, id))
		return true;
	snprintf(text, sizeof(text), "%d", id);
	tr2_call_bug(call, family == TR2_SUM_TIMERS ? "unknown timer: %s" : "unknown counter: %s",
		     text);
	return false;
}

void(trace2_timer_start)(int id)
{
	struct tr2_call call;

	if (!enter_for_sum(&call, TR2_SUM_TIMERS, id))
		return;
	if (call.self->sums.timers[id].nr_running++ == 0)
		call.self->sums.timers[id].start = tr2_clock_monotonic();
	tr2_call_leave(&call);
}

static void add_interval(struct tr2_timer *timer, uint64_t ns)
{
	timer->total_ns += ns;
	if (!timer->nr_intervals || ns < timer->min_ns)
		timer->min_ns = ns;
	if (ns > timer->max_ns)
		timer->max_ns = ns;
	timer->nr_intervals++;
}

void(trace2_timer_stop)(int id)
{
	struct tr2_timer *timer;
	struct tr2_call call;

	if (!enter_for_sum(&call, TR2_SUM_TIMERS, id))
		return;
	timer = &call.self->sums.timers[id];
	if (!timer->nr_running) {
		tr2_call_bug(&call, "timer '%s' was stopped without being started",
			     tr2_sum_desc(TR2_SUM_TIMERS, id)->name);
		return;
	}
	if (--timer->nr_running == 0)
		add_interval(timer, (uint64_t)(tr2_clock_monotonic() - timer->start));
	tr2_call_leave(&call);
}

void(trace2_counter_add)(int id, uint64_t value)
{
	struct tr2_call call;

	if (!enter_for_sum(&call, TR2_SUM_COUNTERS, id))
		return;
	call.self->sums.counters[id] += value;
	tr2_call_leave(&call);
}
