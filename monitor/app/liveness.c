/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/liveness.h"

#include "engine/base/hash.h"
#include "monitor/base/pids.h"
#include "monitor/event/sid.h"

/* Add a PID_SEEN or PID_GONE record for a process to the batch. `signo`: signal that killed it; 0:
 * none or unknown. */
static void record_add(struct batch *batch, const struct model *m, const struct process *p,
		       unsigned kind, int signo, ns_t time)
{
	const char *sid = model_text(m, p->sid);
	struct event ev = { .kind = (uint8_t)kind };

	event_set(&ev, TR2_F_SID, batch_sid(batch, sid, p->sid.len, tr2_hash(sid, p->sid.len)));
	event_set(&ev, TR2_F_PID, p->pid);
	event_set(&ev, FLD_ARRIVAL, time);
	if (signo)
		event_set(&ev, TR2_F_SIGNO, signo);
	batch_add(batch, &ev);
}

static void process_check(const struct model *m, const struct process *p, struct batch *batch)
{
	enum pid_is is;
	ns_t made;

	if (p->state != STATE_RUNNING || p->pid == NUM_NONE || p->agent != SYM_NONE)
		return;
	/* Skip a process whose last event arrived less than a second ago: it probably runs, or its
	 * end event is about to arrive. */
	if (p->last_arrival != NS_NONE && tr2_clock_wall() - p->last_arrival < NS_PER_SEC)
		return;
	made = sid_time(model_text(m, p->sid), p->sid.len);
	is = pid_check(p->host, p->pid, made == NS_NONE ? p->start : made);
	if (p->pid_seen && is == PID_OTHERS)
		record_add(batch, m, p, REC_PID_GONE, 0, tr2_clock_wall());
	else if (!p->pid_seen && is == PID_ALIVE)
		record_add(batch, m, p, REC_PID_SEEN, 0, tr2_clock_wall());
}

uint32_t liveness_process_of_pid(const struct model *m, pid_t pid)
{
	for (uint32_t slot = model_first_slot(m); slot != SLOT_NONE;
	     slot = model_next_slot(m, slot)) {
		const struct process *p = model_slot(m, slot);

		if (p->pid == pid && p->agent == SYM_NONE && p->state != STATE_EXITED &&
		    p->state != STATE_SIGNALED)
			return slot;
	}
	return SLOT_NONE;
}

void liveness_killed(struct batch *batch, const struct model *m, const struct process *p, int signo,
		     ns_t time)
{
	record_add(batch, m, p, REC_PID_GONE, signo, time);
}

void liveness_check(struct liveness *l, const struct model *m, struct journal *journal)
{
	struct batch *batch = journal_take(journal);
	uint32_t slot = l->next ? model_next_slot(m, l->next - 1) : model_first_slot(m);

	for (int i = 0; i < LIVENESS_STEP && slot != SLOT_NONE; i++) {
		process_check(m, model_slot(m, slot), batch);
		slot = model_next_slot(m, slot);
	}
	l->next = slot == SLOT_NONE ? 0 : slot;
	journal_push(journal, batch);
}
