/* SPDX-License-Identifier: MIT */
/* Tests of reports, some of which are compared with golden files (tests/data/report). */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/utf8.h"
#include "monitor/base/visible.h"
#include "monitor/report/report.h"
#include "monitor/report/tables.h"
#include "tests/journal_script.h"

struct fixture {
	struct script s;
	struct model *m;
	struct journal *journal;
	struct report_input input;
	char *text;
};

static const struct source_stats sources[] = {
	{ .spec = "t\033[31m.event",
	  .kind = "file",
	  .format = "event",
	  .bytes = 1234,
	  .records = 30,
	  .events = 28,
	  .malformed = 1,
	  .unknown = 1,
	  .oversized = 1 },
};

static const struct report_origin origin = { .written = 1767323110 * NS_PER_SEC,
					     .program = "trace2top 1.2",
					     .host = "here, Linux \033[1m, 2 processors" };

static void write_script(struct script *s)
{
	const char *p = "20260102T030405.678901Z-Habcdef01-P000004d2";
	const char *c = "20260102T030405.678901Z-Habcdef01-P000004d2/x-Localhost-P00000010";

	script_event(s, "version", p, 0, "'evt':'4','exe':'2.55'");
	script_event(s, "start", p, 0, "'t_abs':0.001,'argv':['git','fetch','\\u001b[2J']");
	script_event(s, "cmd_ancestry", p, 0, "'ancestry':['bash']");
	script_event(s, "cmd_path", p, 0, "'path':'/usr/bin/git'");
	script_event(s, "cmd_name", p, 0, "'name':'fetch','hierarchy':'fetch'");
	script_event(s, "cmd_mode", p, 0, "'name':'quick'");
	script_event(s, "alias", p, 0, "'alias':'f','argv':['fetch']");
	script_event(s, "def_repo", p, 0, "'repo':1,'worktree':'/w'");
	script_event(s, "def_param", p, 0, "'scope':'local','param':'k'");
	script_event(s, "error", p, 0.1, "'msg':'bad \xff\xe2\x80\xae','fmt':'bad %s'");
	script_event(s, "region_enter", p, 1, "'nesting':1,'category':'c','label':'outer'");
	script_event(s, "data_json", p, 1,
		     "'t_abs':1,'t_rel':0,'nesting':2,'category':'c','key':'k','value':{'a':[1]}");
	script_event(s, "data", p, 1,
		     "'t_abs':1,'t_rel':0,'nesting':2,'category':'c','key':'k','value':'v'");
	script_event(s, "region_enter", p, 1, "'nesting':2,'category':'c','label':'inner'");
	script_event(s, "region_leave", p, 2,
		     "'t_rel':1.0,'nesting':2,'category':'c','label':'inner'");
	script_event(s, "region_leave", p, 3,
		     "'t_rel':2.0,'nesting':1,'category':'c','label':'outer'");
	script_event(s, "child_start", p, 3,
		     "'child_id':0,'child_class':'hook','hook_name':'h','cd':'/d','use_shell':true,"
		     "'argv':['sh']");
	script_event(s, "start", c, 3.5, "'thread':'th01:w','argv':['child']");
	script_event(s, "region_enter", c, 3.5, "'nesting':1,'label':'never left','msg':'m'");
	script_event(s, "region_leave", c, 3.5,
		     "'t_rel':0.000001,'nesting':1,'category':'c','label':'l'");
	script_event(s, "region_enter", c, 3.75, "'nesting':1,'label':'never left','msg':'m'");
	script_event(s, "zap", c, 4, "");
	script_event(s, "child_ready", p, 4, "'child_id':0,'pid':16,'ready':'ready','t_rel':1.0");
	script_event(s, "exec", p, 5, "'exec_id':0,'exe':'x','argv':['x']");
	script_event(s, "exec_result", p, 5, "'exec_id':0,'code':2");
	script_event(s, "th_timer", p, 5,
		     "'category':'c','name':'n','intervals':2,'t_total':0.5,'t_min':0.1,'t_max'"
		     ":0.4");
	script_event(s, "counter", p, 5, "'category':'c','name':'n','count':7");
	script_event(s, "atexit", p, 5.5, "'t_abs':5.5,'code':128");
}

