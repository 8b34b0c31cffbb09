/* SPDX-License-Identifier: MIT */
/*
 * Items are read in a circle from the view's position, so that the next hit is found first:
 * [origin, end), then [first, origin). Each of these two parts has its own sorted list of hits.
 */
#include "config.h"

#include "views/ui/find.h"
#include "monitor/base/platform.h"
#include "views/ui/view_row.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "engine/base/utf8.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/lower_bound.h"
#include "monitor/base/secrets.h"
#include "monitor/base/visible.h"

#define MAX_HITS (1u << 20)
#define NO_ITEM  UINT64_MAX

static uint64_t table_first(const struct view_ctx *ctx)
{
	(void)ctx;
	return 0;
}

static uint64_t table_end(const struct view_ctx *ctx)
{
	return ctx->view->table.nr_rows;
}

static uint64_t table_at(const struct view_ctx *ctx)
{
	return ctx->view->table.at;
}

static bool table_text(const struct view_ctx *ctx, uint64_t item, struct tr2_buf *out)
{
	const struct row *row = &ctx->view->table.rows[item];

	if (row->fixed)
		return false;
	view_row_text(ctx, row, out);
	return true;
}

static void table_choose(const struct view_ctx *ctx, uint64_t item)
{
	table_go(&ctx->view->table, (uint32_t)item);
}

/* Return a number that changes if the table's rows, their order or the model change. */
static uint64_t table_version(const struct view_ctx *ctx)
{
	uint64_t hash = model_version(ctx->model);

	for (uint32_t i = 0; i < ctx->view->table.nr_rows; i++)
		hash = tr2_hash_pair(hash, ctx->view->table.rows[i].id);
	return hash;
}

static uint64_t table_on_line(const struct view_ctx *ctx, int line)
{
	const struct table *table = &ctx->view->table;
	uint64_t item = table->top + (uint64_t)line;

	return line < table->page_rows && item < table->nr_rows ? item : NO_ITEM;
}

static const struct item_ops table_items = {
	.first = table_first,
	.end = table_end,
	.at = table_at,
	.version = table_version,
	.text = table_text,
	.choose = table_choose,
	.on_line = table_on_line,
	.nr_a_frame = 2048,
};

static const struct item_ops *items_of(const struct view_ctx *ctx)
{
	return ctx->view->ops->items ? ctx->view->ops->items : &table_items;
}

/* A row of the surface as bytes, with the cell of each byte. */
struct find_row {
	char bytes[SURFACE_MAX_COLS * CELL_MAX_CHARS * 4];
	int cells[SURFACE_MAX_COLS * CELL_MAX_CHARS * 4 + 1];
	size_t len;
};

struct find_buffers {
	struct tr2_buf line;
	struct tr2_buf visible;
	struct tr2_buf folded;
	struct find_row row;
};

static struct find_buffers *buffers_new(void)
{
	struct find_buffers *buffers = xcalloc(1, sizeof(*buffers));

	tr2_buf_init(&buffers->line, 1 << 16);
	tr2_buf_init(&buffers->visible, 1 << 18);
	tr2_buf_init(&buffers->folded, 1 << 20);
	return buffers;
}

static void buffers_free(struct find_buffers *buffers)
{
	if (!buffers)
		return;
	tr2_buf_release(&buffers->line);
	tr2_buf_release(&buffers->visible);
	tr2_buf_release(&buffers->folded);
	free(buffers);
}

/* Return the text as the screen shows it: control characters and invalid bytes are visible,
 * passwords are hidden. */
static const struct tr2_buf *find_shown_text(const struct find *find, const struct tr2_buf *line)
{
	struct tr2_buf *copy = &find->buffers->visible;
	size_t i = 0;

	while (i < line->len && line->data[i] >= ' ' && line->data[i] < 0x7f)
		i++;
	if (i == line->len && !secrets_found(line->data, line->len))
		return line;
	tr2_buf_clear(copy);
	text_visible(copy, line->data, line->len);
	return copy;
}

