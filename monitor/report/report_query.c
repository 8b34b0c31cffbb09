/* SPDX-License-Identifier: MIT */
/*
 * Write the result of a query. The widths of the columns of the text format come from the headings
 * and at most the first MEASURED_ROWS rows. All other rows are written as they arrive, so memory
 * does not depend on their number.
 */
#include "config.h"
#include "monitor/report/report_query.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/jw.h"
#include "engine/base/utf8.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/visible.h"
#include "monitor/base/json_write.h"
#include "monitor/report/drain.h"

#define QUERY_DRAIN_BYTES (64u << 10)
#define MEASURED_ROWS     1000u
/* characters up to which a cell makes its column wider */
#define MAX_WIDTH 100u

struct query_report {
	struct database *db;
	enum query_format format;
	FILE *to;
	struct tr2_buf buf;
	struct tr2_jw jw;
	/* for text: rows that are held until the widths of the columns are known */
	struct query_result *measured;
	size_t *widths;
	int nr;
	char **names;
};

static bool query_wants_quotes(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char ch = (unsigned char)text[i];

		if (ch <= ' ' || ch >= 0x7f || ch == '"' || ch == '\'' || ch == ',')
			return true;
	}
	return !len;
}

void query_csv_cell(struct tr2_buf *out, const struct query_cell *cell)
{
	bool quotes;
	size_t step;
	uint32_t ch;
	char utf8[4];

	if (cell->type == QUERY_NULL)
		return;
	quotes = query_wants_quotes(cell->text, cell->len);
	if (quotes)
		tr2_buf_addch(out, '"');
	for (size_t i = 0; i < cell->len; i += step) {
		step = tr2_utf8_decode(cell->text + i, cell->len - i, &ch);
		if (visible_is_control(ch) && ch != '\t' && ch != '\n' && ch != '\r')
			ch = UTF8_REPLACEMENT;
		if (ch == '"')
			tr2_buf_addch(out, '"');
		tr2_buf_add(out, utf8, tr2_utf8_encode(ch, utf8));
	}
	if (quotes)
		tr2_buf_addch(out, '"');
}

static void csv_cells(struct query_report *r, const struct query_cell *cells)
{
	for (int i = 0; i < r->nr; i++) {
		if (i)
			tr2_buf_addch(&r->buf, ',');
		query_csv_cell(&r->buf, &cells[i]);
	}
	tr2_buf_addstr(&r->buf, "\r\n");
}

/* Write the number with the fewest digits, 15 to 17, that reads back as this value; null if it
 * is not finite. */
static void query_json_real(struct tr2_jw *jw, double real)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, real);
		if (strtod(text, NULL) == real)
			break;
	}
	if (!isfinite(real))
		tr2_jw_null(jw);
	else if (strchr(text, ','))
		json_real(jw, real);
	else
		tr2_jw_raw(jw, text, strlen(text));
}

static void json_cells(struct query_report *r, const struct query_cell *cells)
{
	tr2_jw_object(&r->jw);
	for (int i = 0; i < r->nr; i++) {
		tr2_jw_key_bytes(&r->jw, r->names[i], strlen(r->names[i]));
		switch (cells[i].type) {
		case QUERY_NULL:
			tr2_jw_null(&r->jw);
			break;
		case QUERY_INTEGER:
			tr2_jw_int(&r->jw, cells[i].integer);
			break;
		case QUERY_REAL:
			query_json_real(&r->jw, cells[i].real);
			break;
		case QUERY_TEXT:
			tr2_jw_string(&r->jw, cells[i].text, cells[i].len);
			break;
		}
	}
	tr2_jw_end_object(&r->jw);
}

static size_t characters(const char *text, size_t len)
{
	size_t nr = 0;

	for (size_t i = 0; i < len; i++)
		nr += ((unsigned char)text[i] & 0xC0) != 0x80;
	return nr;
}

/* `right`: align the cell to the right. The last column gets no blanks after it. */
static void text_cell(struct query_report *r, int column, const char *text, size_t len, bool right)
{
	size_t start = r->buf.len, cells, blanks;
	struct tr2_buf shown;

	tr2_buf_init(&shown, SIZE_MAX / 2);
	text_visible(&shown, text, len);
	cells = characters(shown.data, shown.len);
	blanks = cells < r->widths[column] ? r->widths[column] - cells : 0;
	if (right)
		tr2_buf_fill(&r->buf, ' ', blanks);
	tr2_buf_add(&r->buf, shown.data, shown.len);
	if (column + 1 < r->nr)
		tr2_buf_fill(&r->buf, ' ', (right ? 0 : blanks) + 2);
	if (r->buf.len == start && column + 1 < r->nr)
		tr2_buf_addch(&r->buf, ' ');
	tr2_buf_release(&shown);
}

static void text_cells(struct query_report *r, const struct query_cell *cells)
{
	for (int i = 0; i < r->nr; i++)
		text_cell(r, i, cells[i].text ? cells[i].text : "", cells[i].len,
			  cells[i].type == QUERY_INTEGER || cells[i].type == QUERY_REAL);
	tr2_buf_addch(&r->buf, '\n');
	buf_drain(&r->buf, r->to, QUERY_DRAIN_BYTES);
}

