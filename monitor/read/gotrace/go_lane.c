/* SPDX-License-Identifier: MIT */
/* Lanes of a Go trace (threads of the model), their open regions and events. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "monitor/base/grow.h"
#include "monitor/read/gotrace/go_map_priv.h"

void go_event_begin(struct go_map *map, struct event *ev, unsigned kind, sym_t thread, int64_t ns)
{
	ev->mask = 0;
	ev->kind = (uint8_t)kind;
	event_set(ev, TR2_F_SID, map->sid_index);
	event_set(ev, TR2_F_THREAD, thread);
	event_set(ev, TR2_F_TIME, ns_add(ns, map->wall_less_trace));
}

void go_event_end(struct go_map *map, const struct event *ev)
{
	batch_add(map->batch, ev);
	++*map->nr_events;
}

static void go_set_text(struct go_map *map, struct event *ev, unsigned field, struct go_text text)
{
	char room[GO_TEXT_ROOM];

	text = go_well_formed(text, room);
	event_set(ev, field, batch_add_text(map->batch, text.text, text.len));
}

void go_emit_data(struct go_map *map, const struct go_lane *lane, int64_t ns, sym_t category,
		  sym_t key, struct go_text value)
{
	struct event ev;

	go_event_begin(map, &ev, TR2_E_DATA, lane->name, ns);
	event_set(&ev, TR2_F_NESTING, lane->nr_open + 1);
	event_set(&ev, TR2_F_CATEGORY, category);
	event_set(&ev, TR2_F_KEY, key);
	go_set_text(map, &ev, TR2_F_VALUE, value);
	go_event_end(map, &ev);
}

void go_emit_number(struct go_map *map, const struct go_lane *lane, int64_t ns, enum text key,
		    uint64_t value)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "%" PRIu64, value);

	go_emit_data(map, lane, ns, map->texts[T_GO], map->texts[key],
		     (struct go_text){ text, (uint32_t)len });
}

static struct go_open *go_top_open(struct go_lane *lane)
{
	return lane->nr_open ? &go_opens(lane)[lane->nr_open - 1] : NULL;
}

/*
 * Emit that a lane's innermost region is left after the duration `t_rel`, or, if that is NS_NONE,
 * entered. As nearly all events are of these two kinds, their records are packed here.
 */
static void go_emit_region(struct go_map *map, const struct go_lane *lane, unsigned category,
			   sym_t label, int64_t ns, int64_t t_rel)
{
	uint64_t mask = BATCH_HEAD_WIDE | FIELD_BIT(TR2_F_SID) | FIELD_BIT(TR2_F_THREAD) |
			FIELD_BIT(TR2_F_TIME) | FIELD_BIT(TR2_F_NESTING) |
			FIELD_BIT(TR2_F_CATEGORY) | FIELD_BIT(TR2_F_LABEL);
	unsigned kind = TR2_E_REGION_ENTER;
	uint32_t *to = batch_record_room(map->batch) + 1;

	*to++ = map->sid_index;
	*to++ = lane->name;
	to = batch_put_wide(to, ns_add(ns, map->wall_less_trace));
	if (t_rel != NS_NONE) {
		kind = TR2_E_REGION_LEAVE;
		mask |= FIELD_BIT(TR2_F_T_REL);
		to = batch_put_wide(to, t_rel);
	}
	to = batch_put_wide(to, lane->nr_open);
	*to++ = map->texts[category];
	*to++ = label;
	batch_record_commit(map->batch, kind, mask, to);
	++*map->nr_events;
}

void go_enter(struct go_map *map, struct go_lane *lane, enum open_kind kind, enum text category,
	      sym_t label, int64_t ns, uint64_t task)
{
	struct event ev;
	char text[32];
	int len;

	if (lane->nr_open == GO_MAX_OPEN)
		return;
	if (lane->nr_open == (lane->many ? lane->cap_open : INLINE_OPEN)) {
		uint32_t cap = 2 * lane->nr_open;

		if (lane->many) {
			lane->many = xreallocarray(lane->many, cap, sizeof(*lane->many));
		} else {
			lane->many = xreallocarray(NULL, cap, sizeof(*lane->many));
			memcpy(lane->many, lane->few, sizeof(lane->few));
		}
		lane->cap_open = cap;
	}
	go_opens(lane)[lane->nr_open++] =
		(struct go_open){ task, ns, label, (uint8_t)kind, (uint8_t)category };
	if (!task) {
		go_emit_region(map, lane, category, label, ns, NS_NONE);
		return;
	}
	go_event_begin(map, &ev, TR2_E_REGION_ENTER, lane->name, ns);
	event_set(&ev, TR2_F_NESTING, lane->nr_open);
	event_set(&ev, TR2_F_CATEGORY, map->texts[category]);
	event_set(&ev, TR2_F_LABEL, label);
	len = snprintf(text, sizeof(text), "task %" PRIu64, task);
	go_set_text(map, &ev, TR2_F_MSG, (struct go_text){ text, (uint32_t)len });
	go_event_end(map, &ev);
}

