/* SPDX-License-Identifier: MIT */
/* items of a process's lists as values, texts of values, and the occurrences of a key */
#include "config.h"

#include "monitor/analysis/values_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/format_text.h"
#include "monitor/base/grow.h"
#include "monitor/base/humanize.h"

const char *const value_list_names[NR_VALUE_LISTS] = {
	[VALUES_DATA] = "data", [VALUES_COUNTER] = "counter", [VALUES_TIMER] = "timer"
};

const char *const value_unit_names[NR_VALUE_UNITS] = {
	[VALUE_UNIT_NONE] = "",     [VALUE_UNIT_BYTES] = "bytes", [VALUE_UNIT_NS] = "ns",
	[VALUE_UNIT_US] = "us",     [VALUE_UNIT_MS] = "ms",       [VALUE_UNIT_SECONDS] = "s",
	[VALUE_UNIT_TEXT] = "text",
};

/* Parse a whole number in its canonical spelling, so that equal numbers have equal texts. */
static bool value_parse_number(const char *text, size_t len, int64_t *number)
{
	bool minus = len && *text == '-';
	size_t at = minus;
	int64_t sum = 0;

	if (at == len || len > 20 || (text[at] == '0' && len > 1))
		return false;
	for (; at < len; at++) {
		int digit = text[at] - '0';

		if (digit < 0 || digit > 9 || __builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_sub_overflow(sum, digit, &sum))
			return false;
	}
	/* Compute with negative numbers, because INT64_MIN has no positive counterpart. Reject
	 * INT64_MIN: it means "absent". */
	if (sum == INT64_MIN)
		return false;
	*number = minus ? sum : -sum;
	return true;
}

static struct value_item value_of_data(const struct model *m, const struct data_item *data)
{
	struct value_item item = { data->category, data->key, .known = data->has_value };

	if (!item.known)
		return item;
	item.text = model_text(m, data->value);
	item.len = data->value.len;
	item.is_number = value_parse_number(item.text, item.len, &item.number);
	return item;
}

static struct value_item value_of_number(sym_t category, sym_t key, int64_t number)
{
	bool known = number != NUM_NONE;

	return (struct value_item){ category, key, known, known, number, NULL, 0 };
}

bool value_item_get(const struct model *m, const struct process *p, enum value_list list,
		    uint32_t index, int64_t nesting, struct value_item *item)
{
	if (list == VALUES_DATA) {
		const struct data_item *data = PROCESS_ITEM(m, &p->data, data_item, index);

		*item = value_of_data(m, data);
		return nesting < 0 || data->nesting <= nesting;
	}
	if (list == VALUES_COUNTER) {
		const struct counter_item *counter =
			PROCESS_ITEM(m, &p->counters, counter_item, index);

		*item = value_of_number(counter->category, counter->name, counter->count);
		return !counter->of_thread;
	}
	const struct timer_item *timer = PROCESS_ITEM(m, &p->timers, timer_item, index);

	*item = value_of_number(timer->category, timer->name, timer->total);
	return !timer->of_thread;
}

uint32_t value_list_len(const struct process *p, enum value_list list)
{
	return list == VALUES_DATA      ? p->data.nr
	       : list == VALUES_COUNTER ? p->counters.nr
					: p->timers.nr;
}

bool values_of_process(const struct analysis *what, uint32_t slot)
{
	return (what->limits.depth < 0 ||
		model_slot(what->model, slot)->depth <= what->limits.depth) &&
	       filter_process(what->filter, what->model, slot);
}

/* Detect the unit of a key by its last word, such as "total_bytes" or "wait/ms". */
static enum value_unit unit_of_name(const char *name, size_t len)
{
	static const struct {
		const char *word;
		enum value_unit unit;
	} words[] = {
		{ "bytes", VALUE_UNIT_BYTES }, { "ns", VALUE_UNIT_NS },
		{ "us", VALUE_UNIT_US },       { "ms", VALUE_UNIT_MS },
		{ "sec", VALUE_UNIT_SECONDS }, { "secs", VALUE_UNIT_SECONDS },
		{ "s", VALUE_UNIT_SECONDS },   { "seconds", VALUE_UNIT_SECONDS },
	};
	size_t at = len;

	while (at && !strchr("/_-. :", name[at - 1]))
		at--;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i].word) == len - at &&
		    !memcmp(words[i].word, name + at, len - at))
			return words[i].unit;
	return VALUE_UNIT_NONE;
}

enum value_unit value_unit_of(const struct model *model, enum value_list list, sym_t key)
{
	const char *name;
	size_t len;

	if (list == VALUES_TIMER)
		return VALUE_UNIT_NS;
	name = model_sym(model, key, &len);
	return unit_of_name(name, len);
}

