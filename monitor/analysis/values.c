/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/values_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"
#include "monitor/base/platform.h"

struct value_sample {
	uint32_t row;
	int64_t number;
};

/* number of times that a row has a text */
struct value_pair {
	uint32_t row;
	sym_t text;
	uint64_t count;
};

struct value_work {
	struct tr2_hash_index by_key;
	struct value_sample *samples;
	uint32_t nr_samples, cap_samples;
	struct tr2_intern texts;
	struct value_pair *pairs;
	uint32_t nr_pairs, cap_pairs;
	struct tr2_hash_index by_pair;
	uint32_t at; /* slot of the process that was read last; SLOT_NONE: none */
	bool collected;
	bool *is_text; /* by row: the row has a value that is not a number */
	uint32_t cap_text;
	uint32_t other; /* index of the row "(other)", or VALUES_NO_ROW */
	uint32_t finished;
	int64_t *numbers; /* numbers of all samples, grouped by row */
	/* by row: index of its first number in `numbers`; the last item is their count */
	uint32_t *firsts;
	uint64_t seed; /* for random pivots */
};

#define VALUES_NO_ROW UINT32_MAX

static uint32_t value_key_hash(uint8_t list, sym_t category, sym_t key)
{
	return (uint32_t)tr2_hash_pair((uint64_t)category << 32 | key, list);
}

static uint32_t value_row_hash(const void *data, uint32_t number)
{
	const struct value_row *row = &((const struct value_rows *)data)->rows[number];

	return value_key_hash(row->list, row->category, row->key);
}

static uint32_t value_pair_hash(const void *data, uint32_t number)
{
	const struct value_pair *pair = &((const struct value_work *)data)->pairs[number];

	return (uint32_t)tr2_hash_pair(pair->row, pair->text);
}

static uint32_t value_row_add(struct value_rows *v, const struct value_row *row)
{
	struct value_work *w = v->work;
	uint32_t cap = w->cap_text;

	GROW(v->rows, v->nr, v->cap, 64);
	v->rows[v->nr] = *row;
	if (v->nr == w->cap_text) {
		GROW(w->is_text, v->nr, w->cap_text, 64);
		memset(w->is_text + cap, 0, (w->cap_text - cap) * sizeof(*w->is_text));
	}
	return v->nr++;
}

static uint32_t value_row_of(struct value_rows *v, enum value_list list,
			     const struct value_item *item)
{
	struct value_work *w = v->work;
	uint32_t hash = value_key_hash((uint8_t)list, item->category, item->key), number;

	TR2_HASH_INDEX_EACH(&w->by_key, hash, place)
	{
		const struct value_row *row = &v->rows[w->by_key.at[place] - 1];

		if (row->list == list && row->category == item->category && row->key == item->key)
			return w->by_key.at[place] - 1;
	}
	if (w->by_key.nr >= VALUES_MAX_ROWS) {
		if (w->other == VALUES_NO_ROW)
			w->other = value_row_add(v, &(struct value_row){ .category = SYM_NONE,
									 .key = SYM_NONE,
									 .is_other = true });
		return w->other;
	}
	number = value_row_add(v, &(struct value_row){ .category = item->category,
						       .key = item->key,
						       .list = (uint8_t)list });
	hash_index_put(&w->by_key, hash, number, value_row_hash, v);
	return number;
}

static void value_text_add(struct value_work *w, uint32_t row, const char *text, size_t len)
{
	sym_t sym = tr2_intern(&w->texts, text, len < VALUES_TEXT_BYTES ? len : VALUES_TEXT_BYTES);
	uint32_t hash = (uint32_t)tr2_hash_pair(row, sym);

	TR2_HASH_INDEX_EACH(&w->by_pair, hash, place)
	{
		struct value_pair *pair = &w->pairs[w->by_pair.at[place] - 1];

		if (pair->row == row && pair->text == sym) {
			pair->count++;
			return;
		}
	}
	GROW(w->pairs, w->nr_pairs, w->cap_pairs, 256);
	w->pairs[w->nr_pairs] = (struct value_pair){ row, sym, 1 };
	hash_index_put(&w->by_pair, hash, w->nr_pairs++, value_pair_hash, w);
}

static void value_item_add(struct value_rows *v, enum value_list list,
			   const struct value_item *item)
{
	struct value_work *w = v->work;
	uint32_t number = value_row_of(v, list, item);
	struct value_row *row = &v->rows[number];

	row->count++;
	row->unknown += !item->known;
	if (!item->known || row->is_other)
		return;
	if (item->is_number) {
		GROW(w->samples, w->nr_samples, w->cap_samples, 1024);
		w->samples[w->nr_samples++] = (struct value_sample){ number, item->number };
	} else {
		w->is_text[number] = true;
		value_text_add(w, number, item->text, item->len);
	}
}

