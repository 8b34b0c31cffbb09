/* SPDX-License-Identifier: MIT */
/*
 * Tests of the EVENT reader and its rules for unusual input. Built twice: with vector instructions
 * and in plain C.
 */
#include "config.h"

#include "monitor/base/timestamp.h"
#include "tests/reader_fixture.h"

#define SID "\"sid\":\"S/1\""

static void assert_bad(struct reader_fixture *f, const char *text, size_t len, enum diag_code code)
{
	uint32_t mark = batch_text_mark(f->batch), sids = f->batch->nr_sids;

	if (read_bytes(f, text, len) != READ_BAD)
		fail_msg("was read: %.*s", (int)len, text);
	assert_int_equal(f->why.code, code);
	assert_true(f->why.offset <= len);
	assert_non_null(f->why.message);
	assert_int_equal(f->batch->nr_records, 0);
	assert_int_equal(f->batch->nr_sids, sids);
	assert_int_equal(batch_text_mark(f->batch), mark);
}

static const char *with(struct reader_fixture *f, const char *member)
{
	static char text[8192];

	snprintf(text, sizeof(text), "{\"event\":\"data\",%s,%s}", SID, member);
	return good(f, text);
}

#define ASSERT_WITH(member, text) assert_string_equal(with(f, member), "data sid=[S/1]" text "\n")

/* No field takes `member`, "KEY":VALUE, but it is kept for display. */
static void assert_extra(struct reader_fixture *f, const char *member)
{
	const char *value = strchr(member, ':') + 1;
	char want[300];

	snprintf(want, sizeof(want), "data sid=[S/1] extra=([%.*s][%s])\n",
		 (int)(value - member) - 3, member + 1, value);
	assert_string_equal(with(f, member), want);
}

static void keys_come_in_any_order(void **state)
{
	struct reader_fixture *f = *state;

	assert_string_equal(good(f, " { \"code\" :\t3 , \"sid\":\"s\",\"event\" : \"exit\" } \r"),
			    "exit sid=[s] code=3\n");
	assert_string_equal(good(f, "{\"a\":{\"event\":\"x\",\"sid\":\"zzz\"},\"sid\":\"s\","
				    "\"line\":1,\"event\":\"exit\",\"b\":[{\"sid\":\"y\"}]}"),
			    "exit sid=[s] line=1 extra=([a][{\"event\":\"x\",\"sid\":\"zzz\"}]"
			    "[b][[{\"sid\":\"y\"}]])\n");
}

static void last_of_duplicate_keys_wins(void **state)
{
	static const char twice[] = "{\"event\":\"a\",\"sid\":\"b\",\"event\":1}";
	struct reader_fixture *f = *state;

	assert_string_equal(good(f,
				 "{\"event\":\"exit\",\"sid\":\"a\",\"code\":1,\"event\":\"data\","
				 "\"sid\":\"b\",\"code\":2}"),
			    "data sid=[b] code=2\n");
	/* Of several equal keys of a field the last counts, even if its type is wrong. */
	ASSERT_WITH("\"code\":1,\"code\":\"x\"", " extra=([code][\"x\"])");
	ASSERT_WITH("\"value\":\"a\",\"val\\u0075e\":\"b\"", " value=[b]");
	assert_bad(f, twice, strlen(twice), DIAG_EVENT);
}

static void event_and_sid_must_be_strings(void **state)
{
	static const char *const no_event[] = { "{}", "{\"sid\":\"s\"}",
						"{\"event\":null,\"sid\":\"s\"}",
						"{\"event\":[\"x\"],\"sid\":\"s\"}",
						"{\"x\":{\"event\":\"exit\"},\"sid\":\"s\"}" };
	static const char *const no_sid[] = { "{\"event\":\"exit\"}",
					      "{\"event\":\"exit\",\"sid\":5}",
					      "{\"event\":\"exit\",\"sid\":null}" };
	struct reader_fixture *f = *state;

	for (size_t i = 0; i < sizeof(no_event) / sizeof(no_event[0]); i++)
		assert_bad(f, no_event[i], strlen(no_event[i]), DIAG_EVENT);
	for (size_t i = 0; i < sizeof(no_sid) / sizeof(no_sid[0]); i++)
		assert_bad(f, no_sid[i], strlen(no_sid[i]), DIAG_SID);
	assert_string_equal(good(f, "{\"event\":\"exit\",\"sid\":\"\"}"), "exit sid=[]\n");
}

