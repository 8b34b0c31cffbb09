/* SPDX-License-Identifier: MIT */
/*
 * Page "What is different": compares two sets of runs by attribute, such as the slow runs of a
 * command and the others, or new runs and the base.
 */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/errors.h"
#include "monitor/analysis/rule_results.h"
#include "monitor/analysis/set_difference_sets.h"
#include "monitor/base/die.h"

/* Minimum time from the start of a comparison to the start of the next, if runs changed. */
#define ATTRIBUTES_AGAIN_NS (2 * NS_PER_SEC)
#define SHARE_TEXT_CELLS    6 /* " 83 %" */
/* cells kept free for the cursor and " ...; Enter shows them" */
#define REST_END_CELLS 26

enum attributes_kind {
	ROW_HEADING, /* an attribute; its values are in the rows below */
	ROW_VALUE,   /* a value of the attribute in the heading above */
	ROW_ALONE,   /* an attribute that is a number, compared by ranks */
	ROW_REST,    /* one row for the attributes without a significant difference */
};

struct attributes_page {
	struct set_difference result[2];
	int shown; /* index of the result that is shown */
	bool has_result, works;
	bool all; /* show also attributes without a significant difference */
	enum set_difference_which which;
	/* against_set: the user chose whether to compare with the base; against_base: do so */
	bool against_set, against_base;
	/* duration from which runs count as slow, of the shown and of the next result; NS_NONE:
	 * none */
	ns_t threshold, next_threshold;
	/* version of the model from which the last computation began */
	uint64_t version;
	ns_t begun;
	uint32_t nr_columns, nr_different;
};

static const struct set_difference *shown_difference(const struct view_ctx *ctx)
{
	const struct attributes_page *page = ctx->view->private;

	return &page->result[page->shown];
}

static const struct {
	const char *both, *first, *second, *headings[2];
} set_names[] = {
	[SETS_SLOW] = { "the slow runs against the others",
			"slow",
			"others",
			{ "SLOW", "OTHERS" } },
	[SETS_TENTH] = { "the slowest tenth against the rest",
			 "slow",
			 "others",
			 { "SLOW", "OTHERS" } },
	[SETS_FAILED] = { "failed runs against the others",
			  "failed",
			  "others",
			  { "FAILED", "OTHERS" } },
	[SETS_CHOSEN] = { "these runs against the others",
			  "these",
			  "others",
			  { "THESE", "OTHERS" } },
	[SETS_BASE] = { "new runs against the base",
			"new",
			"base of --compare",
			{ "NEW", "BASE" } },
};

static bool is_box(const struct view_ctx *ctx)
{
	return ctx->view->subject.has_box;
}

static bool attributes_against_base(const struct view_ctx *ctx)
{
	const struct attributes_page *page = ctx->view->private;
	const struct rule_results *verdicts = ctx->in->verdicts;

	return page->against_set ? page->against_base : verdicts && verdicts->attributes_of_base;
}

static bool has_base_models(const struct view_ctx *ctx)
{
	return ctx->in->verdicts && ctx->in->verdicts->nr_base_models;
}

static bool is_marked(const struct view_ctx *ctx)
{
	return !is_box(ctx) && ctx->below == VIEW_PROCESSES && ctx->marked &&
	       ctx->marked->nr >= (int)SET_DIFFERENCE_RUNS;
}

static bool attributes_is_of_region(const struct view_ctx *ctx)
{
	const struct subject *subject = &ctx->view->subject;

	return subject->category != SYM_NONE || subject->label != SYM_NONE;
}

static bool attributes_is_of_error(const struct view_ctx *ctx)
{
	return ctx->view->subject.has_error && !is_box(ctx) && !is_marked(ctx);
}

/* True if the page is about an error, marks or a box, which have no slow or failed runs to
 * choose. */
static bool attributes_is_of_set(const struct view_ctx *ctx)
{
	return is_box(ctx) || is_marked(ctx) || attributes_is_of_error(ctx);
}

