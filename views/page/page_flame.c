/* SPDX-License-Identifier: MIT */
/*
 * Flame graph as an icicle: the whole, or the node zoomed to, at the top, and below each bar its
 * contents. A row of the table is a level. The selection is a node, stored by its id, so that it
 * stays selected while figures change.
 */
#include "config.h"

#include "views/page/flame_foot.h"

#include "views/ui/setup.h"
#include "views/ui/view.h"
#include "views/ui/view_text.h"

#include <inttypes.h>

#include "engine/base/hash.h"
#include "monitor/analysis/flame.h"
#include "monitor/analysis/flame_around.h"
#include "monitor/analysis/formats.h"
#include "monitor/base/secrets.h"

static const struct column columns[] = {
	{ .min_cells = 20, .fills = FILLS_ALL, .no_sort = true },
};

static const char *const scope_names[NR_FLAME_SCOPES] = {
	[FLAME_PROCESS] = "process", [FLAME_TREE] = "tree",     [FLAME_ALL] = "all processes",
	[FLAME_REGION] = "region",   [FLAME_THREAD] = "thread", [FLAME_SAMPLES] = "CPU samples",
};

static bool has_region(const struct flame_page *page)
{
	return page->of.category != SYM_NONE || page->of.label != SYM_NONE;
}

static sym_t first_thread(const struct view_ctx *ctx)
{
	uint32_t main = ctx->process ? process_main_thread(ctx->model, ctx->process) : UINT32_MAX;

	if (main == UINT32_MAX && ctx->process && ctx->process->threads.nr)
		main = 0;
	return main == UINT32_MAX ? SYM_NONE : process_thread(ctx->model, ctx->process, main)->name;
}

static void flame_begin(struct view_ctx *ctx, struct flame_page *page)
{
	const struct subject *subject = &ctx->view->subject;

	if (page->begun)
		return;
	page->begun = true;
	page->of.category = subject->category;
	page->of.label = subject->label;
	page->of.thread = first_thread(ctx);
	page->of.scope = has_region(page)                     ? FLAME_REGION
			 : subject->process.slot != SLOT_NONE ? FLAME_TREE
							      : FLAME_ALL;
}

static bool is_inside(const struct flame *flame, uint32_t node, uint32_t top)
{
	while (node != FLAME_NONE && node != top)
		node = flame->nodes[node].parent;
	return node == top;
}

int flame_text_rows(int rows)
{
	return rows < 4 ? 0 : rows < 10 ? 1 : rows < 16 ? 2 : 3;
}

int flame_table_room(const struct flame_page *page, int rows)
{
	int room = rows - page->flame.nr_levels - flame_text_rows(rows);

	return room >= LEAST_TABLE_ROWS ? room : 0;
}

static void flame_gather(struct view_ctx *ctx, struct table *table)
{
	struct flame_page *page = ctx->view->private;
	struct flame *flame = &page->flame;

	flame_begin(ctx, page);
	flame_make(flame, &ctx->what, &page->of);
	page->top = flame_find(flame, page->top_id);
	if (page->top == FLAME_NONE)
		page->top = 0;
	page->chosen = flame_find(flame, page->chosen_id);
	if (page->chosen == FLAME_NONE || !is_inside(flame, page->chosen, page->top))
		page->chosen = page->top;
	flame_layout(flame, page->top);
	for (int level = 0; level < flame->nr_levels; level++) {
		struct row *row = table_add(table, (uint64_t)level + 1);

		row->key = row->ref = (uint32_t)level;
		row->fixed = true; /* levels cannot be selected: the user selects nodes */
	}
	page->around.nr = 0;
	if (flame_table_room(page, (int)ctx->height) && page->of.scope != FLAME_SAMPLES)
		flame_around_make(&page->around, flame, page->chosen,
				  (enum flame_around_order)page->table.order, page->table.reverse);
	if (page->table.at >= page->around.nr)
		page->table.at = page->around.nr ? page->around.nr - 1 : 0;
	page->table.focused &= page->around.nr > 0;
	table->sort = SORT_NATURAL;
	table->reverse = table->flat = false;
	table->follow = FOLLOW_NONE;
	table->nr_hidden = flame->nr_hidden;
	if (flame->nr)
		table_select(table, (uint64_t)flame->nodes[page->chosen].level + 1);
}

/* Append the name of a node without its ancestors, whose bars are above it. If the name begins with
 * '_', such as Git's `_run_dashed_`, and only one process has it, append that process's command
 * name instead. */
