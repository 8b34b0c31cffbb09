/* SPDX-License-Identifier: MIT */
/* Duration of a frame at 200x60 with 10,000 processes, including the derived parts of the model:
 * without new events, and with events between frames; CPU time and wall time. Also the CPU time of
 * single computations. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "monitor/analysis/command_trends.h"
#include "monitor/analysis/heat.h"
#include "monitor/analysis/over_time.h"
#include "monitor/analysis/set_difference_sets.h"
#include "monitor/analysis/values.h"
#include "monitor/history/journal.h"
#include "monitor/model/model.h"
#include "monitor/read/reader.h"
#include "views/registry/registry.h"
#include "views/ui/graphs.h"
#include "views/ui/ui.h"

#define NR_PROCESSES        10000
#define NR_FRAMES           300
#define NR_ROUNDS           31
#define VALUES_PER_PROCESS  20
#define REGIONS_PER_PROCESS 20
/* Number of events per frame, at 30 frames and 30,000 events per second. */
#define FRAME_EVENTS 1000

static void frame_add_line(struct tr2_buf *out, int nr, const char *event, const char *more)
{
	tr2_buf_addf(out, "{\"event\":\"%s\",\"sid\":\"20260102T1228%02d.%06dZ-H6b1a4c2e-P%08x",
		     event, nr / 3 / 1000 % 60, nr / 3, nr / 3 * 3);
	if (nr % 3)
		tr2_buf_addf(out, "/20260102T1229%02d.%06dZ-H6b1a4c2e-P%08x", nr / 1000 % 60, nr,
			     nr);
	tr2_buf_addf(out, "\",\"thread\":\"main\",\"time\":\"2026-01-02T12:29:%02d.%06dZ\"%s}\n",
		     nr / 1000 % 60, nr, more);
}

static void frame_add_process(struct tr2_buf *out, int nr)
{
	frame_add_line(out, nr, "start",
		       ",\"t_abs\":0.001,\"argv\":[\"git\",\"status\",\"--short\"]");
	frame_add_line(out, nr, "cmd_name", ",\"name\":\"status\",\"hierarchy\":\"status\"");
	frame_add_line(out, nr, "region_enter",
		       ",\"nesting\":1,\"category\":\"index\",\"label\":\"do_read_index\"");
	frame_add_line(out, nr, "region_leave",
		       ",\"t_rel\":0.001,\"nesting\":1,\"category\":\"index\",\"label\":\"do_read_"
		       "index\"");
	if (nr % 3)
		frame_add_line(out, nr, "exit", ",\"t_abs\":0.1,\"code\":0");
}

static int frame_by_size(const void *a, const void *b)
{
	ns_t x = *(const ns_t *)a, y = *(const ns_t *)b;

	return (x > y) - (x < y);
}

struct frame_bench {
	struct journal *journal;
	struct model *model;
	struct reader *reader;
	struct ui *ui;
	struct ui_input in;
	struct tr2_buf text;
	int nr; /* processes so far */
};

static void frame_apply(struct frame_bench *b)
{
	struct read_counts counts = { 0 };
	struct event ev = { .kind = REC_STREAM };
	const struct batch *next;

	event_set(&ev, FLD_STREAM, 1);
	event_set(&ev, FLD_LIVE, 1);
	tr2_buf_reserve(&b->text, READER_PAD);
	for (size_t at = 0; at < b->text.len;) {
		struct batch *batch = journal_take(b->journal);

		batch_add(batch, &ev);
		at += reader_lines(b->reader, b->text.data + at, b->text.len - at, batch, &counts,
				   NULL, NULL);
		journal_push(b->journal, batch);
	}
	while ((next = journal_next(b->journal)))
		model_apply(b->model, next);
}

/* Add about FRAME_EVENTS events: new processes, and regions of existing ones. */
static void add_frame_events(struct frame_bench *b)
{
	b->text.len = 0;
	for (int i = 0; i < FRAME_EVENTS; i += 10) {
		int old = b->nr - 1 - i * 7 % (NR_PROCESSES / 2);

		frame_add_process(&b->text, b->nr++);
		for (int j = 0; j < 5; j++)
			frame_add_line(
				&b->text, old - old % 3, "region_enter",
				",\"nesting\":1,\"category\":\"index\",\"label\":\"refresh\"");
	}
	frame_apply(b);
}

static void frame_row(const char *what, const char *busy, const char *clock, ns_t *spans)
{
	qsort(spans, NR_FRAMES, sizeof(*spans), frame_by_size);
	printf("frame: %-18s %-22s %-4s median %5.2f ms  p99 %5.2f  max %5.2f\n", what, busy, clock,
	       (double)spans[NR_FRAMES / 2] / 1e6, (double)spans[NR_FRAMES * 99 / 100] / 1e6,
	       (double)spans[NR_FRAMES - 1] / 1e6);
}

