/* SPDX-License-Identifier: MIT */
/* The group of processes that the page of a region is limited to: see region_is_of_group(). Loop
 * thread. */
#ifndef VIEWS_REGION_GROUP_H
#define VIEWS_REGION_GROUP_H

#include "views/page/region_foot.h"

/* Find the processes of the group; call after each change of the model. */
void region_group_find(const struct view_ctx *ctx, struct region_page *page);

/* Callback (callers_callees.h): true if the process is in the group. `data`: struct region_page. */
bool region_group_keep(void *data, const struct model *model, uint32_t slot);

/* True if the process is in the group, or if the page has no group. */
bool region_group_has(const struct view_ctx *ctx, const struct region_page *page,
		      struct handle handle);

/* Append the group, such as " · worktree = /home/me/x". */
void region_group_format(const struct view_ctx *ctx, struct tr2_buf *out);

#endif
