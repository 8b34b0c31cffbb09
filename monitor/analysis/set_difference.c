/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/set_difference_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/analysis/format_text.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"
#include "monitor/base/secrets.h"

/* units of work of reading one run, without its values */
#define RUN_UNITS 20u

uint64_t set_difference_mark(uint32_t run)
{
	return tr2_hash_pair(run, 0x5e7d1ffe7e9ceull);
}

static uint32_t column_key_hash(enum attribute attribute, const char *category, const char *key)
{
	return (uint32_t)tr2_hash_pair(tr2_hash_pair((uintptr_t)category, (uintptr_t)key),
				       attribute);
}

static uint32_t column_key_hash_of(const void *work, uint32_t number)
{
	const struct set_difference_key *k =
		&((const struct set_difference_work *)work)->keys[number];

	return column_key_hash(k->attribute, k->category, k->key);
}

static uint32_t column_text_hash(enum attribute attribute, uint64_t category, uint64_t key)
{
	return (uint32_t)tr2_hash_pair(tr2_hash_pair(category, key), attribute);
}

static uint32_t column_text_hash_of(const void *work, uint32_t number)
{
	const struct set_difference_work *w = work;
	const struct set_difference_column *c = &w->columns[number];

	return column_text_hash(c->attribute,
				tr2_hash(w->texts.data + c->category, c->category_len),
				tr2_hash(w->texts.data + c->key, c->key_len));
}

static uint32_t keep_text(struct set_difference_work *w, const char *text, size_t len)
{
	uint32_t at = (uint32_t)w->texts.len;

	tr2_buf_add(&w->texts, text, len);
	return at;
}

static uint32_t column_new(struct set_difference_work *w, enum attribute attribute,
			   const struct value *value)
{
	struct set_difference_column *c;
	unsigned test = attributes[attribute].test;

	GROW(w->columns, w->nr_columns, w->cap_columns, 32);
	c = &w->columns[w->nr_columns];
	*c = (struct set_difference_column){
		.attribute = attribute,
		.is_text = test == ATTRIBUTE_TEST_TEXT || test == ATTRIBUTE_TEST_OUTCOME,
		.has_category = value->category,
		.has_key = value->key,
		.category_len = (uint32_t)value->category_len,
		.key_len = (uint32_t)value->key_len,
	};
	if (value->category)
		c->category = keep_text(w, value->category, value->category_len);
	if (value->key)
		c->key = keep_text(w, value->key, value->key_len);
	return w->nr_columns++;
}

static bool is_kept_text(const struct set_difference_work *w, uint32_t at, uint32_t at_len,
			 const char *text, size_t len)
{
	return at_len == len && (!len || !memcmp(w->texts.data + at, text, len));
}

static bool is_column(const struct set_difference_work *w, uint32_t column,
		      enum attribute attribute, const struct value *value)
{
	const struct set_difference_column *c = &w->columns[column];

	return c->attribute == attribute && c->has_category == (value->category != NULL) &&
	       is_kept_text(w, c->key, c->key_len, value->key, value->key_len) &&
	       is_kept_text(w, c->category, c->category_len, value->category, value->category_len);
}

/* Return the column of a key, by its text, because each model has another symbol for the key. */
static uint32_t column_by_text(struct set_difference_work *w, enum attribute attribute,
			       const struct value *value)
{
	const char *category = value->category ? value->category : "";
	uint32_t hash = column_text_hash(attribute, tr2_hash(category, value->category_len),
					 tr2_hash(value->key, value->key_len));
	uint32_t column;

	if (w->by_key_text.at)
		TR2_HASH_INDEX_EACH(&w->by_key_text, hash, at)
	if (is_column(w, w->by_key_text.at[at] - 1, attribute, value))
		return w->by_key_text.at[at] - 1;
	column = column_new(w, attribute, value);
	hash_index_put(&w->by_key_text, hash, column, column_text_hash_of, w);
	return column;
}

static uint32_t set_difference_column_of(struct set_difference_work *w, enum attribute attribute,
					 const struct value *value)
{
	uint32_t hash, column;

	if (!value->key) {
		if (!w->plain[attribute])
			w->plain[attribute] = column_new(w, attribute, value) + 1;
		return w->plain[attribute] - 1;
	}
	hash = column_key_hash(attribute, value->category, value->key);
	if (w->by_key.at)
		TR2_HASH_INDEX_EACH(&w->by_key, hash, at)
		{
			const struct set_difference_key *k = &w->keys[w->by_key.at[at] - 1];

			if (k->key == value->key && k->category == value->category &&
			    k->attribute == attribute)
				return k->column;
		}
	column = column_by_text(w, attribute, value);
	GROW(w->keys, w->nr_keys, w->cap_keys, 32);
	w->keys[w->nr_keys] =
		(struct set_difference_key){ attribute, value->category, value->key, column };
	hash_index_put(&w->by_key, hash, w->nr_keys++, column_key_hash_of, w);
	return column;
}

