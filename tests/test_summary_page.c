/* SPDX-License-Identifier: MIT */
/* Tests of the summary page. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/screen_fixture.h"
#include "views/ui/ui_priv.h"

#define ROOT  "20260102T122800.000000Z-Habcdef01-P00000001"
#define CHILD ROOT "/20260102T122800.002000Z-Habcdef01-P00000032"

/* `ms`: time after 12:28:00; `more` has ' for ". */
static void add_event(struct tr2_buf *out, const char *sid, const char *event, double ms,
		      const char *more)
{
	tr2_buf_addf(out,
		     "{\"event\":\"%s\",\"sid\":\"%s\",\"thread\":\"main\","
		     "\"time\":\"2026-01-02T12:28:%09.6fZ\"",
		     event, sid, ms / 1e3);
	tr2_buf_addch(out, ',');
	for (const char *c = more; *c; c++)
		tr2_buf_addch(out, *c == '\'' ? '"' : *c);
	tr2_buf_addstr(out, "}\n");
}

static void add_start(struct tr2_buf *out, const char *sid, double ms, const char *name,
		      const char *hierarchy)
{
	char more[200];

	snprintf(more, sizeof(more), "'t_abs':0,'argv':['git','%s']", name);
	add_event(out, sid, "start", ms, more);
	snprintf(more, sizeof(more), "'name':'%s','hierarchy':'%s'", name, hierarchy);
	add_event(out, sid, "cmd_name", ms, more);
	add_event(out, sid, "def_repo", ms, "'repo':1,'worktree':'/home/dev/kernel'");
}

static void add_region(struct tr2_buf *out, const char *sid, double ms, double took,
		       const char *label)
{
	char more[200];

	snprintf(more, sizeof(more), "'nesting':1,'category':'c','label':'%s'", label);
	add_event(out, sid, "region_enter", ms, more);
	snprintf(more, sizeof(more), "'nesting':1,'category':'c','label':'%s','t_rel':%.6f", label,
		 took / 1e3);
	add_event(out, sid, "region_leave", ms + took, more);
}

static void add_end(struct tr2_buf *out, const char *sid, double ms, double took, int code)
{
	char more[100];

	snprintf(more, sizeof(more), "'t_abs':%.6f,'code':%d", took / 1e3, code);
	add_event(out, sid, "exit", ms, more);
	add_event(out, sid, "atexit", ms, more);
}

static void add_pull(struct tr2_buf *out)
{
	add_start(out, ROOT, 0, "pull", "pull");
	add_region(out, ROOT, 1, 20, "same");
	add_event(out, ROOT, "child_start", 22,
		  "'child_id':0,'child_class':'?','argv':['git','fetch']");
	add_start(out, CHILD, 22, "fetch", "pull/fetch");
	add_region(out, CHILD, 23, 60, "same");
	add_end(out, CHILD, 90, 68, 0);
	add_event(out, ROOT, "child_exit", 90, "'child_id':0,'pid':50,'code':0,'t_rel':0.068");
	add_end(out, ROOT, 100, 100, 0);
}

static void open_summary(struct screen *screen, struct tr2_buf *events, int cols, int rows)
{
	screen_open(screen, cols, rows, NULL);
	screen_feed(screen, tr2_buf_cstr(events), events->len);
	screen_frame(screen);
	screen_keys(screen, "S");
	/* Each frame does a part of the search for findings. */
	for (int i = 0; i < 5; i++) {
		screen->in.monotonic_ns += 5 * NS_PER_SEC;
		screen_frame(screen);
	}
}

static void assert_shows(struct screen *screen, const char *text)
{
	if (!strstr(screen_text(screen), text))
		fail_msg("no %s:\n%s", text, strstr(screen_text(screen), "Errors "));
}

static void assert_shows_no(struct screen *screen, const char *text)
{
	if (strstr(screen_text(screen), text))
		fail_msg("%s:\n%s", text, screen_text(screen));
}

static const char *line_with(struct screen *screen, const char *text)
{
	static char line[4096];
	const char *found = strstr(screen_text(screen), text);

	if (!found)
		fail_msg("no %s:\n%s", text, strstr(screen_text(screen), "Errors "));
	while (found > screen_text(screen) && found[-1] != '\n')
		found--;
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(found, "\n"), found);
	return line;
}

