/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/ui.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "engine/trace2.h"
#include "monitor/base/die.h"
#include "monitor/base/humanize.h"
#include "views/ui/ui_priv.h"
#include "views/ui/view_row.h"

static char *join_specs(const struct ui_config *config)
{
	struct tr2_buf line;

	tr2_buf_init(&line, 1 << 16);
	for (int i = 0; i < config->nr_specs; i++)
		tr2_buf_addf(&line, "%s%s", i ? " " : "", config->specs[i]);
	char *text = xstrdup(tr2_buf_cstr(&line));

	tr2_buf_release(&line);
	return text;
}

struct ui *ui_new(const struct ui_config *config)
{
	struct ui *ui = xcalloc(1, sizeof(*ui));
	struct filter_error error;

	struct options options;

	ui->config = *config;
	ui->selected = HANDLE_NONE;
	options_init(&options);
	setup_init(&ui->own_setup, &options, config->views);
	ui->setup = config->setup ? config->setup : &ui->own_setup;
	ui->setup->options.nesting = config->nesting;
	ui->setup->options.depth = config->depth;
	ui->specs = config->title ? xstrdup(config->title) : join_specs(config);
	ui->config.title = config->title ? ui->specs : NULL;
	ui->wait_hint = config->wait_hint ? xstrdup(config->wait_hint) : NULL;
	ui->limits = (struct timing_limits){ config->nesting, config->depth };
	tr2_buf_init(&ui->waiting_text, 1 << 16);
	ui->cols = 80;
	ui->rows = 24;
	ui->selected = HANDLE_NONE;
	ui->asking = ASK_NONE;
	for (int i = 0; i < NR_PANES; i++)
		ui_view_init(ui, &ui->panes[i], (enum view_id)i);
	ui->panes[VIEW_PROCESSES].table.follow = config->follow;
	if (config->filter)
		ui->filter =
			filter_new(config->filter, FILTER_ROWS_PROCESS, config->now_ns, &error);
	ui_chips_typed(ui);
	return ui;
}

void ui_free(struct ui *ui)
{
	if (!ui)
		return;
	while (ui->nr_pages)
		ui_pop_page(ui);
	for (int i = 0; i < NR_PANES; i++)
		ui_view_release(&ui->panes[i]);
	filter_free(ui->filter);
	ui->filter = NULL;
	ui_chips_typed(ui);
	find_release(&ui->find);
	findings_watch_release(&ui->found);
	graphs_release(&ui->graphs);
	free(ui->copied);
	free(ui->place.file);
	free(ui->specs);
	free(ui->wait_hint);
	tr2_buf_release(&ui->waiting_text);
	free(ui);
}

void ui_resize(struct ui *ui, int cols, int rows)
{
	ui->cols = cols < 1 ? 1 : cols > SURFACE_MAX_COLS ? SURFACE_MAX_COLS : cols;
	ui->rows = rows < 1 ? 1 : rows > SURFACE_MAX_ROWS ? SURFACE_MAX_ROWS : rows;
	ui->resettle = true;
	ui_front(ui)->table.resettle = true;
}

bool ui_is_undrawn(struct ui *ui)
{
	return ui->has_in && ui->drawn != ui_front(ui);
}

bool ui_is_working(const struct ui *ui)
{
	return ui->working || find_is_working(&ui->find);
}

bool ui_needs_ticks(const struct ui *ui)
{
	/* The result of a running query may arrive at any time, also while paused. */
	return ui->ticks || ui_is_working(ui) || (ui->has_in && ui->in.query_runs);
}

void ui_notice(struct ui *ui, const char *text)
{
	snprintf(ui->notice, sizeof(ui->notice), "%s", text);
}

int64_t ui_nesting(const struct ui *ui)
{
	return ui->limits.nesting;
}

int64_t ui_depth(const struct ui *ui)
{
	return ui->limits.depth;
}

struct filter *ui_filter(const struct ui *ui)
{
	return ui->filter;
}

struct view *ui_front(struct ui *ui)
{
	return ui->nr_pages ? ui->pages[ui->nr_pages - 1] : &ui->panes[ui->focus];
}

static enum view_id view_below(const struct ui *ui, const struct view *view)
{
	for (int i = ui->nr_pages - 1; i > 0; i--)
		if (ui->pages[i] == view)
			return ui->pages[i - 1]->id;
	return (enum view_id)ui->focus;
}

struct view_ctx ui_context(struct ui *ui, struct view *view)
{
	const struct ui_input *in = &ui->in;

