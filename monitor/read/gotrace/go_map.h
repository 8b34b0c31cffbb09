/* SPDX-License-Identifier: MIT */
/*
 * Go execution traces, third part: what ordered events are in the model's words.
 *
 *   process        the traced program
 *   thread         a lane: a goroutine (`G7 main.main`), a P (`P0`), `runtime`
 *   region         a goroutine's life; its user regions; and as the innermost one what it does
 * not run for: waiting, runnable, syscall. Running is the self time of what is around child a
 * task data           logs, GOMAXPROCS, heap goal, heap, generation, cpu samples
 *
 * Invariant: a lane's stack is what is open in the model on that thread, outermost first; a
 * leaf (what it waits for) is only ever on top. No event's time is before the one's before it:
 * what was there before the trace is told first, at the time of the first sync.
 */
#ifndef MONITOR_GO_MAP_H
#define MONITOR_GO_MAP_H

#include "engine/base/intern.h"
#include "monitor/event/batch.h"
#include "monitor/read/gotrace/go_walk.h"

/* So many goroutines have lanes of their own; later ones share names (`function #k`). */
#define GO_MAX_LANE_NAMES 100000u
#define GO_MAX_TASKS      100000u
#define GO_MAX_OPEN       512u
/* Names of lanes and folded stacks of a trace, in bytes. */
#define GO_MAX_MADE_BYTES (64u << 20)

struct go_map;

/* `syms` and `order` outlive it. `sid` and `name` are copied. */
struct go_map *go_map_new(struct tr2_intern *syms, struct go_order *order);
void go_map_free(struct go_map *map);
size_t go_map_held(const struct go_map *map);

/* Which batch gets the events from now on, and what counts them. */
void go_map_into(struct go_map *map, struct batch *batch, uint64_t *nr_events,
		 uint64_t *nr_ignored);

/* The process begins: its SID; NAME of its command; what wrote it. */
void go_map_process(struct go_map *map, const char *sid, const char *name, unsigned version);
/* The trace's clock: at `trace_ns` it was `wall_ns`; `clock`: enum event_clock. */
void go_map_clock(struct go_map *map, int64_t trace_ns, int64_t wall_ns, unsigned clock);
bool go_map_has_process(const struct go_map *map);

/*
 * A generation begins. `is_first`: nothing that was known holds (there was a gap, or nothing);
 * then go_map_before() tells what was there before, until it returns false.
 */
void go_map_begin(struct go_map *map, const struct go_generation *gen, struct go_walk *walk,
		  bool is_first);
/* Tell a goroutine or P that was there before; false: all were told. */
bool go_map_before(struct go_map *map);
/* An ordered event: a go_take_fn. */
void go_map_take(void *map, const struct go_event *ev);
/* All of the generation was told. */
void go_map_end(struct go_map *map);
/* There is a gap behind what was told: leave whatever is open. */
void go_map_gap(struct go_map *map);
/* The trace has ended. */
void go_map_ended(struct go_map *map);

#endif
