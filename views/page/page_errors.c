/* SPDX-License-Identifier: MIT */
/* Page of the errors that processes reported, newest first: grouped by the format of the message,
 * or flat. A long message takes several rows. */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/wrap.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <string.h>

#include "monitor/analysis/errors.h"

/* ROW_SAME: an error with the same message as the error above, in one row. */
enum errors_kind { ROW_GROUP, ROW_MESSAGE, ROW_SAME, ROW_GAP };

#define TIME_CELLS 9
#define WIDE_CELLS 60 /* on pages with fewer columns a message takes the whole width */

struct errors_page {
	struct errors errors;
	bool flat;
	ns_t first, last; /* time of the earliest and the latest error, or NS_NONE */
};

static const struct column columns[] = { { .min_cells = 24, .grow = 1, .no_sort = true } };

static const struct error *errors_error_of(const struct view_ctx *ctx, const struct row *row)
{
	return &((const struct errors_page *)ctx->view->private)->errors.items[row->ref];
}

static int name_cells(int cols)
{
	return cols < 4 * 32 ? cols / 4 : 32;
}

static int indent(int cols)
{
	return cols < WIDE_CELLS ? 0 : TIME_CELLS + name_cells(cols);
}

/* Return the width for a message, as table_draw() computes the width of the only column. */
static int errors_message_cells(const struct view_ctx *ctx)
{
	int cols = ctx->width - 1;

	return cols - indent(cols) > 8 ? cols - indent(cols) : 8;
}

static struct row *errors_add(struct table *table, enum errors_kind kind, uint64_t of, uint32_t ref,
			      uint32_t line)
{
	int64_t key = table->nr_rows;
	struct row *row = table_add(table, tr2_hash_pair(of, (uint64_t)kind << 32 | line));

	row->key = key;
	row->kind = (uint8_t)kind;
	row->ref = ref;
	row->ref2 = line;
	row->fixed = kind != ROW_MESSAGE && kind != ROW_SAME;
	return row;
}

static bool errors_is_same(const struct view_ctx *ctx, uint32_t at)
{
	const struct errors_page *page = ctx->view->private;
	const struct error_item *item = error_item_of(ctx->model, &page->errors.items[at]), *above;

	if (page->flat || !at || page->errors.items[at - 1].fmt != page->errors.items[at].fmt)
		return false;
	above = error_item_of(ctx->model, &page->errors.items[at - 1]);
	return item->has_msg && above->has_msg && item->msg.len == above->msg.len &&
	       !memcmp(model_text(ctx->model, item->msg), model_text(ctx->model, above->msg),
		       item->msg.len);
}

static void add_error(struct view_ctx *ctx, struct table *table, uint32_t at)
{
	const struct errors_page *page = ctx->view->private;
	const struct error *error = &page->errors.items[at];
	const struct process *process = model_slot(ctx->model, error->slot);
	struct tr2_buf *line = format_line();
	uint64_t id = tr2_hash_pair(process->sid_hash,
				    process->nr_errors - process->errors.nr + error->index);
	uint32_t lines;

	if (errors_is_same(ctx, at)) {
		errors_add(table, ROW_SAME, id, at, 0);
		return;
	}
	error_format(ctx->model, error_item_of(ctx->model, error), line);
	lines = wrapped_lines(tr2_buf_cstr(line), line->len, errors_message_cells(ctx));
	for (uint32_t i = 0; i < lines; i++)
		errors_add(table, ROW_MESSAGE, id, at, i);
	if (!table->newest)
		table->newest = table->rows[table->nr_rows - lines].id;
}

static void errors_gather(struct view_ctx *ctx, struct table *table)
{
	struct errors_page *page = ctx->view->private;
	const struct errors *errors = &page->errors;

	errors_make(&page->errors, &ctx->what, !page->flat);
	table->newest = 0;
	page->first = page->last = NS_NONE;
	for (uint32_t i = 0; i < errors->nr; i++) {
		ns_t time = errors->items[i].time;
		bool begins = !i || errors->items[i].fmt != errors->items[i - 1].fmt;

		if (time > page->last)
			page->last = time;
		if (time != NS_NONE && (page->first == NS_NONE || time < page->first))
			page->first = time;
		if (!page->flat && begins && i)
			errors_add(table, ROW_GAP, errors->items[i].fmt, i, 0);
		if (!page->flat && begins)
			errors_add(table, ROW_GROUP, errors->items[i].fmt, i, 0);
		add_error(ctx, table, i);
	}
	table->sort = SORT_NATURAL;
	table->reverse = false;
}

static void draw_group(const struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct errors_page *page = ctx->view->private;
	struct tr2_buf *line = format_line();
	sym_t fmt = errors_error_of(ctx, row)->fmt;
	uint64_t nr = 0;

	for (uint32_t i = row->ref; i < page->errors.nr && page->errors.items[i].fmt == fmt; i++)
		nr++;
	format_times(nr, line);
	tr2_buf_addstr(line, "  ");
	if (fmt == SYM_NONE)
		tr2_buf_addstr(line, "(no format)");
	format_symbol(ctx->model, fmt, line);
	slot_text(slot, STYLE_TITLE, tr2_buf_cstr(line), strcspn(tr2_buf_cstr(line), "\n"));
}