static void format_leaf(const struct view_ctx *ctx, const struct flame_node *node,
			struct tr2_buf *out)
{
	size_t len;
	const char *name = hierarchy_leaf(ctx->model, node->a, &len);

	if (len && *name == '_' && node->count == 1)
		name = command_name(ctx->model, model_slot(ctx->model, node->slot), &len);
	secrets_add(out, name, len, SIZE_MAX);
}

void flame_format_node(const struct view_ctx *ctx, const struct flame_node *node,
		       struct tr2_buf *out)
{
	switch (node->kind) {
	case FLAME_NODE_ALL:
		tr2_buf_addstr(out, "all processes");
		break;
	case FLAME_NODE_PROCESS:
		if (node->a != SYM_NONE)
			format_leaf(ctx, node, out);
		else
			format_process(ctx->model, model_slot(ctx->model, node->slot), out);
		break;
	case FLAME_NODE_THREAD:
		tr2_buf_addstr(out, "thread ");
		if (node->a == SYM_NONE)
			tr2_buf_addstr(out, "(no name)");
		format_symbol(ctx->model, node->a, out);
		break;
	case FLAME_NODE_FRAME: {
		size_t len;
		const char *text = flame_frame(ctx->model, node, &len);

		tr2_buf_add(out, text, len);
		break;
	}
	default:
		format_region(ctx->model, node->a, node->b, out);
	}
}

void flame_format_size(const struct flame_page *page, ns_t size, struct tr2_buf *out)
{
	if (page->of.scope == FLAME_SAMPLES)
		format_count((uint64_t)size, out);
	else
		format_duration(size, out);
}

static enum style style_without_hue(const struct flame_node *node)
{
	if (node->nr_open)
		return STYLE_LIVE;
	if (node->kind == FLAME_NODE_FRAME)
		return STYLE_BAR;
	if (node->kind == FLAME_NODE_REGION)
		return duration_style(node->total) == STYLE_SLOW ? STYLE_SLOW : STYLE_BAR;
	return node->kind == FLAME_NODE_THREAD ? STYLE_CATEGORY : STYLE_TITLE;
}

bool flame_has_hues(const struct view_ctx *ctx, const struct surface *surface)
{
	int theme = ctx->setup->options.theme;

	return !surface->ascii && (theme == THEME_AUTO || theme_colours[theme]);
}

enum style flame_style_of(const struct view_ctx *ctx, const struct surface *surface,
			  const struct flame_node *node)
{
	if (!flame_has_hues(ctx, surface))
		return style_without_hue(node);
	return node->kind == FLAME_NODE_REGION  ? category_style(ctx->model, node->a)
	       : node->kind == FLAME_NODE_FRAME ? STYLE_HUE_1
						: STYLE_HUE_0;
}

static void draw_node(const struct view_ctx *ctx, const struct slot *slot, uint32_t nr)
{
	const struct flame_page *page = ctx->view->private;
	const struct flame_node *node = &page->flame.nodes[nr];
	bool hues = flame_has_hues(ctx, slot->surface);
	enum style style = flame_style_of(ctx, slot->surface, node);
	struct tr2_buf *line = format_line();
	int from, to, used = 1;

	flame_cells(node, slot->cols, &from, &to);
	if (from >= to)
		return;
	if (hues)
		surface_restyle(slot->surface,
				(struct rect){ slot->x + from, slot->y, to - from, 1 }, style);
	else
		surface_glyphs(slot->surface, slot->x + from, slot->y, to - from, style,
			       node->kind == FLAME_NODE_REGION ? GLYPH_SHADE_1 : GLYPH_SHADE_2);
	surface_glyph(slot->surface, slot->x + from, slot->y, style,
		      nr == page->chosen ? GLYPH_CURSOR : GLYPH_VLINE);
	if (node->nr_open && to - from > used + 1)
		surface_glyph(slot->surface, slot->x + from + used++, slot->y, style, GLYPH_LIVE);
	if (node->nr_failed && to - from > used + 1)
		surface_glyph(slot->surface, slot->x + from + used++, slot->y,
			      hues ? style : STYLE_FAILED, GLYPH_FAILED);
	if (to - from > used + 1) {
		flame_format_node(ctx, node, line);
		tr2_buf_addch(line, ' ');
		flame_format_size(page, node->total, line);
		surface_text(slot->surface, slot->x + from + used, slot->y, to - from - used, style,
			     tr2_buf_cstr(line), line->len);
	}
	if (nr != page->chosen)
		return;
	surface_put_cursor(slot->surface, slot->x + from, slot->y);
	/* The selected node is less prominent if the table below gets the keys. */
	surface_overlay(slot->surface, (struct rect){ slot->x + from, slot->y, to - from, 1 },
			page->table.focused ? STYLE_CHOSEN : STYLE_SELECTED);
}

