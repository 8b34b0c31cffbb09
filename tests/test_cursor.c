/* SPDX-License-Identifier: MIT */
/*
 * Tests of the terminal's cursor, which must be where the user acts, such as on the selected row,
 * because braille displays and magnifiers follow it.
 *
 * In walk() the screen runs in a fork of the test. A frame has its number in the bottom line, the
 * last text that is drawn before the cursor is set. The next frame is drawn after this one was
 * checked.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <poll.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "tests/program.h"
#include "tests/pty.h"
#include "tests/screen_fixture.h"
#include "views/terminal/terminal.h"
#include "views/ui/ui_priv.h"

#define TAG_CELLS   7  /* width of the frame's number: a letter and six digits */
#define SELECTED_BG 24 /* background of the selection in the theme "dark" */

/* Keys that open a view; "": it can be opened only with a comparison. */
static const char *const ways[NR_VIEWS] = {
	[VIEW_PROCESSES] = "1",
	[VIEW_THREADS] = "Down Down 2",
	[VIEW_TIMINGS] = "3",
	[VIEW_CHILDREN] = "4",
	[VIEW_COMMANDS] = "5",
	[VIEW_HELP] = "?",
	[VIEW_SETUP] = "F2",
	[VIEW_EVENTS] = "e Home",
	[VIEW_TIMELINE] = "t",
	[VIEW_FLAME] = "F a a",
	[VIEW_SOURCES] = "o",
	[VIEW_ERRORS] = "E",
	[VIEW_SUMMARY] = "S",
	[VIEW_WAITING] = "W",
	[VIEW_FINDINGS] = "i",
	[VIEW_DIFFERENCE] = "D",
	[VIEW_OUTPUT] = "O",
	[VIEW_PROCESS] = "Enter",
	[VIEW_COMMAND] = "5 Enter",
	[VIEW_HEAT] = "5 H",
	[VIEW_ATTRIBUTES] = "5 A",
	[VIEW_FINDING] = "i Home Enter",
	[VIEW_REGION] = "3 Down Enter",
	[VIEW_RECORD] = "e Home Enter",
	[VIEW_PAIRS] = "",
	[VIEW_VALUES] = "V",
	[VIEW_VALUE] = "V Down Enter",
	[VIEW_SQL] = ":",
};

struct walk {
	int cols, rows;
	/* in each view every step-th action is tried, from an offset that depends on `first` */
	unsigned step, first;
	int seen[2]; /* pipe: one byte per frame that was checked */
};

static struct terminal *terminal;
static unsigned nr_frames;

static void no_keys(void *data)
{
	(void)data;
}

/* The expected position of the cursor: p prompt, q question, m menu, r row, n none. */
static char kind_of(struct screen *screen)
{
	struct view *front = ui_front(screen->ui);

	if (screen->ui->asks_to_quit)
		return 'q';
	if (screen->ui->asking != ASK_NONE)
		return 'p';
	if (menu_is_open(&screen->ui->menu))
		return 'm';
	/* The overview of the help has nothing to select. */
	if (!strcmp(front->ops->name, "Help") && !table_selected(&front->table))
		return 'n';
	return front->table.nr_rows ? 'r' : 'n';
}

static void show(struct screen *screen, struct walk *walk)
{
	char byte;

	surface_printf(screen->surface, walk->cols - TAG_CELLS, walk->rows - 1, TAG_CELLS,
		       STYLE_TEXT, "%c%06u", kind_of(screen), ++nr_frames);
	terminal_show(terminal, screen->surface);
	if (read(walk->seen[0], &byte, 1) != 1)
		_exit(3);
}

static void press(struct screen *screen, struct walk *walk, const char *script)
{
	bool bad = false;

	for (uint32_t key; (key = key_script_next(&script, &bad));) {
		ui_key(screen->ui, &(struct key_event){ .key = key });
		screen_frame(screen);
		show(screen, walk);
	}
	if (bad)
		_exit(4);
}

/* Press `key` in one view, and then Down, or keys of a prompt if one is open. */
static void try(struct walk *walk, const char *way, const char *key)
{
	struct ui_config config = { .nesting = -1, .depth = -1, .has_command = true };
	struct screen screen;

	screen_open(&screen, walk->cols, walk->rows, &config);
	screen_scene(&screen);
	screen_feed_file(&screen, "screens/findings.event");
	screen.in.command_state = "running";
	screen.in.output = "one\ntwo\nthree\n";
	screen.in.output_len = 14;
	screen_frame(&screen);
	screen_keys(&screen, way);
	show(&screen, walk);
	press(&screen, walk, key);
	press(&screen, walk, kind_of(&screen) == 'p' ? "e r Left" : "Down");
	screen_close(&screen);
}

