/* SPDX-License-Identifier: MIT */
/* The operations of each pane and page, as keys.def names them. */
#include "config.h"

#include "views/registry/registry.h"

/* Declare the view_ops that each file of a view defines at its end. */
#define PANE(ID, ops, word, side, keys, doc)                     extern const struct view_ops ops;
#define PAGE(ID, ops, word, about, keys, short_name, group, doc) extern const struct view_ops ops;
#define SUBPAGE(ID, ops)                                         extern const struct view_ops ops;
#include "views/widget/keys.def"

const struct view_ops *const view_table[NR_VIEWS] = {
#define PANE(ID, ops, word, side, keys, doc)                     [VIEW_##ID] = &ops,
#define PAGE(ID, ops, word, about, keys, short_name, group, doc) [VIEW_##ID] = &ops,
#define SUBPAGE(ID, ops)                                         [VIEW_##ID] = &ops,
#include "views/widget/keys.def"
};
