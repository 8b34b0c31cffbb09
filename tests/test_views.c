/* SPDX-License-Identifier: MIT */
/* Tests of the tables of views, keys and filter fields. New rows are tested, too. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "monitor/app/option_tables.h"
#include "monitor/base/humanize.h"
#include "monitor/filter/filter_process.h"
#include "monitor/settings/option_values.h"
#include "monitor/analysis/rule_results.h"
#include "tests/runs_script.h"
#include "tests/screen_fixture.h"
#include "views/ui/ui_priv.h"
#include "views/registry/registry.h"
#include "views/ui/layout.h"
#include "views/ui/setup.h"
#include "views/ui/view_row.h"
#include "views/ui/view_text.h"
#include "views/ui/views.h"

#define WIDE 200
#define HIGH 400 /* screen height at which all rows of the help and the setup are visible */

static struct setup setup;

static void offer_no_words(const char *begun, bool is_first,
			   void (*offer)(void *data, const char *word), void *data)
{
	(void)begun;
	(void)is_first;
	(void)offer;
	(void)data;
}

static struct ui_config config_of(bool has_all)
{
	static const char *const specs[] = { "trace.event" };
	struct options options;

	options_init(&options);
	setup_init(&setup, &options, view_table);
	return (struct ui_config){ .setup = &setup,
				   .nesting = -1,
				   .depth = -1,
				   .specs = specs,
				   .nr_specs = 1,
				   .compares = has_all,
				   .has_command = has_all,
				   .query_words = has_all ? offer_no_words : NULL };
}

/* The base of the rule results has one run per root. */
static struct rule_results *verdicts_of(const struct model *model)
{
	static struct rule_results verdicts;

	rule_results_release(&verdicts);
	rule_results_init(&verdicts);
	verdicts.compares = true;
	for (uint32_t s = model_first_root(model); s != SLOT_NONE;
	     s = model_next_sibling(model, s)) {
		char name[64];
		size_t len;
		const char *text = model_sym(model, model_slot(model, s)->name, &len);

		snprintf(name, sizeof(name), "%.*s", (int)len, text);
		runs_script_run(&verdicts.base, name, 0, (int)s, 1000, 100);
	}
	return &verdicts;
}

static void open_scene(struct screen *screen, int cols, int rows, const struct ui_config *config)
{
	screen_open(screen, cols, rows, config);
	screen_scene(screen);
	screen->in.command_state = "running";
	screen->in.command_line = "git status";
	if (config && config->compares)
		screen->in.verdicts = verdicts_of(screen->model);
	screen_frame(screen);
}

static unsigned press(struct screen *screen, uint32_t key)
{
	unsigned asked = ui_key(screen->ui, &(struct key_event){ .key = key });

	screen_frame(screen);
	return asked;
}

static uint32_t first_key(enum action action)
{
	const char *keys = key_rows[action].keys;

	return key_by_name(keys, strcspn(keys, " "));
}

static enum action action_of(enum view_id id)
{
	for (int action = 1; action < NR_ACTIONS; action++)
		if (view_of_action((enum action)action) == id)
			return (enum action)action;
	return ACTION_NONE;
}

/* True if the view is the last page of the path, or the selected tab. */
static bool is_in_front(struct screen *screen, enum view_id id)
{
	const char *text = screen_text(screen), *name = view_table[id]->name, *at;
	char wanted[64];

	if (id < NR_PANES)
		snprintf(wanted, sizeof(wanted), "[%d %.*s", (int)id + 1, (int)strcspn(name, " "),
			 name);
	else
		snprintf(wanted, sizeof(wanted), "> %s ", name);
	at = strstr(text, wanted);
	return at && at < strchr(text, '\n') + (id < NR_PANES ? 1000 : 0);
}

/* Open a screen wide enough for the whole path, and low enough for tabs. */
static void open_low(struct screen *screen, const struct ui_config *config)
{
	open_scene(screen, WIDE, 19, config);
}

static void every_view_is_opened_by_its_key(void **state)
{
	(void)state;
	for (int id = 0; id < NR_VIEWS; id++) {
		struct ui_config config = config_of(true);
		enum action action = action_of((enum view_id)id);
		struct screen screen;

		assert_true((action == ACTION_NONE) == !view_words[id].word);
		if (action == ACTION_NONE)
			continue;
		open_low(&screen, &config);
		press(&screen, id ? '1' : '2');
		assert_false(is_in_front(&screen, (enum view_id)id));
		press(&screen, first_key(action));
		if (!is_in_front(&screen, (enum view_id)id))
			fail_msg("'%s' does not open %s:\n%s", key_rows[action].keys,
				 view_table[id]->name, screen_text(&screen));
		if (id < NR_PANES)
			assert_int_equal(first_key(action), '1' + id);
		screen_close(&screen);
	}
}

