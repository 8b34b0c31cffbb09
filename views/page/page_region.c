/* SPDX-License-Identifier: MIT */
/*
 * Page of one region, in one process, a group or all: lists, such as its callers and its
 * occurrences in the journal; below, totals and, if there is space and no group, the heat map or
 * the distribution of durations.
 *
 * With a box of the heat map, only the occurrences in the box are listed. Dragging the mouse on the
 * map sets a box, Esc clears that box.
 */
#include "config.h"

#include "views/page/region_foot.h"
#include "views/page/region_group.h"

#include "views/ui/heat_draw.h"
#include "views/ui/view.h"
#include "views/ui/view_text.h"
#include "views/ui/view_row.h"

#include <inttypes.h>
#include <stdlib.h>

#include "monitor/base/die.h"
#include "monitor/analysis/callers_callees.h"
#include "monitor/analysis/occurrences.h"

enum { COL_WHAT, COL_COUNT, COL_TIME, COL_LONGEST, COL_BAR };

static const struct column columns[] = {
	[COL_WHAT] = { .min_cells = 24, .grow = 4, .no_sort = true },
	[COL_COUNT] = { .title = "", .min_cells = 7, .rank = 2, .right = true, .no_sort = true },
	[COL_TIME] = { .title = "", .min_cells = 8, .right = true, .no_sort = true },
	[COL_LONGEST] = { .title = "", .min_cells = 8, .rank = 3, .right = true, .no_sort = true },
	[COL_BAR] = { .title = "",
		      .min_cells = 8,
		      .rank = 4,
		      .fills = 32,
		      .yields = true,
		      .no_sort = true },
};

static const enum list page_lists[NR_LISTS] = { LIST_PARENTS,   LIST_CHILDREN, LIST_DATA,
						LIST_PROCESSES, LIST_THREADS,  LIST_OCCURRENCES };

static const char *const headings[NR_LISTS] = {
	[LIST_PARENTS] = "Called from",     [LIST_CHILDREN] = "Contains",
	[LIST_PROCESSES] = "By process",    [LIST_THREADS] = "By thread",
	[LIST_DATA] = "Data logged inside", [LIST_OCCURRENCES] = "Occurrences",
};

/* the occurrences that newest_first() and slowest_first() compare, because qsort() passes no
 * context */
static const struct occurrence *sort_items;

static int newest_first(const void *a, const void *b)
{
	const struct occurrence *x = &sort_items[*(const uint32_t *)a];
	const struct occurrence *y = &sort_items[*(const uint32_t *)b];

	return x->nr < y->nr ? 1 : x->nr > y->nr ? -1 : 0;
}

static int slowest_first(const void *a, const void *b)
{
	const struct occurrence *x = &sort_items[*(const uint32_t *)a];
	const struct occurrence *y = &sort_items[*(const uint32_t *)b];

	if (x->duration != y->duration)
		return x->duration < y->duration ? 1 : -1;
	return newest_first(a, b);
}

static void list_occurrences(const struct view_ctx *ctx, struct region_page *page)
{
	const struct subject *subject = &ctx->view->subject;
	const struct occurrences *found = &page->found;
	struct heat_point point;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < found->nr; i++)
		if (region_group_has(ctx, page, found->items[i].process) &&
		    (!subject->has_box ||
		     (heat_point_of_occurrence(ctx->model, &found->items[i], &point) &&
		      heat_bounds_have(&subject->box, &point))))
			page->sorted[nr++] = i;
	page->nr_listed = nr;
}

