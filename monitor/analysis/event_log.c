/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/event_log.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/lower_bound.h"
#include "monitor/filter/filter_event.h"

/*
 * Number of records and SIDs that may be decoded per frame or key press; a started batch is
 * finished.
 */
#define BUDGET_RECORDS 60000

static uint64_t log_entry_key(uint64_t seq, uint32_t ordinal)
{
	return seq << LOG_KEY_SHIFT | ordinal;
}

static uint64_t seq_of_key(uint64_t key)
{
	return key >> LOG_KEY_SHIFT;
}

void log_begin(const struct analysis *what, struct event_log *log)
{
	const char *text = what->events ? filter_text(what->events) : "";
	uint64_t first = journal_first_seq(what->journal);
	uint64_t era = journal_era(what->journal);
	uint64_t chosen = tr2_hash_pair(tr2_hash(text, strlen(text)),
					tr2_hash_pair(what->process.sid_hash + log->scope, era)) |
			  1;

	if (chosen != log->chosen) {
		log->chosen = chosen;
		log->nr_sums = 0;
		log->nr = log->nr_hidden = 0;
	}
	log->version = log->chosen;
	if (log->scope != LOG_ALL || what->events)
		log->version = tr2_hash_pair(log->chosen, model_version(what->model)) | 1;
	log->budget = BUDGET_RECORDS;
	log->unread = false;
	if (log->nr_sums && first > log->first_seq) {
		uint64_t gone = first - log->first_seq;

		gone = gone < log->nr_sums ? gone : log->nr_sums;
		for (uint64_t i = 0; i < gone; i++) {
			log->nr -= log->sums[i].nr;
			log->nr_hidden -= log->sums[i].nr_scope - log->sums[i].nr;
		}
		log->nr_sums -= gone;
		memmove(log->sums, log->sums + gone, log->nr_sums * sizeof(*log->sums));
	}
	log->first_seq = first;
}

static bool log_wants_sid(const struct analysis *what, const struct event_log *log, uint32_t slot)
{
	struct handle wanted = what->process;

	while (slot != SLOT_NONE) {
		if (handle_equal(model_handle(what->model, slot), wanted))
			return true;
		if (log->scope == LOG_PROCESS)
			return false;
		slot = model_slot(what->model, slot)->parent;
	}
	return false;
}

/* Set the slot of the process of each SID of a batch; SLOT_NONE: not in the model, or not chosen.
 * Returns false if only chosen processes are shown, and the batch has none. */
static bool log_get_slots(const struct analysis *what, const struct event_log *log,
			  const struct batch *batch, uint32_t *slots)
{
	bool any = log->scope == LOG_ALL;

	for (uint32_t i = 0; i < batch->nr_sids; i++) {
		size_t len;
		const char *sid = batch_sid_text(batch, i, &len);

		slots[i] = model_find_sid(what->model, sid, len);
		if (log->scope != LOG_ALL && !log_wants_sid(what, log, slots[i]))
			slots[i] = SLOT_NONE;
		any |= slots[i] != SLOT_NONE;
	}
	return any;
}

struct filtered_event {
	const struct analysis *what;
	const struct log_record *record;
	uint32_t slot;
	struct tr2_buf *line; /* buffer for text */
};

static bool event_values(const void *data, enum filter_field field, value_visit *visit,
			 void *visit_data)
{
	const struct filtered_event *f = data;
	const struct process *process =
		f->slot == SLOT_NONE ? NULL : model_slot(f->what->model, f->slot);

	if (field == FILTER_WORD) {
		tr2_buf_clear(f->line);
		log_format(f->what, f->record, f->line);
		return value_give_text(visit, visit_data, tr2_buf_cstr(f->line), f->line->len);
	}
	return filter_event_value(f->what->model, process, f->record->batch, &f->record->ev, field,
				  visit, visit_data);
}

static bool log_shows_record(const struct event_log *log, const struct event *ev,
			     const uint32_t *slots)
{
	if (event_is_trace2(ev))
		return log->scope == LOG_ALL ||
		       (event_has(ev, TR2_F_SID) && slots[ev->v[TR2_F_SID]] != SLOT_NONE);
	return log->scope == LOG_ALL &&
	       (ev->kind == REC_GAP || ev->kind == REC_LOST || ev->kind == REC_DROPPED);
}