static struct journal *journal_of(const struct script *s)
{
	struct journal *journal = journal_new(1 << 20, NULL, NULL);

	for (unsigned i = 0; i < s->nr_batches; i++)
		journal_push(journal, batch_compact(s->batches[i]));
	while (journal_next(journal))
		;
	return journal;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	script_init(&f->s);
	f->s.cut_every = 2;
	write_script(&f->s);
	f->m = script_model(&f->s, -1, 0);
	f->input = (struct report_input){ .model = f->m,
					  .end = UINT64_MAX,
					  .nesting = -1,
					  .depth = -1,
					  .top = -1,
					  .sources = sources,
					  .nr_sources = 1,
					  .origin = &origin };
	f->input.journal = f->journal = journal_of(&f->s);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	model_free(f->m);
	journal_free(f->journal);
	script_release(&f->s);
	free(f->text);
	free(f);
	return 0;
}

static const char *report(struct fixture *f, enum exporter_row exporter)
{
	size_t len;
	FILE *to;

	free(f->text);
	f->text = NULL;
	to = open_memstream(&f->text, &len);
	assert_non_null(to);
	assert_true(report_write(exporters[exporter].ops, to, &f->input));
	fclose(to);
	return f->text;
}

/* The golden file is tests/data/report/`name`. TEST_UPDATE_GOLDEN rewrites it; review the
 * difference before you commit it. */
