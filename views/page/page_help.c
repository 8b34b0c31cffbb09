/* SPDX-License-Identifier: MIT */
/*
 * Page of help: the keys of the view below, all keys by group, and the legend. The texts are in the
 * tables that define the keys, so they cannot differ. Long texts are wrapped.
 */
#include "config.h"

#include "views/ui/setup.h"
#include "views/ui/view.h"
#include "views/ui/wrap.h"
#include "views/ui/views.h"

#include <string.h>

enum { COL_KEYS, COL_DOC };

#define KEYS_CELLS 18

static const struct column columns[] = {
	[COL_KEYS] = { .title = "KEYS", .min_cells = KEYS_CELLS, .exact = true, .no_sort = true },
	[COL_DOC] = { .title = "ACTION", .min_cells = 20, .grow = 1, .no_sort = true },
};

static const struct legend {
	int glyph;        /* enum glyph; -1: `word` is explained */
	const char *word; /* the word that is explained; NULL: a glyph is */
	const char *doc;
} legend[] = {
#define SIGN(ID, doc)   { GLYPH_##ID, NULL, doc },
#define WORD(word, doc) { -1, word, doc },
#include "views/ui/legend.def"
};

#define NR_LEGEND ((uint32_t)(sizeof(legend) / sizeof(*legend)))

/* Kind of a row; `ref` is its number in its table, `ref2` the offset in its text. */
enum help_kind { KIND_VIEW_KEY, KIND_KEY, KIND_LEGEND, KIND_HEADING };

/* Numbers of headings: the groups of keys, then the view's keys, then the legend. */
#define HEADING_VIEW   NR_KEY_GROUPS
#define HEADING_LEGEND (NR_KEY_GROUPS + 1)

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

static void help_gather(struct view_ctx *ctx, struct table *table)
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

static void help_draw_heading(const struct view_ctx *ctx, const struct row *row,
			      const struct slot *slot)
{
	const char *text = row->ref == HEADING_VIEW     ? ctx->setup->ops[ctx->below]->name
			   : row->ref == HEADING_LEGEND ? "Signs and words"
							: key_group_names[row->ref];

	surface_printf(slot->surface, slot->x, slot->y, 60, STYLE_TITLE, "%s%s",
		       row->ref == HEADING_VIEW ? "Here: " : "", text);
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
	const char *doc;
	size_t len;

	if (row->kind == KIND_HEADING) {
		if (column == COL_KEYS)
			help_draw_heading(ctx, row, slot);
		return;
	}
	if (column == COL_KEYS) {
		draw_keys(row, slot);
		return;
	}
	doc = doc_of((enum help_kind)row->kind, row->ref);
	len = line_at(doc, row->ref2, ctx->width);
	while (len && doc[row->ref2 + len - 1] == ' ')
		len--;
	slot_text(slot, STYLE_TEXT, doc + row->ref2, len);
}

const struct view_ops page_help = {
	.name = "Help",
	.columns = columns,
	.nr_columns = 2,
	.gather = help_gather,
	.draw = help_draw,
};