static uint32_t pair_hash(uint32_t column, const char *text, size_t len)
{
	return (uint32_t)tr2_hash_pair(tr2_hash(text, len), column);
}

static uint32_t pair_hash_of(const void *work, uint32_t number)
{
	const struct set_difference_work *w = work;
	const struct set_difference_value *value = &w->pairs[number].value;

	return pair_hash(value->column, w->texts.data + value->text, value->len);
}

static uint32_t pair_new(struct set_difference_work *w, struct set_difference_value value)
{
	GROW(w->pairs, w->nr_pairs, w->cap_pairs, 256);
	w->pairs[w->nr_pairs] = (struct set_difference_pair){ .value = value };
	return w->nr_pairs++;
}

static uint32_t other_pair(struct set_difference *d, uint32_t column)
{
	struct set_difference_column *c = &d->work->columns[column];

	d->nr_other++;
	if (!c->other_pair)
		c->other_pair = pair_new(d->work,
					 (struct set_difference_value){
						 .column = column, .of = SET_DIFFERENCE_OTHER }) +
				1;
	return c->other_pair - 1;
}

static bool is_pair(const struct set_difference_work *w, uint32_t pair, const char *text,
		    size_t len)
{
	const struct set_difference_value *value = &w->pairs[pair].value;

	return value->of == SET_DIFFERENCE_VALUE && value->len == len &&
	       (!len || !memcmp(w->texts.data + value->text, text, len));
}

static uint32_t set_difference_pair_of(struct set_difference *d, uint32_t column, const char *text,
				       size_t len)
{
	struct set_difference_work *w = d->work;
	uint32_t hash = pair_hash(column, text, len), pair;

	if (w->by_text.at)
		TR2_HASH_INDEX_EACH(&w->by_text, hash, at)
		{
			const struct set_difference_value *value =
				&w->pairs[w->by_text.at[at] - 1].value;

			if (value->column == column && is_pair(w, w->by_text.at[at] - 1, text, len))
				return w->by_text.at[at] - 1;
		}
	if (w->by_text.nr >= SET_DIFFERENCE_PAIRS)
		return other_pair(d, column);
	pair = pair_new(w, (struct set_difference_value){ .column = column,
							  .of = SET_DIFFERENCE_VALUE,
							  .text = keep_text(w, text, len),
							  .len = (uint32_t)len });
	hash_index_put(&w->by_text, hash, pair, pair_hash_of, w);
	return pair;
}

/* Each column caches its last pair, because successive runs often have the same value. */
static void add_pair_text(struct set_difference *d, uint32_t column, const char *text, size_t len)
{
	struct set_difference_work *w = d->work;
	struct set_difference_column *c = &w->columns[column];
	struct set_difference_pair *pair;

	if (!c->recent_pair || !is_pair(w, c->recent_pair - 1, text, len))
		c->recent_pair = set_difference_pair_of(d, column, text, len) + 1;
	pair = &w->pairs[c->recent_pair - 1];
	if (pair->last_run == w->run + 1)
		return;
	pair->last_run = w->run + 1;
	pair->with[w->runs[w->run].slow]++;
	pair->split += set_difference_mark(w->run);
}

struct set_difference_reader {
	struct set_difference *d;
	enum attribute attribute;
	uint32_t units;
};

static void add_number(struct set_difference_work *w, struct set_difference_column *c, double value)
{
	GROW(c->numbers, c->nr, c->cap, 64);
	c->numbers[c->nr++] = (struct set_difference_number){ value, w->run };
}

/* Turn a column of numbers into a column of texts; all runs are then read again. */
static void become_text(struct set_difference_column *c)
{
	free(c->numbers);
	c->numbers = NULL;
	c->cap = c->nr = 0;
	c->is_text = c->again = true;
}

