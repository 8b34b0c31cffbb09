/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/heat.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/grow.h"

/* number of octaves of durations, from 2^-10 ms on */
#define NR_OCTAVES 40u

void heat_clear(struct heat *h)
{
	h->nr = 0;
	h->untimed = 0;
	h->nr_rows = h->nr_columns = 0;
	h->evicted = NULL;
}

void heat_release(struct heat *h)
{
	free(h->points);
	free(h->cells);
	free(h->evicted_cells);
	free(h->medians);
	*h = (struct heat){ 0 };
}

void heat_add(struct heat *h, const struct heat_point *point)
{
	if (point->time == NS_NONE) {
		h->untimed++;
		return;
	}
	GROW(h->points, h->nr, h->cap, 256);
	h->points[h->nr++] = *point;
}

bool heat_point_of(const struct model *m, uint32_t slot, struct heat_point *point)
{
	const struct process *p = model_slot(m, slot);

	*point = (struct heat_point){ .time = p->end > p->start ? p->end : p->start,
				      .duration = process_elapsed(p),
				      .slot = slot,
				      .failed = process_failed(p) || p->state == STATE_SIGNALED };
	return p->state != STATE_RUNNING && point->duration != NS_NONE;
}

void heat_add_commands(struct heat *h, const struct heat_of *of)
{
	const struct commands_of *which = &of->processes;
	const struct model *m = which->model;

	for (uint32_t s = model_first_slot(m); s != SLOT_NONE; s = model_next_slot(m, s)) {
		const struct process *p = model_slot(m, s);
		struct heat_point point;

		if ((which->depth >= 0 && p->depth > which->depth) ||
		    (which->keep && !which->keep(which->keep_data, m, s)) ||
		    !heat_point_of(m, s, &point) ||
		    (!of->all && commands_group(m, p, of->by) != of->id))
			continue;
		heat_add(h, &point);
	}
}

bool heat_point_of_occurrence(const struct model *m, const struct occurrence *item,
			      struct heat_point *point)
{
	const struct process *p = model_process(m, item->process);

	*point = (struct heat_point){
		.time = item->start == NS_NONE ? NS_NONE : ns_add(item->start, item->duration),
		.duration = item->duration,
		.slot = p ? model_handle_here(m, item->process).slot : SLOT_NONE,
		.failed = p && process_failed(p)
	};
	return item->duration != NS_NONE;
}

void heat_add_occurrences(struct heat *h, const struct model *m, const struct occurrences *found)
{
	struct heat_point point;

	for (uint32_t i = 0; i < found->nr; i++)
		if (heat_point_of_occurrence(m, &found->items[i], &point))
			heat_add(h, &point);
}

static unsigned row_of_duration(enum heat_rows rows, ns_t duration)
{
	const ns_t most = ((ns_t)1 << (NR_OCTAVES - 11)) * NS_PER_MS;
	uint64_t units;

	if (rows == HEAT_HALF_OCTAVES)
		return strip_bucket(duration);
	if (duration >= most)
		return NR_OCTAVES - 1;
	/* convert to units of 2^-10 ms */
	units = duration > 0 ? (uint64_t)duration * 1024 / NS_PER_MS : 0;
	return units ? 63 - (unsigned)__builtin_clzll(units) : 0;
}

ns_t heat_row_bound(const struct heat *h, uint32_t row)
{
	unsigned number = h->first_row + row;

	if (h->rows == HEAT_HALF_OCTAVES)
		return strip_bucket_bound(number);
	/* round up to whole ns */
	return (((ns_t)NS_PER_MS << number) + 1023) / 1024;
}

static ns_t width_of_shift(int shift)
{
	return shift < 0 ? NS_PER_SEC >> -shift : NS_PER_SEC << shift;
}

static int64_t column_number(ns_t time, ns_t width)
{
	return time / width - (time % width < 0);
}

ns_t heat_column_width(const struct heat *h)
{
	return width_of_shift(h->shift);
}

ns_t heat_column_begin(const struct heat *h, uint32_t column)
{
	ns_t begin;

	if (__builtin_mul_overflow(h->first + (int64_t)column, heat_column_width(h), &begin))
		return h->first < 0 ? INT64_MIN + 1 : INT64_MAX;
	return begin;
}

