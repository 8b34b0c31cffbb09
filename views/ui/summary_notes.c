/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/summary_rows.h"
#include "views/ui/view_text.h"
#include "views/ui/wrap.h"

#include <inttypes.h>
#include <string.h>

#include "monitor/analysis/doing.h"
#include "monitor/analysis/formats.h"
#include "monitor/base/humanize.h"

#define NOTE_CELLS 12 /* width in cells of the names of notes */
#define TIME_CELLS 7  /* width in cells of the times of notes */

enum { NOTE_TEXT, NOTE_DIED };

static const char *const note_names[NR_NOTES] = {
	[NOTE_REMOTE] = "Remote", [NOTE_FINDINGS] = "Findings",    [NOTE_ERRORS] = "Errors",
	[NOTE_MEDIAN] = "Median", [NOTE_PARALLEL] = "In parallel",
};

static enum summary_note summary_note_of(const struct row *row)
{
	switch ((enum summary_kind)row->kind) {
	case ROW_FINDING:
		return NOTE_FINDINGS;
	case ROW_ERROR:
		return NOTE_ERRORS;
	case ROW_CHILD:
	case ROW_THREAD:
		return NOTE_PARALLEL;
	case ROW_NOTE:
	case ROW_MORE:
		return (enum summary_note)row->ref;
	default:
		return NR_NOTES;
	}
}

static uint64_t note_id(enum summary_kind kind, uint64_t item)
{
	return tr2_hash_pair(item, (uint64_t)(kind + 1) << 56);
}

static void add_note(struct table *table, enum summary_note note, uint32_t what)
{
	summary_add(table, ROW_NOTE, note, what, true)->wide = true;
}

static void add_more(struct table *table, enum summary_note note, uint32_t nr)
{
	struct row *row = summary_add(table, ROW_MORE, note, nr, false);

	row->wide = true;
	row->id = note_id(ROW_MORE, note);
}

/* Return how many of `nr` rows of a note are shown; if some are hidden, one of NOTE_ROWS is left
 * for their number. */
static uint32_t nr_shown(uint32_t nr, bool all)
{
	return all || nr <= NOTE_ROWS ? nr : NOTE_ROWS - 1;
}

/* ---- findings ---- */

/* True if the finding is urgent and, on a page about one process, its root or its process is that
 * process. */
static bool is_of_page(const struct view_ctx *ctx, const struct finding *finding)
{
	const struct summary *page = ctx->view->private;
	struct handle process = ctx->view->subject.process;

	return finding_is_urgent(finding) &&
	       (!page->of_process || handle_equal(finding->root, process) ||
		handle_equal(finding->process, process));
}

static uint32_t nr_findings(const struct view_ctx *ctx)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < ctx->found->shown.nr; i++)
		nr += is_of_page(ctx, &ctx->found->shown.items[i]);
	return nr;
}

static void add_findings(struct view_ctx *ctx, struct table *table)
{
	const struct findings *found = &ctx->found->shown;
	uint32_t nr = nr_findings(ctx), left = nr_shown(nr, false);

	if (!nr)
		add_note(table, NOTE_FINDINGS, NOTE_TEXT);
	for (uint32_t i = 0; i < found->nr && left; i++) {
		struct row *row;

		if (!is_of_page(ctx, &found->items[i]))
			continue;
		row = summary_add(table, ROW_FINDING, i, 0, false);
		row->wide = true;
		row->id = tr2_hash_pair(note_id(ROW_FINDING, found->items[i].id), left--);
	}
	if (nr > NOTE_ROWS)
		add_more(table, NOTE_FINDINGS, nr - nr_shown(nr, false));
}

/* Append a time, right-aligned by cells, because "µs" has more bytes than cells. */
static void format_note_time(ns_t time, struct tr2_buf *out)
{
	struct human text = human_duration(time);
	int blanks = TIME_CELLS - 1 - surface_text_cells(text.text, SIZE_MAX, false);

	tr2_buf_addf(out, "%*s%s", blanks > 0 ? blanks : 0, "", text.text);
}

static void format_finding(const struct view_ctx *ctx, const struct finding *finding,
			   struct tr2_buf *out)
{
	const struct finding_row *row = &finding_rows[finding->id];

	if (!ctx->said && finding->held)
		format_note_time(finding->held, out);
	if (!ctx->said)
		tr2_buf_addf(out, "%*s ", finding->held ? 0 : TIME_CELLS - 1, "");
	tr2_buf_addf(out, "%s: %s", row->word, row->title);
	if (ctx->said && finding->held)
		tr2_buf_addf(out, ", %s", human_duration(finding->held).text);
}

/* ---- errors ---- */

