/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/report/database_priv.h"

#ifdef HAVE_SQLITE

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/jw.h"
#include "engine/base/utf8.h"
#include "monitor/base/die.h"
#include "monitor/base/humanize.h"

#define PAGE_BYTES 4096u
#define PAGE_TEXT  "4096"

static const char after_rows[] =
	"CREATE INDEX regions_by_process ON regions(sid, thread, ordinal);"
	"CREATE INDEX regions_by_name ON regions(category, label, elapsed);"
	"CREATE INDEX regions_by_time ON regions(start);"
	"CREATE UNIQUE INDEX processes_by_sid ON processes(sid);"
	"CREATE INDEX processes_by_parent ON processes(parent);"
	"CREATE INDEX threads_by_process ON threads(sid);"
	"CREATE INDEX children_by_process ON children(sid);"
	"CREATE INDEX data_by_process ON data(sid);"
	"CREATE INDEX data_by_key ON data(category, key);"
	"CREATE INDEX errors_by_process ON errors(sid);"
	"CREATE VIEW slowest AS SELECT elapsed, self, category, label, msg, command, start, thread,"
	" sid FROM regions WHERE elapsed IS NOT NULL ORDER BY elapsed DESC;"
	"COMMIT;";

static void database_failed(struct database *db, int error)
{
	if (!db->error)
		db->error = error ? error : EIO;
}

/* Return SQLite's error as errno; 0: it is not a system error. */
static int database_error_of(sqlite3 *db)
{
	int code = sqlite3_errcode(db);

	return code == SQLITE_FULL    ? ENOSPC
	       : code == SQLITE_NOMEM ? ENOMEM
				      : sqlite3_system_errno(db);
}

