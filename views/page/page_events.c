/* SPDX-License-Identifier: MIT */
/*
 * The event log: the journal's events of one process, its tree, or all processes. They are drawn
 * below a table whose only row represents the selected record. event_log.c selects the records.
 */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/view_text.h"
#include "views/ui/view_row.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/event_log.h"
#include "monitor/base/humanize.h"
#include "monitor/event/event_json.h"
#include "monitor/filter/filter_event.h"

struct events_page {
	struct event_log log;
	bool begun; /* page_events_begin() was called */
	/* key of the selected record, and of the first visible one, or LOG_NONE */
	uint64_t at, top;
	int page_rows, body_y;
	struct log_record record;
	const struct log_record *drawn; /* the record that is being drawn, else NULL */
	ns_t before;                    /* time of the record in the row above, or NS_NONE */
};

static void page_events_begin(const struct view_ctx *ctx, struct events_page *page)
{
	const struct subject *subject = &ctx->view->subject;

	if (!page->begun) {
		page->begun = true;
		ctx->view->table.follow =
			subject->record || subject->event ? FOLLOW_NONE : FOLLOW_NEWEST;
		page->at = subject->record  ? subject->record - 1
			   : subject->event ? log_key_of(&ctx->what, subject->event - 1)
					    : LOG_NONE;
		page->top = page->at;
		page->log.scope = ctx->process ? LOG_PROCESS : LOG_ALL;
	}
	log_begin(&ctx->what, &page->log);
}

static void settle(const struct view_ctx *ctx, struct events_page *page)
{
	struct event_log *log = &page->log;
	uint64_t end = log_end(&ctx->what, log), found;

	if (ctx->view->table.follow || page->at == LOG_NONE || page->at >= end) {
		page->at = log_walk(&ctx->what, log, end, -1, 0);
		return;
	}
	found = log_walk(&ctx->what, log, page->at, 1, 0);
	page->at = found != LOG_NONE ? found : log_walk(&ctx->what, log, page->at, -1, 0);
}

static void events_gather(struct view_ctx *ctx, struct table *table)
{
	struct events_page *page = ctx->view->private;
	struct row *row;

	if (!ctx->in->journal)
		return;
	page_events_begin(ctx, page);
	settle(ctx, page);
	if (page->at != LOG_NONE && log_take(&ctx->what, &page->log, page->at, &page->record)) {
		row = table_add(table, page->at + 1);
		row->ref = log_slot(&ctx->what, &page->record);
		table_select(table, row->id);
	}
	ctx->view->working = page->log.unread;
	log_count(&ctx->what, &page->log);
	ctx->view->working |= !page->log.counted;
	table->nr_hidden =
		page->log.nr_hidden < UINT32_MAX ? (uint32_t)page->log.nr_hidden : UINT32_MAX;
}

static enum style event_style(const struct event *ev)
{
	switch (ev->kind) {
	case TR2_E_ERROR:
	case REC_GAP:
	case REC_LOST:
	case REC_DROPPED:
	case REC_UNKNOWN:
		return STYLE_ALERT;
	case TR2_E_SIGNAL:
		return STYLE_FAILED;
	case TR2_E_EXIT:
	case TR2_E_ATEXIT:
	case TR2_E_CHILD_EXIT:
	case TR2_E_EXEC_RESULT:
		return event_get(ev, TR2_F_CODE, 0) ? STYLE_FAILED : STYLE_OK;
	case TR2_E_START:
	case TR2_E_CMD_NAME:
	case TR2_E_VERSION:
		return STYLE_NAME;
	case TR2_E_CHILD_START:
	case TR2_E_CHILD_READY:
	case TR2_E_EXEC:
		return STYLE_REPLACED;
	case TR2_E_REGION_ENTER:
	case TR2_E_REGION_LEAVE:
		return STYLE_CATEGORY;
	case TR2_E_THREAD_START:
	case TR2_E_THREAD_EXIT:
		return STYLE_BRAND;
	default:
		return STYLE_TEXT;
	}
}

static const struct log_record *drawn(const struct view_ctx *ctx)
{
	return ((const struct events_page *)ctx->view->private)->drawn;
}

