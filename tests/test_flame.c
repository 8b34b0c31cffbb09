/* SPDX-License-Identifier: MIT */
/*
 * Tests of spans and of the flame graph, such as of its figures and its widths on random traces.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/journal_script.h"
#include "monitor/analysis/flame.h"
#include "monitor/analysis/flame_around.h"
#include "monitor/analysis/spans.h"

static const int sizes[] = { 38, 78, 198 };

#define NR_SIZES ((int)(sizeof(sizes) / sizeof(*sizes)))

/* State of a small random generator, so that every run uses the same traces. */
static uint32_t random_state;

static uint32_t flame_test_random_below(uint32_t bound)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (random_state >> 8) % bound;
}

struct scene {
	struct script script;
	struct model *model;
	struct analysis what;
	struct flame flame;
};

static void scene_open(struct scene *scene, uint32_t seed)
{
	memset(scene, 0, sizeof(*scene));
	random_state = seed;
	script_init(&scene->script);
}

static void scene_ready(struct scene *scene)
{
	scene->model = script_model(&scene->script, -1, 0);
	scene->what = (struct analysis){ .model = scene->model,
					 .now = model_last_time(scene->model),
					 .limits = { -1, -1 },
					 .process = HANDLE_NONE,
					 .category = SYM_NONE,
					 .label = SYM_NONE };
}

static void scene_close(struct scene *scene)
{
	flame_release(&scene->flame);
	model_free(scene->model);
	script_release(&scene->script);
}

static void choose_process(struct scene *scene, uint32_t slot)
{
	scene->what.process = model_handle(scene->model, slot);
}

static const struct process *chosen(const struct scene *scene)
{
	return model_process(scene->model, scene->what.process);
}

/* Write properly nested regions, with an increasing clock. Returns a later time in seconds. */
static double honest_regions(struct scene *scene, const char *sid, double at, int nesting)
{
	int nr = 1 + (int)flame_test_random_below(3);

	for (int i = 0; i < nr; i++) {
		double begun = at += (1 + flame_test_random_below(50)) / 1000.0;
		char label[64], more[160];

		snprintf(label, sizeof(label), "'category':'c%u','label':'l%u','nesting':%d",
			 flame_test_random_below(3), flame_test_random_below(4), nesting);
		script_event(&scene->script, "region_enter", sid, at, label);
		if (nesting < 5 && flame_test_random_below(3))
			at = honest_regions(scene, sid, at, nesting + 1);
		at += (1 + flame_test_random_below(50)) / 1000.0;
		snprintf(more, sizeof(more), "%s,'t_rel':%.6f", label, at - begun);
		script_event(&scene->script, "region_leave", sid, at, more);
	}
	return at + (1 + flame_test_random_below(20)) / 1000.0;
}

static void honest_trace(struct scene *scene)
{
	static const char sid[] = "20260102T030400.000000Z-H1-P00000001";
	char more[64];
	double end;

	script_event(&scene->script, "start", sid, 0, "'t_abs':0.0,'argv':['git','x']");
	end = honest_regions(scene, sid, 0, 1);
	snprintf(more, sizeof(more), "'t_abs':%.6f,'code':0", end);
	script_event(&scene->script, "exit", sid, end, more);
	scene_ready(scene);
	choose_process(scene, model_first_root(scene->model));
}