static void database_run(struct database *db, const char *sql)
{
	if (!db->error && sqlite3_exec(db->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		database_failed(db, database_error_of(db->db));
}

static void table_create(struct database *db, enum table_row table)
{
	static const char *const types[] = {
		[COLUMN_TEXT] = "TEXT",    [COLUMN_JSON] = "TEXT", [COLUMN_COUNT] = "INTEGER",
		[COLUMN_SECONDS] = "REAL", [COLUMN_TIME] = "TEXT", [COLUMN_NUMBER] = "NUMERIC"
	};
	const struct table_column *columns = report_tables[table].columns;
	struct tr2_buf sql;

	tr2_buf_init(&sql, 1 << 16);
	tr2_buf_addf(&sql, "CREATE TABLE %s(", report_tables[table].name);
	for (int i = 0; columns[i].name; i++)
		tr2_buf_addf(&sql, "%s\"%s\" %s", i ? ", " : "", columns[i].name,
			     types[columns[i].type]);
	tr2_buf_addch(&sql, ')');
	database_run(db, tr2_buf_cstr(&sql));
	tr2_buf_clear(&sql);
	tr2_buf_addf(&sql, "INSERT INTO %s VALUES(", report_tables[table].name);
	for (int i = 0; columns[i].name; i++)
		tr2_buf_addstr(&sql, i ? ",?" : "?");
	tr2_buf_addch(&sql, ')');
	if (!db->error && sqlite3_prepare_v2(db->db, tr2_buf_cstr(&sql), -1, &db->inserts[table],
					     NULL) != SQLITE_OK)
		database_failed(db, database_error_of(db->db));
	tr2_buf_release(&sql);
}

/* If the size of the database is limited, long texts are cut between two characters. */
static size_t text_cut(const struct database *db, const char *text, size_t len)
{
	if (!db->max_bytes || len <= DATABASE_TEXT_BYTES)
		return len;
	len = DATABASE_TEXT_BYTES;
	while (len > DATABASE_TEXT_BYTES - 4 && ((unsigned char)text[len] & 0xC0) == 0x80)
		len--;
	return len;
}

/* Bind a text to a parameter. Well-formed text is borrowed; other text is copied and repaired. */
static int bind_text(struct database *db, sqlite3_stmt *to, int at, const char *text, size_t len)
{
	size_t good = tr2_utf8_valid_prefix(text, len), step;
	uint32_t ch;
	char utf8[4];

	if (good == len)
		return sqlite3_bind_text64(to, at, text, len, SQLITE_STATIC, SQLITE_UTF8);
	tr2_buf_clear(&db->text);
	for (size_t i = 0; i < len; i += step) {
		step = tr2_utf8_decode(text + i, len - i, &ch);
		tr2_buf_add(&db->text, utf8, tr2_utf8_encode(ch, utf8));
	}
	return sqlite3_bind_text64(to, at, db->text.data, db->text.len, SQLITE_TRANSIENT,
				   SQLITE_UTF8);
}

static int bind_time(struct database *db, sqlite3_stmt *to, int at, ns_t wall)
{
	tr2_buf_clear(&db->text);
	tr2_buf_add_wall_time(&db->text, wall);
	return sqlite3_bind_text64(to, at, db->text.data, db->text.len, SQLITE_TRANSIENT,
				   SQLITE_UTF8);
}

static int bind(struct database *db, sqlite3_stmt *to, int at, enum column_type type,
		const struct table_cell *cell)
{
	if (!cell->known)
		return sqlite3_bind_null(to, at);
	switch (type) {
	case COLUMN_COUNT:
		return sqlite3_bind_int64(to, at, cell->number);
	case COLUMN_SECONDS:
		return sqlite3_bind_double(to, at, (double)cell->number / NS_PER_SEC);
	case COLUMN_TIME:
		return bind_time(db, to, at, cell->number);
	default:
		return bind_text(db, to, at, cell->text, text_cut(db, cell->text, cell->len));
	}
}

/* The size of the database is checked every 64 rows. */
static bool has_space(struct database *db, enum table_row table)
{
	if (!db->max_bytes)
		return true;
	if (db->cancelled && atomic_load_explicit(db->cancelled, memory_order_relaxed))
		db->is_full = true;
	if (!db->is_full && db->rows[table] % 64 == 0 && sqlite3_step(db->size) == SQLITE_ROW)
		db->is_full =
			(size_t)sqlite3_column_int64(db->size, 0) * PAGE_BYTES >= db->max_bytes;
	sqlite3_reset(db->size);
	db->is_cut[table] |= db->is_full;
	return !db->is_full;
}

static void database_row(void *data, enum table_row table, const struct table_cell *cells)
{
	struct database *db = data;
	const struct table_column *columns = report_tables[table].columns;

	if (db->error || !has_space(db, table))
		return;
	for (int i = 0; columns[i].name; i++)
		if (bind(db, db->inserts[table], i + 1, columns[i].type, &cells[i]) != SQLITE_OK)
			database_failed(db, database_error_of(db->db));
	if (sqlite3_step(db->inserts[table]) != SQLITE_DONE)
		database_failed(db, database_error_of(db->db));
	sqlite3_reset(db->inserts[table]);
	db->rows[table]++;
}

const char *database_missing(void)
{
	return NULL;
}

struct database *database_new(const char *file)
{
	struct database *db = xcalloc(1, sizeof(*db));
	int flags = SQLITE_OPEN_READWRITE;

	tr2_buf_init(&db->text, SIZE_MAX / 2);
	if (!*file || !strcmp(file, DATABASE_IN_MEMORY))
		flags |= SQLITE_OPEN_CREATE;
	if (sqlite3_open_v2(file, &db->db, flags, NULL) != SQLITE_OK)
		database_failed(db, db->db ? database_error_of(db->db) : ENOMEM);
	database_run(db, "PRAGMA page_size=" PAGE_TEXT "; PRAGMA journal_mode=OFF;"
			 "PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
			 "PRAGMA temp_store=MEMORY; BEGIN;");
	for (int table = 0; table < NR_TABLES; table++)
		table_create(db, (enum table_row)table);
	if (!db->error && sqlite3_prepare_v2(db->db, "PRAGMA page_count", -1, &db->size, NULL))
		database_failed(db, database_error_of(db->db));
	return db;
}

int database_free(struct database *db)
{
	int error;

	for (int table = 0; table < NR_TABLES; table++)
		sqlite3_finalize(db->inserts[table]);
	sqlite3_finalize(db->size);
	if (sqlite3_close(db->db) != SQLITE_OK)
		database_failed(db, EIO);
	tr2_buf_release(&db->text);
	error = db->error;
	free(db);
	return error;
}

void database_begin(struct database *db, const struct report_input *input)
{
	bool wanted[NR_TABLES];

	memset(wanted, true, sizeof(wanted));
	tables_begin(&db->tables, input, wanted, database_row, db);
}

void database_batch(struct database *db, const struct batch *batch, uint32_t records)
{
	if (!db->error)
		tables_batch(&db->tables, batch, records);
}

void database_end(struct database *db, const struct report_input *input)
{
	tables_end(&db->tables);
	if (!input->work || !input->work->broken_off)
		database_finish(db);
}

void database_finish(struct database *db)
{
	database_run(db, after_rows);
}

void database_fill(struct database *db, const struct report_input *input, size_t max_bytes,
		   const atomic_bool *cancelled)
{
	static const enum table_row order[] = { TABLE_PROCESSES, TABLE_TIMINGS,  TABLE_ERRORS,
						TABLE_VALUES,    TABLE_CHILDREN, TABLE_THREADS,
						TABLE_DATA };

	db->max_bytes = max_bytes;
	db->cancelled = cancelled;
	/* Without the table of regions, which needs events, a query of regions fails instead of
	 * finding nothing. */
	sqlite3_finalize(db->inserts[TABLE_REGIONS]);
	db->inserts[TABLE_REGIONS] = NULL;
	database_run(db, "DROP TABLE regions;");
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		bool wanted[NR_TABLES] = { false };

		wanted[order[i]] = true;
		tables_begin(&db->tables, input, wanted, database_row, db);
		tables_end(&db->tables);
	}
	database_run(db, "COMMIT;");
}

void database_format_cut(const struct database *db, struct tr2_buf *out)
{
	bool is_first = true;

	for (int table = 0; table < NR_TABLES; table++) {
		if (!db->is_cut[table])
			continue;
		tr2_buf_addf(out, "%s%s %s", is_first ? "" : ", ", report_tables[table].name,
			     db->rows[table] ? "cut at" : "left out");
		if (db->rows[table])
			tr2_buf_addf(out, " %" PRIu64 " rows", db->rows[table]);
		is_first = false;
	}
	if (!is_first)
		tr2_buf_addf(out, ": the tables have %s", human_bytes(db->max_bytes).text);
}

#else

const char *database_missing(void)
{
	return "queries need libsqlite3 (Debian: libsqlite3-dev); install it and rebuild trace2top";
}

struct database *database_new(const char *file)
{
	(void)file;
	return NULL;
}

int database_free(struct database *db)
{
	(void)db;
	return 0;
}

void database_begin(struct database *db, const struct report_input *input)
{
	(void)db;
	(void)input;
}

void database_batch(struct database *db, const struct batch *batch, uint32_t records)
{
	(void)db;
	(void)batch;
	(void)records;
}

void database_end(struct database *db, const struct report_input *input)
{
	(void)db;
	(void)input;
}

void database_finish(struct database *db)
{
	(void)db;
}

void database_fill(struct database *db, const struct report_input *input, size_t max_bytes,
		   const atomic_bool *cancelled)
{
	(void)db;
	(void)input;
	(void)max_bytes;
	(void)cancelled;
}

void database_format_cut(const struct database *db, struct tr2_buf *out)
{
	(void)db;
	(void)out;
}

#endif