void value_format(enum value_unit unit, int64_t number, struct tr2_buf *out)
{
	static const ns_t factors[] = { [VALUE_UNIT_NS] = 1,
					[VALUE_UNIT_US] = NS_PER_MS / 1000,
					[VALUE_UNIT_MS] = NS_PER_MS,
					[VALUE_UNIT_SECONDS] = NS_PER_SEC };
	uint64_t size = number < 0 ? -(uint64_t)number : (uint64_t)number;
	ns_t ns;

	if (number == NUM_NONE) {
		tr2_buf_addstr(out, "-");
		return;
	}
	switch (unit) {
	case VALUE_UNIT_NS:
	case VALUE_UNIT_US:
	case VALUE_UNIT_MS:
	case VALUE_UNIT_SECONDS:
		if (__builtin_mul_overflow(number, factors[unit], &ns))
			ns = number < 0 ? INT64_MIN + 1 : INT64_MAX;
		tr2_buf_addstr(out, human_duration(ns).text);
		break;
	default:
		tr2_buf_addf(out, "%s%s", number < 0 ? "-" : "",
			     unit == VALUE_UNIT_BYTES ? human_bytes(size).text
						      : human_count(size).text);
	}
}

void value_row_format_key(const struct model *model, const struct value_row *row,
			  struct tr2_buf *out)
{
	if (row->is_other)
		tr2_buf_addstr(out, "(other)");
	else
		format_region(model, row->category, row->key, out);
}

void value_row_format_top(const struct value_rows *v, const struct value_row *row,
			  struct tr2_buf *out)
{
	for (uint32_t i = 0; i < row->nr_top; i++) {
		size_t len;
		const char *text = value_text_of(v, row->top[i].text, &len);

		tr2_buf_addstr(out, i ? ", " : "");
		if (len)
			format_cut(text, len, 60, out);
		else
			tr2_buf_addstr(out, "(empty)");
		tr2_buf_addf(out, " (%" PRIu64 ")", row->top[i].count);
	}
	if (row->nr_texts > row->nr_top)
		tr2_buf_addf(out, ", and %" PRIu32 " others", row->nr_texts - row->nr_top);
}

static ns_t value_time(const struct model *m, const struct process *p, enum value_list list,
		       uint32_t index)
{
	const struct data_item *data;

	if (list != VALUES_DATA)
		return p->end;
	data = PROCESS_ITEM(m, &p->data, data_item, index);
	return p->start == NS_NONE || data->t_abs == NS_NONE ? p->start
							     : ns_add(p->start, data->t_abs);
}

static int occurrence_newest_first(const void *a, const void *b)
{
	const struct value_occurrence *x = a, *y = b;

	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return x->index > y->index ? -1 : x->index < y->index;
}

static bool value_item_is(const struct model *m, const struct process *p, enum value_list list,
			  uint32_t index, sym_t category, sym_t key)
{
	if (list == VALUES_DATA) {
		const struct data_item *data = PROCESS_ITEM(m, &p->data, data_item, index);

		return data->category == category && data->key == key;
	}
	if (list == VALUES_COUNTER) {
		const struct counter_item *counter =
			PROCESS_ITEM(m, &p->counters, counter_item, index);

		return counter->category == category && counter->name == key;
	}
	const struct timer_item *timer = PROCESS_ITEM(m, &p->timers, timer_item, index);

	return timer->category == category && timer->name == key;
}

void value_occurrences_make(struct value_occurrences *found, const struct analysis *what,
			    enum value_list list, sym_t category, sym_t key)
{
	const struct model *m = what->model;

	found->nr = 0;
	for (uint32_t s = model_first_slot(m); s != SLOT_NONE; s = model_next_slot(m, s)) {
		const struct process *p = model_slot(m, s);
		uint32_t len = value_list_len(p, list);
		struct value_item item;

		if (!len || !values_of_process(what, s))
			continue;
		for (uint32_t i = 0; i < len; i++) {
			if (!value_item_is(m, p, list, i, category, key) ||
			    !value_item_get(m, p, list, i, what->limits.nesting, &item))
				continue;
			GROW(found->items, found->nr, found->cap, 64);
			found->items[found->nr++] =
				(struct value_occurrence){ value_time(m, p, list, i),
							   item.is_number ? item.number : NUM_NONE,
							   s, i };
		}
	}
	if (found->nr)
		qsort(found->items, found->nr, sizeof(*found->items), occurrence_newest_first);
}

void value_occurrences_release(struct value_occurrences *found)
{
	free(found->items);
	*found = (struct value_occurrences){ 0 };
}

const struct data_item *value_data_item(const struct model *model,
					const struct value_occurrence *occurrence)
{
	return PROCESS_ITEM(model, &model_slot(model, occurrence->slot)->data, data_item,
			    occurrence->index);
}