static void events_draw_time(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct tr2_buf *line = format_line();

	(void)row;
	format_time(log_time(drawn(ctx)), true, line);
	slot_text(slot, STYLE_DIM, line->data, line->len);
}

static void events_draw_since(const struct slot *slot, ns_t from, ns_t to)
{
	char events_text[HUMAN_BYTES + 1];

	if (from == NS_NONE || to == NS_NONE)
		return;
	snprintf(events_text, sizeof(events_text), "+%s", human_duration(to - from).text);
	/* Clocks may go backwards: omit the plus if the difference is negative. */
	slot_text(slot, STYLE_DIM, to < from ? events_text + 1 : events_text, SIZE_MAX);
}

static void draw_since_start(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	uint32_t owner = log_slot(&ctx->what, drawn(ctx));

	(void)row;
	if (owner != SLOT_NONE)
		events_draw_since(slot, model_slot(ctx->model, owner)->start, log_time(drawn(ctx)));
}

static void draw_since_before(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	(void)row;
	events_draw_since(slot, ((const struct events_page *)ctx->view->private)->before,
			  log_time(drawn(ctx)));
}

static void draw_process(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct tr2_buf *line = format_line();

	(void)row;
	log_format_owner(&ctx->what, drawn(ctx), false, line);
	if (surface_text_cells(line->data, line->len, slot->surface->ascii) > slot->cols) {
		tr2_buf_clear(line);
		log_format_owner(&ctx->what, drawn(ctx), true, line);
	}
	slot_text(slot, STYLE_TEXT, line->data, line->len);
}

static void draw_thread(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct tr2_buf *line = format_line();

	(void)row;
	format_symbol(ctx->model, event_sym(&drawn(ctx)->ev, TR2_F_THREAD), line);
	slot_text(slot, STYLE_DIM, line->data, line->len);
}

static void events_draw_name(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct event *ev = &drawn(ctx)->ev;
	const char *name;
	size_t len;

	(void)row;
	name = event_name(model_syms(ctx->model), ev, &len);
	slot_text(slot, event_style(ev), name, len);
}

static void draw_details(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct event *ev = &drawn(ctx)->ev;
	int64_t nesting = event_get(ev, TR2_F_NESTING, 1);
	struct slot rest =
		slot_rest(slot, nesting > 1 && nesting < 16 ? (int)(nesting - 1) * 2 : 0);
	struct tr2_buf *line = format_line();

	(void)row;
	log_format_details(&ctx->what, drawn(ctx), line);
	slot_text(&rest, event_is_trace2(ev) ? STYLE_TEXT : STYLE_ALERT, line->data, line->len);
}

/* The columns cannot be sorted: the log is in the order of the journal. */
static const struct column columns[] = {
	{ .title = "TIME", .min_cells = 12, .rank = 2, .no_sort = true, .draw = events_draw_time },
	{ .title = "+START",
	  .min_cells = 8,
	  .rank = 4,
	  .right = true,
	  .no_sort = true,
	  .draw = draw_since_start },
	{ .title = "+ROW",
	  .min_cells = 8,
	  .rank = 1,
	  .right = true,
	  .no_sort = true,
	  .draw = draw_since_before },
	{ .title = "PROCESS", .min_cells = 12, .grow = 1, .no_sort = true, .draw = draw_process },
	{ .title = "THREAD", .min_cells = 6, .rank = 3, .no_sort = true, .draw = draw_thread },
	{ .title = "EVENT", .min_cells = 12, .no_sort = true, .draw = events_draw_name },
	{ .title = "DETAILS", .min_cells = 24, .grow = 9, .no_sort = true, .draw = draw_details },
};

#define NR_COLUMNS ((int)(sizeof(columns) / sizeof(*columns)))

static void draw_event(struct view_ctx *ctx, const struct log_record *record,
		       struct surface *surface, int y)
{
	const struct table *table = &ctx->view->table;
	struct events_page *page = ctx->view->private;

