/* SPDX-License-Identifier: MIT */
/*
 * Rules of Go's scheduler for the events of a Go execution trace: when an event may be the next
 * one, and how it changes the state of goroutines, Ps and threads.
 */
#include "config.h"

#include "monitor/base/grow.h"
#include "monitor/read/gotrace/go_order_priv.h"

uint32_t go_find_g(struct go_order *order, uint64_t id)
{
	uint32_t index = go_guess(&order->g_guesses, id);

	if (index < order->nr_gs && order->gs[index].id == id && order->gs[index].status != GO_GONE)
		return index;
	return go_guess_set(&order->g_guesses, id, go_index(&order->g_ids, id));
}

static uint32_t go_find_p(struct go_order *order, uint64_t id)
{
	uint32_t index = go_guess(&order->p_guesses, id);

	if (index < order->nr_ps && order->ps[index].id == id)
		return index;
	return go_guess_set(&order->p_guesses, id, go_index(&order->p_ids, id));
}

/* Add a goroutine. Returns its index; GO_NO_INDEX if there are too many. */
static uint32_t go_add_g(struct go_order *order, uint64_t id, enum go_status status)
{
	uint32_t index = order->free_g;

	if (index != GO_NO_INDEX) {
		order->free_g = order->gs[index].next_free;
	} else {
		if (order->nr_gs == GO_MAX_GOROUTINES)
			return GO_NO_INDEX;
		GROW(order->gs, order->nr_gs, order->cap_gs, 64);
		index = order->nr_gs++;
	}
	order->gs[index] = (struct go_goroutine){ .id = id, .status = (uint8_t)status };
	ids_add(&order->g_ids, id, index);
	go_guesses_for(&order->g_guesses, order->nr_gs);
	go_guess_set(&order->g_guesses, id, index);
	return index;
}

static void remove_g(struct go_order *order, uint32_t index)
{
	if (index == GO_NO_INDEX || order->gs[index].status == GO_GONE)
		return;
	ids_remove(&order->g_ids, order->gs[index].id);
	order->gs[index].status = GO_GONE;
	order->gs[index].next_free = order->free_g;
	order->free_g = index;
}

static uint32_t go_add_p(struct go_order *order, uint64_t id, enum go_proc_status status)
{
	if (order->nr_ps == GO_MAX_PROCS)
		return GO_NO_INDEX;
	GROW(order->ps, order->nr_ps, order->cap_ps, 16);
	order->ps[order->nr_ps] = (struct go_proc){ .id = id, .status = (uint8_t)status };
	ids_add(&order->p_ids, id, order->nr_ps);
	go_guesses_for(&order->p_guesses, order->nr_ps);
	return order->nr_ps++;
}

uint32_t go_add_m(struct go_order *order, uint64_t id)
{
	uint32_t index = go_index(&order->m_ids, id);

	if (index != GO_NO_INDEX)
		return index;
	if (order->nr_ms == 2 * GO_MAX_THREADS)
		return GO_NO_INDEX;
	GROW(order->ms, order->nr_ms, order->cap_ms, 16);
	order->ms[order->nr_ms] = (struct go_machine){ GO_NO_INDEX, GO_NO_INDEX };
	ids_add(&order->m_ids, id, order->nr_ms);
	return order->nr_ms++;
}

static bool is_next(const struct go_order *order, uint64_t seq, uint64_t seq_generation, uint64_t q)
{
	return seq_generation == order->gen->number && q == seq + 1;
}

/* ---- conditions and effects of events ---- */

/* Return WAIT or WRONG from the rule if the condition is false, unless the event is forced. */
#define WAIT_UNLESS(holds)                                                                         \
	do {                                                                                       \
		if (!(holds) && !s->force)                                                         \
			return WAIT;                                                               \
	} while (0)
#define NEED(holds)                                                                                \
	do {                                                                                       \
		if (!(holds) && !s->force)                                                         \
			return WRONG;                                                              \
	} while (0)

static void go_emit_event(struct go_step *s, uint8_t part)
{
	s->ev.part = part;
	s->ev.time = go_order_stamp(s->order, s->c->ns);
	s->order->take(s->order->take_data, &s->ev);
}

