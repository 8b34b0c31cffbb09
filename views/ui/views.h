/* SPDX-License-Identifier: MIT */
/* Tables about each view, from the rows of keys.def and view_keys.def. */
#ifndef VIEWS_VIEWS_H
#define VIEWS_VIEWS_H

#include "monitor/base/word.h"
#include "views/ui/view.h"

/* The subject with which a page's key opens it: see keys.def. */
enum view_about { ABOUT_NOTHING, ABOUT_SELECTED, ABOUT_EVENTS };

/* The place of a pane on screens that show several panes: see layout.h. */
enum view_place { PLACE_NONE, PLACE_TOP, PLACE_LEFT, PLACE_MIDDLE, PLACE_RIGHT };

/* Parts of a view's row in keys.def. */
struct view_row {
	uint8_t place; /* enum view_place */
	uint8_t about; /* enum view_about */
};

extern const struct view_row view_rows[NR_VIEWS];

/* Condition for the bottom line to show a key of a view. */
enum key_needs { KEY_NEEDS_NOTHING, KEY_NEEDS_ROW, KEY_NEEDS_EVENTS, KEY_NEEDS_SUBJECT };

/* A row of view_keys.def. */
struct view_key {
	uint8_t view;  /* enum view_id */
	uint8_t needs; /* enum key_needs */
	const char *keys;
	const char *short_name; /* label on the bottom line; NULL: not shown there */
	const char *doc;
};

extern const struct view_key view_keys[];
extern const uint32_t nr_view_keys;

/* Words of the views for --page and the configuration file; NULL for pages without a key. */
extern const struct word view_words[NR_VIEWS];

/* Return the pane or page that an action opens, or NR_VIEWS. */
enum view_id view_of_action(enum action action);

#endif