	page->drawn = record;
	for (int i = 0; i < NR_COLUMNS; i++)
		if (table->heads[i] >= 0)
			columns[i].draw(ctx, NULL,
					&(struct slot){ .surface = surface,
							.x = table->heads[i],
							.y = y,
							.cols = table->widths[i],
							.right = columns[i].right });
	page->drawn = NULL;
	page->before = log_time(record);
}

static ns_t time_before(struct view_ctx *ctx, struct events_page *page, uint64_t key)
{
	struct log_record record;
	uint64_t above = log_walk(&ctx->what, &page->log, key, -1, 1);

	return above != LOG_NONE && above < key && log_take(&ctx->what, &page->log, above, &record)
		       ? log_time(&record)
		       : NS_NONE;
}

static void events_scroll(const struct view_ctx *ctx, struct events_page *page, int rows)
{
	uint64_t lowest,
		highest = log_walk(&ctx->what, &page->log, page->at, -1, (uint32_t)rows - 1);

	page->page_rows = rows;
	if (ctx->view->table.follow || page->top == LOG_NONE || page->top < highest)
		page->top = highest;
	/* If the scope has changed, the first visible record may not be in the log: use the next
	 * one that is. */
	page->top = log_walk(&ctx->what, &page->log, page->top, 1, 0);
	if (page->top > page->at)
		page->top = page->at;
	/* Leave no blank rows at the end if there are records before the first visible one. */
	lowest = log_walk(&ctx->what, &page->log, page->top, 1, (uint32_t)rows - 1);
	if (lowest != LOG_NONE)
		lowest = log_walk(&ctx->what, &page->log, lowest, -1, (uint32_t)rows - 1);
	if (lowest < page->top)
		page->top = lowest;
}

static int events_foot_rows(const struct view_ctx *ctx, int rows)
{
	/* height of the log in rows, without the heading */
	return ctx->view->table.nr_rows ? rows - 1 : 0;
}

static void events_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	struct events_page *page = ctx->view->private;
	uint64_t key;

	/* give drawing its own budget for reading records */
	log_begin(&ctx->what, &page->log);
	events_scroll(ctx, page, area.rows);
	page->body_y = area.y;
	key = page->top;
	page->before = key != LOG_NONE ? time_before(ctx, page, key) : NS_NONE;
	for (int i = 0; i < area.rows && key != LOG_NONE; i++) {
		struct rect row = { area.x, area.y + i, area.cols, 1 };
		struct log_record record;

		if (!log_take(&ctx->what, &page->log, key, &record))
			break;
		bool marked = marks_has(&ctx->view->table.marks, 0, key + 1);

		draw_event(ctx, &record, surface, row.y);
		if (marked)
			surface_glyph(surface, row.x, row.y, STYLE_MARKED, GLYPH_MARK);
		if (key == page->at) {
			surface_put_cursor(surface, row.x, row.y);
			surface_glyph(surface, row.x, row.y, marked ? STYLE_MARKED : STYLE_FOCUS,
				      marked ? GLYPH_CURSOR_MARK : GLYPH_CURSOR);
			surface_overlay(surface, row, STYLE_SELECTED);
		}
		key = log_walk(&ctx->what, &page->log, key + 1, 1, 0);
	}
	ctx->view->working |= page->log.unread;
}

static void events_move(struct view_ctx *ctx, struct events_page *page, int step)
{
	uint64_t to;

	if (page->at == LOG_NONE)
		return;
	to = log_walk(&ctx->what, &page->log, page->at, step > 0 ? 1 : -1, (uint32_t)abs(step));
	ctx->view->table.follow = FOLLOW_NONE;
	page->at = to != LOG_NONE ? to : page->at;
}