static void sort(const struct view_ctx *ctx, struct region_page *page)
{
	const struct occurrences *found = &page->found;
	/* The group of a process may change with the model. */
	uint64_t version = region_is_of_group(ctx) ? model_version(ctx->model) : 0;

	if (page->sorted_version == version && page->nr_sorted == found->nr &&
	    page->sorted_ended == found->nr_ended && page->sorted_begun == found->nr_begun &&
	    page->was_newest_first == page->newest_first)
		return;
	if (page->cap_sorted < found->nr) {
		page->cap_sorted = found->cap;
		page->sorted = xreallocarray(page->sorted, page->cap_sorted, sizeof(*page->sorted));
	}
	list_occurrences(ctx, page);
	sort_items = found->items;
	if (page->nr_listed)
		qsort(page->sorted, page->nr_listed, sizeof(*page->sorted),
		      page->newest_first ? newest_first : slowest_first);
	page->nr_sorted = found->nr;
	page->sorted_ended = found->nr_ended;
	page->sorted_begun = found->nr_begun;
	page->was_newest_first = page->newest_first;
	page->sorted_version = version;
}

static void find_kin(struct view_ctx *ctx, struct region_page *page)
{
	uint64_t version = model_version(ctx->model);

	if (page->version == version && page->limits.nesting == ctx->what.limits.nesting &&
	    page->limits.depth == ctx->what.limits.depth)
		return;
	page->version = version;
	page->limits = ctx->what.limits;
	if (region_is_of_group(ctx))
		region_group_find(ctx, page);
	for (int i = 0; i < NR_KIN_GROUPS; i++) {
		page->kins[i].keep = region_is_of_group(ctx) ? region_group_keep : NULL;
		page->kins[i].keep_data = page;
		callers_callees_make(&page->kins[i], &ctx->what, (enum kin_group)i);
	}
}

static uint32_t list_nr(const struct region_page *page, enum list list)
{
	return list < LIST_DATA    ? page->kins[list].nr
	       : list == LIST_DATA ? page->found.nr_notes
				   : page->nr_listed;
}

static struct row *region_add(struct table *table, unsigned kind, uint32_t ref, uint64_t id)
{
	uint64_t nr = table->nr_rows;
	struct row *row = table_add(table, (uint64_t)(kind + 1) << 56 | id);

	row->key = (int64_t)nr;
	row->kind = (uint8_t)kind;
	row->ref = ref;
	return row;
}

/* Return the id of an item of a list, which does not depend on its position, except for data. */
static uint64_t item_id(const struct view_ctx *ctx, const struct region_page *page, enum list list,
			uint32_t i)
{
	const struct caller_callee *kin;

	if (list == LIST_OCCURRENCES)
		return page->found.items[page->sorted[i]].nr;
	if (list == LIST_DATA)
		return i;
	kin = &page->kins[list].items[i];
	return list < LIST_PROCESSES
		       ? ((uint64_t)kin->category << 28 | kin->label) & ~(0xffull << 56)
		       : tr2_hash_pair(model_slot(ctx->model, kin->slot)->sid_hash, kin->thread) >>
				 8;
}

static void region_add_list(const struct view_ctx *ctx, const struct region_page *page,
			    struct table *table, enum list list, uint32_t few)
{
	uint32_t nr = list_nr(page, list);
	uint32_t shown = page->whole[list] || list == LIST_OCCURRENCES || nr <= few + 1 ? nr : few;

	if (!nr)
		return;
	region_add(table, ROW_HEADING, list, list)->fixed = true;
	for (uint32_t i = 0; i < shown; i++)
		region_add(table, list, list == LIST_OCCURRENCES ? page->sorted[i] : i,
			   item_id(ctx, page, list, i));
	if (shown < nr)
		region_add(table, ROW_MORE, list, list)->ref2 = nr - shown;
}

static void region_gather(struct view_ctx *ctx, struct table *table)
{
	struct region_page *page = ctx->view->private;
	uint32_t few = ctx->height >= HIGH_ROWS ? 5 : 1;

	occurrences_read(&page->found, &ctx->what);
	if (page->found.percent < 100)
		ctx->view->working = true;
	find_kin(ctx, page);
	sort(ctx, page);
	for (int i = 0; i < NR_LISTS; i++)
		if (page_lists[i] == LIST_OCCURRENCES ||
		    (!ctx->view->subject.has_box &&
		     (page_lists[i] != LIST_DATA || !region_is_of_group(ctx))))
			region_add_list(ctx, page, table, page_lists[i], few);
	table->sort = SORT_NATURAL;
	table->reverse = false;
	table->follow = FOLLOW_NONE;
}

