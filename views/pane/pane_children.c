/* SPDX-License-Identifier: MIT */
/* Pane 4: the children that the selected process started, with their results. */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/view_text.h"

#include <inttypes.h>

#include "monitor/analysis/formats.h"

static const struct child *child_of(const struct view_ctx *ctx, const struct row *row)
{
	return process_child(ctx->model, ctx->process, row->ref);
}

static void pane_children_gather(struct view_ctx *ctx, struct table *table)
{
	for (uint32_t i = 0; ctx->process && i < ctx->process->children.nr; i++) {
		struct row *row = table_add(table, (uint64_t)i + 1);

		row->ref = i;
		row->key = i;
		table->newest = row->id;
	}
}

static int64_t children_number(const struct view_ctx *ctx, const struct row *row)
{
	(void)ctx;
	return row->ref;
}

static void draw_id(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct child *child = child_of(ctx, row);

	/* Print child ids above 99 without brackets: servers number thousands of tasks. */
	if (child->child_id != NUM_NONE)
		slot_printf(slot, STYLE_DIM, child->child_id > 99 ? "%" PRId64 : "[%" PRId64 "]",
			    child->child_id);
}

static const char *class(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	return model_sym(ctx->model, child_of(ctx, row)->child_class, len);
}

static void draw_class(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct child *child = child_of(ctx, row);
	struct tr2_buf *line = format_line();

	if (is_child_class(ctx->model, child->child_class))
		format_symbol(ctx->model, child->child_class, line);
	if (child->hook != SYM_NONE) {
		if (line->len)
			tr2_buf_addch(line, ' ');
		format_symbol(ctx->model, child->hook, line);
	}
	slot_text(slot, STYLE_CATEGORY, tr2_buf_cstr(line), line->len);
}

/* Return the first word of the child's command line, to sort by; NULL: it has none. */
static const char *command(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	struct strings_cursor argv = strings_begin(ctx->model, &child_of(ctx, row)->argv);

	return argv.left ? strings_next(&argv, len) : NULL;
}

static void children_draw_command(struct view_ctx *ctx, const struct row *row,
				  const struct slot *slot)
{
	struct tr2_buf *line = format_line();
	size_t name_len;

	format_argv(ctx->model, &child_of(ctx, row)->argv, child_of(ctx, row)->use_shell > 0, line,
		    &name_len);
	slot_command(slot, STYLE_TEXT, tr2_buf_cstr(line), line->len, name_len);
}

static int64_t children_elapsed(const struct view_ctx *ctx, const struct row *row)
{
	return view_child_time(ctx, ctx->process, child_of(ctx, row));
}

static void children_draw_time(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	bool live = child_of(ctx, row)->state == CHILD_RUNNING && process_is_live(ctx->process);
	ns_t time = children_elapsed(ctx, row);

	slot_duration(slot, live ? STYLE_LIVE : duration_style(time), time);
}

static bool children_usual_of(const struct view_ctx *ctx, const struct row *row,
			      struct past_median *children_usual)
{
	const struct child *child = child_of(ctx, row);

	return child_is_live(ctx->process, child) &&
	       past_median_of_child(ctx->model, ctx->process, child, children_elapsed(ctx, row),
				    children_usual);
}

static int64_t children_usual(const struct view_ctx *ctx, const struct row *row)
{
	struct past_median children_usual;

	return children_usual_of(ctx, row, &children_usual) ? children_usual.p50 : INT64_MIN;
}

static void children_draw_usual(struct view_ctx *ctx, const struct row *row,
				const struct slot *slot)
{
	struct past_median children_usual;

	if (children_usual_of(ctx, row, &children_usual))
		slot_usual(slot, &children_usual);
}

/* Return the number by which states are sorted: failed children first, then running ones. */
static int64_t state(const struct view_ctx *ctx, const struct row *row)
{
	const struct child *child = child_of(ctx, row);
	bool failed = child->state == CHILD_EXITED && child->code != NUM_NONE && child->code;

	return failed ? -1 : (int64_t)child_state(ctx->process, child);
}

static void children_draw_state(struct view_ctx *ctx, const struct row *row,
				const struct slot *slot)
{
	char text[32];
	enum style style = child_state_text(ctx->process, child_of(ctx, row), text, sizeof(text));

	slot_state(slot, style, text);
}

static void draw_drill(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	if (child_process(child_of(ctx, row)) != SLOT_NONE)
		surface_glyph(slot->surface, slot->x, slot->y, STYLE_HINT, GLYPH_DRILL);
}

