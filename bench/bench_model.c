/* SPDX-License-Identifier: MIT */
/* The model alone, with shapes that are rare in real traces. The cost of applying an event must not
 * depend on the amount of existing data. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "engine/base/hash.h"
#include "monitor/model/limits.h"
#include "monitor/model/model.h"

/* Number of events between two frames, at 30 frames and about 100,000 events per second. */
#define FRAME_EVENTS 3300

#define BEGIN_NS (1760000000ll * NS_PER_SEC)

struct model_shape {
	struct tr2_intern syms;
	struct model *model;
	struct batch *batch;
	ns_t time;
	sym_t main_thread, category, label, name;
	bool frames; /* call model_settle() as often as a screen does */
	uint64_t nr_events, nr_unsettled;
	double apply_ns;
	struct bench_runs settles; /* durations of model_settle() in ms */
};

static sym_t shape_sym(struct model_shape *s, const char *text)
{
	return tr2_intern(&s->syms, text, strlen(text));
}

static void shape_begin(struct model_shape *s, uint32_t max_processes, bool frames)
{
	struct model_config config = { .nesting = -1, .max_processes = max_processes };

	*s = (struct model_shape){ .time = BEGIN_NS, .frames = frames };
	if (!tr2_intern_init(&s->syms, 0, 0))
		exit(1);
	s->model = model_new(&s->syms, &config);
	s->batch = batch_new();
	s->main_thread = shape_sym(s, "main");
	s->category = shape_sym(s, "index");
	s->label = shape_sym(s, "do_read_index");
	s->name = shape_sym(s, "status");
}

static void shape_settle(struct model_shape *s)
{
	double ns = bench_cpu_ns();

	model_settle(s->model);
	bench_add(&s->settles, (bench_cpu_ns() - ns) / 1e6);
	s->nr_unsettled = 0;
}

static void shape_apply(struct model_shape *s)
{
	double ns = bench_cpu_ns();

	model_apply(s->model, s->batch);
	s->apply_ns += bench_cpu_ns() - ns;
	s->nr_events += s->batch->nr_events;
	s->nr_unsettled += s->batch->nr_events;
	batch_clear(s->batch);
	if (s->frames && s->nr_unsettled >= FRAME_EVENTS)
		shape_settle(s);
}

static void shape_end(struct model_shape *s, const char *what)
{
	shape_apply(s);
	shape_settle(s);
	printf("%-44s %10.1f ns/event   %7.0f bytes/process\n", what,
	       s->apply_ns / (double)s->nr_events,
	       (double)model_bytes(s->model) / (double)model_nr_processes(s->model));
	if (s->frames)
		bench_row("  settled before a frame", &s->settles, "ms");
	model_free(s->model);
	batch_free(s->batch);
	tr2_intern_release(&s->syms);
}

/* Return an event of process `number`; with `is_child`, of a child of process 0. */
static struct event shape_event(struct model_shape *s, unsigned kind, uint32_t number,
				bool is_child)
{
	struct event ev = { .kind = (uint8_t)kind };
	char sid[96];
	int len = snprintf(sid, sizeof(sid), "%s20260102T122800.000000Z-H6b1a4c2e-P%08x",
			   is_child ? "20260102T122800.000000Z-H6b1a4c2e-P00000000/" : "", number);

	s->time += 10 * NS_PER_US;
	event_set(&ev, TR2_F_SID,
		  batch_sid(s->batch, sid, (size_t)len, tr2_hash(sid, (size_t)len)));
	event_set(&ev, TR2_F_THREAD, s->main_thread);
	event_set(&ev, TR2_F_TIME, s->time);
	return ev;
}

static void shape_add(struct model_shape *s, const struct event *ev)
{
	batch_add(s->batch, ev);
	if (batch_is_full(s->batch) || (s->frames && s->batch->nr_records >= FRAME_EVENTS))
		shape_apply(s);
}

static void shape_add_event(struct model_shape *s, unsigned kind, uint32_t number, bool is_child)
{
	struct event ev = shape_event(s, kind, number, is_child);

	if (kind == TR2_E_CMD_NAME)
		event_set(&ev, TR2_F_NAME, s->name);
	if (kind == TR2_E_EXIT)
		event_set(&ev, TR2_F_CODE, 0);
	shape_add(s, &ev);
}

static void shape_add_region(struct model_shape *s, unsigned kind, uint32_t number, sym_t thread)
{
	struct event ev = shape_event(s, kind, number, false);

	event_set(&ev, TR2_F_THREAD, thread);
	event_set(&ev, TR2_F_NESTING, 1);
	event_set(&ev, TR2_F_CATEGORY, s->category);
	event_set(&ev, TR2_F_LABEL, s->label);
	shape_add(s, &ev);
}

static void shape_add_child(struct model_shape *s, unsigned kind, uint32_t id, uint32_t pid)
{
	struct event ev = shape_event(s, kind, 0, false);

	event_set(&ev, TR2_F_CHILD_ID, id);
	if (kind == TR2_E_CHILD_EXIT)
		event_set(&ev, TR2_F_PID, pid);
	shape_add(s, &ev);
}

static void million_processes(uint32_t max_processes, uint32_t nr, const char *what)
{
	struct model_shape s;

	shape_begin(&s, max_processes, false);
	for (uint32_t i = 0; i < nr; i++) {
		shape_add_event(&s, TR2_E_VERSION, i, false);
		shape_add_event(&s, TR2_E_START, i, false);
		shape_add_event(&s, TR2_E_CMD_NAME, i, false);
		shape_add_event(&s, TR2_E_EXIT, i, false);
	}
	shape_end(&s, what);
}

static void live_threads(uint32_t nr, uint32_t nr_threads, const char *what)
{
	struct model_shape s;

	shape_begin(&s, DEFAULT_MAX_PROCESSES, true);
	for (uint32_t thread = 0; thread < nr_threads; thread++) {
		char name[24];

		snprintf(name, sizeof(name), "th%02u:worker", thread);
		for (uint32_t i = 0; i < nr; i++) {
			shape_add_region(&s, TR2_E_REGION_ENTER, i, shape_sym(&s, name));
			shape_add_region(&s, TR2_E_REGION_LEAVE, i, shape_sym(&s, name));
		}
	}
	shape_end(&s, what);
}

static void one_family(uint32_t nr, uint32_t max_processes, const char *what)
{
	struct model_shape s;

	shape_begin(&s, max_processes, true);
	shape_add_event(&s, TR2_E_START, 0, false);
	for (uint32_t i = 1; i <= nr; i++) {
		shape_add_child(&s, TR2_E_CHILD_START, i, 0);
		shape_add_event(&s, TR2_E_START, i, true);
		shape_add_event(&s, TR2_E_EXIT, i, true);
		shape_add_child(&s, TR2_E_CHILD_EXIT, i, i);
	}
	shape_end(&s, what);
}

int main(void)
{
	puts("model: applying events only");
	million_processes(DEFAULT_MAX_PROCESSES, 10000,
			  "10,000 processes in one stream, 10,000 kept");
	million_processes(DEFAULT_MAX_PROCESSES, 1000000, "1,000,000 processes, 10,000 kept");
	million_processes(0, 1000000, "1,000,000 processes, all kept");
	live_threads(100, 64, "100 live processes with 64 threads");
	live_threads(10000, 64, "10,000 live processes with 64 threads");
	one_family(1000, DEFAULT_MAX_PROCESSES, "a parent with 1,000 children");
	one_family(100000, DEFAULT_MAX_PROCESSES, "a parent with 100,000 children, 10,000 kept");
	one_family(100000, 0, "a parent with 100,000 children, all kept");
	return 0;
}