static struct go_goroutine *running_g(const struct go_step *s)
{
	return s->ev.goroutine == GO_NO_INDEX ? NULL : &s->order->gs[s->ev.goroutine];
}

static struct go_proc *own_p(const struct go_step *s)
{
	return s->ev.proc == GO_NO_INDEX ? NULL : &s->order->ps[s->ev.proc];
}

static bool has_p_and_g(const struct go_step *s)
{
	return s->m && s->ev.proc != GO_NO_INDEX && s->ev.goroutine != GO_NO_INDEX;
}

static bool go_g_has_status(const struct go_goroutine *g, enum go_status status)
{
	return g && g->status == status;
}

static void set_g(const struct go_step *s, uint32_t g)
{
	if (s->m)
		s->m->goroutine = g;
}

static void machine_takes(struct go_order *order, struct go_machine *m, uint32_t p)
{
	if (m->proc != GO_NO_INDEX)
		order->ps[m->proc].nr_machines--;
	m->proc = p;
	if (p != GO_NO_INDEX)
		order->ps[p].nr_machines++;
}

static void set_p(const struct go_step *s, uint32_t p)
{
	if (s->m)
		machine_takes(s->order, s->m, p);
}

static enum advance rule_proc_status(struct go_step *s)
{
	struct go_order *order = s->order;
	uint64_t status = s->c->a[1];
	uint32_t p = go_find_p(order, s->c->a[0]);
	bool is_own = status == PROC_RUNNING || status == PROC_SYSCALL;

	NEED(status <= PROC_ABANDONED);
	if (status > PROC_ABANDONED)
		return DONE;
	s->ev.is_new = p == GO_NO_INDEX;
	if (s->ev.is_new) {
		p = go_add_p(order, s->c->a[0], (enum go_proc_status)status);
		if (p == GO_NO_INDEX)
			return DONE;
	} else if (status == PROC_ABANDONED && order->ps[p].status == PROC_SYSCALL) {
		NEED(order->ps[p].nr_machines);
	} else {
		NEED(order->ps[p].status == status);
		order->ps[p].status = (uint8_t)status;
	}
	order->ps[p].seq = 0;
	order->ps[p].seq_generation = order->gen->number;
	if (is_own)
		set_p(s, p);
	s->ev.target = p;
	go_emit_event(s, 0);
	return DONE;
}

static enum advance rule_proc_start(struct go_step *s)
{
	struct go_order *order = s->order;
	uint32_t p = go_find_p(order, s->c->a[0]);
	struct go_proc *proc = p == GO_NO_INDEX ? NULL : &order->ps[p];

	WAIT_UNLESS(proc && proc->status == PROC_IDLE &&
		    is_next(order, proc->seq, proc->seq_generation, s->c->a[1]) &&
		    s->ev.proc == GO_NO_INDEX);
	NEED(s->m);
	if (!proc)
		p = go_add_p(order, s->c->a[0], PROC_IDLE);
	if (p == GO_NO_INDEX)
		return DONE;
	proc = &order->ps[p];
	proc->status = PROC_RUNNING;
	proc->seq = s->c->a[1];
	proc->seq_generation = order->gen->number;
	set_p(s, p);
	s->ev.target = p;
	go_emit_event(s, 0);
	return DONE;
}

static enum advance rule_proc_stop(struct go_step *s)
{
	struct go_proc *p = own_p(s);

	NEED(s->m && p && (p->status == PROC_RUNNING || p->status == PROC_SYSCALL));
	if (p)
		p->status = PROC_IDLE;
	set_p(s, GO_NO_INDEX);
	s->ev.target = s->ev.proc;
	go_emit_event(s, 0);
	return DONE;
}

static enum advance rule_proc_steal(struct go_step *s)
{
	struct go_order *order = s->order;
	uint32_t p = go_find_p(order, s->c->a[0]);
	struct go_proc *proc = p == GO_NO_INDEX ? NULL : &order->ps[p];
	uint32_t from;

