/* SPDX-License-Identifier: MIT */
/* The region page: what it counts and keeps, what stands around a region, and where Enter
 * leads. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/screen_fixture.h"
#include "views/analysis/kin.h"
#include "views/analysis/occurrences.h"

static struct tr2_buf lines = { .max = 1 << 28 };

static void line(const char *event, const char *sid, const char *thread, double time,
		 const char *more)
{
	tr2_buf_addf(&lines,
		     "{\"event\":\"%s\",\"sid\":\"%s\",\"thread\":\"%s\","
		     "\"time\":\"2026-01-02T12:00:%09.6fZ\"%s%s}\n",
		     event, sid, thread, time, *more ? "," : "", more);
}

static void enter(const char *sid, const char *thread, double time, int nesting,
		  const char *label)
{
	char more[200];

	snprintf(more, sizeof(more), "\"nesting\":%d,\"category\":\"c\",\"label\":\"%s\"",
		 nesting, label);
	line("region_enter", sid, thread, time, more);
}

static void leave(const char *sid, const char *thread, double time, int nesting,
		  const char *label, double t_rel)
{
	char more[200];

	snprintf(more, sizeof(more),
		 "\"t_rel\":%.6f,\"nesting\":%d,\"category\":\"c\",\"label\":\"%s\"", t_rel,
		 nesting, label);
	line("region_leave", sid, thread, time, more);
}

static void data(const char *sid, double time, const char *key, const char *value)
{
	char more[200];

	snprintf(more, sizeof(more), "\"category\":\"d\",\"key\":\"%s\",\"value\":\"%s\"", key,
		 value);
	line("data", sid, "main", time, more);
}

/* a: outer { inner, inner, data n twice, m once }, inner beside; b: inner in a thread. */
static void write_two(void)
{
	tr2_buf_clear(&lines);
	line("start", "a", "main", 0, "\"t_abs\":0.0,\"argv\":[\"git\",\"a\"]");
	data("a", 0.05, "before", "0");
	enter("a", "main", 0.1, 1, "outer");
	enter("a", "main", 0.2, 2, "inner");
	data("a", 0.25, "n", "1");
	leave("a", "main", 0.3, 2, "inner", 0.1);
	enter("a", "main", 0.4, 2, "inner");
	leave("a", "main", 0.6, 2, "inner", 0.2);
	data("a", 0.65, "n", "2");
	data("a", 0.66, "m", "7");
	leave("a", "main", 0.7, 1, "outer", 0.6);
	data("a", 0.75, "after", "0");
	enter("a", "main", 0.8, 1, "inner");
	leave("a", "main", 0.85, 1, "inner", 0.05);
	line("start", "b", "main", 1, "\"t_abs\":0.0,\"argv\":[\"git\",\"b\"]");
	enter("b", "th01:x", 1.1, 1, "inner");
	leave("b", "th01:x", 1.5, 1, "inner", 0.4);
}

struct page {
	struct screen screen;
	struct view view;
	struct view_ctx ctx;
	struct occurrences found;
	struct kins kins;
};

static sym_t sym(struct page *p, const char *text)
{
	return tr2_intern(&p->screen.syms, text, strlen(text));
}

/* The page of c/`label`, of process `sid` or NULL. */
static void page_open(struct page *p, const char *label, const char *sid)
{
	memset(p, 0, sizeof(*p));
	screen_open(&p->screen, 120, 40, NULL);
	screen_feed(&p->screen, lines.data, lines.len);
	p->view.subject = (struct subject){ .process = HANDLE_NONE,
					    .category = sym(p, "c"),
					    .label = sym(p, label) };
	if (sid)
		p->view.subject.process = model_handle(
			p->screen.model, model_find_sid(p->screen.model, sid, strlen(sid)));
	p->ctx = (struct view_ctx){
		.view = &p->view,
		.in = &p->screen.in,
		.model = p->screen.model,
		.process = model_process(p->screen.model, p->view.subject.process),
		.limits = {-1, -1}
	};
}

static void page_read(struct page *p)
{
	do
		occurrences_read(&p->found, &p->ctx);
	while (p->found.percent < 100);
}