static void counts_invalid_json_as_malformed(void **state)
{
	static const char *const bad[] = {
		"x",
		"{",
		"}",
		"{\"event\"",
		"{\"event\":\"exit\"",
		"{event:1}",
		"{\"a\":1,}",
		"{,}",
		"{\"a\" 1}",
		"{\"a\":1 \"b\":2}",
		"{\"a\":[1,]}",
		"{\"a\":[,1]}",
		"{\"a\":[1}",
		"{\"a\":}",
		"{\"a\":01}",
		"{\"a\":+1}",
		"{\"a\":1.}",
		"{\"a\":.5}",
		"{\"a\":0x10}",
		"{\"a\":1e}",
		"{\"a\":1e+}",
		"{\"a\":-}",
		"{\"a\":1_0}",
		"{\"a\":NaN}",
		"{\"a\":tru}",
		"{\"a\":True}",
		"{\"a\":nul}",
		"{\"a\":'x'}",
		"{\"a\":\"\\x41\"}",
		"{\"a\":\"\\u12G4\"}",
		"{\"a\":\"\\u123\"}",
		"{\"a\":\"\\U0041\"}",
		"{\"a\":\"\x01\"}",
		"{\"a\":\"\t\"}",
		"{\"a\":\"x}",
		"{\"a\":1}{\"b\":2}",
		"{\"a\":1} x",
		"{\"a\":1}]",
		"\xef\xbb\xbf{\"a\":1}",
		"{\"a\":1}\f",
		"\v{\"a\":1}",
		"{\"a\":-01}",
		"{\"a\":--1}",
		"{\"a\":1.e5}",
		"{\"a\":[}]}",
		"{\"a\":{]}}",
		"{\"\\\":1}",
	};
	static const char *const no_object[] = { "1", "\"x\"", "null", "[{}]", "[]", "true" };
	struct reader_fixture *f = *state;
	char line[256];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_bad(f, bad[i], strlen(bad[i]), DIAG_JSON);
	for (size_t i = 0; i < sizeof(no_object) / sizeof(no_object[0]); i++)
		assert_bad(f, no_object[i], strlen(no_object[i]), DIAG_OBJECT);
	/* Invalid values inside an event that is otherwise well-formed. */
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *colon = strchr(bad[i], ':');
		int len;

		if (strncmp(bad[i], "{\"a\":", 5))
			continue;
		len = snprintf(line, sizeof(line), "{\"event\":\"data\"," SID ",\"value\"%s",
			       colon);
		assert_bad(f, line, (size_t)len, DIAG_JSON);
	}
	/* a NUL byte in a string and before the object */
	assert_bad(f, "{\"event\":\"a\0\",\"sid\":\"b\"}", 24, DIAG_JSON);
	assert_bad(f, "\0{\"event\":\"a\",\"sid\":\"b\"}", 24, DIAG_JSON);
}

static void ignores_blank_lines(void **state)
{
	struct reader_fixture *f = *state;

	assert_int_equal(read_bytes(f, "", 0), READ_BLANK);
	assert_int_equal(read_bytes(f, " \t\r", 3), READ_BLANK);
	assert_int_equal(f->batch->nr_records, 0);
	assert_int_equal(read_bytes(f, " \0", 2), READ_BAD);
}

static void nesting_may_be_512_deep(void **state)
{
	struct reader_fixture *f = *state;

	for (unsigned depth = 511; depth <= 512; depth++)
		for (unsigned form = 0; form < 2; form++) {
			struct tr2_buf line;

			tr2_buf_init(&line, 1 << 20);
			tr2_buf_addstr(&line, "{\"event\":\"data_json\"," SID ",\"value\":");
			for (unsigned i = 0; i < depth; i++)
				tr2_buf_addstr(&line, form ? "[" : "{\"a\":");
			tr2_buf_addstr(&line, form ? "" : "1");
			for (unsigned i = 0; i < depth; i++)
				tr2_buf_addstr(&line, form ? "]" : "}");
			tr2_buf_addstr(&line, "}");
			/* The record itself is the first level of nesting. */
			if (depth == 511)
				good(f, tr2_buf_cstr(&line));
			else
				assert_bad(f, line.data, line.len, DIAG_DEPTH);
			tr2_buf_release(&line);
		}
}