static void every_view_is_opened_by_its_word(void **state)
{
	(void)state;
	for (int id = 0; id < NR_VIEWS; id++) {
		struct ui_config config = config_of(true);
		struct screen screen;
		char why[200];

		if (!view_words[id].word)
			continue;
		assert_true(setup_take(&setup, "page", view_words[id].word, why, sizeof(why)));
		open_low(&screen, &config);
		if (!is_in_front(&screen, (enum view_id)id))
			fail_msg("--page=%s:\n%s", view_words[id].word, screen_text(&screen));
		screen_close(&screen);
	}
}

static void every_page_without_a_key_is_opened_by_enter(void **state)
{
	static const char *const walks[] = { "",     "Down ",   "Home Down ",
					     "End ", "End Up ", "End Up Up " };
	bool seen[NR_VIEWS] = { false };

	(void)state;
	for (int from = 0; from < NR_VIEWS; from++)
		for (size_t i = 0; i < sizeof(walks) / sizeof(*walks); i++) {
			struct ui_config config = config_of(true);
			enum action action = action_of((enum view_id)from);
			struct screen screen;

			if (action == ACTION_NONE)
				continue;
			open_low(&screen, &config);
			screen_feed_file(&screen, "screens/findings.event");
			screen.in.monotonic_ns += 5 * NS_PER_SEC; /* findings are searched again */
			screen_frame(&screen);
			press(&screen, first_key(action));
			screen_keys(&screen, walks[i]);
			screen_keys(&screen, "Enter");
			for (int id = NR_PANES; id < NR_VIEWS; id++)
				seen[id] |= is_in_front(&screen, (enum view_id)id);
			screen_close(&screen);
		}
	for (int id = NR_PANES; id < NR_VIEWS; id++)
		if (action_of((enum view_id)id) == ACTION_NONE && !seen[id])
			fail_msg("nothing leads to the page %s", view_table[id]->name);
}

/* Open the view `id`, press `keys`, go down `nr` rows, and press Enter, or double click the row.
 * Returns what the user interface asks for; false in `is_row` if no row of the view is selected. */
static unsigned enter_row(struct screen *screen, enum view_id id, const char *keys, int nr,
			  bool by_mouse, bool *is_row)
{
	struct key_event event = { .key = first_key(ACTION_DRILL) };
	struct ui_config config = config_of(true);
	const struct table *table;
	struct view *view;
	unsigned asked;

	open_low(screen, &config);
	screen_feed_file(screen, "screens/findings.event");
	screen->in.monotonic_ns += 5 * NS_PER_SEC; /* findings are searched again */
	screen_frame(screen);
	press(screen, first_key(action_of(id)));
	screen_keys(screen, keys);
	for (int i = 0; i < nr; i++)
		screen_keys(screen, "Down");
	view = ui_front(screen->ui);
	table = &view->table;
	*is_row = view->id == id && table_selected(table);
	if (!*is_row)
		return 0;
	if (by_mouse)
		event = (struct key_event){ .key = KEY_CODE_MOUSE,
					    .button = MOUSE_DOUBLE,
					    .x = 2,
					    .y = table->body_y + (int)(table->at - table->top) };
	asked = ui_key(screen->ui, &event);
	screen_frame(screen);
	return asked;
}

/* Compare Enter and a double click on the first rows. Returns the number of comparisons. */
static int assert_same_entry(enum view_id id, const char *keys)
{
	bool is_row = true;
	int nr = 0;

	for (; is_row && nr < 8; nr++) {
		struct screen screen;
		unsigned asked = enter_row(&screen, id, keys, nr, false, &is_row);
		char *by_key = strdup(screen_text(&screen));

		screen_close(&screen);
		assert_int_equal(enter_row(&screen, id, keys, nr, true, &is_row), asked);
		if (strcmp(by_key, screen_text(&screen)) != 0)
			fail_msg("%s, row %d:\n%s\n%s", view_table[id]->name, nr, by_key,
				 screen_text(&screen));
		screen_close(&screen);
		free(by_key);
	}
	return nr;
}

static void a_double_click_acts_as_enter(void **state)
{
	int nr = 0;

	(void)state;
	for (int id = 0; id < NR_VIEWS; id++)
		/* the event log has no table */
		if (id != VIEW_EVENTS && action_of((enum view_id)id) != ACTION_NONE)
			nr += assert_same_entry((enum view_id)id, "Home") +
			      assert_same_entry((enum view_id)id, "a Home");
	assert_true(nr > 100);
}