static void assert_golden(const char *got, const char *name)
{
	const char *dir = getenv("abs_top_srcdir");
	char path[4096], *want = calloc(1, 1 << 20);
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/data/report/%s", dir ? dir : ".", name);
	if (getenv("TEST_UPDATE_GOLDEN")) {
		file = fopen(path, "w");
		assert_non_null(file);
		fputs(got, file);
		fclose(file);
	}
	file = fopen(path, "r");
	assert_non_null(file);
	assert_true(fread(want, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	assert_string_equal(got, want);
	free(want);
}

static void the_json_report_has_every_key_of_the_contract(void **state)
{
	assert_golden(report(*state, EXPORTER_JSON), "small.json");
}

static void the_text_report_shows_the_panes_tables(void **state)
{
	assert_golden(report(*state, EXPORTER_TEXT), "small.txt");
}

static void no_control_character_reaches_either_report(void **state)
{
	for (int e = 0; e < NR_EXPORTERS; e++) {
		const char *text;

		if (exporters[e].ops->needs_file)
			continue;
		text = report(*state, (enum exporter_row)e);
		assert_int_equal(tr2_utf8_valid_prefix(text, strlen(text)), strlen(text));
		for (const char *s = text; *s; s++)
			assert_true((unsigned char)*s >= 0x20 || *s == '\n' ||
				    (s[0] == '\r' && s[1] == '\n')); /* CSV ends lines with CR LF */
	}
	assert_null(strstr(report(*state, EXPORTER_TEXT), "\xe2\x80\xae"));
}

/* part of each hostile text: C0, DEL, C1, controls of the direction of text and a line separator,
 * raw or escaped */
#define HOSTILE "\\u001b[2J\\u0007\x7f\xc2\x9b\\u0085\xe2\x80\xae\\u2066\xe2\x80\xa8"

static void write_hostile_script(struct script *s)
{
	const char *p = "20260102T030405.678901Z-Habcdef01-P000004d2" HOSTILE;

	script_event(s, "version", p, 0, "'evt':'4" HOSTILE "','exe':'2.55" HOSTILE "'");
	script_event(s, "start", p, 0, "'t_abs':0.001,'argv':['git','" HOSTILE "']");
	script_event(s, "cmd_ancestry", p, 0, "'ancestry':['" HOSTILE "']");
	script_event(s, "cmd_path", p, 0, "'path':'" HOSTILE "'");
	script_event(s, "cmd_name", p, 0, "'name':'" HOSTILE "','hierarchy':'" HOSTILE "'");
	script_event(s, "cmd_mode", p, 0, "'name':'" HOSTILE "'");
	script_event(s, "alias", p, 0, "'alias':'" HOSTILE "','argv':['" HOSTILE "']");
	script_event(s, "def_repo", p, 0, "'repo':1,'worktree':'" HOSTILE "'");
	script_event(s, "def_param", p, 0, "'param':'" HOSTILE "','value':'" HOSTILE "'");
	script_event(s, "error", p, 0.1, "'msg':'" HOSTILE "','fmt':'" HOSTILE "'");
	script_event(s, "region_enter", p, 1,
		     "'nesting':1,'category':'" HOSTILE "','label':'" HOSTILE "','msg':'" HOSTILE
		     "'");
	script_event(s, "data_json", p, 1,
		     "'t_abs':1,'t_rel':0,'nesting':2,'category':'" HOSTILE "','key':'" HOSTILE
		     "','value':{'" HOSTILE "':['" HOSTILE "']}");
	script_event(s, "data", p, 1,
		     "'t_abs':1,'t_rel':0,'nesting':2,'category':'" HOSTILE "','key':'" HOSTILE
		     "','value':'" HOSTILE "'");
	script_event(s, "region_leave", p, 3,
		     "'t_rel':2.0,'nesting':1,'category':'" HOSTILE "','label':'" HOSTILE "'");
	script_event(s, "child_start", p, 3,
		     "'child_id':0,'child_class':'" HOSTILE "','hook_name':'" HOSTILE
		     "','cd':'" HOSTILE "','argv':['" HOSTILE "']");
	script_event(s, "th_timer", p, 5,
		     "'category':'" HOSTILE "','name':'" HOSTILE "','intervals':2,'t_total':0.5,"
		     "'t_min':0.1,'t_max':0.4");
	script_event(s, "counter", p, 5, "'category':'" HOSTILE "','name':'" HOSTILE "','count':7");
	script_event(s, "zap" HOSTILE, p, 5, "'" HOSTILE "':['" HOSTILE "']");
	script_event(s, "atexit", p, 5.5, "'t_abs':5.5,'code':128");
}

/* In JSON, characters above U+009F may remain. */
static void assert_harmless(const char *text, bool is_json)
{
	size_t len = strlen(text), step;

	assert_true(len);
	for (size_t i = 0; i < len; i += step) {
		bool crlf = text[i] == '\r' && text[i + 1] == '\n'; /* CSV ends lines with CR LF */
		uint32_t ch;

		step = tr2_utf8_decode(text + i, len - i, &ch);
		if (ch == '\n' || crlf || (is_json && ch >= 0xA0))
			continue;
		if (visible_is_control(ch))
			fail_msg("U+%04X in: %.60s", (unsigned)ch, text + (i < 50 ? 0 : i - 50));
	}
}

/* Call `check` with every report of the script, in every format and table that needs no file. */
static void check_reports(struct fixture *f, void (*check)(const char *text, bool is_json))
{
	f->m = script_model(&f->s, -1, 0);
	f->input.model = f->m;
	f->input.journal = f->journal = journal_of(&f->s);
	for (int e = 0; e < NR_EXPORTERS; e++) {
		int nr = exporters[e].ops->takes_table ? NR_TABLES : 1;

		if (exporters[e].ops->needs_file)
			continue;
		for (f->input.table = 0; f->input.table < nr; f->input.table++) {
			const char *text = report(f, (enum exporter_row)e);

			check(text, *text == '{' || *text == '[');
		}
	}
	model_free(f->m);
	journal_free(f->journal);
	script_release(&f->s);
	free(f->text);
}

static void every_format_escapes_or_replaces_control_characters(void **state)
{
	struct fixture f = { .m = NULL };

	(void)state;
	script_init(&f.s);
	write_hostile_script(&f.s);
	f.input = (struct report_input){ .end = UINT64_MAX,
					 .nesting = -1,
					 .depth = -1,
					 .top = -1,
					 .parts = true,
					 .findings = true,
					 .sources = sources,
					 .nr_sources = 1,
					 .filter = "name = \033\xc2\x9b\xe2\x80\xae",
					 .origin = &origin };
	check_reports(&f, assert_harmless);
}

/* INT64_MIN stands for an unknown number or time: these are its digits, its seconds and its
 * date. */
static void assert_no_absent_number(const char *text, bool is_json)
{
	static const char *const forms[] = { "9223372036854775", "9223372036.85", "1677-09-21" };

	(void)is_json;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		const char *at = strstr(text, forms[i]);

		if (at)
			fail_msg("an absent number in: %.80s", at - text < 60 ? text : at - 60);
	}
}

static void no_format_prints_an_absent_number(void **state)
{
	static const char *const events[] = {
		"start",        "version",      "child_start",  "child_exit",   "child_ready",
		"exec",         "exec_result",  "region_enter", "region_leave", "data",
		"data_json",    "thread_start", "thread_exit",  "th_timer",     "timer",
		"counter",      "th_counter",   "error",        "def_param",    "def_repo",
		"cmd_ancestry", "printf",       "signal",
	};
	struct fixture f = { .input = { .end = UINT64_MAX,
					.nesting = -1,
					.depth = -1,
					.top = -1,
					.parts = true,
					.findings = true } };

	(void)state;
	script_init(&f.s);
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		script_line(&f.s, "{'event':'%s','sid':'a'}", events[i]);
		if (i % 7 == 0)
			script_line(&f.s, "{'event':'%s','sid':'b/c%zu'}", events[i], i);
	}
	script_line(&f.s, "{'event':'atexit','sid':'d'}");
	check_reports(&f, assert_no_absent_number);
}