static void treats_wrong_types_as_absent(void **state)
{
	static const char *const members[] = {
		"\"thread\":7",
		"\"thread\":null",
		"\"line\":\"13\"",
		"\"line\":12.5",
		"\"line\":true",
		"\"line\":null",
		"\"line\":[1]",
		"\"line\":9223372036854775808",
		"\"line\":1e19",
		"\"line\":-9223372036854775809",
		"\"t_abs\":\"0.5\"",
		"\"t_abs\":true",
		"\"t_abs\":1e400",
		"\"t_abs\":-1e999",
		"\"t_abs\":null",
		"\"time\":5",
		"\"time\":\"now\"",
		"\"argv\":\"git\"",
		"\"argv\":[\"git\",1]",
		"\"argv\":[\"git\",null]",
		"\"argv\":[[\"git\"]]",
		"\"argv\":{}",
		"\"use_shell\":1",
		"\"use_shell\":\"true\"",
		"\"use_shell\":null",
		"\"value\":{\"o\":[1]}",
		"\"value\":5",
		"\"value\":null",
		"\"evt\":4",
		"\"msg\":[]",
		"\"unknown\":1",
		"\"\":1",
		"\"a_key_of_more_than_sixteen_bytes\":\"x\"",
		"\"lin\":1",
		"\"subcommands\":[\"x\"]",
		"\"category\":false",
	};
	struct reader_fixture *f = *state;

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		assert_extra(f, members[i]);
}

static void integers_are_exact_to_their_limits(void **state)
{
	struct reader_fixture *f = *state;

	ASSERT_WITH("\"line\":9223372036854775807", " line=9223372036854775807");
	ASSERT_WITH("\"line\":-9223372036854775808", " line=-9223372036854775808");
	ASSERT_WITH("\"line\":-0", " line=0");
	ASSERT_WITH("\"line\":1.0", " line=1");
	ASSERT_WITH("\"line\":1.5e1", " line=15");
	ASSERT_WITH("\"line\":120e-1", " line=12");
	ASSERT_WITH("\"line\":0e999999999999", " line=0");
	ASSERT_WITH("\"line\":999999999", " line=999999999");
	ASSERT_WITH("\"line\":9999999999", " line=9999999999");
	ASSERT_WITH("\"line\":2147483648", " line=2147483648");
	ASSERT_WITH("\"line\":1E3", " line=1000");
	assert_extra(f, "\"line\":1e-1");
}

static void times_are_exact_nanoseconds(void **state)
{
	struct reader_fixture *f = *state;

	ASSERT_WITH("\"t_abs\":0.000017", " t_abs=17000");
	ASSERT_WITH("\"t_abs\":5.7E-06", " t_abs=5700");
	ASSERT_WITH("\"t_abs\":5.7e-06", " t_abs=5700");
	ASSERT_WITH("\"t_abs\":0.1", " t_abs=100000000");
	ASSERT_WITH("\"t_abs\":7", " t_abs=7000000000");
	ASSERT_WITH("\"t_abs\":-0.5", " t_abs=-500000000");
	ASSERT_WITH("\"t_abs\":0.0003163", " t_abs=316300");
	ASSERT_WITH("\"t_abs\":0.123456789", " t_abs=123456789");
	ASSERT_WITH("\"t_abs\":0.1234567894999", " t_abs=123456789");
	ASSERT_WITH("\"t_abs\":0.1234567895", " t_abs=123456790");
	ASSERT_WITH("\"t_abs\":4e-10", " t_abs=0");
	ASSERT_WITH("\"t_abs\":5e-10", " t_abs=1");
	ASSERT_WITH("\"t_abs\":1e-999999999999", " t_abs=0");
	ASSERT_WITH("\"t_abs\":9223372036.854775807", " t_abs=9223372036854775807");
	assert_extra(f, "\"t_abs\":9223372036.854775808");
	ASSERT_WITH("\"t_abs\":2147.483647", " t_abs=2147483647000");
	ASSERT_WITH("\"t_abs\":2147.483648", " t_abs=2147483648000");
	ASSERT_WITH("\"t_abs\":86400.000001", " t_abs=86400000001000");
	ASSERT_WITH("\"t_abs\":0.00000000000000000000000000001e29", " t_abs=1000000000");
	ASSERT_WITH("\"t_abs\":100000000000000000000000000000e-29", " t_abs=1000000000");
}