static ns_t whole_time(const struct region_page *page)
{
	const struct callers_callees *kins = &page->kins[CALLERS_PARENTS];
	ns_t sum = 0;

	for (uint32_t i = 0; i < kins->nr; i++)
		sum = ns_add(sum, kins->items[i].total);
	return sum;
}

static void format_owner(const struct view_ctx *ctx, struct handle handle, struct tr2_buf *out)
{
	const struct process *process = model_process(ctx->model, handle);

	if (!process) {
		tr2_buf_addstr(out, "(gone)");
		return;
	}
	if (process->pid != NUM_NONE)
		tr2_buf_addf(out, "%" PRId64 " ", process->pid);
	format_process(ctx->model, process, out);
}

static enum style format_kin(const struct view_ctx *ctx, enum list list,
			     const struct caller_callee *kin, struct tr2_buf *out)
{
	if (list < LIST_PROCESSES) {
		if (kin->none)
			tr2_buf_addstr(out, "no other region");
		else
			format_region(ctx->model, kin->category, kin->label, out);
		return kin->none ? STYLE_DIM : STYLE_TEXT;
	}
	format_owner(ctx, model_handle(ctx->model, kin->slot), out);
	if (list == LIST_THREADS) {
		tr2_buf_addstr(out, " · ");
		format_symbol(ctx->model, kin->thread, out);
	}
	return STYLE_TEXT;
}

static void draw_occurrence(const struct view_ctx *ctx, const struct occurrence *item,
			    const struct slot *slot)
{
	struct tr2_buf *line = format_line();
	struct slot rest = *slot;

	format_time(item->start, true, line);
	slot_text(slot, STYLE_DIM, tr2_buf_cstr(line), line->len);
	rest = slot_rest(slot, 13);
	line = format_line();
	format_owner(ctx, item->process, line);
	tr2_buf_addstr(line, " · ");
	format_symbol(ctx->model, item->thread, line);
	if (item->message) {
		tr2_buf_addstr(line, " · ");
		tr2_buf_add(line, item->message, item->message_len);
	}
	slot_text(&rest, STYLE_TEXT, tr2_buf_cstr(line), line->len);
}

static void region_draw_heading(const struct region_page *page, enum list list, int column,
				const struct slot *slot)
{
	static const char *const heads[] = { "", "COUNT", "TOTAL", "LONGEST", "" };
	struct slot at = *slot;

	at.left = 0;
	if (column == COL_WHAT && list == LIST_OCCURRENCES)
		slot_text(&at, STYLE_TITLE,
			  page->newest_first ? "Occurrences, newest first (s)"
					     : "Occurrences, slowest first (s)",
			  SIZE_MAX);
	else if (column == COL_WHAT)
		slot_text(&at, STYLE_TITLE, headings[list], SIZE_MAX);
	else if (list != LIST_OCCURRENCES && (list != LIST_DATA || column == COL_COUNT))
		slot_text(&at, STYLE_DIM, heads[column], SIZE_MAX);
}

static void region_draw_what(const struct view_ctx *ctx, const struct row *row,
			     const struct slot *slot)
{
	const struct region_page *page = ctx->view->private;
	enum style style = STYLE_TEXT;
	struct tr2_buf *line;

	if (row->kind == LIST_OCCURRENCES) {
		draw_occurrence(ctx, &page->found.items[row->ref], slot);
		return;
	}
	line = format_line();
	if (row->kind == ROW_MORE) {
		tr2_buf_addf(line, "%" PRIu32 " more: Enter shows them", row->ref2);
		style = STYLE_HINT;
	} else if (row->kind == LIST_DATA) {
		const struct note *note = &page->found.notes[row->ref];

		format_region(ctx->model, note->category, note->key, line);
		tr2_buf_addstr(line, " = ");
		tr2_buf_add(line, note->value ? note->value : "", note->value_len);
	} else {
		style = format_kin(ctx, (enum list)row->kind,
				   &page->kins[row->kind].items[row->ref], line);
	}
	slot_text(slot, style, tr2_buf_cstr(line), line->len);
}

