/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/two_runs_rows.h"
#include "views/ui/view_text.h"

#include <inttypes.h>

static bool two_marked(const struct view_ctx *ctx, struct handle found[2])
{
	uint32_t ages[2] = { 0, 0 };
	int nr = 0;

	found[0] = found[1] = HANDLE_NONE;
	for (int i = 0; ctx->marked && i < ctx->marked->nr; i++) {
		const struct mark *mark = &ctx->marked->at[i];
		struct handle handle =
			model_handle_here(ctx->model, (struct handle){ mark->id, 0 });
		int to = nr < 2 ? nr : ages[0] < ages[1] ? 0 : 1;

		if (!model_process(ctx->model, handle) || (nr == 2 && mark->age < ages[to]))
			continue;
		found[to] = handle;
		ages[to] = mark->age;
		nr += nr < 2;
	}
	return nr == 2;
}

static void choose(struct view_ctx *ctx, struct two_runs_page *page, bool marks_only)
{
	struct handle marked[2], of_page = ctx->view->subject.process;

	page->base_run = page->new_run = HANDLE_NONE;
	page->chosen = true;
	if (two_marked(ctx, marked)) {
		ns_t first = model_process(ctx->model, marked[0])->start;
		ns_t second = model_process(ctx->model, marked[1])->start;

		page->base_run = marked[second < first];
		page->new_run = marked[!(second < first)];
	} else if (!marks_only) {
		uint32_t before;

		if (!model_process(ctx->model, of_page))
			of_page = model_handle_here(ctx->model, ctx->selected);
		if (!model_process(ctx->model, of_page))
			return;
		page->new_run = of_page;
		before = two_runs_before(ctx->model, of_page.slot);
		page->base_run =
			before == SLOT_NONE ? HANDLE_NONE : model_handle(ctx->model, before);
	}
}

bool two_runs_gather(struct view_ctx *ctx, struct two_runs_page *page, bool marks_only)
{
	struct handle base, new;

	if (!page->chosen)
		choose(ctx, page, marks_only);
	base = model_handle_here(ctx->model, page->base_run);
	new = model_handle_here(ctx->model, page->new_run);
	if (!model_process(ctx->model, base) || !model_process(ctx->model, new))
		return false;
	if (page->model == ctx->model && page->version == model_version(ctx->model) &&
	    (!page->two.live || page->made_ns == ctx->what.now))
		return true;
	two_runs_make(&page->two, &ctx->what, base.slot, new.slot);
	page->model = ctx->model;
	page->version = model_version(ctx->model);
	page->made_ns = ctx->what.now;
	return true;
}

static void format_run(const struct view_ctx *ctx, struct handle handle, struct tr2_buf *out)
{
	const struct process *process =
		model_process(ctx->model, model_handle_here(ctx->model, handle));

	if (!process)
		return;
	format_command_name(ctx->model, process, out);
	if (process->pid != NUM_NONE)
		tr2_buf_addf(out, " %" PRId64, process->pid);
	if (process->start == NS_NONE)
		return;
	tr2_buf_addch(out, ' ');
	format_date(process->start, ctx->in->wall_ns, out);
	format_time(process->start, false, out);
}

void two_runs_title(const struct view_ctx *ctx, const struct two_runs_page *page,
		    struct tr2_buf *out)
{
	tr2_buf_addstr(out, " · base ");
	format_run(ctx, page->base_run, out);
	tr2_buf_addstr(out, ", new ");
	format_run(ctx, page->new_run, out);
}

void two_runs_why(const struct view_ctx *ctx, const struct two_runs_page *page, struct tr2_buf *out)
{
	const struct process *process =
		model_process(ctx->model, model_handle_here(ctx->model, page->new_run));
	const char *worktree;
	size_t len, name_len;

	if (process) {
		tr2_buf_addstr(out, "No earlier run of ");
		format_command(ctx->model, process, out, &name_len);
		worktree = process_worktree(ctx->model, process, &len);
		if (worktree) {
			tr2_buf_addstr(out, " in ");
			tr2_buf_add(out, worktree, len);
		}
		tr2_buf_addstr(out, " to compare with.\n\n");
	}
	if (ctx->said)
		tr2_buf_addstr(out, "give the number of a process, or start with --compare=BASE");
	else
		tr2_buf_addstr(out, "Mark two processes with m and press D;\n"
				    "or start with --compare=BASE, see --save-runs.");
}