static void title_has_result_start_and_repository(void **state)
{
	struct tr2_buf events = { .max = 1 << 20 };
	struct screen screen;

	(void)state;
	add_pull(&events);
	open_summary(&screen, &events, 120, 40);
	assert_shows(&screen, "─ Why did it take 100ms? git pull ─");
	assert_shows(&screen, "─ exit 0 · started 12:28:00 · pid 1 · /home/dev/kernel ┐");
	screen_close(&screen);
	open_summary(&screen, &events, 76, 24);
	assert_shows(&screen, "─ exit 0 · started 12:28:00 · kernel ┐");
	screen_close(&screen);
	open_summary(&screen, &events, 40, 10);
	assert_shows(&screen, "┌─ 100ms git pull ─");
	assert_shows(&screen, "─ exit 0 ");
	assert_shows(&screen, "▸c/same of fetch ");
	assert_shows(&screen, " c/same of pull ");
	screen_close(&screen);
	tr2_buf_release(&events);
}

static void same_labels_differ_by_process(void **state)
{
	static const int cols[] = { 80, 120, 200 };
	struct tr2_buf events = { .max = 1 << 20 };

	(void)state;
	add_pull(&events);
	for (int i = 0; i < 3; i++) {
		struct screen screen;

		open_summary(&screen, &events, cols[i], 24);
		assert_non_null(strstr(line_with(&screen, "60.0ms  60.0%"), "c/same"));
		assert_non_null(strstr(line_with(&screen, "60.0ms  60.0%"), " fetch "));
		assert_non_null(strstr(line_with(&screen, "20.0ms  20.0%"), "c/same"));
		assert_non_null(strstr(line_with(&screen, "20.0ms  20.0%"), " pull "));
		screen_close(&screen);
	}
	tr2_buf_release(&events);
}

/* Cells are in proportion to the time of their blocks. */
static void bar_is_in_order_of_time(void **state)
{
	struct tr2_buf events = { .max = 1 << 20 };
	struct screen screen;
	int counts[NR_STYLES] = { 0 }, y = 5;

	(void)state;
	add_pull(&events);
	open_summary(&screen, &events, 104, 30); /* 100 cells of 1 ms */
	for (int x = 0; x < screen.surface->cols; x++)
		counts[screen.surface->cells[y * screen.surface->cols + x].style]++;
	assert_int_equal(counts[STYLE_HUE_1], 68);
	assert_int_equal(counts[STYLE_HUE_2], 20);
	assert_int_equal(counts[STYLE_HUE_3], 12);
	assert_int_equal(screen.surface->cells[y * screen.surface->cols + 4].style, STYLE_HUE_2);
	assert_shows(&screen, "fetch 68.0ms 68 %");
	assert_shows(&screen, " 0s        ");
	assert_shows(&screen, " 80ms ");
	screen_close(&screen);
	tr2_buf_release(&events);
}

static void small_parts_unfold(void **state)
{
	struct tr2_buf events = { .max = 1 << 20 };
	struct screen screen;
	char label[20];

	(void)state;
	add_start(&events, ROOT, 0, "status", "status");
	add_region(&events, ROOT, 0, 900, "large");
	for (int i = 0; i < 5; i++) {
		snprintf(label, sizeof(label), "small%d", i);
		add_region(&events, ROOT, 900 + i, 1, label);
	}
	add_end(&events, ROOT, 1000, 1000, 0);
	open_summary(&screen, &events, 120, 40);
	assert_non_null(strstr(line_with(&screen, "5 smaller parts, each under 0.5 %"), "5.00ms"));
	assert_shows_no(&screen, "c/small3");
	screen_keys(&screen, "Down Down Enter");
	assert_shows(&screen, "c/small3");
	assert_shows_no(&screen, "smaller parts");
	screen_keys(&screen, "Esc");
	assert_shows(&screen, "5 smaller parts");
	screen_close(&screen);
	tr2_buf_release(&events);
}

static void median_is_of_the_other_runs(void **state)
{
	struct tr2_buf events = { .max = 1 << 20 };
	struct screen screen;
	char sid[80];

	(void)state;
	for (int i = 0; i < 9; i++) {
		snprintf(sid, sizeof(sid), "20260102T1228%02d.000000Z-Habcdef01-P%08x", i, i + 2);
		add_start(&events, sid, i * 1e3, "status", "status");
		add_end(&events, sid, i * 1e3 + (i < 8 ? 20 : 500), i < 8 ? 20 : 500, 0);
		if (i != 7)
			continue;
		/* 7 other runs are too few. */
		open_summary(&screen, &events, 120, 40);
		assert_shows(&screen, "Median      needs 8 other runs of status in this "
				      "repository, has 7");
		screen_close(&screen);
	}
	open_summary(&screen, &events, 120, 40);
	screen_keys(&screen, "Esc Home S");
	assert_shows(&screen, "Why did it take 500ms?");
	assert_shows(&screen, "Median      usually 20.0ms (90 %: 20.0ms) of 8, slower than 100 %");
	screen_close(&screen);
	tr2_buf_release(&events);
}