static void add_either(struct set_difference *d, uint32_t column, const struct value *value)
{
	struct set_difference_column *c = &d->work->columns[column];
	bool is_number = attributes[c->attribute].type == ATTRIBUTE_TYPE_NUMBER;
	double number = (double)value->number;

	if (is_number || attribute_number(value->text, value->len, &number)) {
		add_number(d->work, c, number);
		return;
	}
	if (c->nr)
		become_text(c);
	else
		c->is_text = true;
	if (!c->again)
		add_pair_text(d, column, value->text, value->len);
}

static void add_as_text(struct set_difference *d, uint32_t column, const struct value *value)
{
	char number[24];

	if (value->text) {
		add_pair_text(d, column, value->text, value->len);
		return;
	}
	add_pair_text(d, column, number,
		      (size_t)snprintf(number, sizeof(number), "%lld", (long long)value->number));
}

static bool read_value(void *data, const struct value *value)
{
	struct set_difference_reader *r = data;
	struct set_difference_work *w = r->d->work;
	uint32_t column = set_difference_column_of(w, r->attribute, value);
	struct set_difference_column *c = &w->columns[column];
	bool is_first = c->last_run != w->run + 1;

	r->units++;
	if (w->stage == STAGE_READ_AGAIN && !c->again)
		return false;
	/* only the first value of a key counts, which is the one that was reported last */
	if (c->has_key && !is_first)
		return false;
	c->last_run = w->run + 1;
	if (is_first && w->stage == STAGE_READ) {
		c->with[w->runs[w->run].slow]++;
		c->split += set_difference_mark(w->run);
	}
	if (w->stage == STAGE_READ && c->again)
		return false;
	if (c->is_text)
		add_as_text(r->d, column, value);
	else
		add_either(r->d, column, value);
	return false;
}

static bool is_tested(const struct set_difference *d, enum attribute attribute)
{
	unsigned test = attributes[attribute].test;

	if (d->work->stage == STAGE_READ_AGAIN)
		return test == ATTRIBUTE_TEST_EITHER;
	if (d->by_error && (attribute == ATTRIBUTE_ERROR_FORMAT || attribute == ATTRIBUTE_ERRORS))
		return false;
	return test != ATTRIBUTE_TEST_NO && !(d->by_success && test == ATTRIBUTE_TEST_OUTCOME);
}

static uint32_t read_run(struct set_difference *d, const struct model *m, uint32_t number)
{
	struct set_difference_reader reader = { .d = d, .units = RUN_UNITS };
	const struct set_difference_run *run = &d->work->runs[number];
	const struct process *p;

	if (run->base)
		m = run->base;
	p = model_process(m, run->handle);

	d->work->run = number;
	for (int i = 0; p && i < NR_ATTRIBUTES; i++) {
		reader.attribute = (enum attribute)i;
		if (is_tested(d, reader.attribute))
			attribute_visit_group(m, p, reader.attribute, read_value, &reader);
	}
	return reader.units;
}

static bool reads_again(const struct set_difference_work *w)
{
	for (uint32_t i = 0; i < w->nr_columns; i++)
		if (w->columns[i].again)
			return true;
	return false;
}

static void next_stage(struct set_difference_work *w)
{
	w->at = 0;
	w->stage = (enum set_difference_stage)(w->stage + 1);
	if (w->stage == STAGE_READ_AGAIN && !reads_again(w))
		w->stage = STAGE_PAIRS;
	for (uint32_t i = 0; w->stage == STAGE_READ_AGAIN && i < w->nr_columns; i++)
		w->columns[i].last_run = 0;
}

static uint32_t stage_end(const struct set_difference_work *w)
{
	switch (w->stage) {
	case STAGE_READ:
	case STAGE_READ_AGAIN:
		return w->nr_runs;
	case STAGE_PAIRS:
		return w->nr_pairs;
	case STAGE_COLUMNS:
		return w->nr_columns;
	default:
		return 0;
	}
}

static uint32_t do_next(struct set_difference *d, const struct model *m)
{
	struct set_difference_work *w = d->work;
	uint32_t at = w->at++;

	switch (w->stage) {
	case STAGE_PAIRS:
		return set_difference_test_pair(d, at);
	case STAGE_COLUMNS:
		return set_difference_test_column(d, at);
	default:
		return read_run(d, m, at);
	}
}