void go_leave_top(struct go_map *map, struct go_lane *lane, int64_t ns)
{
	const struct go_open *open = go_top_open(lane);

	go_emit_region(map, lane, open->category, open->label, ns, ns - open->begin);
	lane->nr_open--;
}

void go_leave_all(struct go_map *map, struct go_lane *lane, int64_t ns)
{
	while (lane->nr_open)
		go_leave_top(map, lane, ns);
}

void go_leave_kind(struct go_map *map, struct go_lane *lane, enum open_kind kind, int64_t ns)
{
	uint32_t at = lane->nr_open;

	while (at && go_opens(lane)[at - 1].kind != kind)
		at--;
	if (!at)
		return;
	while (lane->nr_open >= at)
		go_leave_top(map, lane, ns);
}

void go_leave_leaf(struct go_map *map, struct go_lane *lane, int64_t ns)
{
	struct go_open *open = go_top_open(lane);

	if (open && open->kind == OPEN_LEAF)
		go_leave_top(map, lane, ns);
}

void go_enter_leaf(struct go_map *map, struct go_lane *lane, enum text category, sym_t label,
		   int64_t ns)
{
	go_leave_leaf(map, lane, ns);
	go_enter(map, lane, OPEN_LEAF, category, label, ns, 0);
}

uint32_t go_lane_new(struct go_map *map, uint64_t id)
{
	uint32_t index = map->free_lane;

	if (index != GO_NO_INDEX) {
		map->free_lane = map->lanes[index].next_free;
	} else {
		GROW(map->lanes, map->nr_lanes, map->cap_lanes, 64);
		index = map->nr_lanes++;
	}
	map->lanes[index] = (struct go_lane){
		.id = id,
		.shared = GO_NO_INDEX,
		.sweeps_on = GO_NO_INDEX,
	};
	return index;
}

/* Set the name `function #k`, with the lowest k that no live lane of the function has. */
static void go_share_name(struct go_map *map, struct go_lane *lane, sym_t function)
{
	uint32_t index = go_index(&map->shared_ids, function), word = 0, bit;
	struct go_shared_name *shared;
	char text[GO_MAX_STRING_BYTES + 24];
	const char *name;
	size_t len;
	int n;

	if (index == GO_NO_INDEX) {
		GROW(map->shared, map->nr_shared, map->cap_shared, 16);
		index = map->nr_shared++;
		map->shared[index] = (struct go_shared_name){ .function = function };
		ids_add(&map->shared_ids, function, index);
	}
	shared = &map->shared[index];
	while (word < shared->nr_words && shared->used[word] == UINT64_MAX)
		word++;
	if (word == shared->nr_words) {
		shared->nr_words = word ? 2 * word : 4;
		shared->used = xreallocarray(shared->used, shared->nr_words, sizeof(*shared->used));
		memset(shared->used + word, 0, (shared->nr_words - word) * sizeof(*shared->used));
	}
	bit = (uint32_t)__builtin_ctzll(~shared->used[word]);
	shared->used[word] |= 1ull << bit;
	lane->shared = index;
	lane->shared_k = 64 * word + bit;
	name = tr2_intern_text(map->syms, function, &len);
	n = snprintf(text, sizeof(text), "%.*s #%u",
		     (int)(len < GO_MAX_STRING_BYTES ? len : GO_MAX_STRING_BYTES), name,
		     lane->shared_k + 1);
	lane->name = go_long_sym(map, text, (size_t)n);
}

/* Write a number in decimal and return its length. printf() is too slow for a million calls per
 * second. */
static size_t go_put_number(char *to, uint64_t number)
{
	char digits[20];
	size_t nr = 0, n = 0;

	do
		digits[nr++] = (char)('0' + number % 10);
	while (number /= 10);
	while (nr)
		to[n++] = digits[--nr];
	return n;
}

