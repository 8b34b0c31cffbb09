/* SPDX-License-Identifier: MIT */
/* What go_order.c (which event is next) and go_advance.c (may it happen) share. */
#ifndef MONITOR_GO_ORDER_PRIV_H
#define MONITOR_GO_ORDER_PRIV_H

#include "monitor/read/gotrace/go_order.h"

/* A thread's batches, at its next event. */
struct go_cursor {
	uint32_t batch;   /* GO_NO_INDEX: its last one has ended */
	uint32_t machine; /* GO_NO_INDEX: of no thread */
	uint64_t thread;
	const uint8_t *at, *end;
	int64_t ns;
	uint8_t type;
	uint64_t a[4];
};

enum advance { DONE, WAIT, WRONG };

/* An event about to be told, and its thread; `m` NULL: of no thread. */
struct step {
	struct go_order *order;
	const struct go_cursor *c;
	struct go_machine *m;
	bool force;
	struct go_event ev;
};

/* Tell the event, where it may happen now, and change what follows from it: by its type. Every type
 * that has arguments has its rule. */
typedef enum advance go_rule(struct step *s);
extern go_rule *const go_rules[256];

/* GO_NO_INDEX: there is none of that id. */
uint32_t go_find_g(struct go_order *order, uint64_t id);
/* The thread's index, made where it is new; GO_NO_INDEX: there are too many. */
uint32_t go_add_m(struct go_order *order, uint64_t id);

#endif