/* Returns the number of items that were read. */
static uint32_t value_process_add(struct value_rows *v, const struct analysis *what, uint32_t slot)
{
	const struct process *p = model_slot(what->model, slot);
	struct value_item item;
	uint32_t nr = 0;

	for (int list = 0; list < NR_VALUE_LISTS; list++) {
		uint32_t len = value_list_len(p, (enum value_list)list);

		for (uint32_t i = 0; i < len; i++)
			if (value_item_get(what->model, p, (enum value_list)list, i,
					   what->limits.nesting, &item))
				value_item_add(v, (enum value_list)list, &item);
		nr += len;
	}
	return nr;
}

static void value_group(struct value_rows *v, const struct model *m)
{
	struct value_work *w = v->work;
	uint32_t sum = 0;

	w->firsts = xcalloc((size_t)v->nr + 2, sizeof(*w->firsts));
	w->numbers = xreallocarray(NULL, (size_t)w->nr_samples + 1, sizeof(*w->numbers));
	for (uint32_t i = 0; i < w->nr_samples; i++)
		w->firsts[w->samples[i].row + 2]++;
	for (uint32_t i = 0; i < v->nr + 2; i++)
		w->firsts[i] = sum += w->firsts[i];
	/* firsts[row + 1] is the index at which the row begins, and becomes that at which it
	 * ends */
	for (uint32_t i = 0; i < w->nr_samples; i++)
		w->numbers[w->firsts[w->samples[i].row + 1]++] = w->samples[i].number;
	for (uint32_t i = 0; i < v->nr; i++)
		v->rows[i].unit =
			w->is_text[i] ? VALUE_UNIT_TEXT
				      : (uint8_t)value_unit_of(m, (enum value_list)v->rows[i].list,
							       v->rows[i].key);
}

static void number_swap(int64_t *a, int64_t *b)
{
	int64_t x = *a;

	*a = *b;
	*b = x;
}

/* Return the number that would have index `at` if the numbers were sorted. Pivots are random, so
 * that no crafted trace makes this function slow. */
static int64_t number_select(int64_t *numbers, uint32_t nr, uint32_t at, uint64_t *seed)
{
	int64_t first = 0, last = (int64_t)nr - 1;

	while (first < last) {
		int64_t i = first, j = last, pivot;

		*seed = *seed * 6364136223846793005u + 1442695040888963407u;
		pivot = numbers[first + (int64_t)((*seed >> 33) % (uint64_t)(last - first + 1))];
		while (i <= j) {
			while (numbers[i] < pivot)
				i++;
			while (numbers[j] > pivot)
				j--;
			if (i <= j)
				number_swap(&numbers[i++], &numbers[j--]);
		}
		if ((int64_t)at <= j)
			last = j;
		else if ((int64_t)at >= i)
			first = i;
		else
			break;
	}
	return numbers[at];
}

static uint32_t quantile_at(uint32_t nr, unsigned percent)
{
	return (uint32_t)(((uint64_t)nr * percent + 99) / 100) - 1;
}

static void value_row_numbers(struct value_work *w, struct value_row *row, int64_t *numbers,
			      uint32_t nr)
{
	row->sum = row->min = row->p50 = row->p90 = row->max = NUM_NONE;
	if (!nr)
		return;
	row->min = row->max = numbers[0];
	row->sum = 0;
	for (uint32_t i = 0; i < nr; i++) {
		row->sum = ns_add(row->sum, numbers[i]);
		row->min = numbers[i] < row->min ? numbers[i] : row->min;
		row->max = numbers[i] > row->max ? numbers[i] : row->max;
	}
	row->p50 = number_select(numbers, nr, quantile_at(nr, 50), &w->seed);
	row->p90 = number_select(numbers, nr, quantile_at(nr, 90), &w->seed);
}

static void value_row_texts(struct value_work *w, uint32_t row, const int64_t *numbers, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		char text[24];
		int len = snprintf(text, sizeof(text), "%" PRId64, numbers[i]);

		value_text_add(w, row, text, (size_t)len);
	}
}

/* Returns the number of the row's numbers plus 1. */
static uint32_t value_row_finish(struct value_rows *v, uint32_t number)
{
	struct value_work *w = v->work;
	struct value_row *row = &v->rows[number];
	int64_t *numbers = w->numbers + w->firsts[number];
	uint32_t nr = w->firsts[number + 1] - w->firsts[number];

	if (row->unit == VALUE_UNIT_TEXT) {
		value_row_texts(w, number, numbers, nr);
		nr = 0;
	}
	value_row_numbers(w, row, numbers, nr);
	return w->firsts[number + 1] - w->firsts[number] + 1;
}

static bool text_is_before(const struct value_work *w, const struct value_pair *a,
			   const struct value_text *b)
{
	size_t a_len, b_len;
	const char *x, *y;
	int order;

	if (a->count != b->count)
		return a->count > b->count;
	x = tr2_intern_text(&w->texts, a->text, &a_len);
	y = tr2_intern_text(&w->texts, b->text, &b_len);
	order = memcmp(x, y, a_len < b_len ? a_len : b_len);
	return order ? order < 0 : a_len < b_len;
}

