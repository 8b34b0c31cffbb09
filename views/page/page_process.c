/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/wrap.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/errors.h"
#include "monitor/analysis/facts.h"
#include "monitor/base/grow.h"
#include "monitor/base/humanize.h"
#include "monitor/base/secrets.h"

#define KEY_CELLS 12

enum { COL_KEY, COL_VALUE, COL_TIME, COL_BAR };

static bool is_heading(const struct view_ctx *ctx, const struct row *row)
{
	(void)ctx;
	return row->fixed;
}

static const struct column columns[] = {
	[COL_KEY] = { .min_cells = KEY_CELLS, .no_sort = true, .spills = is_heading },
	[COL_VALUE] = { .title = "", .min_cells = 16, .grow = 4, .no_sort = true },
	[COL_TIME] = { .title = "", .min_cells = 9, .right = true, .no_sort = true },
	[COL_BAR] = { .title = "",
		      .min_cells = 10,
		      .rank = 1,
		      .fills = 32,
		      .yields = true,
		      .no_sort = true },
};

/* Sections in the order in which they are shown, and their headings; the first heading is not
 * shown. */
#define SECTIONS(X)                                                                                \
	X(FACT, "Process")                                                                         \
	X(ERROR, "Errors")                                                                         \
	X(OPEN, "Open regions")                                                                    \
	X(NODE, "Completed regions")                                                               \
	X(CHILD, "Children")                                                                       \
	X(DATA, "Data")                                                                            \
	X(TIMER, "Timers")                                                                         \
	X(COUNTER, "Counters")                                                                     \
	X(PARAM, "Parameters")

enum section {
#define X(ID, process_title) SECTION_##ID,
	SECTIONS(X)
#undef X
		NR_SECTIONS,
	SECTION_HEADING
};

static const char *const section_titles[NR_SECTIONS] = {
#define X(ID, process_title) [SECTION_##ID] = process_title,
	SECTIONS(X)
#undef X
};

static struct row *process_add(struct table *table, enum section section, uint32_t ref,
			       uint32_t ref2)
{
	uint64_t nr = table->nr_rows;
	struct row *row = table_add(table, (uint64_t)(section + 1) << 56 | (uint64_t)ref2 << 24 |
						   (ref & 0xffffff));

	row->key = (int64_t)nr;
	row->kind = (uint8_t)section;
	row->ref = ref;
	row->ref2 = ref2;
	row->wrapped = section == SECTION_FACT || section == SECTION_ERROR;
	row->wide = row->wrapped || section == SECTION_COUNTER || section == SECTION_PARAM;
	return row;
}

static void heading(struct table *table, enum section section)
{
	struct row *row = process_add(table, SECTION_HEADING, section, 0);

	row->fixed = true;
}

static void process_add_list(struct table *table, enum section section, const struct vec *list)
{
	if (!list->nr)
		return;
	heading(table, section);
	for (uint32_t i = 0; i < list->nr; i++)
		process_add(table, section, i, 0);
}

/* Return the width of a value that also uses the columns after it, if keys take KEY_CELLS. */
static int wide_cells(const struct view_ctx *ctx)
{
	return ctx->width > KEY_CELLS + 10 ? ctx->width - KEY_CELLS - 2 : 8;
}

static void process_add_errors(struct view_ctx *ctx, struct table *table)
{
	const struct vec *list = &ctx->process->errors;
	struct tr2_buf *line;

	if (list->nr)
		heading(table, SECTION_ERROR);
	for (uint32_t i = 0; i < list->nr; i++) {
		uint32_t lines;

		line = format_line();
		error_format(ctx->model, PROCESS_ITEM(ctx->model, list, error_item, i), line);
		lines = wrapped_lines(tr2_buf_cstr(line), line->len, wide_cells(ctx));
		for (uint32_t at = 0; at < lines; at++)
			process_add(table, SECTION_ERROR, i, at);
	}
}