static void frame_measure(struct frame_bench *b, const char *what, const char *keys, bool busy)
{
	struct surface *surface = surface_new(200, 60, false);
	ns_t wall[NR_FRAMES], cpu[NR_FRAMES];
	bool bad = false;

	for (uint32_t key; (key = key_script_next(&keys, &bad));) {
		ui_frame(b->ui, &b->in, surface);
		ui_key(b->ui, &(struct key_event){ .key = key });
	}
	for (int i = 0; i < NR_FRAMES; i++) {
		if (busy)
			add_frame_events(b);
		ns_t begun = tr2_clock_monotonic();
		double begun_cpu = bench_cpu_ns();

		b->in.wall_ns += 33 * NS_PER_MS;
		b->in.monotonic_ns += 33 * NS_PER_MS;
		model_settle(b->model);
		ui_frame(b->ui, &b->in, surface);
		cpu[i] = (ns_t)(bench_cpu_ns() - begun_cpu);
		wall[i] = tr2_clock_monotonic() - begun;
	}
	frame_row(what, busy ? "1,000 events per frame" : "no events", "CPU", cpu);
	frame_row("", "", "wall", wall);
	surface_free(surface);
}

static void over_time_row(const char *what, ns_t *spans)
{
	qsort(spans, NR_FRAMES, sizeof(*spans), frame_by_size);
	printf("frame: %-41s CPU  median %6.2f us  p99 %6.2f  max %6.2f\n", what,
	       (double)spans[NR_FRAMES / 2] / 1e3, (double)spans[NR_FRAMES * 99 / 100] / 1e3,
	       (double)spans[NR_FRAMES - 1] / 1e3);
}

static void over_time_measure(struct frame_bench *b)
{
	struct over_time *t = over_time_new();
	struct over_time_span span;
	ns_t idle[NR_FRAMES], busy[NR_FRAMES];

	over_time_update(t, b->model);
	for (int i = 0; i < NR_FRAMES; i++) {
		add_frame_events(b);
		model_settle(b->model);
		for (int again = 0; again < 2; again++) {
			double begun = bench_cpu_ns();

			over_time_update(t, b->model);
			if (over_time_whole(t, 200, &span))
				over_time_columns(t, &span);
			(again ? idle : busy)[i] = (ns_t)(bench_cpu_ns() - begun);
		}
	}
	over_time_row("over time, no events", idle);
	over_time_row("over time, 1,000 events", busy);
	over_time_free(t);
}

static void graphs_measure(struct frame_bench *b)
{
	struct surface *surface = surface_new(200, 60, false);
	struct graphs graphs = { .mode = GRAPHS_WHOLE };
	ns_t idle[NR_FRAMES], busy[NR_FRAMES];

	b->in.live = b->model;
	for (int i = 0; i < NR_FRAMES; i++) {
		add_frame_events(b);
		model_settle(b->model);
		for (int again = 0; again < 2; again++) {
			double begun = bench_cpu_ns();

			graphs_update(&graphs, &b->in, 200, 60, false);
			for (int row = 0; row < graphs_rows(&graphs); row++)
				graphs_draw(&graphs, row, surface, row + 1, &b->in);
			(again ? idle : busy)[i] = (ns_t)(bench_cpu_ns() - begun);
		}
	}
	over_time_row("graphs of the header, no events", idle);
	over_time_row("graphs of the header, 1,000 events", busy);
	graphs_release(&graphs);
	surface_free(surface);
}

static void pages_measure(struct frame_bench *b)
{
	struct commands_of of = { .model = b->model, .depth = -1 };
	struct heat_of heat_of = { .processes = of, .all = true };
	struct heat heat = { 0 };
	struct commands commands = { 0 };
	struct command_trends trends = { 0 };
	ns_t heats[NR_FRAMES], trend[NR_FRAMES];

	commands_make(&commands, &of, COMMANDS_BY_NAME);
	for (int i = 0; i < NR_FRAMES; i++) {
		double begun = bench_cpu_ns();

		heat_clear(&heat);
		heat_add_commands(&heat, &heat_of);
		heat_fit(&heat, 200, HEAT_OCTAVES);
		heats[i] = (ns_t)(bench_cpu_ns() - begun);
		begun = bench_cpu_ns();
		command_trends_make(&trends, &commands, b->model);
		trend[i] = (ns_t)(bench_cpu_ns() - begun);
	}
	over_time_row("heat map, 200 columns", heats);
	over_time_row("trends of commands", trend);
	heat_release(&heat);
	command_trends_release(&trends);
	commands_release(&commands);
}

