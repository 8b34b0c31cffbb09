/* SPDX-License-Identifier: MIT */
/* Tests of redaction of texts and whole records. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/event/event_json.h"
#include "monitor/redact/pseudonyms.h"
#include "monitor/redact/redact.h"
#include "monitor/redact/redact_text.h"
#include "monitor/redact/siphash.h"
#include "monitor/redact/vocabulary.h"

struct row {
	const char *text, *want;
};

static void check(redact_rule *rule, const struct row *rows)
{
	struct pseudonyms *all = pseudonyms_new();
	struct tr2_buf out;

	tr2_buf_init(&out, SIZE_MAX / 2);
	for (; rows->text; rows++) {
		tr2_buf_clear(&out);
		rule(all, rows->text, strlen(rows->text), &out);
		assert_string_equal(tr2_buf_cstr(&out), rows->want);
	}
	tr2_buf_release(&out);
	pseudonyms_free(all);
}

static void words(void **state)
{
	static const struct row rows[] = {
		{ "fetch", "fetch" },
		{ "", "" },
		{ "geheim", "w1" },
		{ "andere", "w2" },
		{ "geheim", "w1" },
		{ "main", "w3" },
		{ "123456", "123456" },
		{ "-12", "-12" },
		{ "1234567", "w4" },
		{ "10.1.2.3", "w5" },
		{ "--quiet", "--quiet" },
		{ "--no-quiet", "--no-quiet" },
		{ "--geheim", "w6" },
		{ "--no-geheim", "w7" },
		{ "--depth=1", "--depth=1" },
		{ "--upload-pack=geheim", "--upload-pack=w1" },
		{ "--geheim=fetch", "w8" },
		{ "-m", "-m" },
		{ "-j8", "-j8" },
		{ "-mgeheim", "-mw1" },
		{ "--", "--" },
		{ "user.name=geheim", "user.name=w1" },
		{ "User.Email=x@y.z", "User.Email=w9" },
		{ "remote.geheim.url=https://a:b@c/d", "remote.w1.url=https://url1" },
		{ "http.https://geheim.de/.proxy=geheim", "http.w10.proxy=w1" },
		{ "alias.geheim=status", "alias.w1=status" },
		{ "alias.st", "alias.w11" },
		{ "core.fsmonitor", "core.fsmonitor" },
		{ "https://geheim.de/x", "https://url2" },
		{ "https://geheim.de/x", "https://url2" },
		{ "geheim://geheim.de/x", "url3" },
		{ "https://", "https://" },
		{ "/home/geheim/lager/.git", "/home/p1/p2/.git" },
		{ "../lager", "../p2" },
		{ "refs/heads/geheim", "refs/heads/p1" },
		{ "+refs/heads/*:refs/remotes/lager/*", "+refs/heads/*:refs/remotes/p2/*" },
		{ "^refs/heads/geheim", "^refs/heads/p1" },
		{ "C:\\Users\\geheim", "p3:\\Users\\p1" },
		{ "geheim@host:lager/x", "p4:p2/p5" },
		{ "/////", "/////" },
		{ "+", "+" },
		{ "Die geheime Nachricht", "w12" },
		{ "HEAD", "HEAD" },
		{ "HEAD~3", "w13" },
		{ "\xff\xfe", "w14" },
		{ NULL, NULL },
	};
	char *path = malloc(5001);
	const struct row row[] = { { path, "text1" }, { NULL, NULL } };

	(void)state;
	check(redact_words, rows);
	assert_non_null(path);
	memset(path, '/', 5000);
	path[5000] = '\0';
	check(redact_words, row);
	free(path);
}

static void names(void **state)
{
	static const struct row vocab[] = {
		{ "cache-tree", "cache-tree" },
		{ "read-cache.c", "read-cache.c" },
		{ "mine", "w1" },
		{ "?", "?" },
		{ "7", "7" },
		{ NULL, NULL },
	};
	static const struct row parts[] = { { "clone/fetch/mine/mine", "clone/fetch/w1/w1" },
					    { NULL, NULL } };
	static const struct row threads[] = {
		{ "main", "main" }, { "th01:preload", "th01:preload" }, { "th07:mine", "th07:w1" },
		{ "th07", "w2" },   { "th12345678:x", "w3" },           { "mine", "w1" },
		{ NULL, NULL }
	};
	static const struct row params[] = { { "core.abbrev", "core.abbrev" },
					     { "branch.mine.remote", "branch.w1.remote" },
					     { "branch.a.b.c.remote", "branch.w2.remote" },
					     { "GIT_TRACE2_EVENT", "GIT_TRACE2_EVENT" },
					     { "MY_SECRET", "w3" },
					     { "mine.abbrev", "w4" },
					     { NULL, NULL } };
	static const struct row exes[] = { { "2.39.5", "2.39.5" },
					   { "2.51.0.rc1.dirty", "2.51.0.w1.dirty" },
					   { "2.39.5 (Apple Git-154)", "2.39.5 (Apple Git-154)" },
					   { "2.39.5.gdeadbee", "2.39.5.w2" },
					   { "/usr/bin/mine", "/usr/bin/p1" },
					   { "git", "git" },
					   { NULL, NULL } };

	(void)state;
	check(redact_vocab, vocab);
	check(redact_names, parts);
	check(redact_thread, threads);
	check(redact_param, params);
	check(redact_exe, exes);
}

#define TIME "20260102T122842.123456Z"

static void sids(void **state)
{
	static const struct row rows[] = {
		{ TIME "-H0123abcd-P00001234", TIME "-H00000001-P00001234" },
		{ TIME "-H0123abcd-P00001234/" TIME "-Hffffffff-Pff",
		  TIME "-H00000001-P00001234/" TIME "-H00000002-Pff" },
		{ TIME "-Localhost-P00001234", TIME "-Localhost-P00001234" },
		{ TIME "-geheim-P00001234", TIME "sid1-P00001234" },
		{ "geheim", "sid2" },
		{ "geheim/geheim/x", "sid2/sid2/sid3" },
		{ "geheim-P123456789", "sid4" },
		{ "/", "/" },
		{ TIME, TIME },
		{ NULL, NULL },
	};

	(void)state;
	check(redact_sid, rows);
}

static void json(void **state)
{
	static const struct row rows[] = {
		{ "{\"fetch\":\"geheim\",\"geheim\": [1,-2.5e3,true,null,\"/usr/geheim\"]}",
		  "{\"fetch\":\"w1\",\"w1\": [1,-2.5e3,true,null,\"/usr/p1\"]}" },
		{ "\"geh\\u0065im\"", "\"w1\"" },
		{ "\"a\\\"b\"", "\"w2\"" },
		{ "\"\"", "\"\"" },
		{ "[]", "[]" },
		{ "12", "12" },
		{ "geheim", "\"text1\"" },
		{ "\"ohne Ende", "\"text2\"" },
		{ "[\"x\" geheim]", "\"text3\"" },
		{ NULL, NULL },
	};

	(void)state;
	check(redact_json, rows);
}

static void vocabulary_is_sorted_and_has_no_names(void **state)
{
	static const char *const words[] = {
#define WORD(word) word,
#include "monitor/redact/vocabulary.inc"
	};
	static const char *const none[] = { "main", "origin",  "master", "secret",
					    "w1",   "feature", "fetc",   "fetchx" };

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_true(!i || strcmp(words[i - 1], words[i]) < 0);
		assert_true(vocabulary_has(words[i], strlen(words[i])));
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_false(vocabulary_has(none[i], strlen(none[i])));
	assert_false(vocabulary_has("fetch\0x", 7));
	assert_false(vocabulary_has("", 0));
}

static void records_keep_everything_except_text(void **state)
{
	struct tr2_intern syms;
	struct batch *batch = batch_new();
	struct event ev = { .kind = REC_UNKNOWN }, own;
	struct redactor *redactor;
	const struct batch *redacted;
	struct tr2_buf out;
	uint32_t list;

	(void)state;
	assert_true(tr2_intern_init(&syms, 0, 0));
	tr2_buf_init(&out, SIZE_MAX / 2);
	redactor = redactor_new(&syms, REDACTION_TEXT);
	event_set(&ev, FLD_EVENT, tr2_intern(&syms, "meins", 5));
	event_set(&ev, TR2_F_SID, batch_sid(batch, "geheim", 6, tr2_hash("geheim", 6)));
	event_set(&ev, TR2_F_THREAD, tr2_intern(&syms, "main", 4));
	event_set(&ev, TR2_F_LINE, 12345678);
	event_set(&ev, TR2_F_MSG, batch_add_text(batch, "geheime Nachricht", 17));
	list = batch_list_begin(batch);
	batch_add_text(batch, "geheim", 6);
	batch_add_text(batch, "{\"geheim\":1}", 12);
	batch_add_text(batch, "label", 5);
	batch_add_text(batch, "4711", 4);
	batch_add_text(batch, "not kept: geheim", 16);
	batch_list_end(batch, list, 5);
	event_set(&ev, FLD_EXTRA, list);
	for (int round = 0; round < 2; round++) {
		redacted = redactor_event(redactor, batch, &ev, &own);
		tr2_buf_clear(&out);
		event_json(redactor_syms(redactor), redacted, &own, EVENT_JSON_TRACE, &out);
		assert_string_equal(tr2_buf_cstr(&out),
				    "{\"event\":\"w1\",\"sid\":\"sid1\",\"thread\":\"main\","
				    "\"line\":12345678,\"msg\":\"text1\",\"w2\":\"text2\","
				    "\"label\":{}}");
	}
	redactor_free(redactor);
	batch_free(batch);
	tr2_buf_release(&out);
	tr2_intern_release(&syms);
}

static void made(struct redactor *redactor, struct batch *batch, unsigned kind, unsigned field,
		 const char *text, const char *want)
{
	struct event ev = { .kind = (uint8_t)kind }, own;
	const struct batch *redacted;
	struct tr2_buf out;

	tr2_buf_init(&out, SIZE_MAX / 2);
	if (field == TR2_F_ARGV) {
		uint32_t list = batch_list_begin(batch);

		batch_add_text(batch, text, strlen(text));
		batch_list_end(batch, list, 1);
		event_set(&ev, field, list);
	} else {
		event_set(&ev, field, batch_add_text(batch, text, strlen(text)));
	}
	redacted = redactor_event(redactor, batch, &ev, &own);
	event_json(redactor_syms(redactor), redacted, &own, EVENT_JSON_TRACE, &out);
	assert_string_equal(tr2_buf_cstr(&out), want);
	tr2_buf_release(&out);
}

static void redacts_equal_text_by_each_rule(void **state)
{
	struct tr2_intern syms;
	struct batch *batch = batch_new();
	struct redactor *redactor;
	char text[200];

	(void)state;
	assert_true(tr2_intern_init(&syms, 0, 0));
	redactor = redactor_new(&syms, REDACTION_TEXT);
	for (int round = 0; round < 3; round++) {
		made(redactor, batch, TR2_E_DATA, TR2_F_VALUE, "12",
		     "{\"event\":\"data\",\"value\":\"12\"}");
		made(redactor, batch, TR2_E_DATA_JSON, TR2_F_VALUE, "12",
		     "{\"event\":\"data_json\",\"value\":12}");
		made(redactor, batch, TR2_E_ERROR, TR2_F_MSG, "12",
		     "{\"event\":\"error\",\"msg\":\"text1\"}");
		made(redactor, batch, TR2_E_START, TR2_F_ARGV, "12",
		     "{\"event\":\"start\",\"argv\":[\"12\"]}");
		made(redactor, batch, TR2_E_START, TR2_F_ARGV, "geheim",
		     "{\"event\":\"start\",\"argv\":[\"w1\"]}");
		made(redactor, batch, TR2_E_DATA, TR2_F_VALUE, "geheim",
		     "{\"event\":\"data\",\"value\":\"w1\"}");
		made(redactor, batch, TR2_E_DATA, TR2_F_VALUE, "",
		     "{\"event\":\"data\",\"value\":\"\"}");
	}
	/* More texts than the cache has room for, around its limit of length. */
	for (int i = 0; i < 2000; i++) {
		char want[64];

		memset(text, 'x', sizeof(text));
		snprintf(text + 100 + i % 50, 8, "%d", i % 1000);
		snprintf(want, sizeof(want), "{\"event\":\"error\",\"msg\":\"text%d\"}",
			 2 + i % 1000);
		made(redactor, batch, TR2_E_ERROR, TR2_F_MSG, text, want);
	}
	redactor_free(redactor);
	batch_free(batch);
	tr2_intern_release(&syms);
}

