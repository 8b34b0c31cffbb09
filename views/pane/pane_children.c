/* SPDX-License-Identifier: MIT */
/* Pane 4: the children that the selected process has started, and what became of them. */
#include "config.h"

#include "views/ui/view.h"

#include <inttypes.h>

enum { COL_ID, COL_CLASS, COL_COMMAND, COL_TIME, COL_STATE, COL_DRILL };

static const struct column columns[] = {
	[COL_ID] = { "ID", 4, 0, 3, true, false, false },
	[COL_CLASS] = { "CLASS", 10, 0, 2, false, false, false },
	[COL_COMMAND] = { "COMMAND", 12, 1, 0, false, false, false },
	[COL_TIME] = { "TIME", 8, 0, 0, true, false, true },
	[COL_STATE] = { "STATE", 8, 0, 1, false, false, false },
	[COL_DRILL] = { "", 1, 0, 0, false, true, false },
};

static const struct child *child_of(const struct view_ctx *ctx, const struct row *row)
{
	return process_child(ctx->model, ctx->process, row->ref);
}

static uint32_t became(const struct child *child)
{
	return child->process != SLOT_NONE ? child->process : child->any_process;
}

/* The failed first, then what goes on. */
static int64_t state_key(const struct child *child)
{
	bool failed = child->state == CHILD_EXITED && child->code != NUM_NONE && child->code;

	return failed ? -1 : child->state;
}

/* The words of a command stand behind one another. */
static void text_key(const struct view_ctx *ctx, int column, const struct child *child,
		     struct row *row)
{
	struct strings_cursor argv = strings_begin(ctx->model, &child->argv);
	size_t len = 0;

	row->key = 0;
	if (column == COL_CLASS) {
		row->text = model_sym(ctx->model, child->child_class, &len);
	} else if (argv.left) {
		row->text = strings_next(&argv, &len);
	}
	row->text_len = (uint32_t)len;
}

static void gather(struct view_ctx *ctx, struct table *table)
{
	for (uint32_t i = 0; ctx->process && i < ctx->process->children.nr; i++) {
		struct row *row = table_add(table, (uint64_t)i + 1);

		row->ref = i;
		row->key = i;
		if (table->sort == COL_TIME)
			row->key = longest_first(view_child_time(ctx, ctx->process,
							    child_of(ctx, row)));
		else if (table->sort == COL_STATE)
			row->key = state_key(child_of(ctx, row));
		else if (table->sort == COL_CLASS || table->sort == COL_COMMAND)
			text_key(ctx, table->sort, child_of(ctx, row), row);
		table->newest = row->id;
	}
}

static void draw_state(const struct view_ctx *ctx, const struct child *child,
		       const struct slot *slot)
{
	bool live = process_is_live(ctx->process);

	if (child->state == CHILD_RUNNING)
		slot_text(slot, live ? STYLE_LIVE : STYLE_STALE, live ? "live" : "open",
			  SIZE_MAX);
	else if (child->state == CHILD_READY)
		slot_text(slot, STYLE_OK, "ready", SIZE_MAX);
	else if (child->code == NUM_NONE)
		slot_text(slot, STYLE_OK, "exit ?", SIZE_MAX);
	else
		slot_printf(slot, child->code ? STYLE_FAILED : STYLE_OK, "%s %" PRId64,
			    child->code ? "FAIL" : "exit", child->code);
}

static void draw_class(const struct view_ctx *ctx, const struct child *child,
		       const struct slot *slot)
{
	struct tr2_buf *line = say_line();

	if (child->child_class == SYM_NONE)
		tr2_buf_addch(line, '?');
	say_sym(ctx->model, child->child_class, line);
	if (child->hook != SYM_NONE) {
		tr2_buf_addch(line, ' ');
		say_sym(ctx->model, child->hook, line);
	}
	slot_text(slot, STYLE_CATEGORY, tr2_buf_cstr(line), line->len);
}