static int message_cells(const struct view_ctx *ctx)
{
	int cells = ctx->width - NOTE_CELLS - 3;

	return cells > 9 ? cells : 9;
}

static bool has_failed(const struct view_ctx *ctx)
{
	const struct model_totals *totals = model_totals(ctx->model);
	const struct summary *page = ctx->view->private;

	if (!page->of_process)
		return totals->failed + totals->by_state[STATE_SIGNALED] > 0;
	return process_failed(ctx->process) || ctx->process->state == STATE_SIGNALED;
}

/* Return the maximum number of rows of the note of errors: more than NOTE_ROWS only if the page has
 * free rows. */
static uint32_t rows_for_errors(const struct view_ctx *ctx, const struct table *table)
{
	/* other rows: those so far, one for the median, and NOTE_ROWS for what ran in parallel */
	int64_t others = table->nr_rows + 1 + NOTE_ROWS;

	return ctx->height - others > NOTE_ROWS ? (uint32_t)(ctx->height - others) : NOTE_ROWS;
}

static void add_errors(struct view_ctx *ctx, struct table *table)
{
	struct summary *page = ctx->view->private;
	struct analysis of = ctx->what;
	bool died = page->of_process && process_died_in(ctx->model, ctx->process);
	uint32_t nr = 0, shown = rows_for_errors(ctx, table) - died;

	page->errors.nr = 0;
	if (!page->of_process)
		of.process = HANDLE_NONE;
	if (page->of_process || has_failed(ctx))
		errors_make(&page->errors, &of, false);
	if (died || !page->errors.nr)
		add_note(table, NOTE_ERRORS, died ? NOTE_DIED : NOTE_TEXT);
	/* Messages may be long and many, so wrap only those for which there are rows. */
	for (uint32_t i = 0; i < page->errors.nr; i++) {
		struct tr2_buf *line = format_line();
		uint32_t lines = 1;

		if (nr <= shown) {
			error_format(ctx->model, error_item_of(ctx->model, &page->errors.items[i]),
				     line);
			lines = wrapped_lines(tr2_buf_cstr(line), line->len, message_cells(ctx));
		}
		for (uint32_t at = 0; at < lines && nr <= shown; at++, nr++)
			summary_add(table, ROW_ERROR, i, at, false)->wide = true;
	}
	if (nr <= shown)
		return;
	table->nr_rows -= nr - (shown - 1);
	add_more(table, NOTE_ERRORS, page->errors.nr);
}

static void draw_error(const struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct summary *page = ctx->view->private;
	struct tr2_buf *out = format_line();
	const char *text;
	size_t shown;

	error_format(ctx->model, error_item_of(ctx->model, &page->errors.items[row->ref]), out);
	text = wrapped_line(tr2_buf_cstr(out), out->len, message_cells(ctx), row->ref2, &shown);
	slot_text(slot, STYLE_FAILED, text, shown);
}

/* ---- median; threads and children in parallel ---- */

/* Remove a duration equal to `own` from the list. Returns the new number of durations. */
static uint32_t without_own(ns_t *durations, uint32_t nr, ns_t own)
{
	for (uint32_t i = 0; i < nr; i++) {
		if (durations[i] != own)
			continue;
		durations[i] = durations[nr - 1];
		return nr - 1;
	}
	return nr;
}

static void format_median(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct process *process = summary_process(ctx);
	ns_t durations[PAST_MEDIAN_DURATIONS], time;
	struct past_median usual;
	uint32_t nr;
	size_t len;

	if (!process)
		return;
	time = view_process_time(ctx, process);
	nr = model_past_process(ctx->model, process, durations);
	if (process->state != STATE_RUNNING)
		nr = without_own(durations, nr, time);
	if (past_median_make(durations, nr, time, &usual)) {
		past_median_format(&usual, out);
		return;
	}
	tr2_buf_addf(out, "needs %u other runs of ", PAST_MEDIAN_MIN);
	format_command_name(ctx->model, process, out);
	tr2_buf_addf(out, "%s, has %" PRIu32,
		     process_worktree(ctx->model, process, &len) ? " in this repository" : "", nr);
}

static void insert_beside(struct summary *page, uint32_t first, struct summary_beside item)
{
	uint32_t at = page->nr_children;

	if (item.time == NS_NONE)
		item.time = 0;
	if (at == first + MAX_CHILDREN && page->children[at - 1].time >= item.time)
		return;
	at = at == first + MAX_CHILDREN ? at - 1 : page->nr_children++;
	for (; at > first && page->children[at - 1].time < item.time; at--)
		page->children[at] = page->children[at - 1];
	page->children[at] = item;
}

