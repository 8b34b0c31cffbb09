/* SPDX-License-Identifier: MIT */
/* Write all tables to an SQLite database (database.h). SQLite opens the stream's file by its
 * name. If the name is unknown, the database is made in a temporary file and copied. */
#include "config.h"
#include "monitor/report/report.h"

#ifdef HAVE_SQLITE

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/base/die.h"
#include "monitor/base/platform.h"
#include "monitor/report/database.h"

struct sqlite {
	struct database *db;
	/* the database is in the temporary file `name` and is copied to the stream at the end */
	bool is_copied;
	char name[PATH_MAX];
};

/* Choose the file of the database. Returns false if there is no usable file. */
static bool find_file(struct sqlite *s, FILE *to)
{
	const char *directory = getenv("TMPDIR");
	struct stat st;
	int fd;

	if (fileno(to) < 0 || fstat(fileno(to), &st) || !S_ISREG(st.st_mode) || !st.st_nlink)
		return false;
	if (platform_file_name(fileno(to), s->name, sizeof(s->name)))
		return true;
	s->is_copied =
		snprintf(s->name, sizeof(s->name), "%s/trace2top-XXXXXX",
			 directory && *directory ? directory : "/tmp") < (int)sizeof(s->name);
	fd = s->is_copied ? platform_make_temporary(s->name) : -1;
	if (fd < 0)
		return s->is_copied = false;
	close(fd);
	return true;
}

/* Copy the database to the stream. Returns 0 or an errno value. */
static int copy_file(const struct sqlite *s, FILE *to)
{
	FILE *from = fopen(s->name, "re");
	char bytes[16 << 10];
	int error = 0;
	size_t n;

	if (!from)
		error = errno;
	while (!error && (n = fread(bytes, 1, sizeof(bytes), from)) > 0)
		if (fwrite(bytes, 1, n, to) != n)
			error = errno;
	if (from && ferror(from) && !error)
		error = EIO;
	if (from)
		fclose(from);
	unlink(s->name);
	return error;
}

static void *sqlite_begin(FILE *to, const struct report_input *input)
{
	struct sqlite *s = xcalloc(1, sizeof(*s));

	if (!find_file(s, to))
		return s;
	s->db = database_new(s->name);
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

	if (s->db) {
		database_end(s->db, input);
		*input->failed = database_free(s->db);
		if (s->is_copied) {
			int error = copy_file(s, to);

			if (!*input->failed)
				*input->failed = error;
		}
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