static const struct column columns[] = {
	{ .title = "ID",
	  .min_cells = 4,
	  .rank = 3,
	  .right = true,
	  .number = children_number,
	  .draw = draw_id },
	{ .title = "CLASS", .min_cells = 10, .rank = 2, .text = class, .draw = draw_class },
	{ .title = "COMMAND",
	  .min_cells = 12,
	  .grow = 1,
	  .text = command,
	  .draw = children_draw_command },
	{ .title = "TIME",
	  .field = FILTER_ELAPSED,
	  .min_cells = 8,
	  .right = true,
	  .descending = true,
	  .number = children_elapsed,
	  .draw = children_draw_time },
	{ .title = "MEDIAN",
	  .former = "usual",
	  .min_cells = 9,
	  .rank = 4,
	  .from_cols = PAST_MEDIAN_FROM_COLS,
	  .right = true,
	  .descending = true,
	  .number = children_usual,
	  .draw = children_draw_usual },
	{ .title = "STATE",
	  .min_cells = 8,
	  .rank = 1,
	  .number = state,
	  .draw = children_draw_state },
	{ .title = "", .min_cells = 1, .no_sort = true, .draw = draw_drill },
};

static const char *children_named(const struct view_ctx *ctx)
{
	return format_of(ctx->model, ctx->process)->children;
}

static const char *children_empty(const struct view_ctx *ctx)
{
	return ctx->process ? format_of(ctx->model, ctx->process)->childless
			    : "no process is selected";
}

static enum view_id children_drill(const struct view_ctx *ctx, const struct row *row,
				   struct subject *subject)
{
	uint32_t slot = child_process(child_of(ctx, row));

	if (slot == SLOT_NONE)
		return NR_VIEWS;
	subject->process = model_handle(ctx->model, slot);
	return VIEW_PROCESS;
}

static bool child_visit_argv(const struct view_ctx *ctx, const struct row *row,
			     enum filter_field field, value_visit *visit, void *data)
{
	const struct child *child = child_of(ctx, row);
	struct tr2_buf line = { .max = 1 << 16 };
	bool found;

	(void)field;
	format_strings(ctx->model, &child->argv, 0, &line);
	found = child->argv.known && value_give_text(visit, data, tr2_buf_cstr(&line), line.len);
	tr2_buf_release(&line);
	return found;
}

static bool child_visit_classes(const struct view_ctx *ctx, const struct row *row,
				enum filter_field field, value_visit *visit, void *data)
{
	const sym_t syms[] = { child_of(ctx, row)->child_class, child_of(ctx, row)->hook };
	const char *text;
	size_t len;

	(void)field;
	for (int i = 0; i < 2; i++)
		if ((text = known_sym(ctx->model, syms[i], &len)) &&
		    value_give_text(visit, data, text, len))
			return true;
	return false;
}

static int64_t child_pid(const struct view_ctx *ctx, const struct row *row)
{
	return child_of(ctx, row)->pid;
}

static int64_t child_code(const struct view_ctx *ctx, const struct row *row)
{
	return child_of(ctx, row)->code;
}

static int64_t row_child_start(const struct view_ctx *ctx, const struct row *row)
{
	return child_of(ctx, row)->start;
}

static int64_t child_state_bits(const struct view_ctx *ctx, const struct row *row)
{
	const struct child *child = child_of(ctx, row);

	if (child_state(ctx->process, child) == CHILD_LOST)
		return ATTRIBUTE_STATE_LOST;
	if (child->state != CHILD_EXITED)
		return ATTRIBUTE_STATE_RUNNING;
	return ATTRIBUTE_STATE_EXITED | (child->code > 0 ? ATTRIBUTE_STATE_FAILED : 0);
}

static int64_t child_has_failed(const struct view_ctx *ctx, const struct row *row)
{
	return child_state_bits(ctx, row) & ATTRIBUTE_STATE_FAILED;
}

static int64_t child_is_running(const struct view_ctx *ctx, const struct row *row)
{
	return child_is_live(ctx->process, child_of(ctx, row));
}

static const struct row_field fields[] = {
	{ FILTER_ARGV, .visit = child_visit_argv },
	{ FILTER_CLASS, .visit = child_visit_classes },
	{ FILTER_PID, .number = child_pid },
	{ FILTER_CODE, .number = child_code },
	{ FILTER_START, .number = row_child_start },
	{ FILTER_STATE, .number = child_state_bits },
	{ FILTER_FAILED, .number = child_has_failed },
	{ FILTER_LIVE, .number = child_is_running },
};

static bool children_events(const struct view_ctx *ctx, const struct row *row,
			    struct subject *subject, struct tr2_buf *filter)
{
	if (row && child_process(child_of(ctx, row)) != SLOT_NONE)
		subject->process = model_handle(ctx->model, child_process(child_of(ctx, row)));
	else
		tr2_buf_addstr(filter, "event ~ \"^child_\"");
	return ctx->process != NULL;
}

const struct view_ops pane_children = {
	.name = "Children",
	.named = children_named,
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.arranged = true,
	.of_process = true,
	.title = format_subject,
	.gather = pane_children_gather,
	.empty = children_empty,
	.filter_rows = FILTER_ROWS_CHILD,
	.fields = fields,
	.nr_fields = sizeof(fields) / sizeof(*fields),
	.drill = children_drill,
	.events = children_events,
};
