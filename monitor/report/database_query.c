/* SPDX-License-Identifier: MIT */
/* Execute queries on databases. A query is not trusted: the authorizer allows only reading, and
 * a callback checks the time during the execution. */
#include "config.h"
#include "monitor/report/database_priv.h"

#ifdef HAVE_SQLITE

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/humanize.h"

/* Number of SQLite's virtual instructions between two checks of the time. */
#define STEPS_PER_CHECK 1000
#define MAX_SQL_BYTES   (64 << 10)
#define CHECK_BYTES     (64 << 20) /* maximum memory for checking a query */

struct query {
	const struct query_limits *limits;
	ns_t begun;
	bool timed_out, is_cancelled;
	bool refused; /* the authorizer refused a part of the query */
};

/* Authorizer callback: allow only actions that a SELECT needs. */
static int query_authorize(void *data, int action, const char *a, const char *b, const char *c,
			   const char *d)
{
	struct query *q = data;

	(void)c;
	(void)d;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_READ:
		/* For a pragma used as a table, some versions of SQLite only ask about its
		 * column. */
		if (sqlite3_strnicmp(a, "pragma_", 7))
			return SQLITE_OK;
		break;
	case SQLITE_FUNCTION:
		if (sqlite3_stricmp(b, "load_extension") && sqlite3_stricmp(b, "fts3_tokenizer"))
			return SQLITE_OK;
		break;
	default:
		break;
	}
	q->refused = true;
	return SQLITE_DENY;
}

/* Callback during execution; non-zero stops the query. */
static int query_check(void *data)
{
	struct query *q = data;

	q->timed_out = q->limits->time && tr2_clock_monotonic() - q->begun > q->limits->time;
	q->is_cancelled = q->limits->cancelled &&
			  atomic_load_explicit(q->limits->cancelled, memory_order_relaxed);
	return q->timed_out || q->is_cancelled;
}

static void query_explain(const struct query *q, sqlite3 *db, char why[QUERY_WHY_BYTES])
{
	int code = sqlite3_errcode(db);

	if (q->is_cancelled)
		snprintf(why, QUERY_WHY_BYTES, "cancelled");
	else if (q->timed_out)
		snprintf(why, QUERY_WHY_BYTES, "stopped after %s",
			 human_mark(q->limits->time).text);
	else if (q->refused)
		snprintf(why, QUERY_WHY_BYTES, "only SELECT is allowed: it reads the tables");
	else if (code == SQLITE_NOMEM)
		snprintf(why, QUERY_WHY_BYTES, "stopped: it needs more than %s of memory",
			 human_bytes(q->limits->heap).text);
	else
		snprintf(why, QUERY_WHY_BYTES, "%s%s", sqlite3_errmsg(db),
			 strcmp(sqlite3_errmsg(db), "no such table: regions")
				 ? ""
				 : "; it is in --once --sql and --format=sqlite");
}

static void query_bound(sqlite3 *db, const struct query_limits *limits)
{
	/* The time of functions such as instr() can grow with the square of a text's length,
	 * within one instruction. */
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, limits->length);
	sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, MAX_SQL_BYTES);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 200);
	sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 100);
	sqlite3_limit(db, SQLITE_LIMIT_COLUMN, 200);
	/* A LIKE pattern with many % takes long within one instruction. */
	sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100);
	sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
#if SQLITE_VERSION_NUMBER >= 3031000
	sqlite3_hard_heap_limit64((sqlite3_int64)limits->heap);
#else
	sqlite3_soft_heap_limit64((sqlite3_int64)limits->heap);
#endif
}

/* True if only blanks, semicolons and comments follow the first statement. */
static bool is_tail_empty(sqlite3 *db, const char *tail)
{
	sqlite3_stmt *statement = NULL;
	bool is_empty = true;

	while (is_empty && *tail) {
		const char *rest;

		is_empty = sqlite3_prepare_v2(db, tail, -1, &statement, &rest) == SQLITE_OK &&
			   !statement;
		sqlite3_finalize(statement);
		statement = NULL;
		if (rest == tail)
			break;
		tail = rest;
	}
	return is_empty;
}

static sqlite3_stmt *query_prepare(struct query *q, sqlite3 *db, const char *sql,
				   char why[QUERY_WHY_BYTES])
{
	sqlite3_stmt *statement = NULL;
	const char *tail = sql;
	int code;

	*why = '\0';
	sqlite3_set_authorizer(db, query_authorize, q);
	code = sqlite3_prepare_v2(db, sql, -1, &statement, &tail);
	if (code != SQLITE_OK)
		query_explain(q, db, why);
	else if (!statement)
		snprintf(why, QUERY_WHY_BYTES, "the query is empty");
	else if (!sqlite3_stmt_readonly(statement) || !sqlite3_column_count(statement))
		snprintf(why, QUERY_WHY_BYTES, "only SELECT is allowed: it reads the tables");
	else if (!is_tail_empty(db, tail))
		snprintf(why, QUERY_WHY_BYTES, "only one statement is allowed");
	sqlite3_set_authorizer(db, NULL, NULL);
	if (!*why)
		return statement;
	sqlite3_finalize(statement);
	return NULL;
}

