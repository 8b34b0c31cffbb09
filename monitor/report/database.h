/* SPDX-License-Identifier: MIT */
/*
 * Write the tables of a report (tables.def) to an SQLite database, and execute queries on them.
 *
 *   db = database_new(file);                    the empty tables
 *   database_begin(), database_batch() ..., database_end()    all tables, with the regions
 *     or database_fill()                        from the model alone, up to a size
 *   database_query(db, "SELECT ...", ...);
 *   database_free(db);
 *
 * Text is UTF-8 (ill-formed parts are U+FFFD), durations are seconds. Only one thread at a time may
 * use a database. Functions that write do nothing after the first error, which database_free()
 * returns.
 */
#ifndef MONITOR_DATABASE_H
#define MONITOR_DATABASE_H

#include <stdatomic.h>

#include "monitor/base/query_result.h"
#include "monitor/report/tables.h"

struct database;

/* Return why this build cannot create databases; NULL: it can. */
const char *database_missing(void);

#define DATABASE_IN_MEMORY ":memory:"
#define DATABASE_TEMPORARY "" /* a temporary file, deleted when the database is closed */

/* Create the tables in memory, in a temporary file, or in the existing empty file `file`.
 * Returns NULL only if this build cannot create databases. */
struct database *database_new(const char *file);
/* Close the database. Returns the errno of the first error, or 0. */
int database_free(struct database *db);

/* database_begin(), database_batch() and database_end() fill all tables and create the indexes
 * and views. `input` must live until database_end(). */
void database_begin(struct database *db, const struct report_input *input);
void database_batch(struct database *db, const struct batch *batch, uint32_t records);
void database_end(struct database *db, const struct report_input *input);
/* Create the indexes and views, so that queries can be checked without rows. */
void database_finish(struct database *db);

/*
 * Fill the tables that need no events, one after the other, up to about `max_bytes` bytes; drop the
 * table of regions. Texts are cut at DATABASE_TEXT_BYTES. Stops early if `*cancelled` becomes true.
 */
#define DATABASE_TEXT_BYTES ((size_t)64 << 10)
void database_fill(struct database *db, const struct report_input *input, size_t max_bytes,
		   const atomic_bool *cancelled);
/* Append the names of the tables that database_fill() cut or left out. */
void database_format_cut(const struct database *db, struct tr2_buf *out);

struct query_limits {
	ns_t time; /* maximum duration of the query in ns; 0: no limit */
	/* maximum bytes of memory of all databases of this process */
	size_t heap;
	int length; /* maximum bytes of a text or of a row */
	/* the query stops when this becomes true; may be NULL */
	const atomic_bool *cancelled;
};

/* Receives the rows of a query. `row` returns false to stop the query. */
struct query_sink {
	void (*columns)(void *data, int nr, const char *const *names);
	bool (*row)(void *data, int nr, const struct query_cell *cells);
	void *data;
};

#define QUERY_WHY_BYTES 300

/*
 * Execute one SELECT statement; other statements are refused. Returns false with the reason in
 * `why` if the statement was refused or failed, a limit stopped it, or it was cancelled. Returns
 * true if the sink stopped the query.
 */
bool database_query(struct database *db, const char *sql, const struct query_limits *limits,
		    const struct query_sink *sink, char why[QUERY_WHY_BYTES]);

/* Check a query without executing it. Returns false with the reason in `why` if it is not valid. */
bool database_check(struct database *db, const char *sql, char why[QUERY_WHY_BYTES]);

/* Execute a query. Returns its first rows, at most QUERY_MAX_ROWS, or its error; the caller
 * frees the result. */
struct query_result *database_query_result(struct database *db, const char *sql,
					   const struct query_limits *limits);

#endif