static void find_children_of(const struct view_ctx *ctx, struct summary *page, uint32_t slot)
{
	const struct process *p = model_slot(ctx->model, slot);

	for (uint32_t i = 0; i < p->children.nr; i++)
		insert_beside(page, 0,
			      (struct summary_beside){
				      slot, i,
				      view_child_time(ctx, p, process_child(ctx->model, p, i)),
				      false, false });
}

static void find_children(const struct view_ctx *ctx, struct summary *page, uint32_t root)
{
	for (uint32_t s = root; s != SLOT_NONE; s = model_tree_next(ctx->model, root, s, NULL))
		find_children_of(ctx, page, s);
}

static uint32_t threads_from(const struct summary *page)
{
	uint32_t at = 0;

	while (at < page->nr_children && !page->children[at].is_thread)
		at++;
	return at;
}

static void find_threads(const struct view_ctx *ctx, struct summary *page, uint32_t slot)
{
	const struct process *p = model_slot(ctx->model, slot);
	uint32_t main = process_main_thread(ctx->model, p);

	for (uint32_t i = 0; i < p->threads.nr; i++)
		if (i != main)
			insert_beside(page, threads_from(page),
				      (struct summary_beside){
					      slot, i,
					      summary_thread_time(ctx, p,
								  process_thread(ctx->model, p, i)),
					      true, true });
}

static void each_process(const struct view_ctx *ctx, struct summary *page,
			 void (*each)(const struct view_ctx *, struct summary *, uint32_t))
{
	const struct model *m = ctx->model;

	if (page->of_process) {
		each(ctx, page, ctx->view->subject.process.slot);
		return;
	}
	for (uint32_t s = model_first_root(m); s != SLOT_NONE; s = model_next_sibling(m, s))
		each(ctx, page, s);
}

/* True if the child ran inside another child of the list or that child's descendants. */
static bool is_inside_another(const struct view_ctx *ctx, const struct summary *page,
			      uint32_t child)
{
	uint32_t slot = page->children[child].slot;

	/* Examine at most 256 levels, because a hostile trace may have many more. */
	for (int level = 0; slot != SLOT_NONE && level < 256;
	     slot = model_slot(ctx->model, slot)->parent, level++)
		for (uint32_t i = 0; i < page->nr_children; i++)
			if (i != child &&
			    page->children[i].slot == model_slot(ctx->model, slot)->parent &&
			    page->children[i].index == model_slot(ctx->model, slot)->link)
				return true;
	return false;
}

/* Keep the children of which less than 99 % of the time is on the critical path: they ran in
 * parallel. Of nested children keep the outermost. */
static void keep_parallel(const struct view_ctx *ctx, struct summary *page)
{
	struct path_child held[MAX_CHILDREN];
	bool inside[MAX_CHILDREN];
	uint32_t nr = page->nr_children, to = 0;

	for (uint32_t i = 0; i < nr; i++)
		held[i] = (struct path_child){ page->children[i].slot, page->children[i].index, 0 };
	path_children(held, nr, ctx->model, &page->parts,
		      page->of_process ? ctx->view->subject.process.slot : SLOT_NONE);
	for (uint32_t i = 0; i < nr; i++) {
		struct summary_beside child = page->children[i];

		child.is_held = held[i].held > 0;
		if (held[i].held < child.time - child.time / 100)
			page->children[to++] = child;
	}
	page->nr_children = nr = to;
	for (uint32_t i = 0; i < nr; i++)
		inside[i] = is_inside_another(ctx, page, i);
	for (uint32_t i = to = 0; i < nr; i++)
		if (!inside[i])
			page->children[to++] = page->children[i];
	page->nr_children = to;
}

static void add_parallel(struct view_ctx *ctx, struct table *table)
{
	struct summary *page = ctx->view->private;
	uint32_t shown;

	page->nr_children = 0;
	each_process(ctx, page, find_children);
	keep_parallel(ctx, page);
	each_process(ctx, page, find_threads);
	shown = nr_shown(page->nr_children, page->all_parallel);
	if (!page->nr_children)
		add_note(table, NOTE_PARALLEL, NOTE_TEXT);
	for (uint32_t i = 0; i < shown; i++) {
		const struct summary_beside *item = &page->children[i];
		enum summary_kind kind = item->is_thread ? ROW_THREAD : ROW_CHILD;
		struct row *row = summary_add(table, kind, item->index, item->slot, false);

		row->wide = true;
		row->id = tr2_hash_pair(model_slot(ctx->model, item->slot)->sid_hash,
					(uint64_t)kind << 32 | item->index);
	}
	if (shown < page->nr_children)
		add_more(table, NOTE_PARALLEL, page->nr_children - shown);
}