static void add_entry(struct log_batch *slot, uint32_t ordinal, uint32_t number,
		      const struct batch_cursor *cursor)
{
	GROW(slot->entries, slot->nr, slot->cap, 64);
	slot->entries[slot->nr++] = (struct log_entry){ ordinal, number, *cursor };
}

/* Returns how many records of the batch the log shows without a filter. */
static uint32_t log_read_batch(const struct analysis *what, struct event_log *log,
			       struct log_batch *slot)
{
	const struct batch *batch = slot->batch;
	uint32_t *slots = xcalloc(batch->nr_sids + 1u, sizeof(*slots));
	struct log_record record = { .batch = batch };
	struct batch_cursor cursor = batch_begin(batch), before = cursor;
	struct tr2_buf line = { .max = 1 << 16 };
	uint32_t number = 0, nr_scope = 0;

	slot->nr = 0;
	log->budget -= batch->nr_sids;
	if (log_get_slots(what, log, batch, slots)) {
		log->budget -= batch->nr_records;
		for (uint32_t i = 0; batch_next(&cursor, &record.ev); i++, before = cursor) {
			struct filtered_event f = { what, &record, SLOT_NONE, &line };

			if (log_shows_record(log, &record.ev, slots)) {
				if (event_has(&record.ev, TR2_F_SID))
					f.slot = slots[record.ev.v[TR2_F_SID]];
				nr_scope++;
				if (filter_match(what->events, &f, event_values))
					add_entry(slot, i, number, &before);
			}
			number += event_is_trace2(&record.ev);
		}
	}
	free(slots);
	tr2_buf_release(&line);
	/* the filter has used up its time: stop reading, and continue in the next frame */
	if (filter_is_spent(what->events) && log->budget > 0)
		log->budget = 0;
	return nr_scope;
}

static struct log_sum *sum_of(const struct analysis *what, struct event_log *log, uint64_t seq)
{
	uint64_t end = journal_end_seq(what->journal), wanted = end - log->first_seq;

	if (log->cap_sums < wanted) {
		log->cap_sums = wanted * 2;
		log->sums = xreallocarray(log->sums, log->cap_sums, sizeof(*log->sums));
	}
	if (log->nr_sums < wanted) {
		memset(log->sums + log->nr_sums, 0, (wanted - log->nr_sums) * sizeof(*log->sums));
		log->nr_sums = wanted;
	}
	return &log->sums[seq - log->first_seq];
}

static void set_sum(struct event_log *log, struct log_sum *sum, uint32_t nr, uint32_t nr_scope)
{
	log->nr += nr - (uint64_t)sum->nr;
	log->nr_hidden += (nr_scope - nr) - (uint64_t)(sum->nr_scope - sum->nr);
	*sum = (struct log_sum){ log->version, nr, nr_scope };
}

static struct log_batch *slot_for(struct event_log *log, uint64_t seq)
{
	struct log_batch *oldest = &log->slots[0];

	for (int i = 0; i < LOG_SLOTS; i++) {
		if (log->slots[i].used && log->slots[i].seq == seq)
			return &log->slots[i];
		if (log->slots[i].used < oldest->used)
			oldest = &log->slots[i];
	}
	oldest->batch = NULL;
	return oldest;
}

static struct log_batch *log_get_batch(const struct analysis *what, struct event_log *log,
				       uint64_t seq)
{
	const struct batch *batch = seq < log->first_seq ? NULL : journal_at(what->journal, seq);
	struct log_batch *slot;

	if (!batch)
		return NULL;
	slot = slot_for(log, seq);
	if (slot->batch != batch || slot->version != log->version) {
		slot->seq = seq;
		slot->batch = batch;
		slot->version = log->version;
		uint32_t nr_scope = log_read_batch(what, log, slot);

		set_sum(log, sum_of(what, log, seq), slot->nr, nr_scope);
	}
	slot->used = ++log->clock;
	return slot;
}

