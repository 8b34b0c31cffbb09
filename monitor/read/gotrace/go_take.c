/* SPDX-License-Identifier: MIT */
/*
 * Translate ordered events of a Go trace into events on lanes, by the functions on_NAME() of
 * go_wire.def. `lane` is that of the event's `goroutine`; NULL only for events that need no lane.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/clock.h"
#include "monitor/base/grow.h"
#include "monitor/read/gotrace/go_map_priv.h"

typedef void take_fn(struct go_map *map, const struct go_event *ev, struct go_lane *lane);

static void on_nothing(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	(void)map, (void)ev, (void)lane;
}

static void on_ignored(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	(void)ev, (void)lane;
	++*map->nr_ignored;
}

/* A sweep is shown on the lane of the running goroutine, else on that of the P, and ends on the
 * lane on which it began. */

static void on_gc_sweep_begin(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	uint32_t own = lane ? (uint32_t)(lane - map->lanes) : GO_NO_INDEX;
	struct go_lane *proc = go_lane_of_p(map, ev->proc);

	if (!proc)
		return;
	/* During a system call the goroutine does not run, but its thread may sweep. */
	if (!lane || (lane->nr_open && go_opens(lane)[lane->nr_open - 1].kind == OPEN_LEAF))
		own = (uint32_t)(proc - map->lanes);
	proc->sweeps_on = own;
	go_enter(map, &map->lanes[own], OPEN_SWEEP, T_GC, map->texts[T_SWEEP], ev->time, 0);
}

static void on_gc_sweep_end(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	struct go_lane *proc = go_lane_of_p(map, ev->proc);

	(void)lane;
	if (!proc || proc->sweeps_on == GO_NO_INDEX)
		return;
	go_leave_kind(map, &map->lanes[proc->sweeps_on], OPEN_SWEEP, ev->time);
	proc->sweeps_on = GO_NO_INDEX;
}

void go_proc_runs(struct go_map *map, struct go_lane *lane, int64_t ns)
{
	if (lane && !lane->nr_open)
		go_enter(map, lane, OPEN_PROC, T_PROC, map->texts[T_RUNNING], ns, 0);
}

static void on_sample(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	uint64_t stack = ev->a[3];
	uint32_t index = go_index(&map->sampled_ids, stack);

	(void)lane;
	if (index == GO_NO_INDEX) {
		GROW(map->sampled, map->nr_sampled, map->cap_sampled, 64);
		index = map->nr_sampled++;
		map->sampled[index] = (struct sampled){ stack, 0 };
		ids_add(&map->sampled_ids, stack, index);
	}
	map->sampled[index].nr++;
}

static void created(struct go_map *map, const struct go_event *ev, sym_t function)
{
	uint64_t id = map->order->gs[ev->target].id;
	uint32_t index = go_index(&map->g_lanes, id);

	if (function == SYM_NONE) {
		const struct go_walk_g *g = go_walk_find(map->walk, id);

		function = g ? go_function_sym(map, g->stack) : SYM_NONE;
	}
	/* A damaged trace may create a goroutine that exists. */
	if (index != GO_NO_INDEX)
		go_life_ends(map, index, ev->time);
	go_set_lane_of_g(map, ev->target, go_life_begins(map, id, function, ev->time));
}

void go_enter_status(struct go_map *map, struct go_lane *lane, unsigned status, int64_t ns)
{
	sym_t before = map->texts[T_BEFORE];

	switch ((enum go_status)status) {
	case GO_WAITING:
		go_enter_leaf(map, lane, T_WAITING, before, ns);
		break;
	case GO_RUNNABLE:
		go_enter_leaf(map, lane, T_RUNNABLE, before, ns);
		break;
	case GO_SYSCALL:
		go_enter_leaf(map, lane, T_SYSCALL, map->texts[T_SYSTEM_CALL], ns);
		break;
	case GO_RUNNING:
	case GO_GONE:
		break;
	}
}

static void on_go_status(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	uint64_t id = map->order->gs[ev->target].id;
	uint32_t index = go_index(&map->g_lanes, id);

	(void)lane;
	if (!ev->is_new)
		return;
	if (index == GO_NO_INDEX) {
		created(map, ev, SYM_NONE);
		go_enter_status(map, go_lane_of_g(map, ev->target), (unsigned)ev->a[2], ev->time);
		return;
	}
	go_set_lane_of_g(map, ev->target, index);
}

