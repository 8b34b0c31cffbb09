/* SPDX-License-Identifier: MIT */
/* Tests of the filter language: expressions, errors, completions and fields. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "monitor/filter/filter.h"
#include "monitor/filter/filter_event.h"
#include "monitor/filter/filter_process.h"
#include "tests/journal_script.h"

struct subject {
	const char *name, *argv, *categories[3], *message;
	int64_t depth, code, state;
	ns_t elapsed;
	bool has_code, error;
};

static const struct subject subjects[] = {
	{ .name = "fetch",
	  .argv = "git fetch --all",
	  .categories = { "fetch", "index" },
	  .state = ATTRIBUTE_STATE_RUNNING,
	  .elapsed = 5199 * NS_PER_MS },
	{ .name = "gc",
	  .argv = "git gc --auto Gruß",
	  .categories = { "pack-objects" },
	  .depth = 1,
	  .has_code = true,
	  .state = ATTRIBUTE_STATE_EXITED,
	  .elapsed = 110 * NS_PER_MS },
	{ .name = "push",
	  .argv = "git push Origin",
	  .message = "fatal: no such remote",
	  .has_code = true,
	  .code = 128,
	  .error = true,
	  .state = ATTRIBUTE_STATE_EXITED | ATTRIBUTE_STATE_FAILED,
	  .elapsed = 6 * NS_PER_MS },
};

static bool text_value(const char *text, value_visit *visit, void *data)
{
	struct value value = { .text = text, .len = text ? strlen(text) : 0 };

	return text && visit(data, &value);
}

static bool data_value(const char *key, const char *text, value_visit *visit, void *data)
{
	struct value value = { .text = text,
			       .len = strlen(text),
			       .category = "index",
			       .category_len = 5,
			       .key = key,
			       .key_len = strlen(key) };

	return visit(data, &value);
}

static bool number_value(int64_t number, value_visit *visit, void *data)
{
	struct value value = { .number = number };

	return visit(data, &value);
}

static bool subject_values(const void *data, enum filter_field field, value_visit *visit,
			   void *visit_data)
{
	const struct subject *s = data;

	switch (field) {
	case FILTER_NAME:
		return text_value(s->name, visit, visit_data);
	case FILTER_ARGV:
	case FILTER_WORD:
		return text_value(s->argv, visit, visit_data);
	case FILTER_MESSAGE:
		return text_value(s->message, visit, visit_data);
	case FILTER_CATEGORY:
		for (int i = 0; i < 3; i++)
			if (text_value(s->categories[i], visit, visit_data))
				return true;
		return false;
	case FILTER_DEPTH:
		return number_value(s->depth, visit, visit_data);
	case FILTER_CODE:
		return s->has_code && number_value(s->code, visit, visit_data);
	case FILTER_STATE:
		return number_value(s->state, visit, visit_data);
	case FILTER_ELAPSED:
		return number_value(s->elapsed, visit, visit_data);
	case FILTER_ERROR:
		return number_value(s->error, visit, visit_data);
	case FILTER_DATA:
		return !s->has_code && (data_value("read/cache_nr", "300", visit, visit_data) ||
					data_value("read/version", "2", visit, visit_data));
	default:
		return false;
	}
}

static void expressions_match_the_right_rows(void **state)
{
	/* A filter expression, and the sum of the numbers (1, 2 and 4) of the subjects that
	 * match. */
	static const struct {
		const char *text;
		unsigned matches;
	} table[] = {
		{ "", 7 },
		{ "  ", 7 },
		{ "name = fetch", 1 },
		{ "name=fetch", 1 },
		{ "name == fetch", 1 },
		{ "name != fetch", 6 },
		{ "name = \"fetch\"", 1 },
		{ "name = fetch and elapsed > 100ms", 1 },
		{ "elapsed > 100ms", 3 },
		{ "elapsed > 100000us", 3 },
		{ "elapsed > 100000µs", 3 }, /* U+00B5, micro sign */
		{ "elapsed > 100000μs", 3 }, /* U+03BC, Greek mu */
		{ "elapsed >= 110ms and elapsed < 5.2s", 3 },
		{ "elapsed <= 0.110", 6 },
		{ "argv ~ \"--auto\"", 2 },
		{ "argv ~ \"--a(uto|ll)\"", 3 },
		{ "argv !~ git", 0 },
		{ "category = index", 1 },
		{ "category != index", 6 },
		{ "state = failed", 4 },
		{ "state = exited", 6 },
		{ "state != running", 6 },
		{ "depth <= 0", 5 },
		{ "depth <= 1", 7 },
		{ "error", 4 },
		{ "not error", 3 },
		{ "code = 0", 2 },
		{ "code != 0", 5 },
		{ "not code = 0", 5 },
		{ "fetch", 1 },
		{ "git push", 4 },
		{ "origin", 4 },
		{ "Origin", 4 },
		{ "ORIGIN", 0 },
		{ "gruß", 2 },
		{ "Gruß", 2 },
		{ "ß", 2 },
		{ "\"fetch --all\"", 1 },
		{ "fetch or push", 5 },
		{ "fetch or push and error", 5 },
		{ "(fetch or push) and error", 4 },
		{ "not (fetch or push)", 2 },
		{ "not not fetch", 1 },
		{ "git and not error or name = push", 7 },
		{ "message ~ \"no such\"", 4 },
		{ "message = \"a \\\"quote\\\"\"", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct filter_error error;
		struct filter *filter = filter_new(table[i].text, FILTER_ROWS_PROCESS, 0, &error);
		unsigned matches = 0;

		if (!filter)
			print_error("%s: column %zu: %s\n", table[i].text, error.column,
				    error.message);
		assert_non_null(filter);
		for (unsigned s = 0; s < 3; s++)
			if (filter_match(filter, &subjects[s], subject_values))
				matches |= 1u << s;
		if (matches != table[i].matches)
			print_error("%s\n", table[i].text);
		assert_int_equal(matches, table[i].matches);
		filter_free(filter);
	}
}