static void page_close(struct page *p)
{
	occurrences_release(&p->found);
	kins_release(&p->kins);
	screen_close(&p->screen);
}

static void assert_kin(const struct page *p, uint32_t at, const char *label, uint64_t count,
		       double total, double max)
{
	const struct kin *kin = &p->kins.items[at];
	size_t len;
	const char *text = model_sym(p->screen.model, kin->label, &len);

	assert_true(at < p->kins.nr);
	assert_int_equal(kin->none, label == NULL);
	if (label) {
		assert_int_equal(len, strlen(label));
		assert_memory_equal(text, label, len);
	}
	assert_int_equal(kin->count, count);
	assert_int_equal(kin->total, (ns_t)(total * 1e9 + 0.5));
	assert_int_equal(kin->max, (ns_t)(max * 1e9 + 0.5));
}

static void parents_and_children_are_told_by_time(void **state)
{
	struct page p;

	(void)state;
	write_two();
	page_open(&p, "inner", NULL);
	kins_make(&p.kins, &p.ctx, KIN_PARENTS);
	assert_int_equal(p.kins.nr, 2);
	assert_kin(&p, 0, NULL, 2, 0.45, 0.4);
	assert_kin(&p, 1, "outer", 2, 0.3, 0.2);
	kins_make(&p.kins, &p.ctx, KIN_CHILDREN);
	assert_int_equal(p.kins.nr, 0);
	page_close(&p);
	page_open(&p, "outer", NULL);
	kins_make(&p.kins, &p.ctx, KIN_CHILDREN);
	assert_int_equal(p.kins.nr, 1);
	assert_kin(&p, 0, "inner", 2, 0.3, 0.2);
	p.ctx.limits.nesting = 1;
	kins_make(&p.kins, &p.ctx, KIN_CHILDREN);
	assert_int_equal(p.kins.nr, 0);
	page_close(&p);
}

static void processes_and_threads_are_told_apart(void **state)
{
	struct page p;

	(void)state;
	write_two();
	page_open(&p, "inner", NULL);
	kins_make(&p.kins, &p.ctx, KIN_PROCESSES);
	assert_int_equal(p.kins.nr, 2);
	assert_int_equal(p.kins.items[0].total, 400 * NS_PER_MS);
	assert_int_equal(p.kins.items[1].total, 350 * NS_PER_MS);
	assert_int_equal(p.kins.items[1].count, 3);
	kins_make(&p.kins, &p.ctx, KIN_THREADS);
	assert_int_equal(p.kins.nr, 2);
	assert_int_equal(p.kins.items[0].thread, sym(&p, "th01:x"));
	page_close(&p);
	page_open(&p, "inner", "a");
	kins_make(&p.kins, &p.ctx, KIN_PROCESSES);
	assert_int_equal(p.kins.nr, 1);
	assert_int_equal(p.kins.items[0].count, 3);
	page_close(&p);
}

static void data_counts_where_it_was_logged_inside(void **state)
{
	struct page p;

	(void)state;
	write_two();
	page_open(&p, "outer", NULL);
	page_read(&p);
	assert_int_equal(p.found.nr_notes, 2);
	assert_int_equal(p.found.notes[0].key, sym(&p, "n"));
	assert_int_equal(p.found.notes[0].count, 2);
	assert_memory_equal(p.found.notes[0].value, "2", 1);
	assert_int_equal(p.found.notes[1].count, 1);
	page_close(&p);
	page_open(&p, "inner", NULL);
	page_read(&p);
	assert_int_equal(p.found.nr_notes, 1);
	assert_int_equal(p.found.notes[0].count, 1);
	page_close(&p);
}

