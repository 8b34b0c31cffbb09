/* SPDX-License-Identifier: MIT */
/* What keys.def and view_keys.def say about each view, and the keys of single views. */
#ifndef VIEWS_VIEWS_H
#define VIEWS_VIEWS_H

#include "monitor/base/word.h"
#include "views/ui/view.h"

/* The subject on which a page's key opens it: see keys.def. */
enum view_about { ABOUT_NOTHING, ABOUT_SELECTED, ABOUT_EVENTS };

/* The side of a pane if several are shown. */
enum view_side { SIDE_NONE, SIDE_LEFT, SIDE_RIGHT };

/* The row of a view in keys.def; key_rows has its key, view_words its word. */
struct view_row {
	uint8_t side;  /* enum view_side */
	uint8_t about; /* enum view_about */
};

extern const struct view_row view_rows[NR_VIEWS];

/* A key of one view (view_keys.def). */
struct view_key {
	uint8_t view; /* enum view_id */
	const char *keys;
	const char *short_name; /* NULL if not shown on the bottom line */
	const char *doc;
};

extern const struct view_key view_keys[];
extern const uint32_t nr_view_keys;

/* Words for --page and the configuration file; NULL for pages without a key. */
extern const struct word view_words[NR_VIEWS];

/* The pane or page that an action opens, or NR_VIEWS. */
enum view_id view_of_action(enum action action);

#endif