	view->subject.process = model_handle_here(in->model, view->subject.process);
	return (struct view_ctx){
		.view = view,
		.in = in,
		.model = in->model,
		.process = model_process(in->model, view->subject.process),
		.selected = ui->selected,
		.what = { .model = in->model,
			  .journal = in->journal,
			  .limits = ui->limits,
			  .now = in->past && in->past_ns != NS_NONE
					 ? in->past_ns
					 : in->wall_ns - (in->paused ? in->paused_ns : 0),
			  .filter = ui->filter,
			  .events = view->filter,
			  .process = view->subject.process,
			  .category = view->subject.category,
			  .label = view->subject.label,
			  .past = in->past,
			  .lookback_position = in->lookback_position },
		.height = ui->is_said    ? SURFACE_MAX_ROWS
			  : ui->nr_pages ? ui->layout.body.rows - 2
					 : 0,
		.width = ui->is_said    ? SAID_CELLS
			 : ui->nr_pages ? ui->layout.body.cols - 2
					: 0,
		.said = ui->is_said,
		.lists_children =
			!ui->nr_pages && ui->layout.all && !ui->layout.panes[VIEW_CHILDREN].cols,
		.below = view_below(ui, view),
		.setup = ui->setup,
		.found = &ui->found,
		.marked = &ui->panes[VIEW_PROCESSES].table.marks,
		.process_scope =
			view->ops->scoped &&
			(ui->is_said ? view->subject.process.slot != SLOT_NONE : ui->process_scope),
	};
}

struct filter **ui_filter_of(struct ui *ui, struct view *view)
{
	return view->ops->filter_rows == FILTER_ROWS_PROCESS ? &ui->filter : &view->filter;
}

void ui_gather(struct ui *ui, struct view *view)
{
	struct view_ctx ctx = ui_context(ui, view);

	view->ticks = view->working = false;
	if (view->ops->keeps_rows && table_is_ordered(&view->table) &&
	    view->ops->keeps_rows(&ctx, &view->table)) {
		table_reselect(&view->table);
		return;
	}
	table_clear(&view->table);
	view->table.of_several = model_has_agents(ctx.model);
	view->ops->gather(&ctx, &view->table);
	view_sort_keys(&ctx, &view->table);
	view_filter_rows(&ctx);
	table_order(&view->table);
}

static void gather_frame(struct ui *ui, struct view *view)
{
	struct view_ctx ctx = ui_context(ui, view);

	ui_gather(ui, view);
	if (view == ui_front(ui))
		find_run(&ui->find, &ctx);
}

static void gather_panes(struct ui *ui)
{
	struct view *processes = &ui->panes[VIEW_PROCESSES];

	gather_frame(ui, processes);
	const struct row *row = table_selected(&processes->table);

	ui->selected = row ? model_handle(ui->in.model, row->ref) : HANDLE_NONE;
	for (int i = 0; i < NR_PANES; i++) {
		struct view *view = &ui->panes[i];
		bool is_another = !handle_equal(view->subject.process, ui->selected);

		if (is_another && view->ops->of_process) {
			view->table.has_selection = view->table.touched = false;
			view->table.at = view->table.top = 0;
		}
		view->subject.process = ui->selected;
		if (view->ops->of_process)
			view->table.owner = ui->selected.sid_hash;
		if (i != VIEW_PROCESSES && ui->layout.panes[i].cols)
			gather_frame(ui, view);
	}
}

static void summary_show(struct ui *ui)
{
	if (ui->has_summary || !ui->in.command_ended)
		return;
	ui->has_summary = true;
	if (!ui->nr_pages && ui->asking == ASK_NONE && !menu_is_open(&ui->menu))
		ui_push_page(ui, VIEW_SUMMARY, NULL);
	else
		ui_notice(ui, "The command has ended: S shows the parts of its time");
}

static void ui_begin(struct ui *ui)
{
	int id = ui->setup->options.page;

	if (ui->begun)
		return;
	ui->begun = true;
	ui_start_offer(ui);
	if (id < NR_PANES)
		ui->focus = id;
	else if (!ui_page_is_refused(ui, (enum view_id)id))
		ui_push_page(ui, (enum view_id)id, NULL);
}

static const char *sources_in_words(struct ui *ui)
{
	const struct ui_input *in = &ui->in;
	bool files = true;

	if (ui->config.title || in->nr_sources < 3)
		return ui->specs;
	for (int i = 0; i < in->nr_sources; i++)
		files &= in->sources[i].kind && !strcmp(in->sources[i].kind, "file");
	snprintf(ui->words, sizeof(ui->words), "%d %s", in->nr_sources,
		 files ? "files" : "sources");
	return ui->words;
}

/* Limit the time that filters may use per frame, so that keys are handled soon. */
static void filters_begin(struct ui *ui)
{
	filter_frame(ui->filter);
	filter_frame(ui_front(ui)->filter);
	for (int i = 0; i < NR_PANES; i++)
		filter_frame(ui->panes[i].filter);
}