/* Write inconsistent events, such as leaves without enters. */
static void deviant_trace(struct scene *scene)
{
	static const char *const sids[] = {
		"20260102T030400.000000Z-H1-P00000001",
		"20260102T030400.000000Z-H1-P00000001/20260102T030401.000000Z-H1-P00000002",
		"20260102T030400.000000Z-H1-P00000003",
	};
	int live = (int)flame_test_random_below(2);

	script_stream(&scene->script, 1, 1, live);
	for (int i = 0; i < 120; i++) {
		const char *sid = sids[flame_test_random_below(3)];
		double at = flame_test_random_below(4000) / 1000.0;
		char more[200];
		int len = snprintf(more, sizeof(more),
				   "'category':'c%u','label':'l%u','nesting':%u,"
				   "'thread':'%s'",
				   flame_test_random_below(3), flame_test_random_below(3),
				   flame_test_random_below(6),
				   flame_test_random_below(3) ? "main" : "th01:x");

		switch (flame_test_random_below(10)) {
		case 0:
			script_event(&scene->script, "exit", sid, at, "'t_abs':0.7,'code':1");
			break;
		case 1:
			script_event(&scene->script, "start", sid, at,
				     "'t_abs':0.1,'argv':['git']");
			break;
		case 2:
			snprintf(more + len, sizeof(more) - (size_t)len, ",'t_rel':%s",
				 flame_test_random_below(2) ? "9200000000.5" : "-3.5");
			script_event(&scene->script, "region_leave", sid, at, more);
			break;
		case 3:
		case 4:
		case 5:
			snprintf(more + len, sizeof(more) - (size_t)len, ",'t_rel':%.6f",
				 flame_test_random_below(2000000) / 1e6);
			script_event(&scene->script, "region_leave", sid, at, more);
			break;
		default:
			script_event(&scene->script, "region_enter", sid, at, more);
		}
	}
	scene_ready(scene);
	choose_process(scene, model_first_root(scene->model));
}

/* Assert that children fit into the room of their node, and that in cells they lie within it
 * without overlapping. */
static void check_room(const struct flame *flame)
{
	double *inner = calloc(flame->nr + 1, sizeof(*inner));

	assert_non_null(inner);
	for (uint32_t i = 0; i < flame->nr; i++) {
		const struct flame_node *node = &flame->nodes[i];

		assert_true(node->room >= (double)node->total);
		if (node->parent != FLAME_NONE)
			inner[node->parent] += node->room;
	}
	for (uint32_t i = 0; i < flame->nr; i++)
		assert_true(inner[i] <= flame->nodes[i].room * (1 + 1e-9));
	free(inner);
	for (int size = 0; size < NR_SIZES; size++) {
		int *cells = calloc(flame->nr + 1, sizeof(*cells)), cols = sizes[size];

		assert_non_null(cells);
		for (uint32_t i = 0; i < flame->nr_order; i++) {
			const struct flame_node *node = &flame->nodes[flame->order[i]];
			int from, to, outer_from = 0, outer_to = cols;

			flame_cells(node, cols, &from, &to);
			if (node->level)
				flame_cells(&flame->nodes[node->parent], cols, &outer_from,
					    &outer_to);
			assert_in_range(from, outer_from, outer_to);
			assert_in_range(to, from, outer_to);
			if (node->level)
				cells[node->parent] += to - from;
			if (node->level)
				assert_true(cells[node->parent] <= outer_to - outer_from);
			if (i && flame->nodes[flame->order[i - 1]].level == node->level) {
				int left_from, left_to;

				flame_cells(&flame->nodes[flame->order[i - 1]], cols, &left_from,
					    &left_to);
				assert_true(left_to <= from);
			}
		}
		free(cells);
	}
}

static void random_traces_never_draw_a_child_wider_than_its_parent(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 300; seed++) {
		struct scene scene;

		scene_open(&scene, seed);
		if (seed % 3)
			deviant_trace(&scene);
		else
			honest_trace(&scene);
		for (int scope = 0; scope < NR_FLAME_SCOPES; scope++) {
			struct flame_of of = {
				.scope = (enum flame_scope)scope,
				.category = script_sym(&scene.script, "c1"),
				.label = script_sym(&scene.script, "l1"),
				.thread = script_sym(&scene.script, "main"),
			};

			flame_make(&scene.flame, &scene.what, &of);
			for (uint32_t top = 0; top < scene.flame.nr; top += 1 + seed % 7) {
				flame_layout(&scene.flame, top);
				assert_true(scene.flame.nr_order > 0);
				check_room(&scene.flame);
			}
		}
		scene_close(&scene);
	}
}

