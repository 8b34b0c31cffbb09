/* SPDX-License-Identifier: MIT */
/* Where a wall time went: the parts are right, and add up to it whatever the trace says. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/journal_script.h"
#include "monitor/analysis/where.h"

#define MS NS_PER_MS
#define T0 ((ns_t)SCRIPT_T0_SECONDS * NS_PER_SEC)

struct fixture {
	struct script script;
	struct journal *journal;
	struct model *model;
	struct spans spans;
	struct analysis what;
	struct where where;
};

static void fixture_make(struct fixture *f)
{
	const struct batch *batch;

	f->journal = journal_new(64 << 20, NULL, NULL);
	f->model = model_new(&f->script.syms, &(struct model_config){ .nesting = -1 });
	for (unsigned i = 0; i < f->script.nr_batches; i++) {
		journal_push(f->journal, f->script.batches[i]);
		f->script.batches[i] = NULL;
		while ((batch = journal_next(f->journal)))
			model_apply(f->model, batch);
	}
	f->script.nr_batches = 0;
	model_settle(f->model);
	while (spans_read(&f->spans, f->journal) < 100)
		;
	f->what = (struct analysis){ .model = f->model,
				     .journal = f->journal,
				     .now = T0 + 3600 * NS_PER_SEC,
				     .limits = { -1, -1 },
				     .process = HANDLE_NONE };
}

static void fixture_free(struct fixture *f)
{
	where_release(&f->where);
	spans_release(&f->spans);
	model_free(f->model);
	journal_free(f->journal);
	script_release(&f->script);
	free(f);
}

static struct fixture *fixture_new(void)
{
	struct fixture *f = calloc(1, sizeof(*f));

	script_init(&f->script);
	script_stream(&f->script, 1, 0, false);
	return f;
}

static ns_t sum(const struct where *w)
{
	ns_t sum = 0;

	for (uint32_t i = 0; i < w->nr; i++)
		sum += w->parts[i].time;
	return sum;
}

static ns_t part(const struct where *w, enum where_kind kind)
{
	for (uint32_t i = 0; i < w->nr; i++)
		if (w->parts[i].kind == kind)
			return w->parts[i].time;
	return 0;
}

static ns_t region(const struct fixture *f, const char *category)
{
	for (uint32_t i = 0; i < f->where.nr; i++) {
		size_t len;
		const char *text = model_sym(f->model, f->where.parts[i].category, &len);

		if (f->where.parts[i].kind == WHERE_REGION && len == strlen(category) &&
		    !memcmp(text, category, len))
			return f->where.parts[i].time;
	}
	return 0;
}

static uint32_t slot_of(const struct fixture *f, const char *sid)
{
	uint32_t slot = model_find_sid(f->model, sid, strlen(sid));

	assert_true(slot != SLOT_NONE);
	return slot;
}

/* One process of a second: a region of 400 ms with one of 100 ms inside, 300 ms of a child
 * beside of which 100 ms within another region, and an other thread. */
static void write_one(struct script *s)
{
	script_event(s, "start", "p", 0, "'t_abs':0.0,'argv':['git','x']");
	script_event(s, "region_enter", "p", 0.1, "'nesting':1,'category':'outer','label':'l'");
	script_event(s, "region_enter", "p", 0.2, "'nesting':2,'category':'inner','label':'l'");
	script_event(s, "region_leave", "p", 0.3,
		     "'t_rel':0.1,'nesting':2,'category':'inner','label':'l'");
	script_event(s, "region_leave", "p", 0.5,
		     "'t_rel':0.4,'nesting':1,'category':'outer','label':'l'");
	script_event(s, "child_start", "p", 0.55, "'child_id':0,'child_class':'?','argv':['y']");
	script_event(s, "region_enter", "p", 0.65, "'nesting':1,'category':'third','label':'l'");
	script_event(s, "region_leave", "p", 0.75,
		     "'t_rel':0.1,'nesting':1,'category':'third','label':'l'");
	script_event(s, "child_exit", "p", 0.85, "'child_id':0,'pid':7,'code':0,'t_rel':0.3");
	script_event(s, "region_enter", "p", 0.86,
		     "'thread':'th01:x','nesting':1,'category':'other','label':'l'");
	script_event(s, "region_leave", "p", 0.9,
		     "'thread':'th01:x','t_rel':0.04,'nesting':1,'category':'other','label':'l'");
	script_event(s, "exit", "p", 1, "'t_abs':1.0,'code':0");
	script_event(s, "atexit", "p", 1, "'t_abs':1.0,'code':0");
}