static bool in_group(const struct view_ctx *ctx, const struct process *p)
{
	const struct subject *subject = &ctx->view->subject;

	if (subject->has_group)
		return commands_group(ctx->model, p, subject->group_by) == subject->group;
	return !ctx->process || attributes_is_of_region(ctx) || p->name == ctx->process->name;
}

static bool attributes_in(void *data, const struct model *m, uint32_t slot)
{
	const struct view_ctx *ctx = data;
	const struct process *p = model_slot(m, slot);
	struct heat_point point;

	if (is_marked(ctx))
		return marks_has(ctx->marked, 0, p->sid_hash);
	if (attributes_is_of_error(ctx))
		return error_is_reported(m, p, ctx->view->subject.error);
	if (!in_group(ctx, p))
		return false;
	return !is_box(ctx) || (heat_point_of(m, slot, &point) &&
				heat_bounds_have(&ctx->view->subject.box, &point));
}

static bool attributes_keep(void *data, const struct model *m, uint32_t slot)
{
	const struct view_ctx *ctx = data;

	return !ctx->what.filter || filter_process(ctx->what.filter, m, slot);
}

/* Return the time of the completed occurrences of the page's region in a process; NS_NONE: the
 * region did not occur there. */
static ns_t attributes_region_time(void *data, const struct model *m, const struct process *p)
{
	const struct view_ctx *ctx = data;
	const struct subject *subject = &ctx->view->subject;
	ns_t total = NS_NONE;

	for (uint32_t i = 0; i < p->threads.nr; i++) {
		uint32_t level = 0;

		for (uint32_t ref = process_thread(m, p, i)->nodes; ref;
		     ref = model_node_next(m, ref, &level)) {
			const struct region_node *node = model_node(m, ref);
			const struct timing_cell *cell = model_cell(m, node->cell);

			if (cell->category == subject->category && cell->label == subject->label)
				total = ns_add(total == NS_NONE ? 0 : total, node->total);
		}
	}
	return total;
}

static enum set_difference_which which_sets(const struct view_ctx *ctx)
{
	const struct attributes_page *page = ctx->view->private;

	if (attributes_against_base(ctx))
		return SETS_BASE;
	return attributes_is_of_set(ctx) ? SETS_CHOSEN : page->which;
}

static void begin_work(const struct view_ctx *ctx, struct attributes_page *page)
{
	struct set_difference_choice choice = {
		.model = ctx->model,
		.depth = ctx->what.limits.depth,
		.keep = attributes_keep,
		.keep_data = (void *)ctx,
		.which = which_sets(ctx),
		.in = attributes_in,
		.data = (void *)ctx,
		.by_error = attributes_is_of_error(ctx),
		.measure = attributes_is_of_region(ctx) && !is_box(ctx) ? attributes_region_time
									: NULL,
	};

	if (choice.which == SETS_BASE && has_base_models(ctx)) {
		choice.bases = ctx->in->verdicts->base_models;
		choice.nr_bases = ctx->in->verdicts->nr_base_models;
	}
	page->next_threshold = set_difference_choose(&page->result[!page->shown], &choice);
	page->works = true;
	page->version = model_version(ctx->model);
	page->begun = ctx->in->monotonic_ns;
}

static void attributes_work(struct view_ctx *ctx, struct attributes_page *page)
{
	bool is_changed = page->version != model_version(ctx->model);

	if (!page->works &&
	    (!page->has_result ||
	     (is_changed && ctx->in->monotonic_ns - page->begun >= ATTRIBUTES_AGAIN_NS)))
		begin_work(ctx, page);
	if (!page->works)
		return;
	if (!set_difference_continue(&page->result[!page->shown], ctx->model,
				     ctx->said ? UINT32_MAX : ATTRIBUTES_FRAME_UNITS)) {
		ctx->view->working = true;
		return;
	}
	page->works = false;
	page->has_result = true;
	page->shown = !page->shown;
	page->threshold = page->next_threshold;
}

static void add_attribute_row(struct table *table, enum attributes_kind kind, uint32_t ref,
			      uint64_t id)
{
	struct row *row = table_add(table, id);

	row->kind = (uint8_t)kind;
	row->ref = ref;
	row->key = table->nr_rows;
	row->wide = kind == ROW_REST;
}

