/* SPDX-License-Identifier: MIT */
/* Tests of SQL queries that are typed on the screen. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "monitor/app/querying.h"
#include "monitor/report/database.h"
#include "tests/screen_fixture.h"

#define ENDLESS                                                                                    \
	"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"

static void add_query_process(struct tr2_buf *text, int number)
{
	const char *name = number % 3 ? "status" : "fetch";

	tr2_buf_addf(
		text,
		"{\"event\":\"start\",\"sid\":\"p%05d\",\"thread\":\"main\",\"time\":"
		"\"2026-01-02T12:%02d:%02d.000000Z\",\"t_abs\":0.0,\"argv\":[\"git\",\"%s\"]}\n",
		number, number / 60 % 60, number % 60, name);
	tr2_buf_addf(
		text,
		"{\"event\":\"cmd_name\",\"sid\":\"p%05d\",\"thread\":\"main\",\"name\":\"%s\","
		"\"hierarchy\":\"%s\"}\n",
		number, name, name);
	tr2_buf_addf(
		text,
		"{\"event\":\"region_enter\",\"sid\":\"p%05d\",\"thread\":\"main\",\"nesting\":1,"
		"\"category\":\"index\",\"label\":\"l%d\"}\n",
		number, number % 2);
	tr2_buf_addf(
		text,
		"{\"event\":\"region_leave\",\"sid\":\"p%05d\",\"thread\":\"main\",\"nesting\":1,"
		"\"category\":\"index\",\"label\":\"l%d\",\"t_rel\":0.%03d}\n",
		number, number % 2, number % 1000);
	tr2_buf_addf(text,
		     "{\"event\":\"data\",\"sid\":\"p%05d\",\"thread\":\"main\",\"nesting\":1,"
		     "\"category\":\"c\",\"key\":\"k\",\"value\":\"%d\"}\n",
		     number, number);
	tr2_buf_addf(text,
		     "{\"event\":\"exit\",\"sid\":\"p%05d\",\"thread\":\"main\",\"time\":"
		     "\"2026-01-02T12:%02d:%02d.500000Z\",\"t_abs\":0.%03d,\"code\":%d}\n",
		     number, number / 60 % 60, number % 60, number % 1000, number % 7 == 6);
}

static void feed_query_processes(struct screen *screen, int nr)
{
	struct tr2_buf text;

	tr2_buf_init(&text, 1 << 26);
	for (int i = 0; i < nr; i++)
		add_query_process(&text, i);
	screen_feed(screen, tr2_buf_cstr(&text), text.len);
	tr2_buf_release(&text);
}

static void offer_words(const char *begun, bool is_first,
			void (*offer)(void *data, const char *word), void *data)
{
	static const char *const words[] = { "SELECT", "commands", "processes", "pid" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if ((i < 2) == is_first && !strncmp(words[i], begun, strlen(begun)))
			offer(data, words[i]);
}

static const struct ui_config query_config = { .nesting = -1,
					       .depth = -1,
					       .query_words = offer_words };

static struct querying_job job_of(const struct screen *screen, const char *line)
{
	return (struct querying_job){ .line = xstrdup(line),
				      .model = model_copy(screen->model),
				      .nesting = -1,
				      .depth = -1,
				      .made = SCENE_NOW_NS };
}

/* Return the result of a query; the caller frees it. */
static struct query_result *result_of(struct querying *q, const struct querying_job *job)
{
	struct query_result *result;

	querying_start(q, job);
	querying_wait(q);
	result = querying_take(q);
	assert_non_null(result);
	assert_null(querying_take(q));
	return result;
}

static const char *text_at(const struct query_result *result, uint32_t row, int column)
{
	if (result->failed || row >= result->nr_rows)
		fail_msg("%s", result->note);
	return query_cell_at(result, row, column)->text;
}