static void refused_pages_give_a_reason(void **state)
{
	int nr = 0;

	(void)state;
	for (int id = NR_PANES; id < NR_VIEWS; id++)
		for (int way = 0; way < 2; way++) {
			struct ui_config config = config_of(false);
			struct screen screen;
			const char *why =
				view_table[id]->refuses ? view_table[id]->refuses(&config) : NULL;

			if (!why)
				continue;
			if (way)
				setup.options.page = id;
			open_low(&screen, &config);
			if (!way)
				press(&screen, first_key(action_of((enum view_id)id)));
			assert_false(is_in_front(&screen, (enum view_id)id));
			assert_non_null(strstr(screen_text(&screen), why));
			screen_close(&screen);
			nr++;
		}
	assert_true(nr >= 2);
}

static void an_unknown_word_is_refused(void **state)
{
	const struct option_row *page = option_setting_named("page");
	struct options options;
	char why[300];

	(void)state;
	config_of(false);
	options_init(&options);
	for (int id = 0; id < NR_VIEWS; id++) {
		char longer[64];

		if (!view_words[id].word)
			continue;
		snprintf(longer, sizeof(longer), "%sx", view_words[id].word);
		assert_false(option_set(&options, page, longer));
	}
	assert_false(option_set(&options, page, ""));
	assert_false(setup_take(&setup, "page", "nowhere", why, sizeof(why)));
	for (int id = 0; id < NR_VIEWS; id++)
		if (view_words[id].word)
			assert_non_null(strstr(why, view_words[id].word));
	assert_false(setup_take(&setup, "nowhere.columns", "x", why, sizeof(why)));
	assert_false(setup_take(&setup, "help.columns", "keys", why, sizeof(why)));
}

/* Return pseudo-random sizes that panes want; 0 for seed 0. */
static struct layout_wants any_wants(unsigned seed)
{
	struct layout_wants wants = { 0 };

	for (int i = 0; i < NR_PANES && seed; i++) {
		seed = seed * 1103515245 + 12345;
		wants.rows[i] = (int)(seed >> 16) % 120;
		wants.least_cols[i] = 20 + (int)(seed >> 20) % 60;
		wants.full_cols[i] = wants.least_cols[i] + (int)(seed >> 8) % 80;
	}
	return wants;
}

static bool is_in_lower_row(int pane)
{
	return view_rows[pane].place > PLACE_TOP;
}

static void panes_stay_in_the_body_and_do_not_overlap(void **state)
{
	static const int sizes[][2] = {
		{ 100, 20 }, { 101, 23 }, { 120, 40 }, { 160, 45 }, { 201, 61 }
	};

	(void)state;
	for (size_t i = 0; i < 200 * sizeof(sizes) / sizeof(*sizes); i++) {
		const int *size = sizes[i / 200];
		struct layout_wants wants = any_wants((unsigned)i % 200);
		struct layout layout;
		int lower_cols = 0;

		layout_make(&layout, size[0], size[1], 0, 0, false, &wants);
		assert_true(layout.all);
		for (int a = 0; a < NR_PANES; a++) {
			const struct rect *p = &layout.panes[a];

			if (!p->cols)
				continue;
			lower_cols += is_in_lower_row(a) ? p->cols : 0;
			assert_true(p->cols >= 4 && p->rows >= 1);
			assert_true(p->x >= 0 && p->x + p->cols <= size[0]);
			assert_true(p->y >= layout.body.y &&
				    p->y + p->rows <= layout.body.y + layout.body.rows);
			for (int b = 0; b < a; b++) {
				const struct rect *q = &layout.panes[b];

				assert_true(p->x >= q->x + q->cols || q->x >= p->x + p->cols ||
					    p->y >= q->y + q->rows || q->y >= p->y + p->rows);
			}
		}
		assert_int_equal(lower_cols, layout.body.cols);
		assert_int_equal(layout.panes[0].cols, layout.body.cols);
	}
}

static void single_pane_fills_the_body(void **state)
{
	struct layout_wants wants = { 0 };
	struct layout layout;

	(void)state;
	for (int a = 0; a < NR_PANES; a++) {
		layout_make(&layout, 120, 40, 0, a, false, &wants);
		assert_int_equal(layout.all, view_rows[a].place != PLACE_NONE);
		for (int b = 0; b < NR_PANES && !layout.all; b++)
			assert_int_equal(layout.panes[b].cols, b == a ? 120 : 0);
	}
	/* Without processes the other panes have nothing to show. */
	wants.alone = true;
	layout_make(&layout, 120, 40, 0, 0, false, &wants);
	for (int b = 0; b < NR_PANES; b++)
		assert_int_equal(layout.panes[b].rows, b ? 0 : layout.body.rows);
}

