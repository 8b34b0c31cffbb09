/* SPDX-License-Identifier: MIT */
/*
 * A list over the screen of which one is chosen: with its own key, with the cursor and Enter, or
 * with the mouse; Esc leaves it. What a choice means is the owner's. One owner, one thread; nothing
 * is allocated.
 */
#ifndef VIEWS_MENU_H
#define VIEWS_MENU_H

#include <stdbool.h>
#include <stdint.h>

#include "views/draw/surface.h"
#include "views/widget/keys.h"

#define MENU_MAX_ITEMS  40
#define MENU_TEXT_BYTES 40

struct menu_item {
	uint32_t key; /* chooses it at once; 0: none */
	int value;    /* the owner's */
	char text[MENU_TEXT_BYTES];
};

struct menu {
	const char *title; /* ro: NULL: not open; borrowed while open */
	struct menu_item items[MENU_MAX_ITEMS];
	int nr, at;        /* ro: `at` is the one under the cursor */
	int top, rows;     /* ro: of the last drawing: first item in sight, and how many are */
	struct rect drawn; /* ro: with its frame */
};

enum menu_result { MENU_GOES_ON, MENU_CHOSEN, MENU_LEFT };

/* Open it, without items. */
void menu_open(struct menu *menu, const char *title);
void menu_close(struct menu *menu);

static inline bool menu_is_open(const struct menu *menu)
{
	return menu->title != NULL;
}

/* One more item, a copy; the cursor goes there where it `is_now`. No effect where it is full. */
void menu_add(struct menu *menu, uint32_t key, int value, const char *text, bool is_now);

/* MENU_CHOSEN: items[at] is meant; it stays open until it is closed, but where it was left. */
enum menu_result menu_key(struct menu *menu, const struct key_event *key);

/* Draw it into the upper left corner of `area`, as much as there is room for. */
void menu_draw(struct menu *menu, struct surface *surface, struct rect area);

#endif
