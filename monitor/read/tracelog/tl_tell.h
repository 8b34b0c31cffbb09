/* SPDX-License-Identifier: MIT */
/* CoreProfiler TraceLog: add events to the batch. Private interface of tl_state.c and
 * tl_stack.c. */
#ifndef MONITOR_TL_TELL_H
#define MONITOR_TL_TELL_H

#include "monitor/read/tracelog/tl_state.h"

/* Set or replace the value of an id. A new id is ignored if the map has TL_MAX_NAMES ids. */
void tl_ids_set(struct ids *ids, uint64_t id, uint64_t value);

sym_t tl_sym(struct tl *tl, const char *text);
ns_t tl_wall(const struct tl *tl, uint64_t ts);
sym_t tl_lane(struct tl *tl, struct tl_thread *thread);

/* Begin an event of the process at `ts`. Before the first one, emit the ABOUT record and the
 * version event. */
void tl_event_begin(struct tl *tl, struct event *ev, unsigned kind, sym_t thread, uint64_t ts);
void tl_event_end(struct tl *tl, const struct event *ev);
void tl_emit_version(struct tl *tl);
/* Emit the ABOUT record; `bits`: its field ABOUT without the bits of the clock. */
void tl_emit_about(struct tl *tl, int64_t bits);
/* Emit a number as a data event of the runtime's lane. */
void tl_emit_number(struct tl *tl, const char *category, const char *key, uint64_t value);
/* Enter a region. `nesting` counts from 1; `msg` may be NULL. */
void tl_enter(struct tl *tl, sym_t lane, unsigned nesting, sym_t category, sym_t label, uint64_t ts,
	      const char *msg);
void tl_leave(struct tl *tl, sym_t lane, unsigned nesting, sym_t category, sym_t label, uint64_t ts,
	      ns_t duration);
/* Leave the regions of a thread's frames that are deeper than `depth`. */
void tl_pop(struct tl *tl, struct tl_thread *thread, uint64_t depth);

#endif
