/* SPDX-License-Identifier: MIT */
/*
 * Write all tables to an SQLite database (database.h), for queries with SELECT. SQLite opens the
 * stream's file by its name, so it must be a regular file. The file gets its final name when it is
 * complete, so SQLite needs no journal and no sync.
 */
#include "config.h"
#include "monitor/report/report.h"

#ifdef HAVE_SQLITE

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/base/die.h"
#include "monitor/report/database.h"

struct sqlite {
	struct database *db; /* database that is written; NULL: the stream is not a regular file */
};

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

static void *sqlite_begin(FILE *to, const struct report_input *input)
{
	struct sqlite *s = xcalloc(1, sizeof(*s));
	char name[4096];

	sqlite_name_of(to, name, sizeof(name));
	if (!*name)
		return s;
	s->db = database_new(name);
	database_begin(s->db, input);
	return s;
}

static void sqlite_batch(void *report, const struct batch *batch, uint32_t records)
{
	struct sqlite *s = report;

	if (s->db)
		database_batch(s->db, batch, records);
}

static void sqlite_end(void *report, FILE *to, const struct report_input *input)
{
	struct sqlite *s = report;

	(void)to;
	if (s->db) {
		database_end(s->db, input);
		*input->failed = database_free(s->db);
	} else {
		*input->failed = EINVAL;
	}
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
