/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/widget/menu.h"

#include <stdio.h>

void menu_open(struct menu *menu, const char *title)
{
	menu->title = title;
	menu->nr = menu->at = menu->top = menu->rows = 0;
	menu->drawn = (struct rect){ 0 };
}

void menu_close(struct menu *menu)
{
	menu->title = NULL;
}

void menu_add(struct menu *menu, uint32_t key, int value, const char *text, bool is_now)
{
	struct menu_item *item = &menu->items[menu->nr];

	if (menu->nr == MENU_MAX_ITEMS)
		return;
	*item = (struct menu_item){ .key = key, .value = value };
	snprintf(item->text, sizeof(item->text), "%s", text);
	if (is_now)
		menu->at = menu->nr;
	menu->nr++;
}

static enum menu_result menu_press(struct menu *menu, const struct key_event *event)
{
	const struct rect *on = &menu->drawn;
	int row = event->y - on->y - 1;

	if (event->button == MOUSE_WHEEL_UP || event->button == MOUSE_WHEEL_DOWN) {
		menu->at +=
			event->button == MOUSE_WHEEL_UP ? -(menu->at > 0) : menu->at + 1 < menu->nr;
		return MENU_GOES_ON;
	}
	if (event->button != MOUSE_PRESS && event->button != MOUSE_DOUBLE)
		return MENU_GOES_ON;
	if (event->x < on->x || event->x >= on->x + on->cols || row < 0 || row >= menu->rows) {
		menu_close(menu);
		return MENU_LEFT;
	}
	menu->at = menu->top + row;
	return MENU_CHOSEN;
}

enum menu_result menu_key(struct menu *menu, const struct key_event *key)
{
	if (key->key == KEY_CODE_MOUSE)
		return menu_press(menu, key);
	for (int i = 0; i < menu->nr; i++)
		if (menu->items[i].key && menu->items[i].key == key->key) {
			menu->at = i;
			return MENU_CHOSEN;
		}
	switch (key_action(key->key, KEY_SCOPE_ALL)) {
	case ACTION_UP:
		menu->at -= menu->at > 0;
		return MENU_GOES_ON;
	case ACTION_DOWN:
		menu->at += menu->at + 1 < menu->nr;
		return MENU_GOES_ON;
	case ACTION_HOME:
	case ACTION_PAGE_UP:
		menu->at = 0;
		return MENU_GOES_ON;
	case ACTION_END:
	case ACTION_LAST:
	case ACTION_PAGE_DOWN:
		menu->at = menu->nr - 1;
		return MENU_GOES_ON;
	case ACTION_DRILL:
		return MENU_CHOSEN;
	default:
		menu_close(menu);
		return MENU_LEFT;
	}
}

static int widest(const struct menu *menu, bool ascii)
{
	int cells = surface_text_cells(menu->title, SIZE_MAX, ascii) + 2;

	for (int i = 0; i < menu->nr; i++) {
		int own = surface_text_cells(menu->items[i].text, SIZE_MAX, ascii) + 3;

		cells = own > cells ? own : cells;
	}
	return cells;
}

static void menu_scroll(struct menu *menu)
{
	if (menu->at < menu->top)
		menu->top = menu->at;
	if (menu->at >= menu->top + menu->rows)
		menu->top = menu->at - menu->rows + 1;
}

static int box_begin(int at, int size, int area, int area_size)
{
	int last = area + area_size - size;

	return at < last ? at : last > area ? last : area;
}

void menu_draw(struct menu *menu, struct surface *surface, struct rect area, int x, int y)
{
	int cols = widest(menu, surface->ascii) + 2;
	int rows = menu->nr + 2 < area.rows ? menu->nr + 2 : area.rows;
	struct rect on = { .cols = cols < area.cols ? cols : area.cols, .rows = rows };

	on.x = box_begin(x, on.cols, area.x, area.cols);
	on.y = box_begin(y, on.rows, area.y, area.rows);
	menu->drawn = on;
	menu->rows = rows > 2 ? rows - 2 : 0;
	if (!menu->rows || on.cols < 4)
		return;
	menu_scroll(menu);
	surface_blank(surface, on);
	surface_frame(surface, on, STYLE_FOCUS);
	surface_printf(surface, on.x + 1, on.y, on.cols - 2, STYLE_FOCUS, " %s ", menu->title);
	for (int i = 0; i < menu->rows; i++) {
		int item = menu->top + i, line = on.y + 1 + i;

		surface_text(surface, on.x + 2, line, on.cols - 3, STYLE_TEXT,
			     menu->items[item].text, SIZE_MAX);
		if (item != menu->at)
			continue;
		surface_put_cursor(surface, on.x + 1, line);
		surface_glyph(surface, on.x + 1, line, STYLE_FOCUS, GLYPH_CURSOR);
		surface_overlay(surface, (struct rect){ on.x + 1, line, on.cols - 2, 1 },
				STYLE_SELECTED);
	}
}
