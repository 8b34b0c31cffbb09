/* SPDX-License-Identifier: MIT */
/* What several views do alike with what they are about. */
#include "config.h"

#include "monitor/analysis/event_log.h"
#include "views/ui/view.h"

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