bool set_difference_continue(struct set_difference *d, const struct model *model, uint32_t units)
{
	struct set_difference_work *w = d->work;
	uint32_t done = 0;

	if (d->percent == 100)
		return true;
	if (set_difference_is_small(d)) {
		d->percent = 100;
		return true;
	}
	while (w->stage != STAGE_DONE && done < units) {
		if (w->at == stage_end(w))
			next_stage(w);
		else
			done += do_next(d, model);
	}
	if (w->stage == STAGE_DONE)
		set_difference_finish(d);
	d->percent = w->stage == STAGE_DONE ? 100
		     : w->stage > STAGE_READ
			     ? 90
			     : (unsigned)(90 * (uint64_t)w->at / (w->nr_runs ? w->nr_runs : 1));
	return d->percent == 100;
}

bool set_difference_is_small(const struct set_difference *d)
{
	return d->runs[0] < SET_DIFFERENCE_RUNS || d->runs[1] < SET_DIFFERENCE_RUNS;
}

static void add_run_of(struct set_difference *d, const struct model *base, struct handle run,
		       bool slow)
{
	struct set_difference_work *w = d->work;

	GROW(w->runs, w->nr_runs, w->cap_runs, 256);
	w->all += set_difference_mark(w->nr_runs);
	w->runs[w->nr_runs++] = (struct set_difference_run){ base, run, slow };
	d->runs[slow]++;
}

void set_difference_add(struct set_difference *d, struct handle run, bool slow)
{
	add_run_of(d, NULL, run, slow);
}

void set_difference_add_base(struct set_difference *d, const struct model *base, struct handle run)
{
	add_run_of(d, base, run, false);
}

static void work_free(struct set_difference_work *w)
{
	if (!w)
		return;
	for (uint32_t i = 0; i < w->nr_columns; i++)
		free(w->columns[i].numbers);
	free(w->runs);
	free(w->columns);
	free(w->keys);
	free(w->pairs);
	free(w->candidates);
	free(w->rows);
	free(w->same);
	free(w->numbers);
	tr2_hash_index_release(&w->by_key);
	tr2_hash_index_release(&w->by_key_text);
	tr2_hash_index_release(&w->by_text);
	tr2_buf_release(&w->texts);
	free(w);
}

void set_difference_clear(struct set_difference *d, bool by_success)
{
	work_free(d->work);
	*d = (struct set_difference){ .by_success = by_success };
	d->work = xcalloc(1, sizeof(*d->work));
	tr2_buf_init(&d->work->texts, SIZE_MAX / 2);
}

void set_difference_release(struct set_difference *d)
{
	work_free(d->work);
	*d = (struct set_difference){ 0 };
}

struct attribute_ref set_difference_ref(const struct set_difference *d, uint32_t column)
{
	const struct set_difference_column *c = &d->columns[column];
	struct attribute_ref ref = { .attribute = c->attribute };

	if (c->has_key) {
		ref.key = d->texts + c->key;
		ref.key_len = c->key_len;
	}
	if (c->has_category) {
		ref.category = d->texts + c->category;
		ref.category_len = c->category_len;
	}
	return ref;
}

void set_difference_format(const struct set_difference *d, const struct set_difference_value *value,
			   struct tr2_buf *out)
{
	switch (value->of) {
	case SET_DIFFERENCE_RANKS:
		return;
	case SET_DIFFERENCE_NONE:
		tr2_buf_addstr(out, "(none)");
		return;
	case SET_DIFFERENCE_OTHER:
		tr2_buf_addstr(out, "(other)");
		return;
	case SET_DIFFERENCE_NOT:
		tr2_buf_addstr(out, "not ");
		break;
	case SET_DIFFERENCE_VALUE:
		break;
	}
	secrets_add(out, d->texts + value->text, value->len, SIZE_MAX);
}

void set_difference_format_filter(const struct set_difference *d,
				  const struct set_difference_value *value, struct tr2_buf *out)
{
	struct attribute_ref ref = set_difference_ref(d, value->column);
	struct value of = { .text = d->texts + value->text, .len = value->len };
	double number;

	if (value->of == SET_DIFFERENCE_RANKS || value->of == SET_DIFFERENCE_OTHER)
		return;
	if (attribute_number(of.text, of.len, &number))
		of.number = (int64_t)number;
	if (value->of != SET_DIFFERENCE_NOT) {
		format_attribute_term(&ref, value->of == SET_DIFFERENCE_NONE ? NULL : &of, out);
		return;
	}
	/* the term must exclude runs without a value, which were not compared */
	tr2_buf_addstr(out, "not (");
	format_attribute_term(&ref, NULL, out);
	tr2_buf_addstr(out, ") and not ");
	format_attribute_term(&ref, &of, out);
}
