/* SPDX-License-Identifier: MIT */
/* Report the result of a query (--sql) on all tables, as text, JSON or CSV. */
#ifndef MONITOR_REPORT_QUERY_H
#define MONITOR_REPORT_QUERY_H

#include "monitor/report/database.h"
#include "monitor/report/report.h"

enum query_format { QUERY_AS_TEXT, QUERY_AS_JSON, QUERY_AS_CSV };

#define QUERY_REPORT_TIME (60 * NS_PER_SEC)
#define QUERY_REPORT_HEAP ((size_t)256 << 20)
/* limit on the bytes of a value: more than those of a record (16 MiB) */
#define QUERY_REPORT_LENGTH (64 << 20)

/* The exporter of queries; `sql`, `sql_why` and `sql_format` of its input must be set. */
extern const struct exporter_ops report_query;

/* Check a query before any trace is read. Returns false with the reason in `why` if it is not
 * valid, or this build has no SQLite. */
bool report_query_check(const char *sql, char why[QUERY_WHY_BYTES]);

/* Write one cell as CSV as sqlite3(1) does, but with U+FFFD for ill-formed UTF-8 and for control
 * characters other than line ends and tabs. */
void query_csv_cell(struct tr2_buf *out, const struct query_cell *cell);

#endif
