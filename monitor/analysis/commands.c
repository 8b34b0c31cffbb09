/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/commands.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/grow.h"
#include "monitor/base/secrets.h"
#include "monitor/base/hash_index.h"

#define NOT_COUNTED UINT32_MAX

const char *commands_by_parse(struct commands_by *out, const char *text)
{
	const char *at = text;

	*out = (struct commands_by){ 0 };
	for (;;) {
		size_t len = strcspn(at, ",");
		struct attribute_ref *ref = &out->of[out->nr];

		if (out->nr == COMMANDS_MAX_BY || !attribute_parse(ref, at, len) ||
		    !(attributes[ref->attribute].uses & ATTRIBUTE_USE_GROUP_BY))
			return at;
		out->nr++;
		if (!at[len])
			return NULL;
		at += len + 1;
	}
}

void commands_by_format(const struct commands_by *by, struct tr2_buf *out)
{
	for (unsigned i = 0; i < by->nr; i++) {
		if (i)
			tr2_buf_addch(out, ',');
		attribute_format(&by->of[i], out);
	}
}

static uint64_t commands_by_hash(const struct commands_by *by)
{
	uint64_t hash = by->nr;

	for (unsigned i = 0; i < by->nr; i++) {
		const struct attribute_ref *ref = &by->of[i];

		hash = tr2_hash_pair(hash, ref->attribute);
		if (ref->category)
			hash = tr2_hash_pair(hash, tr2_hash(ref->category, ref->category_len));
		if (ref->key)
			hash = tr2_hash_pair(hash, tr2_hash(ref->key, ref->key_len));
	}
	return hash;
}

/* text that names a group; NULL: its attributes have no values */
struct key {
	const char *text;
	size_t len;
	bool copy;
};

/* Append the values of the attributes `by`. Returns false if none is known. */
static bool format_values(const struct model *m, const struct process *p,
			  const struct commands_by *by, struct tr2_buf *out)
{
	bool has = false;

	for (unsigned i = 0; i < by->nr; i++) {
		if (i)
			tr2_buf_addstr(out, " · ");
		has |= attribute_format_group(m, p, &by->of[i], out);
	}
	return has;
}

static struct key command_group_key(const struct model *m, const struct process *p,
				    const struct commands_by *by, struct tr2_buf *line)
{
	struct key key = { .copy = true };

	if (commands_is_by(by, ATTRIBUTE_NAME)) {
		key.copy = false;
		if (p->name != SYM_NONE)
			key.text = model_sym(m, p->name, &key.len);
		return key;
	}
	tr2_buf_clear(line);
	if (!format_values(m, p, by, line))
		return key;
	key.text = tr2_buf_cstr(line);
	key.len = line->len;
	return key;
}

static uint64_t key_id(const struct key *key, uint64_t by_hash)
{
	return tr2_hash_pair(key->text ? tr2_hash(key->text, key->len) : by_hash, by_hash);
}

void commands_format_group(const struct model *m, const struct process *p, struct commands_by by,
			   struct tr2_buf *out)
{
	struct tr2_buf line;
	struct key key;

	tr2_buf_init(&line, SIZE_MAX / 2);
	key = command_group_key(m, p, &by, &line);
	if (key.text)
		secrets_add(out, key.text, key.len, SIZE_MAX);
	else
		tr2_buf_addstr(out, "(none)");
	tr2_buf_release(&line);
}

struct command_group commands_group_of(const struct model *m, const struct process *p,
				       const struct commands_by *by, struct tr2_buf *line)
{
	struct key key = command_group_key(m, p, by, line);

	return (struct command_group){ .id = key_id(&key, commands_by_hash(by)),
				       .text = key.text,
				       .len = key.len < COMMANDS_MAX_TEXT ? key.len
									  : COMMANDS_MAX_TEXT };
}

uint64_t commands_group(const struct model *m, const struct process *p, struct commands_by by)
{
	struct tr2_buf line;
	uint64_t id;

	tr2_buf_init(&line, SIZE_MAX / 2);
	id = commands_group_of(m, p, &by, &line).id;
	tr2_buf_release(&line);
	return id;
}

static uint32_t commands_id_hash(const void *commands, uint32_t number)
{
	return (uint32_t)((const struct commands *)commands)->items[number].id;
}

static bool commands_find_row(const struct commands *c, uint64_t id, uint32_t *row)
{
	if (!c->by_id.at)
		return false;
	TR2_HASH_INDEX_EACH(&c->by_id, (uint32_t)id, at)
	if (c->items[c->by_id.at[at] - 1].id == id) {
		*row = c->by_id.at[at] - 1;
		return true;
	}
	return false;
}

/* Append the text of a row to `texts`. Appending may move `texts`, so `first` holds the offset
 * until all texts are added. */