static void queries_use_the_database_of_the_same_state(void **state)
{
	struct querying *q = querying_new();
	struct querying_job job, again;
	struct query_result *result;
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, &query_config);
	feed_query_processes(&screen, 300);
	job = job_of(&screen, "SELECT count(*), sum(code) FROM processes");
	assert_false(querying_has_database(q));
	result = result_of(q, &job);
	assert_string_equal(text_at(result, 0, 0), "300");
	assert_string_equal(text_at(result, 0, 1), "42");
	assert_true(result->is_number[0]);
	query_result_free(result);
	assert_true(querying_has_database(q));
	feed_query_processes(&screen, 310);
	again = (struct querying_job){ .line = xstrdup("SELECT count(*) FROM data") };
	result = result_of(q, &again);
	assert_string_equal(text_at(result, 0, 0), "300");
	query_result_free(result);
	querying_free(q);
	screen_close(&screen);
}

static void timings_are_those_of_the_chosen_processes(void **state)
{
	static const char sql[] =
		"SELECT category, label, count, total, min, max, failed FROM timings "
		"ORDER BY label";
	struct querying *q = querying_new();
	struct query_result *all, *each, *some;
	struct querying_job job;
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, &query_config);
	feed_query_processes(&screen, 200);
	job = job_of(&screen, sql);
	all = result_of(q, &job);
	job = job_of(&screen, sql);
	job.chosen = xcalloc(1000, 1);
	memset(job.chosen, 1, 1000);
	each = result_of(q, &job);
	assert_int_equal(all->nr_rows, 2);
	assert_int_equal(each->nr_rows, 2);
	for (uint32_t row = 0; row < 2; row++)
		for (int i = 0; i < all->nr_columns; i++)
			assert_string_equal(text_at(all, row, i), text_at(each, row, i));
	job = job_of(&screen, sql);
	job.chosen = xcalloc(1000, 1);
	job.chosen[model_find_sid(screen.model, "p00005", 6)] = 1;
	some = result_of(q, &job);
	assert_int_equal(some->nr_rows, 1);
	assert_string_equal(text_at(some, 0, 2), "1");
	assert_string_equal(text_at(some, 0, 3), "0.005");
	query_result_free(all);
	query_result_free(each);
	query_result_free(some);
	querying_free(q);
	screen_close(&screen);
}

static void a_running_query_can_be_cancelled(void **state)
{
	struct querying *q = querying_new();
	struct query_result *result;
	struct querying_job job;
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, &query_config);
	feed_query_processes(&screen, 10);
	job = job_of(&screen, ENDLESS);
	querying_start(q, &job);
	querying_cancel(q);
	querying_wait(q);
	result = querying_take(q);
	assert_true(result->failed);
	assert_string_equal(result->note, "cancelled");
	query_result_free(result);
	/* Another query cancels the one that runs. */
	job = job_of(&screen, ENDLESS);
	querying_start(q, &job);
	job = job_of(&screen, "SELECT 5");
	result = result_of(q, &job);
	assert_string_equal(text_at(result, 0, 0), "5");
	query_result_free(result);
	/* querying_free() cancels the query that runs, too. */
	job = job_of(&screen, ENDLESS);
	querying_start(q, &job);
	querying_free(q);
	screen_close(&screen);
}

/* SQLite does not check within an instruction if it is cancelled; this query has one that compares
 * 2e11 bytes. */
static void a_query_that_does_not_stop_is_left_behind(void **state)
{
	struct querying *q = querying_new();
	struct query_result *result;
	struct querying_job job;
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, &query_config);
	feed_query_processes(&screen, 10);
	for (int i = 0; i < 2; i++) {
		job = job_of(&screen,
			     "SELECT instr(hex(zeroblob(490000)), hex(zeroblob(240000)) || '1')");
		querying_start(q, &job);
	}
	job = job_of(&screen, "SELECT count(*) FROM processes");
	result = result_of(q, &job);
	assert_string_equal(text_at(result, 0, 0), "10");
	query_result_free(result);
	querying_free(q);
	screen_close(&screen);
}

static void a_cancelled_build_leaves_no_database(void **state)
{
	struct querying *q = querying_new();
	struct querying_job job;
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, &query_config);
	feed_query_processes(&screen, 3000);
	job = job_of(&screen, "SELECT 1");
	querying_start(q, &job);
	querying_cancel(q);
	querying_wait(q);
	assert_false(querying_has_database(q));
	query_result_free(querying_take(q));
	querying_free(q);
	screen_close(&screen);
}