/* Return the bytes of a text, converted to lower case if find->fold; valid until the next call. */
static const char *folded(const struct find *find, const char *text, size_t len)
{
	struct tr2_buf *copy = &find->buffers->folded;

	if (!find->fold)
		return text;
	tr2_buf_clear(copy);
	for (size_t i = 0; i < len; i++)
		tr2_buf_addch(copy, (char)tolower((unsigned char)text[i]));
	return tr2_buf_cstr(copy);
}

static bool matches(const struct find *find, const struct tr2_buf *said)
{
	const struct tr2_buf *line = find_shown_text(find, said);

	return line->len >= find->len &&
	       platform_find(folded(find, line->data, line->len), line->len, find->text, find->len);
}

static void add_hit(struct find_hits *hits, uint64_t item)
{
	if (hits->nr == MAX_HITS)
		return;
	GROW(hits->items, hits->nr, hits->cap, 64);
	hits->items[hits->nr++] = item;
}

static uint32_t rank(const struct find_hits *hits, uint64_t item)
{
	uint32_t at;

	LOWER_BOUND(at, hits->nr, hits->items[at] < item);
	return at;
}

static void start(struct find *find, const struct view_ctx *ctx)
{
	const struct item_ops *items = items_of(ctx);
	uint64_t first = items->first(ctx), end = items->end(ctx), at = items->at(ctx);

	find->view = ctx->view;
	find->version = items->version(ctx);
	if (at >= end)
		at = end > first ? end - 1 : first;
	find->origin = find->next = at < first ? first : at;
	find->next_low = first;
	find->up.nr = find->low.nr = 0;
	find->complete = false;
}

static uint64_t read_part(struct find *find, const struct view_ctx *ctx, struct find_hits *hits,
			  uint64_t from, uint64_t end, uint32_t *budget)
{
	const struct item_ops *items = items_of(ctx);
	struct tr2_buf *line = &find->buffers->line;

	for (; from < end && *budget;
	     from = items->next ? items->next(ctx, from) : from + 1, --*budget) {
		tr2_buf_clear(line);
		if (items->text(ctx, from, line) && matches(find, line))
			add_hit(hits, from);
	}
	return from;
}

static void read_on(struct find *find, const struct view_ctx *ctx)
{
	const struct item_ops *items = items_of(ctx);
	uint64_t first = items->first(ctx), end = items->end(ctx), span;
	uint32_t budget = items->nr_a_frame;

	if (find->next > end)
		find->next = end;
	find->next = read_part(find, ctx, &find->up, find->next, end, &budget);
	if (find->next_low < first)
		find->next_low = first;
	find->next_low = read_part(find, ctx, &find->low, find->next_low, find->origin, &budget);
	find->complete = find->next >= end && find->next_low >= find->origin;
	span = end - first;
	find->percent =
		span ? (unsigned)((find->next - find->origin + find->next_low - first) * 100 / span)
		     : 100;
}

/* Return the next hit after the item `at` (from `at` on if find->inclusive), continuing with the
 * first item after the last; NO_ITEM: none exists or, if `*wait` is set, none is known yet. */
static uint64_t forward(struct find *find, uint64_t at, bool *wait)
{
	bool up = at >= find->origin;
	const struct find_hits *hits = up ? &find->up : &find->low;
	uint32_t i = rank(hits, at + !find->inclusive);

	*wait = false;
	if (i < hits->nr)
		return hits->items[i];
	*wait = !find->complete;
	if (!up && find->complete && find->up.nr)
		return find->up.items[0];
	if (up ? !find->low.nr && !find->complete : !find->complete)
		return NO_ITEM;
	find->wrapped = true;
	if (find->low.nr)
		return find->low.items[0];
	return find->up.nr ? find->up.items[0] : NO_ITEM;
}

