/* SPDX-License-Identifier: MIT */
/*
 * Private interface of go_order.c (which chooses the next event) and go_advance.c (which checks if
 * an event is allowed).
 */
#ifndef MONITOR_GO_ORDER_PRIV_H
#define MONITOR_GO_ORDER_PRIV_H

#include "monitor/read/gotrace/go_order.h"

/* Position of a thread's next event in the thread's batches. */
struct go_cursor {
	/* index of the batch after the current one; GO_NO_INDEX: the thread has no more batches */
	uint32_t batch;
	/* index of the thread in `ms`; GO_NO_INDEX: none yet, or the events have no thread */
	uint32_t machine;
	uint64_t thread;
	const uint8_t *at, *end;
	int64_t ns;
	uint8_t type;
	uint64_t a[4];
};

enum advance { DONE, WAIT, WRONG };

/* An event that may be emitted, and its thread `m`; NULL if the event has no thread, or there are
 * too many threads. */
struct go_step {
	struct go_order *order;
	const struct go_cursor *c;
	struct go_machine *m;
	bool force;
	struct go_event ev;
};

/*
 * Rule of an event type: a function that checks if the event is allowed now, and applies its
 * effects. Every type with arguments has a rule.
 */
typedef enum advance go_rule(struct go_step *s);
extern go_rule *const go_rules[256];

/* Return the index of a goroutine; GO_NO_INDEX if the id is unknown. */
uint32_t go_find_g(struct go_order *order, uint64_t id);
/*
 * Return the index of a thread; adds the thread if it is new. GO_NO_INDEX if there are too many
 * threads.
 */
uint32_t go_add_m(struct go_order *order, uint64_t id);

#endif
