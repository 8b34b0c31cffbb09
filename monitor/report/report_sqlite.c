/* SPDX-License-Identifier: MIT */
/*
 * All tables (tables.def) as an SQLite database, for queries with SELECT. SQLite opens the
 * stream's file by name, so it must be a regular file. The file gets its final name when complete,
 * so no journal and no sync are needed. Text is UTF-8 (ill-formed parts are U+FFFD), durations are
 * seconds.
 */
#include "config.h"
#include "monitor/report/report.h"

#ifdef HAVE_SQLITE

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/jw.h"
#include "engine/base/utf8.h"
#include "monitor/base/die.h"
#include "monitor/report/tables.h"

/* SQL to execute after all rows are inserted. */
static const char behind[] =
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

struct sqlite {
	struct tables tables;
	sqlite3 *db;
	sqlite3_stmt *inserts[NR_TABLES];
	struct tr2_buf text;
	int error; /* errno of the first failure */
};

static void sqlite_failed(struct sqlite *s, int error)
{
	if (!s->error)
		s->error = error ? error : EIO;
}

/* Convert the error of SQLite to errno; EIO if it is not a system error. */
static int sqlite_error_of(sqlite3 *db)
{
	int code = sqlite3_errcode(db);

	return code == SQLITE_FULL    ? ENOSPC
	       : code == SQLITE_NOMEM ? ENOMEM
				      : sqlite3_system_errno(db);
}

static void sqlite_run(struct sqlite *s, const char *sql)
{
	if (!s->error && sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		sqlite_failed(s, sqlite_error_of(s->db));
}

/* Return the name of the file that the stream `to` writes to; "" if it is not a regular file. */
static void sqlite_name_of(FILE *to, char *name, size_t bytes)
{
	char link[40];
	struct stat st;
	ssize_t len = -1;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fileno(to));
	if (fileno(to) >= 0 && !fstat(fileno(to), &st) && S_ISREG(st.st_mode) && st.st_nlink)
		len = readlink(link, name, bytes);
	name[len < 0 || (size_t)len >= bytes ? 0 : len] = 0;
}

static void table_create(struct sqlite *s, enum table_row table)
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
	sqlite_run(s, tr2_buf_cstr(&sql));
	tr2_buf_clear(&sql);
	tr2_buf_addf(&sql, "INSERT INTO %s VALUES(", report_tables[table].name);
	for (int i = 0; columns[i].name; i++)
		tr2_buf_addstr(&sql, i ? ",?" : "?");
	tr2_buf_addch(&sql, ')');
	if (!s->error && sqlite3_prepare_v2(s->db, tr2_buf_cstr(&sql), -1, &s->inserts[table],
					    NULL) != SQLITE_OK)
		sqlite_failed(s, sqlite_error_of(s->db));
	tr2_buf_release(&sql);
}

/* Bind a text to a statement. A well-formed text is borrowed, others are copied. */
static int bind_text(struct sqlite *s, sqlite3_stmt *to, int at, const char *text, size_t len)
{
	size_t good = tr2_utf8_valid_prefix(text, len), step;
	uint32_t ch;
	char utf8[4];

	if (good == len)
		return sqlite3_bind_text64(to, at, text, len, SQLITE_STATIC, SQLITE_UTF8);
	tr2_buf_clear(&s->text);
	for (size_t i = 0; i < len; i += step) {
		step = tr2_utf8_decode(text + i, len - i, &ch);
		tr2_buf_add(&s->text, utf8, tr2_utf8_encode(ch, utf8));
	}
	return sqlite3_bind_text64(to, at, s->text.data, s->text.len, SQLITE_TRANSIENT,
				   SQLITE_UTF8);
}

static int bind_time(struct sqlite *s, sqlite3_stmt *to, int at, ns_t wall)
{
	tr2_buf_clear(&s->text);
	tr2_buf_add_wall_time(&s->text, wall);
	return sqlite3_bind_text64(to, at, s->text.data, s->text.len, SQLITE_TRANSIENT,
				   SQLITE_UTF8);
}

static int bind(struct sqlite *s, sqlite3_stmt *to, int at, enum column_type type,
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
		return bind_time(s, to, at, cell->number);
	default:
		return bind_text(s, to, at, cell->text, cell->len);
	}
}

static void sqlite_row(void *data, enum table_row table, const struct table_cell *cells)
{
	struct sqlite *s = data;
	const struct table_column *columns = report_tables[table].columns;

	if (s->error)
		return;
	for (int i = 0; columns[i].name; i++)
		if (bind(s, s->inserts[table], i + 1, columns[i].type, &cells[i]) != SQLITE_OK)
			sqlite_failed(s, sqlite_error_of(s->db));
	if (sqlite3_step(s->inserts[table]) != SQLITE_DONE)
		sqlite_failed(s, sqlite_error_of(s->db));
	sqlite3_reset(s->inserts[table]);
}

static void *sqlite_begin(FILE *to, const struct report_input *input)
{
	struct sqlite *s = xcalloc(1, sizeof(*s));
	bool wanted[NR_TABLES];
	char name[4096];

	tr2_buf_init(&s->text, SIZE_MAX / 2);
	memset(wanted, true, sizeof(wanted));
	sqlite_name_of(to, name, sizeof(name));
	if (!*name)
		sqlite_failed(s, EINVAL);
	else if (sqlite3_open_v2(name, &s->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		sqlite_failed(s, s->db ? sqlite_error_of(s->db) : ENOMEM);
	sqlite_run(s,
		   "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
		   "BEGIN;");
	for (int table = 0; table < NR_TABLES; table++)
		table_create(s, (enum table_row)table);
	tables_begin(&s->tables, input, wanted, sqlite_row, s);
	return s;
}

static void sqlite_batch(void *report, const struct batch *sqlite_batch, uint32_t records)
{
	struct sqlite *s = report;

	if (!s->error)
		tables_batch(&s->tables, sqlite_batch, records);
}

static void sqlite_end(void *report, FILE *to, const struct report_input *input)
{
	struct sqlite *s = report;

	(void)to;
	tables_end(&s->tables);
	if (!input->work || !input->work->broken_off)
		sqlite_run(s, behind);
	for (int table = 0; table < NR_TABLES; table++)
		sqlite3_finalize(s->inserts[table]);
	if (sqlite3_close(s->db) != SQLITE_OK)
		sqlite_failed(s, EIO);
	tr2_buf_release(&s->text);
	*input->failed = s->error;
	free(s);
}

const struct exporter_ops report_sqlite = {
	.begin = sqlite_begin, .batch = sqlite_batch, .end = sqlite_end, .needs_file = true
};

#else

static void sqlite_end(void *report, FILE *to, const struct report_input *input)
{
	(void)report;
	(void)to;
	(void)input;
}

const struct exporter_ops report_sqlite = { .end = sqlite_end,
					    .needs_file = true,
					    .library = "libsqlite3 (Debian: libsqlite3-dev)" };

#endif
