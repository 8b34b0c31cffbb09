/* SPDX-License-Identifier: MIT */
/* Tests of the export of OpenTelemetry spans. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h must follow the headers that it needs. */
#include <cmocka.h>

#include "engine/base/utf8.h"
#include "monitor/base/json.h"
#include "monitor/base/scan.h"
#include "monitor/base/sha256.h"
#include "monitor/report/otlp_priv.h"
#include "tests/journal_script.h"

#define ROOT  "20260102T030405.000006Z-H0123abcd-P00000001"
#define CHILD ROOT "/20260102T030405.100000Z-H0123abcd-P00000002"

static void assert_hex(const uint8_t *bytes, size_t nr, const char *hex)
{
	char text[2 * SHA256_BYTES + 1] = "";

	for (size_t i = 0; i < nr; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	assert_string_equal(text, hex);
}

static void sha256_matches_the_standard(void **state)
{
	uint8_t digest[SHA256_BYTES], *many = malloc(1000000);

	(void)state;
	sha256("", 0, digest);
	assert_hex(digest, 32, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	sha256("abc", 3, digest);
	assert_hex(digest, 32, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, digest);
	assert_hex(digest, 32, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	memset(many, 'a', 1000000);
	sha256(many, 1000000, digest);
	assert_hex(digest, 32, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(many);
}

/* The ids were computed by another program with the rule of trace2receiver's trace2sids.go. */
static void ids_match_trace2receiver(void **state)
{
	static const struct {
		const char *sid, *trace, *span, *parent, *region, *child, *exec;
	} rows[] = {
		{ ROOT, "96c0144455f15e9053b8ee5d43c46d6c", "a32651bc96149773", NULL,
		  "260fdbf955358a10", "51bd775c02270f31", "00c302523fd35764" },
		{ CHILD, "96c0144455f15e9053b8ee5d43c46d6c", "94c6ee1ee83ac8f6", "a32651bc96149773",
		  "e69d8fc9a4a52077", "850d44d1f113630e", "c38a17a8d39372e7" },
		{ "a/b/c", "ca978112ca1bbdcafac231b39a23dc4d", "3393a2029d241394",
		  "8bbd7a0088d42c4a", "4bba6235a55edcf8", "d4094ecf4ac0a20f", "0a5c3d7ba5e114dd" },
		{ "", "e3b0c44298fc1c149afbf4c8996fb924", "27ae41e4649b934c", NULL,
		  "85cd7787daaaf9be", "268827af6708fa0a", "285cfa3a98d2db10" },
		{ "x/", "2d711642b726b04401627ca9fbac32f5", "27ae41e4649b934c", "c8530fb1903cc4db",
		  "a92e3351e4273486", "7a198894072b5b25", "16c79fce22f376f9" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct otlp_ids ids;
		uint8_t id[OTLP_SPAN_BYTES];

		otlp_ids_of_sid(rows[i].sid, strlen(rows[i].sid), &ids);
		assert_hex(ids.trace, OTLP_TRACE_BYTES, rows[i].trace);
		assert_hex(ids.span, OTLP_SPAN_BYTES, rows[i].span);
		assert_int_equal(ids.has_parent, rows[i].parent != NULL);
		if (rows[i].parent)
			assert_hex(ids.parent, OTLP_SPAN_BYTES, rows[i].parent);
		otlp_ids_inner(&ids, "region", 7, "main", 4, id);
		assert_hex(id, OTLP_SPAN_BYTES, rows[i].region);
		otlp_ids_inner(&ids, "child", 0, NULL, 0, id);
		assert_hex(id, OTLP_SPAN_BYTES, rows[i].child);
		otlp_ids_inner(&ids, "exec", 3, NULL, 0, id);
		assert_hex(id, OTLP_SPAN_BYTES, rows[i].exec);
	}
}

struct reported {
	struct script script;
	struct otlp *otlp;
	struct tr2_buf text; /* exported objects, one per line */
	uint64_t nr;
	uint32_t largest;
	unsigned ran; /* number of batches that were applied */
};

static void assert_json(const char *json, size_t len)
{
	struct diag why = { 0 };
	char *line = calloc(len + 1 + SCAN_PAD, 1);
	struct json_check check = { .base = line, .why = &why };
	const char *behind;
	uint32_t ch;

	memcpy(line, json, len);
	line[len] = '\n';
	behind = json_skip(&check, line, 0);
	assert_ptr_equal(behind, line + len);
	assert_null(memchr(line, '\n', len));
	for (size_t at = 0, step; at < len; at += step) {
		step = tr2_utf8_decode(json + at, len - at, &ch);
		assert_true(ch >= ' ' && (ch != 0xfffd || step == 3));
	}
	free(line);
}

static void spans_told(void *data, const char *json, size_t len, uint32_t nr)
{
	struct reported *t = data;

	assert_json(json, len);
	tr2_buf_add(&t->text, json, len);
	tr2_buf_addch(&t->text, '\n');
	t->nr += nr;
	if (nr > t->largest)
		t->largest = nr;
}

static void begin_within(struct reported *t, size_t max_bytes)
{
	memset(t, 0, sizeof(*t));
	script_init(&t->script);
	tr2_buf_init(&t->text, SIZE_MAX / 2);
	t->otlp = otlp_new(&(struct otlp_config){ .syms = &t->script.syms,
						  .host_digest = "H0123abcd",
						  .host_name = "build-01",
						  .max_bytes = max_bytes,
						  .spans = spans_told,
						  .data = t });
}

static void begin(struct reported *t)
{
	begin_within(t, 0);
}

static void run(struct reported *t, ns_t now)
{
	for (; t->ran < t->script.nr_batches; t->ran++) {
		const struct batch *batch = t->script.batches[t->ran];
		struct batch_cursor cursor = batch_begin(batch);
		struct event ev;

		otlp_batch(t->otlp, batch, now);
		while (batch_next(&cursor, &ev))
			otlp_record(t->otlp, batch, &ev);
	}
	script_cut(&t->script);
}

static void end(struct reported *t)
{
	otlp_free(t->otlp);
	script_release(&t->script);
	tr2_buf_release(&t->text);
}

static unsigned count_of(struct reported *t, const char *word)
{
	unsigned nr = 0;

	for (const char *at = tr2_buf_cstr(&t->text); (at = strstr(at, word)); at += strlen(word))
		nr++;
	return nr;
}

#define assert_told(t, word) assert_true(count_of(t, word) > 0)

static void a_command(struct reported *t)
{
	struct script *s = &t->script;

	script_event(s, "version", CHILD, 1, "'evt':'3','exe':'2.39.5'");
	script_event(s, "start", CHILD, 1.001, "'t_abs':0.001,'argv':['/usr/bin/Git.EXE','fetch']");
	script_event(s, "cmd_name", CHILD, 1.002, "'name':'fetch','hierarchy':'pull/fetch'");
	script_event(s, "cmd_mode", CHILD, 1.003, "'name':'all'");
	script_event(s, "def_repo", CHILD, 1.004, "'repo':1,'worktree':'/w'");
	script_event(s, "def_param", CHILD, 1.004, "'scope':'global','param':'a.b','value':'1'");
	script_event(s, "region_enter", CHILD, 1.1,
		     "'nesting':1,'category':'Remote Refs','label':'a-b.c','msg':'why'");
	script_event(s, "data", CHILD, 1.15,
		     "'t_abs':0.2,'t_rel':0.05,'nesting':2,'category':'index','key':'read',"
		     "'value':'42'");
	script_event(s, "data_json", CHILD, 1.16,
		     "'nesting':2,'category':'c','key':'j','value':{'a':[1,'x']}");
	script_event(s, "region_leave", CHILD, 1.2,
		     "'t_rel':0.1,'nesting':1,'category':'Remote Refs','label':'a-b.c'");
	script_event(s, "child_start", CHILD, 1.3,
		     "'child_id':0,'child_class':'hook','hook_name':'post-merge',"
		     "'use_shell':false,'argv':['h','x y']");
	script_event(s, "child_exit", CHILD, 1.4, "'child_id':0,'pid':77,'code':3,'t_rel':0.1");
	script_event(s, "error", CHILD, 1.5, "'msg':'no such remote','fmt':'no such %s'");
	script_event(s, "timer", CHILD, 1.5,
		     "'category':'t','name':'n','intervals':2,'t_total':0.25,'t_min':0.1,"
		     "'t_max':0.15");
	script_event(s, "counter", CHILD, 1.5,
		     "'category':'t','name':'n','count':9007199254740993");
	script_event(s, "atexit", CHILD, 2, "'t_abs':1,'code':1");
}

static void writes_spans_of_a_command(void **state)
{
	struct reported t;

	(void)state;
	begin(&t);
	a_command(&t);
	run(&t, 0);
	assert_int_equal(t.nr, 3);
	assert_string_equal(
		tr2_buf_cstr(&t.text),
		"{\"resource\":{\"attributes\":["
		"{\"key\":\"service.namespace\",\"value\":{\"stringValue\":\"trace2\"}},"
		"{\"key\":\"service.name\",\"value\":{\"stringValue\":\"Git:fetch#all\"}},"
		"{\"key\":\"service.version\",\"value\":{\"stringValue\":\"2.39.5\"}},"
		"{\"key\":\"trace2.cmd.version\",\"value\":{\"stringValue\":\"2.39.5\"}},"
		"{\"key\":\"service.instance.id\",\"value\":{\"stringValue\":\"" CHILD "\"}},"
		"{\"key\":\"trace2.cmd.sid\",\"value\":{\"stringValue\":\"" CHILD "\"}},"
		"{\"key\":\"host.id\",\"value\":{\"stringValue\":\"H0123abcd\"}},"
		"{\"key\":\"host.name\",\"value\":{\"stringValue\":\"build-01\"}}]},"
		"\"scopeSpans\":[{\"scope\":{\"name\":\"trace2top\",\"version\":\"" PACKAGE_VERSION
		"\"},\"spans\":["
		"{\"traceId\":\"96c0144455f15e9053b8ee5d43c46d6c\",\"spanId\":\"850d44d1f113630e\","
		"\"parentSpanId\":\"94c6ee1ee83ac8f6\",\"name\":\"child(hook:post-merge)\","
		"\"kind\":1,\"startTimeUnixNano\":\"1767323041300000000\","
		"\"endTimeUnixNano\":\"1767323041400000000\",\"attributes\":["
		"{\"key\":\"trace2.span.type\",\"value\":{\"stringValue\":\"child\"}},"
		"{\"key\":\"trace2.child.class\",\"value\":{\"stringValue\":\"hook\"}},"
		"{\"key\":\"trace2.child.hook\",\"value\":{\"stringValue\":\"post-merge\"}},"
		"{\"key\":\"trace2.child.argv\",\"value\":{\"stringValue\":"
		"\"[\\\"h\\\",\\\"x y\\\"]\"}},"
		"{\"key\":\"thread.name\",\"value\":{\"stringValue\":\"main\"}},"
		"{\"key\":\"trace2.child.pid\",\"value\":{\"intValue\":\"77\"}},"
		"{\"key\":\"trace2.child.exitcode\",\"value\":{\"intValue\":\"3\"}}],"
		"\"status\":{\"code\":2}},"
		"{\"traceId\":\"96c0144455f15e9053b8ee5d43c46d6c\",\"spanId\":\"94dd085711a84571\","
		"\"parentSpanId\":\"94c6ee1ee83ac8f6\",\"name\":\"region(remote_refs,a_b_c)\","
		"\"kind\":1,\"startTimeUnixNano\":\"1767323041100000000\","
		"\"endTimeUnixNano\":\"1767323041200000000\",\"attributes\":["
		"{\"key\":\"trace2.data.index.read\",\"value\":{\"intValue\":\"42\"}},"
		"{\"key\":\"trace2.data.c.j\",\"value\":{\"stringValue\":"
		"\"{\\\"a\\\":[1,\\\"x\\\"]}\"}},"
		"{\"key\":\"trace2.span.type\",\"value\":{\"stringValue\":\"region\"}},"
		"{\"key\":\"trace2.region.category\",\"value\":{\"stringValue\":\"Remote Refs\"}},"
		"{\"key\":\"trace2.region.label\",\"value\":{\"stringValue\":\"a-b.c\"}},"
		"{\"key\":\"trace2.region.nesting\",\"value\":{\"intValue\":\"1\"}},"
		"{\"key\":\"trace2.region.message\",\"value\":{\"stringValue\":\"why\"}},"
		"{\"key\":\"thread.name\",\"value\":{\"stringValue\":\"main\"}}]},"
		"{\"traceId\":\"96c0144455f15e9053b8ee5d43c46d6c\",\"spanId\":\"94c6ee1ee83ac8f6\","
		"\"parentSpanId\":\"a32651bc96149773\",\"name\":\"Git:fetch#all\",\"kind\":2,"
		"\"startTimeUnixNano\":\"1767323041000000000\","
		"\"endTimeUnixNano\":\"1767323042000000000\",\"attributes\":["
		"{\"key\":\"process.command_args\",\"value\":{\"arrayValue\":{\"values\":["
		"{\"stringValue\":\"/usr/bin/Git.EXE\"},{\"stringValue\":\"fetch\"}]}}},"
		"{\"key\":\"trace2.cmd.argv\",\"value\":{\"stringValue\":"
		"\"[\\\"/usr/bin/Git.EXE\\\",\\\"fetch\\\"]\"}},"
		"{\"key\":\"trace2.cmd.hierarchy\",\"value\":{\"stringValue\":\"pull/fetch\"}},"
		"{\"key\":\"trace2.repo.set.1\",\"value\":{\"stringValue\":\"/w\"}},"
		"{\"key\":\"trace2.param.set.a.b\",\"value\":{\"stringValue\":\"1\"}},"
		"{\"key\":\"trace2.cmd.error.message\",\"value\":{\"stringValue\":"
		"\"no such remote\"}},"
		"{\"key\":\"trace2.cmd.error.format\",\"value\":{\"stringValue\":\"no such %s\"}},"
		"{\"key\":\"trace2.timer.t.n.total_sec\",\"value\":{\"doubleValue\":0.250000}},"
		"{\"key\":\"trace2.timer.t.n.min_sec\",\"value\":{\"doubleValue\":0.100000}},"
		"{\"key\":\"trace2.timer.t.n.max_sec\",\"value\":{\"doubleValue\":0.150000}},"
		"{\"key\":\"trace2.timer.t.n.intervals\",\"value\":{\"intValue\":\"2\"}},"
		"{\"key\":\"trace2.counter.t.n\",\"value\":{\"intValue\":\"9007199254740993\"}},"
		"{\"key\":\"trace2.span.type\",\"value\":{\"stringValue\":\"process\"}},"
		"{\"key\":\"trace2.cmd.name\",\"value\":{\"stringValue\":\"Git\"}},"
		"{\"key\":\"trace2.cmd.name_verb\",\"value\":{\"stringValue\":\"Git:fetch\"}},"
		"{\"key\":\"trace2.cmd.name_verb_mode\",\"value\":{\"stringValue\":"
		"\"Git:fetch#all\"}},"
		"{\"key\":\"trace2.cmd.exit_code\",\"value\":{\"intValue\":\"1\"}},"
		"{\"key\":\"process.exit.code\",\"value\":{\"intValue\":\"1\"}},"
		"{\"key\":\"process.pid\",\"value\":{\"intValue\":\"2\"}}],"
		"\"status\":{\"code\":2,\"message\":\"no such remote\"}}]}]}\n");
	otlp_end(t.otlp);
	assert_int_equal(t.nr, 3);
	end(&t);
}

static void ends_a_process_at_every_kind_of_end(void **state)
{
	struct reported t;
	unsigned nr_codes;

	(void)state;
	begin(&t);
	/* The connection of two processes is closed: one has an exit code, the other has none. */
	script_stream(&t.script, 5, 1, true);
	script_event(&t.script, "start", "a", 1, "'t_abs':0.1,'argv':['git']");
	script_event(&t.script, "exit", "a", 2, "'t_abs':0.1,'code':0");
	script_event(&t.script, "start", "b", 1, "'t_abs':0.1,'argv':['git']");
	script_event(&t.script, "region_enter", "b", 2, "'nesting':1,'label':'l'");
	script_event(&t.script, "child_start", "b", 3, "'child_id':0,'argv':['x']");
	script_stream(&t.script, 6, 1, true);
	script_event(&t.script, "start", "c", 1, "'t_abs':0.1,'argv':['git']");
	run(&t, 0);
	assert_int_equal(t.nr, 0);
	script_stream_end(&t.script, 5);
	run(&t, 0);
	assert_int_equal(t.nr, 4);
	assert_int_equal(count_of(&t, "trace2.region.open"), 1);
	assert_int_equal(count_of(&t, "trace2.incomplete"), 2);
	/* Processes end in three ways: the pid vanished; a signal; exec of another program. */
	script_pid(&t.script, true, "c", 1);
	script_pid(&t.script, false, "c", 1);
	script_event(&t.script, "signal", "d", 3, "'t_abs':0.1,'signo':15");
	script_stream(&t.script, 7, 1, true);
	script_event(&t.script, "exec", "e", 3, "'exec_id':0,'exe':'/x/git-y','argv':['git-y']");
	script_stream_end(&t.script, 7);
	run(&t, 0);
	assert_int_equal(t.nr, 8);
	assert_int_equal(count_of(&t, "trace2.incomplete"), 3); /* the process c */
	assert_told(&t, "\"trace2.cmd.exit_code\",\"value\":{\"intValue\":\"143\"}");
	assert_int_equal(count_of(&t, "\"status\":{\"code\":2}"), 1);
	assert_told(&t, "\"name\":\"exec(git-y)\"");
	nr_codes = count_of(&t, "trace2.cmd.exit_code");
	script_event(&t.script, "signal", "f", 3, "'t_abs':0.1,'signo':9223372036854775807");
	run(&t, 0);
	assert_int_equal(count_of(&t, "trace2.cmd.exit_code"), nr_codes);
	assert_told(&t, "\"trace2.cmd.signal\",\"value\":{\"intValue\":\"9223372036854775807\"}");
	otlp_end(t.otlp);
	assert_int_equal(t.nr, 9);
	end(&t);
}

static void exports_long_processes_early_and_at_their_end(void **state)
{
	struct otlp_stats stats;
	struct reported t;

	(void)state;
	begin(&t);
	script_event(&t.script, "start", "a", 1, "'t_abs':0.1,'argv':['git']");
	script_event(&t.script, "region_enter", "a", 2, "'nesting':1,'label':'outer'");
	script_event(&t.script, "data", "a", 2, "'nesting':2,'category':'c','key':'k','value':'v'");
	script_event(&t.script, "region_enter", "a", 3, "'nesting':2,'label':'inner'");
	script_event(&t.script, "child_start", "a", 3, "'child_id':0,'argv':['x']");
	run(&t, 5 * NS_PER_SEC);
	otlp_report_old(t.otlp, 5 * NS_PER_SEC + OTLP_LONG_NS - 1);
	assert_int_equal(t.nr, 0);
	otlp_report_old(t.otlp, 5 * NS_PER_SEC + OTLP_LONG_NS);
	assert_int_equal(t.nr, 4);
	assert_int_equal(count_of(&t, "trace2.incomplete"), 4);
	assert_int_equal(count_of(&t, "trace2.region.open"), 2);
	assert_int_equal(count_of(&t, "trace2.data.c.k"), 1);
	/* The process is not exported again before OTLP_LONG_NS has passed. */
	otlp_report_old(t.otlp, 5 * NS_PER_SEC + 2 * OTLP_LONG_NS - 1);
	assert_int_equal(t.nr, 4);
	otlp_stats(t.otlp, &stats);
	assert_int_equal(stats.running, 1);
	tr2_buf_clear(&t.text);
	script_event(&t.script, "region_leave", "a", 4, "'t_rel':1.0,'nesting':2,'label':'inner'");
	script_event(&t.script, "region_leave", "a", 5, "'t_rel':3.0,'nesting':1,'label':'outer'");
	script_event(&t.script, "child_exit", "a", 6, "'child_id':0,'pid':1,'code':0,'t_rel':3.0");
	script_event(&t.script, "atexit", "a", 7, "'t_abs':6.0,'code':0");
	run(&t, 0);
	assert_int_equal(t.nr, 8);
	assert_int_equal(count_of(&t, "trace2.incomplete"), 0);
	assert_int_equal(count_of(&t, "trace2.region.open"), 0);
	assert_int_equal(count_of(&t, "trace2.data.c.k"), 1);
	script_event(&t.script, "region_enter", "a", 8, "'nesting':1,'label':'late'");
	script_event(&t.script, "region_leave", "a", 9, "'t_rel':1.0,'nesting':1,'label':'late'");
	run(&t, 0);
	otlp_end(t.otlp);
	assert_int_equal(t.nr, 9);
	assert_told(&t, "\"name\":\"region(C,late)\"");
	end(&t);
}

#define ROOM (1u << 20)

static size_t run_looking(struct reported *t)
{
	struct otlp_stats stats;

	run(t, 0);
	otlp_stats(t->otlp, &stats);
	return stats.bytes;
}

/* 5,000 regions never end, first one per thread, then all in one: a process may use only a part of
 * the memory. */
static void memory_of_threads_is_bounded(void **state)
{
	struct otlp_stats stats;
	unsigned told;
	struct reported t;
	char text[300];

	(void)state;
	begin_within(&t, ROOM);
	script_event(&t.script, "start", "a", 1, "'t_abs':0.1,'argv':['git']");
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "'thread':'t%u','nesting':1,'label':'l'", i);
		script_event(&t.script, "region_enter", "a", 2, text);
		if (i % 100)
			continue;
		script_cut(&t.script);
		assert_true(run_looking(&t) < ROOM / 4);
	}
	a_command(&t);
	run(&t, 0);
	assert_told(&t, "region(remote_refs,a_b_c)");
	otlp_end(t.otlp);
	otlp_stats(t.otlp, &stats);
	told = count_of(&t, "trace2.region.open");
	assert_true(told > 100);
	assert_int_equal(stats.left_out, 5000 - told);
	assert_int_equal(stats.cut, 0);
	snprintf(text, sizeof(text), "\"trace2.left_out_regions\",\"value\":{\"intValue\":\"%u\"",
		 5000 - told);
	assert_told(&t, text);
	otlp_format_left_out(t.otlp, text, sizeof(text));
	assert_non_null(
		strstr(text, "regions were left out (trace2.left_out_regions): limits: 1 MiB"));
	end(&t);
	begin_within(&t, ROOM);
	for (unsigned i = 0; i < 5000; i++)
		script_event(&t.script, "region_enter", "a", 2, "'nesting':1,'label':'l'");
	run(&t, 0);
	otlp_end(t.otlp);
	otlp_stats(t.otlp, &stats);
	assert_true(stats.bytes < ROOM / 4);
	assert_int_equal(count_of(&t, "trace2.region.open") + stats.left_out, 5000);
	end(&t);
}

static void memory_of_all_processes_is_bounded(void **state)
{
	struct otlp_stats stats;
	char sid[40], text[3000], value[2000];
	struct reported t;

	(void)state;
	memset(value, 'v', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	begin_within(&t, ROOM);
	for (unsigned i = 0; i < 2000; i++) {
		snprintf(sid, sizeof(sid), "sid-%u", i % 500);
		snprintf(text, sizeof(text), "'nesting':1,'label':'l','msg':'%s'", value);
		script_event(&t.script, "region_enter", sid, 2, text);
		script_event(&t.script, "region_leave", sid, 3,
			     "'t_rel':1.0,'nesting':1,'label':'l'");
		if (i % 50)
			continue;
		script_cut(&t.script);
		assert_true(run_looking(&t) < 2 * ROOM);
	}
	run(&t, 0);
	otlp_end(t.otlp);
	otlp_stats(t.otlp, &stats);
	assert_int_equal(stats.cut, 0);
	assert_int_equal(t.nr, 2500);
	assert_int_equal(count_of(&t, "trace2.region.message"), 2000);
	end(&t);

	begin_within(&t, ROOM);
	script_event(&t.script, "start", "small", 1, "'t_abs':0.1,'argv':['git','small']");
	for (unsigned i = 0; i < 2000; i++) {
		snprintf(sid, sizeof(sid), "sid-%u", i / 100);
		snprintf(text, sizeof(text),
			 "'t_abs':1.0,'nesting':1,'category':'c','key':'k%u','value':'%s'", i,
			 value);
		script_event(&t.script, "data", sid, 2, text);
		if (i % 50)
			continue;
		script_cut(&t.script);
		assert_true(run_looking(&t) < 2 * ROOM);
	}
	script_event(&t.script, "atexit", "small", 3, "'t_abs':2.0,'code':7");
	run(&t, 0);
	otlp_end(t.otlp);
	otlp_stats(t.otlp, &stats);
	assert_true(stats.cut > 0);
	assert_int_equal(count_of(&t, "\"key\":\"trace2.data.c.k"), 2000);
	assert_told(&t, "\"trace2.cmd.exit_code\",\"value\":{\"intValue\":\"7\"}");
	assert_int_equal(count_of(&t, "\"stringValue\":\"small\"}]}"), 1);
	end(&t);
}

static void drops_late_data_of_ended_processes(void **state)
{
	struct otlp_stats before, after;
	struct reported t;

	(void)state;
	begin(&t);
	script_event(&t.script, "atexit", "a", 1, "'t_abs':1.0,'code':0");
	run(&t, 0);
	otlp_stats(t.otlp, &before);
	for (unsigned i = 0; i < 100; i++) {
		char text[200];

		snprintf(text, sizeof(text),
			 "'t_abs':1.0,'nesting':1,'category':'c','key':'k%u','value':'v'", i);
		script_event(&t.script, "data", "a", 2, text);
		script_event(&t.script, "error", "a", 2, "'msg':'late'");
	}
	run(&t, 0);
	otlp_stats(t.otlp, &after);
	assert_int_equal(before.bytes, after.bytes);
	end(&t);
}

static void memory_depends_on_running_processes(void **state)
{
	struct otlp_stats st;
	struct reported t;

	(void)state;
	begin(&t);
	/* A process that never ends is exported in small parts. */
	for (int i = 0; i < 2000; i++) {
		script_event(&t.script, "region_enter", "long", 1 + i, "'nesting':1,'label':'l'");
		script_event(&t.script, "region_leave", "long", 1.5 + i,
			     "'t_rel':0.5,'nesting':1,'label':'l'");
	}
	for (unsigned i = 0; i < 3 * OTLP_MAX_ENDED; i++) {
		char sid[40];

		if (i % 1000 == 0)
			script_cut(&t.script);
		snprintf(sid, sizeof(sid), "sid-%u", i);
		script_event(&t.script, "start", sid, 1, "'t_abs':0.1,'argv':['git']");
		script_event(&t.script, "region_enter", sid, 2,
			     "'thread':'th01:x','nesting':1,'label':'l'");
		script_event(&t.script, "atexit", sid, 3, "'t_abs':2.0,'code':0");
	}
	run(&t, 0);
	otlp_end(t.otlp);
	assert_int_equal(t.nr, 2000 + 1 + 3 * OTLP_MAX_ENDED * 2);
	assert_true(t.largest <= OTLP_TOLD_SPANS);
	assert_true(t.otlp->spans.nr_processes <= OTLP_MAX_ENDED + 2 * 1000 + 2);
	assert_true(t.otlp->spans.nr_threads <= 2 * (OTLP_MAX_ENDED + 2 * 1000 + 2));
	end(&t);
	begin(&t);
	for (unsigned i = 0; i < OTLP_MAX_RUNNING + 500; i++) {
		char sid[40];

		snprintf(sid, sizeof(sid), "sid-%u", i);
		script_event(&t.script, "start", sid, 1, "'t_abs':0.1,'argv':['git']");
	}
	script_cut(&t.script);
	script_event(&t.script, "atexit", "sid-0", 3, "'t_abs':2.0,'code':0");
	run(&t, 0);
	assert_int_equal(t.nr, 500);
	otlp_stats(t.otlp, &st);
	assert_int_equal(st.cut, 500);
	otlp_end(t.otlp);
	assert_int_equal(t.nr, OTLP_MAX_RUNNING + 500);
	end(&t);
}

static void spans_have_the_host_of_their_agent(void **state)
{
	struct event ev = { .kind = REC_STREAM };
	struct reported t;

	(void)state;
	begin(&t);
	event_set(&ev, FLD_STREAM, 9);
	event_set(&ev, FLD_AGENT, script_sym(&t.script, "lab.build-07.example"));
	batch_add(t.script.batches[t.script.nr_batches - 1], &ev);
	script_event(&t.script, "atexit", ROOT, 3, "'t_abs':2.0,'code':0");
	script_stream(&t.script, 10, 1, true);
	script_event(&t.script, "atexit", CHILD, 3, "'t_abs':2.0,'code':0");
	run(&t, 0);
	assert_int_equal(t.nr, 2);
	assert_told(&t, "{\"key\":\"trace2.agent\",\"value\":{\"stringValue\":"
			"\"lab.build-07.example\"}}");
	assert_told(&t, "{\"key\":\"host.name\",\"value\":{\"stringValue\":"
			"\"build-07.example\"}}");
	assert_int_equal(count_of(&t, "build-01"), 1);
	end(&t);
}

static uint32_t dice(uint32_t *seed, uint32_t sides)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % sides;
}

/* Random text for a JSON string: bytes from blank on, except quotes, backslashes and percent signs;
 * escapes; ill-formed UTF-8. */
static void hostile_text(uint32_t *seed, char *out)
{
	static const char *const pieces[] = { "\\u0000",  "\\u001b[2J",   "\\ud800",      "\\\"",
					      "\\\\",     "\\n",          "</script>",    "\xc3",
					      "\xf5\x80", "\xed\xa0\x80", "\xe2\x80\xa8", "\x80",
					      "\xff" };
	size_t at = 0;

	for (uint32_t n = dice(seed, 12); n; n--) {
		if (dice(seed, 2)) {
			const char *piece = pieces[dice(seed, sizeof(pieces) / sizeof(*pieces))];

			memcpy(out + at, piece, strlen(piece));
			at += strlen(piece);
		} else {
			unsigned char c = (unsigned char)(' ' + dice(seed, 224));

			out[at++] =
				(char)(c == '"' || c == '\\' || c == '\'' || c == '%' ? '.' : c);
		}
	}
	out[at] = '\0';
}

static const char *const events[] = { "start",     "cmd_name",     "cmd_mode",     "def_param",
				      "def_repo",  "region_enter", "region_leave", "data",
				      "data_json", "child_start",  "child_exit",   "child_ready",
				      "exec",      "exec_result",  "error",        "timer",
				      "counter",   "alias",        "cmd_ancestry", "version",
				      "exit",      "atexit",       "signal",       "printf" };

static void writes_valid_json_for_any_bytes(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 60; seed++) {
		uint32_t dice_seed = seed;
		struct reported t;

		begin(&t);
		t.script.cut_every = 1 + seed % 9;
		for (int i = 0; i < 250; i++) {
			char a[160], b[160], c[160], more[3000], sid[400];

			hostile_text(&dice_seed, a);
			hostile_text(&dice_seed, b);
			hostile_text(&dice_seed, c);
			snprintf(sid, sizeof(sid), "s%u%s", dice(&dice_seed, 3),
				 dice(&dice_seed, 2) ? "" : a);
			snprintf(
				more, sizeof(more),
				"'thread':'%s','t_abs':1.0,'t_rel':0.%u,'nesting':%u,'code':%u,"
				"'category':'%s','label':'%s','key':'%s','msg':'%s','value':%s%s%s,"
				"'argv':['%s','%s'],'ancestry':['%s'],'name':'%s','exe':'%s',"
				"'param':'%s','worktree':'%s','child_id':%u,'exec_id':%u,"
				"'child_class':'%s','fmt':'%s','signo':%u,'t_total':0.5",
				a, dice(&dice_seed, 9), dice(&dice_seed, 4), dice(&dice_seed, 3), b,
				c, a, b, i % 2 ? "'" : "{'k':'", c, i % 2 ? "'" : "'}", a, b, c, c,
				b, a, b, dice(&dice_seed, 3), dice(&dice_seed, 3), c, a,
				dice(&dice_seed, 20));
			script_event(&t.script,
				     events[dice(&dice_seed, sizeof(events) / sizeof(*events))],
				     sid, 1 + i, more);
		}
		run(&t, 0);
		otlp_report_old(t.otlp, OTLP_LONG_NS);
		otlp_end(t.otlp);
		assert_true(t.nr > 3);
		end(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256_matches_the_standard),
		cmocka_unit_test(ids_match_trace2receiver),
		cmocka_unit_test(writes_spans_of_a_command),
		cmocka_unit_test(ends_a_process_at_every_kind_of_end),
		cmocka_unit_test(exports_long_processes_early_and_at_their_end),
		cmocka_unit_test(memory_depends_on_running_processes),
		cmocka_unit_test(memory_of_threads_is_bounded),
		cmocka_unit_test(memory_of_all_processes_is_bounded),
		cmocka_unit_test(drops_late_data_of_ended_processes),
		cmocka_unit_test(spans_have_the_host_of_their_agent),
		cmocka_unit_test(writes_valid_json_for_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