static void notes_have_three_rows(void **state)
{
	struct tr2_buf events = { .max = 1 << 20 };
	struct screen screen;
	char more[120];

	(void)state;
	add_start(&events, ROOT, 0, "push", "push");
	for (int i = 0; i < 9; i++) {
		snprintf(more, sizeof(more), "'msg':'message %d'", i);
		add_event(&events, ROOT, "error", 1 + i, more);
		snprintf(more, sizeof(more),
			 "'child_id':%d,'child_class':'background','argv':['job%d']", i, i);
		add_event(&events, ROOT, "child_start", 1 + i, more);
	}
	for (int i = 0; i < 9; i++) {
		snprintf(more, sizeof(more), "'child_id':%d,'pid':9,'code':0,'t_rel':%.3f", i,
			 0.010 * (i + 1));
		add_event(&events, ROOT, "child_exit", 10 * (i + 1), more);
	}
	add_end(&events, ROOT, 100, 100, 1);
	open_summary(&screen, &events, 80, 32);
	assert_shows(&screen, "Errors      message 8 ");
	assert_shows(&screen, "9 messages in full: E ");
	assert_shows(&screen, "In parallel 80.0ms background: job7 ");
	assert_shows(&screen, "            70.0ms background: job6 ");
	assert_shows(&screen, "            and 6 more: Enter ");
	assert_shows_no(&screen, "background: job5");
	screen_keys(&screen, "End Enter");
	assert_shows(&screen, "            60.0ms background: job5 ");
	/* the parent waited for each child for a while */
	assert_shows_no(&screen, "not waited for");
	screen_close(&screen);
	/* Free rows show errors. */
	open_summary(&screen, &events, 80, 60);
	assert_shows(&screen, "            message 0 ");
	assert_shows_no(&screen, "in full: E");
	screen_close(&screen);
	tr2_buf_release(&events);
}

static void parallel_children_of_children_are_listed(void **state)
{
	struct tr2_buf events = { .max = 1 << 20 };
	struct screen screen;

	(void)state;
	add_start(&events, ROOT, 0, "pull", "pull");
	add_event(&events, ROOT, "child_start", 1,
		  "'child_id':0,'child_class':'?','argv':['git','fetch']");
	add_start(&events, CHILD, 2, "fetch", "pull/fetch");
	add_event(&events, CHILD, "child_start", 3,
		  "'child_id':0,'child_class':'background','argv':['server']");
	add_region(&events, CHILD, 4, 80, "work");
	add_event(&events, CHILD, "child_exit", 85, "'child_id':0,'pid':9,'code':0,'t_rel':0.060");
	add_end(&events, CHILD, 90, 88, 0);
	add_event(&events, ROOT, "child_exit", 91, "'child_id':0,'pid':50,'code':0,'t_rel':0.090");
	add_end(&events, ROOT, 100, 100, 0);
	open_summary(&screen, &events, 120, 40);
	assert_shows(&screen, "In parallel 60.0ms background: server");
	assert_shows_no(&screen, "git fetch ");
	screen_close(&screen);
	tr2_buf_release(&events);
}

/* Before its start and after its eviction, the process is not in the model. */
static void a_process_that_is_gone_is_no_error(void **state)
{
	static const int cols[] = { 40, 80, 120 };
	struct tr2_buf events = { .max = 1 << 20 };

	(void)state;
	add_pull(&events);
	for (int i = 0; i < 3; i++) {
		struct screen screen;
		struct model *empty;

		open_summary(&screen, &events, cols[i], 24);
		empty = model_new(&screen.syms, &(struct model_config){ .nesting = -1 });
		screen.in.model = empty;
		screen_frame(&screen);
		assert_shows(&screen, "─ Summary ─");
		assert_shows(&screen, "the process was evicted");
		screen_keys(&screen, "p a p D");
		assert_shows(&screen, "─ Difference ─");
		screen.in.model = screen.model;
		screen_frame(&screen);
		screen_keys(&screen, "Esc Esc");
		screen_close(&screen);
		model_free(empty);
	}
	tr2_buf_release(&events);
}