static struct query_cell cell_of_column(sqlite3_stmt *statement, int column)
{
	struct query_cell cell = { .type = QUERY_TEXT };

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL:
		return (struct query_cell){ .type = QUERY_NULL };
	case SQLITE_INTEGER:
		cell.type = QUERY_INTEGER;
		cell.integer = sqlite3_column_int64(statement, column);
		break;
	case SQLITE_FLOAT:
		cell.type = QUERY_REAL;
		cell.real = sqlite3_column_double(statement, column);
		break;
	default:
		break;
	}
	cell.text = (const char *)sqlite3_column_text(statement, column);
	cell.len = (size_t)sqlite3_column_bytes(statement, column);
	/* SQLite returns NULL if it has no memory for the text. */
	if (!cell.text)
		cell.text = "";
	return cell;
}

static void query_pass_columns(sqlite3_stmt *statement, int nr, const struct query_sink *sink)
{
	const char **names = xcalloc((size_t)nr + 1, sizeof(*names));

	for (int i = 0; i < nr; i++) {
		names[i] = sqlite3_column_name(statement, i);
		if (!names[i])
			names[i] = "";
	}
	sink->columns(sink->data, nr, names);
	free(names);
}

/* Pass the rows to the sink. Returns SQLITE_DONE, or SQLite's error. */
static int query_pass_rows(sqlite3_stmt *statement, const struct query_sink *sink)
{
	int nr = sqlite3_column_count(statement), code;
	struct query_cell *cells = xcalloc((size_t)nr + 1, sizeof(*cells));

	query_pass_columns(statement, nr, sink);
	while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
		for (int i = 0; i < nr; i++)
			cells[i] = cell_of_column(statement, i);
		if (!sink->row(sink->data, nr, cells)) {
			code = SQLITE_DONE;
			break;
		}
	}
	free(cells);
	return code;
}

bool database_query(struct database *db, const char *sql, const struct query_limits *limits,
		    const struct query_sink *sink, char why[QUERY_WHY_BYTES])
{
	struct query q = { .limits = limits, .begun = tr2_clock_monotonic() };
	sqlite3_stmt *statement;
	int code;

	if (db->error) {
		snprintf(why, QUERY_WHY_BYTES, "the tables cannot be created: %s",
			 strerror(db->error));
		return false;
	}
	query_bound(db->db, limits);
	statement = query_prepare(&q, db->db, sql, why);
	if (!statement)
		return false;
	sqlite3_progress_handler(db->db, STEPS_PER_CHECK, query_check, &q);
	code = query_pass_rows(statement, sink);
	if (code != SQLITE_DONE)
		query_explain(&q, db->db, why);
	sqlite3_progress_handler(db->db, 0, NULL, NULL);
	sqlite3_finalize(statement);
	return code == SQLITE_DONE;
}

bool database_check(struct database *db, const char *sql, char why[QUERY_WHY_BYTES])
{
	struct query_limits limits = { .heap = CHECK_BYTES, .length = CHECK_BYTES };
	struct query q = { .limits = &limits };
	sqlite3_stmt *statement;

	query_bound(db->db, &limits);
	statement = query_prepare(&q, db->db, sql, why);
	sqlite3_finalize(statement);
	return statement != NULL;
}

static void result_columns(void *data, int nr, const char *const *names)
{
	query_result_columns(data, nr, names);
}

static bool result_row(void *data, int nr, const struct query_cell *cells)
{
	(void)nr;
	return query_result_add(data, cells);
}

struct query_result *database_query_result(struct database *db, const char *sql,
					   const struct query_limits *limits)
{
	struct query_result *result = query_result_new(sql);
	struct query_sink sink = { result_columns, result_row, result };

	result->failed = !database_query(db, sql, limits, &sink, result->note);
	query_result_end(result);
	return result;
}

#else

bool database_query(struct database *db, const char *sql, const struct query_limits *limits,
		    const struct query_sink *sink, char why[QUERY_WHY_BYTES])
{
	(void)db;
	(void)sql;
	(void)limits;
	(void)sink;
	snprintf(why, QUERY_WHY_BYTES, "%s", database_missing());
	return false;
}

bool database_check(struct database *db, const char *sql, char why[QUERY_WHY_BYTES])
{
	(void)db;
	(void)sql;
	snprintf(why, QUERY_WHY_BYTES, "%s", database_missing());
	return false;
}

struct query_result *database_query_result(struct database *db, const char *sql,
					   const struct query_limits *limits)
{
	struct query_result *result = query_result_new(sql);

	(void)db;
	(void)limits;
	result->failed = true;
	snprintf(result->note, sizeof(result->note), "%s", database_missing());
	return result;
}

#endif