/* Return the last hit before the item `at`, continuing with the last item before the first;
 * NO_ITEM: as forward(). */
static uint64_t backward(struct find *find, uint64_t at, bool *wait)
{
	bool up = at >= find->origin;
	uint32_t i = rank(up ? &find->up : &find->low, at);

	*wait = false;
	if (i && (find->complete || (up && at <= find->next)))
		return (up ? &find->up : &find->low)->items[i - 1];
	*wait = !find->complete;
	if (!find->complete)
		return NO_ITEM;
	if (up && find->low.nr)
		return find->low.items[find->low.nr - 1];
	find->wrapped = true;
	if (find->up.nr)
		return find->up.items[find->up.nr - 1];
	return find->low.nr ? find->low.items[find->low.nr - 1] : NO_ITEM;
}

static void go(struct find *find, const struct view_ctx *ctx)
{
	const struct item_ops *items = items_of(ctx);

	while (find->wanted) {
		uint64_t at = items->at(ctx), end = items->end(ctx), to;
		bool wait;

		if (at >= end)
			at = end ? end - 1 : 0;
		to = find->wanted > 0 ? forward(find, at, &wait) : backward(find, at, &wait);
		if (to == NO_ITEM && wait)
			return;
		find->inclusive = false;
		find->wanted -= find->wanted > 0 ? 1 : -1;
		if (to == NO_ITEM)
			find->wanted = 0;
		else if (to < end)
			items->choose(ctx, to);
	}
}

static void find_count(struct find *find, const struct view_ctx *ctx)
{
	uint64_t at = items_of(ctx)->at(ctx);
	const struct find_hits *hits = at >= find->origin ? &find->up : &find->low;
	uint32_t i = rank(hits, at);

	find->nr_said = find->up.nr + find->low.nr;
	find->at_said = i < hits->nr && hits->items[i] == at
				? i + 1 + (hits == &find->up ? find->low.nr : 0)
				: 0;
}

static void find_put_back(struct find *find, const struct view_ctx *ctx)
{
	struct table *table = &ctx->view->table;
	const struct table *saved = &find->saved_table;

	if (!find->saved)
		return;
	if (ctx->view->ops->items) {
		ctx->view->ops->items->choose(ctx, find->saved_item);
		table->follow = saved->follow;
		return;
	}
	table->has_selection = saved->has_selection;
	table->touched = saved->touched;
	table->follow = saved->follow;
	table->selected = saved->selected;
	table->top = saved->top;
	for (uint32_t i = 0; i < table->nr_rows; i++)
		if (table->rows[i].id == saved->selected)
			table->at = i;
}

void find_run(struct find *find, struct view_ctx *ctx)
{
	if (find->put_back) {
		find_put_back(find, ctx);
		find->put_back = false;
	}
	if (!find_is_on(find))
		return;
	/* If the view's items now end before the item at which the search began, they were
	 * replaced: search again. */
	if (find->view != ctx->view || find->fresh || items_of(ctx)->end(ctx) < find->origin ||
	    (find->complete && find->version != items_of(ctx)->version(ctx)))
		start(find, ctx);
	find->fresh = false;
	read_on(find, ctx);
	go(find, ctx);
	if (find->complete)
		find_count(find, ctx);
}

static void take_shown(struct find_row *shown, const struct surface *surface, struct rect area,
		       int y)
{
	const struct cell *cells = surface->cells + (size_t)y * (size_t)surface->cols;
	int end = area.x + area.cols < surface->cols ? area.x + area.cols : surface->cols;

	shown->len = 0;
	for (int x = area.x; x < end; x++)
		for (int i = 0; i < CELL_MAX_CHARS && cells[x].width && cells[x].ch[i]; i++) {
			size_t from = shown->len;

			shown->len += tr2_utf8_encode(cells[x].ch[i], shown->bytes + from);
			while (from < shown->len)
				shown->cells[from++] = x;
		}
	shown->cells[shown->len] = end;
}