static void process_gather_open(struct view_ctx *ctx, struct table *table)
{
	bool any = false;

	for (uint32_t t = 0; t < ctx->process->threads.nr; t++) {
		const struct thread *thread = process_thread(ctx->model, ctx->process, t);

		for (uint32_t i = 0; i < thread->open.nr; i++) {
			if (is_beyond_nesting(ctx, thread_open(ctx->model, thread, i)->nesting)) {
				table->nr_hidden++;
				continue;
			}
			if (!any)
				heading(table, SECTION_OPEN);
			any = true;
			process_add(table, SECTION_OPEN, t, i);
		}
	}
}

/* Ids of the current node of a walk and of the nodes that contain it, by level. */
struct walk {
	uint64_t *ids;
	uint32_t nr, cap;
};

static void gather_thread_nodes(struct view_ctx *ctx, struct table *table, uint32_t t,
				struct walk *walk, bool *any)
{
	uint32_t at = process_thread(ctx->model, ctx->process, t)->nodes, level = 0;

	for (; at; at = model_node_next(ctx->model, at, &level)) {
		const struct region_node *node = model_node(ctx->model, at);

		walk->nr = level;
		GROW(walk->ids, walk->nr, walk->cap, 64);
		walk->ids[level] = node_id(ctx->model, level ? walk->ids[level - 1] : t, node);
		if (node->count &&
		    is_beyond_nesting(ctx, model_cell(ctx->model, node->cell)->nesting)) {
			table->nr_hidden++;
		} else if (node->count) {
			if (!*any)
				heading(table, SECTION_NODE);
			*any = true;
			process_add(table, SECTION_NODE, t, at)->id = walk->ids[level];
		}
	}
}

/* Contents of a row besides its text, which the function of the row's section fills in. */

struct process_line {
	const char *key;
	sym_t key_sym; /* symbol of the key; used if `key` is NULL */
	enum style style;
	ns_t time; /* time in the row's column of times; NS_NONE: none */
	bool bar;
	int indent;
};

static void process_add_text(struct tr2_buf *out, const struct model *model, struct text text)
{
	secrets_add(out, model_text(model, text), text.len, 4000);
}

/* Get line `nr` of a wrapped text; if `last`, all the remaining text, so that the cut is
 * visible. */
static void process_take_line(const struct view_ctx *ctx, const struct tr2_buf *whole, uint32_t nr,
			      bool last, struct tr2_buf *out)
{
	size_t len;
	const char *line = wrapped_line(whole->data, whole->len, wide_cells(ctx), nr, &len);

	tr2_buf_add(out, line, last ? (size_t)(whole->data + whole->len - line) : len);
}

static void format_fact(struct view_ctx *ctx, enum fact fact, struct tr2_buf *out,
			struct process_line *line)
{
	ns_t time = view_process_time(ctx, ctx->process);
	char state[32];

	fact_format(ctx->model, ctx->process, fact, wide_cells(ctx), ctx->in->wall_ns, out);
	if (fact == FACT_COMMAND)
		line->style = STYLE_NAME;
	if (fact != FACT_STATE)
		return;
	line->style = process_state_text(ctx->process, state, sizeof(state));
	tr2_buf_addstr(out, state);
	format_death(ctx, out);
	if (time != NS_NONE)
		tr2_buf_addf(out, ", %s", human_duration(time).text);
}

static void process_format_child(struct view_ctx *ctx, uint32_t index, struct tr2_buf *out,
				 struct process_line *line)
{
	const struct child *child = process_child(ctx->model, ctx->process, index);

	if (is_child_class(ctx->model, child->child_class))
		line->key_sym = child->child_class;
	else
		line->key = "";
	line->time = view_child_time(ctx, ctx->process, child);
	if (child->child_id != NUM_NONE)
		tr2_buf_addf(out, "[%" PRId64 "] ", child->child_id);
	if (child->state == CHILD_RUNNING)
		tr2_buf_addstr(out, child_state(ctx->process, child) == CHILD_LOST ? "lost  "
										   : "running  ");
	else if (child->code != NUM_NONE)
		tr2_buf_addf(out, "%s %" PRId64 "  ", child->code ? "FAIL" : "exit", child->code);
	format_strings(ctx->model, &child->argv, 0, out);
	if (child->state == CHILD_EXITED && child->code > 0)
		line->style = STYLE_FAILED;
}