/*
 * A walk skips a batch if no record matched when the batch was last read. If the model has changed
 * since then, the batch is skipped only after half of the budget is used, so that a walk over many
 * such batches makes progress; a later frame or log_count() reads the batch again.
 */
static bool is_empty(const struct analysis *what, struct event_log *log, uint64_t seq)
{
	const struct log_sum *sum = sum_of(what, log, seq);

	if (!sum->version || sum->nr)
		return false;
	return sum->version == log->version || log->budget < BUDGET_RECORDS / 2;
}

static uint32_t log_entry_rank(const struct log_batch *slot, uint32_t ordinal)
{
	uint32_t at;

	LOWER_BOUND(at, slot->nr, slot->entries[at].ordinal < ordinal);
	return at;
}

uint64_t log_first(const struct analysis *what)
{
	return log_entry_key(journal_first_seq(what->journal), 0);
}

/* Return the number of the last batch that begins before event `number`, or of the first batch. */
static uint64_t seq_of_number(const struct analysis *what, uint64_t number)
{
	uint64_t low = journal_first_seq(what->journal);
	uint64_t high = journal_end_seq(what->journal);

	while (high > low + 1) {
		uint64_t middle = low + (high - low) / 2;

		if (journal_at(what->journal, middle)->first_event < number)
			low = middle;
		else
			high = middle;
	}
	return low;
}

uint64_t log_end(const struct analysis *what, struct event_log *log)
{
	uint64_t seq;
	struct log_batch *slot;

	if (!what->past)
		return log_entry_key(journal_end_seq(what->journal), 0);
	seq = seq_of_number(what, what->lookback_position);
	slot = log_get_batch(what, log, seq);
	if (!slot)
		return log_entry_key(seq, 0);
	for (uint32_t i = 0; i < slot->nr; i++)
		if (slot->batch->first_event + slot->entries[i].number >= what->lookback_position)
			return log_entry_key(seq, slot->entries[i].ordinal);
	return log_entry_key(seq + 1, 0);
}

static uint64_t walk_on(const struct analysis *what, struct event_log *log, uint64_t key,
			uint32_t nth)
{
	uint64_t end = log_end(what, log), best = LOG_NONE, last = journal_end_seq(what->journal);
	uint32_t from = (uint32_t)(key & ((1u << LOG_KEY_SHIFT) - 1));

	for (uint64_t seq = seq_of_key(key); seq < last; seq++, from = 0) {
		if (is_empty(what, log, seq))
			continue;
		if (log->budget <= 0) {
			log->unread = true;
			return best;
		}
		struct log_batch *slot = log_get_batch(what, log, seq);

		for (uint32_t i = log_entry_rank(slot, from); i < slot->nr; i++) {
			uint64_t found = log_entry_key(seq, slot->entries[i].ordinal);

			if (found >= end)
				return best;
			best = found;
			if (!nth--)
				return best;
		}
	}
	return best;
}

static uint64_t walk_back(const struct analysis *what, struct event_log *log, uint64_t key,
			  uint32_t nth)
{
	uint64_t end = log_end(what, log), best = LOG_NONE;

	if (key >= end && end)
		key = end - 1;
	uint32_t from = (uint32_t)(key & ((1u << LOG_KEY_SHIFT) - 1)) + 1;

	for (uint64_t seq = seq_of_key(key) + 1; seq-- > log->first_seq; from = UINT32_MAX) {
		if (seq >= journal_end_seq(what->journal) || is_empty(what, log, seq))
			continue;
		if (log->budget <= 0) {
			log->unread = true;
			return best;
		}
		struct log_batch *slot = log_get_batch(what, log, seq);

		for (uint32_t i = log_entry_rank(slot, from); i-- > 0;) {
			best = log_entry_key(seq, slot->entries[i].ordinal);
			if (!nth--)
				return best;
		}
	}
	return best;
}

uint64_t log_walk(const struct analysis *what, struct event_log *log, uint64_t key, int step,
		  uint32_t nth)
{
	uint64_t first = log_first(what);

	if (key < first)
		key = first;
	return step > 0 ? walk_on(what, log, key, nth) : walk_back(what, log, key, nth);
}

