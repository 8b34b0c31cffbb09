/* SPDX-License-Identifier: MIT */
/*
 * Execute the queries of the screen: a thread builds a database from a copy of the model and
 * executes one query, so that the screen can draw frames meanwhile. The database is kept for the
 * next query about the same state.
 *
 * Used by the loop thread. The tables have about QUERYING_TABLES_BYTES at most, and during a query
 * SQLite uses at most QUERYING_HEAP bytes of memory.
 */
#ifndef MONITOR_QUERYING_H
#define MONITOR_QUERYING_H

#include "monitor/base/query_result.h"
#include "monitor/model/model.h"

#define QUERYING_TABLES_BYTES ((size_t)64 << 20)
#define QUERYING_HEAP         ((size_t)192 << 20)
/* maximum duration of a query, without building the tables */
#define QUERYING_TIME   NS_PER_SEC
#define QUERYING_LENGTH 1000000 /* maximum bytes of a text that a query makes */

struct querying;

struct querying_job {
	char *line; /* a SELECT or the name of a stored query, as typed; malloc()ed */
	/* A copy of the model, after model_settle(). NULL: use the database of the last query; only
	 * if querying_has_database(). */
	struct model *model;
	/* for each slot: 1 if the filter selects the process; malloc()ed; NULL: all */
	uint8_t *chosen;
	int64_t nesting, depth;
	ns_t made; /* wall clock time of the model's state */
};

struct querying *querying_new(void);
/* Cancel the query and free everything. A query that cannot be stopped is freed later by its
 * thread. NULL is allowed. */
void querying_free(struct querying *q);

/* Execute a job. `q` takes ownership of the job's members. Cancels the running query; waits at most
 * 0.1 s for its end, but as long as necessary if its database is still being built. */
void querying_start(struct querying *q, const struct querying_job *job);
void querying_cancel(struct querying *q);
void querying_wait(struct querying *q);

bool querying_is_running(const struct querying *q);
/* True if the last query was cancelled. Its thread may still be running. */
bool querying_is_cancelled(const struct querying *q);
/* True if the last query has ended, and building its database was not cancelled. */
bool querying_has_database(const struct querying *q);

/* Return the result of a query that has ended, once; NULL: none. The caller frees the result. */
struct query_result *querying_take(struct querying *q);

#endif