static void destroyed(struct go_map *map, uint32_t g, int64_t ns)
{
	uint32_t *lane = go_index_at(&map->lane_of_g, &map->cap_gs, g);

	if (*lane == GO_NO_INDEX)
		return;
	go_life_ends(map, *lane, ns);
	*lane = GO_NO_INDEX;
}

/* The running goroutine switches directly to another one. */
static void on_go_switch(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	struct go_lane *other = go_lane_of_g(map, ev->target);

	switch (ev->part) {
	case 0:
		if (other)
			go_enter_leaf(map, other, T_RUNNABLE, map->texts[T_UNBLOCKED], ev->time);
		break;
	case 1:
		if (ev->type == WIRE_GO_SWITCH_DESTROY)
			destroyed(map, ev->goroutine, ev->time);
		else if (lane)
			go_enter_leaf(map, lane, T_WAITING, map->texts[T_COROUTINE], ev->time);
		break;
	default:
		if (other)
			go_leave_leaf(map, other, ev->time);
	}
}

static void on_go_create(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	bool waits = ev->type == WIRE_GO_CREATE_BLOCKED;

	(void)lane;
	created(map, ev, go_function_sym(map, ev->a[1]));
	go_enter_leaf(map, go_lane_of_g(map, ev->target), waits ? T_WAITING : T_RUNNABLE,
		      map->texts[waits ? T_COROUTINE : T_NEW], ev->time);
}

static void on_go_create_syscall(struct go_map *map, const struct go_event *ev,
				 struct go_lane *lane)
{
	(void)lane;
	created(map, ev, SYM_NONE);
	go_enter_leaf(map, go_lane_of_g(map, ev->target), T_SYSCALL, map->texts[T_SYSTEM_CALL],
		      ev->time);
}

static void on_go_start(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	lane = go_lane_of_g(map, ev->target);
	if (lane)
		go_leave_leaf(map, lane, ev->time);
}

static void on_go_unblock(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	lane = go_lane_of_g(map, ev->target);
	if (lane)
		go_enter_leaf(map, lane, T_RUNNABLE, map->texts[T_UNBLOCKED], ev->time);
}

static void on_go_stop(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	go_enter_leaf(map, lane, T_RUNNABLE, go_reason_sym(map, ev->a[0], T_UNSPECIFIED), ev->time);
}

static void on_go_block(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	go_enter_leaf(map, lane, T_WAITING, go_reason_sym(map, ev->a[0], T_COROUTINE), ev->time);
}

static void on_go_destroy(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	(void)lane;
	destroyed(map, ev->goroutine, ev->time);
}

static void on_syscall_begin(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	go_enter_leaf(map, lane, T_SYSCALL, go_syscall_sym(map, ev->a[1]), ev->time);
}

static void on_syscall_end(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	go_leave_leaf(map, lane, ev->time);
}

static void on_syscall_end_blocked(struct go_map *map, const struct go_event *ev,
				   struct go_lane *lane)
{
	go_enter_leaf(map, lane, T_RUNNABLE, map->texts[T_AFTER_SYSCALL], ev->time);
}

static void on_proc_status(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	lane = go_lane_of_p(map, ev->target);
	if (ev->is_new && (ev->a[1] == PROC_RUNNING || ev->a[1] == PROC_SYSCALL))
		go_proc_runs(map, lane, ev->time);
}

static void on_proc_start(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	lane = go_lane_of_p(map, ev->target);
	go_proc_runs(map, lane, ev->time);
}

/* Handles PROC_STOP and PROC_STEAL. */
static void on_proc_stop(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	lane = go_lane_of_p(map, ev->target);
	if (lane)
		go_leave_kind(map, lane, OPEN_PROC, ev->time);
}

static void on_gc_begin(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	lane = go_runtime_lane(map);
	/* A mark phase that began earlier may be open. */
	if (!lane->nr_open)
		go_enter(map, lane, OPEN_GC, T_GC, map->texts[T_MARK], ev->time, 0);
}