static void findings_are_those_of_all_roots(void **state)
{
	struct fixture f = {
		.input = { .nesting = -1, .depth = -1, .top = 3, .parts = true, .findings = true }
	};
	const char *text;

	(void)state;
	script_init(&f.s);
	for (int i = 0; i < 9; i++) {
		char sid[16], rest[80];

		snprintf(sid, sizeof(sid), "s%02d", i);
		snprintf(rest, sizeof(rest), "'argv':['git','n%02d']", i);
		script_event(&f.s, "start", sid, i, rest);
		snprintf(rest, sizeof(rest), "'category':'c%02d','label':'l','nesting':1", i);
		script_event(&f.s, "region_enter", sid, i, rest);
		snprintf(rest, sizeof(rest), "'t_abs':%d,'code':0", i + 1);
		script_event(&f.s, "atexit", sid, 30 + i, rest);
	}
	f.m = f.input.model = script_model(&f.s, -1, 0);
	text = report(&f, EXPORTER_TEXT);
	assert_non_null(strstr(text, "(region-left-open)"));
	/* One row per kind: --top limits kinds, not runs. */
	assert_non_null(strstr(strstr(text, "\nFindings\n"), "9 runs: n"));
	assert_null(strstr(strstr(text, "(region-left-open)") + 1, "(region-left-open)"));
	/* The parts shown are those of the longest roots. */
	assert_non_null(strstr(text, "Parts of the wall time: n08\n"));
	assert_null(strstr(text, "Parts of the wall time: n00\n"));
	free(f.text);
	model_free(f.m);
	script_release(&f.s);
}

static unsigned occurrences(const char *text, const char *word, double *sum)
{
	unsigned nr = 0;

	*sum = 0;
	for (; (text = strstr(text, word)); nr++) {
		text += strlen(word);
		*sum += strtod(text, NULL);
	}
	return nr;
}

/* The text judges each root once, as JSON does, whatever --top is. */
static void text_and_json_agree_on_findings_and_parts(void **state)
{
	static const int tops[] = { 1, 3, 8, -1 };
	struct fixture f = {
		.input = { .nesting = -1, .depth = -1, .parts = true, .findings = true }
	};
	double json_sum, text_sum;
	char line[80];

	(void)state;
	script_init(&f.s);
	for (int i = 0; i < 9; i++) {
		char sid[16], rest[80];

		snprintf(sid, sizeof(sid), "s%02d", i);
		script_event(&f.s, "start", sid, i, "'t_abs':0,'argv':['git','status']");
		script_event(&f.s, "cmd_name", sid, i, "'name':'status','hierarchy':'status'");
		script_event(&f.s, "region_enter", sid, i,
			     "'category':'dir','label':'read_directory','nesting':1");
		snprintf(rest, sizeof(rest),
			 "'category':'dir','label':'read_directory','nesting':1,'t_rel':0.%d",
			 i + 1);
		script_event(&f.s, "region_leave", sid, i + 0.1 * (i + 1), rest);
		snprintf(rest, sizeof(rest), "'t_abs':0.%d,'code':0", i + 1);
		script_event(&f.s, "atexit", sid, i + 0.1 * (i + 1), rest);
	}
	f.m = f.input.model = script_model(&f.s, -1, 0);
	for (size_t i = 0; i < sizeof(tops) / sizeof(*tops); i++) {
		const char *text;

		f.input.top = -1;
		assert_int_equal(occurrences(strstr(report(&f, EXPORTER_JSON), "\"findings\""),
					     "\"held\":", &json_sum),
				 9);
		f.input.top = tops[i];
		text = report(&f, EXPORTER_TEXT);
		snprintf(line, sizeof(line), "\nFindings, could save %.2fs\n", json_sum);
		assert_non_null(strstr(text, line));
		assert_non_null(strstr(text, "9 runs: status 9x"));
		/* Each of the longest roots has its parts once. */
		assert_int_equal(occurrences(text, "\nParts of the wall time: status\n", &text_sum),
				 tops[i] < 0 ? 9 : tops[i]);
	}
	free(f.text);
	model_free(f.m);
	script_release(&f.s);
}

