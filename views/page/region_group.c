/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "views/page/region_group.h"

#include <stdlib.h>

#include "monitor/base/grow.h"
#include "views/ui/view_text.h"

bool region_group_keep(void *data, const struct model *model, uint32_t slot)
{
	const struct region_page *page = data;

	(void)model;
	return slot < page->nr_in_group && page->in_group[slot];
}

void region_group_find(const struct view_ctx *ctx, struct region_page *page)
{
	const struct subject *subject = &ctx->view->subject;
	struct tr2_buf line = { .max = SIZE_MAX / 2 };

	page->nr_in_group = 0;
	for (uint32_t s = model_first_slot(ctx->model); s != SLOT_NONE;
	     s = model_next_slot(ctx->model, s))
		while (page->nr_in_group <= s) {
			GROW(page->in_group, page->nr_in_group, page->cap_in_group, 64);
			page->in_group[page->nr_in_group] =
				page->nr_in_group == s &&
				commands_group_of(ctx->model, model_slot(ctx->model, s),
						  &subject->group_by, &line)
						.id == subject->group;
			page->nr_in_group++;
		}
	tr2_buf_release(&line);
}

bool region_group_has(const struct view_ctx *ctx, const struct region_page *page,
		      struct handle handle)
{
	return !region_is_of_group(ctx) ||
	       region_group_keep((void *)page, ctx->model,
				 model_handle_here(ctx->model, handle).slot);
}

void region_group_format(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct callers_callees *processes =
		&((const struct region_page *)ctx->view->private)->kins[CALLERS_PROCESSES];
	const struct subject *subject = &ctx->view->subject;

	tr2_buf_addstr(out, " · ");
	commands_by_format(&subject->group_by, out);
	if (!processes->nr)
		return;
	tr2_buf_addstr(out, " = ");
	commands_format_group(ctx->model, model_slot(ctx->model, processes->items[0].slot),
			      subject->group_by, out);
}