/* Return the id of a row, which stays the same if the runs are compared again. */
static uint64_t attribute_row_id(const struct set_difference *d,
				 const struct set_difference_value *value, uint64_t kind)
{
	struct attribute_ref ref = set_difference_ref(d, value->column);
	struct tr2_buf *line = format_line();

	attribute_format(&ref, line);
	if (kind == ROW_VALUE) {
		tr2_buf_addstr(line, " = ");
		set_difference_format(d, value, line);
	}
	return tr2_hash_pair(tr2_hash(tr2_buf_cstr(line), line->len), kind);
}

static void add_attribute(struct table *table, const struct set_difference *d, uint32_t first)
{
	uint32_t column = d->rows[first].value.column, nr = 0;

	for (uint32_t i = first; i < d->nr_rows; i++)
		nr += d->rows[i].value.column == column;
	if (nr == 1 && d->rows[first].value.of == SET_DIFFERENCE_RANKS) {
		add_attribute_row(table, ROW_ALONE, first,
				  attribute_row_id(d, &d->rows[first].value, ROW_ALONE));
		return;
	}
	add_attribute_row(table, ROW_HEADING, first,
			  attribute_row_id(d, &d->rows[first].value, ROW_HEADING));
	for (uint32_t i = first; i < d->nr_rows; i++)
		if (d->rows[i].value.column == column)
			add_attribute_row(table, ROW_VALUE, i,
					  attribute_row_id(d, &d->rows[i].value, ROW_VALUE));
}

/* True if an earlier row is about the same attribute as row `at`. */
static bool is_added_before(const struct set_difference *d, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++)
		if (d->rows[i].value.column == d->rows[at].value.column)
			return true;
	return false;
}

static bool is_different(const struct set_difference *d, uint32_t column)
{
	for (uint32_t i = 0; i < d->nr_rows; i++)
		if (d->rows[i].value.column == column && d->rows[i].significant)
			return true;
	return false;
}

/* Maximum number of listed rows of the comparison, because is_added_before() and is_different()
 * loop over all of them. */
#define ATTRIBUTES_MAX_ROWS 2000u

static struct set_difference listed_difference(const struct view_ctx *ctx)
{
	struct set_difference d = *shown_difference(ctx);

	d.nr_rows = d.nr_rows < ATTRIBUTES_MAX_ROWS ? d.nr_rows : ATTRIBUTES_MAX_ROWS;
	return d;
}

static void attributes_gather(struct view_ctx *ctx, struct table *table)
{
	struct attributes_page *page = ctx->view->private;
	struct set_difference d;
	uint32_t rest = UINT32_MAX;

	attributes_work(ctx, page);
	table->headings[1] = set_names[which_sets(ctx)].headings[0];
	table->headings[2] = set_names[which_sets(ctx)].headings[1];
	table->sort = SORT_NATURAL;
	table->reverse = false;
	if (!page->has_result)
		return;
	d = listed_difference(ctx);
	page->nr_columns = page->nr_different = 0;
	for (uint32_t i = 0; i < d.nr_rows; i++) {
		if (is_added_before(&d, i))
			continue;
		page->nr_columns++;
		if (is_different(&d, d.rows[i].value.column)) {
			page->nr_different++;
			add_attribute(table, &d, i);
		} else if (rest == UINT32_MAX) {
			rest = i;
		}
	}
	if (rest == UINT32_MAX)
		return;
	add_attribute_row(table, ROW_REST, rest, ROW_REST);
	for (uint32_t i = rest; page->all && i < d.nr_rows; i++)
		if (!is_added_before(&d, i) && !is_different(&d, d.rows[i].value.column))
			add_attribute(table, &d, i);
}

static const struct set_difference_row *row_of(const struct view_ctx *ctx, const struct row *row)
{
	return &shown_difference(ctx)->rows[row->ref];
}