static bool events_act(struct view_ctx *ctx, enum action action, uint32_t key)
{
	struct events_page *page = ctx->view->private;
	int step = page->page_rows > 1 ? page->page_rows - 1 : 1;

	(void)key;
	if (!ctx->in->journal)
		return false;
	page_events_begin(ctx, page);
	switch (action) {
	case ACTION_UP:
	case ACTION_DOWN:
		events_move(ctx, page, action == ACTION_DOWN ? 1 : -1);
		return true;
	case ACTION_PAGE_UP:
	case ACTION_PAGE_DOWN:
		events_move(ctx, page, action == ACTION_PAGE_DOWN ? step : -step);
		return true;
	case ACTION_HOME:
		ctx->view->table.follow = FOLLOW_NONE;
		page->at = page->top = 0;
		return true;
	case ACTION_END:
		ctx->view->table.follow = FOLLOW_NEWEST;
		/* the next key, if it comes before the next frame, continues from the end */
		settle(ctx, page);
		return true;
	case ACTION_FOLLOW:
		ctx->view->table.follow = ctx->view->table.follow ? FOLLOW_NONE : FOLLOW_NEWEST;
		return true;
	case ACTION_SCOPE:
		page->log.scope = (page->log.scope + 1) % NR_LOG_SCOPES;
		if (!ctx->process)
			page->log.scope = LOG_ALL;
		return true;
	default:
		return false;
	}
}

static bool events_mouse(struct view_ctx *ctx, const struct key_event *key)
{
	struct events_page *page = ctx->view->private;
	int row = key->y - page->body_y;

	if ((key->button != MOUSE_PRESS && key->button != MOUSE_DOUBLE) || row < 0 ||
	    row >= page->page_rows || page->at == LOG_NONE || !ctx->in->journal)
		return false;
	page_events_begin(ctx, page);
	uint64_t to = log_walk(&ctx->what, &page->log, page->top, 1, (uint32_t)row);

	page->at = to != LOG_NONE ? to : page->at;
	ctx->view->table.follow = FOLLOW_NONE;
	return key->button == MOUSE_PRESS;
}

static void events_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct events_page *page = ctx->view->private;

	tr2_buf_addstr(out, " · ");
	if (page->log.scope == LOG_ALL)
		tr2_buf_addstr(out, "all processes");
	else if (ctx->process)
		format_process(ctx->model, ctx->process, out);
	else
		tr2_buf_addstr(out, "an evicted process");
	if (page->log.scope == LOG_TREE)
		tr2_buf_addstr(out, " and its descendants");
	if (page->at != LOG_NONE && ctx->view->table.nr_rows)
		format_title_date(log_time(&page->record), ctx, out);
	if (!page->log.counted && page->log.nr_hidden + page->log.nr)
		tr2_buf_addstr(out, " · counting");
	if (!ctx->view->table.follow && page->at != LOG_NONE && ctx->view->table.nr_rows)
		tr2_buf_addf(out, " · event %" PRIu64 " of %" PRIu64, page->record.number + 1,
			     ctx->in->past ? ctx->in->lookback_position
					   : ctx->in->journal_stats.pushed_events);
}

static const char *events_empty(const struct view_ctx *ctx)
{
	const struct events_page *page = ctx->view->private;

	if (page->log.unread || !page->log.counted)
		return "reading ...";
	return ctx->view->filter
		       ? "no event in the history matches the filter; press \\ to change it"
		       : "the history has no events; press a for another scope";
}

static enum view_id events_drill(const struct view_ctx *ctx, const struct row *row,
				 struct subject *subject)
{
	subject->record = row->id;
	if (row->ref != SLOT_NONE)
		subject->process = model_handle(ctx->model, row->ref);
	return VIEW_RECORD;
}

/* Visit the values of a filter field in at most 2,000 records, from 1,000 before the selected one
 * on. */
static bool every_value(const struct view_ctx *ctx, enum filter_field field, value_visit *visit,
			void *data)
{
	struct events_page *page = ctx->view->private;
	uint64_t key;

	if (!ctx->in->journal)
		return false;
	page_events_begin(ctx, page);
	key = log_walk(&ctx->what, &page->log, page->at != LOG_NONE ? page->at : 0, -1, 1000);
	for (int i = 0; i < 2000 && key != LOG_NONE; i++) {
		struct log_record record;
		uint32_t slot;

		if (!log_take(&ctx->what, &page->log, key, &record))
			break;
		slot = log_slot(&ctx->what, &record);
		if (filter_event_value(ctx->model,
				       slot == SLOT_NONE ? NULL : model_slot(ctx->model, slot),
				       record.batch, &record.ev, field, visit, data))
			return true;
		key = log_walk(&ctx->what, &page->log, key + 1, 1, 0);
	}
	return false;
}

