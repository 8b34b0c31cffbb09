/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_sums.h"

#include <stdlib.h>
#include <string.h>

#include "engine/tr2_lock.h"

#define MAX_ROWS (TR2_MAX_TIMERS > TR2_MAX_COUNTERS ? TR2_MAX_TIMERS : TR2_MAX_COUNTERS)

static const int max_rows[2] = { TR2_MAX_TIMERS, TR2_MAX_COUNTERS };
static struct tr2_sum_desc rows[2][MAX_ROWS];
/* number of declared timers and counters; atomic: incremented after the new row is complete */
static int nr_rows[2];
static struct tr2_sums totals;

static int declare_locked(enum tr2_sum_family family, const char *category, const char *name,
			  bool per_thread)
{
	int id = nr_rows[family];
	struct tr2_sum_desc *row = &rows[family][id];

	if (id == max_rows[family])
		return -1;
	row->category = strdup(category ? category : "");
	row->name = strdup(name ? name : "");
	row->per_thread = per_thread;
	if (!row->category || !row->name) {
		free(row->category);
		free(row->name);
		return -1;
	}
	__atomic_store_n(&nr_rows[family], id + 1, __ATOMIC_RELEASE);
	return id;
}

int tr2_sum_declare(enum tr2_sum_family family, const char *category, const char *name,
		    bool per_thread)
{
	sigset_t before;
	int id;

	tr2_lock(&before);
	id = declare_locked(family, category, name, per_thread);
	tr2_unlock(&before);
	return id;
}

const struct tr2_sum_desc *tr2_sum_desc(enum tr2_sum_family family, int id)
{
	if (id < 0 || id >= __atomic_load_n(&nr_rows[family], __ATOMIC_ACQUIRE))
		return NULL;
	return &rows[family][id];
}

static void sum_add_timer(struct tr2_timer *to, const struct tr2_timer *from)
{
	if (!from->nr_intervals)
		return;
	if (!to->nr_intervals || from->min_ns < to->min_ns)
		to->min_ns = from->min_ns;
	if (from->max_ns > to->max_ns)
		to->max_ns = from->max_ns;
	to->total_ns += from->total_ns;
	to->nr_intervals += from->nr_intervals;
}

void tr2_sums_add_to_totals(const struct tr2_sums *sums)
{
	sigset_t before;

	tr2_lock(&before);
	for (int i = 0; i < TR2_MAX_TIMERS; i++)
		sum_add_timer(&totals.timers[i], &sums->timers[i]);
	for (int i = 0; i < TR2_MAX_COUNTERS; i++)
		totals.counters[i] += sums->counters[i];
	tr2_unlock(&before);
}

void tr2_sums_totals(struct tr2_sums *out)
{
	sigset_t before;

	tr2_lock(&before);
	*out = totals;
	tr2_unlock(&before);
}

void tr2_sums_clear_totals(void)
{
	memset(&totals, 0, sizeof(totals));
}