static void region_draw_bar(ns_t time, ns_t whole, const struct slot *slot)
{
	if (time > whole)
		time = whole;
	if (time > 0)
		surface_bar(slot->surface, slot->x, slot->y, slot->cols, STYLE_BAR,
			    1 + (int64_t)((double)time / (double)whole * (slot->cols * 8 - 1)));
}

static void draw_kin(const struct region_page *page, enum list list,
		     const struct caller_callee *kin, int column, const struct slot *slot)
{
	(void)list;
	if (column == COL_COUNT)
		slot_count(slot, STYLE_TEXT, kin->count);
	else if (column == COL_TIME)
		slot_duration(slot, duration_style(kin->total), kin->total);
	else if (column == COL_LONGEST)
		slot_duration(slot, duration_style(kin->max), kin->max);
	else
		region_draw_bar(kin->total, whole_time(page), slot);
}

static void region_draw(struct view_ctx *ctx, const struct row *row, int column,
			const struct slot *slot)
{
	const struct region_page *page = ctx->view->private;
	const struct occurrence *item;

	if (row->kind == ROW_HEADING) {
		region_draw_heading(page, (enum list)row->ref, column, slot);
	} else if (column == COL_WHAT) {
		region_draw_what(ctx, row, slot);
	} else if (row->kind == LIST_OCCURRENCES) {
		item = &page->found.items[row->ref];
		if (column == COL_TIME)
			slot_duration(slot, duration_style(item->duration), item->duration);
		else if (column == COL_BAR)
			region_draw_bar(item->duration, page->found.max, slot);
	} else if (row->kind == LIST_DATA) {
		if (column == COL_COUNT)
			slot_count(slot, STYLE_TEXT, page->found.notes[row->ref].count);
	} else if (row->kind < LIST_DATA) {
		draw_kin(page, (enum list)row->kind, &page->kins[row->kind].items[row->ref], column,
			 slot);
	}
}

static void region_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct occurrences *found = &((struct region_page *)ctx->view->private)->found;

	tr2_buf_addstr(out, " · ");
	format_region(ctx->model, ctx->view->subject.category, ctx->view->subject.label, out);
	if (ctx->process) {
		tr2_buf_addstr(out, " · ");
		format_process(ctx->model, ctx->process, out);
	} else if (region_is_of_group(ctx)) {
		region_group_format(ctx, out);
	} else if (ctx->view->subject.process.slot == SLOT_NONE) {
		tr2_buf_addstr(out, " · all processes");
	}
	if (found->nr)
		format_title_date(found->items[0].start, ctx, out);
	if (found->nr_ended > found->nr) {
		tr2_buf_addf(out, " · the slowest %" PRIu32 " of ", found->nr);
		format_count(found->nr_ended, out);
	}
	if (ctx->view->subject.has_box) {
		tr2_buf_addstr(out, " · ");
		heat_format_bounds(&ctx->view->subject.box, out);
	}
	if (found->percent < 100)
		tr2_buf_addf(out, " · reading %d%%", found->percent);
}

static const char *region_empty(const struct view_ctx *ctx)
{
	return ctx->in->journal ? "no occurrence in the history has ended"
				: "no history: occurrences are read from it";
}

static void set_box(const struct view_ctx *ctx, struct region_page *page, bool has_box,
		    const struct heat_box *box)
{
	struct subject *subject = &ctx->view->subject;

	subject->has_box = page->own_box = has_box;
	if (has_box)
		subject->box = heat_box_bounds(&page->heat, box);
	page->nr_sorted = 0; /* makes sort() list the occurrences again */
}

static uint32_t nearest(int64_t at, uint32_t nr)
{
	return at < 0 ? 0 : at < nr ? (uint32_t)at : nr - 1;
}

