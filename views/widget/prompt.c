/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/widget/prompt.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "views/widget/keys.h"

static void set_text(struct prompt *p, const char *text)
{
	snprintf(p->text, sizeof(p->text), "%s", text);
	/* Cut the text before its first invalid byte, such as a part of a character. */
	p->len = p->cursor = tr2_utf8_valid_prefix(p->text, strlen(p->text));
	p->text[p->len] = 0;
}

void prompt_open(struct prompt *p, const char *label, const char *text)
{
	p->label = label;
	p->message[0] = p->hint[0] = 0;
	p->at_history = p->nr_history;
	set_text(p, text);
}

void prompt_close(struct prompt *p, bool keep)
{
	p->label = NULL;
	if (!keep || !p->len || (p->nr_history && !strcmp(p->history[p->nr_history - 1], p->text)))
		return;
	if (p->nr_history == PROMPT_HISTORY) {
		memmove(p->history[0], p->history[1], sizeof(p->history) - sizeof(p->history[0]));
		p->nr_history--;
	}
	memcpy(p->history[p->nr_history++], p->text, p->len + 1);
}

static void splice(struct prompt *p, size_t from, size_t to, const char *with, size_t len)
{
	if (p->len - (to - from) + len >= sizeof(p->text))
		return;
	memmove(p->text + from + len, p->text + to, p->len - to + 1);
	memcpy(p->text + from, with, len);
	p->len = p->len - (to - from) + len;
	p->cursor = from + len;
}

void prompt_replace(struct prompt *p, size_t from, const char *word)
{
	splice(p, from, p->cursor, word, strlen(word));
}

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static size_t prompt_before(const struct prompt *p, size_t at)
{
	if (at)
		at--;
	while (at && continues(p->text[at]))
		at--;
	return at;
}

static size_t prompt_behind(const struct prompt *p, size_t at)
{
	if (at < p->len)
		at++;
	while (at < p->len && continues(p->text[at]))
		at++;
	return at;
}

static size_t word_before(const struct prompt *p)
{
	size_t at = p->cursor;

	while (at && p->text[at - 1] == ' ')
		at--;
	while (at && p->text[at - 1] != ' ')
		at--;
	return at;
}

static void recall(struct prompt *p, int step)
{
	int at = p->at_history + step;

	if (at < 0 || at > p->nr_history)
		return;
	p->at_history = at;
	set_text(p, at < p->nr_history ? p->history[at] : "");
}

static void prompt_insert(struct prompt *p, uint32_t key)
{
	char bytes[4];

	if (key >= ' ' && key != 0x7f && key < KEY_CODE_FIRST)
		splice(p, p->cursor, p->cursor, bytes, tr2_utf8_encode(key, bytes));
}

enum prompt_result prompt_key(struct prompt *p, uint32_t key)
{
	p->message[0] = 0;
	switch (key) {
	case '\r':
	case '\n':
		return PROMPT_ENTERED;
	case 0x1b:
	case KEY_CTRL('c'):
		prompt_close(p, false);
		return PROMPT_LEFT;
	case KEY_CODE_LEFT:
	case KEY_CTRL('b'):
		p->cursor = prompt_before(p, p->cursor);
		break;
	case KEY_CODE_RIGHT:
	case KEY_CTRL('f'):
		p->cursor = prompt_behind(p, p->cursor);
		break;
	case KEY_CODE_HOME:
	case KEY_CTRL('a'):
		p->cursor = 0;
		break;
	case KEY_CODE_END:
	case KEY_CTRL('e'):
		p->cursor = p->len;
		break;
	case KEY_CODE_BACKSPACE:
	case 0x7f:
	case 0x08:
		splice(p, prompt_before(p, p->cursor), p->cursor, "", 0);
		break;
	case KEY_CODE_DELETE:
		splice(p, p->cursor, prompt_behind(p, p->cursor), "", 0);
		break;
	case KEY_CTRL('u'):
		splice(p, 0, p->cursor, "", 0);
		break;
	case KEY_CTRL('w'):
		splice(p, word_before(p), p->cursor, "", 0);
		break;
	case KEY_CODE_UP:
	case KEY_CODE_DOWN:
		recall(p, key == KEY_CODE_UP ? -1 : 1);
		break;
	default:
		prompt_insert(p, key);
	}
	return PROMPT_GOES_ON;
}

void prompt_draw(const struct prompt *p, struct surface *surface, int y)
{
	struct rect line = { 0, y, surface->cols, 1 };
	int cells = surface_text_cells(p->text, p->cursor, surface->ascii), x, room, skip, from_x,
	    status;
	size_t from = 0;

	surface_blank(surface, line);
	x = surface_text(surface, 0, y, surface->cols, STYLE_HINT, p->label, SIZE_MAX);
	room = surface->cols - x - 1;
	status = (int)strlen(p->status);
	/* If the status takes half of the room or more, draw only its part before the first comma,
	 * because the line is more important. */
	if (status >= room / 2)
		status = (int)strcspn(p->status, ",");
	if (status && status < room) {
		room -= status + 1;
		surface_text(surface, x + room + 2, y, status, STYLE_HINT, p->status,
			     (size_t)status);
	}
	/* Keep the cursor visible: omit the beginning of the text if the text before the cursor is
	 * too long. */
	for (skip = cells - room; skip > 0 && from < p->cursor; from = prompt_behind(p, from))
		skip = cells - surface_text_cells(p->text, from, surface->ascii) - room;
	surface_text(surface, x, y, room, STYLE_TEXT, p->text + from, p->len - from);
	cells = surface_text_cells(p->text + from, p->cursor - from, surface->ascii);
	surface_put_cursor(surface, x + cells, y);
	surface_overlay(surface, (struct rect){ x + cells, y, 1, 1 }, STYLE_SELECTED);
	if (*p->hint && !p->message[0]) {
		surface_blank(surface, (struct rect){ 0, y - 1, surface->cols, 1 });
		surface_text(surface, x, y - 1, surface->cols - x, STYLE_HINT, p->hint, SIZE_MAX);
	}
	if (!p->message[0])
		return;
	size_t column = p->message_column < p->len ? p->message_column : p->len;

	cells = column > from ? surface_text_cells(p->text + from, column - from, surface->ascii)
			      : 0;
	surface_blank(surface, (struct rect){ 0, y - 1, surface->cols, 1 });
	x += cells;
	room = surface_text_cells(p->message, SIZE_MAX, surface->ascii) + 1;
	surface_glyph(surface, x, y - 1, STYLE_ALERT, GLYPH_DOWN);
	/* Draw the message to the right of its column if it fits there or the column is in the left
	 * half, else to the left. */
	from_x = x + 1 + room <= surface->cols || x <= surface->cols / 2 ? x + 2
		 : x > room                                              ? x - room
									 : 0;
	surface_text(surface, from_x, y - 1, from_x > x ? surface->cols - from_x : x - 1 - from_x,
		     STYLE_ALERT, p->message, SIZE_MAX);
}
