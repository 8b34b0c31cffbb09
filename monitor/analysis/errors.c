/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/errors.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/format_text.h"
#include "monitor/base/grow.h"
#include "monitor/base/secrets.h"

static void errors_add_process(struct errors *errors, const struct model *m, uint32_t slot)
{
	const struct process *p = model_slot(m, slot);

	for (uint32_t i = 0; i < p->errors.nr; i++) {
		const struct error_item *item = PROCESS_ITEM(m, &p->errors, error_item, i);

		GROW(errors->items, errors->nr, errors->cap, 64);
		errors->items[errors->nr++] = (struct error){ slot, i, item->fmt, item->time };
	}
}

static bool errors_include_process(const struct analysis *what, uint32_t slot)
{
	const struct process *p = model_slot(what->model, slot);

	return (what->limits.depth < 0 || p->depth <= what->limits.depth) &&
	       filter_process(what->filter, what->model, slot);
}

/* Errors with an unknown time count as oldest. */
static int errors_newest_first(const void *a, const void *b)
{
	const struct error *x = a, *y = b;

	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return x->index > y->index ? -1 : x->index < y->index;
}

static int by_format(const void *a, const void *b)
{
	const struct error *x = a, *y = b;

	if (x->fmt != y->fmt)
		return x->fmt < y->fmt ? -1 : 1;
	return errors_newest_first(a, b);
}

struct error_group {
	struct error newest;
	uint32_t first, nr;
};

static int newest_run_first(const void *a, const void *b)
{
	return errors_newest_first(&((const struct error_group *)a)->newest,
				   &((const struct error_group *)b)->newest);
}

static void group_errors(struct errors *errors)
{
	struct error *grouped = xreallocarray(NULL, errors->nr, sizeof(*grouped));
	struct error_group *runs = NULL;
	uint32_t nr = 0, cap = 0, at = 0;

	qsort(errors->items, errors->nr, sizeof(*errors->items), by_format);
	for (uint32_t i = 0; i < errors->nr; i++) {
		if (!i || errors->items[i].fmt != errors->items[i - 1].fmt) {
			GROW(runs, nr, cap, 16);
			runs[nr++] = (struct error_group){ errors->items[i], i, 0 };
		}
		runs[nr - 1].nr++;
	}
	qsort(runs, nr, sizeof(*runs), newest_run_first);
	for (uint32_t i = 0; i < nr; at += runs[i].nr, i++)
		memcpy(grouped + at, errors->items + runs[i].first, runs[i].nr * sizeof(*grouped));
	free(runs);
	free(errors->items);
	errors->items = grouped;
	errors->cap = errors->nr;
}

void errors_make(struct errors *errors, const struct analysis *what, bool grouped)
{
	const struct model *m = what->model;
	const struct process *of = model_process(m, what->process);

	errors->nr = 0;
	if (of)
		errors_add_process(errors, m, model_handle_here(m, what->process).slot);
	else if (what->process.slot == SLOT_NONE)
		for (uint32_t s = model_first_slot(m); s != SLOT_NONE; s = model_next_slot(m, s))
			if (model_slot(m, s)->errors.nr && errors_include_process(what, s))
				errors_add_process(errors, m, s);
	if (!errors->nr)
		return;
	if (grouped)
		group_errors(errors);
	else
		qsort(errors->items, errors->nr, sizeof(*errors->items), errors_newest_first);
}

void errors_release(struct errors *errors)
{
	free(errors->items);
	*errors = (struct errors){ 0 };
}

bool error_is_reported(const struct model *m, const struct process *p, sym_t fmt)
{
	for (uint32_t i = 0; i < p->errors.nr; i++)
		if (PROCESS_ITEM(m, &p->errors, error_item, i)->fmt == fmt)
			return true;
	return false;
}

const struct error_item *error_item_of(const struct model *m, const struct error *error)
{
	return PROCESS_ITEM(m, &model_slot(m, error->slot)->errors, error_item, error->index);
}

void error_format(const struct model *m, const struct error_item *item, struct tr2_buf *out)
{
	if (!item->has_msg) {
		format_symbol(m, item->fmt, out);
		return;
	}
	secrets_add(out, model_text(m, item->msg), item->msg.len, SAY_MAX_BYTES / 4);
}

static bool error_is_same(const struct model *m, const struct batch *batch, const struct event *ev,
			  const struct error_item *item)
{
	size_t len = 0;
	const char *msg = "";

	if (ev->kind != TR2_E_ERROR || event_get(ev, TR2_F_TIME, NS_NONE) != item->time)
		return false;
	if (event_has(ev, TR2_F_MSG))
		msg = batch_text(batch, ev->v[TR2_F_MSG], &len);
	return len == item->msg.len && !memcmp(msg, model_text(m, item->msg), len);
}

static bool sid_in(const struct batch *batch, uint64_t hash, uint32_t *index)
{
	for (*index = 0; *index < batch->nr_sids; ++*index)
		if (batch->sids[*index].hash == hash)
			return true;
	return false;
}

uint64_t error_event(const struct analysis *what, const struct error *error)
{
	const struct journal *journal = what->journal;
	const struct error_item *item = error_item_of(what->model, error);
	uint64_t hash = model_slot(what->model, error->slot)->sid_hash;

	if (!journal)
		return UINT64_MAX;
	for (uint64_t seq = journal_end_seq(journal); seq-- > journal_first_seq(journal);) {
		const struct batch *batch = journal_at(journal, seq);
		struct batch_cursor cursor = batch_begin(batch);
		uint64_t number = batch->first_event;
		struct event ev;
		uint32_t sid;

		if (!sid_in(batch, hash, &sid))
			continue;
		for (; batch_next(&cursor, &ev); number += event_is_trace2(&ev))
			if (event_get(&ev, TR2_F_SID, -1) == (int64_t)sid &&
			    error_is_same(what->model, batch, &ev, item))
				return number;
	}
	return UINT64_MAX;
}