static void errors_point_at_their_column(void **state)
{
	static const struct {
		const char *text;
		size_t column;
		const char *expected;
	} table[] = {
		{ "name =", 6, "expected a value" },
		{ "nmae = fetch", 0, "expected a field" },
		{ "elapsed > fast", 10, "expected a duration" },
		{ "elapsed ~ 5", 8, "expected = != <" },
		{ "name < x", 5, "expected = != ~" },
		{ "state = dead", 8, "expected running" },
		{ "error = 1", 6, "takes no operator" },
		{ "(fetch", 6, "expected )" },
		{ "fetch)", 5, "expected and, or, or the end" },
		{ "not", 3, "expected a field, a word" },
		{ "fetch and", 9, "expected a field, a word" },
		{ "argv ~ \"a[\"", 10, "regular expression" },
		{ "name = \"open", 12, "closing" },
		{ "depth = 99999999999999999999", 8, "expected a number" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct filter_error error = { 0 };

		assert_null(filter_new(table[i].text, FILTER_ROWS_PROCESS, 0, &error));
		if (error.column != table[i].column || !strstr(error.message, table[i].expected))
			print_error("%s: column %zu: %s\n", table[i].text, error.column,
				    error.message);
		assert_int_equal(error.column, table[i].column);
		assert_non_null(strstr(error.message, table[i].expected));
	}
}

static void hostile_expressions_are_bounded(void **state)
{
	struct filter_error error;
	struct subject subject = { .argv = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!" };
	struct filter *filter;
	char deep[4096];

	(void)state;
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	assert_null(filter_new(deep, FILTER_ROWS_PROCESS, 0, &error));
	memset(deep, 'x', sizeof(deep) - 1);
	for (size_t i = 1; i < sizeof(deep) - 1; i += 2)
		deep[i] = ' ';
	assert_null(filter_new(deep, FILTER_ROWS_PROCESS, 0, &error));
	filter = filter_new("argv ~ \"(a+)+$\"", FILTER_ROWS_PROCESS, 0, &error);
	assert_non_null(filter);
	assert_false(filter_match(filter, &subject, subject_values));
	assert_true(filter_limit_hits(filter) > 0);
	filter_free(filter);
}

static void collect(void *data, const char *word)
{
	char *to = data;

	strcat(to, word);
	strcat(to, " ");
}

static const char *completions(const char *text, unsigned rows, size_t *from)
{
	static char words[2048];
	struct filter_offers offers = { rows, subject_values, &subjects[0], collect, words };

	words[0] = '\0';
	*from = filter_complete(text, strlen(text), &offers);
	return words;
}

static void tab_completes_fields_states_and_values(void **state)
{
	size_t from;

	(void)state;
	assert_string_equal(completions("name = x and el", FILTER_ROWS_PROCESS, &from), "elapsed ");
	assert_int_equal(from, 13);
	assert_string_equal(completions("state = re", FILTER_ROWS_PROCESS, &from), "replaced ");
	assert_int_equal(from, 8);
	assert_non_null(strstr(completions("", FILTER_ROWS_PROCESS, &from), "worktree "));
	assert_non_null(strstr(completions("", FILTER_ROWS_PROCESS, &from), "not "));
	assert_string_equal(completions("category = ", FILTER_ROWS_PROCESS, &from), "fetch index ");
	assert_string_equal(completions("category=in", FILTER_ROWS_PROCESS, &from), "index ");
	assert_int_equal(from, 9);
	assert_string_equal(completions("argv = git", FILTER_ROWS_PROCESS, &from),
			    "\"git fetch --all\" ");
	assert_string_equal(completions("count", FILTER_ROWS_PROCESS, &from), "counter ");
	assert_string_equal(completions("cla", FILTER_ROWS_CHILD, &from), "class ");
	assert_string_equal(completions("name = f", FILTER_ROWS_CHILD, &from), "");
	assert_string_equal(completions("x and data ", FILTER_ROWS_PROCESS, &from),
			    "index/read/cache_nr index/read/version ");
	assert_int_equal(from, 11);
	assert_string_equal(completions("data index/read/v", FILTER_ROWS_PROCESS, &from),
			    "index/read/version ");
	assert_string_equal(completions("data index/read/cache_nr = ", FILTER_ROWS_PROCESS, &from),
			    "300 ");
	assert_string_equal(completions("data index/nosuch = ", FILTER_ROWS_PROCESS, &from), "");
	assert_string_equal(completions("data nosuch = ", FILTER_ROWS_PROCESS, &from), "");
}

static void lists_the_fields_of_the_rows(void **state)
{
	static const struct {
		const char *text;
		unsigned rows;
		size_t column;
		const char *expected;
	} table[] = {
		{ "event = error", FILTER_ROWS_PROCESS, 0, "'event' is not a field of these rows" },
		{ "count > 3 and pid = 5", FILTER_ROWS_TIMING, 14, "timings: category" },
		{ "x or nosuch = 3", FILTER_ROWS_REGION, 5, "expected a field before '=', one" },
		{ "category = x", FILTER_ROWS_CHILD, 0, "children: argv" },
		{ "name = x", 0, 0, "type words only" },
		{ "count = 3", FILTER_ROWS_EVENT, 0, "events: event" },
		{ "data = 3", FILTER_ROWS_PROCESS, 5, "expected CATEGORY/KEY after 'data'" },
		{ "data x > 3", FILTER_ROWS_PROCESS, 5, "expected CATEGORY/KEY after 'data'" },
		{ "data c/k > x", FILTER_ROWS_PROCESS, 11, "expected a number" },
		{ "counter c/k ~ 3", FILTER_ROWS_PROCESS, 12, "expected = != < <= > or >=" },
		{ "timer c/k > x", FILTER_ROWS_PROCESS, 12, "expected a duration" },
		{ "param \"x", FILTER_ROWS_PROCESS, 8, "expected a closing" },
		{ "category = 3", FILTER_ROWS_OCCURRENCE, 0, "occurrences: elapsed" },
	};
	struct filter_error error;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_null(filter_new(table[i].text, table[i].rows, 0, &error));
		if (error.column != table[i].column || !strstr(error.message, table[i].expected))
			print_error("%s: %zu: %s\n", table[i].text, error.column, error.message);
		assert_int_equal(error.column, table[i].column);
		assert_non_null(strstr(error.message, table[i].expected));
	}
	struct filter *filter = filter_new("error", 0, 0, &error);

	assert_non_null(filter);
	filter_free(filter);
}

static bool is_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (; *words; words += strcspn(words, " ") + 1)
		if (strcspn(words, " ") == len && !memcmp(words, word, len))
			return true;
	return false;
}