static void widths_match_the_figures_within_a_cell(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 100; seed++) {
		struct flame_of of = { .scope = FLAME_PROCESS };
		struct scene scene;

		scene_open(&scene, seed);
		honest_trace(&scene);
		flame_make(&scene.flame, &scene.what, &of);
		flame_layout(&scene.flame, 0);
		assert_true(scene.flame.nr_order == scene.flame.nr);
		assert_true(scene.flame.nodes[0].total == process_elapsed(chosen(&scene)));
		for (int size = 0; size < NR_SIZES; size++)
			for (uint32_t i = 0; i < scene.flame.nr; i++) {
				const struct flame_node *node = &scene.flame.nodes[i];
				double wanted = (double)node->total /
						(double)scene.flame.nodes[0].total * sizes[size];
				int from, to;

				flame_cells(node, sizes[size], &from, &to);
				assert_true(to - from < wanted + 1.001);
				assert_true(to - from > wanted - 1.001);
			}
		scene_close(&scene);
	}
}

static void flame_sums_equal_the_timings(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 150; seed++) {
		struct flame_of of = { .scope = FLAME_ALL };
		struct timing_limits limits = { seed % 5 == 4 ? 2 : -1, seed % 7 == 6 ? 0 : -1 };
		struct scene scene;

		scene_open(&scene, seed);
		if (seed % 2)
			deviant_trace(&scene);
		else
			honest_trace(&scene);
		scene.what.limits = limits;
		flame_make(&scene.flame, &scene.what, &of);
		for (uint32_t row = 0; row < model_nr_timing_rows(scene.model); row++) {
			uint64_t count = 0;
			ns_t self = 0, open = 0;
			struct timing timing;

			if (!model_timing(scene.model, row, &limits, &timing))
				continue;
			for (uint32_t i = 0; i < scene.flame.nr; i++) {
				const struct flame_node *node = &scene.flame.nodes[i];

				if (node->kind != FLAME_NODE_REGION || node->a != timing.category ||
				    node->b != timing.label)
					continue;
				count += node->count;
				/* Sums saturate, as in the model. */
				self = self > INT64_MAX - node->self ? INT64_MAX
								     : self + node->self;
				open += node->nr_open;
			}
			assert_int_equal(count, timing.count);
			if (!open)
				assert_int_equal(self, timing.self);
		}
		scene_close(&scene);
	}
}

static bool same_name(const struct flame *flame, const struct flame_around_row *a,
		      const struct flame_around_row *b)
{
	const struct flame_node *x = &flame->nodes[a->node], *y = &flame->nodes[b->node];

	return a->relation == b->relation && x->kind == y->kind && x->a == y->a && x->b == y->b &&
	       (x->kind != FLAME_NODE_PROCESS || x->a != SYM_NONE || x->slot == y->slot);
}

static void rows_around_a_node_sum_up_the_graph(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 20; seed++) {
		struct flame_around around = { 0 };
		struct scene scene;

		scene_open(&scene, seed);
		honest_trace(&scene);
		flame_make(&scene.flame, &scene.what, &(struct flame_of){ .scope = FLAME_ALL });
		for (int order = 0; order < NR_FLAME_ORDERS; order++) {
			ns_t nodes = 0, rows = 0;
			uint64_t counted = 0, of_rows = 0;

			flame_around_make(&around, &scene.flame, 0, (enum flame_around_order)order,
					  false);
			for (uint32_t i = 1; i < scene.flame.nr; i++) {
				nodes += scene.flame.nodes[i].self;
				counted += scene.flame.nodes[i].count;
			}
			for (uint32_t i = 0; i < around.nr; i++) {
				const struct flame_around_row *row = &around.rows[i];

				if (row->relation != FLAME_INSIDE)
					continue;
				rows += row->self;
				of_rows += row->count;
				if (i && order == FLAME_BY_TOTAL)
					assert_true(around.rows[i - 1].total >= row->total);
				if (i && order == FLAME_BY_SELF)
					assert_true(around.rows[i - 1].self >= row->self);
				for (uint32_t k = 0; k < i; k++)
					assert_false(same_name(&scene.flame, &around.rows[k], row));
			}
			assert_int_equal(rows, nodes);
			assert_int_equal(of_rows, counted);
		}
		flame_around_release(&around);
		scene_close(&scene);
	}
}