static void format_rest(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct attributes_page *page = ctx->view->private;
	const struct set_difference d = listed_difference(ctx);

	tr2_buf_addf(out, "no significant difference (%" PRIu32 ")",
		     page->nr_columns - page->nr_different);
	for (uint32_t i = 0; i < d.nr_rows && !page->all; i++) {
		struct attribute_ref ref = set_difference_ref(&d, d.rows[i].value.column);
		size_t before = out->len;

		if (is_added_before(&d, i) || is_different(&d, d.rows[i].value.column))
			continue;
		tr2_buf_addstr(out, out->data[out->len - 1] == ')' ? ": " : ", ");
		attribute_format(&ref, out);
		if (!ctx->said && out->len + REST_END_CELLS > (size_t)ctx->width) {
			out->len = before;
			tr2_buf_addstr(out, " ...");
			break;
		}
	}
	if (!ctx->said)
		tr2_buf_addstr(out, page->all ? "; Enter hides them" : "; Enter shows them");
}

static void format_attribute_row(const struct view_ctx *ctx, const struct row *row,
				 struct tr2_buf *out)
{
	const struct set_difference *d = shown_difference(ctx);
	const struct set_difference_row *test = row_of(ctx, row);
	struct attribute_ref ref = set_difference_ref(d, test->value.column);

	if (row->kind == ROW_REST) {
		format_rest(ctx, out);
		return;
	}
	if (row->kind != ROW_VALUE || ctx->said)
		attribute_format(&ref, out);
	if (row->kind != ROW_VALUE)
		return;
	tr2_buf_addstr(out, ctx->said ? " = " : "  = ");
	set_difference_format(d, &test->value, out);
	if (test->nr_same)
		tr2_buf_addf(out, ", and %" PRIu32 " that go%s with it", test->nr_same,
			     test->nr_same == 1 ? "es" : "");
}

static void attributes_draw_name(struct view_ctx *ctx, const struct row *row,
				 const struct slot *slot)
{
	struct tr2_buf *line = format_line();

	format_attribute_row(ctx, row, line);
	slot_text(slot,
		  row->kind == ROW_REST    ? STYLE_DIM
		  : row->kind == ROW_VALUE ? STYLE_TEXT
					   : STYLE_NAME,
		  tr2_buf_cstr(line), line->len);
}

static void draw_share(struct view_ctx *ctx, const struct row *row, const struct slot *slot,
		       int set)
{
	const struct set_difference_row *test = row_of(ctx, row);
	struct slot text = *slot;
	double share;

	if (row->kind == ROW_ALONE) {
		slot_printf(slot, STYLE_TEXT, "median %.6g", test->medians[set]);
		return;
	}
	if (row->kind != ROW_VALUE)
		return;
	share = (double)test->with[set] / test->runs[set];
	if (slot->cols > SHARE_TEXT_CELLS + 2 && !ctx->said) {
		int cells = slot->cols - SHARE_TEXT_CELLS;

		surface_bar(slot->surface, slot->x, slot->y, cells,
			    set && test->significant ? STYLE_SLOW : STYLE_SPARK,
			    (int64_t)(share * cells * 8 + 0.5));
		text.x += cells;
		text.cols = SHARE_TEXT_CELLS;
		text.right = true;
	}
	slot_printf(&text, STYLE_TEXT, "%.0f %%", 100 * share);
}

static void attributes_draw_slow(struct view_ctx *ctx, const struct row *row,
				 const struct slot *slot)
{
	draw_share(ctx, row, slot, 1);
}

static void attributes_draw_others(struct view_ctx *ctx, const struct row *row,
				   const struct slot *slot)
{
	draw_share(ctx, row, slot, 0);
}

static void attributes_draw_significant(struct view_ctx *ctx, const struct row *row,
					const struct slot *slot)
{
	const struct set_difference_row *test = row_of(ctx, row);

	if (row->kind != ROW_HEADING && row->kind != ROW_REST)
		slot_text(slot, test->significant ? STYLE_SLOW : STYLE_DIM,
			  test->significant ? "yes" : "no", SIZE_MAX);
}