static void empty_sections_are_left_out(void **state)
{
	static const char *const headings[] = {
		"Summary",          "Events by name", "Processes by depth",
		"Threads, regions", "Timings",        "Commands"
	};
	struct source_stats broken[] = {
		{ .spec = "good", .kind = "file", .state = SOURCE_DONE },
		{ .spec = "gone",
		  .kind = "file",
		  .state = SOURCE_FAILED,
		  .error = "No such file or directory" },
		{ .spec = "bad", .kind = "file", .state = SOURCE_FAILED, .error = "x" },
	};
	struct fixture f = { .input = { .nesting = -1,
					.depth = -1,
					.top = -1,
					.findings = true,
					.sources = broken,
					.nr_sources = 3 } };
	const char *text;

	(void)state;
	script_init(&f.s);
	f.m = f.input.model = script_model(&f.s, -1, 0);
	text = report(&f, EXPORTER_TEXT);
	assert_ptr_equal(strstr(text, "error: gone: No such file or directory (and 1 more source)"
				      "\n\ntrace2top report\n"),
			 text);
	for (size_t i = 0; i < sizeof(headings) / sizeof(*headings); i++)
		if (strstr(text, headings[i]))
			fail_msg("%s in\n%s", headings[i], text);
	assert_non_null(strstr(text, "\n\nFindings: none\n"));
	assert_null(strstr(text, "\n\n\n"));
	f.input.nr_sources = 1;
	text = report(&f, EXPORTER_TEXT);
	assert_ptr_equal(strstr(text, "trace2top report\n"), text);
	free(f.text);
	model_free(f.m);
	script_release(&f.s);
}

static void depth_chooses_rows_and_timings_but_not_totals(void **state)
{
	struct fixture *f = *state;
	const char *text;

	f->input.depth = 0;
	text = report(f, EXPORTER_JSON);
	assert_non_null(strstr(text, "\"depth\": 0,\n"));
	assert_null(strstr(text, "never left"));
	assert_null(strstr(text, "\"label\": \"l\""));
	assert_non_null(strstr(text, "\"processes\": 2"));
	assert_non_null(strstr(text, "\"regions\": 3"));
}

static const char *line_of(const char *text, const char *heading, int nr)
{
	const char *at = strstr(text, heading);

	assert_non_null(at);
	while (nr--)
		at = strchr(at, '\n') + 1;
	return at;
}

static void assert_begins(const char *line, const char *words)
{
	if (strncmp(line, words, strlen(words)))
		fail_msg("'%.60s' is not '%s'", line, words);
}

