/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/base/platform.h"
#include "views/ui/summary_rows.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "monitor/base/humanize.h"

/* with fewer columns, the name of a page about one process or command is only the wall time */
#define NARROW_COLS 58
/* width to which the command may be cut to make room for the right end */
#define COMMAND_CELLS 24
#define COMMAND_BYTES 300 /* maximum length of the command in the title, in bytes */
/* index in `choices`: only from here on may the command be cut */
#define SHORT_CHOICE 2
/* cells of the title for the corners, blanks and a line between the two ends */
#define FRAME_CELLS 6

static bool summary_is_of_command(const struct view_ctx *ctx)
{
	const struct summary *page = ctx->view->private;

	return !page->of_process && ctx->in->command_line;
}

const struct process *summary_process(const struct view_ctx *ctx)
{
	const struct summary *page = ctx->view->private;
	uint32_t root = model_first_root(ctx->model);

	if (page->of_process)
		return ctx->process;
	if (root == SLOT_NONE || model_next_sibling(ctx->model, root) != SLOT_NONE)
		return NULL;
	return model_slot(ctx->model, root);
}

static bool is_of_one(const struct view_ctx *ctx)
{
	const struct summary *page = ctx->view->private;

	return page->of_process ? ctx->process != NULL : summary_is_of_command(ctx);
}

const char *summary_name(const struct view_ctx *ctx)
{
	struct summary *page = ctx->view->private;
	struct human wall = human_duration(page->parts.wall);
	bool runs = summary_is_of_command(ctx) ? !ctx->in->command_ended : page->ticks;

	if (ctx->said || !page->begun || (page->of_process && !ctx->process))
		return "Summary";
	if (!is_of_one(ctx))
		snprintf(page->name, sizeof(page->name), "All processes: %s", wall.text);
	else if (ctx->width < NARROW_COLS)
		snprintf(page->name, sizeof(page->name), "%s", wall.text);
	else
		snprintf(page->name, sizeof(page->name), "Why %s it take %s?",
			 runs ? "does" : "did", wall.text);
	return page->name;
}

/* True if the command line has several words, and the first is `git`, with or without a path. */
static bool is_run_by_git(const struct view_ctx *ctx)
{
	struct strings_cursor cursor = strings_begin(ctx->model, &ctx->process->argv);
	size_t len;
	const char *word = strings_next(&cursor, &len);

	return word && len >= 3 && !memcmp(word + len - 3, "git", 3) &&
	       (len == 3 || word[len - 4] == '/') && strings_next(&cursor, &len);
}

static void format_title_command(const struct view_ctx *ctx, struct tr2_buf *out)
{
	struct tr2_buf line = { .max = 1 << 16 };

	size_t name_len;

	/* For a single process, leave out the path of Git and the options before the command's
	 * name. */
	if (summary_is_of_command(ctx)) {
		summary_format_fact(ctx, FACT_COMMAND, &line);
	} else if (is_of_one(ctx)) {
		if (is_run_by_git(ctx))
			tr2_buf_addstr(&line, "git ");
		format_command(ctx->model, ctx->process, &line, &name_len);
	}
	if (line.len)
		format_cut(tr2_buf_cstr(&line), line.len, COMMAND_BYTES, out);
	tr2_buf_release(&line);
}

void summary_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct summary *page = ctx->view->private;

	if (ctx->said && page->of_process) {
		format_subject(ctx, out);
	} else if (ctx->said) {
		tr2_buf_addf(out, " · %s",
			     ctx->in->command_line ? ctx->in->command_line : "all processes");
	} else if (is_of_one(ctx)) {
		tr2_buf_addch(out, ' ');
		format_title_command(ctx, out);
	}
}

enum right_item { RIGHT_STATE, RIGHT_START, RIGHT_PID, RIGHT_REPO, RIGHT_REPO_NAME, NR_RIGHT };

static void format_right_start(const struct view_ctx *ctx, const struct process *process,
			       struct tr2_buf *out)
{
	ns_t start = summary_is_of_command(ctx) ? ctx->in->command_begun_ns
		     : process                  ? process->start
						: NS_NONE;

	if (start == NS_NONE)
		return;
	tr2_buf_addstr(out, "started ");
	format_date(start, ctx->in->wall_ns, out);
	format_time(start, false, out);
}