static void callers_and_callees_are_parents_and_children(void **state)
{
	struct flame_around around = { 0 };
	struct scene scene;
	uint32_t checked = 0;

	(void)state;
	scene_open(&scene, 5);
	honest_trace(&scene);
	flame_make(&scene.flame, &scene.what, &(struct flame_of){ .scope = FLAME_ALL });
	for (uint32_t i = 1; i < scene.flame.nr; i++) {
		const struct flame_node *node = &scene.flame.nodes[i];
		bool has_caller = !node->parent, has_callee = node->child == FLAME_NONE;

		flame_around_make(&around, &scene.flame, i, FLAME_BY_SELF, false);
		for (uint32_t k = 0; k < around.nr; k++) {
			struct flame_around_row caller = { FLAME_CALLER, node->parent, 0, 0, 0 };
			struct flame_around_row callee = { FLAME_CALLEE, node->child, 0, 0, 0 };

			has_caller |= same_name(&scene.flame, &around.rows[k], &caller);
			has_callee |= node->child != FLAME_NONE &&
				      same_name(&scene.flame, &around.rows[k], &callee);
		}
		assert_true(has_caller && has_callee);
		checked++;
	}
	assert_true(checked > 10);
	flame_around_release(&around);
	scene_close(&scene);
}

static void open_regions_grow_unless_stale(void **state)
{
	static const char sid[] = "20260102T030400.000000Z-H1-P00000001";

	(void)state;
	for (int live = 0; live < 2; live++) {
		struct flame_of of = { .scope = FLAME_PROCESS };
		struct scene scene;

		scene_open(&scene, 1);
		script_stream(&scene.script, 1, 0, live);
		script_event(&scene.script, "start", sid, 0, "'t_abs':0.0,'argv':['git','x']");
		script_event(&scene.script, "region_enter", sid, 1,
			     "'category':'c','label':'l','nesting':1");
		scene_ready(&scene);
		choose_process(&scene, model_first_root(scene.model));
		scene.what.now += 4 * NS_PER_SEC;
		flame_make(&scene.flame, &scene.what, &of);
		assert_int_equal(scene.flame.nr, 2);
		assert_int_equal(scene.flame.live, live);
		assert_int_equal(scene.flame.nodes[1].total, live ? 4 * NS_PER_SEC : 0);
		assert_int_equal(scene.flame.nodes[1].nr_open, live);
		scene_close(&scene);
	}
}

static const struct flame_node *frame_of(const struct scene *scene, const char *name,
					 uint32_t parent)
{
	for (uint32_t i = 0; i < scene->flame.nr; i++) {
		const struct flame_node *node = &scene->flame.nodes[i];
		const char *text;
		size_t len;

		if (node->kind != FLAME_NODE_FRAME || node->parent != parent)
			continue;
		text = flame_frame(scene->model, node, &len);
		if (len == strlen(name) && !memcmp(text, name, len))
			return node;
	}
	fail_msg("no frame %s", name);
	return NULL;
}

