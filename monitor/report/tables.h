/* SPDX-License-Identifier: MIT */
/*
 * Make the tables of a run (tables.def), row by row, for exporters of tables. The row of a region
 * is made from events after the region ends, or at the end if it is still open; all other rows are
 * made from the model at the end. Used by the loop thread and the thread of queries.
 */
#ifndef MONITOR_TABLES_H
#define MONITOR_TABLES_H

#include "monitor/analysis/span_stream.h"
#include "monitor/base/user.h"
#include "monitor/report/report.h"

enum table_row {
#define TABLE(ID, word, doc) TABLE_##ID,
#include "monitor/report/tables.def"
	NR_TABLES
};

extern const struct word table_words[NR_TABLES];

enum column_type {
	COLUMN_TEXT,
	COLUMN_JSON,
	COLUMN_COUNT,
	COLUMN_SECONDS,
	COLUMN_TIME,
	COLUMN_NUMBER /* number in decimal notation, given as text */
};

struct table_column {
	const char *name, *doc;
	enum column_type type;
};

#define MAX_TABLE_COLUMNS 32

extern const struct report_table {
	const char *name;
	/* a column with a NULL name ends the list */
	struct table_column columns[MAX_TABLE_COLUMNS];
} report_tables[NR_TABLES];

/* Value of a cell: bytes for TEXT, JSON and NUMBER, otherwise a number (ns for SECONDS and
 * TIME). */
struct table_cell {
	bool known;
	int64_t number;
	/* any bytes; JSON is well-formed, except that it may contain ill-formed UTF-8 */
	const char *text;
	size_t len;
};

#define TABLE_JSONS   3
#define TABLE_NUMBERS 5

struct tables {
	void (*row)(void *data, enum table_row table, const struct table_cell *cells);
	void *data;
	const struct report_input *input;
	bool wanted[NR_TABLES];
	/* The next members are private. */
	struct report_walk walk;
	struct span_stream spans;
	const char *sid;
	size_t sid_len;
	struct tr2_buf json[TABLE_JSONS];
	struct tr2_buf numbers[TABLE_NUMBERS];
	char user[USER_BYTES];
};

/* Start to make the `wanted` tables. `row` gets each of their rows, borrowed for the call. */
void tables_begin(struct tables *t, const struct report_input *input, const bool *wanted,
		  void (*row)(void *data, enum table_row table, const struct table_cell *cells),
		  void *data);
void tables_batch(struct tables *t, const struct batch *batch, uint32_t records);
/* Make the remaining rows and release `t`. */
void tables_end(struct tables *t);

#endif