static void panes_are_no_higher_than_their_content(void **state)
{
	struct layout_wants wants = { 0 };
	struct layout layout;

	(void)state;
	for (int i = 0; i < NR_PANES; i++)
		wants.rows[i] = 6 + i;
	layout_make(&layout, 200, 60, 0, 0, false, &wants);
	for (int i = 0; i < NR_PANES; i++)
		if (layout.panes[i].cols)
			assert_int_equal(layout.panes[i].rows, wants.rows[i]);
	/* If both rows have more than fits, the lower one gets two fifths. */
	for (int i = 0; i < NR_PANES; i++)
		wants.rows[i] = 500;
	layout_make(&layout, 200, 60, 0, 0, false, &wants);
	for (int i = 0; i < NR_PANES; i++)
		if (is_in_lower_row(i))
			assert_int_equal(layout.panes[i].rows, layout.body.rows * 2 / 5);
	assert_int_equal(layout.panes[0].rows, layout.body.rows - layout.body.rows * 2 / 5);
}

/* At 120 columns two panes fit below; the third takes a place while it has the focus. */
static void focused_pane_is_always_shown(void **state)
{
	static const int sizes[][2] = { { 120, 40 }, { 200, 60 }, { 80, 24 } };
	struct layout_wants wants = { 0 };
	struct layout layout;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (int focus = 0; focus < NR_PANES; focus++) {
			layout_make(&layout, sizes[i][0], sizes[i][1], 0, focus, false, &wants);
			assert_true(layout.panes[focus].cols > 0);
		}
}

static void keys_have_one_action(void **state)
{
	(void)state;
	for (int action = 1; action < NR_ACTIONS; action++)
		for (const char *at = key_rows[action].keys; *at;) {
			size_t len = strcspn(at, " ");
			uint32_t key = key_by_name(at, len);

			if (!key)
				fail_msg("'%.*s' is no key", (int)len, at);
			for (int scope = KEY_SCOPE_PANES; scope <= KEY_SCOPE_PAGES; scope <<= 1)
				if (key_rows[action].scope & scope)
					assert_int_equal(key_action(key, (enum key_scope)scope),
							 action);
			at += len + strspn(at + len, " ");
		}
}

/* A key may act in only some of `places`. */
static void every_key_does_something(void **state)
{
	static const char *const places[] = { "",          "3",     "3 s Down m", "z",      "End",
					      "Enter",     "o",     "t",          "e Home", "F",
					      "/ f Enter", "- - -", "Right Down" };

	(void)state;
	for (int action = 1; action < NR_ACTIONS; action++) {
		bool does = false;

		for (size_t i = 0; i < sizeof(places) / sizeof(*places) && !does; i++) {
			struct ui_config config = config_of(true);
			struct screen screen;
			char *before;
			unsigned asked;

			open_scene(&screen, 120, 24, &config);
			screen_keys(&screen, places[i]);
			before = xstrdup(screen_text(&screen));
			asked = press(&screen, first_key((enum action)action));
			does = (asked & ~(unsigned)UI_REDRAW) ||
			       strcmp(before, screen_text(&screen)) != 0;
			free(before);
			screen_close(&screen);
		}
		if (!does)
			fail_msg("'%s' does nothing: %s", key_rows[action].keys,
				 key_rows[action].doc);
	}
}

static void help_has_every_key(void **state)
{
	struct ui_config config = config_of(true);
	struct screen screen;
	const char *text;

	(void)state;
	open_scene(&screen, WIDE, HIGH, &config);
	screen_keys(&screen, "? ?");
	text = screen_text(&screen);
	for (int action = 1; action < NR_ACTIONS; action++) {
		char line[300];

		snprintf(line, sizeof(line), "%-18s %s", key_rows[action].keys,
			 key_rows[action].doc);
		if (!strstr(text, line))
			fail_msg("the help lacks '%s'", line);
	}
	for (int group = 0; group < NR_KEY_GROUPS; group++)
		assert_non_null(strstr(text, key_group_names[group]));
	screen_close(&screen);
}

static void help_starts_with_the_keys_of_the_view(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < nr_view_keys; i++) {
		enum action action = action_of((enum view_id)view_keys[i].view);
		struct ui_config config = config_of(true);
		struct screen screen;
		const char *text;
		char line[300];

		for (const char *at = view_keys[i].keys; *at; at += strcspn(at, " ")) {
			at += strspn(at, " ");
			assert_int_not_equal(key_by_name(at, strcspn(at, " ")), 0);
			assert_int_not_equal(
				key_action(key_by_name(at, strcspn(at, " ")), KEY_SCOPE_ALL),
				ACTION_NONE);
		}
		/* The key of the help would close it. */
		if (action == ACTION_NONE || action == ACTION_HELP)
			continue;
		open_scene(&screen, WIDE, HIGH, &config);
		press(&screen, first_key(action));
		/* The key of queries also opens a prompt; Esc closes it. */
		screen_keys(&screen, view_keys[i].view == VIEW_SQL ? "Esc ? ?" : "? ?");
		text = screen_text(&screen);
		snprintf(line, sizeof(line), "Here: %s", view_table[view_keys[i].view]->name);
		assert_non_null(strstr(text, line));
		assert_true(strstr(text, line) < strstr(text, key_group_names[0]));
		snprintf(line, sizeof(line), "%-18s %s", view_keys[i].keys, view_keys[i].doc);
		if (!strstr(text, line))
			fail_msg("the help over %s lacks '%s'", view_table[view_keys[i].view]->name,
				 line);
		screen_close(&screen);
	}
}