static void add_frame_values(struct frame_bench *b)
{
	b->text.len = 0;
	for (int i = 0; i < NR_PROCESSES * VALUES_PER_PROCESS; i++) {
		char more[120];

		snprintf(more, sizeof(more),
			 ",\"nesting\":1,\"category\":\"c%d\",\"key\":\"k%d\",\"value\":\"%s%d\"",
			 i % 4, i % 20, i % 5 ? "" : "text ", i * 7919 % 5003);
		frame_add_line(&b->text, b->nr - 1 - i / VALUES_PER_PROCESS, "data", more);
	}
	frame_apply(b);
	model_settle(b->model);
}

static void values_measure(struct frame_bench *b)
{
	struct analysis what = { .model = b->model,
				 .limits = { -1, -1 },
				 .process = HANDLE_NONE,
				 .category = SYM_NONE,
				 .label = SYM_NONE };
	struct value_rows values = { 0 };
	ns_t slices[NR_FRAMES], copies[NR_FRAMES];
	bool is_complete = true;

	add_frame_values(b);
	for (int i = 0; i < NR_FRAMES; i++) {
		double begun;

		if (is_complete)
			value_rows_begin(&values);
		begun = bench_cpu_ns();
		is_complete = value_rows_continue(&values, &what, VALUES_FRAME_OCCURRENCES);
		slices[i] = (ns_t)(bench_cpu_ns() - begun);
		begun = bench_cpu_ns();
		model_free(model_copy(b->model));
		copies[i] = (ns_t)(bench_cpu_ns() - begun);
	}
	over_time_row("values, 20,000 occurrences per frame", slices);
	over_time_row("copy of the model, for a query", copies);
	value_rows_release(&values);
}

static bool every_run(void *data, const struct model *model, uint32_t slot)
{
	(void)data;
	(void)model;
	(void)slot;
	return true;
}

/* Compare the slow runs with the others NR_ROUNDS times, in slices. */
static void difference_measure(const struct frame_bench *b, const char *what)
{
	struct set_difference_choice choice = {
		.model = b->model, .depth = -1, .which = SETS_SLOW, .in = every_run
	};
	struct set_difference d = { 0 };
	ns_t longest[NR_ROUNDS], whole[NR_ROUNDS];
	char title[80];

	for (int i = 0; i < NR_ROUNDS; i++) {
		bool is_complete = false;

		longest[i] = whole[i] = 0;
		for (bool begins = true; !is_complete; begins = false) {
			double begun = bench_cpu_ns();
			ns_t took;

			if (begins)
				set_difference_choose(&d, &choice);
			is_complete = set_difference_continue(&d, b->model, ATTRIBUTES_FRAME_UNITS);
			took = (ns_t)(bench_cpu_ns() - begun);
			whole[i] += took;
			longest[i] = took > longest[i] ? took : longest[i];
		}
	}
	qsort(whole, NR_ROUNDS, sizeof(*whole), frame_by_size);
	qsort(longest, NR_ROUNDS, sizeof(*longest), frame_by_size);
	snprintf(title, sizeof(title), "differences of %" PRIu32 " runs, %s", d.runs[0] + d.runs[1],
		 what);
	printf("frame: %-58s CPU  median %5.2f ms  max %5.2f  longest frame: median %5.2f ms  max "
	       "%5.2f\n",
	       title, (double)whole[NR_ROUNDS / 2] / 1e6, (double)whole[NR_ROUNDS - 1] / 1e6,
	       (double)longest[NR_ROUNDS / 2] / 1e6, (double)longest[NR_ROUNDS - 1] / 1e6);
	set_difference_release(&d);
}

static void end_frame_processes(struct frame_bench *b)
{
	b->text.len = 0;
	for (int i = 0; i < b->nr; i += 3)
		frame_add_line(&b->text, i, "exit", ",\"t_abs\":0.2,\"code\":0");
	frame_apply(b);
	model_settle(b->model);
}

/* Give the newest NR_PROCESSES processes values such as parameters, counts and a worktree. */
static void add_frame_attributes(struct frame_bench *b)
{
	b->text.len = 0;
	for (int i = 0; i < NR_PROCESSES; i++) {
		int nr = b->nr - 1 - i;
		char more[160];

		snprintf(more, sizeof(more), ",\"repo\":1,\"worktree\":\"/home/me/repo%d\"", i % 7);
		frame_add_line(&b->text, nr, "def_repo", more);
		for (int p = 0; p < 4; p++) {
			snprintf(more, sizeof(more),
				 ",\"scope\":\"local\",\"param\":\"core.p%d\",\"value\":\"%d\"", p,
				 i * 7919 % (p + 2));
			frame_add_line(&b->text, nr, "def_param", more);
		}
		for (int k = 0; k < 4; k++) {
			snprintf(more, sizeof(more),
				 ",\"nesting\":1,\"category\":\"index\",\"key\":\"n%d\","
				 "\"value\":\"%d\"",
				 k, i * 7919 % (10007 >> 2 * k));
			frame_add_line(&b->text, nr, "data", more);
		}
	}
	frame_apply(b);
	model_settle(b->model);
}