static void marks_place(const struct view_ctx *ctx, struct places *places, bool moved)
{
	struct marks *marks = &ctx->view->table.marks;

	for (int i = 0; i < marks->nr; i++) {
		uint64_t key = marks->at[i].id - 1;

		log_place(&ctx->what, places, moved, &key);
		marks->at[i].id = key + 1;
	}
	if (moved)
		marks_sort(marks);
}

static void places(const struct view_ctx *ctx, struct places *places, bool moved)
{
	struct events_page *page = ctx->view->private;

	if (!page->begun) {
		view_place_subject(ctx, places, moved);
		return;
	}
	log_place(&ctx->what, places, moved, &page->at);
	log_place(&ctx->what, places, moved, &page->top);
	marks_place(ctx, places, moved);
}

static uint64_t events_end_item(const struct view_ctx *ctx)
{
	struct events_page *page = ctx->view->private;

	return ctx->in->journal ? log_end(&ctx->what, &page->log) : 0;
}

static uint64_t events_first_item(const struct view_ctx *ctx)
{
	return ctx->in->journal ? log_first(&ctx->what) : 0;
}

static uint64_t events_chosen_item(const struct view_ctx *ctx)
{
	return ((const struct events_page *)ctx->view->private)->at;
}

static uint64_t events_items_version(const struct view_ctx *ctx)
{
	return ((const struct events_page *)ctx->view->private)->log.chosen;
}

static uint64_t next_item(const struct view_ctx *ctx, uint64_t item)
{
	struct events_page *page = ctx->view->private;

	return log_next_key(&ctx->what, &page->log, item);
}

static bool events_item_text(const struct view_ctx *ctx, uint64_t item, struct tr2_buf *out)
{
	struct events_page *page = ctx->view->private;
	struct log_record record;

	if (!log_take(&ctx->what, &page->log, item, &record))
		return false;
	log_format(&ctx->what, &record, out);
	return true;
}

static void events_choose_item(const struct view_ctx *ctx, uint64_t item)
{
	struct events_page *page = ctx->view->private;
	struct table *table = &ctx->view->table;

	table->follow = FOLLOW_NONE;
	page->at = item;
	if (!table->nr_rows || !log_take(&ctx->what, &page->log, page->at, &page->record))
		return;
	table->rows[0].id = page->at + 1;
	table->rows[0].ref = log_slot(&ctx->what, &page->record);
	table_select(table, table->rows[0].id);
}

static uint64_t item_on_line(const struct view_ctx *ctx, int line)
{
	struct events_page *page = ctx->view->private;

	uint64_t key = log_walk(&ctx->what, &page->log, page->top, 1, (uint32_t)line);

	/* For lines below the last record, log_walk() returns the last record. */
	if (line && key == log_walk(&ctx->what, &page->log, page->top, 1, (uint32_t)line - 1))
		return LOG_NONE;
	return line < page->page_rows ? key : LOG_NONE;
}

static const struct item_ops items = {
	.first = events_first_item,
	.end = events_end_item,
	.at = events_chosen_item,
	.version = events_items_version,
	.next = next_item,
	.text = events_item_text,
	.choose = events_choose_item,
	.on_line = item_on_line,
	.nr_a_frame = 20000,
};

static void events_text(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out)
{
	(void)row;
	events_item_text(ctx, ((const struct events_page *)ctx->view->private)->at, out);
}

static void events_release(void *private)
{
	log_release(&((struct events_page *)private)->log);
}

const struct view_ops page_events = {
	.name = "Events",
	.columns = columns,
	.nr_columns = NR_COLUMNS,
	.arranged = true,
	.private_bytes = sizeof(struct events_page),
	.title = events_title,
	.gather = events_gather,
	.foot_rows = events_foot_rows,
	.foot = events_foot,
	.empty = events_empty,
	.drill = events_drill,
	.act = events_act,
	.mouse = events_mouse,
	.text = events_text,
	.items = &items,
	.is_story = true,
	.places = places,
	.filter_rows = FILTER_ROWS_EVENT,
	.every_value = every_value,
	.release = events_release,
};
