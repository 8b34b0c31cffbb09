/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_sums.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROWS (TR2_MAX_TIMERS > TR2_MAX_COUNTERS ? TR2_MAX_TIMERS : TR2_MAX_COUNTERS)

static const int max_rows[2] = { TR2_MAX_TIMERS, TR2_MAX_COUNTERS };
static struct tr2_sum_desc rows[2][MAX_ROWS];
static int nr_rows[2]; /* atomic: a row is filled before it is counted */
static struct tr2_sums totals;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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
	int id;

	tr2_sums_lock();
	id = declare_locked(family, category, name, per_thread);
	tr2_sums_unlock();
	return id;
}

const struct tr2_sum_desc *tr2_sum_desc(enum tr2_sum_family family, int id)
{
	if (id < 0 || id >= __atomic_load_n(&nr_rows[family], __ATOMIC_ACQUIRE))
		return NULL;
	return &rows[family][id];
}

static void add_timer(struct tr2_timer *to, const struct tr2_timer *from)
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
	tr2_sums_lock();
	for (int i = 0; i < TR2_MAX_TIMERS; i++)
		add_timer(&totals.timers[i], &sums->timers[i]);
	for (int i = 0; i < TR2_MAX_COUNTERS; i++)
		totals.counters[i] += sums->counters[i];
	tr2_sums_unlock();
}

void tr2_sums_totals(struct tr2_sums *out)
{
	tr2_sums_lock();
	*out = totals;
	tr2_sums_unlock();
}

void tr2_sums_lock(void)
{
	pthread_mutex_lock(&lock);
}

void tr2_sums_unlock(void)
{
	pthread_mutex_unlock(&lock);
}