static int mark_row(const struct find *find, struct surface *surface, struct rect area, int y)
{
	struct find_row *shown = &find->buffers->row;
	const char *text, *at;
	int nr = 0;

	take_shown(shown, surface, area, y);
	text = folded(find, shown->bytes, shown->len);
	for (size_t from = 0; from < shown->len; nr++) {
		at = platform_find(text + from, shown->len - from, find->text, find->len);
		if (!at)
			break;
		from = (size_t)(at - text);
		int x = shown->cells[from];

		from += find->len;
		surface_overlay(surface, (struct rect){ x, y, shown->cells[from] - x, 1 },
				STYLE_FOUND);
	}
	return nr;
}

/* True if the text of the item on line `y` of the screen has a hit. */
static bool is_out_of_sight(const struct find *find, const struct view_ctx *ctx, int y)
{
	const struct item_ops *items = items_of(ctx);
	struct tr2_buf *line = &find->buffers->line;
	uint64_t item;

	if (!items->on_line)
		return false;
	item = items->on_line(ctx, y - ctx->view->table.body_y);
	tr2_buf_clear(line);
	return item != NO_ITEM && items->text(ctx, item, line) && matches(find, line);
}

void find_mark(const struct find *find, struct view_ctx *ctx, struct surface *surface,
	       struct rect area)
{
	int end = area.y + area.rows < surface->rows ? area.y + area.rows : surface->rows;

	if (!find_is_on(find))
		return;
	for (int y = ctx->view->table.body_y; y >= area.y && y < end; y++)
		if (!mark_row(find, surface, area, y) && is_out_of_sight(find, ctx, y))
			surface_overlay(surface, (struct rect){ area.x, y, 1, 1 }, STYLE_FOUND);
}

void find_release(struct find *find)
{
	free(find->up.items);
	free(find->low.items);
	buffers_free(find->buffers);
	*find = (struct find){ .len = 0 };
}

void find_begin(struct find *find, const struct view_ctx *ctx)
{
	find->saved = true;
	find->saved_item = items_of(ctx)->at(ctx);
	find->saved_table = ctx->view->table;
}

void find_pattern(struct find *find, const char *text)
{
	/* Do not restart a long search if the key only moved the cursor in the search prompt. */
	if (find->len && !strcmp(find->text, text))
		return;
	if (!find->buffers)
		find->buffers = buffers_new();
	find->fold = true;
	for (const char *c = text; *c; c++)
		find->fold &= !isupper((unsigned char)*c);
	find->len = strlen(text);
	memcpy(find->text, text, find->len + 1);
	find->put_back = find->fresh = true;
	find->wanted = 1;
	find->inclusive = true;
	find->wrapped = false;
}

void find_leave(struct find *find, bool back)
{
	find->len = 0;
	find->wanted = 0;
	find->put_back = back;
}

void find_next(struct find *find, int step)
{
	find->wrapped = false;
	find->wanted += step;
}

void find_forget(struct find *find)
{
	find->view = NULL;
	find->saved = false;
	find->wanted = 0;
}

void find_format(const struct find *find, struct tr2_buf *out)
{
	if (!find_is_on(find))
		return;
	if (find->wanted || (!find->complete && !find->nr_said)) {
		tr2_buf_addf(out, "searching %u%%, Esc cancels", find->percent);
		return;
	}
	if (!find->nr_said)
		tr2_buf_addstr(out, "no hit");
	else if (find->at_said)
		tr2_buf_addf(out, "hit %" PRIu32 " of %" PRIu32, find->at_said, find->nr_said);
	else
		tr2_buf_addf(out, "%" PRIu32 " hit%s", find->nr_said, find->nr_said > 1 ? "s" : "");
	if (find->nr_said >= MAX_HITS)
		tr2_buf_addch(out, '+');
	if (find->wrapped && find->nr_said)
		tr2_buf_addstr(out, ", went round");
}