static void help_wraps_at_any_width(void **state)
{
	static const int cols[] = { 40, 60, 80, 119 };
	struct ui_config config = config_of(true);
	struct screen screen;

	(void)state;
	for (size_t i = 0; i < sizeof(cols) / sizeof(*cols); i++) {
		open_scene(&screen, cols[i], HIGH, &config);
		screen_keys(&screen, "? ?");
		for (const char *at = screen_text(&screen); (at = strstr(at, "…")); at++)
			/* the glyph MORE, which marks cut text */
			if (strncmp(at + strlen("…"), "   ", 3) != 0)
				assert_true(at < strstr(screen_text(&screen), "Here:"));
		assert_non_null(strstr(screen_text(&screen), "Signs and words"));
		screen_close(&screen);
	}
}

static void help_has_every_heading(void **state)
{
	struct ui_config config = config_of(true);
	struct screen screen;
	const char *text;

	(void)state;
	open_scene(&screen, WIDE, HIGH, &config);
	screen_keys(&screen, "? ?");
	text = strstr(screen_text(&screen), "Signs and words");
	assert_non_null(text);
	for (int id = 0; id < NR_VIEWS; id++)
		for (int i = 0; i < view_table[id]->nr_columns; i++) {
			const char *title = view_table[id]->columns[i].title;
			char line[64];

			if (!title || !*title || id == VIEW_HELP || id == VIEW_SETUP)
				continue;
			snprintf(line, sizeof(line), "%-18s ", title);
			if (!strstr(text, line))
				fail_msg("legend.def lacks %s of %s", title, view_table[id]->name);
		}
	screen_close(&screen);
}

static int column_of(const char *line, const char *text)
{
	const char *at = strstr(line, text);

	return at ? surface_text_cells(line, (size_t)(at - line), false) : -1;
}

static void bottom_line_accepts_clicks(void **state)
{
	struct ui_config config = config_of(true);
	struct screen screen;
	const char *line;
	int x;

	(void)state;
	open_scene(&screen, 120, 40, &config);
	line = strstr(screen_text(&screen), "Enter open");
	x = column_of(line, "i findings");
	assert_true(x > 0);
	for (int at = x; at < x + 10; at++) {
		ui_key(screen.ui, &(struct key_event){ .key = KEY_CODE_MOUSE,
						       .x = (int16_t)at,
						       .y = 39,
						       .button = MOUSE_PRESS });
		screen_frame(&screen);
		assert_true(is_in_front(&screen, VIEW_FINDINGS));
		line = strstr(screen_text(&screen), "Enter runs");
		if (!line)
			line = strstr(screen_text(&screen), "Esc back");
		ui_key(screen.ui, &(struct key_event){ .key = KEY_CODE_MOUSE,
						       .x = (int16_t)column_of(line, "Esc back"),
						       .y = 39,
						       .button = MOUSE_PRESS });
		screen_frame(&screen);
		assert_false(is_in_front(&screen, VIEW_FINDINGS));
	}
	/* A click after the last key does nothing. */
	assert_int_equal(ui_key(screen.ui, &(struct key_event){ .key = KEY_CODE_MOUSE,
								.x = 119,
								.y = 39,
								.button = MOUSE_PRESS }),
			 UI_REDRAW);
	screen_close(&screen);
}

static bool has_cut_cell(const struct surface *surface, struct rect inner)
{
	for (int y = inner.y; y < inner.y + inner.rows; y++)
		for (int x = inner.x; x < inner.x + inner.cols; x++)
			if (surface->cells[y * surface->cols + x].ch[0] == 0x2026)
				return true;
	return false;
}

/*
 * If several panes are shown, none with rows is more than one row higher than its content. If a
 * cell of a pane is cut, none of its columns is wider than the longest value or heading in it, and
 * bars have their least width.
 */
static void check_widths(struct screen *screen, const struct view *view, struct rect pane)
{
	const struct table *table = &view->table;
	struct rect inner = { pane.x + 1, pane.y + 2, pane.cols - 2, pane.rows - 3 };

	assert_true(inner.rows <= 0 || screen->ui->layout.all == false || table->nr_rows == 0 ||
		    inner.rows <= (int)table->nr_rows + 1);
	if (!has_cut_cell(screen->surface, inner))
		return;
	for (int i = 0; i < view->ops->nr_columns; i++) {
		const struct column *column = &view->ops->columns[i];
		int title = column->title ? (int)strlen(column->title) + 1 : 0;
		int most = table->longest[i] > title ? table->longest[i] : title;

		most = table->spilled[i] > most ? table->spilled[i] : most;

		if (table->heads[i] >= 0 &&
		    table->widths[i] > (column->fills ? column->min_cells : most))
			fail_msg("%dx%d %s: %s has %d cells for %d\n%s", screen->surface->cols,
				 screen->surface->rows, view->ops->name, column->title,
				 table->widths[i], most, screen_text(screen));
	}
}