static void top_keeps_failed_and_longest_processes(void **state)
{
	struct fixture f = { .input = { .nesting = -1, .depth = -1, .top = 3 } };
	const char *text;

	(void)state;
	script_init(&f.s);
	for (int i = 0; i < 30; i++) {
		char sid[16], rest[80];

		snprintf(sid, sizeof(sid), "s%02d", i);
		snprintf(rest, sizeof(rest), "'argv':['git','n%02d']", i);
		script_event(&f.s, "start", sid, i, rest);
		script_event(&f.s, "error", sid, i, "'msg':'said'");
		snprintf(rest, sizeof(rest), "'category':'c%02d','label':'l','t_rel':%d", i, i);
		script_event(&f.s, "region_leave", sid, i, rest);
		snprintf(rest, sizeof(rest), "'t_abs':%d,'code':%d", i, i == 4 || i == 28);
		script_event(&f.s, "atexit", sid, 30 + i, rest);
	}
	f.m = f.input.model = script_model(&f.s, -1, 0);
	text = report(&f, EXPORTER_TEXT);
	assert_non_null(strstr(line_of(text, "Processes by depth", 2), "n04\n"));
	assert_non_null(strstr(line_of(text, "Processes by depth", 3), "n28\n"));
	assert_non_null(strstr(line_of(text, "Processes by depth", 4), "n29\n"));
	assert_begins(line_of(text, "Processes by depth", 5), "  ... 27 more; use --top=all\n");
	assert_begins(line_of(text, "Threads, regions", 1), "  git n04\n");
	assert_null(strstr(line_of(text, "Threads, regions", 1), "git n03\n"));
	assert_begins(line_of(text, "Timings", 2), "  c29 ");
	assert_begins(line_of(text, "Timings", 5), "  ... 27 more; use --top=all\n");
	assert_non_null(strstr(line_of(text, "Failed or lost", 1), "n28\n"));
	assert_non_null(strstr(line_of(text, "Failed or lost", 2), "said\n"));
	assert_non_null(strstr(line_of(text, "Failed or lost", 3), "n04\n"));
	assert_begins(line_of(text, "Failed or lost", 5), "  Commands, the longest of 30\n");
	assert_non_null(strstr(line_of(text, "Commands, the longest", 1), "n29\n"));
	assert_non_null(strstr(line_of(text, "Commands, the longest", 5), "n25\n"));
	assert_non_null(strstr(line_of(text, "Regions by self time", 1), "c29/l, 1 time\n"));
	assert_non_null(strstr(text, "processes 30: "));
	f.input.top = 30;
	assert_null(strstr(report(&f, EXPORTER_TEXT), "--top"));
	f.input.top = 0;
	text = report(&f, EXPORTER_TEXT);
	assert_non_null(strstr(text, "Failed or lost\n"));
	assert_begins(line_of(text, "Processes by depth", 2), "  ... 30 more; use --top=all\n");
	free(f.text);
	model_free(f.m);
	script_release(&f.s);
}

static void summary_shows_where_threads_died(void **state)
{
	struct fixture f = { .input = { .nesting = -1, .depth = -1, .top = 100 } };
	const char *text;

	(void)state;
	script_init(&f.s);
	for (int i = 0; i < 2; i++) {
		const char *sid = i ? "died" : "failed";

		script_event(&f.s, "start", sid, 0, "'argv':['git','x']");
		script_event(&f.s, "region_enter", sid, 1,
			     "'nesting':1,'category':'load','label':'index'");
		script_event(&f.s, "region_enter", sid, 1,
			     "'thread':'th01:\\u001bw','nesting':1,'category':'work'");
		script_event(&f.s, "region_enter", sid, 1,
			     "'nesting':2,'category':'load','label':'parse'");
		if (i)
			script_event(&f.s, "signal", sid, 5, "'t_abs':5,'signo':11");
		else
			script_event(&f.s, "exit", sid, 5, "'t_abs':5,'code':1");
	}
	f.m = f.input.model = script_model(&f.s, -1, 0);
	text = line_of(report(&f, EXPORTER_TEXT), "Failed or lost", 1);
	assert_non_null(
		strstr(line_of(text, "SIGSEGV", 1), "died in load/index > load/parse (main)\n"));
	assert_non_null(strstr(line_of(text, "SIGSEGV", 2), "died in work/- (th01:"));
	assert_null(strstr(line_of(text, "SIGSEGV", 3), "died in"));
	free(f.text);
	model_free(f.m);
	script_release(&f.s);
}

static bool keep_depth_one(void *data, const struct model *m, uint32_t slot)
{
	(void)data;
	return model_slot(m, slot)->depth == 1;
}

static bool admit_depth_one(const void *data, const char *sid, size_t len)
{
	(void)data;
	return memchr(sid, '/', len);
}