static void parts_of_a_process_are_what_its_first_thread_was_in(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	write_one(&f->script);
	fixture_make(f);
	where_make(&f->where, &f->what,
		   &(struct where_of){ .slot = slot_of(f, "p"), .spans = &f->spans });
	assert_int_equal(f->where.wall, 1000 * MS);
	assert_int_equal(sum(&f->where), 1000 * MS);
	assert_int_equal(region(f, "outer"), 300 * MS);
	assert_int_equal(region(f, "inner"), 100 * MS);
	assert_int_equal(region(f, "third"), 100 * MS);
	assert_int_equal(region(f, "other"), 0);
	assert_int_equal(part(&f->where, WHERE_CHILDREN), 200 * MS);
	assert_int_equal(part(&f->where, WHERE_OUTSIDE), 300 * MS);
	assert_int_equal(f->where.nr, 5);
	/* What the journal does not tell is not made up. */
	where_make(&f->where, &f->what, &(struct where_of){ .slot = slot_of(f, "p") });
	assert_int_equal(part(&f->where, WHERE_CHILDREN), 0);
	assert_int_equal(part(&f->where, WHERE_OUTSIDE), 500 * MS);
	fixture_free(f);
}

static void limit_hides_what_is_deeper_and_says_so(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	write_one(&f->script);
	fixture_make(f);
	f->what.limits.nesting = 1;
	where_make(&f->where, &f->what,
		   &(struct where_of){ .slot = slot_of(f, "p"), .spans = &f->spans });
	assert_int_equal(sum(&f->where), 1000 * MS);
	assert_int_equal(region(f, "outer"), 300 * MS);
	assert_int_equal(region(f, "inner"), 0);
	assert_int_equal(part(&f->where, WHERE_HIDDEN), 100 * MS);
	fixture_free(f);
}

/* A script that runs git twice, the second time in the background, beyond the script's end. */
static void command_is_more_than_what_was_traced(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	script_event(&f->script, "start", "a", 0.2, "'t_abs':0.1,'argv':['git','a']");
	script_event(&f->script, "exit", "a", 0.5, "'t_abs':0.4,'code':0");
	script_event(&f->script, "start", "b", 0.4, "'t_abs':0.0,'argv':['git','b']");
	script_event(&f->script, "region_enter", "b", 0.7,
		     "'nesting':1,'category':'late','label':'l'");
	script_event(&f->script, "region_leave", "b", 1.4,
		     "'t_rel':0.7,'nesting':1,'category':'late','label':'l'");
	script_event(&f->script, "exit", "b", 1.4, "'t_abs':1.0,'code':0");
	fixture_make(f);
	where_make(&f->where, &f->what,
		   &(struct where_of){
			   .slot = SLOT_NONE, .begun = T0, .wall = 1200 * MS, .spans = &f->spans });
	assert_int_equal(f->where.nr_processes, 2);
	assert_int_equal(f->where.wall, 1200 * MS);
	assert_int_equal(sum(&f->where), 1200 * MS);
	assert_int_equal(region(f, "late"), 700 * MS);
	assert_int_equal(part(&f->where, WHERE_UNTRACED), 100 * MS);
	assert_int_equal(part(&f->where, WHERE_OUTSIDE), 700 * MS);
	/* 100 ms of both at once, and 200 ms after the end. */
	assert_int_equal(part(&f->where, WHERE_TWICE), -300 * MS);
	/* Without a command the traced processes are the whole. */
	where_make(&f->where, &f->what,
		   &(struct where_of){ .slot = SLOT_NONE, .begun = NS_NONE, .wall = NS_NONE });
	assert_int_equal(f->where.wall, 1300 * MS);
	assert_int_equal(sum(&f->where), 1300 * MS);
	assert_int_equal(part(&f->where, WHERE_UNTRACED), 0);
	fixture_free(f);
}

static void region_that_never_ended_counts_up_to_the_end(void **state)
{
	struct fixture *f = fixture_new();

	(void)state;
	script_event(&f->script, "start", "p", 0, "'t_abs':0.0,'argv':['git','x']");
	script_event(&f->script, "region_enter", "p", 0.25,
		     "'nesting':1,'category':'outer','label':'l'");
	script_event(&f->script, "region_enter", "p", 0.5,
		     "'nesting':2,'category':'inner','label':'l'");
	script_event(&f->script, "exit", "p", 1, "'t_abs':1.0,'code':128");
	fixture_make(f);
	where_make(&f->where, &f->what,
		   &(struct where_of){ .slot = slot_of(f, "p"), .spans = &f->spans });
	assert_int_equal(sum(&f->where), 1000 * MS);
	assert_int_equal(region(f, "outer"), 250 * MS);
	assert_int_equal(region(f, "inner"), 500 * MS);
	assert_int_equal(part(&f->where, WHERE_OUTSIDE), 250 * MS);
	fixture_free(f);
}