/* Begin a box on the heat map. Returns false unless the mouse is on the map. */
static bool press_map(const struct view_ctx *ctx, struct region_page *page, int64_t column,
		      int64_t line)
{
	page->has_corner = page->map.rows && column >= 0 && column < page->heat.nr_columns &&
			   line >= 0 && line < page->heat.nr_rows;
	if (!page->has_corner)
		return false;
	page->corner_row = page->heat.nr_rows - 1 - (uint32_t)line;
	page->corner_column = (uint32_t)column;
	if (page->own_box)
		set_box(ctx, page, false, NULL);
	return true;
}

static bool region_mouse(struct view_ctx *ctx, const struct key_event *event)
{
	struct region_page *page = ctx->view->private;
	uint32_t nr_rows = page->heat.nr_rows, row, column;

	if (event->button == MOUSE_PRESS)
		return press_map(ctx, page, event->x - page->map.x, event->y - page->map.y);
	if (event->button != MOUSE_DRAG || !page->has_corner || !page->map.rows ||
	    page->corner_row >= nr_rows || page->corner_column >= page->heat.nr_columns)
		return false;
	row = nr_rows - 1 - nearest(event->y - page->map.y, nr_rows);
	column = nearest(event->x - page->map.x, page->heat.nr_columns);
	set_box(ctx, page, true,
		&(struct heat_box){ row < page->corner_row ? row : page->corner_row,
				    row < page->corner_row ? page->corner_row : row,
				    column < page->corner_column ? column : page->corner_column,
				    column < page->corner_column ? page->corner_column : column });
	return true;
}

static bool region_act(struct view_ctx *ctx, enum action action, uint32_t key)
{
	struct region_page *page = ctx->view->private;
	const struct row *row = table_selected(&ctx->view->table);

	(void)key;
	switch (action) {
	case ACTION_SORT:
	case ACTION_SORT_LIST:
	case ACTION_REVERSE:
	case ACTION_SORT_LEFT:
	case ACTION_SORT_RIGHT:
		page->newest_first = !page->newest_first;
		return true;
	case ACTION_BACK:
		if (!page->own_box)
			return false;
		set_box(ctx, page, false, NULL);
		return true;
	case ACTION_DRILL:
		if (!row || row->kind != ROW_MORE)
			return false;
		page->whole[row->ref] = true;
		return true;
	default:
		return false;
	}
}

static enum view_id at_event(const struct view_ctx *ctx, struct subject *subject,
			     struct handle process, uint64_t event)
{
	if (!model_process(ctx->model, process))
		return NR_VIEWS;
	subject->process = process;
	subject->event = event + 1;
	return VIEW_EVENTS;
}

static enum view_id region_drill(const struct view_ctx *ctx, const struct row *row,
				 struct subject *subject)
{
	const struct region_page *page = ctx->view->private;
	const struct caller_callee *kin;

	if (row->kind == LIST_OCCURRENCES)
		return at_event(ctx, subject, page->found.items[row->ref].process,
				page->found.items[row->ref].event);
	if (row->kind == LIST_DATA)
		return at_event(ctx, subject, page->found.notes[row->ref].process,
				page->found.notes[row->ref].event);
	if (row->kind >= LIST_DATA)
		return NR_VIEWS;
	kin = &page->kins[row->kind].items[row->ref];
	if (row->kind >= LIST_PROCESSES) {
		subject->process = model_handle(ctx->model, kin->slot);
		return VIEW_PROCESS;
	}
	if (kin->none)
		return NR_VIEWS;
	subject->category = kin->category;
	subject->label = kin->label;
	return VIEW_REGION;
}

static const struct process *region_process_of(const struct view_ctx *ctx, const struct row *row)
{
	const struct region_page *page = ctx->view->private;

	switch ((int)row->kind) {
	case LIST_OCCURRENCES:
		return model_process(ctx->model, page->found.items[row->ref].process);
	case LIST_DATA:
		return model_process(ctx->model, page->found.notes[row->ref].process);
	case LIST_PROCESSES:
	case LIST_THREADS:
		return model_slot(ctx->model, page->kins[row->kind].items[row->ref].slot);
	default:
		return NULL;
	}
}

