/* SPDX-License-Identifier: MIT */
/*
 * Page of help: first an overview in columns with short texts, then all keys by group, with their
 * whole texts, and the legend.
 */
#include "config.h"

#include "monitor/base/die.h"
#include "views/ui/setup.h"
#include "views/ui/view.h"
#include "views/ui/wrap.h"
#include "views/ui/views.h"

#include <stdlib.h>
#include <string.h>

#define KEYS_CELLS  18 /* width in cells of the keys in the list of all keys */
#define BRIEF_KEYS  11 /* width in cells of the keys in the overview */
#define BRIEF_CELLS (BRIEF_KEYS + KEY_BRIEF_CELLS + 2)

static const struct column columns[] = {
	{ .title = NULL, .min_cells = 20, .grow = 1, .fills = FILLS_ALL, .no_sort = true },
};

static const struct legend {
	int glyph;        /* glyph that is explained (enum glyph); -1: `word` is explained */
	const char *word; /* NULL: `glyph` is explained */
	const char *doc;
} legend[] = {
#define SIGN(ID, doc)   { GLYPH_##ID, NULL, doc },
#define WORD(word, doc) { -1, word, doc },
#include "views/ui/legend.def"
#define OWN_COLUMN(heading, doc)
#define NEW_COLUMN(heading, doc) { -1, heading, doc },
#define ATTRIBUTE(ID, word, type, rows, doc, values, test, uses, letter, heading, column)          \
	column##_COLUMN(heading, doc)
#include "monitor/attribute/attributes.def"
};

#define NR_LEGEND ((uint32_t)(sizeof(legend) / sizeof(*legend)))

/* `ref` is the row's number in the table of its kind, `ref2` an offset into its text. KIND_ITEMS:
 * `ref` is a line of the overview. */
enum help_kind { KIND_VIEW_KEY, KIND_KEY, KIND_LEGEND, KIND_HEADING, KIND_ITEMS };

/* Headings without a group of keys; their numbers follow those of the groups. */
#define HEADING_VIEW   NR_KEY_GROUPS
#define HEADING_LEGEND (NR_KEY_GROUPS + 1)

struct item {
	uint8_t kind; /* enum help_kind */
	uint16_t ref;
};

struct help {
	bool all; /* show all keys and the legend; false: the overview, except in --lines */
	struct item *items;
	uint32_t nr, cap, nr_lines;
};

static const char *doc_of(enum help_kind kind, uint32_t ref)
{
	return kind == KIND_VIEW_KEY ? view_keys[ref].doc
	       : kind == KIND_KEY    ? key_rows[ref].doc
				     : legend[ref].doc;
}

static struct row *help_add(struct table *table, enum help_kind kind, uint32_t ref, uint32_t from)
{
	struct row *row = table_add(table, (uint64_t)kind << 48 | (uint64_t)ref << 24 | from);

	row->key = table->nr_rows;
	row->kind = (uint8_t)kind;
	row->ref = ref;
	row->ref2 = from;
	row->fixed = kind == KIND_HEADING;
	return row;
}

static size_t line_at(const char *doc, uint32_t from, int width)
{
	int cols = width - KEYS_CELLS - 3;

	return text_fitting(doc + from, strlen(doc + from), cols > 10 ? cols : 10);
}

static void add_lines(const struct view_ctx *ctx, struct table *table, enum help_kind kind,
		      uint32_t ref)
{
	const char *doc = doc_of(kind, ref);
	uint32_t at = 0;

	do {
		help_add(table, kind, ref, at);
		at += (uint32_t)line_at(doc, at, ctx->width);
	} while (doc[at]);
}

static bool has_keys(enum view_id id)
{
	for (uint32_t i = 0; i < nr_view_keys; i++)
		if (view_keys[i].view == id)
			return true;
	return false;
}