static void slowest_are_kept_and_all_are_counted(void **state)
{
	const unsigned nr = OCCURRENCES_MAX + 30000;
	struct page p;
	uint64_t counted = 0;
	unsigned nr_slow = 0;

	(void)state;
	tr2_buf_clear(&lines);
	/* Each of 0 to nr - 1 microseconds once, in an order that jumps about. */
	for (unsigned i = 0; i < nr; i++)
		leave("a", "main", 1, 1, "l", (double)((uint64_t)i * 99991 % nr) / 1e6);
	page_open(&p, "l", NULL);
	page_read(&p);
	assert_int_equal(p.found.nr_ended, nr);
	assert_int_equal(p.found.nr, OCCURRENCES_MAX);
	for (uint32_t i = 0; i < p.found.nr; i++)
		nr_slow += p.found.items[i].duration >= (ns_t)(nr - OCCURRENCES_MAX) * 1000;
	assert_int_equal(nr_slow, OCCURRENCES_MAX);
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		counted += p.found.sums[i];
	assert_int_equal(counted, nr);
	assert_int_equal(p.found.max, (ns_t)(nr - 1) * 1000);
	assert_int_equal(p.found.min, 0);
	page_close(&p);
}

static void limits_and_the_time_looked_at_hold(void **state)
{
	struct page p;

	(void)state;
	write_two();
	page_open(&p, "inner", NULL);
	page_read(&p);
	assert_int_equal(p.found.nr, 4);
	p.ctx.limits.nesting = 1;
	page_read(&p);
	assert_int_equal(p.found.nr, 2);
	p.ctx.limits.nesting = -1;
	p.screen.in.past = true;
	/* Up to, not including, the leave of the second one. */
	p.screen.in.past_position = 7;
	page_read(&p);
	assert_int_equal(p.found.nr, 1);
	p.screen.in.past_position = 8;
	page_read(&p);
	assert_int_equal(p.found.nr, 2);
	p.screen.in.past_position = 3;
	page_read(&p);
	assert_int_equal(p.found.nr, 0);
	p.screen.in.past = false;
	page_read(&p);
	assert_int_equal(p.found.nr, 4);
	page_close(&p);
}

static void enter_leads_to_its_instant_in_the_log(void **state)
{
	struct screen screen;

	(void)state;
	for (int with_e = 0; with_e < 2; with_e++) {
		write_two();
		screen_open(&screen, 120, 40, NULL);
		screen_feed(&screen, lines.data, lines.len);
		screen_frame(&screen);
		/* The slowest of c/outer, of one: its enter is the third event. */
		screen_keys(&screen, "3 Enter End");
		assert_non_null(strstr(screen_text(&screen), "Region · c/inner"));
		screen_keys(&screen, "Backspace Down Enter End");
		assert_non_null(strstr(screen_text(&screen), "Region · c/outer"));
		assert_non_null(strstr(screen_text(&screen), "│ 1 time · total 600.0ms"));
		screen_keys(&screen, with_e ? "e" : "Enter");
		if (!strstr(screen_text(&screen), "Events · git a · event 3 of 17"))
			fail_msg("%s", screen_text(&screen));
		screen_keys(&screen, "Backspace");
		assert_non_null(strstr(screen_text(&screen), "Region · c/outer"));
		screen_close(&screen);
	}
}

static void timings_of_a_process_have_percentiles_of_its_own(void **state)
{
	struct screen screen;

	(void)state;
	write_two();
	screen_open(&screen, 120, 40, NULL);
	screen_feed(&screen, lines.data, lines.len);
	screen_frame(&screen);
	/* The last process of the list is the older one. */
	screen_keys(&screen, "End 3 z");
	assert_non_null(strstr(screen_text(&screen), " 400.0ms 400.0ms"));
	screen_keys(&screen, "a");
	assert_non_null(strstr(screen_text(&screen), "3 Timings · git a"));
	assert_non_null(strstr(screen_text(&screen), " 200.0ms 200.0ms"));
	assert_non_null(strstr(screen_text(&screen), "spread "));
	/* The limit leaves the one that is in no other. */
	screen_keys(&screen, "- - - -");
	assert_non_null(strstr(screen_text(&screen), "50.00ms 50.00ms 50.00ms"));
	/* So have those of the processes that a filter chooses. */
	screen_keys(&screen, "+ + + + a 1 \\ \" g i t Space b \" Enter 3");
	screen_frame(&screen);
	if (!strstr(screen_text(&screen), "400.0ms 400.0ms 400.0ms"))
		fail_msg("%s", screen_text(&screen));
	/* Of what the journal never had there are none. */
	screen.in.journal = NULL;
	screen_keys(&screen, "+ 1 Home 3 z");
	screen_frame(&screen);
	screen_close(&screen);
}