/* Compares with test vectors of SipHash. */
static void keyed_hash_is_siphash(void **state)
{
	static const unsigned char in[15] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 };
	struct siphash_key key = { 0x0706050403020100ull, 0x0f0e0d0c0b0a0908ull };

	(void)state;
	assert_true(siphash(&key, 0, in, sizeof(in)) == 0xa129ca6149be45e5ull);
	assert_true(siphash(&key, 0, in, 0) == 0x726fdb47dd0e0e31ull);
	assert_true(siphash(&key, 1, in, 0) != 0x726fdb47dd0e0e31ull);
}

static void pseudonym_of(const char *key, enum pseudonym_kind kind, const char *text,
			 struct tr2_buf *out)
{
	struct pseudonyms *all = pseudonyms_new();

	pseudonyms_set_key(all, key, strlen(key));
	tr2_buf_clear(out);
	pseudonyms_add(all, PSEUDONYM_WORD, "another", 7, out);
	tr2_buf_clear(out);
	pseudonyms_add(all, kind, text, strlen(text), out);
	pseudonyms_free(all);
}

static void equal_keys_give_equal_pseudonyms(void **state)
{
	struct tr2_buf a, b;

	(void)state;
	tr2_buf_init(&a, 100);
	tr2_buf_init(&b, 100);
	pseudonym_of("0123456789abcdef", PSEUDONYM_WORD, "main", &a);
	pseudonym_of("0123456789abcdef", PSEUDONYM_WORD, "main", &b);
	assert_string_equal(tr2_buf_cstr(&a), tr2_buf_cstr(&b));
	assert_true(tr2_buf_cstr(&a)[0] == 'w' && strlen(tr2_buf_cstr(&a)) > 4);
	pseudonym_of("0123456789abcdeg", PSEUDONYM_WORD, "main", &b);
	assert_string_not_equal(tr2_buf_cstr(&a), tr2_buf_cstr(&b));
	pseudonym_of("0123456789abcdef", PSEUDONYM_HOST, "main", &b);
	assert_int_equal(strlen(tr2_buf_cstr(&b)), 9);
	assert_string_not_equal(tr2_buf_cstr(&a) + 1, tr2_buf_cstr(&b) + 1);
	tr2_buf_release(&a);
	tr2_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(names),
		cmocka_unit_test(sids),
		cmocka_unit_test(json),
		cmocka_unit_test(vocabulary_is_sorted_and_has_no_names),
		cmocka_unit_test(records_keep_everything_except_text),
		cmocka_unit_test(redacts_equal_text_by_each_rule),
		cmocka_unit_test(keyed_hash_is_siphash),
		cmocka_unit_test(equal_keys_give_equal_pseudonyms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