static void widths_measure(struct query_report *r)
{
	const struct query_result *rows = r->measured;

	r->widths = xcalloc((size_t)r->nr + 1, sizeof(*r->widths));
	for (int i = 0; i < r->nr; i++) {
		r->widths[i] = characters(r->names[i], strlen(r->names[i]));
		for (uint32_t k = 0; k < rows->nr_rows; k++) {
			const struct query_cell *cell = query_cell_at(rows, k, i);
			size_t nr = cell->text ? characters(cell->text, cell->len) : 0;

			nr = nr < MAX_WIDTH ? nr : MAX_WIDTH;
			r->widths[i] = nr > r->widths[i] ? nr : r->widths[i];
		}
	}
}

static void text_begin(struct query_report *r)
{
	const struct query_result *rows = r->measured;

	query_result_end(r->measured);
	widths_measure(r);
	for (int i = 0; i < r->nr; i++)
		text_cell(r, i, r->names[i], strlen(r->names[i]),
			  rows->is_number[i] && rows->nr_rows);
	tr2_buf_addch(&r->buf, '\n');
	for (uint32_t k = 0; k < rows->nr_rows; k++)
		text_cells(r, query_cell_at(rows, k, 0));
	query_result_free(r->measured);
	r->measured = NULL;
}

static void query_columns(void *data, int nr, const char *const *names)
{
	struct query_report *r = data;

	r->nr = nr;
	r->names = xcalloc((size_t)nr + 1, sizeof(*r->names));
	for (int i = 0; i < nr; i++)
		r->names[i] = xstrdup(names[i]);
	if (r->format == QUERY_AS_TEXT) {
		r->measured = query_result_new("");
		query_result_columns(r->measured, nr, names);
		return;
	}
	if (r->format == QUERY_AS_JSON) {
		tr2_jw_array(&r->jw);
		return;
	}
	for (int i = 0; i < nr; i++) {
		struct query_cell cell = { .type = QUERY_TEXT,
					   .text = names[i],
					   .len = strlen(names[i]) };

		if (i)
			tr2_buf_addch(&r->buf, ',');
		query_csv_cell(&r->buf, &cell);
	}
	tr2_buf_addstr(&r->buf, "\r\n");
}

/* True if a struct query_result would truncate a cell. */
static bool has_long_cell(const struct query_cell *cells, int nr)
{
	for (int i = 0; i < nr; i++)
		if (cells[i].len > QUERY_MAX_CELL_BYTES)
			return true;
	return false;
}

static bool query_row(void *data, int nr, const struct query_cell *cells)
{
	struct query_report *r = data;

	if (r->format == QUERY_AS_JSON) {
		json_cells(r, cells);
	} else if (r->format == QUERY_AS_CSV) {
		csv_cells(r, cells);
	} else {
		if (r->measured && r->measured->nr_rows < MEASURED_ROWS &&
		    !has_long_cell(cells, nr) && query_result_add(r->measured, cells))
			return true;
		if (r->measured)
			text_begin(r);
		text_cells(r, cells);
	}
	buf_drain(&r->buf, r->to, QUERY_DRAIN_BYTES);
	return !ferror(r->to);
}

static void *query_begin(FILE *to, const struct report_input *input)
{
	struct query_report *r = xcalloc(1, sizeof(*r));

	r->format = (enum query_format)input->sql_format;
	r->to = to;
	tr2_buf_init(&r->buf, SIZE_MAX / 2);
	tr2_jw_init(&r->jw, &r->buf, 1);
	r->db = database_new(DATABASE_TEMPORARY);
	database_begin(r->db, input);
	return r;
}

static void query_batch(void *report, const struct batch *batch, uint32_t records)
{
	database_batch(((struct query_report *)report)->db, batch, records);
}

static void query_end(void *report, FILE *to, const struct report_input *input)
{
	struct query_report *r = report;
	struct query_limits limits = { .time = QUERY_REPORT_TIME,
				       .heap = QUERY_REPORT_HEAP,
				       .length = QUERY_REPORT_LENGTH };
	struct query_sink sink = { query_columns, query_row, r };
	bool ok;

	(void)to;
	database_end(r->db, input);
	ok = database_query(r->db, input->sql, &limits, &sink, input->sql_why);
	if (r->measured && (ok || r->measured->nr_rows))
		text_begin(r);
	query_result_free(r->measured);
	if (r->format == QUERY_AS_JSON && r->names) {
		tr2_jw_end_array(&r->jw);
		tr2_buf_addch(&r->buf, '\n');
	}
	buf_drain(&r->buf, r->to, 0);
	*input->failed = database_free(r->db);
	if (!ok)
		*input->failed = EIO;
	for (int i = 0; i < r->nr; i++)
		free(r->names[i]);
	free(r->names);
	free(r->widths);
	tr2_buf_release(&r->buf);
	free(r);
}

const struct exporter_ops report_query = { .begin = query_begin,
					   .batch = query_batch,
					   .end = query_end };

bool report_query_check(const char *sql, char why[QUERY_WHY_BYTES])
{
	struct database *db;
	bool ok;

	if (database_missing()) {
		snprintf(why, QUERY_WHY_BYTES, "%s", database_missing());
		return false;
	}
	db = database_new(DATABASE_IN_MEMORY);
	database_finish(db);
	ok = database_check(db, sql, why);
	database_free(db);
	return ok;
}