static struct database *filled(struct screen *screen, size_t max_bytes)
{
	struct database *db = database_new(DATABASE_IN_MEMORY);
	struct report_input input = {
		.model = screen->model, .end = UINT64_MAX, .nesting = -1, .depth = -1
	};

	database_fill(db, &input, max_bytes, NULL);
	return db;
}

static void tables_are_cut_at_the_size(void **state)
{
	struct query_limits limits = { .heap = QUERYING_HEAP, .length = QUERYING_LENGTH };
	struct query_result *result;
	struct tr2_buf cut;
	struct screen screen;
	struct database *db;

	(void)state;
	screen_open(&screen, 80, 24, &query_config);
	feed_query_processes(&screen, 2000);
	tr2_buf_init(&cut, 1 << 12);
	db = filled(&screen, (size_t)64 << 20);
	database_format_cut(db, &cut);
	assert_int_equal(cut.len, 0);
	assert_int_equal(database_free(db), 0);
	db = filled(&screen, (size_t)200 << 10);
	database_format_cut(db, &cut);
	assert_non_null(strstr(tr2_buf_cstr(&cut), "processes cut at "));
	assert_non_null(strstr(tr2_buf_cstr(&cut), "data left out"));
	assert_non_null(strstr(tr2_buf_cstr(&cut), ": the tables have 200K"));
	result = database_query_result(db, "SELECT count(*) FROM processes", &limits);
	assert_in_range(atoi(text_at(result, 0, 0)), 100, 1999);
	query_result_free(result);
	assert_int_equal(database_free(db), 0);
	tr2_buf_release(&cut);
	screen_close(&screen);
}

static void results_are_cut_at_rows_and_bytes(void **state)
{
	struct query_limits limits = { .heap = QUERYING_HEAP, .length = QUERYING_LENGTH };
	struct query_result *result;
	struct screen screen;
	struct database *db;

	(void)state;
	screen_open(&screen, 80, 24, &query_config);
	db = filled(&screen, QUERYING_TABLES_BYTES);
	result = database_query_result(
		db,
		"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
		&limits);
	assert_int_equal(result->nr_rows, QUERY_MAX_ROWS);
	assert_false(result->is_complete);
	assert_string_equal(text_at(result, 999, 0), "1000");
	query_result_free(result);
	result = database_query_result(
		db,
		"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x, "
		"hex(zeroblob(4000)), hex(zeroblob(4000)), hex(zeroblob(4000)) FROM c",
		&limits);
	assert_in_range(result->nr_rows, 600, 700);
	assert_false(result->is_complete);
	assert_true(result->nr_cut > 1000);
	assert_int_equal(query_cell_at(result, 1, 1)->len, QUERY_MAX_CELL_BYTES);
	query_result_free(result);
	database_free(db);
	screen_close(&screen);
}

static void hostile_queries_are_stopped_with_one_line(void **state)
{
	static const struct {
		const char *sql, *why;
	} cases[] = {
		{ ENDLESS, "stopped after 20ms" },
		{ "WITH RECURSIVE c(x) AS (SELECT hex(zeroblob(100000)) UNION ALL SELECT x || '1' "
		  "FROM c) "
		  "SELECT count(DISTINCT x) FROM c",
		  "stopped" },
		{ "SELECT hex(zeroblob(2000000000))", "string or blob too big" },
		{ "SELECT * FROM regions", "no such table: regions; it is in --once --sql" },
		{ "ATTACH 'x' AS y", "only SELECT is allowed" },
		{ "PRAGMA page_size = 512", "only SELECT is allowed" },
		{ "SELECT * FROM pragma_page_size", "only SELECT is allowed" },
		{ "SELECT load_extension('x')", "only SELECT is allowed" },
		{ "CREATE VIEW v AS SELECT 1", "only SELECT is allowed" },
		{ "SELECT 1; SELECT 2", "only one statement" },
		{ "", "the query is empty" },
	};
	struct query_limits limits = { .time = 20 * NS_PER_MS,
				       .heap = (size_t)32 << 20,
				       .length = QUERYING_LENGTH };
	struct query_result *result;
	struct screen screen;
	struct database *db;

	(void)state;
	screen_open(&screen, 80, 24, &query_config);
	feed_query_processes(&screen, 10);
	db = filled(&screen, QUERYING_TABLES_BYTES);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		result = database_query_result(db, cases[i].sql, &limits);
		assert_true(result->failed);
		if (strncmp(result->note, cases[i].why, strlen(cases[i].why)) != 0)
			fail_msg("%s: %s", cases[i].sql, result->note);
		assert_null(strchr(result->note, '\n'));
		query_result_free(result);
	}
	/* The database still answers after these queries. */
	limits.time = 0;
	result = database_query_result(db, "SELECT count(*) FROM processes; -- end", &limits);
	assert_string_equal(text_at(result, 0, 0), "10");
	query_result_free(result);
	assert_int_equal(database_free(db), 0);
	screen_close(&screen);
}