static void format_data(struct view_ctx *ctx, uint32_t index, struct tr2_buf *out,
			struct process_line *line)
{
	const struct data_item *item =
		PROCESS_ITEM(ctx->model, &ctx->process->data, data_item, index);

	line->key_sym = item->category;
	line->time = item->t_abs;
	format_symbol(ctx->model, item->key, out);
	tr2_buf_addstr(out, " = ");
	process_add_text(out, ctx->model, item->value);
}

static void format_timer(struct view_ctx *ctx, uint32_t index, struct tr2_buf *out,
			 struct process_line *line)
{
	const struct timer_item *item =
		PROCESS_ITEM(ctx->model, &ctx->process->timers, timer_item, index);

	line->key_sym = item->category;
	line->time = item->total;
	line->bar = true;
	format_symbol(ctx->model, item->name, out);
	if (item->intervals != NUM_NONE)
		tr2_buf_addf(out, "  %" PRId64 " %s", item->intervals,
			     item->intervals == 1 ? "time" : "times");
	if (item->of_thread) {
		tr2_buf_addstr(out, " in ");
		format_symbol(ctx->model, item->thread, out);
	}
}

static void format_counter(struct view_ctx *ctx, uint32_t index, struct tr2_buf *out,
			   struct process_line *line)
{
	const struct counter_item *item =
		PROCESS_ITEM(ctx->model, &ctx->process->counters, counter_item, index);

	line->key_sym = item->category;
	format_symbol(ctx->model, item->name, out);
	tr2_buf_addstr(out, " = ");
	if (item->count != NUM_NONE)
		tr2_buf_addf(out, "%" PRId64, item->count);
	if (item->of_thread) {
		tr2_buf_addstr(out, " in ");
		format_symbol(ctx->model, item->thread, out);
	}
}

static void format_param(struct view_ctx *ctx, uint32_t index, struct tr2_buf *out,
			 struct process_line *line)
{
	const struct param_item *item =
		PROCESS_ITEM(ctx->model, &ctx->process->params, param_item, index);

	line->key_sym = item->scope;
	format_symbol(ctx->model, item->param, out);
	tr2_buf_addstr(out, " = ");
	if (item->has_value)
		process_add_text(out, ctx->model, item->value);
}

static void format_error(struct view_ctx *ctx, const struct row *row, struct tr2_buf *out,
			 struct process_line *line)
{
	struct tr2_buf whole = { .max = SAY_MAX_BYTES };

	line->key = row->ref2 ? "" : "error";
	line->style = STYLE_FAILED;
	error_format(ctx->model,
		     PROCESS_ITEM(ctx->model, &ctx->process->errors, error_item, row->ref), &whole);
	process_take_line(ctx, &whole, row->ref2, false, out);
	tr2_buf_release(&whole);
}

static void format_open(struct view_ctx *ctx, const struct row *row, struct tr2_buf *out,
			struct process_line *line)
{
	const struct thread *thread = process_thread(ctx->model, ctx->process, row->ref);
	const struct open_region *region = thread_open(ctx->model, thread, row->ref2);

	line->key_sym = thread->name;
	line->style = process_is_live(ctx->process) ? STYLE_LIVE : STYLE_STALE;
	line->time = view_region_time(ctx, ctx->process, region);
	line->bar = true;
	line->indent = (int)row->ref2 * 2;
	format_region(ctx->model, region->category, region->label, out);
	if (region->has_msg) {
		tr2_buf_addch(out, ' ');
		process_add_text(out, ctx->model, region->msg);
	}
}

static void process_format_node(struct view_ctx *ctx, const struct row *row, struct tr2_buf *out,
				struct process_line *line)
{
	const struct region_node *node = model_node(ctx->model, row->ref2);
	const struct timing_cell *cell = model_cell(ctx->model, node->cell);

	line->key_sym = process_thread(ctx->model, ctx->process, row->ref)->name;
	line->time = node->total;
	line->bar = true;
	/* Limit the indentation to half of the widest screen. */
	for (uint32_t up = node->parent; up && line->indent < SURFACE_MAX_COLS / 2;
	     up = model_node(ctx->model, up)->parent)
		line->indent += 2;
	format_region(ctx->model, cell->category, cell->label, out);
	tr2_buf_addf(out, "  %" PRIu64 "x", node->count);
}