struct heat_bounds heat_box_bounds(const struct heat *h, const struct heat_box *box)
{
	unsigned last = h->rows == HEAT_HALF_OCTAVES ? STRIP_BUCKETS - 1 : NR_OCTAVES - 1;

	return (struct heat_bounds){ .begin = heat_column_begin(h, box->first_column),
				     .end = heat_column_begin(h, box->last_column + 1),
				     .least = h->first_row + box->first_row
						      ? heat_row_bound(h, box->first_row)
						      : INT64_MIN,
				     .most = h->first_row + box->last_row < last
						     ? heat_row_bound(h, box->last_row + 1)
						     : INT64_MAX };
}

bool heat_place(const struct heat *h, const struct heat_point *point, uint32_t *row,
		uint32_t *column)
{
	int64_t number = column_number(point->time, heat_column_width(h));

	if (number < h->first || number - h->first >= h->nr_columns)
		return false;
	*column = (uint32_t)(number - h->first);
	*row = row_of_duration(h->rows, point->duration) - h->first_row;
	return true;
}

void heat_add_evicted(struct heat *h, const struct model *m)
{
	const struct strip_slots *slots = &model_strip_evicted(m)->all;

	h->evicted = slots->nr ? slots : NULL;
}

static unsigned row_of_bucket(enum heat_rows rows, unsigned bucket)
{
	return row_of_duration(rows, strip_bucket_middle(bucket));
}

static int64_t slot_begin(const struct strip_slots *slots, uint32_t index)
{
	return slots->numbers[index] * ((int64_t)1 << slots->shift);
}

static int64_t column_of_second(int shift, int64_t second)
{
	return shift >= 0 ? second >> shift : second * ((int64_t)1 << -shift);
}

static int64_t slot_columns(const struct heat *h, uint32_t index, int64_t *nr)
{
	int64_t begin = slot_begin(h->evicted, index), first = column_of_second(h->shift, begin);
	int more = (int)h->evicted->shift - h->shift;

	*nr = more > 0 ? (int64_t)1 << more : 1;
	return first;
}

static void evicted_rows(const struct heat *h, unsigned *low, unsigned *high)
{
	for (uint32_t i = 0; h->evicted && i < h->evicted->nr; i++)
		for (unsigned b = 0; b < STRIP_BUCKETS; b++) {
			unsigned row = row_of_bucket(h->rows, b);

			if (!strip_slot_at(h->evicted, i)->buckets[b])
				continue;
			*low = row < *low ? row : *low;
			*high = row > *high ? row : *high;
		}
}

static void evicted_spread(struct heat *h, uint32_t row, int64_t first, int64_t columns,
			   uint32_t nr)
{
	int64_t from = first < h->first ? h->first - first : 0;

	for (int64_t i = from; i < columns && first + i - h->first < h->nr_columns; i++)
		h->evicted_cells[(size_t)row * h->nr_columns + (uint32_t)(first + i - h->first)] +=
			(uint32_t)(nr / columns + (i < nr % columns));
}

static void evicted_layout(struct heat *h)
{
	uint32_t nr = h->nr_rows * h->nr_columns;

	if (!h->evicted)
		return;
	if (nr > h->cap_evicted) {
		h->cap_evicted = nr;
		h->evicted_cells = xreallocarray(h->evicted_cells, nr, sizeof(*h->evicted_cells));
	}
	memset(h->evicted_cells, 0, nr * sizeof(*h->evicted_cells));
	for (uint32_t i = 0; i < h->evicted->nr; i++) {
		const struct strip_slot *slot = strip_slot_at(h->evicted, i);
		int64_t columns, first = slot_columns(h, i, &columns);

		for (unsigned b = 0; b < STRIP_BUCKETS; b++)
			if (slot->buckets[b])
				evicted_spread(h, row_of_bucket(h->rows, b) - h->first_row, first,
					       columns, slot->buckets[b]);
	}
}

static uint32_t column_median(const struct heat *h, uint32_t column)
{
	uint32_t rank = (heat_column_sum(h, column).nr + 1) / 2, below = 0;

	if (!rank)
		return h->nr_rows;
	for (uint32_t row = 0;; row++) {
		below += heat_at(h, row, column)->nr;
		if (below >= rank)
			return row;
	}
}