static void check_panes(struct screen *screen)
{
	for (int i = 0; i < NR_PANES; i++)
		if (screen->ui->layout.panes[i].cols)
			check_widths(screen, &screen->ui->panes[i], screen->ui->layout.panes[i]);
}

/* With SIZES_ALL all sizes from 40x10 to 300x100, else some; with the first or the last process of
 * two traces selected. */
static void no_column_is_wider_than_its_values_if_a_cell_is_cut(void **state)
{
	static const char *const traces[] = { "screens/scene.event", "screens/findings.event" };
	struct ui_config config = config_of(true);
	bool all = getenv("SIZES_ALL") != NULL;
	struct screen screen;

	(void)state;
	for (size_t i = 0; i < sizeof(traces) / sizeof(*traces); i++) {
		screen_open(&screen, 40, 10, &config);
		screen_feed_file(&screen, traces[i]);
		screen_frame(&screen);
		for (int cols = 40; cols <= 300; cols += all || cols < 130 ? 1 : 7)
			for (int rows = 10; rows <= 100; rows += all ? 1 : cols % 10 ? 30 : 9) {
				ui_resize(screen.ui, cols, rows);
				screen_frame(&screen);
				check_panes(&screen);
				screen_keys(&screen, (cols + rows) % 2 ? "Home" : "End");
				check_panes(&screen);
			}
		screen_close(&screen);
	}
}

static void commands_have_enough_width(void **state)
{
	struct ui_config config = config_of(true);
	struct screen screen;

	(void)state;
	for (int cols = LAYOUT_WIDE_COLS; cols <= 160; cols++) {
		const char *line;
		int from, to;

		open_scene(&screen, cols, 30, &config);
		line = strstr(screen_text(&screen), "PID STATE");
		from = column_of(line, "COMMAND");
		to = column_of(line, "DOING");
		to = to >= 0 ? to - 1 : column_of(line, "\342\224\202");
		if (from < 0 || (to - from < 24 && !(strstr(line, " push origin main ") &&
						     strstr(line, "rev-list --objects --stdin"))))
			fail_msg("%d columns: COMMAND has %d", cols, to - from);
		screen_close(&screen);
	}
}

static void every_column_can_be_named(void **state)
{
	int nr = 0;

	(void)state;
	for (int id = 0; id < NR_VIEWS; id++) {
		const struct view_ops *ops = view_table[id];

		assert_true(ops->nr_columns >= 1 && ops->nr_columns <= MAX_COLUMNS);
		if (!ops->arranged)
			continue;
		assert_non_null(view_words[id].word);
		for (int i = 0; i < ops->nr_columns; i++) {
			struct arrangement arrangement = { .sort = SORT_NATURAL };
			struct column out[MAX_COLUMNS];
			uint8_t index[MAX_COLUMNS];
			char name[24], why[300];

			column_name(&ops->columns[i], name);
			if (!*name)
				continue;
			/* The column can be shown alone, so no other column has its name. */
			assert_true(arrangement_parse(&arrangement, ops->columns, ops->nr_columns,
						      name, why, sizeof(why)));
			arrangement_columns(&arrangement, ops->columns, ops->nr_columns, out,
					    index);
			assert_int_equal(index[0], i);
			assert_int_equal(arrangement_parse_sort(&arrangement, ops->columns,
								ops->nr_columns, name, why,
								sizeof(why)),
					 !ops->columns[i].no_sort);
			nr++;
		}
	}
	assert_true(nr > 20);
}

/* A filter field that rows have needs a column, or a function, that returns its value. Processes
 * and events have filter_process_value() and filter_event_value(). */
static void every_filter_field_of_a_row_has_a_value(void **state)
{
	int nr = 0;

	(void)state;
	for (int id = 0; id < NR_VIEWS; id++) {
		const struct view_ops *ops = view_table[id];

		if (ops->filter_rows & (FILTER_ROWS_PROCESS | FILTER_ROWS_EVENT))
			continue;
		for (int field = FILTER_NONE + 1; field < NR_FILTER_FIELDS; field++) {
			bool is_field = filter_fields[field].rows & ops->filter_rows;

			if (is_field && !view_has_field(ops, (enum filter_field)field))
				fail_msg("%s: no value for the filter field '%s'", ops->name,
					 filter_fields[field].name);
			nr += is_field;
		}
		for (int i = 0; i < ops->nr_columns; i++)
			assert_true(!ops->columns[i].field ||
				    filter_fields[ops->columns[i].field].rows & ops->filter_rows);
		for (int i = 0; i < ops->nr_fields; i++)
			assert_true(filter_fields[ops->fields[i].field].rows & ops->filter_rows);
	}
	assert_true(nr > 50);
}

