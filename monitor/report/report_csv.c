/* SPDX-License-Identifier: MIT */
/*
 * Write one table (tables.def), or the rows of --difference, as CSV (RFC 4180). Absent values are
 * empty cells. Ill-formed UTF-8 and control characters except line ends and tabs become U+FFFD.
 */
#include "config.h"
#include "monitor/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/jw.h"
#include "engine/base/utf8.h"
#include "monitor/base/die.h"
#include "monitor/base/visible.h"
#include "monitor/report/drain.h"
#include "monitor/report/report_difference.h"
#include "monitor/report/tables.h"

#define DRAIN_BYTES (64u << 10)

struct csv {
	struct tables tables;
	struct tr2_buf buf;
	FILE *to;
};

static bool wants_quotes(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (strchr(",\"\r\n", text[i]) && text[i])
			return true;
	return false;
}

static void csv_add_text(struct tr2_buf *out, const char *text, size_t len)
{
	bool quotes = wants_quotes(text, len);
	size_t step;
	uint32_t ch;
	char utf8[4];

	if (quotes)
		tr2_buf_addch(out, '"');
	for (size_t i = 0; i < len; i += step) {
		step = tr2_utf8_decode(text + i, len - i, &ch);
		if (visible_is_control(ch) && ch != '\t' && ch != '\n' && ch != '\r')
			ch = UTF8_REPLACEMENT;
		if (ch == '"')
			tr2_buf_addch(out, '"');
		tr2_buf_add(out, utf8, tr2_utf8_encode(ch, utf8));
	}
	if (quotes)
		tr2_buf_addch(out, '"');
}

static void add_seconds(struct tr2_buf *out, ns_t ns)
{
	uint64_t abs = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	if (ns < 0)
		tr2_buf_addch(out, '-');
	tr2_buf_addu(out, abs / NS_PER_SEC, 1);
	tr2_buf_addch(out, '.');
	tr2_buf_addu(out, abs % NS_PER_SEC, 9);
}

static void csv_add_cell(struct tr2_buf *out, enum column_type type, const struct table_cell *cell)
{
	if (!cell->known)
		return;
	switch (type) {
	case COLUMN_TEXT:
	case COLUMN_JSON:
	case COLUMN_NUMBER:
		csv_add_text(out, cell->text, cell->len);
		break;
	case COLUMN_COUNT:
		tr2_buf_addf(out, "%" PRId64, cell->number);
		break;
	case COLUMN_SECONDS:
		add_seconds(out, cell->number);
		break;
	case COLUMN_TIME:
		tr2_buf_add_wall_time(out, cell->number);
		break;
	}
}

static void csv_row(void *data, enum table_row table, const struct table_cell *cells)
{
	struct csv *csv = data;
	const struct table_column *columns = report_tables[table].columns;

	for (int i = 0; columns[i].name; i++) {
		if (i)
			tr2_buf_addch(&csv->buf, ',');
		csv_add_cell(&csv->buf, columns[i].type, &cells[i]);
	}
	tr2_buf_addstr(&csv->buf, "\r\n");
	buf_drain(&csv->buf, csv->to, DRAIN_BYTES);
}

static void *csv_begin(FILE *to, const struct report_input *input)
{
	struct csv *csv = xcalloc(1, sizeof(*csv));
	bool wanted[NR_TABLES] = { false };

	csv->to = to;
	tr2_buf_init(&csv->buf, SIZE_MAX / 2);
	if (input->difference)
		return csv;
	wanted[input->table] = true;
	tables_begin(&csv->tables, input, wanted, csv_row, csv);
	for (const struct table_column *c = report_tables[input->table].columns; c->name; c++) {
		if (c != report_tables[input->table].columns)
			tr2_buf_addch(&csv->buf, ',');
		tr2_buf_addstr(&csv->buf, c->name);
	}
	tr2_buf_addstr(&csv->buf, "\r\n");
	return csv;
}

static void csv_batch(void *report, const struct batch *csv_batch, uint32_t records)
{
	struct csv *csv = report;

	if (csv->tables.input)
		tables_batch(&csv->tables, csv_batch, records);
	buf_drain(&csv->buf, csv->to, 0);
}

static void csv_end(void *report, FILE *to, const struct report_input *input)
{
	struct csv *csv = report;

	(void)to;
	if (input->difference)
		report_difference_csv(&csv->buf, input, csv_add_text);
	else
		tables_end(&csv->tables);
	buf_drain(&csv->buf, csv->to, 0);
	tr2_buf_release(&csv->buf);
	free(csv);
}

const struct exporter_ops report_csv = {
	.begin = csv_begin, .batch = csv_batch, .end = csv_end, .takes_table = true
};