static void find_medians(struct heat *h)
{
	if (h->nr_columns > h->cap_medians) {
		h->cap_medians = h->nr_columns;
		h->medians = xreallocarray(h->medians, h->cap_medians, sizeof(*h->medians));
	}
	for (uint32_t i = 0; i < h->nr_columns; i++)
		h->medians[i] = column_median(h, i);
}

void heat_layout(struct heat *h, int shift, int64_t first, uint32_t nr_columns, enum heat_rows rows)
{
	unsigned low = UINT32_MAX, high = 0;
	uint32_t nr, row, column;

	h->rows = rows;
	h->shift = shift;
	h->first = first;
	h->nr_columns = nr_columns;
	for (uint32_t i = 0; i < h->nr; i++) {
		unsigned at = row_of_duration(rows, h->points[i].duration);

		low = at < low ? at : low;
		high = at > high ? at : high;
	}
	evicted_rows(h, &low, &high);
	h->first_row = low <= high ? low : 0;
	h->nr_rows = low <= high ? high - low + 1 : 1;
	nr = h->nr_rows * nr_columns;
	if (nr > h->cap_cells) {
		h->cap_cells = nr;
		h->cells = xreallocarray(h->cells, nr, sizeof(*h->cells));
	}
	if (nr)
		memset(h->cells, 0, nr * sizeof(*h->cells));
	for (uint32_t i = 0; i < h->nr; i++) {
		struct heat_cell *cell;

		if (!heat_place(h, &h->points[i], &row, &column))
			continue;
		cell = &h->cells[(size_t)row * nr_columns + column];
		cell->nr++;
		cell->failed += h->points[i].failed;
	}
	find_medians(h);
	evicted_layout(h);
}

bool heat_fit(struct heat *h, uint32_t max_columns, enum heat_rows rows)
{
	uint32_t all = max_columns > 2 ? max_columns : 2, max = all;
	ns_t earliest = INT64_MAX, latest = INT64_MIN;
	int64_t first, last;
	int shift = HEAT_MIN_SHIFT;

	if (!h->nr)
		return false;
	for (uint32_t i = 0; i < h->nr; i++) {
		earliest = h->points[i].time < earliest ? h->points[i].time : earliest;
		latest = h->points[i].time > latest ? h->points[i].time : latest;
	}
	if (h->evicted && slot_begin(h->evicted, 0) < earliest / NS_PER_SEC && all > 8)
		max = all / 4 * 3;
	for (;; shift++) {
		first = column_number(earliest, width_of_shift(shift));
		last = column_number(latest, width_of_shift(shift));
		if (last - first < max || shift == HEAT_MAX_SHIFT)
			break;
	}
	if (max < all) {
		int64_t oldest = column_of_second(shift, slot_begin(h->evicted, 0));

		first = oldest > last - all + 1 ? oldest < first ? oldest : first : last - all + 1;
	}
	heat_layout(h, shift, first, (uint32_t)(last - first + 1), rows);
	return true;
}

static void heat_cell_add(struct heat_cell *to, const struct heat_cell *cell)
{
	to->nr += cell->nr;
	to->failed += cell->failed;
}

struct heat_cell heat_row_sum(const struct heat *h, uint32_t row)
{
	struct heat_cell sum = { 0 };

	for (uint32_t column = 0; column < h->nr_columns; column++)
		heat_cell_add(&sum, heat_at(h, row, column));
	return sum;
}

struct heat_cell heat_column_sum(const struct heat *h, uint32_t column)
{
	struct heat_cell sum = { 0 };

	for (uint32_t row = 0; row < h->nr_rows; row++)
		heat_cell_add(&sum, heat_at(h, row, column));
	return sum;
}

uint32_t heat_next_in_box(const struct heat *h, const struct heat_box *box, uint32_t after)
{
	uint32_t row, column;

	for (uint32_t i = after + 1; i < h->nr; i++)
		if (heat_place(h, &h->points[i], &row, &column) && row >= box->first_row &&
		    row <= box->last_row && column >= box->first_column &&
		    column <= box->last_column)
			return i;
	return UINT32_MAX;
}