static void parses_clocks_in_every_known_form(void **state)
{
	struct reader_fixture *f = *state;
	static const struct {
		const char *text;
		int64_t ns;
	} good_ones[] = {
		{ "2026-11-21T02:47:54.553196Z", 1795229274553196000 },
		{ "2026-11-21T02:47:54.553196+00:00", 1795229274553196000 },
		{ "2026-11-21T02:47:54.553196+00:00Z", 1795229274553196000 },
		{ "2026-11-21T02:47:54.5531967+00:00", 1795229274553196700 },
		{ "2026-11-21T02:47:54.553196712999Z", 1795229274553196712 },
		{ "2026-11-21T02:47:54Z", 1795229274000000000 },
		{ "2026-11-21T02:47:54+00:00", 1795229274000000000 },
		{ "2026-11-21T04:17:54.5+01:30", 1795229274500000000 },
		{ "2026-11-20T21:47:54-05:00", 1795229274000000000 },
		{ "2026-11-21T02:46:60Z", 1795229220000000000 },
		{ "1970-01-01T00:00:00.000001Z", 1000 },
		{ "1969-12-31T23:59:59.000000Z", -1000000000 },
		{ "2000-02-29T12:00:00Z", 951825600000000000 },
		{ "2262-04-11T23:47:16.854775807Z", INT64_MAX },
	};
	static const char *const bad_ones[] = {
		"",
		"Z",
		"2026-11-21T02:47:54",
		"2026-11-21 02:47:54Z",
		"2026-11-21T02:47:54.Z",
		"2026-11-21T02:47:54.5",
		"2026-11-31T02:47:54Z",
		"2026-02-29T02:47:54Z",
		"2026-13-01T02:47:54Z",
		"2026-00-01T02:47:54Z",
		"2026-11-00T02:47:54Z",
		"2026-11-21T24:00:00Z",
		"2026-11-21T02:60:00Z",
		"2026-11-21T02:47:61Z",
		"2026-11-21T02:47:54+01:00Z",
		"2026-11-21T02:47:54+24:00",
		"2026-11-21T02:47:54Zx",
		"02:47:54.553196",
		"2262-04-11T23:47:16.854775808Z",
		"9999-12-31T23:59:59Z",
		"2026-11-21T02:47:5\\u0034Z",
		"1900-02-29T00:00:00Z",
		"2026-11-21T02:47:54.5+0000",
	};
	char member[128];

	for (size_t i = 0; i < sizeof(good_ones) / sizeof(good_ones[0]); i++) {
		ns_t wall;

		assert_true(timestamp_parse(good_ones[i].text, strlen(good_ones[i].text), &wall));
		assert_int_equal(wall, good_ones[i].ns);
		for (int again = 0; again < 2; again++) {
			char want[128];

			snprintf(member, sizeof(member), "\"time\":\"%s\"", good_ones[i].text);
			snprintf(want, sizeof(want), "data sid=[S/1] time=%lld\n",
				 (long long)good_ones[i].ns);
			assert_string_equal(with(f, member), want);
		}
	}
	for (size_t i = 0; i < sizeof(bad_ones) / sizeof(bad_ones[0]); i++) {
		snprintf(member, sizeof(member), "\"time\":\"%s\"", bad_ones[i]);
		assert_extra(f, member);
	}
}