/* True if a part of the child's time is on the critical path; also if the list lacks the child. */
static bool is_held_row(const struct summary *page, const struct row *row)
{
	for (uint32_t i = 0; i < page->nr_children; i++)
		if (page->children[i].slot == row->ref2 && page->children[i].index == row->ref &&
		    !page->children[i].is_thread)
			return page->children[i].is_held;
	return true;
}

static void draw_parallel(const struct view_ctx *ctx, const struct row *row,
			  const struct slot *slot)
{
	const struct summary *page = ctx->view->private;
	struct tr2_buf *out = format_line();
	ns_t time = summary_row_time(ctx, row);
	enum style style;
	struct slot rest;

	if (!ctx->said) {
		format_note_time(time, out);
		slot_text(slot, duration_style(time), tr2_buf_cstr(out), out->len);
		tr2_buf_clear(out);
	}
	style = summary_format_row(ctx, row, out);
	if (row->kind == ROW_CHILD && !is_held_row(page, row) && summary_process(ctx) &&
	    !format_of(ctx->model, summary_process(ctx))->has_tasks)
		tr2_buf_addstr(out, " (not waited for)");
	if (ctx->said && time != NS_NONE)
		tr2_buf_addf(out, ", %s", human_duration(time).text);
	if (ctx->said && time != NS_NONE && page->parts.wall > 0)
		tr2_buf_addf(out, ", %.1f%%", (double)time * 100 / (double)page->parts.wall);
	rest = ctx->said ? *slot : slot_rest(slot, TIME_CELLS);
	slot_text(&rest, style, tr2_buf_cstr(out), out->len);
}

/* ---- rows ---- */

void summary_add_notes(struct view_ctx *ctx, struct table *table)
{
	const struct summary *page = ctx->view->private;

	/* in --lines the time on remote ends is already a fact at the top */
	if (page->has_remote && !ctx->said)
		add_note(table, NOTE_REMOTE, NOTE_TEXT);
	add_findings(ctx, table);
	add_errors(ctx, table);
	if (summary_process(ctx))
		add_note(table, NOTE_MEDIAN, NOTE_TEXT);
	add_parallel(ctx, table);
}

static enum style format_note(const struct view_ctx *ctx, const struct row *row,
			      struct tr2_buf *out)
{
	const struct summary *page = ctx->view->private;

	if (row->ref == NOTE_REMOTE) {
		remote_time_format(&page->remote, out);
		return STYLE_TEXT;
	}
	if (row->ref == NOTE_MEDIAN) {
		format_median(ctx, out);
		return STYLE_TEXT;
	}
	if (row->ref == NOTE_ERRORS && row->ref2 == NOTE_DIED) {
		format_died_in(ctx->model, process_died_in(ctx->model, ctx->process), out);
		return STYLE_FAILED;
	}
	tr2_buf_addstr(out, row->ref == NOTE_PARALLEL ? "nothing" : "none");
	return STYLE_DIM;
}

static void format_more(const struct row *row, struct tr2_buf *out)
{
	static const enum action keys[NR_NOTES] = { [NOTE_FINDINGS] = ACTION_FINDINGS,
						    [NOTE_ERRORS] = ACTION_ERRORS,
						    [NOTE_PARALLEL] = ACTION_DRILL };
	const char *key = key_rows[keys[row->ref]].keys;

	if (row->ref == NOTE_ERRORS)
		tr2_buf_addf(out, "%" PRIu32 " message%s in full: ", row->ref2,
			     row->ref2 == 1 ? "" : "s");
	else
		tr2_buf_addf(out, "and %" PRIu32 " more: ", row->ref2);
	tr2_buf_add(out, key, strcspn(key, " "));
}

void summary_draw_note(const struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	enum summary_note note = summary_note_of(row);
	struct tr2_buf *out = format_line();
	struct slot rest = slot_rest(slot, NOTE_CELLS), name = *slot;
	enum style style = STYLE_DIM;

	name.left = 0;
	if (row == ctx->view->table.rows || summary_note_of(row - 1) != note)
		slot_text(&name, STYLE_DIM, note_names[note], SIZE_MAX);
	if (row->kind == ROW_CHILD || row->kind == ROW_THREAD) {
		draw_parallel(ctx, row, &rest);
		return;
	}
	if (row->kind == ROW_ERROR) {
		draw_error(ctx, row, &rest);
		return;
	}
	if (row->kind == ROW_FINDING) {
		const struct findings *found = &ctx->found->shown;

		if (row->ref < found->nr)
			format_finding(ctx, &found->items[row->ref], out);
		style = STYLE_NOTICE;
	} else if (row->kind == ROW_MORE) {
		format_more(row, out);
	} else {
		style = format_note(ctx, row, out);
	}
	slot_text(&rest, style, tr2_buf_cstr(out), out->len);
}
