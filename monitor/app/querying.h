/* SPDX-License-Identifier: MIT */
/*
 * Queries of the screen: a thread builds a database from a copy of the model and executes one
 * query, so that frames go on. The database is kept for the next query of the same state.
 *
 *   querying_start()             cancels the query that runs; waits 0.1 s at most
 *   querying_take()              each frame: the result, once it is there
 *
 * Loop thread. At most QUERYING_TABLES_BYTES for the tables, and QUERYING_HEAP for all of SQLite.
 */
#ifndef MONITOR_QUERYING_H
#define MONITOR_QUERYING_H

#include "monitor/base/query_result.h"
#include "monitor/model/model.h"

#define QUERYING_TABLES_BYTES ((size_t)64 << 20)
#define QUERYING_HEAP         ((size_t)192 << 20)
#define QUERYING_TIME         NS_PER_SEC /* of a query, without building the tables */
#define QUERYING_LENGTH       1000000    /* bytes of a text that a query makes */

struct querying;

struct querying_job {
	char *line; /* as typed: a SELECT or the name of a stored query; malloc()ed */
	/* A copy of the model, settled; NULL: use the database of the last query, which
	 * querying_has_database() must have confirmed. */
	struct model *model;
	uint8_t *chosen; /* by slot: is the process in the tables; malloc()ed; NULL: all are */
	int64_t nesting, depth;
	ns_t made; /* wall time of the state */
};

struct querying *querying_new(void);
/* Cancel the query, and free everything; a query that cannot be stopped is left to its thread. NULL
 * is allowed. */
void querying_free(struct querying *q);

/* Execute a job, which belongs to `q` from now on. */
void querying_start(struct querying *q, const struct querying_job *job);
void querying_cancel(struct querying *q);
/* Wait until the query has ended: for runs without a terminal. */
void querying_wait(struct querying *q);

bool querying_is_running(const struct querying *q);
/* True if the last query was cancelled. It may still run. */
bool querying_is_cancelled(const struct querying *q);
/* True if no query is running and the database is complete. */
bool querying_has_database(const struct querying *q);

/* Return the result of the query that has ended, once; NULL: there is none. The caller frees it. */
struct query_result *querying_take(struct querying *q);

#endif