/* The next search may have fewer findings than the rows of the last frame. */
static void findings_that_are_gone_open_no_page(void **state)
{
	static const struct findings_watch none;
	struct tr2_buf events = { .max = 1 << 20 };
	struct subject subject = { 0 };
	struct screen screen;
	struct view_ctx ctx;
	unsigned nr = 0;

	(void)state;
	add_start(&events, ROOT, 0, "commit", "commit");
	add_event(&events, ROOT, "child_start", 10,
		  "'child_id':0,'child_class':'hook','hook_name':'pre-commit','argv':['x']");
	add_event(&events, ROOT, "child_exit", 3010, "'child_id':0,'pid':50,'code':0,'t_rel':3");
	add_end(&events, ROOT, 4000, 4000, 0);
	open_summary(&screen, &events, 120, 40);
	ctx = ui_context(screen.ui, ui_front(screen.ui));
	for (uint32_t i = 0; i < ctx.view->table.nr_rows; i++) {
		const struct row *row = &ctx.view->table.rows[i];

		if (ctx.view->ops->drill(&ctx, row, &subject) != VIEW_FINDING)
			continue;
		nr++;
		ctx.found = &none;
		assert_int_equal(ctx.view->ops->drill(&ctx, row, &subject), NR_VIEWS);
		ctx.found = &screen.ui->found;
	}
	assert_int_not_equal(nr, 0);
	screen_close(&screen);
	tr2_buf_release(&events);
}

static void command_lines_have_no_nested_quotes(void **state)
{
	struct tr2_buf events;
	struct screen screen;

	(void)state;
	tr2_buf_init(&events, 1 << 20);
	add_start(&events, ROOT, 0, "push", "push");
	tr2_buf_addstr(&events,
		       "{\"event\":\"child_start\",\"sid\":\"" ROOT
		       "\",\"thread\":\"main\",\"time\":\"2026-01-02T12:28:00.001000Z\","
		       "\"child_id\":0,\"child_class\":\"?\",\"use_shell\":true,"
		       "\"argv\":[\"git-receive-pack '/srv/kernel.git'\"]}\n"
		       "{\"event\":\"child_start\",\"sid\":\"" ROOT
		       "\",\"thread\":\"main\",\"time\":\"2026-01-02T12:28:00.002000Z\","
		       "\"child_id\":1,\"child_class\":\"?\",\"use_shell\":false,"
		       "\"argv\":[\"ssh\",\"host\",\"git-receive-pack '/srv/b'\",\"a b\"]}\n");
	open_summary(&screen, &events, 120, 40);
	screen_keys(&screen, "Esc 4");
	assert_shows(&screen, " git-receive-pack '/srv/kernel.git' ");
	assert_shows(&screen, " ssh host \"git-receive-pack '/srv/b'\" 'a b' ");
	screen_close(&screen);
	tr2_buf_release(&events);
}

static void nothing_is_drawn_over_the_frame(void **state)
{
	struct tr2_buf events = { .max = 1 << 20 };
	struct screen screen;

	(void)state;
	add_pull(&events);
	open_summary(&screen, &events, 120, 40);
	for (int rows = 10; rows <= 60; rows += 7) {
		for (int cols = 40; cols <= 300; cols += 3) {
			const struct cell *cells;
			int top = 0;

			surface_resize(screen.surface, cols, rows);
			ui_resize(screen.ui, cols, rows);
			screen_frame(&screen);
			cells = screen.surface->cells;
			while (cells[top * cols].ch[0] != 0x250c && top < rows - 1)
				top++;
			assert_int_equal(cells[top * cols + cols - 1].ch[0], 0x2510);
			for (int y = top + 1; cells[y * cols].ch[0] != 0x2514; y++) {
				assert_int_equal(cells[y * cols].ch[0], 0x2502);
				assert_int_equal(cells[y * cols + cols - 1].ch[0], 0x2502);
			}
		}
	}
	screen_close(&screen);
	tr2_buf_release(&events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(title_has_result_start_and_repository),
		cmocka_unit_test(same_labels_differ_by_process),
		cmocka_unit_test(bar_is_in_order_of_time),
		cmocka_unit_test(small_parts_unfold),
		cmocka_unit_test(median_is_of_the_other_runs),
		cmocka_unit_test(notes_have_three_rows),
		cmocka_unit_test(parallel_children_of_children_are_listed),
		cmocka_unit_test(a_process_that_is_gone_is_no_error),
		cmocka_unit_test(findings_that_are_gone_open_no_page),
		cmocka_unit_test(command_lines_have_no_nested_quotes),
		cmocka_unit_test(nothing_is_drawn_over_the_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
