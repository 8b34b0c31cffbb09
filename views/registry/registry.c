/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/registry/registry.h"

#define PANE(ID, ops, word, place, keys, short_name, doc)        extern const struct view_ops ops;
#define PAGE(ID, ops, word, about, keys, short_name, group, doc) extern const struct view_ops ops;
#define SUBPAGE(ID, ops)                                         extern const struct view_ops ops;
#include "views/widget/keys.def"

const struct view_ops *const view_table[NR_VIEWS] = {
#define PANE(ID, ops, word, place, keys, short_name, doc)        [VIEW_##ID] = &ops,
#define PAGE(ID, ops, word, about, keys, short_name, group, doc) [VIEW_##ID] = &ops,
#define SUBPAGE(ID, ops)                                         [VIEW_##ID] = &ops,
#include "views/widget/keys.def"
};