static void gather_all(const struct view_ctx *ctx, struct table *table)
{
	if (has_keys(ctx->below))
		help_add(table, KIND_HEADING, HEADING_VIEW, 0);
	for (uint32_t i = 0; i < nr_view_keys; i++)
		if (view_keys[i].view == ctx->below)
			add_lines(ctx, table, KIND_VIEW_KEY, i);
	for (uint32_t group = 0; group < NR_KEY_GROUPS; group++) {
		help_add(table, KIND_HEADING, group, 0);
		for (uint32_t i = 1; i < NR_ACTIONS; i++)
			if (key_rows[i].group == group)
				add_lines(ctx, table, KIND_KEY, i);
	}
	help_add(table, KIND_HEADING, HEADING_LEGEND, 0);
	for (uint32_t i = 0; i < NR_LEGEND; i++)
		add_lines(ctx, table, KIND_LEGEND, i);
}

static void item_add(struct help *help, enum help_kind kind, uint32_t ref)
{
	if (help->nr == help->cap) {
		help->cap = help->cap ? help->cap * 2 : 128;
		help->items = xreallocarray(help->items, help->cap, sizeof(*help->items));
	}
	help->items[help->nr++] = (struct item){ (uint8_t)kind, (uint16_t)ref };
}

static void list_items(const struct view_ctx *ctx, struct help *help, bool all)
{
	help->nr = 0;
	if (has_keys(ctx->below))
		item_add(help, KIND_HEADING, HEADING_VIEW);
	for (uint32_t i = 0; i < nr_view_keys; i++)
		if (view_keys[i].view == ctx->below)
			item_add(help, KIND_VIEW_KEY, i);
	for (uint32_t group = 0; group < NR_KEY_GROUPS; group++) {
		uint32_t before = help->nr;

		item_add(help, KIND_HEADING, group);
		for (uint32_t i = 1; i < NR_ACTIONS; i++)
			if (key_rows[i].group == group && (all || key_rows[i].short_name))
				item_add(help, KIND_KEY, i);
		if (help->nr == before + 1)
			help->nr = before;
	}
}

static uint32_t nr_columns_of(const struct view_ctx *ctx)
{
	return ctx->width >= 2 * BRIEF_CELLS ? (uint32_t)(ctx->width / BRIEF_CELLS) : 1;
}

/* If not all keys fit, leave out the common keys that are not in the key bar. */
static void gather_overview(const struct view_ctx *ctx, struct help *help, struct table *table)
{
	uint32_t nr_columns = nr_columns_of(ctx);

	for (int all = 1; all >= 0; all--) {
		list_items(ctx, help, all);
		help->nr_lines = (help->nr + nr_columns - 1) / nr_columns;
		if (help->nr_lines <= ctx->height)
			break;
	}
	for (uint32_t i = 0; i < help->nr_lines; i++)
		/* If not all lines fit, let the user select them, because only rows that can be
		 * selected can be scrolled. */
		help_add(table, KIND_ITEMS, i, 0)->fixed = help->nr_lines <= ctx->height;
}

static void help_gather(struct view_ctx *ctx, struct table *table)
{
	struct help *help = ctx->view->private;

	if (help->all || ctx->said)
		gather_all(ctx, table);
	else
		gather_overview(ctx, help, table);
}

static void help_draw_heading(const struct view_ctx *ctx, const struct row *row,
			      const struct slot *slot)
{
	const char *text = row->ref == HEADING_VIEW     ? ctx->setup->ops[ctx->below]->name
			   : row->ref == HEADING_LEGEND ? "Signs and words"
							: key_group_names[row->ref];

	surface_printf(slot->surface, slot->x, slot->y, 60, STYLE_TITLE, "%s%s",
		       row->ref == HEADING_VIEW ? "Here: " : "", text);
}

static void draw_item_keys(const char *keys, const struct slot *slot)
{
	size_t len = strlen(keys);

	surface_text(slot->surface, slot->x, slot->y, BRIEF_KEYS - 1, STYLE_HINT, keys,
		     len < BRIEF_KEYS ? len : strcspn(keys, " "));
}

static void draw_brief(const char *text, int cells, const struct slot *slot)
{
	size_t len = strlen(text);

	if (surface_text_cells(text, len, slot->surface->ascii) > cells)
		len = strcspn(text, ":;,");
	surface_text(slot->surface, slot->x + BRIEF_KEYS, slot->y, cells, STYLE_TEXT, text, len);
}

