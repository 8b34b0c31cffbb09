/* SPDX-License-Identifier: MIT */
/*
 * Private interface of go_order.c (chooses the next event) and go_advance.c (checks if an event is
 * allowed).
 */
#ifndef MONITOR_GO_ORDER_PRIV_H
#define MONITOR_GO_ORDER_PRIV_H

#include "monitor/read/gotrace/go_order.h"

/* A thread's next event. */
struct go_cursor {
	/* index of the batch after the current one; GO_NO_INDEX: none */
	uint32_t batch;
	/* index of the thread in `ms`; GO_NO_INDEX: none yet, or no thread */
	uint32_t machine;
	uint64_t thread;
	const uint8_t *at, *end;
	int64_t ns;
	uint8_t type;
	uint64_t a[4];
};

enum advance { DONE, WAIT, WRONG };

/* An event that may be emitted, and its thread `m`; NULL: it has no thread, or there are too many
 * threads. */
struct go_step {
	struct go_order *order;
	const struct go_cursor *c;
	struct go_machine *m;
	bool force;
	struct go_event ev;
};

/*
 * Checks if an event of a type is allowed now, and applies its effects. Every type with arguments
 * has a rule.
 */
typedef enum advance go_rule(struct go_step *s);
extern go_rule *const go_rules[256];

/* Return a goroutine's index; GO_NO_INDEX: the id is unknown. */
uint32_t go_find_g(struct go_order *order, uint64_t id);
/* Return a thread's index; a new thread is added. GO_NO_INDEX: there are too many. */
uint32_t go_add_m(struct go_order *order, uint64_t id);

#endif
