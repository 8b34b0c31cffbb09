/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/liveness.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/hash.h"
#include "engine/tr2_sha1.h"
#include "monitor/event/sid.h"

/* /proc counts ticks since boot, and the time of boot is a difference of two clocks. */
#define SLACK_NS (50 * NS_PER_MS)

static ns_t boot_time(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_BOOTTIME, &ts))
		return NS_NONE;
	return tr2_clock_wall() - ((ns_t)ts.tv_sec * NS_PER_SEC + ts.tv_nsec);
}

/* When the process of `pid` started, in wall time; NS_NONE where there is none. */
static ns_t liveness_start(int64_t pid)
{
	char path[40], stat[1024], *field;
	unsigned long long ticks = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NS_NONE;
	n = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	if (n <= 0)
		return NS_NONE;
	stat[n] = '\0';
	/* The command's name may hold anything, its closing parenthesis is the last one. */
	field = strrchr(stat, ')');
	if (!field || field[1] != ' ' || field[2] == 'Z' || field[2] == 'X')
		return NS_NONE;
	if (sscanf(field + 2,
		   "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
		   "%*d %llu",
		   &ticks) != 1)
		return NS_NONE;
	return boot_time() + (ns_t)(ticks * (unsigned long long)NS_PER_SEC /
				    (unsigned long long)sysconf(_SC_CLK_TCK));
}

/* Facts of Trace2: 'H' and the first 8 hexadecimal digits of the host name's SHA-1. */
static void host_find(struct liveness *l)
{
	char name[256];
	uint8_t digest[20];

	if (*l->host)
		return;
	if (gethostname(name, sizeof(name))) {
		memcpy(l->host, "Localhost", 10);
		return;
	}
	name[sizeof(name) - 1] = '\0';
	tr2_sha1(name, strlen(name), digest);
	snprintf(l->host, sizeof(l->host), "H%02x%02x%02x%02x", digest[0], digest[1], digest[2],
		 digest[3]);
}

static void record_add(struct batch *batch, const struct model *m, const struct process *p,
		       unsigned kind)
{
	const char *sid = model_text(m, p->sid);
	struct event ev = { .kind = (uint8_t)kind };

	event_set(&ev, TR2_F_SID, batch_sid(batch, sid, p->sid.len, tr2_hash(sid, p->sid.len)));
	event_set(&ev, TR2_F_PID, p->pid);
	event_set(&ev, FLD_ARRIVAL, tr2_clock_wall());
	batch_add(batch, &ev);
}

static void process_look(struct liveness *l, const struct model *m, const struct process *p,
			 struct batch *batch)
{
	ns_t made, start;

	if (p->state != STATE_RUNNING || p->pid == NUM_NONE || p->pid <= 0 ||
	    strcmp(p->host, l->host))
		return;
	/* Its last words may be on their way still. */
	if (p->last_arrival != NS_NONE && tr2_clock_wall() - p->last_arrival < NS_PER_SEC)
		return;
	start = liveness_start(p->pid);
	made = sid_time(model_text(m, p->sid), p->sid.len);
	if (made == NS_NONE)
		made = p->start;
	if (p->pid_seen) {
		/* Another process may have got its number since. */
		if (start == NS_NONE || (made != NS_NONE && start > made + SLACK_NS))
			record_add(batch, m, p, REC_PID_GONE);
	} else if (start != NS_NONE && made != NS_NONE && start <= made + SLACK_NS) {
		record_add(batch, m, p, REC_PID_SEEN);
	}
}

void liveness_look(struct liveness *l, const struct model *m, struct journal *journal)
{
	struct batch *batch = journal_take(journal);
	uint32_t slot = l->next ? model_next_slot(m, l->next - 1) : model_first_slot(m);

	host_find(l);
	for (int i = 0; i < LIVENESS_STEP && slot != SLOT_NONE; i++) {
		process_look(l, m, model_slot(m, slot), batch);
		slot = model_next_slot(m, slot);
	}
	l->next = slot == SLOT_NONE ? 0 : slot;
	journal_push(journal, batch);
}