	WAIT_UNLESS(proc && (proc->status == PROC_SYSCALL || proc->status == PROC_ABANDONED) &&
		    is_next(order, proc->seq, proc->seq_generation, s->c->a[1]));
	NEED(s->m);
	if (!proc)
		return DONE;
	if (proc->status != PROC_ABANDONED) {
		from = s->c->a[2] == s->c->thread ? s->c->machine
						  : go_index(&order->m_ids, s->c->a[2]);
		NEED(from != GO_NO_INDEX && order->ms[from].proc == p);
		if (from != GO_NO_INDEX && order->ms[from].proc == p)
			machine_takes(order, &order->ms[from], GO_NO_INDEX);
	}
	proc->status = PROC_IDLE;
	proc->seq = s->c->a[1];
	s->ev.target = p;
	go_emit_event(s, 0);
	return DONE;
}

static enum advance rule_go_status(struct go_step *s)
{
	struct go_order *order = s->order;
	uint64_t status = s->c->a[2], thread = s->c->a[1];
	uint32_t g = go_find_g(order, s->c->a[0]), m;

	NEED(status && status <= GO_WAITING);
	if (!status || status > GO_WAITING)
		return DONE;
	NEED(g == GO_NO_INDEX ? order->is_first : order->gs[g].status == status);
	if (status == GO_SYSCALL)
		NEED(thread != GO_NONE);
	s->ev.is_new = g == GO_NO_INDEX;
	if (s->ev.is_new)
		g = go_add_g(order, s->c->a[0], (enum go_status)status);
	if (g == GO_NO_INDEX)
		return DONE;
	order->gs[g].status = (uint8_t)status;
	order->gs[g].seq = 0;
	order->gs[g].seq_generation = order->gen->number;
	if (status == GO_RUNNING) {
		set_g(s, g);
	} else if (status == GO_SYSCALL && thread != GO_NONE) {
		m = go_add_m(order, thread);
		/* go_add_m() may have moved the array of threads. */
		if (s->m)
			s->m = &order->ms[s->c->machine];
		if (m != GO_NO_INDEX)
			order->ms[m].goroutine = g;
	}
	s->ev.target = g;
	go_emit_event(s, 0);
	return DONE;
}

static enum advance go_create(struct go_step *s, enum go_status status)
{
	struct go_order *order = s->order;
	uint32_t g = go_find_g(order, s->c->a[0]);

	if (status == GO_SYSCALL) {
		NEED(s->m && s->ev.goroutine == GO_NO_INDEX);
	} else {
		NEED(s->m && s->ev.proc != GO_NO_INDEX);
		NEED(!running_g(s) || go_g_has_status(running_g(s), GO_RUNNING));
	}
	NEED(g == GO_NO_INDEX);
	s->ev.is_new = g == GO_NO_INDEX;
	if (s->ev.is_new)
		g = go_add_g(order, s->c->a[0], status);
	if (g == GO_NO_INDEX)
		return DONE;
	order->gs[g].status = (uint8_t)status;
	order->gs[g].seq = 0;
	order->gs[g].seq_generation = order->gen->number;
	if (status == GO_SYSCALL)
		set_g(s, g);
	s->ev.target = g;
	go_emit_event(s, 0);
	return DONE;
}

/* Find the goroutine that the event names. True if it has `status` and expects the event's sequence
 * number. */
static bool named_g(struct go_step *s, enum go_status status, uint32_t *index)
{
	const struct go_goroutine *g;

	*index = go_find_g(s->order, s->c->a[0]);
	if (*index == GO_NO_INDEX)
		return false;
	g = &s->order->gs[*index];
	return g->status == status && is_next(s->order, g->seq, g->seq_generation, s->c->a[1]);
}

static enum advance rule_go_start(struct go_step *s)
{
	uint32_t g;
	bool may = named_g(s, GO_RUNNABLE, &g);

	WAIT_UNLESS(may);
	NEED(s->m && s->ev.proc != GO_NO_INDEX && s->ev.goroutine == GO_NO_INDEX);
	if (g == GO_NO_INDEX)
		return DONE;
	s->order->gs[g].status = GO_RUNNING;
	s->order->gs[g].seq = s->c->a[1];
	set_g(s, g);
	s->ev.target = g;
	go_emit_event(s, 0);
	return DONE;
}

static enum advance rule_go_unblock(struct go_step *s)
{
	uint32_t g;
	bool may = named_g(s, GO_WAITING, &g);