static void long_texts_are_cut(void **state)
{
	struct query_limits limits = { .heap = QUERYING_HEAP, .length = QUERYING_LENGTH };
	struct query_result *result;
	struct screen screen;
	struct database *db;
	struct tr2_buf text;

	(void)state;
	screen_open(&screen, 80, 24, &query_config);
	tr2_buf_init(&text, 1 << 24);
	tr2_buf_addstr(&text, "{\"event\":\"data\",\"sid\":\"p\",\"thread\":\"main\","
			      "\"nesting\":1,\"category\":\"c\",\"key\":\"k\",\"value\":\"x");
	for (int i = 0; i < 1000000; i++)
		tr2_buf_addstr(&text, "\xc3\xbc");
	tr2_buf_addstr(&text, "\"}\n");
	screen_feed(&screen, tr2_buf_cstr(&text), text.len);
	tr2_buf_release(&text);
	db = filled(&screen, QUERYING_TABLES_BYTES);
	result = database_query_result(db, "SELECT length(CAST(value AS BLOB)), value FROM data",
				       &limits);
	/* The cut is between two characters. */
	assert_int_equal(atoi(text_at(result, 0, 0)), DATABASE_TEXT_BYTES - 1);
	query_result_free(result);
	database_free(db);
	screen_close(&screen);
}

static void page_query(struct screen *screen, const char *sql)
{
	struct querying *q = querying_new();
	struct querying_job job = job_of(screen, sql);

	screen->in.query = result_of(q, &job);
	querying_free(q);
}

static void type_text(struct screen *screen, const char *text)
{
	for (; *text; text++)
		ui_key(screen->ui, &(struct key_event){ .key = (uint32_t)*text });
	screen_frame(screen);
}