/* The name of a flag is accepted for other kinds of rows, too, as a word to search. */
static void rejects_fields_of_other_rows(void **state)
{
	static const char *const tests[] = {
		[ATTRIBUTE_TYPE_TEXT] = "%s ~ x",       [ATTRIBUTE_TYPE_NUMBER] = "%s >= 3",
		[ATTRIBUTE_TYPE_DURATION] = "%s < 2ms", [ATTRIBUTE_TYPE_TIME] = "%s > 15m",
		[ATTRIBUTE_TYPE_STATE] = "%s = lost",   [ATTRIBUTE_TYPE_FLAG] = "%s",
		[ATTRIBUTE_TYPE_VALUE] = "%s > 3",
	};
	struct filter_error error;
	char text[80], name[40];
	size_t from;

	(void)state;
	for (int field = FILTER_NONE + 1; field < NR_FILTER_FIELDS; field++) {
		const struct filter_field_desc *desc = &filter_fields[field];

		assert_true(desc->rows && *desc->name && *desc->doc);
		snprintf(name, sizeof(name), desc->key ? "%s c/k" : "%s", desc->name);
		snprintf(text, sizeof(text), tests[desc->type], name);
		for (unsigned rows = 1; rows <= FILTER_ROWS_OCCURRENCE; rows *= 2) {
			struct filter *filter = filter_new(text, rows, 0, &error);
			bool is_taken = desc->rows & rows;

			if ((filter != NULL) != (is_taken || desc->type == ATTRIBUTE_TYPE_FLAG))
				print_error("%s, rows %u\n", text, rows);
			assert_true((filter != NULL) ==
				    (is_taken || desc->type == ATTRIBUTE_TYPE_FLAG));
			filter_free(filter);
			assert_true(is_word(completions(desc->name, rows, &from), desc->name) ==
				    is_taken);
		}
	}
	assert_null(filter_new("nosuch = 3", FILTER_ROWS_PROCESS, 0, &error));
}