	WAIT_UNLESS(may);
	if (g == GO_NO_INDEX)
		return DONE;
	s->order->gs[g].status = GO_RUNNABLE;
	s->order->gs[g].seq = s->c->a[1];
	s->ev.target = g;
	go_emit_event(s, 0);
	return DONE;
}

static enum advance go_leave(struct go_step *s, enum go_status status)
{
	struct go_goroutine *g = running_g(s);

	NEED(has_p_and_g(s) && go_g_has_status(g, GO_RUNNING));
	if (!g)
		return DONE;
	set_g(s, GO_NO_INDEX);
	go_emit_event(s, 0);
	if (status == GO_GONE)
		remove_g(s->order, s->ev.goroutine);
	else
		g->status = (uint8_t)status;
	return DONE;
}

static enum advance rule_go_switch(struct go_step *s)
{
	struct go_order *order = s->order;
	uint32_t g;
	bool may;

	NEED(has_p_and_g(s) && go_g_has_status(running_g(s), GO_RUNNING));
	may = named_g(s, GO_WAITING, &g);
	WAIT_UNLESS(may);
	if (g == GO_NO_INDEX || !running_g(s))
		return DONE;
	order->gs[g].seq = s->c->a[1];
	s->ev.target = g;
	go_emit_event(s, 0);
	go_emit_event(s, 1);
	if (s->c->type == WIRE_GO_SWITCH_DESTROY)
		remove_g(order, s->ev.goroutine);
	else
		order->gs[s->ev.goroutine].status = GO_WAITING;
	order->gs[g].status = GO_RUNNING;
	set_g(s, g);
	go_emit_event(s, 2);
	return DONE;
}

static enum advance rule_syscall_begin(struct go_step *s)
{
	struct go_proc *p = own_p(s);
	struct go_goroutine *g = running_g(s);

	NEED(has_p_and_g(s) && go_g_has_status(g, GO_RUNNING));
	/* The thread of a forced event may have no P. */
	NEED(!p || is_next(s->order, p->seq, p->seq_generation, s->c->a[0]));
	if (!g)
		return DONE;
	g->status = GO_SYSCALL;
	if (p) {
		p->status = PROC_SYSCALL;
		p->seq = s->c->a[0];
	}
	go_emit_event(s, 0);
	return DONE;
}

static enum advance rule_syscall_end(struct go_step *s)
{
	struct go_proc *p = own_p(s);
	struct go_goroutine *g = running_g(s);

	NEED(has_p_and_g(s) && go_g_has_status(g, GO_SYSCALL) && p->status == PROC_SYSCALL);
	if (!g)
		return DONE;
	g->status = GO_RUNNING;
	if (p)
		p->status = PROC_RUNNING;
	go_emit_event(s, 0);
	return DONE;
}

static enum advance rule_syscall_end_blocked(struct go_step *s)
{
	struct go_proc *p = own_p(s);
	struct go_goroutine *g = running_g(s);

	WAIT_UNLESS(!p || p->status != PROC_SYSCALL);
	NEED(s->m && go_g_has_status(g, GO_SYSCALL));
	if (!g)
		return DONE;
	g->status = GO_RUNNABLE;
	set_g(s, GO_NO_INDEX);
	go_emit_event(s, 0);
	return DONE;
}

static enum advance rule_destroy_syscall(struct go_step *s)
{
	struct go_proc *p = own_p(s);
	struct go_goroutine *g = running_g(s);

	NEED(s->m && go_g_has_status(g, GO_SYSCALL) && (!p || p->status == PROC_SYSCALL));
	if (!g)
		return DONE;
	set_g(s, GO_NO_INDEX);
	if (p) {
		struct go_event steal = s->ev;

		p->status = PROC_ABANDONED;
		set_p(s, GO_NO_INDEX);
		steal.type = WIRE_PROC_STEAL;
		steal.target = s->ev.proc;
		steal.time = go_order_stamp(s->order, s->c->ns);
		s->order->take(s->order->take_data, &steal);
	}
	go_emit_event(s, 0);
	remove_g(s->order, s->ev.goroutine);
	return DONE;
}

static enum advance rule_gc(struct go_step *s)
{
	struct go_order *order = s->order;
	uint64_t q = s->c->a[0];
	bool begins = s->c->type != WIRE_GC_END;