static void add_frame_regions(struct frame_bench *b)
{
	b->text.len = 0;
	for (int i = 0; i < NR_PROCESSES * REGIONS_PER_PROCESS; i++) {
		int nr = b->nr - 1 - i / REGIONS_PER_PROCESS;
		char more[120];

		snprintf(more, sizeof(more),
			 ",\"nesting\":1,\"category\":\"c%d\",\"label\":\"l%d\"", i % 4, i % 20);
		frame_add_line(&b->text, nr, "region_enter", more);
		snprintf(more, sizeof(more),
			 ",\"t_rel\":0.%06d,\"nesting\":1,\"category\":\"c%d\",\"label\":\"l%d\"",
			 i * 7919 % 10007, i % 4, i % 20);
		frame_add_line(&b->text, nr, "region_leave", more);
	}
	frame_apply(b);
	model_settle(b->model);
}

int main(void)
{
	static struct frame_bench b;
	struct tr2_intern syms;
	struct ui_config config = { .views = view_table, .nesting = -1, .depth = -1 };

	tr2_intern_init(&syms, 0, 0);
	tr2_buf_init(&b.text, 256 << 20);
	b.journal = journal_new(64 << 20, NULL, NULL);
	b.model = model_new(&syms,
			    &(struct model_config){ .nesting = -1, .max_processes = NR_PROCESSES });
	b.reader = reader_new(READER_EVENT, &syms);
	b.ui = ui_new(&config);
	b.in = (struct ui_input){ .model = b.model,
				  .journal = b.journal,
				  .intern = &syms,
				  .wall_ns = 1767356999ll * NS_PER_SEC };
	for (; b.nr < NR_PROCESSES; b.nr++)
		frame_add_process(&b.text, b.nr);
	frame_apply(&b);
	ui_resize(b.ui, 200, 60);
	printf("frame: 200x60, %d processes, %d frames per row, goal 3 ms\n", NR_PROCESSES,
	       NR_FRAMES);
	frame_measure(&b, "four panes, tree", "Down", false);
	frame_measure(&b, "four panes, tree", "", true);
	frame_measure(&b, "sorted by elapsed", "> > > >", false);
	frame_measure(&b, "sorted by elapsed", "", true);
	frame_measure(&b, "flat", "F5", false);
	frame_measure(&b, "flat", "", true);
	frame_measure(&b, "process page", "Enter", false);
	frame_measure(&b, "process page", "", true);
	frame_measure(&b, "summary", "Esc S", false);
	frame_measure(&b, "summary", "", true);
	frame_measure(&b, "findings", "Esc i", false);
	frame_measure(&b, "findings", "", true);
	frame_measure(&b, "waiting", "Esc W", false);
	frame_measure(&b, "waiting", "", true);
	frame_measure(&b, "heat map", "Esc H a", false);
	frame_measure(&b, "heat map", "", true);
	frame_measure(&b, "timeline, lanes", "Esc t a", false);
	frame_measure(&b, "timeline, lanes", "", true);
	over_time_measure(&b);
	graphs_measure(&b);
	pages_measure(&b);
	end_frame_processes(&b);
	add_frame_attributes(&b);
	difference_measure(&b, "8 values each");
	frame_measure(&b, "differences", "Esc 5 A", false);
	frame_measure(&b, "differences", "", true);
	add_frame_regions(&b);
	frame_measure(&b, "timings", "Esc 3 z", false);
	frame_measure(&b, "timings", "", true);
	frame_measure(&b, "timings, filtered", "1 F4 d e p t h > = 0 Enter 3", false);
	frame_measure(&b, "timings, filtered", "", true);
	frame_measure(&b, "timings by worktree", "Backspace b w", false);
	frame_measure(&b, "timings by worktree", "", true);
	frame_measure(&b, "timings by data", "b End Enter s s s s", false);
	frame_measure(&b, "timings by data", "", true);
	frame_measure(&b, "commands by worktree", "5 b w", false);
	frame_measure(&b, "commands by worktree", "", true);
	end_frame_processes(&b);
	values_measure(&b);
	difference_measure(&b, "20 values more");
	ui_free(b.ui);
	reader_free(b.reader);
	model_free(b.model);
	journal_free(b.journal);
	tr2_buf_release(&b.text);
	tr2_intern_release(&syms);
	return 0;
}
