/* SPDX-License-Identifier: MIT */
/* The table of all panes and pages. The ui receives it as an argument, so that it does not depend
 * on any view. */
#ifndef VIEWS_REGISTRY_H
#define VIEWS_REGISTRY_H

#include "views/ui/view.h"

/* The operations of each pane and page of keys.def; none is NULL. */
extern const struct view_ops *const view_table[NR_VIEWS];

#endif