static int run(void *data)
{
	struct terminal_config config = { .look = { .theme = THEME_DARK, .colour = COLOUR_ALWAYS },
					  .wake = no_keys };
	struct surface *end;
	struct walk *walk = data;
	char why[128];

	setlocale(LC_ALL, "");
	terminal = terminal_start(&config, why, sizeof(why));
	if (!terminal)
		return 2;
	for (int view = 0; view < NR_VIEWS; view++)
		for (int action = 1; ways[view] && *ways[view] && action < NR_ACTIONS; action++) {
			char key[16];

			if ((unsigned)(view + action) % walk->step != walk->first)
				continue;
			snprintf(key, sizeof(key), "%.*s", (int)strcspn(key_rows[action].keys, " "),
				 key_rows[action].keys);
			try(walk, ways[view], key);
		}
	end = surface_new(walk->cols, walk->rows, false);
	surface_text(end, walk->cols - TAG_CELLS, walk->rows - 1, TAG_CELLS, STYLE_TEXT, "e000000",
		     SIZE_MAX);
	terminal_show(terminal, end);
	if (read(walk->seen[0], why, 1) != 1)
		return 3;
	terminal_stop(terminal);
	surface_free(end);
	return 0;
}

static VTermScreenCell cell_at(struct pty *pty, int x, int y)
{
	VTermScreenCell cell;

	vterm_screen_get_cell(pty->screen, (VTermPos){ y, x }, &cell);
	return cell;
}

static bool is_selected(struct pty *pty, int x, int y)
{
	VTermScreenCell cell = cell_at(pty, x, y);

	return VTERM_COLOR_IS_INDEXED(&cell.bg) && cell.bg.indexed.idx == SELECTED_BG;
}

static bool is_sign(struct pty *pty, int x, int y)
{
	VTermScreenCell cell = cell_at(pty, x, y);

	return (cell.chars[0] == 0x25b8 || cell.chars[0] == 0x25c8) && is_selected(pty, x, y) &&
	       (x == 0 || !is_selected(pty, x - 1, y));
}

static bool stands_right(struct pty *pty, char kind)
{
	VTermPos at;
	int nr = 0, right_x = 0, right_y = 0, top_y = -1;

	vterm_state_get_cursorpos(vterm_obtain_state(pty->vterm), &at);
	if (kind == 'q')
		return at.row == pty->rows - 1 && at.col > 0;
	if (kind == 'p')
		return at.row == pty->rows - 1 && is_selected(pty, at.col, at.row);
	for (int y = 0; y < pty->rows - 1; y++)
		for (int x = 0; x < pty->cols; x++)
			if (is_sign(pty, x, y)) {
				nr++;
				top_y = top_y < 0 ? y : top_y;
				if (x >= right_x) {
					right_x = x;
					right_y = y;
				}
			}
	if (kind == 'm')
		return nr >= 1 && at.row == right_y && at.col == right_x;
	if (kind == 'n')
		return nr == 0 && at.row > 1 && at.row < pty->rows - 1;
	return nr && at.row == right_y && at.row == top_y && is_selected(pty, at.col, at.row);
}

static void tag_of(struct pty *pty, char *tag)
{
	for (int i = 0; i < TAG_CELLS; i++)
		tag[i] = (char)cell_at(pty, pty->cols - TAG_CELLS + i, pty->rows - 1).chars[0];
	tag[TAG_CELLS] = 0;
}

static char frame_wait(struct pty *pty, unsigned number)
{
	ns_t end = tr2_clock_monotonic() + PTY_DEADLINE_MS * NS_PER_MS;
	char tag[TAG_CELLS + 1];

	for (;;) {
		tag_of(pty, tag);
		if (tag[0] == 'e' || strtoul(tag + 1, NULL, 10) == number)
			return tag[0];
		if (tr2_clock_monotonic() > end)
			fail_msg("frame %u does not come; the screen is\n%s", number,
				 pty_text(pty));
		pty_feed(pty, 100);
	}
}

static void assert_stands_right(struct pty *pty, char kind, unsigned number)
{
	ns_t end = tr2_clock_monotonic() + PTY_DEADLINE_MS * NS_PER_MS;
	VTermPos at;

	while (!stands_right(pty, kind)) {
		if (tr2_clock_monotonic() > end) {
			vterm_state_get_cursorpos(vterm_obtain_state(pty->vterm), &at);
			print_error("frame %u, %c: the cursor stands at row %d, column %d of\n%s",
				    number, kind, at.row, at.col, pty_text(pty));
			fail();
		}
		pty_feed(pty, 10);
	}
}

/* Try the first keys of actions in the views of `ways`: with CURSOR_ALL of all actions, else of a
 * third; `first` (0 to 2) selects which. */