static void a_filter_computes_timings_in_a_second_pass(void **state)
{
	struct fixture *f = *state;
	struct model *second = model_new(
		&f->s.syms, &(struct model_config){ .nesting = -1, .admit = admit_depth_one });
	const char *text;

	for (unsigned i = 0; i < f->s.nr_batches; i++)
		model_apply(second, f->s.batches[i]);
	model_settle(second);
	f->input.keep = keep_depth_one;
	f->input.timings = second;
	f->input.filter = "depth = 1";
	text = report(f, EXPORTER_JSON);
	assert_non_null(strstr(text, "\"filter\": \"depth = 1\""));
	assert_null(strstr(text, "\"label\": \"outer\""));
	assert_non_null(strstr(text, "\"label\": \"l\""));
	assert_non_null(strstr(text, "\"regions\": 3"));
	model_free(second);
}

static bool one_process(void *data, uint64_t done, uint64_t total)
{
	assert_true(total > 1);
	*(uint64_t *)data = done;
	return done < 1;
}

static void a_cancelled_report_fails_and_writes_no_more_processes(void **state)
{
	struct fixture *f = *state;

	for (int exporter = 0; exporter < NR_EXPORTERS; exporter++) {
		uint64_t done = 0;
		struct work work = { .goes_on = one_process, .data = &done };
		size_t whole, len;
		char *text = NULL;
		FILE *to;

		/* The database and the rules have tests of their own. */
		if (exporters[exporter].ops->needs_file || exporters[exporter].ops->needs_rules)
			continue;
		whole = strlen(report(f, (enum exporter_row)exporter));
		to = open_memstream(&text, &len);

		f->input.work = &work;
		assert_false(report_write(exporters[exporter].ops, to, &f->input));
		assert_int_equal(errno, ECANCELED);
		assert_true(work.broken_off);
		assert_int_equal(done, 1);
		fclose(to);
		assert_true(len < whole);
		free(text);
		f->input.work = NULL;
	}
}

#ifdef HAVE_SQLITE
/* SQLite opens its file by name: only a regular file is accepted. An interrupted export fails. */
static void databases_are_written_to_regular_files_only(void **state)
{
	const struct exporter_ops *sqlite = exporters[EXPORTER_SQLITE].ops;
	struct fixture *f = *state;
	uint64_t done = 0;
	struct work work = { .goes_on = one_process, .data = &done };
	char path[] = "/tmp/test_report.XXXXXX", head[16] = "";
	int fd = mkstemp(path);
	FILE *to;

	assert_true(fd >= 0);
	to = fopen("/dev/null", "w");
	assert_false(report_write(sqlite, to, &f->input));
	assert_int_equal(errno, EINVAL);
	fclose(to);
	to = fdopen(fd, "w");
	assert_true(report_write(sqlite, to, &f->input));
	assert_int_equal(pread(fd, head, 15, 0), 15);
	assert_string_equal(head, "SQLite format 3");
	fclose(to);
	to = fopen(path, "w");
	f->input.work = &work;
	assert_false(report_write(sqlite, to, &f->input));
	assert_int_equal(errno, ECANCELED);
	fclose(to);
	unlink(path);
}
#endif

struct by_events {
	FILE *to;
	int batches;
	uint64_t events;
};

static void *by_events_begin(FILE *to, const struct report_input *input)
{
	struct by_events *report = calloc(1, sizeof(*report));

	assert_non_null(input->model);
	report->to = to;
	fprintf(to, "begin\n");
	return report;
}

static void by_events_batch(void *data, const struct batch *batch, uint32_t records)
{
	struct batch_cursor cursor = batch_begin(batch);
	struct by_events *report = data;
	struct event ev;

	report->batches++;
	for (uint32_t i = 0; i < records && batch_next(&cursor, &ev); i++)
		report->events += event_is_trace2(&ev);
}

static void by_events_end(void *data, FILE *to, const struct report_input *input)
{
	struct by_events *report = data;

	(void)input;
	assert_ptr_equal(to, report->to);
	fprintf(to, "%d batches, %d events\n", report->batches, (int)report->events);
	free(report);
}

static const struct exporter_ops by_events = { by_events_begin, by_events_batch, by_events_end,
					       .needs_file = false };

