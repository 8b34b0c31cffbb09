/* SPDX-License-Identifier: MIT */
/* --sql: the result of a query on all tables, as text, JSON or CSV. */
#ifndef MONITOR_REPORT_QUERY_H
#define MONITOR_REPORT_QUERY_H

#include "monitor/report/database.h"
#include "monitor/report/report.h"

/* How a result is written. */
enum query_format { QUERY_AS_TEXT, QUERY_AS_JSON, QUERY_AS_CSV };

/* Bounds of a query without a screen. */
#define QUERY_REPORT_TIME   (60 * NS_PER_SEC)
#define QUERY_REPORT_HEAP   ((size_t)256 << 20)
#define QUERY_REPORT_LENGTH (64 << 20) /* at least that of a record (16 MiB) as JSON */

/* The exporter; `sql`, `sql_why` and `sql_format` (enum query_format) of its input are set. */
extern const struct exporter_ops report_query;

/* Check a query before anything is read. Returns false with one line in `why`. */
bool report_query_check(const char *sql, char why[QUERY_WHY_BYTES]);

/*
 * Write one cell for CSV as sqlite3(1) writes it, except that control characters other than line
 * ends and tabs become U+FFFD.
 */
void query_csv_cell(struct tr2_buf *out, const struct query_cell *cell);

#endif
