/* SPDX-License-Identifier: MIT */
/* Private interface of go_order.c and go_advance.c. */
#ifndef MONITOR_GO_ORDER_PRIV_H
#define MONITOR_GO_ORDER_PRIV_H

#include "monitor/read/gotrace/go_order.h"

/* Position in a thread's events, and the next event. */
struct go_cursor {
	/* index of the batch after the current one; GO_NO_INDEX: none */
	uint32_t batch;
	/* index of the thread in `ms`; GO_NO_INDEX: none */
	uint32_t machine;
	uint64_t thread;
	const uint8_t *at, *end;
	int64_t ns;
	uint8_t type;
	uint64_t a[4];
};

enum advance { DONE, WAIT, WRONG };

/* An event that a rule checks. `m`: its thread; NULL: none. */
struct go_step {
	struct go_order *order;
	const struct go_cursor *c;
	struct go_machine *m;
	bool force;
	struct go_event ev;
};

/*
 * Checks if an event is allowed now, and if so applies its effects. WAIT: not yet allowed; WRONG:
 * impossible.
 */
typedef enum advance go_rule(struct go_step *s);
extern go_rule *const go_rules[256];

/* Return a goroutine's index; GO_NO_INDEX: the id is unknown. */
uint32_t go_find_g(struct go_order *order, uint64_t id);
/* Return a thread's index; a new thread is added. GO_NO_INDEX: there are too many. */
uint32_t go_add_m(struct go_order *order, uint64_t id);

#endif
