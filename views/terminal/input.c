/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/terminal/input.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>

#define ESCAPE_DELAY_MS 25
/* A paste without an end mark ends after this pause. */
#define PASTE_PAUSE_NS NS_PER_SEC

static const struct {
	int curses;
	uint32_t key;
} curses_keys[] = {
	{ KEY_UP, KEY_CODE_UP },
	{ KEY_DOWN, KEY_CODE_DOWN },
	{ KEY_LEFT, KEY_CODE_LEFT },
	{ KEY_RIGHT, KEY_CODE_RIGHT },
	{ KEY_PPAGE, KEY_CODE_PAGE_UP },
	{ KEY_NPAGE, KEY_CODE_PAGE_DOWN },
	{ KEY_HOME, KEY_CODE_HOME },
	{ KEY_END, KEY_CODE_END },
	{ KEY_BTAB, KEY_CODE_BACKTAB },
	{ KEY_BACKSPACE, KEY_CODE_BACKSPACE },
	{ KEY_DC, KEY_CODE_DELETE },
	{ KEY_IC, KEY_CODE_INSERT },
	{ KEY_ENTER, '\r' },
};

static bool mouse_event(struct input *input, struct key_event *key)
{
	MEVENT event;

	if (getmouse(&event) != OK)
		return false;
	key->key = KEY_CODE_MOUSE;
	key->x = (int16_t)event.x;
	key->y = (int16_t)event.y;
	if (event.bstate & BUTTON4_PRESSED)
		key->button = MOUSE_WHEEL_UP;
	else if (event.bstate & BUTTON5_PRESSED)
		key->button = MOUSE_WHEEL_DOWN;
	else if (event.bstate & BUTTON1_DOUBLE_CLICKED)
		key->button = MOUSE_DOUBLE;
	else if (event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED))
		key->button = presses_second(&input->presses, event.x, event.y) ? MOUSE_DOUBLE
										: MOUSE_PRESS;
	else if (event.bstate & BUTTON1_RELEASED)
		key->button = MOUSE_RELEASE;
	else
		key->button = MOUSE_DRAG;
	return true;
}

static bool translate(struct input *input, int kind, wint_t ch, struct key_event *key)
{
	*key = (struct key_event){ .key = (uint32_t)ch };
	if (kind == OK)
		return ch != 0;
	if (ch == KEY_MOUSE)
		return mouse_event(input, key);
	if (ch >= KEY_F(1) && ch <= KEY_F(12)) {
		key->key = KEY_CODE_F0 + (uint32_t)(ch - KEY_F0);
		return true;
	}
	for (size_t i = 0; i < sizeof(curses_keys) / sizeof(*curses_keys); i++)
		if ((wint_t)curses_keys[i].curses == ch) {
			key->key = curses_keys[i].key;
			return true;
		}
	return false;
}

/* Curses key codes for the marks around pasted text. */
enum { KEY_PASTE_BEGIN = KEY_MAX + 1, KEY_PASTE_END };

static bool is_paste_mark(struct input *input, int kind, wint_t ch)
{
	if (kind != KEY_CODE_YES || (ch != KEY_PASTE_BEGIN && ch != KEY_PASTE_END))
		return false;
	input->pasting = ch == KEY_PASTE_BEGIN;
	input->pasted_ns = tr2_clock_monotonic();
	return true;
}

void input_set_up(void)
{
	set_escdelay(ESCAPE_DELAY_MS);
	define_key("\033[200~", KEY_PASTE_BEGIN);
	define_key("\033[201~", KEY_PASTE_END);
}

int input_wait_ms(const struct input *input)
{
	return background_wait_ms(&input->background, tr2_clock_monotonic());
}

struct taker {
	void (*take)(void *data, const struct key_event *key);
	void *data;
};

static void input_give(struct input *input, int kind, wint_t ch, const struct taker *taker)
{
	struct key_event key;

	if (!translate(input, kind, ch, &key))
		return;
	key.pasted = input->pasting;
	taker->take(taker->data, &key);
}

/* Pass a key to `taker`, unless it may be part of the answer to the background query. Keys that
 * curses recognised are not; characters that were held are passed before them. */
static void give_parted(struct input *input, int kind, wint_t ch, const struct taker *taker)
{
	uint32_t keys[BACKGROUND_MAX_KEYS];
	int nr = background_take(&input->background, kind == OK ? (uint32_t)ch : 0,
				 tr2_clock_monotonic(), keys);

	for (int i = 0; i < nr; i++)
		if (keys[i])
			input_give(input, OK, keys[i], taker);
	if (kind != OK)
		input_give(input, kind, ch, taker);
}

static void give_late(struct input *input, const struct taker *taker)
{
	uint32_t keys[BACKGROUND_MAX_KEYS];
	int nr = background_late(&input->background, tr2_clock_monotonic(), keys);

	for (int i = 0; i < nr; i++)
		input_give(input, OK, keys[i], taker);
}

void input_read(struct input *input, void (*take)(void *data, const struct key_event *key),
		void *data)
{
	const struct taker taker = { take, data };
	wint_t ch;
	int kind;

	if (input->pasting && tr2_clock_monotonic() - input->pasted_ns > PASTE_PAUSE_NS)
		input->pasting = false;
	while ((kind = get_wch(&ch)) != ERR) {
		if (input->pasting)
			input->pasted_ns = tr2_clock_monotonic();
		if (is_paste_mark(input, kind, ch))
			continue;
		if (input->pasting)
			input_give(input, kind, ch, &taker);
		else
			give_parted(input, kind, ch, &taker);
	}
	give_late(input, &taker);
}
