/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/over_time.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"

/* contribution of a process to the strip, by slot of the model */
struct over_time_known {
	uint32_t gen; /* generation of the process's slot; 0: no contribution */
	/* lower 32 bits of the process's number of events when it was last added */
	uint32_t nr_events;
	/* errors of the process when it was last added, including evicted ones */
	uint32_t nr_errors;
	uint8_t state;
	bool parent_seen;
	ns_t end;
	struct strip_part part;
};

struct over_time {
	const struct model *model; /* model of the last update; only compared, never dereferenced */
	uint64_t version;
	uint64_t evicted;
	struct strip strip;
	struct over_time_known *known;
	uint32_t nr_known, cap_known;

	struct over_time_column *columns;
	uint32_t cap_columns;
	struct over_time_span span; /* span of `columns`; none if its `nr` is 0 */
	uint64_t columns_version;   /* version of the strip from which `columns` were made */
};

struct over_time *over_time_new(void)
{
	return xcalloc(1, sizeof(struct over_time));
}

void over_time_free(struct over_time *t)
{
	if (!t)
		return;
	strip_release(&t->strip);
	free(t->known);
	free(t->columns);
	free(t);
}

const struct strip *over_time_strip(const struct over_time *t)
{
	return &t->strip;
}

static void known_grow(struct over_time *t, uint32_t nr)
{
	if (nr > t->cap_known) {
		t->cap_known = nr > 2 * t->cap_known ? nr : 2 * t->cap_known;
		t->known = xreallocarray(t->known, t->cap_known, sizeof(*t->known));
	}
	if (nr <= t->nr_known)
		return;
	memset(t->known + t->nr_known, 0, (nr - t->nr_known) * sizeof(*t->known));
	t->nr_known = nr;
}

static inline bool known_is_current(const struct over_time_known *k, const struct process *p)
{
	return k->gen == p->gen && k->nr_events == (uint32_t)p->nr_events && k->end == p->end &&
	       k->state == p->state && k->parent_seen == p->parent_seen;
}

/* True if the difference from `before` to `now` can be added. */
static bool part_only_adds(const struct strip_part *before, const struct strip_part *now)
{
	if (before->untimed)
		return now->untimed;
	if (before->began != now->began)
		return false;
	if (before->ended == STRIP_NO_SECOND)
		return true;
	return before->ended == now->ended && before->elapsed == now->elapsed &&
	       before->failed == now->failed && before->signaled == now->signaled &&
	       before->lost == now->lost;
}

/* Returns false if something was taken away from the contribution. */
static bool known_update(struct over_time *t, const struct model *m, uint32_t slot)
{
	struct over_time_known *k = &t->known[slot];
	const struct process *p = model_slot(m, slot);
	bool is_new = k->gen != p->gen;
	struct strip_part part, add;
	uint32_t errors;

	strip_part_of(p, &part);
	errors = is_new ? p->nr_errors : p->nr_errors - k->nr_errors;
	if (!is_new && !part_only_adds(&k->part, &part))
		return false;
	add = part;
	if (!is_new) {
		add.untimed = false;
		add.began = STRIP_NO_SECOND;
		if (k->part.ended != STRIP_NO_SECOND)
			add.ended = STRIP_NO_SECOND;
	}
	if (add.untimed || add.began != STRIP_NO_SECOND || add.ended != STRIP_NO_SECOND)
		strip_part_add(&t->strip, &add);
	if (is_new)
		strip_errors_add(&t->strip, m, p, 0);
	else if (errors)
		strip_errors_add(&t->strip, m, p, p->errors.nr - errors);
	*k = (struct over_time_known){
		.gen = p->gen,
		.nr_events = (uint32_t)p->nr_events,
		.nr_errors = p->nr_errors,
		.state = p->state,
		.parent_seen = p->parent_seen,
		.end = p->end,
		.part = part,
	};
	return true;
}

static bool over_time_add(struct over_time *t, const struct model *m)
{
	for (uint32_t s = model_first_slot(m); s != SLOT_NONE; s = model_next_slot(m, s)) {
		known_grow(t, s + 1);
		if (!known_is_current(&t->known[s], model_slot(m, s)) && !known_update(t, m, s))
			return false;
	}
	return true;
}

bool over_time_update(struct over_time *t, const struct model *m)
{
	const struct strip *evicted = model_strip_evicted(m);
	uint64_t version = t->strip.versions;
	/* versions of different models differ in their upper bits */
	bool same = t->model == m && t->evicted == evicted->versions &&
		    !((t->version ^ model_version(m)) >> MODEL_VERSION_BITS);

	if (same && t->version == model_version(m))
		return false;
	if (!same || !over_time_add(t, m)) {
		t->nr_known = 0;
		strip_copy(&t->strip, evicted);
		over_time_add(t, m);
	}
	t->model = m;
	t->version = model_version(m);
	t->evicted = evicted->versions;
	return t->strip.versions != version;
}

static int64_t slots_balance(const struct strip_slots *slots)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < slots->nr; i++)
		sum += (int64_t)slots->slots[i].began - slots->slots[i].ended;
	return sum;
}

void over_time_walk_begin(struct over_time_walk *walk, const struct strip *strip,
			  const struct strip_slots *slots)
{
	*walk = (struct over_time_walk){ .slots = slots };
	if (slots == &strip->recent)
		walk->sum = slots_balance(&strip->all) - slots_balance(slots);
}