void go_name_lane(struct go_map *map, struct go_lane *lane, sym_t *function)
{
	uint32_t index = go_index(&map->name_ids, lane->id);
	char text[GO_MAX_STRING_BYTES + 32];
	size_t n = 0;

	if (index != GO_NO_INDEX) {
		lane->name = map->names[index].lane;
		*function = map->names[index].function;
		return;
	}
	if (map->nr_names == GO_MAX_LANE_NAMES) {
		if (*function == SYM_NONE)
			*function = map->texts[T_UNKNOWN];
		go_share_name(map, lane, *function);
		return;
	}
	text[n++] = 'G';
	n += go_put_number(text + n, lane->id);
	if (*function != SYM_NONE) {
		size_t len;
		const char *name = tr2_intern_text(map->syms, *function, &len);

		len = len < GO_MAX_STRING_BYTES ? len : GO_MAX_STRING_BYTES;
		text[n++] = ' ';
		memcpy(text + n, name, len);
		n += len;
	}
	lane->name = go_long_sym(map, text, n);
	if (*function == SYM_NONE) {
		*function = map->texts[T_UNKNOWN];
		return;
	}
	GROW(map->names, map->nr_names, map->cap_names, 64);
	ids_add(&map->name_ids, lane->id, map->nr_names);
	map->names[map->nr_names++] = (struct go_lane_name){ lane->name, *function };
}

/* Create a lane for a goroutine that exists from `ns` on. Returns its index. */
uint32_t go_life_begins(struct go_map *map, uint64_t id, sym_t function, int64_t ns)
{
	uint32_t index = go_lane_new(map, id);
	struct go_lane *lane = &map->lanes[index];

	lane->born = ns;
	go_name_lane(map, lane, &function);
	ids_add(&map->g_lanes, id, index);
	go_enter(map, lane, OPEN_LIFE, T_GOROUTINE, function, ns, 0);
	return index;
}

static void go_free_lane(struct go_map *map, uint32_t index)
{
	struct go_lane *lane = &map->lanes[index];

	if (lane->shared != GO_NO_INDEX)
		map->shared[lane->shared].used[lane->shared_k / 64] &=
			~(1ull << lane->shared_k % 64);
	free(lane->many);
	*lane = (struct go_lane){ .next_free = map->free_lane };
	map->free_lane = index;
}

void go_life_ends(struct go_map *map, uint32_t index, int64_t ns)
{
	struct go_lane *lane = &map->lanes[index];
	struct event ev;

	go_leave_all(map, lane, ns);
	go_event_begin(map, &ev, TR2_E_THREAD_EXIT, lane->name, ns);
	event_set(&ev, TR2_F_T_REL, ns - lane->born);
	go_event_end(map, &ev);
	ids_remove(&map->g_lanes, lane->id);
	go_free_lane(map, index);
}

uint32_t go_proc_lane(struct go_map *map, uint64_t id)
{
	uint32_t index = go_index(&map->p_lanes, id);
	char text[32];
	int n;

	if (index != GO_NO_INDEX)
		return index;
	index = go_lane_new(map, id);
	n = snprintf(text, sizeof(text), "P%" PRIu64, id);
	map->lanes[index].name = tr2_intern(map->syms, text, (size_t)n);
	ids_add(&map->p_lanes, id, index);
	return index;
}

void go_proc_lanes_end(struct go_map *map, int64_t ns)
{
	while (map->p_lanes.nr) {
		uint32_t index = (uint32_t)map->p_lanes.items[map->p_lanes.nr - 1].value;

		go_leave_all(map, &map->lanes[index], ns);
		ids_remove(&map->p_lanes, map->lanes[index].id);
		go_free_lane(map, index);
	}
}

struct go_lane *go_runtime_lane(struct go_map *map)
{
	return &map->lanes[map->runtime];
}

uint32_t *go_index_at(uint32_t **array, uint32_t *cap, uint32_t at)
{
	if (at >= *cap) {
		uint32_t more = 2 * at + 64;

		*array = xreallocarray(*array, more, sizeof(**array));
		for (uint32_t i = *cap; i < more; i++)
			(*array)[i] = GO_NO_INDEX;
		*cap = more;
	}
	return &(*array)[at];
}

void go_set_lane_of_g(struct go_map *map, uint32_t g, uint32_t lane)
{
	*go_index_at(&map->lane_of_g, &map->cap_gs, g) = lane;
}

struct go_lane *go_lane_of_p(struct go_map *map, uint32_t p)
{
	uint32_t *lane;

	if (p == GO_NO_INDEX)
		return NULL;
	lane = go_index_at(&map->lane_of_p, &map->cap_ps, p);
	if (*lane == GO_NO_INDEX)
		*lane = go_proc_lane(map, map->order->ps[p].id);
	return &map->lanes[*lane];
}