static bool open_entry(const struct log_batch *slot, uint32_t i, struct log_record *out)
{
	struct batch_cursor cursor = slot->entries[i].cursor;

	out->key = log_entry_key(slot->seq, slot->entries[i].ordinal);
	out->number = slot->batch->first_event + slot->entries[i].number;
	out->batch = slot->batch;
	return batch_next(&cursor, &out->ev);
}

bool log_take(const struct analysis *what, struct event_log *log, uint64_t key,
	      struct log_record *out)
{
	struct log_batch *slot = log_get_batch(what, log, seq_of_key(key));
	uint32_t ordinal = (uint32_t)(key & ((1u << LOG_KEY_SHIFT) - 1)), i;

	if (!slot)
		return false;
	i = log_entry_rank(slot, ordinal);
	return i < slot->nr && slot->entries[i].ordinal == ordinal && open_entry(slot, i, out);
}

uint64_t log_next_key(const struct analysis *what, struct event_log *log, uint64_t key)
{
	struct log_batch *slot = log_get_batch(what, log, seq_of_key(key));
	uint32_t i =
		slot ? log_entry_rank(slot, (uint32_t)(key & ((1u << LOG_KEY_SHIFT) - 1)) + 1) : 0;

	return slot && i < slot->nr ? log_entry_key(slot->seq, slot->entries[i].ordinal)
				    : log_entry_key(seq_of_key(key) + 1, 0);
}

void log_count(const struct analysis *what, struct event_log *log)
{
	uint64_t end = journal_end_seq(what->journal), left = end - log->first_seq;

	log->counted = true;
	if (log->scope == LOG_ALL && !what->events)
		return;
	if (log->next_count >= end || log->next_count < log->first_seq)
		log->next_count = end;
	for (; left; left--) {
		if (log->next_count == log->first_seq)
			log->next_count = end;
		uint64_t seq = log->next_count - 1;
		const struct log_sum *sum = sum_of(what, log, seq);

		if (sum->version != log->version) {
			if (log->budget <= 0)
				break;
			log_get_batch(what, log, seq);
		}
		log->next_count--;
	}
	for (uint64_t i = 0; log->counted && i < log->nr_sums; i++)
		log->counted = log->sums[i].version != 0;
}

void log_release(struct event_log *log)
{
	for (int i = 0; i < LOG_SLOTS; i++)
		free(log->slots[i].entries);
	free(log->sums);
	memset(log, 0, sizeof(*log));
}

void log_place(const struct analysis *what, struct places *places, bool moved, uint64_t *key)
{
	struct log_record record;
	uint64_t number;

	if (!moved) {
		places_add(places, *key != LOG_NONE && log_find(what, *key, &record) ? record.number
										     : PLACE_NONE);
		return;
	}
	number = places_take(places);
	*key = number == PLACE_NONE ? LOG_NONE : log_key_of(what, number);
}

bool log_find(const struct analysis *what, uint64_t key, struct log_record *out)
{
	uint32_t ordinal = (uint32_t)(key & ((1u << LOG_KEY_SHIFT) - 1));
	struct journal *journal = what->journal;
	struct batch_cursor cursor;

	if (!journal || seq_of_key(key) < journal_first_seq(journal))
		return false;
	out->batch = journal_at(journal, seq_of_key(key));
	if (!out->batch)
		return false;
	out->key = key;
	out->number = out->batch->first_event;
	cursor = batch_begin(out->batch);
	for (uint32_t i = 0; batch_next(&cursor, &out->ev); i++) {
		if (i == ordinal)
			return true;
		out->number += event_is_trace2(&out->ev);
	}
	return false;
}

uint64_t log_key_of(const struct analysis *what, uint64_t number)
{
	uint64_t seq = seq_of_number(what, number + 1);
	const struct batch *batch = journal_at(what->journal, seq);
	struct batch_cursor cursor;
	struct event ev;
	uint64_t at;
	uint32_t ordinal = 0;

	if (!batch)
		return log_entry_key(seq, 0);
	at = batch->first_event;
	for (cursor = batch_begin(batch); batch_next(&cursor, &ev); ordinal++)
		if (event_is_trace2(&ev) && at++ == number)
			break;
	return log_entry_key(seq, ordinal);
}