static void on_gc_end(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	(void)lane;
	go_leave_kind(map, go_runtime_lane(map), OPEN_GC, ev->time);
}

static void on_stw_begin(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	go_enter(map, lane, OPEN_STW, T_STW, go_reason_sym(map, ev->a[0], T_UNKNOWN), ev->time, 0);
}

static void on_stw_end(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	go_leave_kind(map, lane, OPEN_STW, ev->time);
}

static void on_assist_begin(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	go_enter(map, lane, OPEN_ASSIST, T_GC, map->texts[T_MARK_ASSIST], ev->time, 0);
}

static void on_assist_end(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	go_leave_kind(map, lane, OPEN_ASSIST, ev->time);
}

static void report_number(struct go_map *map, const struct go_event *ev, struct go_lane *lane,
			  enum text key)
{
	go_emit_number(map, lane ? lane : go_runtime_lane(map), ev->time, key, ev->a[0]);
}

static void on_procs_change(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	report_number(map, ev, lane, T_GOMAXPROCS);
}

static void on_heap_goal(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	report_number(map, ev, lane, T_HEAP_GOAL);
}

static void on_heap_alloc(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	if (map->heap_told_ns != INT64_MIN && ev->time - map->heap_told_ns < 10 * NS_PER_MS)
		return;
	map->heap_told_ns = ev->time;
	report_number(map, ev, lane, T_HEAP);
}

static void on_user_region_begin(struct go_map *map, const struct go_event *ev,
				 struct go_lane *lane)
{
	go_enter(map, lane, OPEN_REGION, T_REGION, go_string_sym(map, ev->a[1]), ev->time,
		 ev->a[0]);
}

/*
 * End a user region, after the open regions inside it, innermost first, 1 ns apart. An end without
 * a begin is emitted as a message.
 */
static void on_user_region_end(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	sym_t label = go_string_sym(map, ev->a[1]);
	uint32_t at = lane->nr_open;
	int64_t ns = ev->time;

	for (; at; at--) {
		const struct go_open *open = &go_opens(lane)[at - 1];

		if (open->kind == OPEN_REGION && open->task == ev->a[0] && open->label == label)
			break;
	}
	if (!at) {
		static const char before[] = "end of region ",
				  after[] = ", which began before the trace";
		char text[3 * GO_MAX_STRING_BYTES + 64];
		struct event out;
		size_t len;
		const char *name = tr2_intern_text(map->syms, label, &len);
		int n = snprintf(
			text, sizeof(text), "%s%.*s%s", before,
			(int)(len < 3 * GO_MAX_STRING_BYTES ? len : 3 * GO_MAX_STRING_BYTES), name,
			after);

		go_event_begin(map, &out, TR2_E_PRINTF, lane->name, ns);
		event_set(&out, TR2_F_MSG, batch_add_text(map->batch, text, (size_t)n));
		go_event_end(map, &out);
		return;
	}
	while (lane->nr_open > at) {
		go_leave_top(map, lane, ns);
		ns = go_order_stamp(map->order, ns);
	}
	go_leave_top(map, lane, ns);
}

static void on_user_log(struct go_map *map, const struct go_event *ev, struct go_lane *lane)
{
	struct go_text value = go_string(map->gen, ev->a[2]);

	go_emit_data(map, lane, ev->time, map->texts[T_LOG],
		     go_reason_sym(map, ev->a[1], T_MESSAGE),
		     value.text ? value : (struct go_text){ "?", 1 });
}

static const struct {
	take_fn *take;
	bool needs_lane;
} takes[256] = {
	[GO_SYNC] = { on_nothing, false },
	[GO_SAMPLE] = { on_sample, false },
#define GO_WIRE(ID, number, args, string, stack, new_stack, rule, take, needs_lane)                \
	[number] = { on_##take, needs_lane },
#include "monitor/read/gotrace/go_wire.def"
#undef GO_WIRE
};

void go_map_take(void *data, const struct go_event *ev)
{
	struct go_map *map = data;
	struct go_lane *lane = go_lane_of_g(map, ev->goroutine);

	if (lane || !takes[ev->type].needs_lane)
		takes[ev->type].take(map, ev, lane);
}
