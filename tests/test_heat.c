/* SPDX-License-Identifier: MIT */
/* Tests of the heat map, such as of its cells, zoom and boxes. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "monitor/analysis/heat.h"
#include "tests/journal_script.h"

static uint32_t heat_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

static void points_random(struct heat *heat, unsigned nr, uint64_t seed)
{
	for (unsigned i = 0; i < nr; i++) {
		ns_t ago = (ns_t)exp2(heat_random(&seed) % 45);
		struct heat_point point = { .slot = i,
					    .time = 1767323040 * NS_PER_SEC - ago,
					    .duration = (ns_t)exp2(heat_random(&seed) % 52) - 2,
					    .failed = heat_random(&seed) % 9 == 0 };

		heat_add(heat, &point);
	}
}

static void cells_add_up_and_lie_within_their_bounds(void **state)
{
	struct heat heat = { 0 };

	(void)state;
	points_random(&heat, 5000, 1);
	heat_add(&heat, &(struct heat_point){ .time = NS_NONE, .duration = 5 });
	assert_int_equal(heat.untimed, 1);
	for (int rows = HEAT_OCTAVES; rows <= HEAT_HALF_OCTAVES; rows++) {
		uint32_t row, column, nr = 0;

		assert_true(heat_fit(&heat, 200, (enum heat_rows)rows));
		assert_in_range(heat.nr_columns, 100, 200);
		for (uint32_t i = 0; i < heat.nr; i++) {
			const struct heat_point *p = &heat.points[i];

			assert_true(heat_place(&heat, p, &row, &column));
			assert_true(p->time >= heat_column_begin(&heat, column));
			assert_true(p->time < heat_column_begin(&heat, column + 1));
			assert_true(row == 0 || p->duration >= heat_row_bound(&heat, row));
			assert_true(row == heat.nr_rows - 1 ||
				    p->duration < heat_row_bound(&heat, row + 1));
		}
		for (row = 0; row < heat.nr_rows; row++)
			nr += heat_row_sum(&heat, row).nr;
		assert_int_equal(nr, 5000);
		assert_true(heat_row_sum(&heat, 0).nr && heat_row_sum(&heat, heat.nr_rows - 1).nr);
		for (column = nr = 0; column < heat.nr_columns; column++)
			nr += heat_column_sum(&heat, column).failed;
		assert_true(nr > 300 && nr < 800);
	}
	heat_release(&heat);
}

static void octaves_are_powers_of_two_of_a_millisecond(void **state)
{
	static const struct {
		ns_t duration, bound;
	} cases[] = { { NS_PER_MS, NS_PER_MS },
		      { NS_PER_MS - 1, NS_PER_MS / 2 },
		      { 7813, 7813 },
		      { 7812, 3907 },
		      { -4, 977 },
		      { INT64_MAX, NS_PER_MS << 29 },
		      { (NS_PER_MS << 29) - 1, NS_PER_MS << 28 } };

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct heat heat = { 0 };

		heat_add(&heat, &(struct heat_point){ .duration = cases[i].duration });
		assert_true(heat_fit(&heat, 10, HEAT_OCTAVES));
		assert_int_equal(heat.nr_rows, 1);
		assert_int_equal(heat_row_bound(&heat, 0), cases[i].bound);
		assert_int_equal(heat.shift, HEAT_MIN_SHIFT);
		heat_release(&heat);
	}
}

static void zooming_by_two_sums_pairs(void **state)
{
	struct heat narrow = { 0 }, wide = { 0 };

	(void)state;
	points_random(&narrow, 3000, 2);
	points_random(&wide, 3000, 2);
	assert_true(heat_fit(&narrow, 200, HEAT_OCTAVES));
	heat_layout(&wide, narrow.shift + 1, narrow.first >> 1, narrow.nr_columns / 2 + 1,
		    HEAT_OCTAVES);
	assert_int_equal(wide.nr_rows, narrow.nr_rows);
	for (uint32_t row = 0; row < wide.nr_rows; row++)
		for (uint32_t column = 0; column < wide.nr_columns; column++) {
			struct heat_cell sum = { 0 };

			for (int64_t of = 0; of < 2; of++) {
				int64_t at = (wide.first + column) * 2 + of - narrow.first;

				if (at < 0 || at >= narrow.nr_columns)
					continue;
				sum.nr += heat_at(&narrow, row, (uint32_t)at)->nr;
				sum.failed += heat_at(&narrow, row, (uint32_t)at)->failed;
			}
			assert_memory_equal(&sum, heat_at(&wide, row, column), sizeof(sum));
		}
	heat_release(&narrow);
	heat_release(&wide);
}

static void boxes_list_their_points(void **state)
{
	struct heat heat = { 0 };
	uint64_t seed = 4;

	(void)state;
	points_random(&heat, 2000, 3);
	heat_fit(&heat, 150, HEAT_OCTAVES);
	for (unsigned i = 0; i < 100; i++) {
		struct heat_box box = { .first_row = heat_random(&seed) % heat.nr_rows,
					.first_column = heat_random(&seed) % heat.nr_columns };
		uint32_t nr = 0, listed = 0;

		box.last_row = box.first_row + heat_random(&seed) % (heat.nr_rows - box.first_row);
		box.last_column = box.first_column +
				  heat_random(&seed) % (heat.nr_columns - box.first_column);
		for (uint32_t row = box.first_row; row <= box.last_row; row++)
			for (uint32_t c = box.first_column; c <= box.last_column; c++)
				nr += heat_at(&heat, row, c)->nr;
		for (uint32_t at = UINT32_MAX;
		     (at = heat_next_in_box(&heat, &box, at)) != UINT32_MAX;)
			listed++;
		assert_int_equal(nr, listed);
	}
	heat_release(&heat);
}

static void medians_are_rows_of_the_middle_point(void **state)
{
	struct heat heat = { 0 };

	(void)state;
	for (int i = 0; i < 5; i++)
		heat_add(&heat,
			 &(struct heat_point){ .time = NS_PER_SEC, .duration = NS_PER_MS << i });
	heat_add(&heat, &(struct heat_point){ .time = 3 * NS_PER_SEC, .duration = NS_PER_MS });
	heat_layout(&heat, 0, 1, 3, HEAT_OCTAVES);
	assert_int_equal(heat_median_row(&heat, 0), 2);
	assert_int_equal(heat_median_row(&heat, 1), heat.nr_rows);
	assert_int_equal(heat_median_row(&heat, 2), 0);
	heat_clear(&heat);
	assert_false(heat_fit(&heat, 10, HEAT_OCTAVES));
	heat_release(&heat);
}

static void points_are_ended_runs_of_a_group(void **state)
{
	struct heat_of of = { .processes.depth = -1, .by = COMMANDS_BY_NAME };
	struct heat heat = { 0 };
	struct script s;
	struct model *m;

	(void)state;
	script_init(&s);
	script_event(&s, "start", "a", 1, "'argv':['x']");
	script_event(&s, "cmd_name", "a", 1, "'name':'fetch','hierarchy':'fetch'");
	script_event(&s, "exit", "a", 2.5, "'t_abs':1.5,'code':1");
	script_event(&s, "start", "b", 1, "'argv':['x']");
	script_event(&s, "cmd_name", "b", 1, "'name':'fetch','hierarchy':'fetch'");
	script_event(&s, "start", "c", 3, "'argv':['x']");
	script_event(&s, "exit", "c", 1, "'t_abs':-2.0,'code':0");
	m = script_model(&s, -1, 0);
	of.processes.model = m;
	of.all = true;
	heat_add_commands(&heat, &of);
	assert_int_equal(heat.nr, 2);
	/* Command c ends at its start: its clock was set back. */
	assert_int_equal(heat.points[1].time, (SCRIPT_T0_SECONDS + 3) * NS_PER_SEC);
	heat_clear(&heat);
	of.all = false;
	of.id = commands_group(m, script_process(m, "a"), COMMANDS_BY_NAME);
	heat_add_commands(&heat, &of);
	assert_int_equal(heat.nr, 1);
	assert_true(heat.points[0].failed);
	assert_int_equal(heat.points[0].duration, 1500 * NS_PER_MS);
	heat_release(&heat);
	model_free(m);
	script_release(&s);
}