static void flame_draw(struct view_ctx *ctx, const struct row *row, int column,
		       const struct slot *slot)
{
	struct flame_page *page = ctx->view->private;
	const struct flame *flame = &page->flame;

	(void)column;
	page->x = slot->x;
	page->cols = slot->cols;
	for (uint32_t i = flame->starts[row->ref]; i < flame->starts[row->ref + 1]; i++)
		draw_node(ctx, slot, flame->order[i]);
	ctx->view->ticks |= flame->live;
}

static void flame_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct flame_page *page = ctx->view->private;
	const struct flame_of *of = &page->of;

	if (!page->begun)
		return;
	tr2_buf_addf(out, " · %s", scope_names[of->scope]);
	if (of->scope == FLAME_REGION) {
		tr2_buf_addch(out, ' ');
		format_region(ctx->model, of->category, of->label, out);
	} else if (of->scope == FLAME_THREAD) {
		tr2_buf_addch(out, ' ');
		format_symbol(ctx->model, of->thread, out);
	}
	if (of->scope != FLAME_ALL && ctx->process) {
		tr2_buf_addstr(out, of->scope == FLAME_REGION || of->scope == FLAME_THREAD
					    ? " · "
					    : " of ");
		format_process(ctx->model, ctx->process, out);
		if (ctx->process->pid != NUM_NONE)
			tr2_buf_addf(out, " %" PRId64, ctx->process->pid);
	} else if (of->scope == FLAME_REGION) {
		tr2_buf_addstr(out, " · all processes");
	}
	if (page->top) {
		tr2_buf_addstr(out, " > ");
		flame_format_node(ctx, &page->flame.nodes[page->top], out);
	}
}

static const char *flame_empty(const struct view_ctx *ctx)
{
	const struct flame_page *page = ctx->view->private;

	if (page->of.scope == FLAME_REGION)
		return "nothing is known about this region\npress a for another scope";
	if (page->of.scope != FLAME_ALL && !ctx->process)
		return "the process was evicted\npress a to show all processes";
	if (model_nr_processes(ctx->model))
		return "everything is outside the depth limit\npress d to change it";
	return "nothing has been traced yet\npress o to show the state of the sources";
}

static void flame_choose(struct flame_page *page, uint32_t node)
{
	if (node == FLAME_NONE || node >= page->flame.nr)
		return;
	page->chosen = node;
	page->chosen_id = page->flame.nodes[node].id;
}

/* Select the next (`step` 1) or previous (-1) node on the level, under any parent. */
static void choose_beside(struct flame_page *page, int step)
{
	const struct flame *flame = &page->flame;
	uint32_t level = flame->nodes[page->chosen].level;

	if (level >= (uint32_t)flame->nr_levels)
		return;
	for (uint32_t i = flame->starts[level]; i < flame->starts[level + 1]; i++) {
		if (flame->order[i] != page->chosen)
			continue;
		if (step < 0 && i > flame->starts[level])
			flame_choose(page, flame->order[i - 1]);
		else if (step > 0 && i + 1 < flame->starts[level + 1])
			flame_choose(page, flame->order[i + 1]);
		return;
	}
}

static void choose_child(struct flame_page *page)
{
	const struct flame *flame = &page->flame;
	uint32_t level = flame->nodes[page->chosen].level + 1u;

	if (level >= (uint32_t)flame->nr_levels)
		return;
	for (uint32_t i = flame->starts[level]; i < flame->starts[level + 1]; i++)
		if (flame->nodes[flame->order[i]].parent == page->chosen) {
			flame_choose(page, flame->order[i]);
			return;
		}
}

static bool zoom_out(struct flame_page *page)
{
	uint32_t old = page->top;

	if (!page->flame.nr || !page->top)
		return false;
	page->top = page->flame.nodes[old].parent;
	if (page->top == FLAME_NONE)
		page->top = 0;
	page->top_id = page->flame.nodes[page->top].id;
	flame_choose(page, old);
	return true;
}

static void zoom_in(struct flame_page *page)
{
	page->top = page->chosen;
	page->top_id = page->flame.nodes[page->top].id;
	flame_choose(page, page->chosen);
}