static void draw_item(const struct view_ctx *ctx, const struct item *item, const struct slot *slot)
{
	const char *brief = item->kind == KIND_KEY ? key_briefs[item->ref] : NULL;
	struct row heading = { .ref = item->ref };

	if (item->kind == KIND_HEADING) {
		help_draw_heading(ctx, &heading, slot);
		return;
	}
	draw_item_keys(item->kind == KIND_KEY ? key_rows[item->ref].keys
					      : view_keys[item->ref].keys,
		       slot);
	draw_brief(brief ? brief : doc_of((enum help_kind)item->kind, item->ref),
		   slot->cols - BRIEF_KEYS - 1, slot);
}

/* Draw a line of the overview, which has one item per column of the screen; the items continue down
 * the columns. */
static void draw_items(const struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct help *help = ctx->view->private;
	uint32_t nr_columns = nr_columns_of(ctx);

	for (uint32_t i = 0; i < nr_columns; i++) {
		uint32_t at = i * help->nr_lines + row->ref;
		struct slot part = *slot;

		part.cols = slot->cols / (int)nr_columns;
		part.x += (int)i * part.cols;
		if (at < help->nr)
			draw_item(ctx, &help->items[at], &part);
	}
}

static void draw_keys(const struct row *row, const struct slot *slot)
{
	const struct legend *l = &legend[row->ref % NR_LEGEND];

	if (row->ref2)
		return;
	if (row->kind == KIND_VIEW_KEY)
		slot_text(slot, STYLE_HINT, view_keys[row->ref].keys, SIZE_MAX);
	else if (row->kind == KIND_KEY)
		slot_text(slot, STYLE_HINT, key_rows[row->ref].keys, SIZE_MAX);
	else if (l->word)
		slot_text(slot, STYLE_NAME, l->word, SIZE_MAX);
	else
		surface_glyph(slot->surface, slot->x, slot->y, STYLE_NAME, (enum glyph)l->glyph);
}

static void help_draw(struct view_ctx *ctx, const struct row *row, int column,
		      const struct slot *slot)
{
	struct slot keys = *slot, text = slot_rest(slot, KEYS_CELLS + 1);
	const char *doc;
	size_t len;

	(void)column;
	if (row->kind == KIND_HEADING) {
		help_draw_heading(ctx, row, slot);
		return;
	}
	if (row->kind == KIND_ITEMS) {
		draw_items(ctx, row, slot);
		return;
	}
	keys.cols = KEYS_CELLS < slot->cols ? KEYS_CELLS : slot->cols;
	draw_keys(row, &keys);
	doc = doc_of((enum help_kind)row->kind, row->ref);
	len = line_at(doc, row->ref2, ctx->width);
	while (len && doc[row->ref2 + len - 1] == ' ')
		len--;
	slot_text(&text, STYLE_TEXT, doc + row->ref2, len);
}

static void help_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct help *help = ctx->view->private;

	tr2_buf_addstr(out, help->all ? " · all keys and the legend · / searches"
				      : " · ? all keys and the legend · / searches in them");
}

/* The key of the help first shows all keys, then closes the page; search and filter also show all
 * keys. */
static bool help_act(struct view_ctx *ctx, enum action action, uint32_t key)
{
	struct help *help = ctx->view->private;
	struct table *table = &ctx->view->table;
	bool had_all = help->all;

	(void)key;
	if (action == ACTION_HELP || action == ACTION_SEARCH || action == ACTION_FILTER)
		help->all = true;
	if (action != ACTION_HELP || had_all)
		return false;
	/* Gather the new rows now: keys that were typed ahead act on them before the next frame. */
	table_clear(table);
	help_gather(ctx, table);
	table_order(table);
	return true;
}

static void help_release(void *private)
{
	free(((struct help *)private)->items);
}

const struct view_ops page_help = {
	.name = "Help",
	.columns = columns,
	.nr_columns = 1,
	.private_bytes = sizeof(struct help),
	.title = help_title,
	.gather = help_gather,
	.draw = help_draw,
	.act = help_act,
	.release = help_release,
};