static void query_pages_match_their_golden_screens(void **state)
{
	static const struct {
		const char *name, *sql, *keys;
		int cols, rows;
		bool ascii;
	} rows[] = {
		{ "sql-empty-80x24", NULL, ": Esc", 80, 24, false },
		{ "sql-failed-80x24", "SELECT nosuch FROM data", ": Esc", 80, 24, false },
		{ "sql-40x10", "SELECT name, elapsed FROM processes", ": Esc", 40, 10, false },
		{ "sql-80x24",
		  "SELECT name, count(*) AS runs, avg(elapsed) AS mean FROM processes GROUP BY "
		  "name",
		  ": Esc", 80, 24, false },
		{ "sql-120x40",
		  "SELECT elapsed, name, code, start, sid FROM processes ORDER BY 1 DESC LIMIT 20",
		  ": Esc Down", 120, 40, false },
		{ "sql-200x60", "SELECT * FROM processes LIMIT 9", ": Esc", 200, 60, false },
		{ "sql-sorted-ascii-80x24",
		  "SELECT key, CAST(value AS INTEGER) * 1.5 AS v, sid FROM data LIMIT 9",
		  ": Esc > >", 80, 24, true },
		{ "sql-prompt-80x24", "SELECT 1", ": S Tab", 80, 24, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ui_config config = query_config;
		struct screen screen;
		struct tr2_buf out;

		config.ascii = rows[i].ascii;
		screen_open(&screen, rows[i].cols, rows[i].rows, &config);
		feed_query_processes(&screen, 60);
		if (rows[i].sql)
			page_query(&screen, rows[i].sql);
		screen_frame(&screen);
		screen_keys(&screen, rows[i].keys);
		tr2_buf_init(&out, 1 << 20);
		surface_dump(screen.surface, &out);
		golden_compare(rows[i].name, &out);
		tr2_buf_release(&out);
		query_result_free((struct query_result *)(uintptr_t)screen.in.query);
		screen_close(&screen);
	}
}

static void the_page_prompts_opens_and_cancels(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 100, 24, &query_config);
	feed_query_processes(&screen, 30);
	screen_frame(&screen);
	screen_keys(&screen, ":");
	type_text(&screen, "SELECT 1");
	assert_true(screen_keys(&screen, "Enter") & UI_QUERY);
	assert_string_equal(ui_query(screen.ui), "SELECT 1");
	/* The prompt has the last query. */
	screen_keys(&screen, ":");
	assert_non_null(strstr(screen_text(&screen), "SQL: SELECT 1"));
	screen_keys(&screen, "C-u");
	type_text(&screen, "com");
	screen_keys(&screen, "Tab");
	assert_non_null(strstr(screen_text(&screen), "SQL: commands"));
	screen_keys(&screen, "C-u");
	type_text(&screen, "SELECT p");
	screen_keys(&screen, "Tab Tab");
	assert_non_null(strstr(screen_text(&screen), "SQL: SELECT pid"));
	screen_keys(&screen, "Esc");
	screen.in.query_runs = true;
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "running, Esc cancels"));
	assert_true(ui_needs_ticks(screen.ui));
	assert_true(screen_keys(&screen, "Esc") & UI_QUERY_CANCEL);
	/* A query that was cancelled may still run. Then Esc leaves the page. */
	screen.in.query_cancelled = true;
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "SQL · cancelled"));
	assert_false(screen_keys(&screen, "Esc") & UI_QUERY_CANCEL);
	assert_non_null(strstr(screen_text(&screen), "1 Processes"));
	screen_keys(&screen, ": Esc");
	screen.in.query_runs = screen.in.query_cancelled = false;
	page_query(&screen, "SELECT name, 'p00004' AS sid FROM processes LIMIT 3");
	screen_frame(&screen);
	assert_true(screen_keys(&screen, "w") & UI_QUERY_WRITE);
	screen_keys(&screen, "Enter");
	assert_non_null(strstr(screen_text(&screen), "> SQL > Process"));
	assert_non_null(strstr(screen_text(&screen), "p00004"));
	query_result_free((struct query_result *)(uintptr_t)screen.in.query);
	screen_close(&screen);
}

static void results_replace_each_other(void **state)
{
	static const char *const queries[] = {
		"SELECT * FROM processes", "SELECT 1 WHERE 0", "SELECT 'a' AS x",
		"SELECT 1 AS y, 2 AS z",   "SELECT nosuch",    "SELECT NULL AS n FROM data"
	};
	struct screen screen;

	(void)state;
	screen_open(&screen, 100, 24, &query_config);
	feed_query_processes(&screen, 20);
	screen_frame(&screen);
	screen_keys(&screen, ": Esc");
	for (int i = 0; i < 24; i++) {
		struct query_result *before = (struct query_result *)(uintptr_t)screen.in.query;

		page_query(&screen, queries[i * 5 % 6]);
		screen_frame(&screen);
		query_result_free(before);
		screen_keys(&screen, i % 2 ? "> > r Down" : "< < End");
		screen_keys(&screen, "/ a Enter");
	}
	query_result_free((struct query_result *)(uintptr_t)screen.in.query);
	screen_close(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queries_use_the_database_of_the_same_state),
		cmocka_unit_test(timings_are_those_of_the_chosen_processes),
		cmocka_unit_test(a_running_query_can_be_cancelled),
		cmocka_unit_test(a_query_that_does_not_stop_is_left_behind),
		cmocka_unit_test(a_cancelled_build_leaves_no_database),
		cmocka_unit_test(tables_are_cut_at_the_size),
		cmocka_unit_test(results_are_cut_at_rows_and_bytes),
		cmocka_unit_test(long_texts_are_cut),
		cmocka_unit_test(hostile_queries_are_stopped_with_one_line),
		cmocka_unit_test(query_pages_match_their_golden_screens),
		cmocka_unit_test(the_page_prompts_opens_and_cancels),
		cmocka_unit_test(results_replace_each_other),
	};

	if (database_missing())
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