static void draw(struct view_ctx *ctx, const struct row *row, int column,
		 const struct slot *slot)
{
	const struct child *child = child_of(ctx, row);
	ns_t time = view_child_time(ctx, ctx->process, child);
	struct tr2_buf *line;

	switch (column) {
	case COL_ID:
		if (child->child_id != NUM_NONE)
			slot_printf(slot, STYLE_DIM, "[%" PRId64 "]", child->child_id);
		break;
	case COL_CLASS:
		draw_class(ctx, child, slot);
		break;
	case COL_COMMAND:
		line = say_line();
		say_strings(ctx->model, &child->argv, 0, line);
		slot_text(slot, STYLE_TEXT, tr2_buf_cstr(line), line->len);
		break;
	case COL_TIME:
		slot_duration(slot, child->state == CHILD_RUNNING && process_is_live(ctx->process)
					    ? STYLE_LIVE
					    : duration_style(time),
			      time);
		break;
	case COL_STATE:
		draw_state(ctx, child, slot);
		break;
	default:
		if (became(child) != SLOT_NONE)
			surface_glyph(slot->surface, slot->x, slot->y, STYLE_HINT, GLYPH_DRILL);
	}
}

static const char *empty(const struct view_ctx *ctx)
{
	return ctx->process ? "it has started no children" : "no process is selected";
}

static enum view_id drill(const struct view_ctx *ctx, const struct row *row,
			  struct subject *subject)
{
	uint32_t slot = became(child_of(ctx, row));

	if (slot == SLOT_NONE)
		return NR_VIEWS;
	subject->process = model_handle(ctx->model, slot);
	return VIEW_PROCESS;
}

static int64_t state_bits(const struct child *child)
{
	if (child->state != CHILD_EXITED)
		return FILTER_STATE_RUNNING;
	return FILTER_STATE_EXITED | (child->code > 0 ? FILTER_STATE_FAILED : 0);
}

static bool give_argv(const struct view_ctx *ctx, const struct child *child, filter_visit *visit,
		      void *data)
{
	static struct tr2_buf line = { .max = 1 << 16 };

	tr2_buf_clear(&line);
	say_strings(ctx->model, &child->argv, 0, &line);
	return child->argv.known && filter_give_text(visit, data, tr2_buf_cstr(&line), line.len);
}

static bool value(const struct view_ctx *ctx, const struct row *row, enum filter_field field,
		  filter_visit *visit, void *data)
{
	const struct child *child = child_of(ctx, row);

	switch (field) {
	case FILTER_ARGV:
		return give_argv(ctx, child, visit, data);
	case FILTER_CLASS:
		return give_sym(ctx->model, child->child_class, visit, data) ||
		       give_sym(ctx->model, child->hook, visit, data);
	case FILTER_PID:
		return filter_give_number(visit, data, child->pid);
	case FILTER_CODE:
		return filter_give_number(visit, data, child->code);
	case FILTER_ELAPSED:
		return filter_give_number(visit, data, view_child_time(ctx, ctx->process, child));
	case FILTER_START:
		return filter_give_number(visit, data, child->start);
	case FILTER_STATE:
		return filter_give_number(visit, data, state_bits(child));
	case FILTER_FAILED:
		return filter_give_number(visit, data,
					  (state_bits(child) & FILTER_STATE_FAILED) != 0);
	case FILTER_LIVE:
		return filter_give_number(visit, data, child->state == CHILD_RUNNING &&
							       process_is_live(ctx->process));
	default:
		return false;
	}
}

/* Those of the process that it became; of one that does not trace, its parent's of children. */
static bool events(const struct view_ctx *ctx, const struct row *row, struct subject *subject,
		   struct tr2_buf *filter)
{
	if (row && became(child_of(ctx, row)) != SLOT_NONE)
		subject->process = model_handle(ctx->model, became(child_of(ctx, row)));
	else
		tr2_buf_addstr(filter, "event ~ \"^child_\"");
	return ctx->process != NULL;
}

const struct view_ops pane_children = {
	.name = "Children",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.arranged = true,
	.of_process = true,
	.title = say_subject,
	.gather = gather,
	.draw = draw,
	.empty = empty,
	.filter_rows = FILTER_ROWS_CHILD,
	.value = value,
	.drill = drill,
	.events = events,
};