static void note_chosen(struct view_ctx *ctx, struct flame_page *page)
{
	bool has_thread = false;

	if (!page->flame.nr)
		return;
	const struct flame_node *node = &page->flame.nodes[page->chosen];

	if (node->kind == FLAME_NODE_REGION) {
		page->of.category = node->a;
		page->of.label = node->b;
	}
	for (uint32_t at = page->chosen; at != FLAME_NONE; at = page->flame.nodes[at].parent)
		if (page->flame.nodes[at].kind == FLAME_NODE_THREAD) {
			page->of.thread = page->flame.nodes[at].a;
			has_thread = true;
		}
	if (!has_thread)
		page->of.thread = first_thread(ctx);
}

static bool has_scope(const struct view_ctx *ctx, const struct flame_page *page,
		      enum flame_scope scope)
{
	switch (scope) {
	case FLAME_ALL:
		return true;
	case FLAME_REGION:
		return has_region(page);
	case FLAME_SAMPLES:
		return flame_has_samples(ctx->model, ctx->process);
	default:
		return ctx->process != NULL;
	}
}

/* Step through the scopes, skipping those that do not apply. If the page has no process, the scopes
 * of one process use the selected process. */
static void next_scope(struct view_ctx *ctx, struct flame_page *page)
{
	enum flame_scope scope = page->of.scope;

	if (!ctx->process) {
		ctx->view->subject.process = ctx->selected;
		ctx->process = model_process(ctx->model, ctx->selected);
		page->of.thread = first_thread(ctx);
	}

	if (scope == FLAME_PROCESS || scope == FLAME_TREE || scope == FLAME_ALL)
		note_chosen(ctx, page);
	do {
		scope = (scope + 1) % NR_FLAME_SCOPES;
	} while (!has_scope(ctx, page, scope));
	page->of.scope = scope;
	page->top_id = page->chosen_id = 0;
}

static void go_to_row(struct flame_page *page)
{
	uint32_t node = page->around.rows[page->table.at].node;

	if (!is_inside(&page->flame, node, page->top))
		page->top = 0;
	page->top_id = page->flame.nodes[page->top].id;
	flame_choose(page, node);
	page->table.focused = false;
	page->table.at = 0;
}

static bool table_acts(struct flame_page *page, enum action action)
{
	uint32_t last = page->around.nr - 1;

	switch (action) {
	case ACTION_UP:
		page->table.at -= page->table.at > 0;
		return true;
	case ACTION_DOWN:
		page->table.at += page->table.at < last;
		return true;
	case ACTION_HOME:
	case ACTION_END:
		page->table.at = action == ACTION_HOME ? 0 : last;
		return true;
	case ACTION_SORT:
		page->table.order = (page->table.order + 1) % NR_FLAME_ORDERS;
		return true;
	case ACTION_REVERSE:
		page->table.reverse = !page->table.reverse;
		return true;
	case ACTION_DRILL:
		go_to_row(page);
		return true;
	case ACTION_BACK:
		page->table.focused = false;
		return true;
	default:
		return false;
	}
}

static bool flame_act(struct view_ctx *ctx, enum action action, uint32_t key)
{
	struct flame_page *page = ctx->view->private;

	(void)key;
	flame_begin(ctx, page);
	if (action == ACTION_PANE_NEXT && page->around.nr) {
		page->table.focused = !page->table.focused;
		return true;
	}
	if (page->table.focused && table_acts(page, action))
		return true;
	if (action == ACTION_SCOPE) {
		next_scope(ctx, page);
		return true;
	}
	if (action == ACTION_BACK)
		return zoom_out(page);
	if (!page->flame.nr)
		return false;
	switch (action) {
	case ACTION_UP:
		if (page->chosen != page->top)
			flame_choose(page, page->flame.nodes[page->chosen].parent);
		return true;
	case ACTION_DOWN:
		choose_child(page);
		return true;
	case ACTION_LEFT:
	case ACTION_RIGHT:
		choose_beside(page, action == ACTION_LEFT ? -1 : 1);
		return true;
	case ACTION_HOME:
		flame_choose(page, page->top);
		return true;
	case ACTION_DRILL:
		zoom_in(page);
		return true;
	default:
		return false;
	}
}

