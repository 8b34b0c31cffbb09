/* SPDX-License-Identifier: MIT */
/*
 * Go execution traces, part 3: translate ordered events into the events of the model.
 *
 *   process        the traced program
 *   thread         a lane: a goroutine (`G7 main.main`), a P (`P0`), `runtime`
 *   region         a goroutine's life; its user regions; ranges such as a sweep or a stopped
 *                  world; a P that runs; a leaf: the reason why a goroutine does not run
 *                  (waiting, runnable, syscall)
 *   child          a task
 *   data           such as logs, GOMAXPROCS or the heap goal
 *
 * Invariants: a lane's stack equals the open regions of its thread in the model, outermost first.
 * Times of events never decrease. The state that existed when the trace began or a gap ended is
 * emitted before the generation's events.
 */
#ifndef MONITOR_GO_MAP_H
#define MONITOR_GO_MAP_H

#include "engine/base/intern.h"
#include "monitor/event/batch.h"
#include "monitor/read/gotrace/go_walk.h"

/* Maximum number of goroutines with known functions whose lanes have names of their own. Lanes of
 * further goroutines share names such as `main.work #2`. */
#define GO_MAX_LANE_NAMES 100000u
#define GO_MAX_TASKS      100000u
#define GO_MAX_OPEN       512u
/* After this many bytes of texts interned by go_long_sym() per trace, such as names of goroutines'
 * lanes, `sym_other` replaces further ones. */
#define GO_MAX_MADE_BYTES (64u << 20)

struct go_map;

/* `syms` and `order` must outlive the result. */
struct go_map *go_map_new(struct tr2_intern *syms, struct go_order *order);
void go_map_free(struct go_map *map);
size_t go_map_held(const struct go_map *map);

/* Set the batch to which events are added, and the counters to update. */
void go_map_into(struct go_map *map, struct batch *batch, uint64_t *nr_events,
		 uint64_t *nr_ignored);

/*
 * Set the SID and the command's name of the process that wrote the trace (both are copied), and the
 * version of the trace format.
 */
void go_map_process(struct go_map *map, const char *sid, const char *name, unsigned version);
/* Set the wall clock: the wall time was `wall_ns` when the trace's clock was `trace_ns`. `clock` is
 * an enum event_clock. */
void go_map_clock(struct go_map *map, int64_t trace_ns, int64_t wall_ns, unsigned clock);

/*
 * Begin a generation. Then call go_map_before() until it returns false. `is_first`: the state
 * before the generation is unknown.
 */
void go_map_begin(struct go_map *map, const struct go_generation *gen, struct go_walk *walk,
		  bool is_first);
/*
 * Emit the next part of the state that existed before the generation, such as a goroutine. Returns
 * false if nothing is left.
 */
bool go_map_before(struct go_map *map);
/* Translate an ordered event of the trace. `map`: a struct go_map. */
void go_map_take(void *map, const struct go_event *ev);
/* End the generation: emit its CPU samples and its number. */
void go_map_end(struct go_map *map);
/* Leave all open regions, because generations are missing or unreliable. */
void go_map_gap(struct go_map *map);
/* Emit that the process's trace has ended. */
void go_map_ended(struct go_map *map);

#endif
