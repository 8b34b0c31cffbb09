/* SPDX-License-Identifier: MIT */
/* Private interface of go_order.c (which event is next) and go_advance.c (is it allowed). */
#ifndef MONITOR_GO_ORDER_PRIV_H
#define MONITOR_GO_ORDER_PRIV_H

#include "monitor/read/gotrace/go_order.h"

/* A position in the batches of a thread, at the thread's next event. */
struct go_cursor {
	uint32_t batch;   /* index of the current batch; GO_NO_INDEX: the last batch has ended */
	uint32_t machine; /* index of the thread in `ms`; GO_NO_INDEX: the events have no thread */
	uint64_t thread;
	const uint8_t *at, *end;
	int64_t ns;
	uint8_t type;
	uint64_t a[4];
};

enum advance { DONE, WAIT, WRONG };

/* An event that may be emitted, and its thread; `m` is NULL if it has no thread. */
struct go_step {
	struct go_order *order;
	const struct go_cursor *c;
	struct go_machine *m;
	bool force;
	struct go_event ev;
};

/*
 * Rule of an event type: check if the event is allowed now, and apply its effects. Every type with
 * arguments has a rule.
 */
typedef enum advance go_rule(struct go_step *s);
extern go_rule *const go_rules[256];

/* Return the index of a goroutine; GO_NO_INDEX if the id is unknown. */
uint32_t go_find_g(struct go_order *order, uint64_t id);
/* Return the index of a thread, which is added if new; GO_NO_INDEX if there are too many. */
uint32_t go_add_m(struct go_order *order, uint64_t id);

#endif