#define NR_OF_EVICTED 800

/* Runs of 1 ms to 2 s, one every 3 s. */
static struct model *model_with_evictions(struct script *s, uint32_t max_processes)
{
	script_init(s);
	for (unsigned i = 0; i < NR_OF_EVICTED; i++) {
		double took = (1 + (i * 7919) % 2000) / 1000.0;
		char sid[16], more[64];

		snprintf(sid, sizeof(sid), "s%u", i);
		snprintf(more, sizeof(more), "'t_abs':%.3f,'code':0", took);
		script_event(s, "start", sid, i * 3.0, "'argv':['x']");
		script_event(s, "exit", sid, i * 3.0 + took, more);
	}
	return script_model(s, -1, max_processes);
}

static void evicted_commands_complete_the_cells(void **state)
{
	struct heat_of of = { .processes.depth = -1, .all = true };

	(void)state;
	for (int rows = HEAT_OCTAVES; rows <= HEAT_HALF_OCTAVES; rows++)
		for (int shift = 0; shift <= 6; shift += 2) {
			struct heat kept = { 0 }, all = { 0 };
			struct script s, t;
			struct model *m = model_with_evictions(&s, 200);
			struct model *n = model_with_evictions(&t, 0);
			uint64_t nr = 0;

			of.processes.model = m;
			heat_add_commands(&kept, &of);
			heat_add_evicted(&kept, m);
			assert_in_range(kept.nr, 150, 201);
			of.processes.model = n;
			heat_add_commands(&all, &of);
			heat_add_evicted(&all, n);
			assert_int_equal(all.nr, NR_OF_EVICTED);
			heat_layout(&all, shift, (SCRIPT_T0_SECONDS >> shift) - 1, 3000,
				    (enum heat_rows)rows);
			heat_layout(&kept, shift, (SCRIPT_T0_SECONDS >> shift) - 1, 3000,
				    (enum heat_rows)rows);
			assert_int_equal(kept.first_row, all.first_row);
			assert_int_equal(kept.nr_rows, all.nr_rows);
			for (uint32_t row = 0; row < all.nr_rows; row++)
				for (uint32_t column = 0; column < 3000; column++) {
					assert_int_equal(heat_evicted(&all, row, column), 0);
					assert_int_equal(heat_at(&kept, row, column)->nr +
								 heat_evicted(&kept, row, column),
							 heat_at(&all, row, column)->nr);
					nr += heat_evicted(&kept, row, column);
				}
			assert_int_equal(nr, NR_OF_EVICTED - kept.nr);
			heat_release(&kept);
			heat_release(&all);
			model_free(m);
			model_free(n);
			script_release(&s);
			script_release(&t);
		}
}