/* Maximum number of lines of a fact, such as the command line or the SID. */
#define MAX_FACT_LINES 6u

static void format_fact_line(struct view_ctx *ctx, const struct row *row, struct tr2_buf *out,
			     struct process_line *line)
{
	struct tr2_buf whole = { .max = SAY_MAX_BYTES };

	line->key = row->ref2 ? "" : fact_name((enum fact)row->ref);
	format_fact(ctx, (enum fact)row->ref, &whole, line);
	process_take_line(ctx, &whole, row->ref2, row->ref2 + 1 == MAX_FACT_LINES, out);
	tr2_buf_release(&whole);
}

static void process_format_row(struct view_ctx *ctx, const struct row *row, struct tr2_buf *out,
			       struct process_line *line)
{
	*line = (struct process_line){ NULL, SYM_NONE, STYLE_TEXT, NS_NONE, false, 0 };
	switch ((int)row->kind) {
	case SECTION_FACT:
		format_fact_line(ctx, row, out, line);
		break;
	case SECTION_ERROR:
		format_error(ctx, row, out, line);
		break;
	case SECTION_OPEN:
		format_open(ctx, row, out, line);
		break;
	case SECTION_NODE:
		process_format_node(ctx, row, out, line);
		break;
	case SECTION_CHILD:
		process_format_child(ctx, row->ref, out, line);
		break;
	case SECTION_DATA:
		format_data(ctx, row->ref, out, line);
		break;
	case SECTION_TIMER:
		format_timer(ctx, row->ref, out, line);
		break;
	case SECTION_COUNTER:
		format_counter(ctx, row->ref, out, line);
		break;
	default:
		format_param(ctx, row->ref, out, line);
	}
}

static void add_fact(struct view_ctx *ctx, struct table *table, enum fact fact)
{
	struct tr2_buf whole = { .max = SAY_MAX_BYTES };
	struct process_line line;
	uint32_t lines;

	format_fact(ctx, fact, &whole, &line);
	lines = wrapped_lines(tr2_buf_cstr(&whole), whole.len, wide_cells(ctx));
	tr2_buf_release(&whole);
	for (uint32_t i = 0; i < lines && i < MAX_FACT_LINES; i++)
		process_add(table, SECTION_FACT, fact, i);
}

static void process_gather(struct view_ctx *ctx, struct table *table)
{
	const struct process *process = ctx->process;
	struct walk walk = { 0 };
	bool any = false;

	if (!process)
		return;
	for (uint32_t i = 0; i < NR_FACTS; i++)
		if (process_has_fact(process, (enum fact)i))
			add_fact(ctx, table, (enum fact)i);
	process_add_errors(ctx, table);
	process_gather_open(ctx, table);
	for (uint32_t t = 0; t < process->threads.nr; t++)
		gather_thread_nodes(ctx, table, t, &walk, &any);
	free(walk.ids);
	process_add_list(table, SECTION_CHILD, &process->children);
	process_add_list(table, SECTION_DATA, &process->data);
	process_add_list(table, SECTION_TIMER, &process->timers);
	process_add_list(table, SECTION_COUNTER, &process->counters);
	process_add_list(table, SECTION_PARAM, &process->params);
}

static void process_draw_key(struct view_ctx *ctx, const struct process_line *line,
			     const struct slot *slot)
{
	const char *text = line->key;
	size_t len = text ? strlen(text) : 0;

	if (!text)
		text = model_sym(ctx->model, line->key_sym, &len);
	slot_text(slot, line->key ? STYLE_DIM : STYLE_CATEGORY, text, len);
}