static void draw_owner(const struct view_ctx *ctx, const struct error *error,
		       const struct slot *slot, int cells)
{
	struct tr2_buf *line = format_line();
	struct slot owner = *slot;
	size_t name_len;

	format_time(error->time, false, line);
	owner.cols = TIME_CELLS - 1;
	slot_text(&owner, STYLE_DIM, tr2_buf_cstr(line), line->len);
	line = format_line();
	format_command(ctx->model, model_slot(ctx->model, error->slot), line, &name_len);
	owner.x += TIME_CELLS;
	owner.cols = cells;
	slot_command(&owner, STYLE_TEXT, tr2_buf_cstr(line), line->len, name_len);
}

#define SAME "the same"

static void draw_same(const struct view_ctx *ctx, const struct error *error,
		      const struct slot *slot)
{
	int cells = slot->cols - TIME_CELLS - (int)strlen(SAME) - 1;
	struct slot end = slot_rest(slot, slot->cols - (int)strlen(SAME));

	if (cells > 8)
		draw_owner(ctx, error, slot, cells);
	slot_text(&end, STYLE_DIM, SAME, SIZE_MAX);
}

static void errors_draw(struct view_ctx *ctx, const struct row *row, int column,
			const struct slot *slot)
{
	const struct error *error = errors_error_of(ctx, row);
	struct tr2_buf *line;
	struct slot rest = slot_rest(slot, indent(slot->cols));
	const char *errors_text;
	size_t shown;

	(void)column;
	if (row->kind == ROW_GROUP)
		draw_group(ctx, row, slot);
	if (row->kind == ROW_SAME)
		draw_same(ctx, error, slot);
	if (row->kind != ROW_MESSAGE)
		return;
	if (!row->ref2 && indent(slot->cols))
		draw_owner(ctx, error, slot, name_cells(slot->cols) - 1);
	line = format_line();
	error_format(ctx->model, error_item_of(ctx->model, error), line);
	errors_text = wrapped_line(tr2_buf_cstr(line), line->len, errors_message_cells(ctx),
				   row->ref2, &shown);
	slot_text(&rest, STYLE_FAILED, errors_text, shown);
}

/* Append an error's command and message (ROW_SAME: "the same") as the text of its first row, so
 * that search finds the whole message; nothing for other rows. */
static void errors_text(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out)
{
	const struct error *error = errors_error_of(ctx, row);
	size_t name_len;

	if ((row->kind != ROW_MESSAGE && row->kind != ROW_SAME) || row->ref2)
		return;
	format_command(ctx->model, model_slot(ctx->model, error->slot), out, &name_len);
	tr2_buf_addch(out, ' ');
	if (row->kind == ROW_SAME)
		tr2_buf_addstr(out, SAME);
	else
		error_format(ctx->model, error_item_of(ctx->model, error), out);
}

static void errors_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct errors_page *page = ctx->view->private;
	const struct model_totals *totals = model_totals(ctx->model);

	tr2_buf_addf(out, " · %s · %" PRIu32, page->flat ? "flat" : "by format", page->errors.nr);
	if (totals->errors != page->errors.nr)
		tr2_buf_addf(out, " of %" PRIu64, totals->errors);
	if (page->first != NS_NONE)
		format_title_dates(page->first, page->last, ctx, out);
}

static const char *errors_empty(const struct view_ctx *ctx)
{
	return model_totals(ctx->model)->errors
		       ? "no process in memory that matches has reported an error"
		       : "no error has been reported";
}

static bool errors_act(struct view_ctx *ctx, enum action action, uint32_t key)
{
	struct errors_page *page = ctx->view->private;

	(void)key;
	if (action != ACTION_GROUP)
		return false;
	page->flat = !page->flat;
	return true;
}

static enum view_id errors_drill(const struct view_ctx *ctx, const struct row *row,
				 struct subject *subject)
{
	subject->process = model_handle(ctx->model, errors_error_of(ctx, row)->slot);
	subject->has_error = true;
	subject->error = errors_error_of(ctx, row)->fmt;
	return VIEW_PROCESS;
}

static bool errors_events(const struct view_ctx *ctx, const struct row *row,
			  struct subject *subject, struct tr2_buf *filter)
{
	uint64_t event;

	if (!row) {
		subject->process = HANDLE_NONE;
		tr2_buf_addstr(filter, "event = error");
		return true;
	}
	subject->process = model_handle(ctx->model, errors_error_of(ctx, row)->slot);
	event = error_event(&ctx->what, errors_error_of(ctx, row));
	if (event == UINT64_MAX)
		tr2_buf_addstr(filter, "event = error");
	else
		subject->event = event + 1;
	return true;
}

static void page_errors_release(void *private)
{
	errors_release(&((struct errors_page *)private)->errors);
}

const struct view_ops page_errors = {
	.name = "Errors",
	.columns = columns,
	.nr_columns = 1,
	.private_bytes = sizeof(struct errors_page),
	.title = errors_title,
	.gather = errors_gather,
	.draw = errors_draw,
	.text = errors_text,
	.empty = errors_empty,
	.act = errors_act,
	.filter_rows = FILTER_ROWS_PROCESS,
	.drill = errors_drill,
	.events = errors_events,
	.release = page_errors_release,
};