static void days_follow_each_other(void **state)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int64_t want = 0;

	(void)state;
	for (int year = 1970; year < 2262; year++)
		for (int month = 1; month <= 12; month++) {
			int leap = month == 2 && year % 4 == 0 && (year % 100 || year % 400 == 0);

			for (int day = 1; day <= days[month - 1] + leap; day++, want += 86400) {
				char text[64];
				ns_t wall;
				int len = snprintf(text, sizeof(text), "%04d-%02d-%02dT00:00:00Z",
						   year, month, day);

				assert_true(timestamp_parse(text, (size_t)len, &wall));
				assert_int_equal(wall, want * NS_PER_SEC);
			}
		}
}

static void strings_are_decoded(void **state)
{
	struct reader_fixture *f = *state;

	ASSERT_WITH("\"msg\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", " msg=[\"\\/\b\f\n\r\t]");
	ASSERT_WITH("\"msg\":\"\\u0041\\u00e4\\u6F22\"", " msg=[A\xc3\xa4\xe6\xbc\xa2]");
	ASSERT_WITH("\"msg\":\"\\ud83d\\udc69\"", " msg=[\xf0\x9f\x91\xa9]");
	ASSERT_WITH("\"msg\":\"\\ud83d\"", " msg=[\xef\xbf\xbd]");
	ASSERT_WITH("\"msg\":\"\\udc69x\"", " msg=[\xef\xbf\xbdx]");
	ASSERT_WITH("\"msg\":\"\\ud83d\\ud83d\\udc69\"", " msg=[\xef\xbf\xbd\xf0\x9f\x91\xa9]");
	ASSERT_WITH("\"msg\":\"\\ud83d\\u0041\"", " msg=[\xef\xbf\xbd"
						  "A]");
	ASSERT_WITH("\"msg\":\"\\ud83d\\n\"", " msg=[\xef\xbf\xbd\n]");
	ASSERT_WITH("\"msg\":\"\x7f\xc2\x9b\xff\xc3\"", " msg=[\x7f\xc2\x9b\xff\xc3]");
	ASSERT_WITH("\"category\":\"a\\tb\"", " category=[a\tb]");
	ASSERT_WITH("\"argv\":[ \"a\\u0062\" , \"\\\"\",\"]\" ]", " argv=([ab][\"][]])");
	assert_string_equal(good(f, "{\"event\":\"\\u0065xit\",\"s\\u0069d\":\"a\\/b\"}"),
			    "exit sid=[a/b]\n");
}

static void escaped_nul_is_kept(void **state)
{
	static const char want[] = "data sid=[S/1] label=[a\0b] msg=[\0] extra=([line\0][1])\n";
	struct reader_fixture *f = *state;

	with(f, "\"label\":\"a\\u0000b\",\"msg\":\"\\u0000\",\"line\\u0000\":1");
	assert_int_equal(f->text.len, sizeof(want) - 1);
	assert_memory_equal(f->text.data, want, sizeof(want) - 1);
}

static void equal_sids_are_one_in_any_spelling(void **state)
{
	static const char *const lines[] = {
		"{\"event\":\"data\",\"sid\":\"a/b\"}",
		"{\"event\":\"data\",\"sid\":\"a\\/b\"}",
		"{\"sid\":\"\\u0061/b\",\"event\":\"data\"}",
		"{\"event\":\"data\",\"sid\":\"a/b\"}",
	};
	struct reader_fixture *f = *state;

	for (int i = 0; i < 4; i++)
		assert_int_equal(read_bytes(f, lines[i], strlen(lines[i])), READ_OK);
	assert_int_equal(f->batch->nr_sids, 1);
}

/* A SID with escapes may equal the raw text of another record's SID. */
static void decoded_sid_is_not_mistaken_for_raw_text(void **state)
{
	static const char want[] = "data sid=[a\\b]\ndata sid=[a\b]\n";
	static const char *const tabs[] = { "{\"event\":\"data\",\"sid\":\"a\\tb\"}",
					    "{\"event\":\"data\",\"sid\":\"a\tb\"}" };
	static const char *const lines[] = { "{\"event\":\"data\",\"sid\":\"a\\\\b\"}",
					     "{\"event\":\"data\",\"sid\":\"a\\b\"}" };
	struct reader_fixture *f = *state;

	for (int i = 0; i < 2; i++)
		assert_int_equal(read_bytes(f, lines[i], strlen(lines[i])), READ_OK);
	assert_string_equal(batch_as_text(f), want);
	/* A tab in a SID is accepted only as an escape. */
	assert_int_equal(read_bytes(f, tabs[0], strlen(tabs[0])), READ_OK);
	assert_int_equal(read_bytes(f, tabs[1], strlen(tabs[1])), READ_BAD);
}

