/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <string.h>

#include "monitor/base/humanize.h"
#include "monitor/analysis/event_log.h"
#include "views/ui/view.h"
#include "views/ui/view_text.h"
#include "views/ui/view_row.h"

void view_draw_cell(struct view_ctx *ctx, const struct row *row, int column,
		    const struct slot *slot)
{
	const struct column *c = &ctx->view->ops->columns[column];
	const char *text;
	int64_t number;
	size_t len;

	if (c->draw) {
		c->draw(ctx, row, slot);
	} else if (c->number) {
		number = c->number(ctx, row);
		if (number != INT64_MIN && c->is_duration)
			slot_duration(slot, duration_style(number), number);
		else if (number != INT64_MIN)
			slot_count(slot, STYLE_TEXT, (uint64_t)number);
	} else if (c->text) {
		text = c->text(ctx, row, &len);
		if (text)
			slot_text(slot, STYLE_TEXT, text, len);
	} else {
		ctx->view->ops->draw(ctx, row, column, slot);
	}
}

int64_t view_number_key(int64_t number, bool descending)
{
	return !descending ? number : number == INT64_MIN ? INT64_MAX : -number;
}

void view_sort_keys(const struct view_ctx *ctx, struct table *table)
{
	const struct view_ops *ops = ctx->view->ops;
	const struct column *c;
	size_t len;

	if (table->sort < 0 || table->sort >= ops->nr_columns)
		return;
	c = &ops->columns[table->sort];
	if (!c->number && !c->text && ops->sort_keys)
		ops->sort_keys(ctx, table, table->sort);
	for (uint32_t i = 0; (c->number || c->text) && i < table->nr_rows; i++) {
		struct row *row = &table->rows[i];

		row->key = c->number ? view_number_key(c->number(ctx, row), c->descending) : 0;
		if (c->number)
			continue;
		len = 0;
		row->text = c->text(ctx, row, &len);
		row->text_len = (uint32_t)len;
	}
}

uint64_t view_choice_key(const struct view_ctx *ctx)
{
	const char *filter = ctx->what.filter ? filter_text(ctx->what.filter) : "";
	uint64_t key = tr2_hash_pair(model_version(ctx->model) >> MODEL_VERSION_BITS,
				     tr2_hash(filter, strlen(filter)));

	return tr2_hash_pair(tr2_hash_pair(key, (uint64_t)ctx->what.limits.nesting),
			     (uint64_t)ctx->what.limits.depth);
}

ns_t view_process_time(const struct view_ctx *ctx, const struct process *process)
{
	ctx->view->ticks |= process_is_live(process);
	return process_time(process, ctx->what.now);
}

ns_t view_region_time(const struct view_ctx *ctx, const struct process *process,
		      const struct open_region *region)
{
	ctx->view->ticks |= process_is_live(process);
	return region_time(process, region, ctx->what.now);
}

ns_t view_child_time(const struct view_ctx *ctx, const struct process *process,
		     const struct child *child)
{
	ctx->view->ticks |= child_is_live(process, child);
	return child_time(process, child, ctx->what.now);
}

void view_place_subject(const struct view_ctx *ctx, struct places *places, bool moved)
{
	struct subject *subject = &ctx->view->subject;
	uint64_t key = subject->record - 1;

	log_place(&ctx->what, places, moved, &key);
	subject->record = key + 1;
	if (!subject->event)
		return;
	if (!moved)
		places_add(places, subject->event - 1);
	else
		subject->event = places_take(places) + 1;
}

void slot_usual(const struct slot *slot, const struct past_median *usual)
{
	slot_printf(slot, usual->late ? STYLE_NOTICE : STYLE_DIM, "%s%s",
		    human_duration(usual->p50).text, usual->late ? "!" : " ");
}
