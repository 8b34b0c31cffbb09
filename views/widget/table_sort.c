/* SPDX-License-Identifier: MIT */
/*
 * Few rows move between frames, so sorting starts with the last frame's order: one pass keeps rows
 * that are still in order, the others are sorted and merged in. The order is total (equal rows keep
 * the gathering order), so the result does not depend on the starting order.
 */
#include "config.h"

#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/hash_index.h"
#include "views/widget/table.h"
#include "views/widget/table_sort.h"

static int table_sort_compare_text(const struct row *a, const struct row *b)
{
	uint32_t len = a->text_len < b->text_len ? a->text_len : b->text_len;
	int differ = len ? memcmp(a->text, b->text, len) : 0;

	return differ ? differ : (a->text_len > b->text_len) - (a->text_len < b->text_len);
}

static inline bool table_sort_before(const struct table *table, const struct sort_item *a,
				     const struct sort_item *b)
{
	int differ = (a->key > b->key) - (a->key < b->key);

	if (a->pinned != b->pinned)
		return a->pinned;
	if (!differ)
		differ = table_sort_compare_text(&table->rows[a->row], &table->rows[b->row]);
	if (!differ)
		return a->row < b->row;
	return table->reverse ? differ > 0 : differ < 0;
}

/* Sort the `nr` items, using the space of equal size at `other`. Returns the array that has the
 * result. */
static struct sort_item *merge_sort(const struct table *table, struct sort_item *items,
				    struct sort_item *other, uint32_t nr)
{
	for (uint32_t width = 1; width < nr; width *= 2) {
		for (uint32_t low = 0; low < nr; low += 2 * width) {
			uint32_t mid = low + width < nr ? low + width : nr;
			uint32_t high = low + 2 * width < nr ? low + 2 * width : nr;
			uint32_t a = low, b = mid;

			for (uint32_t i = low; i < high; i++)
				other[i] =
					a < mid && (b >= high ||
						    table_sort_before(table, &items[a], &items[b]))
						? items[a++]
						: items[b++];
		}
		struct sort_item *swap = items;

		items = other;
		other = swap;
	}
	return items;
}

static struct sort_item item_of(const struct table *table, uint32_t row)
{
	return (struct sort_item){ table->rows[row].key, row, table->rows[row].pinned };
}

static uint32_t hash_of(uint64_t id)
{
	return (uint32_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static uint32_t hash_of_row(const void *data, uint32_t row)
{
	return hash_of(((const struct table *)data)->rows[row].id);
}

static void index_ids(struct table *table)
{
	tr2_hash_index_clear(&table->by_id);
	for (uint32_t row = 0; row < table->nr_rows; row++)
		hash_index_put(&table->by_id, hash_of_row(table, row), row, hash_of_row, table);
}

/* Return the number of the row with this id, which was `row` in the last sort; ROW_NO_PARENT:
 * removed. Builds the index of ids at the first need. */
static uint32_t row_number_now(struct table *table, uint64_t id, uint32_t row, bool *is_indexed)
{
	if (row < table->nr_rows && table->rows[row].id == id)
		return row;
	if (!*is_indexed)
		index_ids(table);
	*is_indexed = true;
	TR2_HASH_INDEX_EACH(&table->by_id, hash_of(id), at)
	{
		if (table->rows[table->by_id.at[at] - 1].id == id)
			return table->by_id.at[at] - 1;
	}
	return ROW_NO_PARENT;
}

/* Put the rows into the order of the last sort, with new rows at the end. */
static void take_last_order(struct table *table, struct sort_item *items)
{
	bool is_indexed = false;
	uint32_t at = 0;

	for (uint32_t i = 0; i < table->nr_ordered; i++) {
		uint32_t row = row_number_now(table, table->ordered[i].id, table->ordered[i].row,
					      &is_indexed);

		if (row == ROW_NO_PARENT || table->rows[row].placed)
			continue;
		table->rows[row].placed = true;
		items[at++] = item_of(table, row);
	}
	for (uint32_t row = 0; row < table->nr_rows; row++) {
		if (!table->rows[row].placed)
			items[at++] = item_of(table, row);
		table->rows[row].placed = false;
	}
}

/* Move items that are out of order from `items` to `out`. Returns how many stay in `items`. Of two
 * items in the wrong order the later one moves, unless the item before both shows that the earlier
 * one is out of place. */
static uint32_t table_sort_take_out(const struct table *table, struct sort_item *items,
				    struct sort_item *out)
{
	uint32_t nr = 0, nr_out = 0;

	for (uint32_t i = 0; i < table->nr_rows; i++) {
		struct sort_item item = items[i];

		if (!nr || table_sort_before(table, &items[nr - 1], &item)) {
			items[nr++] = item;
		} else if (nr > 1 && table_sort_before(table, &items[nr - 2], &item)) {
			out[nr_out++] = items[nr - 1];
			items[nr - 1] = item;
		} else {
			out[nr_out++] = item;
		}
	}
	return nr;
}

static void reserve(struct table *table)
{
	if (table->cap_ordered >= table->nr_rows)
		return;
	table->cap_ordered = table->cap_rows;
	table->items =
		xreallocarray(table->items, 2 * (size_t)table->cap_ordered, sizeof(*table->items));
	table->ordered = xreallocarray(table->ordered, table->cap_ordered, sizeof(*table->ordered));
}

const struct sorted_row *table_sort(struct table *table)
{
	struct sort_item *items, *out;
	uint32_t nr, nr_out;

	reserve(table);
	items = table->items;
	out = items + table->cap_ordered;
	take_last_order(table, items);
	nr = table_sort_take_out(table, items, out);
	nr_out = table->nr_rows - nr;
	if (merge_sort(table, out, items + nr, nr_out) != out)
		memcpy(out, items + nr, nr_out * sizeof(*out));
	/* Merge backwards, so that nothing is overwritten before it was read. */
	for (uint32_t to = table->nr_rows; nr_out; to--) {
		bool stays = nr && table_sort_before(table, &out[nr_out - 1], &items[nr - 1]);

		items[to - 1] = stays ? items[--nr] : out[--nr_out];
	}
	for (uint32_t i = 0; i < table->nr_rows; i++)
		table->ordered[i] =
			(struct sorted_row){ table->rows[items[i].row].id, items[i].row };
	table->nr_ordered = table->nr_rows;
	return table->ordered;
}
