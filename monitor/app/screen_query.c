/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/screen_query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "engine/base/hash.h"
#include "monitor/app/querying.h"
#include "monitor/app/session_report.h"
#include "monitor/app/stored_queries.h"
#include "monitor/base/die.h"
#include "monitor/filter/filter_process.h"
#include "monitor/report/report_query.h"
#include "monitor/report/tables.h"

/* Return a hash of the data on which the tables of queries depend. */
static uint64_t state_hash(const struct screen *s, const struct model *model)
{
	const struct filter *filter = ui_filter(s->ui);
	const char *text = filter ? filter_text(filter) : "";
	uint64_t limits = tr2_hash_pair((uint64_t)ui_depth(s->ui), (uint64_t)ui_nesting(s->ui));

	return tr2_hash_pair(tr2_hash_pair(model_version(model), limits),
			     tr2_hash(text, strlen(text)));
}

/* Return, by slot, 1 for processes that the filter selects; NULL: all. */
static uint8_t *processes_choose(const struct screen *s, const struct model *model)
{
	struct filter *filter = ui_filter(s->ui);
	uint32_t last = 0;
	uint8_t *chosen;

	if (!filter && ui_depth(s->ui) < 0)
		return NULL;
	for (uint32_t i = model_first_slot(model); i != SLOT_NONE; i = model_next_slot(model, i))
		last = i;
	chosen = xcalloc((size_t)last + 1, 1);
	for (uint32_t i = model_first_slot(model); i != SLOT_NONE; i = model_next_slot(model, i))
		chosen[i] = filter_process(filter, model, i);
	return chosen;
}

void screen_query(struct screen *s)
{
	const struct model *model = s->past_model ? s->past_model : s->session->model;
	uint64_t state = state_hash(s, model);
	struct querying_job job = { .line = xstrdup(ui_query(s->ui)),
				    .nesting = ui_nesting(s->ui),
				    .depth = ui_depth(s->ui),
				    .made = s->past_model ? lookback_time(s->past) : s->wall_ns };

	if (!s->querying)
		s->querying = querying_new();
	if (!querying_has_database(s->querying) || state != s->query_state) {
		job.chosen = processes_choose(s, model);
		job.model = model_copy(model);
		model_settle(job.model);
	}
	s->query_state = state;
	querying_start(s->querying, &job);
	if (!s->asked)
		querying_wait(s->querying);
}

void screen_query_cancel(struct screen *s)
{
	if (s->querying)
		querying_cancel(s->querying);
}

void screen_query_fill(struct screen *s, struct ui_input *in)
{
	struct query_result *result = s->querying ? querying_take(s->querying) : NULL;

	if (result) {
		query_result_free(s->query_result);
		s->query_result = result;
	}
	in->query = s->query_result;
	in->query_runs = s->querying && querying_is_running(s->querying);
	in->query_cancelled = s->querying && querying_is_cancelled(s->querying);
}

void screen_query_close(struct screen *s)
{
	querying_free(s->querying);
	query_result_free(s->query_result);
}

static void result_write(const struct query_result *result, FILE *to)
{
	struct tr2_buf line;

	tr2_buf_init(&line, SIZE_MAX / 2);
	for (int i = 0; i < result->nr_columns; i++) {
		struct query_cell name = { .type = QUERY_TEXT,
					   .text = result->names[i],
					   .len = strlen(result->names[i]) };

		tr2_buf_addstr(&line, i ? "," : "");
		query_csv_cell(&line, &name);
	}
	tr2_buf_addstr(&line, "\r\n");
	for (uint32_t row = 0; row < result->nr_rows; row++) {
		for (int i = 0; i < result->nr_columns; i++) {
			tr2_buf_addstr(&line, i ? "," : "");
			query_csv_cell(&line, query_cell_at(result, row, i));
		}
		tr2_buf_addstr(&line, "\r\n");
	}
	fwrite(line.data, 1, line.len, to);
	tr2_buf_release(&line);
}

void screen_query_write(struct screen *s)
{
	const struct query_result *result = s->query_result;
	char name[64], notice[300];
	FILE *to;
	bool ok;

	if (!result || result->failed) {
		ui_notice(s->ui, "No result to write; : asks for a query");
		return;
	}
	if (s->session->options->redact == REDACTION_TEXT) {
		ui_notice(s->ui, "With --redact=text only events can be exported");
		return;
	}
	to = report_file_new(EXPORTER_CSV, tr2_clock_wall(), name, sizeof(name));
	ok = to != NULL;
	if (to) {
		result_write(result, to);
		ok = !ferror(to);
		ok &= !fclose(to);
	}
	if (ok)
		snprintf(notice, sizeof(notice), "Result written to %s", name);
	else
		snprintf(notice, sizeof(notice), "Cannot write %s: %s", to ? name : "the result",
			 strerror(errno));
	if (!ok && to)
		unlink(name);
	ui_notice(s->ui, notice);
}

/* ---- completion ---- */

static void word_offer(const char *begun, const char *word,
		       void (*offer)(void *data, const char *word), void *data)
{
	if (!strncasecmp(word, begun, strlen(begun)))
		offer(data, word);
}

void query_words_offer(const char *begun, bool is_first,
		       void (*offer)(void *data, const char *word), void *data)
{
	static const char *const keywords[] = { "SELECT", "FROM",     "WHERE", "GROUP BY",
						"HAVING", "ORDER BY", "DESC",  "LIMIT",
						"JOIN",   "count(*)", "sum(",  "max(" };

	if (is_first) {
		word_offer(begun, "SELECT", offer, data);
		stored_queries_offer(begun, offer, data);
		return;
	}
	for (int table = 0; table < NR_TABLES; table++)
		if (table != TABLE_REGIONS)
			word_offer(begun, report_tables[table].name, offer, data);
	for (int table = 0; table < NR_TABLES; table++)
		for (int i = 0; table != TABLE_REGIONS && report_tables[table].columns[i].name; i++)
			word_offer(begun, report_tables[table].columns[i].name, offer, data);
	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
		word_offer(begun, keywords[i], offer, data);
}
