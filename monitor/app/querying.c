/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/querying.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/app/stored_queries.h"
#include "monitor/base/die.h"
#include "monitor/base/thread_signals.h"
#include "monitor/report/database.h"

struct querying {
	pthread_t thread;
	bool is_started; /* the thread must be joined */
	atomic_bool cancelled, ended;
	/* Used by the thread while it runs: */
	struct querying_job job;
	struct database *db;
	bool has_database; /* `db` has all rows */
	struct query_result *result;
	ns_t made;
};

static bool querying_keeps(void *data, const struct model *model, uint32_t slot)
{
	(void)model;
	return ((const uint8_t *)data)[slot];
}

/* Create the database of the job's model. */
static void database_build(struct querying *q)
{
	struct report_input input = { .model = q->job.model,
				      .end = UINT64_MAX,
				      .nesting = q->job.nesting,
				      .depth = q->job.depth,
				      .timings_by_process = q->job.chosen != NULL };

	if (q->db)
		database_free(q->db);
	if (q->job.chosen) {
		input.keep = querying_keeps;
		input.keep_data = q->job.chosen;
	}
	q->db = database_new(DATABASE_IN_MEMORY);
	database_fill(q->db, &input, QUERYING_TABLES_BYTES, &q->cancelled);
	q->has_database = !atomic_load(&q->cancelled);
	q->made = q->job.made;
	model_free(q->job.model);
	q->job.model = NULL;
}

/* Describe what the result lacks, unless it has a note. */
static void result_note(struct querying *q, struct query_result *result)
{
	struct tr2_buf note;

	if (*result->note)
		return;
	tr2_buf_init(&note, 1 << 12);
	if (!result->is_complete)
		tr2_buf_addf(&note, "only the first %u rows are shown; add LIMIT or aggregate",
			     result->nr_rows);
	else
		database_format_cut(q->db, &note);
	snprintf(result->note, sizeof(result->note), "%s", tr2_buf_cstr(&note));
	tr2_buf_release(&note);
}

static struct query_result *query_execute(struct querying *q)
{
	struct query_limits limits = { .time = QUERYING_TIME,
				       .heap = QUERYING_HEAP,
				       .cancelled = &q->cancelled };
	char why[QUERY_WHY_BYTES], *sql = stored_query_text(q->job.line, why, sizeof(why));
	struct query_result *result;

	if (!sql) {
		result = query_result_new(q->job.line);
		result->failed = true;
		memcpy(result->note, why, sizeof(result->note));
		return result;
	}
	result = database_query_result(q->db, sql, &limits);
	free(result->sql);
	result->sql = xstrdup(q->job.line);
	result_note(q, result);
	free(sql);
	return result;
}

static void *querying_main(void *data)
{
	struct querying *q = data;

	if (q->job.model)
		database_build(q);
	q->result = query_execute(q);
	q->result->made = q->made;
	free(q->job.line);
	free(q->job.chosen);
	q->job = (struct querying_job){ 0 };
	atomic_store(&q->ended, true);
	return NULL;
}

struct querying *querying_new(void)
{
	return xcalloc(1, sizeof(struct querying));
}

void querying_wait(struct querying *q)
{
	if (q->is_started)
		pthread_join(q->thread, NULL);
	q->is_started = false;
}

void querying_free(struct querying *q)
{
	if (!q)
		return;
	querying_cancel(q);
	querying_wait(q);
	query_result_free(q->result);
	if (q->db)
		database_free(q->db);
	free(q);
}

void querying_start(struct querying *q, const struct querying_job *job)
{
	sigset_t before;
	int error;

	querying_cancel(q);
	querying_wait(q);
	query_result_free(q->result);
	q->result = NULL;
	q->job = *job;
	atomic_store(&q->cancelled, false);
	atomic_store(&q->ended, false);
	thread_signals_block(0, &before);
	error = pthread_create(&q->thread, NULL, querying_main, q);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		querying_main(q);
	q->is_started = !error;
}

void querying_cancel(struct querying *q)
{
	atomic_store(&q->cancelled, true);
}

bool querying_is_running(const struct querying *q)
{
	return q->is_started && !atomic_load(&q->ended);
}

bool querying_has_database(const struct querying *q)
{
	return !querying_is_running(q) && q->has_database;
}

struct query_result *querying_take(struct querying *q)
{
	struct query_result *result;

	if (querying_is_running(q))
		return NULL;
	querying_wait(q);
	result = q->result;
	q->result = NULL;
	return result;
}