static void commands_keep_text(struct commands *c, struct command *row, const struct key *key)
{
	uint32_t need = (uint32_t)(key->len < COMMANDS_MAX_TEXT ? key->len : COMMANDS_MAX_TEXT);

	while (c->cap_texts - c->nr_texts < need) {
		c->cap_texts = c->cap_texts ? c->cap_texts * 2 : 4096;
		c->texts = xreallocarray(c->texts, c->cap_texts, 1);
	}
	row->first = c->nr_texts;
	row->len = need;
	row->is_kept = true;
	row->text = NULL;
	if (need)
		memcpy(c->texts + c->nr_texts, key->text, need);
	c->nr_texts += need;
}

static uint32_t command_row(struct commands *c, const struct key *key, uint32_t slot)
{
	uint64_t id = key_id(key, c->by_hash);
	uint32_t row;

	if (commands_find_row(c, id, &row)) {
		if (c->items[row].slot == SLOT_NONE)
			c->items[row].slot = slot;
		return row;
	}
	GROW(c->items, c->nr, c->cap, 64);
	c->items[c->nr] = (struct command){ .id = id,
					    .text = key->text,
					    .len = key->len < COMMANDS_MAX_TEXT ? key->len
										: COMMANDS_MAX_TEXT,
					    .slot = slot,
					    .min = NS_NONE,
					    .max = NS_NONE,
					    .last = NS_NONE };
	if (key->text && key->copy)
		commands_keep_text(c, &c->items[c->nr], key);
	hash_index_put(&c->by_id, (uint32_t)id, c->nr, commands_id_hash, c);
	return c->nr++;
}

/* Most processes have one of few names, so a cache avoids hashing. */
static uint32_t command_row_of_process(struct commands *c, const struct model *m, uint32_t slot)
{
	const struct process *p = model_slot(m, slot);
	struct commands_named *named = &c->named[p->name % COMMANDS_NAMED];
	bool by_name = commands_is_by(&c->by, ATTRIBUTE_NAME) && p->name != SYM_NONE;
	struct key key;

	if (by_name && named->row && named->name == p->name)
		return named->row - 1;
	key = command_group_key(m, p, &c->by, &c->line);
	if (!by_name)
		return command_row(c, &key, slot);
	*named = (struct commands_named){ .name = p->name, .row = command_row(c, &key, slot) + 1 };
	return named->row - 1;
}

static void resolve_texts(struct commands *c)
{
	for (uint32_t i = 0; i < c->nr; i++) {
		if (c->items[i].is_kept)
			c->items[i].text = c->texts + c->items[i].first;
		c->items[i].first = 0;
	}
}

static void commands_add_duration(struct command *row, uint64_t nr, ns_t total, ns_t min, ns_t max)
{
	row->timed += nr;
	row->total = ns_add(row->total, total);
	if (row->min == NS_NONE || min < row->min)
		row->min = min;
	if (max > row->max)
		row->max = max;
}

static ns_t process_ran_for(const struct process *p)
{
	ns_t elapsed = process_elapsed(p);

	return elapsed == NS_NONE || elapsed > 0 ? elapsed : 0;
}

/* Returns true if the process is not running and has a known duration. */
static bool commands_count_process(struct command *row, const struct process *p)
{
	ns_t elapsed = process_ran_for(p);

	if (p->state == STATE_RUNNING) {
		row->running++;
		return false;
	}
	row->count++;
	row->failed += process_failed(p);
	if (p->end > row->last)
		row->last = p->end;
	if (elapsed == NS_NONE)
		return false;
	commands_add_duration(row, 1, elapsed, elapsed, elapsed);
	row->nr_kept++;
	return true;
}

static bool cell_counts(const struct commands *c, const struct command_cell *cell)
{
	return c->depth < 0 || cell->depth <= c->depth;
}

static void add_left(struct commands *c, const struct model *m)
{
	while (c->cap_left < model_nr_commands(m)) {
		c->cap_left = c->cap_left ? c->cap_left * 2 : 64;
		c->left = xreallocarray(c->left, c->cap_left, sizeof(*c->left));
	}
	for (uint32_t i = 0; i < model_nr_commands(m); i++) {
		const struct command_cell *cell = model_command(m, i);
		struct key key = { 0 };
		struct command *row;
		uint32_t at;

		if (!cell_counts(c, cell))
			continue;
		if (cell->name != SYM_NONE)
			key.text = model_sym(m, cell->name, &key.len);
		/* command_row() may move the array of rows */
		at = command_row(c, &key, SLOT_NONE);
		row = &c->items[at];
		row->running += cell->running;
		row->count += cell->count;
		row->failed += cell->failed;
		if (cell->last > row->last)
			row->last = cell->last;
		if (!cell->timed)
			continue;
		commands_add_duration(row, cell->timed, cell->total, cell->min, cell->max);
		c->left[i] = row->first_left;
		row->first_left = i + 1;
	}
}