/* The known values of a process for a filter field, each once, as a generated column shows them. */
struct filter_values_text {
	enum filter_field field;
	struct tr2_buf text;
	int64_t number; /* the last value's number */
	int nr;
};

static bool add_filter_value(void *data, const struct value *value)
{
	struct filter_values_text *values = data;
	struct tr2_buf one = { .max = 1 << 16 };

	attribute_format_value(filter_attribute(values->field), value, &one);
	if (!values->nr || !strstr(tr2_buf_cstr(&values->text), tr2_buf_cstr(&one)))
		tr2_buf_addf(&values->text, "%s%s", values->nr ? ", " : "", tr2_buf_cstr(&one));
	values->number = value->number;
	values->nr++;
	tr2_buf_release(&one);
	return false;
}

static void format_filter_number(struct filter_values_text *values)
{
	unsigned type = filter_fields[values->field].type;

	if (!values->nr || type == ATTRIBUTE_TYPE_NUMBER)
		return;
	tr2_buf_clear(&values->text);
	if (type == ATTRIBUTE_TYPE_DURATION)
		tr2_buf_addstr(&values->text, human_duration(values->number).text);
	else if (type == ATTRIBUTE_TYPE_TIME)
		format_time(values->number, false, &values->text);
	else
		tr2_buf_addstr(&values->text, values->number ? "yes" : "");
}

static void get_drawn_cell(struct view_ctx *ctx, const struct row *row, int column,
			   struct tr2_buf *out)
{
	struct surface *line = surface_new(SURFACE_MAX_COLS, 1, false);
	struct slot slot = { line, 0, 0, SURFACE_MAX_COLS, false, 0, NULL };

	view_draw_cell(ctx, row, column, &slot);
	surface_row_text(line, 0, out);
	while (out->len && out->data[out->len - 1] == ' ')
		out->len--;
	surface_free(line);
}

static void check_column(struct view_ctx *ctx, const struct row *row, int at)
{
	const struct column *column = &view_table[VIEW_PROCESSES]->columns[at];
	struct filter_values_text values = { .field = (enum filter_field)column->field,
					     .text = { .max = 1 << 16 } };
	bool is_text = filter_fields[values.field].type == ATTRIBUTE_TYPE_TEXT;
	struct tr2_buf drawn = { .max = 1 << 16 };
	const char *text;
	size_t len = 0;

	filter_process_value(ctx->model, model_slot(ctx->model, row->ref), values.field,
			     add_filter_value, &values);
	if (column->text) {
		text = column->text(ctx, row, &len);
		tr2_buf_add(&drawn, text ? text : "", text ? len : 0);
		/* REPO shows nothing while there is only one repository. */
		if (values.field != FILTER_REPO)
			assert_int_equal(drawn.len > 0, values.nr > 0);
		assert_non_null(strstr(tr2_buf_cstr(&values.text), tr2_buf_cstr(&drawn)));
	} else if (column->number && is_text) { /* the number of a user, whose name is shown */
		get_drawn_cell(ctx, row, at, &drawn);
		assert_non_null(strstr(tr2_buf_cstr(&values.text), tr2_buf_cstr(&drawn)));
	} else if (column->number && filter_fields[values.field].type == ATTRIBUTE_TYPE_STATE) {
		assert_int_equal(column->number(ctx, row) < 0,
				 (values.number & ATTRIBUTE_STATE_FAILED) != 0);
	} else if (column->number) {
		/* The screen shows how long a live process has run until now. */
		bool grows = values.field == FILTER_ELAPSED &&
			     process_is_live(model_slot(ctx->model, row->ref));

		if (values.nr && !grows)
			assert_int_equal(column->number(ctx, row), values.number);
	} else {
		if (!is_text)
			format_filter_number(&values);
		get_drawn_cell(ctx, row, at, &drawn);
		assert_string_equal(tr2_buf_cstr(&drawn), tr2_buf_cstr(&values.text));
	}
	tr2_buf_release(&drawn);
	tr2_buf_release(&values.text);
}