static void small_regions_become_one_part(void **state)
{
	struct fixture *f = fixture_new();
	char more[200];

	(void)state;
	script_event(&f->script, "start", "p", 0, "'t_abs':0.0,'argv':['git','x']");
	for (int i = 1; i <= WHERE_MAX_REGIONS + 3; i++) {
		snprintf(more, sizeof(more),
			 "'t_rel':0.%03d,'nesting':1,'category':'c%d','label':'l'", i, i);
		script_event(&f->script, "region_leave", "p", 0.5, more);
	}
	script_event(&f->script, "exit", "p", 1, "'t_abs':1.0,'code':0");
	fixture_make(f);
	where_make(&f->where, &f->what, &(struct where_of){ .slot = slot_of(f, "p") });
	assert_int_equal(sum(&f->where), 1000 * MS);
	assert_int_equal(f->where.nr, WHERE_MAX_REGIONS + 2);
	assert_int_equal(part(&f->where, WHERE_OTHERS), (1 + 2 + 3) * MS);
	assert_int_equal(region(f, "c3"), 0);
	assert_int_equal(region(f, "c4"), 4 * MS);
	fixture_free(f);
}

static unsigned pick(unsigned *seed, unsigned n)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 16) % n;
}

static void random_event(struct script *s, unsigned *seed, double now)
{
	static const char *const sids[] = { "a", "b", "a/c", "d" };
	const char *sid = sids[pick(seed, 4)];
	char more[200];

	switch (pick(seed, 6)) {
	case 0:
	case 1:
		snprintf(more, sizeof(more), "'nesting':%u,'category':'c%u','label':'l'",
			 1 + pick(seed, 3), pick(seed, 20));
		script_event(s, "region_enter", sid, now, more);
		break;
	case 2:
	case 3:
		snprintf(more, sizeof(more),
			 "'t_rel':%u.%03u,'nesting':%u,'category':'c%u','label':'l'",
			 pick(seed, 50) == 0, pick(seed, 1000), 1 + pick(seed, 3), pick(seed, 20));
		script_event(s, "region_leave", sid, now, more);
		break;
	case 4:
		snprintf(more, sizeof(more),
			 "'child_id':%u,'t_rel':0.5,'pid':1,'code':0,'argv':['x']", pick(seed, 3));
		script_event(s, pick(seed, 2) ? "child_start" : "child_exit", sid, now, more);
		break;
	default:
		snprintf(more, sizeof(more), "'t_abs':%u.5,'code':0", pick(seed, 4));
		script_event(s, pick(seed, 4) ? "version" : "atexit", sid, now, more);
	}
}

static void whatever_comes_the_parts_add_up(void **state)
{
	(void)state;
	for (unsigned round = 1; round <= 300; round++) {
		struct fixture *f = fixture_new();
		unsigned seed = round;

		for (int i = 0; i < 60; i++)
			random_event(&f->script, &seed, (i + pick(&seed, 3)) * 0.05);
		fixture_make(f);
		for (int limit = -1; limit <= 2; limit++) {
			f->what.limits.nesting = limit;
			for (int known = 0; known < 2; known++) {
				struct where_of of = { .slot = SLOT_NONE,
						       .begun = known ? T0 + 100 * MS : NS_NONE,
						       .wall = known ? 2000 * MS : NS_NONE,
						       .spans = known ? &f->spans : NULL };

				where_make(&f->where, &f->what, &of);
				assert_int_equal(sum(&f->where), f->where.wall);
				assert_true(part(&f->where, WHERE_OUTSIDE) >= 0);
				assert_true(part(&f->where, WHERE_UNTRACED) >= 0);
				for (of.slot = model_first_slot(f->model); of.slot != SLOT_NONE;
				     of.slot = model_next_slot(f->model, of.slot)) {
					where_make(&f->where, &f->what, &of);
					assert_int_equal(sum(&f->where), f->where.wall);
				}
			}
		}
		fixture_free(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_a_process_are_what_its_first_thread_was_in),
		cmocka_unit_test(limit_hides_what_is_deeper_and_says_so),
		cmocka_unit_test(command_is_more_than_what_was_traced),
		cmocka_unit_test(region_that_never_ended_counts_up_to_the_end),
		cmocka_unit_test(small_regions_become_one_part),
		cmocka_unit_test(whatever_comes_the_parts_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