/* Compute the layout: before gathering, to find out which panes are visible, and again after
 * gathering panes, with the sizes that they need. */
static void make_layout(struct ui *ui)
{
	layout_make(&ui->layout, ui->cols, ui->rows, graphs_rows(&ui->graphs),
		    ui->nr_pages ? -1 : ui->focus, ui->zoomed, &ui->wants);
}

static bool is_kept(void *data, const struct model *model, uint32_t root)
{
	return filter_process(data, model, root);
}

void ui_find_findings(struct ui *ui, struct view *view, ns_t budget)
{
	struct analysis what = ui_context(ui, view).what;
	const char *text = ui->filter ? filter_text(ui->filter) : "";
	struct findings_of of = { .what = &what,
				  .own_command = ui->in.own_command,
				  .look = repository_look,
				  .output = ui->in.own_command ? ui->in.output : NULL,
				  .output_len = ui->in.output_len,
				  .keep = ui->filter ? is_kept : NULL,
				  .keep_data = ui->filter };

	findings_watch(&ui->found, &of, ui->setup->options.findings_off,
		       tr2_hash(text, strlen(text)), ui->in.monotonic_ns, budget);
	ui->working |= ui->found.begun;
}

/* Search for findings for a short time per frame, but not while existing content is read; if their
 * page is in front, always and longer. */
static void find_findings(struct ui *ui)
{
	struct view *front = ui_front(ui);
	bool open = front->id == VIEW_FINDINGS;

	if (!ui->reading || open)
		ui_find_findings(ui, front, open ? NS_PER_MS : NS_PER_MS / 2);
}

void ui_frame(struct ui *ui, const struct ui_input *input, struct surface *surface)
{
	enum human_form form = human_set_form(HUMAN_SCREEN);
	char path[256];

	ui->in = *input;
	ui->has_in = true;
	ui->ticks = ui->working = false;
	summary_show(ui);
	if (surface->cols != ui->cols || surface->rows != ui->rows)
		surface_resize(surface, ui->cols, ui->rows);
	else
		surface_clear(surface);
	surface->ascii = ui->config.ascii || ui->setup->options.ascii;
	ui_begin(ui);
	filters_begin(ui);
	ui->wants.alone = !model_nr_processes(input->model);
	graphs_update(&ui->graphs, input, ui->cols, ui->rows, header_is_all_read(input));
	make_layout(ui);
	header_rate_update(&ui->rate, input);
	ui_format_path(ui, path, sizeof(path));
	ui->reading = header_is_reading(input);
	find_findings(ui);
	header_draw(surface, ui->layout.header_rows, &ui->rate, &ui->graphs, input,
		    sources_in_words(ui), path, !ui->nr_pages && !ui->zoomed, &ui->found.kinds);
	trace2_region_enter("frame", "gather", NULL);
	if (ui->nr_pages)
		gather_frame(ui, ui_front(ui));
	else
		gather_panes(ui);
	if (!ui->nr_pages) {
		ui_wants(ui);
		make_layout(ui);
	}
	trace2_region_leave("frame", "gather", NULL);
	trace2_region_enter("frame", "draw", NULL);
	if (ui->nr_pages) {
		ui_draw_view(ui, ui_front(ui), surface, ui->layout.body, true);
	} else {
		for (int i = 0; i < NR_PANES; i++)
			ui_draw_view(ui, &ui->panes[i], surface, ui->layout.panes[i],
				     i == ui->focus);
	}
	ui_draw_tabs(ui, surface);
	ui_draw_keys(ui, surface);
	ui_menu_draw(ui, surface);
	ui->drawn = ui_front(ui);
	trace2_region_leave("frame", "draw", NULL);
	ui->ticks = (ui->ticks || ui->reading) && !input->paused;
	memset(&ui->in.sources, 0, sizeof(ui->in.sources));
	ui->in.nr_sources = 0;
	ui->in.output_len = 0;
	human_set_form(form);
}

void ui_draw_work(struct ui *ui, struct surface *surface, const char *what, uint64_t done,
		  uint64_t total)
{
	int y = ui->layout.keys_y, cells = surface->cols >= 80 ? 30 : 10, x;
	double share = total ? (double)done / (double)total : 0;

	for (x = 0; x < surface->cols; x++)
		surface_text(surface, x, y, 1, STYLE_NOTICE, " ", 1);
	x = surface_text(surface, 0, y, surface->cols, STYLE_NOTICE, what, SIZE_MAX) + 1;
	surface_bar(surface, x, y, cells, STYLE_BAR, 1 + (int64_t)(share * (cells * 8 - 1)));
	surface_printf(surface, x + cells + 1, y, surface->cols - x - cells - 1, STYLE_NOTICE,
		       "%d%% · Esc cancels", (int)(share * 100));
}