static ns_t second_begin(int64_t second)
{
	const int64_t most = INT64_MAX / NS_PER_SEC;

	return (second > most ? most : second < -most ? -most : second) * NS_PER_SEC;
}

bool over_time_walk_next(struct over_time_walk *walk)
{
	uint32_t at = walk->next;

	if (at >= walk->slots->nr)
		return false;
	walk->next++;
	walk->slot = strip_slot_at(walk->slots, at);
	walk->start = second_begin(walk->slots->numbers[at] * ((int64_t)1 << walk->slots->shift));
	walk->sum += (int64_t)walk->slot->began - walk->slot->ended;
	walk->running = walk->sum > 0 ? (uint64_t)walk->sum : 0;
	return true;
}

struct human over_time_quantile_text(ns_t quantile)
{
	struct human text;
	ns_t unit = 1;

	if (quantile == NS_NONE)
		return human_duration(NS_NONE);
	while (quantile / unit >= 100 || quantile / unit <= -100)
		unit *= 10;
	/* round the quantile, unless that could overflow */
	if (quantile < INT64_MAX / 2 && quantile > INT64_MIN / 2)
		quantile = (quantile + (quantile < 0 ? -unit : unit) / 2) / unit * unit;
	text = human_mark(quantile);
	memmove(text.text + 1, text.text, sizeof(text.text) - 1);
	text.text[0] = '~';
	text.text[sizeof(text.text) - 1] = '\0';
	return text;
}

static int64_t floor_divide(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

void over_time_last(const struct over_time *t, int64_t seconds, ns_t now, uint32_t max_columns,
		    struct over_time_span *span)
{
	int64_t last = floor_divide(now, NS_PER_SEC), end;
	uint32_t max = max_columns ? max_columns : 1;

	(void)t;
	*span = (struct over_time_span){ .recent = true, .seconds = (seconds + max - 1) / max };
	if (span->seconds < 1)
		span->seconds = 1;
	end = (floor_divide(last, span->seconds) + 1) * span->seconds;
	span->nr = (uint32_t)((seconds + span->seconds - 1) / span->seconds);
	span->first = end - (int64_t)span->nr * span->seconds;
}

bool over_time_whole(const struct over_time *t, uint32_t max_columns, struct over_time_span *span)
{
	const struct strip_slots *s = &t->strip.all;
	/* slots before and after the epoch are never in the same column */
	uint32_t max = max_columns > 2 ? max_columns : 2;
	int64_t first, last;
	unsigned more = 0;

	*span = (struct over_time_span){ 0 };
	if (!s->nr)
		return false;
	first = s->numbers[0];
	last = s->numbers[s->nr - 1];
	while ((last >> more) - (first >> more) >= max)
		more++;
	span->seconds = (int64_t)1 << (s->shift + more);
	span->first = (first >> more) * span->seconds;
	span->nr = (uint32_t)((last >> more) - (first >> more) + 1);
	return true;
}

static void columns_make(struct over_time *t)
{
	const struct over_time_span *span = &t->span;
	const struct strip_slots *s = span->recent ? strip_seconds(&t->strip) : &t->strip.all;
	int64_t width = (int64_t)1 << s->shift, running = 0;
	uint32_t at = 0;

	if (span->recent)
		running = slots_balance(&t->strip.all) - slots_balance(s);
	for (; at < s->nr && s->numbers[at] * width < span->first; at++)
		running += (int64_t)strip_slot_at(s, at)->began - strip_slot_at(s, at)->ended;
	for (uint32_t i = 0; i < span->nr; i++) {
		struct over_time_column *column = &t->columns[i];
		int64_t end = span->first + (int64_t)(i + 1) * span->seconds;

		column->sum = STRIP_SLOT_EMPTY;
		for (; at < s->nr && s->numbers[at] * width < end; at++)
			strip_slot_add(&column->sum, strip_slot_at(s, at));
		running += (int64_t)column->sum.began - column->sum.ended;
		column->running = running > 0 ? (uint64_t)running : 0;
		column->p50 = column->p90 = NS_NONE;
		if (column->sum.longest == NS_NONE)
			continue;
		column->p50 = strip_quantile(&column->sum, 0.5);
		column->p90 = strip_quantile(&column->sum, 0.9);
	}
}

const struct over_time_column *over_time_columns(struct over_time *t,
						 const struct over_time_span *span)
{
	const struct over_time_span *old = &t->span;

	if (t->columns_version == t->strip.versions && old->nr == span->nr &&
	    old->first == span->first && old->seconds == span->seconds &&
	    old->recent == span->recent)
		return t->columns;
	if (span->nr > t->cap_columns) {
		t->cap_columns = span->nr;
		t->columns = xreallocarray(t->columns, span->nr, sizeof(*t->columns));
	}
	t->span = *span;
	t->columns_version = t->strip.versions;
	columns_make(t);
	return t->columns;
}

ns_t over_time_column_begin(const struct over_time_span *span, uint32_t column)
{
	return second_begin(span->first + (int64_t)column * span->seconds);
}

ns_t over_time_column_end(const struct over_time_span *span, uint32_t column)
{
	return over_time_column_begin(span, column + 1) - 1000;
}

uint32_t over_time_column_of(const struct over_time_span *span, ns_t time)
{
	int64_t column = floor_divide(floor_divide(time, NS_PER_SEC) - span->first, span->seconds);

	return column >= 0 && column < span->nr ? (uint32_t)column : span->nr;
}