static char *events_report(struct report_input *input, bool *ok)
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	*ok = report_write(&by_events, to, input);
	fclose(to);
	return text;
}

static void an_exporter_may_go_by_the_events(void **state)
{
	struct fixture *f = *state;
	const struct journal *journal = f->input.journal;
	uint64_t done = 0;
	struct work work = { .goes_on = one_process, .data = &done };
	char *text, want[80];
	bool ok;

	f->input.journal = NULL;
	text = events_report(&f->input, &ok);
	assert_true(ok);
	assert_string_equal(text, "begin\n0 batches, 0 events\n");
	free(text);
	snprintf(want, sizeof(want), "begin\n%u batches, 28 events\n", f->s.nr_batches);
	assert_true(f->s.nr_batches > 2);
	f->input.journal = journal;
	text = events_report(&f->input, &ok);
	assert_true(ok);
	assert_string_equal(text, want);
	free(text);
	f->input.end = 13; /* looking back to this position */
	text = events_report(&f->input, &ok);
	assert_non_null(strstr(text, ", 13 events\n"));
	free(text);
	f->input.end = UINT64_MAX;
	f->input.work = &work;
	text = events_report(&f->input, &ok); /* interrupted: by_events_end() is called */
	assert_false(ok);
	assert_string_equal(text, "begin\n1 batches, 2 events\n");
	free(text);
	f->input.work = NULL;
}

static void an_empty_model_gives_an_empty_report(void **state)
{
	struct fixture *f = *state;
	struct model *empty = model_new(&f->s.syms, &(struct model_config){ .nesting = -1 });

	f->input.model = empty;
	assert_non_null(strstr(report(f, EXPORTER_JSON), "\"processes\": []"));
	assert_non_null(strstr(report(f, EXPORTER_TEXT), "processes 0:"));
	assert_null(strstr(report(f, EXPORTER_TEXT), "by process"));
	assert_null(strstr(report(f, EXPORTER_TEXT), "Timings"));
	model_free(empty);
}

static void report_files_never_overwrite_each_other(void **state)
{
	char dir[] = "/tmp/trace2top-report-XXXXXX", before[4096], first[64], second[64];
	FILE *to;

	(void)state;
	setenv("TZ", "UTC", 1);
	assert_non_null(getcwd(before, sizeof(before)));
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	for (int i = 0; i < 2; i++) {
		char *name = i ? second : first;

		to = report_file_new(EXPORTER_TEXT, 1767356922 * NS_PER_SEC, name, sizeof(first));
		assert_non_null(to);
		fclose(to);
	}
	assert_string_equal(first, "trace2top-20260102-122842.txt");
	assert_string_equal(second, "trace2top-20260102-122842-2.txt");
	to = report_file_new(EXPORTER_JSON, 1767356922 * NS_PER_SEC, first, sizeof(first));
	assert_non_null(to);
	fclose(to);
	assert_string_equal(first, "trace2top-20260102-122842.json");
	assert_int_equal(unlink(first) | unlink("trace2top-20260102-122842.txt") | unlink(second),
			 0);
	assert_int_equal(chdir(before) | rmdir(dir), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_json_report_has_every_key_of_the_contract),
		TEST(the_text_report_shows_the_panes_tables),
		TEST(no_control_character_reaches_either_report),
		cmocka_unit_test(every_format_escapes_or_replaces_control_characters),
		cmocka_unit_test(no_format_prints_an_absent_number),
		cmocka_unit_test(summary_shows_where_threads_died),
		cmocka_unit_test(top_keeps_failed_and_longest_processes),
		cmocka_unit_test(findings_are_those_of_all_roots),
		cmocka_unit_test(text_and_json_agree_on_findings_and_parts),
		cmocka_unit_test(empty_sections_are_left_out),
		TEST(depth_chooses_rows_and_timings_but_not_totals),
		TEST(a_filter_computes_timings_in_a_second_pass),
		TEST(a_cancelled_report_fails_and_writes_no_more_processes),
#ifdef HAVE_SQLITE
		TEST(databases_are_written_to_regular_files_only),
#endif
		TEST(an_exporter_may_go_by_the_events),
		TEST(an_empty_model_gives_an_empty_report),
		cmocka_unit_test(report_files_never_overwrite_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
