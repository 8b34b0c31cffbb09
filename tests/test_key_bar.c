/* SPDX-License-Identifier: MIT */
/* Tests that the keys in the key bar have an effect, on views with a key of their own, with and
 * without events. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/screen_fixture.h"
#include "views/ui/ui_priv.h"
#include "views/ui/views.h"

/* A bar of this width has room for all keys. */
#define COLS 300
#define ROWS 40

static const char *first_key_of(enum view_id id, char name[16])
{
	for (int action = 1; action < NR_ACTIONS; action++)
		if (view_of_action((enum action)action) == id) {
			snprintf(name, 16, "%.*s", (int)strcspn(key_rows[action].keys, " "),
				 key_rows[action].keys);
			return name;
		}
	return NULL;
}

static void bar_open(struct screen *screen, bool has_events, const char *key)
{
	screen_open(screen, COLS, ROWS, NULL);
	if (has_events)
		screen_scene(screen);
	screen_frame(screen);
	screen_keys(screen, key);
}

static void body_format(struct screen *screen, struct tr2_buf *out)
{
	for (int x = 0; x < COLS; x++)
		surface_text(screen->surface, x, ROWS - 1, 1, STYLE_TEXT, " ", 1);
	surface_dump(screen->surface, out);
	surface_dump_styles(screen->surface, out);
}

/* True if a key of the bar changes the rows above the bar, asks for input or requests an action.
 * The keys `open` lead to the view. */
static bool bar_key_acts(bool has_events, const char *open, uint32_t key)
{
	struct tr2_buf before = { .max = 1 << 22 }, after = { .max = 1 << 22 };
	struct screen screen;
	unsigned asked;
	bool acts;

	bar_open(&screen, has_events, open);
	body_format(&screen, &before);
	asked = ui_key(screen.ui, &(struct key_event){ .key = key });
	screen_frame(&screen);
	acts = (asked & ~(unsigned)UI_REDRAW) || screen.ui->asking != ASK_NONE;
	body_format(&screen, &after);
	acts |= before.len != after.len || memcmp(before.data, after.data, after.len) != 0;
	tr2_buf_release(&before);
	tr2_buf_release(&after);
	screen_close(&screen);
	return acts;
}

/* True for a key without effect in the first state of a page with events, for example because it
 * moves or zooms out at an end. */
static bool is_at_an_end(const char *open, uint32_t key)
{
	static const struct {
		const char *open, *keys;
	} ends[] = {
		{ "H", "Right f" },
		{ "t", "- < > f" },
		{ "F", "Up Left Right Enter" },
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		const char *keys = ends[i].keys;
		uint32_t end;
		bool bad = false;

		while (!strcmp(open, ends[i].open) && (end = key_script_next(&keys, &bad)))
			if (end == key)
				return true;
	}
	return false;
}

static void every_key_of_the_bar_does_something(void **state)
{
	int nr = 0, idle = 0;

	(void)state;
	for (int id = 0; id < NR_VIEWS * 2; id++) {
		char name[16];
		const char *open = first_key_of((enum view_id)(id / 2), name);
		bool has_events = id % 2;
		struct screen screen;
		uint32_t last = 0;

		if (!open)
			continue;
		bar_open(&screen, has_events, open);
		for (int x = 0; x < COLS; x++) {
			uint32_t key = ui_key_at(screen.ui, x);

			if (!key || key == last)
				continue;
			last = key;
			nr++;
			if (bar_key_acts(has_events, open, key) ||
			    (has_events && is_at_an_end(open, key)))
				continue;
			print_message("key U+%04X does nothing on '%s' %s events\n", key, open,
				      has_events ? "with" : "without");
			idle++;
		}
		screen_close(&screen);
	}
	assert_true(nr > 100);
	assert_int_equal(idle, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_of_the_bar_does_something),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