	if (s->c->type == WIRE_GC_ACTIVE && order->is_first) {
		NEED(order->gc == GC_UNKNOWN);
	} else {
		WAIT_UNLESS(q == order->gc_seq + 1 ||
			    (s->c->type == WIRE_GC_BEGIN && order->gc == GC_UNKNOWN));
		NEED(has_p_and_g(s));
		NEED(s->c->type == WIRE_GC_BEGIN ? order->gc != GC_ON : order->gc == GC_ON);
	}
	order->gc = begins ? GC_ON : GC_OFF;
	order->gc_seq = q;
	go_emit_event(s, 0);
	return DONE;
}

/* A sweep, a mark assist or a stopped world begins or ends on a P or goroutine. */
static enum advance rule_range(struct go_step *s)
{
	struct go_order *order = s->order;
	uint8_t type = s->c->type;
	bool begins = type == WIRE_GC_SWEEP_BEGIN || type == WIRE_GC_MARK_ASSIST_BEGIN ||
		      type == WIRE_STW_BEGIN;
	bool is_sweep = type == WIRE_GC_SWEEP_BEGIN || type == WIRE_GC_SWEEP_END;
	bool *in;

	NEED(s->m && s->ev.proc != GO_NO_INDEX && (is_sweep || s->ev.goroutine != GO_NO_INDEX));
	if (is_sweep ? s->ev.proc == GO_NO_INDEX : s->ev.goroutine == GO_NO_INDEX)
		return DONE;
	in = is_sweep ? &order->ps[s->ev.proc].in_sweep
	     : type == WIRE_STW_BEGIN || type == WIRE_STW_END
		     ? &order->gs[s->ev.goroutine].in_stw
		     : &order->gs[s->ev.goroutine].in_assist;
	NEED(*in != begins);
	*in = begins;
	go_emit_event(s, 0);
	return DONE;
}

/* A sweep or mark assist began before this generation. */
static enum advance rule_range_active(struct go_step *s)
{
	struct go_order *order = s->order;
	bool is_sweep = s->c->type == WIRE_GC_SWEEP_ACTIVE;
	uint32_t target = is_sweep ? go_find_p(order, s->c->a[0]) : go_find_g(order, s->c->a[0]);
	bool *in;

	NEED(target != GO_NO_INDEX);
	if (target == GO_NO_INDEX)
		return DONE;
	in = is_sweep ? &order->ps[target].in_sweep : &order->gs[target].in_assist;
	NEED(*in != order->is_first);
	*in = true;
	s->ev.target = target;
	go_emit_event(s, 0);
	return DONE;
}

static enum advance rule_go_create_runnable(struct go_step *s)
{
	return go_create(s, GO_RUNNABLE);
}

static enum advance rule_go_create_blocked(struct go_step *s)
{
	return go_create(s, GO_WAITING);
}

static enum advance rule_go_create_syscall(struct go_step *s)
{
	return go_create(s, GO_SYSCALL);
}

static enum advance rule_go_stop(struct go_step *s)
{
	return go_leave(s, GO_RUNNABLE);
}

static enum advance rule_go_block(struct go_step *s)
{
	return go_leave(s, GO_WAITING);
}

static enum advance rule_go_destroy(struct go_step *s)
{
	return go_leave(s, GO_GONE);
}

/* Events that do not change the scheduler's state. They need a thread, a P, or a P and a
 * goroutine. */
static enum advance rule_by_thread(struct go_step *s)
{
	NEED(s->m);
	go_emit_event(s, 0);
	return DONE;
}

static enum advance rule_by_proc(struct go_step *s)
{
	NEED(s->m && s->ev.proc != GO_NO_INDEX);
	go_emit_event(s, 0);
	return DONE;
}

static enum advance rule_by_goroutine(struct go_step *s)
{
	NEED(has_p_and_g(s));
	go_emit_event(s, 0);
	return DONE;
}

go_rule *const go_rules[256] = {
#define GO_WIRE(ID, number, args, string, stack, new_stack, rule, take, needs_lane)                \
	[number] = rule_##rule,
#include "monitor/read/gotrace/go_wire.def"
#undef GO_WIRE
};