static void long_histories_are_read_on_without_events(void **state)
{
	struct screen screen;
	int nr_frames = 0;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	/* A batch each: more than are read in a frame. */
	for (int i = 0; i < 200; i++) {
		tr2_buf_clear(&lines);
		leave("a", "main", i * 0.1, 1, "l", 0.1);
		screen_feed(&screen, lines.data, lines.len);
	}
	screen_frame(&screen);
	screen_keys(&screen, "3 Enter");
	assert_non_null(strstr(screen_text(&screen), "reading "));
	for (; nr_frames < 20 && ui_needs_ticks(screen.ui); nr_frames++)
		screen_frame(&screen);
	assert_true(nr_frames > 1 && nr_frames < 20);
	assert_null(strstr(screen_text(&screen), "reading "));
	assert_non_null(strstr(screen_text(&screen), "200 times"));
	screen_close(&screen);
}

static void lists_open_and_the_order_turns(void **state)
{
	struct screen screen;
	char sid[16];

	(void)state;
	tr2_buf_clear(&lines);
	for (int i = 0; i < 9; i++) {
		snprintf(sid, sizeof(sid), "p%d", i);
		line("start", sid, "main", i, "\"t_abs\":0.0,\"argv\":[\"git\",\"x\"]");
		leave(sid, "main", i + 0.5, 1, "l", 0.1 + (i ^ 5) * 0.01);
	}
	screen_open(&screen, 80, 24, NULL);
	screen_feed(&screen, lines.data, lines.len);
	screen_frame(&screen);
	screen_keys(&screen, "3 Enter");
	assert_non_null(strstr(screen_text(&screen), "8 more: Enter shows them"));
	screen_keys(&screen, "Down Down Enter");
	screen_keys(&screen, "PgDn PgDn");
	assert_non_null(strstr(screen_text(&screen), "the slowest first"));
	assert_non_null(strstr(screen_text(&screen), "230.0ms"));
	screen_keys(&screen, "s");
	assert_non_null(strstr(screen_text(&screen), "the newest first"));
	screen_close(&screen);
}

static void times_that_nobody_could_spend_stay_within_their_bounds(void **state)
{
	struct screen screen;

	(void)state;
	tr2_buf_clear(&lines);
	for (int i = 0; i < 4; i++) {
		enter(i % 2 ? "a" : "b", "main", i, 1, "long");
		leave(i % 2 ? "a" : "b", "main", i + 0.5, 1, "long", 9223372036.0);
	}
	screen_open(&screen, 120, 40, NULL);
	screen_feed(&screen, lines.data, lines.len);
	screen_frame(&screen);
	screen_keys(&screen, "3 Enter");
	assert_non_null(strstr(screen_text(&screen), "4 times · total 106751d23h"));
	screen_keys(&screen, "Esc a");
	assert_non_null(strstr(screen_text(&screen), "106751d"));
	screen_keys(&screen, "S a");
	assert_non_null(strstr(screen_text(&screen), "together"));
	assert_non_null(strstr(screen_text(&screen), "106751d"));
	screen_close(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parents_and_children_are_told_by_time),
		cmocka_unit_test(processes_and_threads_are_told_apart),
		cmocka_unit_test(data_counts_where_it_was_logged_inside),
		cmocka_unit_test(slowest_are_kept_and_all_are_counted),
		cmocka_unit_test(limits_and_the_time_looked_at_hold),
		cmocka_unit_test(enter_leads_to_its_instant_in_the_log),
		cmocka_unit_test(timings_of_a_process_have_percentiles_of_its_own),
		cmocka_unit_test(long_histories_are_read_on_without_events),
		cmocka_unit_test(lists_open_and_the_order_turns),
		cmocka_unit_test(times_that_nobody_could_spend_stay_within_their_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