/* A slot of evicted commands is 1 s wide and covers several columns. */
static void slots_wider_than_columns_are_spread(void **state)
{
	struct heat_of of = { .processes.depth = -1, .all = true };
	struct heat heat = { 0 };
	struct script s;
	struct model *m = model_with_evictions(&s, 200);
	uint64_t nr = 0;

	(void)state;
	of.processes.model = m;
	heat_add_commands(&heat, &of);
	heat_add_evicted(&heat, m);
	heat_layout(&heat, -3, (int64_t)SCRIPT_T0_SECONDS * 8, 8 * 60, HEAT_OCTAVES);
	for (uint32_t row = 0; row < heat.nr_rows; row++)
		for (uint32_t column = 0; column < heat.nr_columns; column++)
			nr += heat_evicted(&heat, row, column);
	assert_int_equal(nr, 20); /* the first minute */
	heat_release(&heat);
	model_free(m);
	script_release(&s);
}

static void fitting_leaves_columns_for_evicted_commands(void **state)
{
	struct heat_of of = { .processes.depth = -1, .all = true };

	(void)state;
	for (uint32_t max = 20; max <= 200; max += 60) {
		struct heat heat = { 0 };
		struct script s;
		struct model *m = model_with_evictions(&s, 200);
		uint32_t first_kept = UINT32_MAX;

		of.processes.model = m;
		heat_add_commands(&heat, &of);
		heat_add_evicted(&heat, m);
		assert_true(heat_fit(&heat, max, HEAT_OCTAVES));
		assert_in_range(heat.nr_columns, max / 2, max);
		for (uint32_t i = 0; i < heat.nr_columns; i++)
			if (heat_column_sum(&heat, i).nr && first_kept == UINT32_MAX)
				first_kept = i;
		assert_in_range(first_kept, max / 4, heat.nr_columns - max / 4);
		heat_release(&heat);
		model_free(m);
		script_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_add_up_and_lie_within_their_bounds),
		cmocka_unit_test(octaves_are_powers_of_two_of_a_millisecond),
		cmocka_unit_test(zooming_by_two_sums_pairs),
		cmocka_unit_test(boxes_list_their_points),
		cmocka_unit_test(medians_are_rows_of_the_middle_point),
		cmocka_unit_test(points_are_ended_runs_of_a_group),
		cmocka_unit_test(evicted_commands_complete_the_cells),
		cmocka_unit_test(slots_wider_than_columns_are_spread),
		cmocka_unit_test(fitting_leaves_columns_for_evicted_commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
