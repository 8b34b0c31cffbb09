/* SPDX-License-Identifier: MIT */
/* For database*.c only. */
#ifndef MONITOR_DATABASE_PRIV_H
#define MONITOR_DATABASE_PRIV_H

#include "monitor/report/database.h"

#ifdef HAVE_SQLITE
#include <sqlite3.h>

struct database {
	sqlite3 *db;
	sqlite3_stmt *inserts[NR_TABLES];
	sqlite3_stmt *size; /* statement that returns the number of pages of the database */
	struct tables tables;
	struct tr2_buf text;
	int error; /* errno of the first failure; 0: none */
	/* for database_fill(): limit of the size, rows of each table, and whether no more rows
	 * are added */
	size_t max_bytes; /* 0: no limit */
	uint64_t rows[NR_TABLES];
	bool is_full;
	bool is_cut[NR_TABLES]; /* tables of which rows were left out */
	const atomic_bool *cancelled;
};

#endif
#endif