static void process_draw(struct view_ctx *ctx, const struct row *row, int column,
			 const struct slot *slot)
{
	struct tr2_buf *out = format_line();
	struct process_line line;
	struct slot rest;
	ns_t whole;

	if (row->kind == SECTION_HEADING) {
		if (column == COL_KEY)
			surface_text(slot->surface, slot->x, slot->y, 30, STYLE_TITLE,
				     section_titles[row->ref], SIZE_MAX);
		return;
	}
	process_format_row(ctx, row, out, &line);
	switch (column) {
	case COL_KEY:
		process_draw_key(ctx, &line, slot);
		break;
	case COL_VALUE:
		if (line.indent > slot->cols / 2)
			line.indent = slot->cols / 2;
		rest = slot_rest(slot, line.indent);
		slot_text(&rest, line.style, tr2_buf_cstr(out), out->len);
		break;
	case COL_TIME:
		if (line.time != NS_NONE)
			slot_duration(slot, duration_style(line.time), line.time);
		break;
	default:
		whole = view_process_time(ctx, ctx->process);
		if (line.bar && line.time > 0 && whole > 0)
			surface_bar(slot->surface, slot->x, slot->y, slot->cols, STYLE_BAR,
				    1 + (int64_t)((double)line.time / (double)whole * slot->cols *
						  8.0));
	}
}

static const char *process_empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "this process was evicted for newer ones";
}

static enum view_id process_drill(const struct view_ctx *ctx, const struct row *row,
				  struct subject *subject)
{
	const struct child *child;
	uint32_t slot = SLOT_NONE;

	if (row->kind == SECTION_NODE) {
		const struct timing_cell *cell =
			model_cell(ctx->model, model_node(ctx->model, row->ref2)->cell);

		subject->category = cell->category;
		subject->label = cell->label;
		return VIEW_REGION;
	}
	if (row->kind == SECTION_OPEN) {
		const struct thread *thread = process_thread(ctx->model, ctx->process, row->ref);
		const struct open_region *region = thread_open(ctx->model, thread, row->ref2);

		subject->category = region->category;
		subject->label = region->label;
		return VIEW_REGION;
	}
	if (row->kind == SECTION_CHILD) {
		child = process_child(ctx->model, ctx->process, row->ref);
		slot = child->process != SLOT_NONE ? child->process : child->any_process;
	} else if (row->kind == SECTION_FACT && row->ref == FACT_PARENT) {
		slot = ctx->process->parent;
	}
	if (slot == SLOT_NONE)
		return NR_VIEWS;
	subject->process = model_handle(ctx->model, slot);
	return VIEW_PROCESS;
}

static bool process_events(const struct view_ctx *ctx, const struct row *row,
			   struct subject *subject, struct tr2_buf *filter)
{
	const struct model *model = ctx->model;
	const struct data_item *data;
	struct subject found = *subject;

	if (!ctx->process || !row)
		return ctx->process != NULL;
	switch ((int)row->kind) {
	case SECTION_OPEN:
	case SECTION_NODE:
		process_drill(ctx, row, &found);
		format_term(model, "thread", process_thread(model, ctx->process, row->ref)->name,
			    filter);
		format_term(model, "category", found.category, filter);
		format_term(model, "label", found.label, filter);
		break;
	case SECTION_CHILD:
		if (process_drill(ctx, row, subject) != VIEW_PROCESS)
			tr2_buf_addstr(filter, "event ~ \"^child_\"");
		break;
	case SECTION_DATA:
		data = PROCESS_ITEM(model, &ctx->process->data, data_item, row->ref);
		format_term(model, "category", data->category, filter);
		format_term(model, "key", data->key, filter);
		break;
	case SECTION_PARAM:
		format_term(model, "param",
			    PROCESS_ITEM(model, &ctx->process->params, param_item, row->ref)->param,
			    filter);
		break;
	case SECTION_ERROR:
		tr2_buf_addstr(filter, "event = error");
		break;
	case SECTION_TIMER:
		tr2_buf_addstr(filter, "event ~ timer");
		break;
	case SECTION_COUNTER:
		tr2_buf_addstr(filter, "event ~ counter");
		break;
	default:
		/* for the line that names the parent, select the parent's events */
		process_drill(ctx, row, subject);
	}
	return true;
}

const struct view_ops page_process = {
	.name = "Process",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.title = format_subject,
	.gather = process_gather,
	.draw = process_draw,
	.empty = process_empty,
	.drill = process_drill,
	.events = process_events,
};