static bool is_given(void *data, const struct value *value)
{
	(void)value;
	*(bool *)data = true;
	return true;
}

/* Without a function that returns its values, a field would never match. */
static void every_field_of_processes_and_events_has_values(void **state)
{
	static const char parent[] = "20260102T030405.600000Z-Habcdef01-P000004d1";
	static const char p[] = "20260102T030405.600000Z-Habcdef01-P000004d1/"
				"20260102T030405.678901Z-Habcdef01-P000004d2";
	static const char *const matching[] = {
		"repo = w",
		"alias = f",
		"hook = pre-push",
		"user = 1",
		"path ~ git$",
		"format = perf",
		"user != me",
		"repo != /w",
		"parent = pull",
		"command = \"fetch origin\" and argument = origin",
		"option = --all and option = -v and option != --late",
		"class = hook",
		"error_format = bad and error_format = worse",
		"nesting = 1",
		"self_time = 5s",
		"param k = v",
		"param k ~ ^v$ and param k != w and not param k > 0",
		"param \"two words\" >= 1k and param \"two words\" < 1.5k",
		"data c/deep/key > 100k and data c/deep/key = 200000",
		"not data c/deep/key > 1M and data c/nosuch != 3",
		"counter c/n >= 7 and not counter c/n > 7",
		"timer c/t > 1s",
		"fetch param data timer", /* words: no operator follows */
		"param user = 1",         /* a word, and the field `user` */
	};
	struct model *m;
	struct script s;

	(void)state;
	script_init(&s);
	s.uid = 1;
	script_agent_stream(&s, 1, 0, true, "lab.one");
	script_event(&s, "cmd_name", parent, 0, "'name':'pull','hierarchy':'pull'");
	script_about_trace(&s, p, "perf", 0, NULL);
	script_event(&s, "version", p, 0, "'evt':'4','exe':'2.55'");
	script_event(
		&s, "start", p, 0,
		"'t_abs':0.001,'argv':['git','-v','fetch','--all','origin','param','data','timer',"
		"'--','--late']");
	script_event(&s, "cmd_name", p, 0, "'name':'fetch','hierarchy':'fetch'");
	script_event(&s, "cmd_mode", p, 0, "'name':'quick'");
	script_event(&s, "cmd_path", p, 0, "'path':'/usr/bin/git'");
	script_event(&s, "alias", p, 0, "'alias':'f','argv':['fetch']");
	script_event(&s, "child_start", p, 0.1,
		     "'child_id':0,'child_class':'hook','hook_name':'pre-push','argv':['h']");
	script_event(&s, "def_repo", p, 0, "'repo':1,'worktree':'/w'");
	script_event(&s, "def_param", p, 0, "'scope':'local','param':'k','value':'v'");
	script_event(&s, "child_exit", p, 0.6, "'child_id':0,'pid':9,'code':0,'t_rel':0.5");
	script_event(&s, "def_param", p, 0, "'scope':'local','param':'two words','value':'1200'");
	script_event(&s, "error", p, 0.1, "'msg':'bad','fmt':'bad'");
	script_event(&s, "error", p, 0.1, "'msg':'worse'");
	script_event(&s, "data", p, 1, "'nesting':1,'category':'c','key':'deep/key','value':'5'");
	script_event(&s, "data", p, 1,
		     "'nesting':1,'category':'c','key':'deep/key','value':'200000'");
	script_event(&s, "counter", p, 1, "'category':'c','name':'n','count':7");
	script_event(
		&s, "timer", p, 1,
		"'category':'c','name':'t','intervals':2,'t_total':1.5,'t_min':0.5,'t_max':1.0");
	script_event(&s, "region_enter", p, 1, "'nesting':1,'category':'c','label':'l'");
	script_event(&s, "data", p, 1,
		     "'t_abs':1,'t_rel':0,'nesting':2,'category':'c','key':'k','value':'v'");
	script_event(&s, "region_leave", p, 2,
		     "'t_rel':1.0,'nesting':1,'category':'c','label':'l'");
	script_event(&s, "signal", p, 3, "'t_abs':3,'signo':15");
	script_event(&s, "atexit", p, 5.5, "'t_abs':5.5,'code':128");
	m = script_model(&s, -1, 0);
	for (int field = FILTER_NONE + 1; field < NR_FILTER_FIELDS; field++) {
		const struct process *process = script_process(m, p);
		bool by_process = false, by_event = false;
		struct event ev;

		filter_process_value(m, process, (enum filter_field)field, is_given, &by_process);
		for (unsigned i = 0; i < s.nr_batches; i++) {
			struct batch_cursor cursor = batch_begin(s.batches[i]);

			while (batch_next(&cursor, &ev))
				if (event_is_trace2(&ev))
					filter_event_value(m, process, s.batches[i], &ev,
							   (enum filter_field)field, is_given,
							   &by_event);
		}
		if (by_process != !!(filter_fields[field].rows & FILTER_ROWS_PROCESS) ||
		    (!by_event && filter_fields[field].rows & FILTER_ROWS_EVENT))
			print_error("%s: by process %d, by event %d\n", filter_fields[field].name,
				    by_process, by_event);
		assert_true(by_process == !!(filter_fields[field].rows & FILTER_ROWS_PROCESS));
		assert_true(by_event || !(filter_fields[field].rows & FILTER_ROWS_EVENT));
	}
	for (size_t i = 0; i < sizeof(matching) / sizeof(matching[0]); i++) {
		struct filter_error error;
		struct filter *filter = filter_new(matching[i], FILTER_ROWS_PROCESS, 0, &error);

		if (!filter || !filter_process(filter, m, model_find_sid(m, p, strlen(p))))
			print_error("%s: %s\n", matching[i], filter ? "no match" : error.message);
		assert_non_null(filter);
		assert_true(filter_process(filter, m, model_find_sid(m, p, strlen(p))));
		filter_free(filter);
	}
	model_free(m);
	script_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions_match_the_right_rows),
		cmocka_unit_test(errors_point_at_their_column),
		cmocka_unit_test(hostile_expressions_are_bounded),
		cmocka_unit_test(tab_completes_fields_states_and_values),
		cmocka_unit_test(lists_the_fields_of_the_rows),
		cmocka_unit_test(rejects_fields_of_other_rows),
		cmocka_unit_test(every_field_of_processes_and_events_has_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