static void guesses_stay_valid_after_their_batch(void **state)
{
	struct reader_fixture *f = *state;
	char line[128], want[128];

	for (int i = 0; i < 3000; i++) {
		int sid = i * 7 % 41;

		snprintf(line, sizeof(line), "{\"event\":\"data\",\"sid\":\"%d-P0000000%d\"}",
			 sid % 5, sid);
		snprintf(want, sizeof(want), "data sid=[%d-P0000000%d]\n", sid % 5, sid);
		if (i % 13 == 0)
			batch_clear(f->batch);
		assert_int_equal(read_bytes(f, line, strlen(line)), READ_OK);
		tr2_buf_clear(&f->text);
		event_text(&f->text, f->batch, &f->syms);
		assert_string_equal(tr2_buf_cstr(&f->text) + f->text.len - strlen(want), want);
	}
}

static void unknown_events_are_kept_by_name(void **state)
{
	static const char *const others[] = {
		"{\"event\":\"\",\"sid\":\"s\"}",
		"{\"event\":\"exit2\",\"sid\":\"s\"}",
		"{\"event\":\"region_enter_xxxx\",\"sid\":\"s\"}",
		"{\"event\":\"exit\\u0000\",\"sid\":\"s\"}",
		"{\"event\":\"Exit\",\"sid\":\"s\"}",
	};
	struct reader_fixture *f = *state;

	assert_string_equal(good(f, "{\"event\":\"zap\",\"sid\":\"s\",\"thread\":\"t\",\"time\":"
				    "\"1970-01-01T00:00:01Z\",\"new\":{}}"),
			    "? sid=[s] thread=[t] time=1000000000 event=[zap] extra=([new][{}])\n");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_int_equal(read_bytes(f, others[i], strlen(others[i])), READ_UNKNOWN);
}

static void accepts_spellings_of_other_emitters(void **state)
{
	struct reader_fixture *f = *state;

	assert_string_equal(good(f, "{\"event\":\"region_leave\"," SID ",\"RelativeTime\":0.25}"),
			    "region_leave sid=[S/1] t_rel=250000000\n");
	assert_string_equal(good(f, "{\"event\":\"region_leave\"," SID ",\"relative_time_us\":1500,"
				    "\"nesting_level\":3}"),
			    "region_leave sid=[S/1] t_rel=1500000 nesting=3\n");
	/* The canonical key takes precedence in any position, unless its value counts as absent. */
	assert_string_equal(good(f, "{\"event\":\"region_leave\"," SID ",\"t_rel\":1,"
				    "\"RelativeTime\":2,\"nesting_level\":3,\"nesting\":4}"),
			    "region_leave sid=[S/1] t_rel=1000000000 nesting=4\n");
	assert_string_equal(good(f, "{\"event\":\"region_leave\"," SID ",\"t_rel\":null,"
				    "\"RelativeTime\":2}"),
			    "region_leave sid=[S/1] t_rel=2000000000\n");
	assert_extra(f, "\"RelativeTime\":\"a while\"");
	assert_string_equal(
		good(f, "{\"event\":\"data-json\"," SID ",\"key\":\"k\",\"value\":\"['a']\"}"),
		"data_json sid=[S/1] key=[k] value=[\"['a']\"] event=[data-json]\n");
	assert_string_equal(good(f, "{\"event\":\"command\"," SID ",\"name\":\"repo\","
				    "\"subcommands\":[\"sync\"]}"),
			    "cmd_name sid=[S/1] name=[repo-sync] event=[command]\n");
	assert_string_equal(good(f, "{\"event\":\"command\"," SID ",\"name\":\"repo\","
				    "\"subcommands\":[]}"),
			    "cmd_name sid=[S/1] name=[repo] event=[command]\n");
	assert_string_equal(good(f, "{\"event\":\"command\"," SID ",\"name\":\"repo\"}"),
			    "cmd_name sid=[S/1] name=[repo] event=[command]\n");
}

