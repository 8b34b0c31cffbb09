/* SPDX-License-Identifier: MIT */
/* The result of an SQL query as rows of cells. One thread at a time. */
#ifndef MONITOR_QUERY_RESULT_H
#define MONITOR_QUERY_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/base/clock.h"

enum query_type { QUERY_NULL, QUERY_INTEGER, QUERY_REAL, QUERY_TEXT };

struct query_cell {
	enum query_type type;
	int64_t integer; /* of an INTEGER */
	double real;     /* of a REAL */
	/* the value as SQLite formats it, any bytes; NULL for SQL's NULL */
	const char *text;
	size_t len;
};

/* Limits of a query result. Longer cells are truncated; at the limit of rows or bytes the result
 * ends. */
#define QUERY_MAX_ROWS       1000u
#define QUERY_MAX_CELL_BYTES 4096u
#define QUERY_MAX_BYTES      ((size_t)8 << 20)

struct query_result {
	char *sql;      /* the query, or the name of a stored one */
	char note[300]; /* one line: the error, or what the result lacks; "": nothing */
	bool failed;    /* the query did not succeed; rows may be missing */
	int nr_columns;
	char **names;     /* headings */
	bool *is_number;  /* per column: true if no value is a text */
	uint32_t nr_rows; /* number of rows; each has nr_columns cells */
	struct query_cell *cells;
	uint64_t nr_cut;  /* number of truncated cells */
	bool is_complete; /* false: the query has more rows than the result */
	/* wall time of the query's tables, or of the past that is shown; NS_NONE: unknown */
	ns_t made;
	/* private */
	uint32_t cap_rows;
	struct tr2_buf text;
};

struct query_result *query_result_new(const char *sql);
void query_result_free(struct query_result *result); /* NULL is allowed */

/* Set the headings. Call once, before the first row. */
void query_result_columns(struct query_result *result, int nr, const char *const *names);
/* Append a row. Returns false if the result is full. */
bool query_result_add(struct query_result *result, const struct query_cell *cells);
/* Finish the result after its last row. Only then are the texts of cells valid. */
void query_result_end(struct query_result *result);

static inline const struct query_cell *query_cell_at(const struct query_result *result,
						     uint32_t row, int column)
{
	return &result->cells[(size_t)row * (size_t)result->nr_columns + (size_t)column];
}

#endif