static void cache_group(struct commands *c, uint32_t group)
{
	GROW(c->groups, c->nr_groups, c->cap_groups, 256);
	c->groups[c->nr_groups++] = group;
}

static void add_kept(struct commands *c, const struct commands_of *of)
{
	const struct model *m = of->model;

	for (uint32_t s = model_first_slot(m); s != SLOT_NONE; s = model_next_slot(m, s)) {
		const struct process *p = model_slot(m, s);
		uint32_t row = NOT_COUNTED;

		if ((c->depth < 0 || p->depth <= c->depth) &&
		    (!of->keep || of->keep(of->keep_data, m, s))) {
			row = command_row_of_process(c, m, s);
			if (!commands_count_process(&c->items[row], p))
				row = NOT_COUNTED;
		}
		cache_group(c, row);
	}
}

static void place_durations(struct commands *c, const struct model *m)
{
	uint32_t sum = 0, i = 0;

	for (uint32_t row = 0; row < c->nr; row++) {
		c->items[row].first = sum;
		sum += c->items[row].nr_kept;
		c->items[row].nr_kept = 0;
	}
	if (sum > c->cap_durations) {
		c->cap_durations = sum * 2;
		c->durations = xreallocarray(c->durations, c->cap_durations, sizeof(*c->durations));
	}
	for (uint32_t s = model_first_slot(m); s != SLOT_NONE; s = model_next_slot(m, s), i++)
		if (c->groups[i] != NOT_COUNTED) {
			struct command *row = &c->items[c->groups[i]];

			c->durations[row->first + row->nr_kept++] =
				process_ran_for(model_slot(m, s));
		}
}

void commands_make(struct commands *c, const struct commands_of *of, struct commands_by by)
{
	if (!c->line.max)
		tr2_buf_init(&c->line, SIZE_MAX / 2);
	c->nr = c->nr_groups = c->nr_texts = 0;
	c->by = by;
	c->by_hash = commands_by_hash(&by);
	c->depth = of->depth;
	c->summed = 0;
	memset(c->named, 0, sizeof(c->named));
	tr2_hash_index_clear(&c->by_id);
	if (commands_is_by(&by, ATTRIBUTE_NAME) && !of->keep)
		add_left(c, of->model);
	add_kept(c, of);
	resolve_texts(c);
	place_durations(c, of->model);
}

/* if a row has more durations, use a histogram: crafted input could make select_by_rank() slow */
#define MAX_CHOSEN_FROM 4096u

/* Return the item of rank `rank`, from 0; reorders the items. */
static ns_t select_by_rank(ns_t *items, uint32_t nr, uint32_t rank)
{
	uint32_t low = 0, high = nr - 1;

	while (low < high) {
		ns_t middle = items[low + (high - low) / 2];
		uint32_t i = low, j = high;

		for (;;) {
			while (items[i] < middle)
				i++;
			while (items[j] > middle)
				j--;
			if (i >= j)
				break;
			ns_t swapped = items[i];

			items[i++] = items[j];
			items[j--] = swapped;
		}
		if (rank <= j)
			high = j;
		else
			low = j + 1;
	}
	return items[rank];
}

/* Of evicted processes the model keeps histograms instead of each duration. */
const uint64_t *commands_sums(struct commands *c, const struct model *m, uint32_t at)
{
	const struct command *row = &c->items[at];

	if (c->summed == at + 1)
		return c->sums;
	if (!c->sums)
		c->sums = xcalloc(HIST_BUCKETS, sizeof(*c->sums));
	hist_clear(c->sums, c->sums_min, c->sums_max);
	for (uint32_t i = row->first_left; i; i = c->left[i - 1])
		hist_sum(model_heap(m), &model_command(m, i - 1)->hist, c->sums);
	for (uint32_t i = 0; i < row->nr_kept; i++)
		c->sums[hist_bucket(c->durations[row->first + i])]++;
	c->sums_min = row->min;
	c->sums_max = row->max;
	c->summed = at + 1;
	return c->sums;
}

ns_t commands_quantile(struct commands *c, const struct model *m, uint32_t at, double q)
{
	const struct command *row = &c->items[at];

	if (!row->timed)
		return NS_NONE;
	if (row->first_left || row->nr_kept > MAX_CHOSEN_FROM)
		return hist_quantile(commands_sums(c, m, at), q, row->min, row->max);
	return select_by_rank(c->durations + row->first, row->nr_kept,
			      (uint32_t)hist_rank(row->nr_kept, q) - 1);
}

uint32_t commands_row_of_timed(const struct commands *c, uint32_t index)
{
	return c->groups[index] == NOT_COUNTED ? SLOT_NONE : c->groups[index];
}

void commands_release(struct commands *c)
{
	free(c->items);
	free(c->groups);
	free(c->durations);
	free(c->texts);
	free(c->sums);
	free(c->left);
	tr2_buf_release(&c->line);
	tr2_hash_index_release(&c->by_id);
	*c = (struct commands){ 0 };
}
