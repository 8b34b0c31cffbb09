/* SPDX-License-Identifier: MIT */
/* User tasks of a Go trace: children of the traced program. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/grow.h"
#include "monitor/read/gotrace/go_map_priv.h"

void on_go_task_begin(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	struct go_text name = go_string(map->gen, ev->a[2]), parent = { NULL, 0 };
	uint32_t index = go_index(&map->task_ids, ev->a[1]), list;
	struct event out;

	if (ev->a[1] && index != GO_NO_INDEX)
		parent = (struct go_text){ map->tasks[index].name, map->tasks[index].len };
	if (!name.text)
		name = (struct go_text){ "?", 1 };
	if (go_index(&map->task_ids, ev->a[0]) != GO_NO_INDEX || map->task_ids.nr >= GO_MAX_TASKS) {
		++*map->nr_ignored;
		return;
	}
	go_event_begin(map, &out, TR2_E_CHILD_START, lane->name, ev->time);
	event_set(&out, TR2_F_CHILD_ID, (int64_t)(ev->a[0] & INT64_MAX));
	event_set(&out, TR2_F_CHILD_CLASS, map->texts[T_TASK]);
	list = batch_list_begin(map->batch);
	{
		char room[GO_TEXT_ROOM];
		struct go_text text = go_well_formed(name, room);

		batch_add_text(map->batch, text.text, text.len);
		if (parent.text) {
			text = go_well_formed(parent, room);
			batch_add_text(map->batch, "in", 2);
			batch_add_text(map->batch, text.text, text.len);
		}
	}
	batch_list_end(map->batch, list, parent.text ? 3 : 1);
	event_set(&out, TR2_F_ARGV, list);
	go_event_end(map, &out);
	index = map->free_task;
	if (index != GO_NO_INDEX) {
		map->free_task = map->tasks[index].next_free;
	} else {
		GROW(map->tasks, map->nr_tasks, map->cap_tasks, 16);
		index = map->nr_tasks++;
	}
	map->tasks[index] = (struct task){ ev->time, ev->a[0], xmalloc(name.len + 1), name.len, 0 };
	memcpy(map->tasks[index].name, name.text, name.len);
	ids_add(&map->task_ids, ev->a[0], index);
}

void on_go_task_end(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	uint32_t index = go_index(&map->task_ids, ev->a[0]);
	struct event out;

	if (index == GO_NO_INDEX)
		return;
	go_event_begin(map, &out, TR2_E_CHILD_EXIT, lane->name, ev->time);
	event_set(&out, TR2_F_CHILD_ID, (int64_t)(ev->a[0] & INT64_MAX));
	event_set(&out, TR2_F_CODE, 0);
	event_set(&out, TR2_F_T_REL, ev->time - map->tasks[index].begin);
	go_event_end(map, &out);
	ids_remove(&map->task_ids, ev->a[0]);
	free(map->tasks[index].name);
	map->tasks[index] = (struct task){ .next_free = map->free_task };
	map->free_task = index;
}