static void json_values_stay_json(void **state)
{
	struct reader_fixture *f = *state;

	assert_string_equal(
		good(f, "{\"event\":\"data_json\"," SID ",\"value\": [1, \"\\u00e4\"] }"),
		"data_json sid=[S/1] value=[[1, \"\\u00e4\"]]\n");
	assert_string_equal(good(f, "{\"event\":\"data_json\"," SID ",\"value\":null}"),
			    "data_json sid=[S/1] value=[null]\n");
	assert_string_equal(good(f, "{\"event\":\"data_json\"," SID ",\"value\":-1.5e3}"),
			    "data_json sid=[S/1] value=[-1.5e3]\n");
	assert_string_equal(good(f, "{\"value\":\"x\",\"event\":\"data_json\"," SID "}"),
			    "data_json sid=[S/1] value=[\"x\"]\n");
}

/* Unknown members are kept for display on the record page and in the log's lines. */
static void keeps_unknown_members_up_to_a_limit(void **state)
{
	struct reader_fixture *f = *state;
	struct tr2_buf line;

	ASSERT_WITH("\"\\u00e4\\\"\" : [ 1 ,\t{\"x\":\"\\u001b\xff\"} ] ,\"b\":1,\"b\":2",
		    " extra=([\xc3\xa4\"][[ 1 ,\t{\"x\":\"\\u001b\xff\"} ]][b][1][b][2])");
	/* Members with wrong types are kept, too. */
	ASSERT_WITH("\"new\":true,\"line\":null,\"nesting_level\":\"x\",\"msg\":\"m\"",
		    " msg=[m] extra=([new][true][line][null][nesting_level][\"x\"])");
	assert_string_equal(good(f, "{\"event\":\"cmd_name\"," SID ",\"subcommands\":[\"x\"]}"),
			    "cmd_name sid=[S/1] extra=([subcommands][[\"x\"]])\n");
	tr2_buf_init(&line, 4 << 20);
	tr2_buf_addstr(&line, "{\"event\":\"exit\"," SID ",\"a\":1,\"huge\":\"");
	for (int i = 0; i < 1 << 20; i++)
		tr2_buf_addch(&line, 'x');
	tr2_buf_addstr(&line, "\",\"b\":2,\"code\":0}");
	assert_string_equal(good(f, tr2_buf_cstr(&line)),
			    "exit sid=[S/1] code=0 extra=([a][1][b][2]"
			    "[not kept: 1 more of 1048584 bytes])\n");
	tr2_buf_clear(&line);
	tr2_buf_addstr(&line, "{\"event\":\"exit\"," SID);
	for (int i = 0; i < 100; i++)
		tr2_buf_addf(&line, ",\"k%02d\":%d", i, i % 10);
	tr2_buf_addstr(&line, "}");
	good(f, tr2_buf_cstr(&line));
	assert_non_null(
		strstr(tr2_buf_cstr(&f->text), "[k63][3][not kept: 36 more of 216 bytes])\n"));
	tr2_buf_release(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READER_TEST(keys_come_in_any_order),
		READER_TEST(last_of_duplicate_keys_wins),
		READER_TEST(event_and_sid_must_be_strings),
		READER_TEST(counts_invalid_json_as_malformed),
		READER_TEST(ignores_blank_lines),
		READER_TEST(nesting_may_be_512_deep),
		READER_TEST(treats_wrong_types_as_absent),
		READER_TEST(integers_are_exact_to_their_limits),
		READER_TEST(times_are_exact_nanoseconds),
		READER_TEST(parses_clocks_in_every_known_form),
		READER_TEST(days_follow_each_other),
		READER_TEST(strings_are_decoded),
		READER_TEST(escaped_nul_is_kept),
		READER_TEST(equal_sids_are_one_in_any_spelling),
		READER_TEST(decoded_sid_is_not_mistaken_for_raw_text),
		READER_TEST(guesses_stay_valid_after_their_batch),
		READER_TEST(unknown_events_are_kept_by_name),
		READER_TEST(accepts_spellings_of_other_emitters),
		READER_TEST(json_values_stay_json),
		READER_TEST(keeps_unknown_members_up_to_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
