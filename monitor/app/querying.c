/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/querying.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "monitor/app/stored_queries.h"
#include "monitor/base/die.h"
#include "monitor/base/thread_signals.h"
#include "monitor/report/database.h"

/* Time to wait for the end of a cancelled query before abandoning it. */
#define ABANDON_NS (100 * NS_PER_MS)

/* State of a query. In RUN_BUILDS its thread uses symbols of the session; later it uses no data of
 * the session. */
enum run_state { RUN_BUILDS, RUN_QUERIES, RUN_ENDED, RUN_ABANDONED };

/* A query and its thread. It belongs to the thread until that has ended, then to the loop thread.
 * If the loop thread abandons the query, the thread frees it. */
struct query_run {
	pthread_t thread;
	atomic_bool cancelled;
	atomic_int state; /* enum run_state */
	struct querying_job job;
	struct database *db;
	bool has_database;
	struct query_result *result;
	ns_t made;
};

struct querying {
	struct query_run *run;
	bool is_joined;
};

static bool querying_keeps(void *data, const struct model *model, uint32_t slot)
{
	(void)model;
	return ((const uint8_t *)data)[slot];
}

static void query_run_free(struct query_run *run)
{
	if (!run)
		return;
	query_result_free(run->result);
	if (run->db)
		database_free(run->db);
	model_free(run->job.model);
	free(run->job.line);
	free(run->job.chosen);
	free(run);
}

static void database_build(struct query_run *run)
{
	struct report_input input = { .model = run->job.model,
				      .end = UINT64_MAX,
				      .nesting = run->job.nesting,
				      .depth = run->job.depth,
				      .timings_by_process = run->job.chosen != NULL };

	if (run->job.chosen) {
		input.keep = querying_keeps;
		input.keep_data = run->job.chosen;
	}
	run->db = database_new(DATABASE_IN_MEMORY);
	database_fill(run->db, &input, QUERYING_TABLES_BYTES, &run->cancelled);
	run->has_database = !atomic_load(&run->cancelled);
	run->made = run->job.made;
	model_free(run->job.model);
	run->job.model = NULL;
}

static void result_note(const struct query_run *run, struct query_result *result)
{
	struct tr2_buf note;

	if (*result->note)
		return;
	tr2_buf_init(&note, 1 << 12);
	if (!result->is_complete)
		tr2_buf_addf(&note, "only the first %u rows are shown; add LIMIT or aggregate",
			     result->nr_rows);
	else
		database_format_cut(run->db, &note);
	snprintf(result->note, sizeof(result->note), "%s", tr2_buf_cstr(&note));
	tr2_buf_release(&note);
}

static struct query_result *query_execute(struct query_run *run)
{
	struct query_limits limits = { .time = QUERYING_TIME,
				       .heap = QUERYING_HEAP,
				       .length = QUERYING_LENGTH,
				       .cancelled = &run->cancelled };
	char why[QUERY_WHY_BYTES], *sql = stored_query_text(run->job.line, why, sizeof(why));
	struct query_result *result;

	if (!sql) {
		result = query_result_new(run->job.line);
		result->failed = true;
		memcpy(result->note, why, sizeof(result->note));
		return result;
	}
	result = database_query_result(run->db, sql, &limits);
	free(result->sql);
	result->sql = xstrdup(run->job.line);
	result_note(run, result);
	free(sql);
	return result;
}

static void *query_run_main(void *data)
{
	struct query_run *run = data;
	int queries = RUN_QUERIES;

	if (run->job.model)
		database_build(run);
	atomic_store(&run->state, RUN_QUERIES);
	run->result = query_execute(run);
	run->result->made = run->made;
	if (!atomic_compare_exchange_strong(&run->state, &queries, RUN_ENDED))
		query_run_free(run);
	return NULL;
}

struct querying *querying_new(void)
{
	return xcalloc(1, sizeof(struct querying));
}

void querying_wait(struct querying *q)
{
	if (q->run && !q->is_joined)
		pthread_join(q->run->thread, NULL);
	q->is_joined = true;
}

static bool join_soon(struct query_run *run)
{
	const struct timespec moment = { .tv_nsec = NS_PER_MS };
	ns_t until = tr2_clock_monotonic() + ABANDON_NS;

	while (atomic_load(&run->state) != RUN_ENDED) {
		if (tr2_clock_monotonic() >= until)
			return false;
		nanosleep(&moment, NULL);
	}
	return !pthread_join(run->thread, NULL);
}

/*
 * Cancel the query and wait for its end. If that takes long while SQLite executes the query,
 * abandon it: its thread frees it. A query whose database is being built is not abandoned, because
 * it uses symbols of the session.
 */
static void query_run_stop(struct querying *q)
{
	int queries = RUN_QUERIES;

	if (!q->run || q->is_joined)
		return;
	querying_cancel(q);
	if (join_soon(q->run)) {
		q->is_joined = true;
	} else if (atomic_compare_exchange_strong(&q->run->state, &queries, RUN_ABANDONED)) {
		pthread_detach(q->run->thread);
		q->run = NULL;
	} else {
		querying_wait(q);
	}
}

void querying_free(struct querying *q)
{
	if (!q)
		return;
	query_run_stop(q);
	query_run_free(q->run);
	free(q);
}

static void database_pass_on(struct query_run *from, struct query_run *to)
{
	if (!from || to->job.model)
		return;
	to->db = from->db;
	to->has_database = from->has_database;
	to->made = from->made;
	from->db = NULL;
}

void querying_start(struct querying *q, const struct querying_job *job)
{
	struct query_run *run = xcalloc(1, sizeof(*run));
	sigset_t before;
	int error;

	query_run_stop(q);
	run->job = *job;
	database_pass_on(q->run, run);
	query_run_free(q->run);
	q->run = run;
	thread_signals_block(0, &before);
	error = pthread_create(&run->thread, NULL, query_run_main, run);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		query_run_main(run);
	q->is_joined = error != 0;
}

void querying_cancel(struct querying *q)
{
	if (q->run)
		atomic_store(&q->run->cancelled, true);
}

bool querying_is_running(const struct querying *q)
{
	return q->run && atomic_load(&q->run->state) != RUN_ENDED;
}

bool querying_is_cancelled(const struct querying *q)
{
	return q->run && atomic_load(&q->run->cancelled);
}

bool querying_has_database(const struct querying *q)
{
	return q->run && !querying_is_running(q) && q->run->has_database;
}

struct query_result *querying_take(struct querying *q)
{
	struct query_result *result;

	if (!q->run || querying_is_running(q))
		return NULL;
	querying_wait(q);
	result = q->run->result;
	q->run->result = NULL;
	return result;
}