static void walk(int cols, int rows, unsigned first)
{
	unsigned step = getenv("CURSOR_ALL") ? 1 : 3;
	struct walk walk = { .cols = cols, .rows = rows, .step = step, .first = first % step };
	unsigned number = 0, kinds[128] = { 0 };
	struct pty pty;
	char kind;

	assert_int_equal(pipe(walk.seen), 0);
	pty_call(&pty, run, &walk, NULL, cols, rows);
	while ((kind = frame_wait(&pty, ++number)) != 'e') {
		kinds[(unsigned char)kind]++;
		assert_stands_right(&pty, kind, number);
		assert_int_equal(write(walk.seen[1], "", 1), 1);
	}
	assert_int_equal(write(walk.seen[1], "", 1), 1);
	assert_int_equal(pty_wait_exit(&pty, true), 0);
	assert_true(kinds['r'] > 1000 / step && kinds['m'] > 20 / step && kinds['p'] > 100 / step);
	print_message("%u frames: %u rows, %u menus, %u prompts, %u without a row\n", number - 1,
		      kinds['r'], kinds['m'], kinds['p'], kinds['n']);
	close(walk.seen[0]);
	close(walk.seen[1]);
	pty_close(&pty);
}

static void write_runs(const char *path, int wall_ms)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	for (int i = 0; i < 12; i++) {
		char head[200];

		snprintf(head, sizeof(head),
			 "\"sid\":\"202601021228%02d.000000Z-H1-P%08x\",\"thread\":\"main\","
			 "\"time\":\"2026-01-02T12:28:%02d.%03dZ\"",
			 i, wall_ms * 100 + i, i, 0);
		fprintf(file, "{\"event\":\"start\",%s,\"t_abs\":0.0,\"argv\":[\"git\",\"gc\"]}\n",
			head);
		fprintf(file, "{\"event\":\"atexit\",%s,\"t_abs\":0.%03d,\"code\":0}\n", head,
			wall_ms + i % 3);
	}
	assert_int_equal(fclose(file), 0);
}

static void assert_comes_right(struct pty *pty, const char *text)
{
	pty_wait(pty, text);
	assert_stands_right(pty, 'r', 0);
}

static void shows_the_cursor_and_follows_rows_of_a_comparison(void **state)
{
	static const char *const env[] = { "XDG_CONFIG_HOME=/nowhere", "TZ=UTC", NULL };
	char dir[] = "/tmp/trace2top-cursor-XXXXXX", a[64], b[64], base[80];
	const char *argv[] = {
		program_path(), "--cursor", "--color=always", "--theme=dark", base, b, NULL
	};
	struct pty pty;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(a, sizeof(a), "%s/a.event", dir);
	snprintf(b, sizeof(b), "%s/b.event", dir);
	snprintf(base, sizeof(base), "--compare=%s", a);
	write_runs(a, 100);
	write_runs(b, 300);
	pty_spawn(&pty, argv, env, 120, 40);
	assert_comes_right(&pty, "1 Processes");
	assert_true(pty_wrote(&pty, "\033[?25h"));
	pty_send(&pty, "D");
	assert_comes_right(&pty, "> Difference");
	pty_send(&pty, "\r");
	assert_comes_right(&pty, "> Difference > Pairs");
	pty_send(&pty, "j");
	assert_stands_right(&pty, 'r', 0);
	pty_send(&pty, "\003");
	assert_int_equal(pty_wait_exit(&pty, true), 0);
	pty_close(&pty);
	unlink(a);
	unlink(b);
	rmdir(dir);
}

static void hides_the_cursor_if_disabled(void **state)
{
	static const char *const env[] = { "XDG_CONFIG_HOME=/nowhere", "TZ=UTC", NULL };
	char path[4096];
	const char *argv[] = { program_path(), path, NULL };
	struct pty pty;

	(void)state;
	snprintf(path, sizeof(path), "%s/tests/data/dump.event", getenv("abs_top_srcdir"));
	pty_spawn(&pty, argv, env, 80, 24);
	pty_wait(&pty, "1 Processes");
	assert_true(pty_wrote(&pty, "\033[?25l"));
	assert_false(pty_wrote(&pty, "\033[?25h"));
	pty_close(&pty);
}

static void visits_every_view(void **state)
{
	(void)state;
	for (int view = 0; view < NR_VIEWS; view++)
		assert_non_null(ways[view]);
}

static void follows_the_selected_row_on_a_large_screen(void **state)
{
	(void)state;
	walk(120, 40, 0);
}

static void follows_the_selected_row_on_a_small_screen(void **state)
{
	(void)state;
	walk(80, 24, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(visits_every_view),
		cmocka_unit_test(follows_the_selected_row_on_a_large_screen),
		cmocka_unit_test(follows_the_selected_row_on_a_small_screen),
		cmocka_unit_test(shows_the_cursor_and_follows_rows_of_a_comparison),
		cmocka_unit_test(hides_the_cursor_if_disabled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
