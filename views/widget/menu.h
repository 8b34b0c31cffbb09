/* SPDX-License-Identifier: MIT */
/*
 * A popup menu: the user chooses an item with its own key, with the cursor and Enter, or with the
 * mouse; other keys, such as Esc, close it. The owner interprets the choice. One owner, one thread;
 * nothing is allocated.
 */
#ifndef VIEWS_MENU_H
#define VIEWS_MENU_H

#include <stdbool.h>
#include <stdint.h>

#include "views/draw/surface.h"
#include "views/widget/keys.h"

#define MENU_MAX_ITEMS  64
#define MENU_TEXT_BYTES 160

struct menu_item {
	uint32_t key; /* key that chooses the item; 0: none */
	int value;    /* value by which the owner recognises the item */
	char text[MENU_TEXT_BYTES];
};

struct menu {
	/* ro: title, borrowed while the menu is open; NULL: the menu is not open */
	const char *title;
	struct menu_item items[MENU_MAX_ITEMS];
	int nr, at; /* ro: number of items; index of the item under the cursor */
	/* ro: index of the first visible item and number of visible items in the last frame */
	int top, rows;
	struct rect drawn; /* ro: area of the menu with its frame */
};

enum menu_result { MENU_GOES_ON, MENU_CHOSEN, MENU_LEFT };

/* Open the menu without items. */
void menu_open(struct menu *menu, const char *title);
void menu_close(struct menu *menu);

static inline bool menu_is_open(const struct menu *menu)
{
	return menu->title != NULL;
}

/* Add an item with a copy of `text`, cut to MENU_TEXT_BYTES - 1; if `is_now`, put the cursor there.
 * No effect if the menu is full. */
void menu_add(struct menu *menu, uint32_t key, int value, const char *text, bool is_now);

/* Handle a key. MENU_CHOSEN: the user chose items[at]; the menu stays open until menu_close().
 * MENU_LEFT: the menu was closed. */
enum menu_result menu_key(struct menu *menu, const struct key_event *key);

/* Draw as much of the menu as fits into `area`, with its upper left corner at `x`, `y`, or further
 * to the left or up if it does not fit there. */
void menu_draw(struct menu *menu, struct surface *surface, struct rect area, int x, int y);

#endif