static void format_right_repo(const struct view_ctx *ctx, const struct process *process, bool name,
			      struct tr2_buf *out)
{
	const char *path, *slash;
	size_t len;

	path = process ? process_worktree(ctx->model, process, &len) : NULL;
	if (!path)
		return;
	slash = name ? platform_find_last(path, '/', len) : NULL;
	if (slash && slash + 1 < path + len) {
		len -= (size_t)(slash + 1 - path);
		path = slash + 1;
	}
	tr2_buf_add(out, path, len);
}

static void format_right_item(const struct view_ctx *ctx, const struct process *process,
			      enum right_item item, struct tr2_buf *out)
{
	switch (item) {
	case RIGHT_STATE:
		summary_format_fact(ctx, FACT_STATE, out);
		return;
	case RIGHT_START:
		format_right_start(ctx, process, out);
		return;
	case RIGHT_PID:
		if (process && process->pid != NUM_NONE)
			tr2_buf_addf(out, "pid %" PRId64, process->pid);
		return;
	default:
		format_right_repo(ctx, process, item == RIGHT_REPO_NAME, out);
		return;
	}
}

static void format_right(const struct view_ctx *ctx, unsigned items, struct tr2_buf *out)
{
	const struct process *process = summary_process(ctx);
	struct tr2_buf line = { .max = 1 << 16 };

	for (int item = 0; item < NR_RIGHT; item++) {
		if (!(items >> item & 1))
			continue;
		tr2_buf_clear(&line);
		format_right_item(ctx, process, (enum right_item)item, &line);
		if (line.len && out->len)
			tr2_buf_addstr(out, " · ");
		tr2_buf_add(out, line.data, line.len);
	}
	tr2_buf_release(&line);
}

/* Return the width of the left end of the title, with the whole command or at most COMMAND_CELLS of
 * it. */
static int left_cells(const struct view_ctx *ctx, bool whole)
{
	struct tr2_buf line = { .max = 1 << 16 };
	const char *name = summary_name(ctx);
	int cells;

	format_title_command(ctx, &line);
	cells = surface_text_cells(tr2_buf_cstr(&line), line.len, false);
	tr2_buf_release(&line);
	if (!whole && cells > COMMAND_CELLS)
		cells = COMMAND_CELLS;
	return surface_text_cells(name, strlen(name), false) + 1 + cells;
}

void summary_title_right(const struct view_ctx *ctx, struct tr2_buf *out)
{
	static const unsigned choices[] = {
		1u << RIGHT_STATE | 1u << RIGHT_START | 1u << RIGHT_PID | 1u << RIGHT_REPO,
		1u << RIGHT_STATE | 1u << RIGHT_START | 1u << RIGHT_REPO,
		/* SHORT_CHOICE: */
		1u << RIGHT_STATE | 1u << RIGHT_START | 1u << RIGHT_REPO_NAME,
		1u << RIGHT_STATE | 1u << RIGHT_START,
		1u << RIGHT_STATE,
	};
	size_t nr = sizeof(choices) / sizeof(*choices);
	int room = ctx->width - FRAME_CELLS - left_cells(ctx, false);
	int whole = ctx->width - FRAME_CELLS - left_cells(ctx, true);

	if (((const struct summary *)ctx->view->private)->of_process && !ctx->process)
		return; /* the model lacks the page's process */
	if (!is_of_one(ctx)) {
		summary_format_fact(ctx, FACT_BELOW, out);
		if (surface_text_cells(tr2_buf_cstr(out), out->len, false) > room)
			tr2_buf_clear(out);
		return;
	}
	/* Cut the command only if the right end was already shortened. */
	for (size_t i = 0; i < 2 * nr; i++) {
		if (i > SHORT_CHOICE && i < nr + SHORT_CHOICE)
			continue;
		tr2_buf_clear(out);
		format_right(ctx, choices[i % nr], out);
		if (surface_text_cells(tr2_buf_cstr(out), out->len, false) <=
		    (i < nr ? whole : room))
			return;
	}
	tr2_buf_clear(out);
}

bool summary_title_is_cut(const struct view_ctx *ctx)
{
	struct tr2_buf right = { .max = 1 << 16 };
	int cells = left_cells(ctx, true) + FRAME_CELLS;

	summary_title_right(ctx, &right);
	cells += surface_text_cells(tr2_buf_cstr(&right), right.len, false);
	tr2_buf_release(&right);
	return ctx->width && cells > ctx->width;
}
