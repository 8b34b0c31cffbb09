/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/views.h"

const struct view_row view_rows[NR_VIEWS] = {
#define PANE(ID, ops, word, place, keys, short_name, doc)                                          \
	[VIEW_##ID] = { PLACE_##place, ABOUT_NOTHING },
#define PAGE(ID, ops, word, about, keys, short_name, group, doc)                                   \
	[VIEW_##ID] = { PLACE_NONE, ABOUT_##about },
#define SUBPAGE(ID, ops) [VIEW_##ID] = { PLACE_NONE, ABOUT_NOTHING },
#include "views/widget/keys.def"
};

const struct word view_words[NR_VIEWS] = {
#define PANE(ID, ops, word, place, keys, short_name, doc)        [VIEW_##ID] = { word, NULL },
#define PAGE(ID, ops, word, about, keys, short_name, group, doc) [VIEW_##ID] = { word, NULL },
#include "views/widget/keys.def"
};

const struct view_key view_keys[] = {
#define VIEW_KEY(VIEW, keys, needs, short_name, doc)                                               \
	{ VIEW_##VIEW, KEY_NEEDS_##needs, keys, short_name, doc },
#include "views/ui/view_keys.def"
};

const uint32_t nr_view_keys = sizeof(view_keys) / sizeof(*view_keys);

enum view_id view_of_action(enum action action)
{
	static const uint8_t views[NR_ACTIONS] = {
	/* number of the view + 1; 0 for actions without a view */
#define PANE(ID, ops, word, place, keys, short_name, doc)        [ACTION_##ID] = VIEW_##ID + 1,
#define PAGE(ID, ops, word, about, keys, short_name, group, doc) [ACTION_##ID] = VIEW_##ID + 1,
#include "views/widget/keys.def"
	};

	return views[action] ? (enum view_id)(views[action] - 1) : NR_VIEWS;
}