static bool flame_mouse(struct view_ctx *ctx, const struct key_event *event)
{
	struct flame_page *page = ctx->view->private;
	const struct flame *flame = &page->flame;
	int64_t level = event->y - ctx->view->table.body_y + (int64_t)ctx->view->table.top;

	if ((event->button != MOUSE_PRESS && event->button != MOUSE_DOUBLE) || level < 0 ||
	    level >= flame->nr_levels)
		return true;
	for (uint32_t i = flame->starts[level]; i < flame->starts[level + 1]; i++) {
		int from, to;

		flame_cells(&flame->nodes[flame->order[i]], page->cols, &from, &to);
		if (event->x < page->x + from || event->x >= page->x + to)
			continue;
		flame_choose(page, flame->order[i]);
		if (event->button == MOUSE_DOUBLE)
			zoom_in(page);
		break;
	}
	return true;
}

static bool flame_events(const struct view_ctx *ctx, const struct row *row, struct subject *subject,
			 struct tr2_buf *filter)
{
	const struct flame_page *page = ctx->view->private;
	const struct flame_node *node;

	(void)row;
	if (!page->flame.nr)
		return false;
	node = &page->flame.nodes[page->chosen];
	if (node->kind == FLAME_NODE_REGION) {
		format_term(ctx->model, "category", node->a, filter);
		format_term(ctx->model, "label", node->b, filter);
	}
	for (;; node = &page->flame.nodes[node->parent]) {
		if (node->kind == FLAME_NODE_THREAD)
			format_term(ctx->model, "thread", node->a, filter);
		if (node->kind == FLAME_NODE_PROCESS && node->count == 1) {
			subject->process = model_handle(ctx->model, node->slot);
			return true;
		}
		if (node->kind == FLAME_NODE_PROCESS && node->a != SYM_NONE) {
			format_term(ctx->model, "hierarchy", node->a, filter);
			break;
		}
		if (node->parent == FLAME_NONE)
			break;
	}
	if (page->of.scope == FLAME_ALL || page->of.scope == FLAME_TREE)
		subject->process = HANDLE_NONE;
	return true;
}

static uint64_t flame_first_item(const struct view_ctx *ctx)
{
	(void)ctx;
	return 0;
}

static uint64_t flame_end_item(const struct view_ctx *ctx)
{
	return ((const struct flame_page *)ctx->view->private)->flame.nr_order;
}

static uint64_t flame_chosen_item(const struct view_ctx *ctx)
{
	const struct flame_page *page = ctx->view->private;

	for (uint32_t i = 0; i < page->flame.nr_order; i++)
		if (page->flame.order[i] == page->chosen)
			return i;
	return 0;
}

/* Return a number that changes if the set or the order of visible nodes changes. */
static uint64_t flame_items_version(const struct view_ctx *ctx)
{
	const struct flame_page *page = ctx->view->private;
	uint64_t hash = page->top_id;

	for (uint32_t i = 0; i < page->flame.nr_order; i++)
		hash = tr2_hash_pair(hash, page->flame.nodes[page->flame.order[i]].id);
	return hash;
}

static bool flame_item_text(const struct view_ctx *ctx, uint64_t item, struct tr2_buf *out)
{
	const struct flame_page *page = ctx->view->private;
	const struct flame_node *node = &page->flame.nodes[page->flame.order[item]];

	flame_format_node(ctx, node, out);
	tr2_buf_addch(out, ' ');
	flame_format_size(page, node->total, out);
	return true;
}

static void flame_choose_item(const struct view_ctx *ctx, uint64_t item)
{
	struct flame_page *page = ctx->view->private;

	if (item >= page->flame.nr_order)
		return;
	flame_choose(page, page->flame.order[item]);
	table_select(&ctx->view->table, (uint64_t)page->flame.nodes[page->chosen].level + 1);
}

static const struct item_ops items = {
	.first = flame_first_item,
	.end = flame_end_item,
	.at = flame_chosen_item,
	.version = flame_items_version,
	.text = flame_item_text,
	.choose = flame_choose_item,
	.nr_a_frame = 50000,
};

static void page_flame_release(void *private)
{
	struct flame_page *page = private;

	flame_release(&page->flame);
	flame_around_release(&page->around);
}

const struct view_ops page_flame = {
	.name = "Flame",
	.columns = columns,
	.nr_columns = 1,
	.private_bytes = sizeof(struct flame_page),
	.title = flame_title,
	.gather = flame_gather,
	.draw = flame_draw,
	.foot_rows = flame_foot_rows,
	.foot = flame_foot,
	.empty = flame_empty,
	.act = flame_act,
	.mouse = flame_mouse,
	.events = flame_events,
	.filter_rows = FILTER_ROWS_PROCESS,
	.items = &items,
	.release = page_flame_release,
};
