/* SPDX-License-Identifier: MIT */
/* Page of one record of the journal as JSON: its fields, one per line, or all on one line (F5). */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/view_text.h"
#include "views/ui/view_row.h"

#include <inttypes.h>
#include <string.h>

#include "monitor/analysis/event_log.h"
#include "monitor/event/event_json.h"

static const struct column columns[] = { { .min_cells = 20, .grow = 1, .no_sort = true } };

struct record_page {
	struct tr2_buf json;
	struct log_record record;
	bool found;
};

/* Add one row per line of the JSON text: ref and ref2 are the offsets of its begin and end. */
static void record_gather(struct view_ctx *ctx, struct table *table)
{
	struct record_page *page = ctx->view->private;

	page->found = ctx->view->subject.record &&
		      log_find(&ctx->what, ctx->view->subject.record - 1, &page->record);
	if (!page->found)
		return;
	page->json.max = SIZE_MAX / 2;
	tr2_buf_clear(&page->json);
	event_json(model_syms(ctx->model), page->record.batch, &page->record.ev,
		   table->flat ? EVENT_JSON_LINE : EVENT_JSON_LINES, &page->json);
	for (size_t at = 0; at < page->json.len && at < UINT32_MAX;) {
		const char *end = memchr(page->json.data + at, '\n', page->json.len - at);
		struct row *row = table_add(table, table->nr_rows + 1);

		row->key = table->nr_rows;
		row->ref = (uint32_t)at;
		row->ref2 = (uint32_t)(end ? (size_t)(end - page->json.data) : page->json.len);
		at = row->ref2 + 1u;
	}
}

static void record_draw(struct view_ctx *ctx, const struct row *row, int column,
			const struct slot *slot)
{
	const struct record_page *page = ctx->view->private;

	(void)column;
	slot_text(slot, STYLE_TEXT, page->json.data + row->ref, row->ref2 - row->ref);
}

static void record_text(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out)
{
	const struct record_page *page = ctx->view->private;

	tr2_buf_add(out, page->json.data + row->ref, row->ref2 - row->ref);
}

static void record_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct record_page *page = ctx->view->private;

	if (!page->found)
		return;
	tr2_buf_addf(out, " · event %" PRIu64 " · ", page->record.number + 1);
	log_format_owner(&ctx->what, &page->record, false, out);
	format_title_date(log_time(&page->record), ctx, out);
}

static const char *record_empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "this record was evicted for newer ones";
}

static enum view_id record_drill(const struct view_ctx *ctx, const struct row *row,
				 struct subject *subject)
{
	const struct record_page *page = ctx->view->private;
	uint32_t slot = page->found ? log_slot(&ctx->what, &page->record) : SLOT_NONE;

	(void)row;
	if (slot == SLOT_NONE)
		return NR_VIEWS;
	subject->process = model_handle(ctx->model, slot);
	subject->record = 0;
	return VIEW_PROCESS;
}

static bool record_events(const struct view_ctx *ctx, const struct row *row,
			  struct subject *subject, struct tr2_buf *filter)
{
	const struct record_page *page = ctx->view->private;
	uint32_t slot = page->found ? log_slot(&ctx->what, &page->record) : SLOT_NONE;

	(void)row;
	(void)filter;
	subject->process = slot == SLOT_NONE ? HANDLE_NONE : model_handle(ctx->model, slot);
	return page->found;
}

static void record_release(void *private)
{
	tr2_buf_release(&((struct record_page *)private)->json);
}

const struct view_ops page_record = {
	.name = "Record",
	.columns = columns,
	.nr_columns = 1,
	.private_bytes = sizeof(struct record_page),
	.title = record_title,
	.gather = record_gather,
	.draw = record_draw,
	.empty = record_empty,
	.drill = record_drill,
	.places = view_place_subject,
	.events = record_events,
	.text = record_text,
	.release = record_release,
};