static const struct occurrence *occurrence_of(const struct view_ctx *ctx, const struct row *row)
{
	const struct region_page *page = ctx->view->private;

	return row->kind == LIST_OCCURRENCES ? &page->found.items[row->ref] : NULL;
}

static const char *region_thread(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	const struct region_page *page = ctx->view->private;
	const struct occurrence *item = occurrence_of(ctx, row);
	sym_t thread = item ? item->thread : SYM_NONE;

	if (row->kind == LIST_THREADS)
		thread = page->kins[LIST_THREADS].items[row->ref].thread;
	return known_sym(ctx->model, thread, len);
}

static int64_t region_elapsed(const struct view_ctx *ctx, const struct row *row)
{
	const struct region_page *page = ctx->view->private;
	const struct occurrence *item = occurrence_of(ctx, row);

	if (row->kind < LIST_DATA)
		return page->kins[row->kind].items[row->ref].total;
	return item ? item->duration : NS_NONE;
}

static int64_t region_start(const struct view_ctx *ctx, const struct row *row)
{
	const struct occurrence *item = occurrence_of(ctx, row);

	return item ? item->start : NS_NONE;
}

static const char *region_message(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	const struct occurrence *item = occurrence_of(ctx, row);

	*len = item ? item->message_len : 0;
	return item ? item->message : NULL;
}

static const struct row_field fields[] = {
	{ FILTER_THREAD, .text = region_thread },
	{ FILTER_ELAPSED, .number = region_elapsed },
	{ FILTER_START, .number = region_start },
	{ FILTER_MESSAGE, .text = region_message },
};

/* Append the text of a row; for occurrences without drawing it, because there may be thousands. */
static void region_text(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out)
{
	const struct region_page *page = ctx->view->private;
	const struct occurrence *item;

	if (row->kind != LIST_OCCURRENCES) {
		view_drawn_text(ctx, row, out);
		return;
	}
	item = &page->found.items[row->ref];
	format_time(item->start, true, out);
	tr2_buf_addch(out, ' ');
	format_owner(ctx, item->process, out);
	tr2_buf_addstr(out, " · ");
	format_symbol(ctx->model, item->thread, out);
	if (item->message) {
		tr2_buf_addstr(out, " · ");
		tr2_buf_add(out, item->message, item->message_len);
	}
	tr2_buf_addch(out, ' ');
	format_duration(item->duration, out);
}

static bool region_events(const struct view_ctx *ctx, const struct row *row,
			  struct subject *subject, struct tr2_buf *filter)
{
	enum view_id about = row ? region_drill(ctx, row, subject) : NR_VIEWS;

	if (about == VIEW_EVENTS)
		return true;
	format_term(ctx->model, "category", subject->category, filter);
	format_term(ctx->model, "label", subject->label, filter);
	return true;
}

static void region_release(void *private)
{
	struct region_page *page = private;

	occurrences_release(&page->found);
	heat_release(&page->heat);
	for (int i = 0; i < NR_KIN_GROUPS; i++)
		callers_callees_release(&page->kins[i]);
	free(page->sorted);
	free(page->in_group);
}

const struct view_ops page_region = {
	.name = "Region",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.private_bytes = sizeof(struct region_page),
	.title = region_title,
	.gather = region_gather,
	.draw = region_draw,
	.foot_rows = region_foot_rows,
	.foot = region_foot,
	.empty = region_empty,
	.drill = region_drill,
	.events = region_events,
	.act = region_act,
	.mouse = region_mouse,
	.filter_rows = FILTER_ROWS_OCCURRENCE,
	.fields = fields,
	.nr_fields = sizeof(fields) / sizeof(*fields),
	.process = region_process_of,
	.text = region_text,
	.release = region_release,
};
