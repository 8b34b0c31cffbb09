/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/hash.h"
#include "monitor/base/grow.h"
#include "monitor/read/gotrace/go_map_priv.h"

#define MAIN_GOROUTINE 1

static void go_emit_samples(struct go_map *map)
{
	for (uint32_t i = 0; i < map->nr_sampled; i++) {
		char text[24];
		int len = snprintf(text, sizeof(text), "%" PRIu64, map->sampled[i].nr);

		go_emit_data(map, go_runtime_lane(map), map->order->last_ns, map->texts[T_SAMPLES],
			     go_folded_sym(map, map->sampled[i].stack),
			     (struct go_text){ text, (uint32_t)len });
	}
	map->nr_sampled = 0;
	ids_clear(&map->sampled_ids);
}

static void go_sym_room(sym_t **syms, uint32_t *cap, uint32_t nr)
{
	if (nr > *cap)
		*syms = xreallocarray(*syms, nr, sizeof(**syms));
	for (uint32_t i = 0; i < nr; i++)
		(*syms)[i] = SYM_NONE;
}

void go_map_begin(struct go_map *map, const struct go_generation *gen, struct go_walk *walk,
		  bool is_first)
{
	uint32_t cap = map->cap_stack_syms;

	map->gen = gen;
	map->walk = walk;
	map->is_first = is_first;
	map->sync_ns = go_ns(gen, gen->min_time);
	if (map->sync_ns <= map->order->last_ns)
		map->sync_ns = map->order->last_ns + (map->order->last_ns < INT64_MAX);
	map->at_before = map->nr_found = 0;
	map->is_before_told = !is_first;
	go_sym_room(&map->string_syms, &map->cap_string_syms, gen->nr_strings);
	if (gen->nr_strings > map->cap_string_syms)
		map->cap_string_syms = gen->nr_strings;
	go_sym_room(&map->function_syms, &cap, gen->nr_stacks);
	go_sym_room(&map->syscall_syms, &map->cap_stack_syms, gen->nr_stacks);
	if (gen->nr_stacks > map->cap_stack_syms)
		map->cap_stack_syms = gen->nr_stacks;
}

static void go_emit_about(struct go_map *map, sym_t main_thread, int64_t bits)
{
	struct event ev = { .kind = REC_ABOUT };

	event_set(&ev, TR2_F_SID, map->sid_index);
	event_set(&ev, FLD_FORMAT, map->texts[T_GO]);
	event_set(&ev, FLD_ABOUT, (int64_t)map->clock | ABOUT_IN_PIECES | bits);
	if (main_thread != SYM_NONE)
		event_set(&ev, TR2_F_THREAD, main_thread);
	batch_add(map->batch, &ev);
}

/* Return the name of the lane of goroutine 1, which runs main.main; SYM_NONE: no such goroutine. */
static sym_t go_main_lane(struct go_map *map)
{
	const struct go_walk_g *g = go_walk_find(map->walk, MAIN_GOROUTINE);
	struct go_lane lane = { .id = MAIN_GOROUTINE };
	sym_t function;

	if (!g || g->status == GO_GONE)
		return SYM_NONE;
	function = go_function_sym(map, g->stack);
	go_name_lane(map, &lane, &function);
	return lane.name;
}

static void go_emit_process(struct go_map *map)
{
	struct event ev;
	char exe[48];
	int len = snprintf(exe, sizeof(exe),
			   map->version >= 26   ? "Go 1.%u or later"
			   : map->version == 23 ? "Go 1.%u or 1.24"
						: "Go 1.%u",
			   map->version);

	go_emit_about(map, go_main_lane(map), 0);
	go_event_begin(map, &ev, TR2_E_VERSION, map->texts[T_RUNTIME], map->sync_ns);
	event_set(&ev, TR2_F_EVT, map->texts[T_GO]);
	event_set(&ev, TR2_F_EXE, tr2_intern(map->syms, exe, (size_t)len));
	go_event_end(map, &ev);
	go_event_begin(map, &ev, TR2_E_CMD_NAME, map->texts[T_RUNTIME], map->sync_ns);
	event_set(&ev, TR2_F_NAME, tr2_intern(map->syms, map->command, strlen(map->command)));
	event_set(&ev, TR2_F_HIERARCHY, tr2_intern(map->syms, map->command, strlen(map->command)));
	go_event_end(map, &ev);
	map->has_told_process = true;
}

static void go_emit_g_before(struct go_map *map, const struct go_walk_g *g)
{
	uint32_t index = go_index(&map->g_lanes, g->id);
	sym_t function = go_function_sym(map, g->stack);
	struct go_lane *lane;

	if (index == GO_NO_INDEX) {
		index = go_life_begins(map, g->id, function, map->sync_ns);
	} else {
		/* The goroutine existed before the gap, too, so its lane continues. */
		lane = &map->lanes[index];
		go_name_lane(map, lane, &function);
		go_enter(map, lane, OPEN_LIFE, T_GOROUTINE, function, map->sync_ns, 0);
	}
	lane = &map->lanes[index];
	lane->is_missing = false;
	if (g->in_assist)
		go_enter(map, lane, OPEN_ASSIST, T_GC, map->texts[T_MARK_ASSIST], map->sync_ns, 0);
	go_enter_status(map, lane, g->status, map->sync_ns);
}

static void go_emit_p_before(struct go_map *map, const struct go_walk_p *p)
{
	uint32_t index = go_proc_lane(map, p->id);
	struct go_lane *lane = &map->lanes[index];

	if (p->status == PROC_RUNNING || p->status == PROC_SYSCALL)
		go_proc_runs(map, lane, map->sync_ns);
	if (!p->in_sweep)
		return;
	lane->sweeps_on = index;
	go_enter(map, lane, OPEN_SWEEP, T_GC, map->texts[T_SWEEP], map->sync_ns, 0);
}