static void value_rank_texts(struct value_rows *v)
{
	struct value_work *w = v->work;

	for (uint32_t i = 0; i < w->nr_pairs; i++) {
		const struct value_pair *pair = &w->pairs[i];
		struct value_row *row = &v->rows[pair->row];
		uint32_t at = row->nr_top;

		row->nr_texts++;
		while (at && text_is_before(w, pair, &row->top[at - 1]))
			at--;
		if (at == VALUES_TOP_TEXTS)
			continue;
		row->nr_top += row->nr_top < VALUES_TOP_TEXTS;
		memmove(row->top + at + 1, row->top + at,
			(row->nr_top - 1 - at) * sizeof(*row->top));
		row->top[at] = (struct value_text){ pair->text, pair->count };
	}
}

static int value_sym_compare(const struct model *m, sym_t a, sym_t b)
{
	size_t a_len, b_len;
	const char *x, *y;
	int order;

	if (a == b || a == SYM_NONE || b == SYM_NONE)
		return a == b ? 0 : a == SYM_NONE ? -1 : 1;
	x = model_sym(m, a, &a_len);
	y = model_sym(m, b, &b_len);
	order = memcmp(x, y, a_len < b_len ? a_len : b_len);
	return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int value_row_compare(const void *a, const void *b, void *model)
{
	const struct value_row *x = a, *y = b;
	int order;

	if (x->is_other != y->is_other)
		return x->is_other - y->is_other;
	order = value_sym_compare(model, x->category, y->category);
	order = order ? order : value_sym_compare(model, x->key, y->key);
	return order ? order : x->list - y->list;
}

static void value_rows_sort(struct value_rows *v, const struct model *m)
{
	if (v->nr)
		platform_sort(v->rows, v->nr, sizeof(*v->rows), value_row_compare, (void *)m);
}

static void value_work_release(struct value_work *w)
{
	if (!w)
		return;
	tr2_hash_index_release(&w->by_key);
	tr2_hash_index_release(&w->by_pair);
	tr2_intern_release(&w->texts);
	free(w->samples);
	free(w->pairs);
	free(w->is_text);
	free(w->numbers);
	free(w->firsts);
	free(w);
}

void value_rows_begin(struct value_rows *v)
{
	struct value_work *w = xcalloc(1, sizeof(*w));

	value_work_release(v->work);
	v->work = w;
	v->nr = 0;
	v->percent = 0;
	hash_index_init(&w->by_key, 128);
	hash_index_init(&w->by_pair, 128);
	if (!tr2_intern_init(&w->texts, VALUES_MAX_TEXTS, VALUES_MAX_TEXT_BYTES))
		die_of_memory(sizeof(w->texts));
	w->at = SLOT_NONE;
	w->other = VALUES_NO_ROW;
	w->seed = tr2_hash_seed | 1;
}

/* Returns true if all processes are read. */
static bool value_collect(struct value_rows *v, const struct analysis *what, uint32_t *budget)
{
	struct value_work *w = v->work;
	uint32_t read = 0, nr = model_nr_processes(what->model);

	while (read < *budget) {
		w->at = model_next_slot(what->model, w->at);
		if (w->at == SLOT_NONE)
			break;
		read++;
		if (values_of_process(what, w->at) &&
		    (!v->keep || v->keep(v->keep_data, what->model, w->at)))
			read += value_process_add(v, what, w->at);
	}
	v->percent = nr ? (int)(w->at < nr ? 90 * (uint64_t)w->at / nr : 90) : 90;
	*budget -= read < *budget ? read : *budget;
	return w->at == SLOT_NONE;
}

bool value_rows_continue(struct value_rows *v, const struct analysis *what, uint32_t budget)
{
	struct value_work *w = v->work;

	if (!w->collected && value_collect(v, what, &budget)) {
		w->collected = true;
		value_group(v, what->model);
	}
	if (!w->collected)
		return false;
	while (w->finished < v->nr && budget) {
		uint32_t nr = value_row_finish(v, w->finished++);

		budget -= nr < budget ? nr : budget;
	}
	if (w->finished < v->nr)
		return false;
	if (v->percent < 100) {
		value_rank_texts(v);
		value_rows_sort(v, what->model);
	}
	v->percent = 100;
	return true;
}

void value_rows_make(struct value_rows *v, const struct analysis *what)
{
	value_rows_begin(v);
	while (!value_rows_continue(v, what, UINT32_MAX))
		;
}

void value_rows_release(struct value_rows *v)
{
	value_work_release(v->work);
	free(v->rows);
	*v = (struct value_rows){ .keep = v->keep, .keep_data = v->keep_data };
}

const char *value_text_of(const struct value_rows *v, sym_t text, size_t *len)
{
	return tr2_intern_text(&v->work->texts, text, len);
}