static void cpu_samples_become_frames_with_counts(void **state)
{
	static const char sid[] = "20260102T030400.000000Z-H1-P00000001";
	static const struct {
		const char *category, *key, *value;
	} data[] = {
		{ "cpu samples", "main.main;main.work;main.hash", "5" },
		{ "cpu samples", "main.main;main.work", "2" },
		{ "cpu samples", "main.main;main.work;main.hash", "3" },
		{ "cpu samples", "gc", "4" },
		{ "cpu samples", "main.main", "none" },
		{ "cpu", "main.main", "100" },
	};
	const struct flame_node *main_frame, *work, *hash;
	struct scene scene;
	char more[200];
	uint32_t slot;

	(void)state;
	scene_open(&scene, 1);
	script_about_trace(&scene.script, sid, "go", 0, NULL);
	script_event(&scene.script, "cmd_name", sid, 0, "'name':'prog'");
	for (size_t i = 0; i < sizeof(data) / sizeof(data[0]); i++) {
		snprintf(more, sizeof(more), "'category':'%s','key':'%s','value':'%s','nesting':1",
			 data[i].category, data[i].key, data[i].value);
		script_event(&scene.script, "data", sid, 0, more);
		/* The category "cpu samples" has samples only if the trace's format is not
		 * EVENT. */
		script_event(&scene.script, "data", "git", 0, more);
	}
	scene_ready(&scene);
	assert_false(flame_has_samples(scene.model, script_process(scene.model, "git")));
	assert_true(flame_has_samples(scene.model, script_process(scene.model, sid)));
	slot = model_first_root(scene.model);
	while (model_slot(scene.model, slot) != script_process(scene.model, sid))
		slot = model_next_sibling(scene.model, slot);
	choose_process(&scene, slot);
	flame_make(&scene.flame, &scene.what, &(struct flame_of){ .scope = FLAME_SAMPLES });
	main_frame = frame_of(&scene, "main.main", 0);
	work = frame_of(&scene, "main.work", (uint32_t)(main_frame - scene.flame.nodes));
	hash = frame_of(&scene, "main.hash", (uint32_t)(work - scene.flame.nodes));
	assert_int_equal(frame_of(&scene, "gc", 0)->total, 4);
	assert_int_equal(main_frame->total, 10);
	assert_int_equal(main_frame->self, 0);
	assert_int_equal(work->total, 10);
	assert_int_equal(work->self, 2);
	assert_int_equal(hash->total, 8);
	assert_int_equal(hash->self, 8);
	assert_int_equal(scene.flame.nr, 5);
	flame_layout(&scene.flame, 0);
	assert_true(main_frame->x0 == 0 && main_frame->x1 > 0.70 && main_frame->x1 < 0.73);
	assert_true(hash->x1 - hash->x0 < work->x1 - work->x0);
	scene_close(&scene);
}

static void completed_regions_become_spans_with_their_duration(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 60; seed++) {
		struct spans spans = { 0 };
		struct scene scene;
		struct journal *journal = journal_new(64 << 20, NULL, NULL);
		ns_t sum = 0, wanted = 0;
		uint64_t nr = 0;

		scene_open(&scene, seed);
		scene.script.cut_every = 1 + seed % 9;
		honest_trace(&scene);
		for (unsigned i = 0; i < scene.script.nr_batches; i++) {
			journal_push(journal, scene.script.batches[i]);
			assert_non_null(journal_next(journal));
		}
		scene.script.nr_batches = 0; /* the journal owns the batches now */
		while (spans_read(&spans, journal) < 100)
			;
		for (uint32_t i = 0; i < spans.nr_tracks; i++)
			for (uint32_t at = 0; at < spans.tracks[i]->nr; at++) {
				const struct span *span = &spans.tracks[i]->items[at];

				sum += span->end - span->start;
				nr++;
			}
		for (uint32_t row = 0; row < model_nr_timing_rows(scene.model); row++) {
			struct timing_limits limits = { -1, -1 };
			struct timing timing;

			if (model_timing(scene.model, row, &limits, &timing))
				wanted += timing.total;
		}
		assert_int_equal(nr, model_totals(scene.model)->regions);
		assert_int_equal(sum, wanted);
		assert_non_null(spans_track(&spans, spans_key(chosen(&scene)->sid_hash,
							      script_sym(&scene.script, "main"))));
		spans_reset(&spans, "20260102T030400.000000Z-H1-P0000000", 35);
		assert_int_equal(spans_read(&spans, journal) >= 0, 1);
		/* a process whose SID only begins with that of the tree is not in it */
		assert_int_equal(spans.nr, 0);
		spans_release(&spans);
		journal_free(journal);
		scene_close(&scene);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_traces_never_draw_a_child_wider_than_its_parent),
		cmocka_unit_test(widths_match_the_figures_within_a_cell),
		cmocka_unit_test(flame_sums_equal_the_timings),
		cmocka_unit_test(rows_around_a_node_sum_up_the_graph),
		cmocka_unit_test(callers_and_callees_are_parents_and_children),
		cmocka_unit_test(open_regions_grow_unless_stale),
		cmocka_unit_test(cpu_samples_become_frames_with_counts),
		cmocka_unit_test(completed_regions_become_spans_with_their_duration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