bool go_map_before(struct go_map *map)
{
	const struct go_walk *walk = map->walk;

	if (map->is_before_told)
		return false;
	if (!map->at_before) {
		if (!map->has_told_process)
			go_emit_process(map);
		if (walk->in_gc)
			go_enter(map, go_runtime_lane(map), OPEN_GC, T_GC, map->texts[T_MARK],
				 map->sync_ns, 0);
	}
	if (map->at_before < walk->nr_ps) {
		const struct go_walk_p *p = &walk->ps[map->at_before++];

		if (p->status != PROC_GONE)
			go_emit_p_before(map, p);
		return true;
	}
	if (map->at_before - walk->nr_ps < walk->nr_before) {
		go_emit_g_before(map, &walk->gs[walk->before[map->at_before++ - walk->nr_ps]]);
		return true;
	}
	/* From last to first: removing a lane moves the last one to its index. */
	while (map->nr_found < map->g_lanes.nr) {
		uint32_t at = map->g_lanes.nr - 1 - map->nr_found;
		uint32_t index = (uint32_t)map->g_lanes.items[at].value;

		if (map->lanes[index].is_missing) {
			go_life_ends(map, index, map->sync_ns);
			return true;
		}
		map->nr_found++;
	}
	map->is_before_told = true;
	return false;
}

void go_map_end(struct go_map *map)
{
	go_emit_samples(map);
	go_emit_number(map, go_runtime_lane(map), map->order->last_ns, T_GENERATION,
		       map->gen->number);
	map->gen = NULL;
}

void go_map_gap(struct go_map *map)
{
	int64_t ns = map->order->last_ns;

	/* Keep the lanes of goroutines, which may still exist after the gap. */
	go_leave_all(map, go_runtime_lane(map), ns);
	for (uint32_t i = 0; i < map->g_lanes.nr; i++) {
		struct go_lane *lane = &map->lanes[map->g_lanes.items[i].value];

		go_leave_all(map, lane, ns);
		lane->is_missing = true;
	}
	go_proc_lanes_end(map, ns);
	for (uint32_t i = 0; i < map->cap_gs && i < map->order->nr_gs; i++)
		map->lane_of_g[i] = GO_NO_INDEX;
	for (uint32_t i = 0; i < map->cap_ps && i < map->order->nr_ps; i++)
		map->lane_of_p[i] = GO_NO_INDEX;
}

void go_map_ended(struct go_map *map)
{
	if (map->has_told_process)
		go_emit_about(map, SYM_NONE, ABOUT_ENDED);
}

struct go_map *go_map_new(struct tr2_intern *syms, struct go_order *order)
{
	static const char *const texts[] = {
#define X(ID, text) text,
		TEXTS(X)
#undef X
	};
	struct go_map *map = xcalloc(1, sizeof(*map));

	map->syms = syms;
	map->order = order;
	map->free_lane = map->free_task = GO_NO_INDEX;
	map->heap_told_ns = INT64_MIN;
	for (unsigned i = 0; i < NR_TEXTS; i++)
		map->texts[i] = tr2_intern(syms, texts[i], strlen(texts[i]));
	map->runtime = go_lane_new(map, 0);
	map->lanes[map->runtime].name = map->texts[T_RUNTIME];
	return map;
}

void go_map_free(struct go_map *map)
{
	for (uint32_t i = 0; i < map->nr_lanes; i++)
		free(map->lanes[i].many);
	for (uint32_t i = 0; i < map->nr_tasks; i++)
		free(map->tasks[i].name);
	for (uint32_t i = 0; i < map->nr_shared; i++)
		free(map->shared[i].used);
	free(map->lanes);
	free(map->tasks);
	free(map->shared);
	free(map->names);
	free(map->lane_of_g);
	free(map->lane_of_p);
	free(map->string_syms);
	free(map->function_syms);
	free(map->syscall_syms);
	free(map->sampled);
	free(map->sid);
	free(map->command);
	ids_release(&map->g_lanes);
	ids_release(&map->p_lanes);
	ids_release(&map->name_ids);
	ids_release(&map->shared_ids);
	ids_release(&map->task_ids);
	ids_release(&map->sampled_ids);
	free(map);
}

size_t go_map_held(const struct go_map *map)
{
	return sizeof(*map) + map->cap_lanes * sizeof(*map->lanes) +
	       map->cap_names * sizeof(*map->names) + map->cap_tasks * sizeof(*map->tasks) +
	       (map->cap_gs + map->cap_ps) * sizeof(uint32_t);
}

void go_map_into(struct go_map *map, struct batch *batch, uint64_t *nr_events, uint64_t *nr_ignored)
{
	size_t len = map->sid ? strlen(map->sid) : 0;

	map->batch = batch;
	map->nr_events = nr_events;
	map->nr_ignored = nr_ignored;
	if (map->sid)
		map->sid_index = batch_sid(batch, map->sid, len, tr2_hash(map->sid, len));
}

void go_map_process(struct go_map *map, const char *sid, const char *name, unsigned version)
{
	map->sid = xstrdup(sid);
	map->command = xstrdup(name);
	map->version = version;
	map->has_process = true;
}

void go_map_clock(struct go_map *map, int64_t trace_ns, int64_t wall_ns, unsigned clock)
{
	map->wall_less_trace = ns_sub(wall_ns, trace_ns);
	map->clock = clock;
}