static const struct column columns[] = {
	{ .title = "ATTRIBUTE",
	  .min_cells = 16,
	  .grow = 1,
	  .no_sort = true,
	  .draw = attributes_draw_name },
	{ .title = "SLOW",
	  .min_cells = 15,
	  .fills = 26,
	  .no_sort = true,
	  .draw = attributes_draw_slow },
	{ .title = "OTHERS",
	  .min_cells = 15,
	  .rank = 2,
	  .fills = 26,
	  .no_sort = true,
	  .draw = attributes_draw_others },
	{ .title = "SIGNIFICANT",
	  .min_cells = 11,
	  .rank = 1,
	  .no_sort = true,
	  .draw = attributes_draw_significant },
};

static void format_runs_name(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct subject *subject = &ctx->view->subject;

	if (is_marked(ctx))
		tr2_buf_addstr(out, "marked processes");
	else if (attributes_is_of_error(ctx)) {
		tr2_buf_addstr(out, "error ");
		format_symbol(ctx->model, subject->error, out);
	} else if (attributes_is_of_region(ctx))
		format_region(ctx->model, subject->category, subject->label, out);
	else if (is_box(ctx))
		tr2_buf_addstr(out, "box of the heat map");
	else if (ctx->process && !subject->has_group)
		format_symbol(ctx->model, ctx->process->name, out);
	else
		tr2_buf_addstr(out, subject->has_group ? "" : "all commands");
}

static void format_group_name(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct model *m = ctx->model;

	for (uint32_t s = model_first_slot(m); s != SLOT_NONE; s = model_next_slot(m, s))
		if (in_group(ctx, model_slot(m, s))) {
			commands_format_group(m, model_slot(m, s), ctx->view->subject.group_by,
					      out);
			return;
		}
}

static void attributes_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct attributes_page *page = ctx->view->private;
	const struct set_difference *d = shown_difference(ctx);

	tr2_buf_addstr(out, " · ");
	if (ctx->view->subject.has_group && !attributes_is_of_set(ctx)) {
		format_group_name(ctx, out);
		tr2_buf_addstr(out, attributes_is_of_region(ctx) ? " · " : "");
	}
	format_runs_name(ctx, out);
	tr2_buf_addf(out, " · %s", set_names[which_sets(ctx)].both);
	if (page->has_result) {
		tr2_buf_addstr(out, " · ");
		format_runs((uint64_t)d->runs[0] + d->runs[1], out);
	}
	if (page->works && !page->has_result)
		tr2_buf_addf(out, " · reading %u%%", page->result[!page->shown].percent);
	if (model_dropped(ctx->model)->finished)
		tr2_buf_addstr(out, " · of processes in memory");
}

static int attributes_foot_rows(const struct view_ctx *ctx, int rows)
{
	return rows >= 8 && ctx->view->table.nr_rows ? 3 : 0;
}

static void format_sets(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct attributes_page *page = ctx->view->private;
	const struct set_difference *d = shown_difference(ctx);

	tr2_buf_addf(out, "%s: ", set_names[which_sets(ctx)].first);
	format_runs(d->runs[1], out);
	if (page->threshold != NS_NONE) {
		tr2_buf_addstr(out, " of at least ");
		format_duration(page->threshold, out);
	}
	tr2_buf_addf(out, "; %s: %" PRIu32, set_names[which_sets(ctx)].second, d->runs[0]);
	if (d->nr_other)
		tr2_buf_addf(out, "; %" PRIu64 " values are counted as (other)", d->nr_other);
	if (attributes_against_base(ctx)) {
		tr2_buf_addstr(out, " · b: other sets");
		return;
	}
	if (!attributes_is_of_set(ctx))
		tr2_buf_addstr(out, " · a: other sets");
	if (has_base_models(ctx))
		tr2_buf_addstr(out, " · b: the base");
}