static void check_order(struct view_ctx *ctx, int at)
{
	struct table *table = &ctx->view->table;
	bool is_text = filter_fields[view_table[VIEW_PROCESSES]->columns[at].field].type ==
		       ATTRIBUTE_TYPE_TEXT;

	table->sort = at;
	view_sort_keys(ctx, table);
	for (uint32_t i = 0; i < table->nr_rows; i++) {
		const struct row *row = &table->rows[i];
		struct tr2_buf drawn = { .max = 1 << 16 };

		get_drawn_cell(ctx, row, at, &drawn);
		if (is_text)
			assert_true(row->text_len == drawn.len &&
				    !memcmp(row->text, tr2_buf_cstr(&drawn), drawn.len));
		else if (drawn.len)
			assert_true(row->key < INT64_MAX);
		tr2_buf_release(&drawn);
	}
}

static int column_of_field(enum filter_field field)
{
	int found = -1;

	for (int i = 0; i < view_table[VIEW_PROCESSES]->nr_columns; i++)
		if (view_table[VIEW_PROCESSES]->columns[i].field == field) {
			assert_int_equal(found, -1);
			found = i;
		}
	return found;
}

static void every_attribute_without_keys_is_a_column_of_processes(void **state)
{
	struct ui_config config = config_of(true);
	struct screen screen;
	struct view_ctx ctx;
	int nr = 0;

	(void)state;
	open_scene(&screen, WIDE, HIGH, &config);
	ctx = ui_context(screen.ui, &screen.ui->panes[VIEW_PROCESSES]);
	assert_true(ctx.view->table.nr_rows > 5);
	for (int i = 0; i < NR_ATTRIBUTES; i++) {
		int at = column_of_field(filter_field_of((enum attribute)i));

		if (attributes[i].key)
			continue;
		if (at < 0)
			fail_msg("no column for the attribute %s", attributes[i].word);
		for (uint32_t r = 0; r < ctx.view->table.nr_rows; r++)
			check_column(&ctx, &ctx.view->table.rows[r], at);
		if (!view_table[VIEW_PROCESSES]->columns[at].number &&
		    !view_table[VIEW_PROCESSES]->columns[at].text)
			check_order(&ctx, at);
		nr++;
	}
	assert_true(nr > 40);
	screen_close(&screen);
}

static void setup_has_every_setting(void **state)
{
	struct ui_config config = config_of(true);
	struct tr2_buf file = { .max = 1 << 20 };
	struct screen screen;
	const char *text;
	char key[64], help[SETUP_HELP_BYTES], name[24], wanted[100];
	int nr = 0;

	(void)state;
	setup_text(&setup, "", 0, &file);
	open_scene(&screen, WIDE, HIGH, &config);
	screen_keys(&screen, "F2");
	text = screen_text(&screen);
	for (; setup_key(&setup, nr, key, help); nr++) {
		snprintf(wanted, sizeof(wanted), "%s = ", key);
		assert_non_null(strstr(tr2_buf_cstr(&file), wanted));
		assert_true(strchr(key, '.') || (strstr(text, key) && strstr(text, help)));
	}
	assert_true(nr > 10);
	for (int id = 0; id < NR_VIEWS; id++)
		for (int i = 0; view_table[id]->arranged && i < view_table[id]->nr_columns; i++) {
			column_name(&view_table[id]->columns[i], name);
			snprintf(wanted, sizeof(wanted), "] %.10s", name);
			if (*name && !strstr(text, wanted))
				fail_msg("the setup lacks %s of %s", name, view_table[id]->name);
		}
	tr2_buf_release(&file);
	screen_close(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_view_is_opened_by_its_key),
		cmocka_unit_test(every_view_is_opened_by_its_word),
		cmocka_unit_test(every_page_without_a_key_is_opened_by_enter),
		cmocka_unit_test(a_double_click_acts_as_enter),
		cmocka_unit_test(refused_pages_give_a_reason),
		cmocka_unit_test(an_unknown_word_is_refused),
		cmocka_unit_test(panes_are_no_higher_than_their_content),
		cmocka_unit_test(focused_pane_is_always_shown),
		cmocka_unit_test(panes_stay_in_the_body_and_do_not_overlap),
		cmocka_unit_test(single_pane_fills_the_body),
		cmocka_unit_test(keys_have_one_action),
		cmocka_unit_test(every_key_does_something),
		cmocka_unit_test(help_has_every_key),
		cmocka_unit_test(help_starts_with_the_keys_of_the_view),
		cmocka_unit_test(help_wraps_at_any_width),
		cmocka_unit_test(help_has_every_heading),
		cmocka_unit_test(bottom_line_accepts_clicks),
		cmocka_unit_test(commands_have_enough_width),
		cmocka_unit_test(no_column_is_wider_than_its_values_if_a_cell_is_cut),
		cmocka_unit_test(every_column_can_be_named),
		cmocka_unit_test(every_filter_field_of_a_row_has_a_value),
		cmocka_unit_test(every_attribute_without_keys_is_a_column_of_processes),
		cmocka_unit_test(setup_has_every_setting),
	};

	option_tables_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
