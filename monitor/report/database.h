/* SPDX-License-Identifier: MIT */
/*
 * The tables of a report (tables.def) as an SQLite database, and queries on them.
 *
 *   db = database_new(file);                    the empty tables
 *   database_begin(), database_batch() ..., database_end()    all tables, with the regions
 *     or database_fill()                        from the model alone, up to a size
 *   database_query(db, "SELECT ...", ...);
 *   database_free(db);
 *
 * Text is UTF-8 (ill-formed parts are U+FFFD), durations are seconds. One thread at a time.
 * Functions that write do nothing after the first error, which database_free() returns.
 */
#ifndef MONITOR_DATABASE_H
#define MONITOR_DATABASE_H

#include <stdatomic.h>

#include "monitor/base/query_result.h"
#include "monitor/report/tables.h"

struct database;

/* Return the reason why this build has no databases, or NULL if it has. */
const char *database_missing(void);

#define DATABASE_IN_MEMORY ":memory:"
#define DATABASE_TEMPORARY "" /* a file that is deleted when it is closed */

/* Create the tables in an existing empty file, which is opened by name, in memory, or in a
 * temporary file. Never returns NULL. */
struct database *database_new(const char *file);
/* Close the database. Returns the errno of the first error, or 0. */
int database_free(struct database *db);

/* Fill all tables, and create the indexes and views. `input` must live until database_end(). */
void database_begin(struct database *db, const struct report_input *input);
void database_batch(struct database *db, const struct batch *batch, uint32_t records);
void database_end(struct database *db, const struct report_input *input);
/* Create the indexes and views of a database without rows, to check queries. */
void database_finish(struct database *db);

/*
 * Fill the tables that need no events, the smallest first, until the database has `max_bytes`.
 * Texts are cut at DATABASE_TEXT_BYTES. Stops early if `*cancelled` becomes true.
 */
#define DATABASE_TEXT_BYTES ((size_t)64 << 10)
void database_fill(struct database *db, const struct report_input *input, size_t max_bytes,
		   const atomic_bool *cancelled);
/* Append which tables database_fill() cut or left out; nothing if all are complete. */
void database_format_cut(const struct database *db, struct tr2_buf *out);

/* Bounds of a query. */
struct query_limits {
	ns_t time;                    /* duration at most; 0: no limit */
	size_t heap;                  /* bytes of memory of all databases of this process */
	int length;                   /* bytes of a text or row at most */
	const atomic_bool *cancelled; /* the query stops if it becomes true; may be NULL */
};

/* Receives the rows of a query. `row` returns false to stop. */
struct query_sink {
	void (*columns)(void *data, int nr, const char *const *names);
	bool (*row)(void *data, int nr, const struct query_cell *cells);
	void *data;
};

#define QUERY_WHY_BYTES 300

/*
 * Execute one SELECT statement. Everything that is not a query is refused: other statements,
 * ATTACH, PRAGMA, loading of extensions. Returns false with one line in `why` if it was refused,
 * failed or was stopped; rows before that were passed on. A sink that stops is not a failure.
 */
bool database_query(struct database *db, const char *sql, const struct query_limits *limits,
		    const struct query_sink *sink, char why[QUERY_WHY_BYTES]);

/* Check a query without executing it. Returns false with one line in `why` if it is not valid. */
bool database_check(struct database *db, const char *sql, char why[QUERY_WHY_BYTES]);

/* Return the result of a query, at most QUERY_MAX_ROWS rows. The caller frees it. */
struct query_result *database_query_result(struct database *db, const char *sql,
					   const struct query_limits *limits);

#endif