static void attributes_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct attributes_page *page = ctx->view->private;
	struct tr2_buf *line = format_line();

	format_sets(ctx, line);
	surface_text(surface, area.x + 1, area.y, area.cols - 2, STYLE_TITLE, tr2_buf_cstr(line),
		     line->len);
	line = format_line();
	tr2_buf_addf(line,
		     "%" PRIu32 " of %" PRIu32 " attributes differ (p < 0.01 after Holm's "
		     "correction)",
		     page->nr_different, page->nr_columns);
	surface_text(surface, area.x + 1, area.y + 1, area.cols - 2, STYLE_DIM, tr2_buf_cstr(line),
		     line->len);
	surface_text(surface, area.x + 1, area.y + 2, area.cols - 2, STYLE_DIM,
		     "What occurs together may have one cause. Time of day and order count too",
		     SIZE_MAX);
}

static const char *attributes_empty(const struct view_ctx *ctx)
{
	const struct attributes_page *page = ctx->view->private;
	const struct set_difference *d = shown_difference(ctx);
	struct tr2_buf *line;

	if (attributes_against_base(ctx) && !has_base_models(ctx))
		return ctx->in->verdicts && ctx->in->verdicts->compares
			       ? "the base has no attributes, because it is a baseline file or too "
				 "large\n--compare=TRACE, with a trace, has; press b to go back"
			       : "there is no base: start trace2top with --compare=TRACE\n"
				 "press b to go back";
	if (!page->has_result)
		return "comparing the runs";
	line = format_line();
	if (set_difference_is_small(d))
		tr2_buf_addf(line, "needs %u runs in each set: has %" PRIu32 " and %" PRIu32,
			     SET_DIFFERENCE_RUNS, d->runs[1], d->runs[0]);
	else
		tr2_buf_addstr(line, "no attribute has a value that 5 runs have and 5 have not");
	if (!attributes_is_of_set(ctx) && !attributes_against_base(ctx))
		tr2_buf_addstr(line, "\npress a for other sets: slow, slowest tenth, failed");
	return tr2_buf_cstr(line);
}

static bool filter_by_row(struct view_ctx *ctx, const struct row *row)
{
	struct attributes_page *page = ctx->view->private;
	struct tr2_buf term;

	if (row && row->kind == ROW_REST) {
		page->all = !page->all;
		return true;
	}
	if (!row || row->kind != ROW_VALUE)
		return false;
	tr2_buf_init(&term, SAY_MAX_BYTES);
	set_difference_format_filter(shown_difference(ctx), &row_of(ctx, row)->value, &term);
	if (term.len)
		ctx->chip = xstrdup(tr2_buf_cstr(&term));
	tr2_buf_release(&term);
	return ctx->chip != NULL;
}

static bool attributes_act(struct view_ctx *ctx, enum action action, uint32_t key)
{
	struct attributes_page *page = ctx->view->private;

	(void)key;
	if (action == ACTION_DRILL && page->has_result)
		return filter_by_row(ctx, table_selected(&ctx->view->table));
	if (action == ACTION_GROUP) {
		page->against_base = !attributes_against_base(ctx);
		page->against_set = true;
		page->has_result = page->works = false;
		return true;
	}
	if (action != ACTION_SCOPE)
		return false;
	/* Also without effect, handle the key: its common action would change the scope of a
	 * pane. */
	if (attributes_is_of_set(ctx) || attributes_against_base(ctx))
		return true;
	page->which = (enum set_difference_which)((which_sets(ctx) + 1) % NR_SETS_OF_GROUP);
	page->has_result = page->works = false;
	return true;
}

static void page_attributes_release(void *private)
{
	struct attributes_page *page = private;

	set_difference_release(&page->result[0]);
	set_difference_release(&page->result[1]);
}

const struct view_ops page_attributes = {
	.name = "What is different",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.private_bytes = sizeof(struct attributes_page),
	.title = attributes_title,
	.gather = attributes_gather,
	.foot_rows = attributes_foot_rows,
	.foot = attributes_foot,
	.empty = attributes_empty,
	.act = attributes_act,
	.text = format_attribute_row,
	.filter_rows = FILTER_ROWS_PROCESS,
	.release = page_attributes_release,
};
