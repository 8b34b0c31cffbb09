/* SPDX-License-Identifier: MIT */
/* Tests of the protocol of agents and viewers over NATS. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "monitor/nats/nats_link.h"
#include "monitor/nats/nats_url.h"
#include "monitor/nats/wire.h"

static void test_names(void **state)
{
	static const struct {
		const char *text, *site, *host; /* site NULL: the text is refused */
		const char *subject;
	} rows[] = {
		{ "lab.build-01", "lab", "build-01", "trace2.v1.events.lab.build-01" },
		{ "lab.a.b", "lab", "a.b", "trace2.v1.events.lab.a%2Eb" },
		{ "a b.*", "a b", "*", "trace2.v1.events.a%20b.%2A" },
		{ ">.\xc3\xa4%", ">", "\xc3\xa4%", "trace2.v1.events.%3E.%C3%A4%25" },
		{ "x.\x1b[2J", "x", "\x1b[2J", "trace2.v1.events.x.%1B%5B2J" },
		{ "lab", NULL, NULL, NULL },
		{ "lab.", NULL, NULL, NULL },
		{ ".host", NULL, NULL, NULL },
		{ "", NULL, NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char subject[WIRE_SUBJECT_BYTES], shown[2 * WIRE_NAME_BYTES];
		struct wire_name name, again;
		enum wire_kind kind;

		assert_int_equal(wire_name_parse(rows[i].text, &name), rows[i].site != NULL);
		if (!rows[i].site)
			continue;
		assert_string_equal(name.site, rows[i].site);
		assert_string_equal(name.host, rows[i].host);
		wire_name_show(&name, shown, sizeof(shown));
		assert_string_equal(shown, rows[i].text);
		wire_subject(WIRE_EVENTS, &name, subject);
		assert_string_equal(subject, rows[i].subject);
		assert_true(wire_subject_parse(subject, &kind, &again));
		assert_int_equal(kind, WIRE_EVENTS);
		assert_string_equal(again.site, rows[i].site);
		assert_string_equal(again.host, rows[i].host);
	}
}

/* The longest name, of bytes that are encoded as three. */
static void test_long_names(void **state)
{
	char text[2 * WIRE_NAME_BYTES], subject[WIRE_SUBJECT_BYTES], id[WIRE_ID_BYTES];
	struct wire_name name, again;
	enum wire_kind kind;

	(void)state;
	memset(text, '/', sizeof(text));
	text[WIRE_NAME_BYTES - 1] = '.';
	text[2 * WIRE_NAME_BYTES - 1] = '\0';
	assert_true(wire_name_parse(text, &name));
	wire_subject(WIRE_TENMIN, &name, subject);
	assert_true(wire_subject_parse(subject, &kind, &again));
	assert_int_equal(kind, WIRE_TENMIN);
	assert_string_equal(again.host, name.host);
	wire_id_print(&name, &(struct wire_id){ INT64_MAX, UINT64_MAX }, id);
	assert_true(strlen(id) < sizeof(id));
	text[WIRE_NAME_BYTES - 1] = '/';
	text[WIRE_NAME_BYTES] = '.';
	assert_false(wire_name_parse(text, &name));
	assert_false(wire_name_parse("x.", &name));
}

static void test_patterns(void **state)
{
	char subject[WIRE_SUBJECT_BYTES];

	(void)state;
	wire_subject_pattern(WIRE_EVENTS, &(struct wire_name){ "*", "*" }, subject);
	assert_string_equal(subject, "trace2.v1.events.*.*");
	wire_subject_pattern(WIRE_NOW, &(struct wire_name){ "lab", "*" }, subject);
	assert_string_equal(subject, "trace2.v1.now.lab.*");
	wire_subject_pattern(WIRE_NOW, &(struct wire_name){ "*", "a.*" }, subject);
	assert_string_equal(subject, "trace2.v1.now.*.a%2E%2A");
}

static void test_foreign_subjects(void **state)
{
	static const char *const rows[] = {
		"",
		"trace2",
		"trace2.v1",
		"trace2.v1.events",
		"trace2.v1.events.",
		"trace2.v1.events.a",
		"trace2.v1.events.a.",
		"trace2.v1.events..b",
		"trace2.v1.events.a.b.c",
		"trace2.v1.event.a.b",
		"trace2.v2.events.a.b",
		"xtrace2.v1.events.a.b",
		"trace2.v1.events.a.*",
		"trace2.v1.events.a.>",
		"trace2.v1.events.a.%",
		"trace2.v1.events.a.%2",
		"trace2.v1.events.a.%00",
		"trace2.v1.events.a.%2e", /* every name has only one spelling */
		"trace2.v1.events.a.%61",
		"trace2.v1.events.a.%GG",
		"trace2.v1.events.a.b ",
	};
	struct wire_name name;
	enum wire_kind kind;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_false(wire_subject_parse(rows[i], &kind, &name));
}

static void test_heads(void **state)
{
	struct wire_head head = { INT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX }, again;
	char text[WIRE_HEAD_BYTES];

	(void)state;
	wire_head_print(&head, text);
	assert_true(strlen(text) < sizeof(text) - 1);
	assert_int_equal(wire_head_parse(text, &again), WIRE_OK);
	assert_memory_equal(&head, &again, sizeof(head));
	wire_head_print(&(struct wire_head){ 1700000000123456789, 50, 3, 7 }, text);
	assert_string_equal(text, "1 1700000000123456789 50 3 7 zstd");
	assert_int_equal(wire_head_parse("2 whatever", &again), WIRE_NEWER);
	assert_int_equal(wire_head_parse("2 1 2 3 4 zstd", &again), WIRE_NEWER);
	assert_int_equal(wire_head_parse("", &again), WIRE_MALFORMED);
	assert_int_equal(wire_head_parse("1", &again), WIRE_MALFORMED);
	assert_int_equal(wire_head_parse("1 2 3 4 5", &again), WIRE_MALFORMED);
	assert_int_equal(wire_head_parse("1 2 3 4 5 ", &again), WIRE_MALFORMED);
	assert_int_equal(wire_head_parse("1 2 3 4 5 gzip", &again), WIRE_MALFORMED);
	assert_int_equal(wire_head_parse("1 2 3 4 5 zstd ", &again), WIRE_MALFORMED);
	assert_int_equal(wire_head_parse("1 -2 3 4 5 zstd", &again), WIRE_MALFORMED);
	assert_int_equal(wire_head_parse("1 9223372036854775808 3 4 5 zstd", &again),
			 WIRE_MALFORMED);
	assert_int_equal(wire_head_parse("1 2 18446744073709551616 4 5 zstd", &again),
			 WIRE_MALFORMED);
	assert_int_equal(wire_head_parse("x", &again), WIRE_MALFORMED);
	assert_memory_equal(&head, &again, sizeof(head));
}

static void test_ids(void **state)
{
	struct wire_name name = { "lab", "a.b:c" };
	struct wire_id id = { 1700000000123456789, 42 }, again;
	char text[WIRE_ID_BYTES];

	(void)state;
	wire_id_print(&name, &id, text);
	assert_string_equal(text, "lab.a%2Eb%3Ac:1700000000123456789:42");
	assert_true(wire_id_parse(text, &again));
	assert_memory_equal(&id, &again, sizeof(id));
	assert_false(wire_id_parse("", &again));
	assert_false(wire_id_parse("lab.a", &again));
	assert_false(wire_id_parse("lab.a:1", &again));
	assert_false(wire_id_parse("lab.a:1:", &again));
	assert_false(wire_id_parse("lab.a:1:2x", &again));
	assert_false(wire_id_parse("lab.a:-1:2", &again));
	assert_false(wire_id_parse("lab.a:9223372036854775808:2", &again));
	assert_false(wire_id_parse("lab.a:1:18446744073709551616", &again));
}

static void test_urls(void **state)
{
	static const struct {
		const char *text, *shown; /* NULL: the text is refused */
		unsigned nr;
		bool loopback;
	} rows[] = {
		{ "nats://localhost", "nats://localhost", 1, true },
		{ "tls://nats.example.com", "tls://nats.example.com", 1, false },
		{ "nats://127.0.0.1:4333,[::1],localhost:1",
		  "nats://127.0.0.1:4333,[::1],localhost:1", 3, true },
		{ "nats://[::1]:77/a.b", "nats://[::1]:77/a.b", 1, true },
		{ "nats://a,nats://b:4222", "nats://a,b", 2, false },
		{ "nats://a,tls://b", "tls://a,b", 2, false },
		{ "nats://me:geheim@a,b/*.*", "nats://a,b/*.*", 2, false },
		{ "nats://127.0.0.1.evil.com", "nats://127.0.0.1.evil.com", 1, false },
		{ "nats://", NULL, 0, false },
		{ "nats:///x", NULL, 0, false },
		{ "nats://a,", NULL, 0, false },
		{ "nats://a:", NULL, 0, false },
		{ "nats://a:0", NULL, 0, false },
		{ "nats://a:65536", NULL, 0, false },
		{ "nats://a:4294967297", NULL, 0, false },
		{ "nats://a:4x", NULL, 0, false },
		{ "nats://[::1", NULL, 0, false },
		{ "nats://[::1]x", NULL, 0, false },
		{ "nats://a b", NULL, 0, false },
		{ "http://a", NULL, 0, false },
		{ "", NULL, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct nats_url url;
		char why[300], shown[600];

		assert_int_equal(nats_url_parse(rows[i].text, &url, why, sizeof(why)),
				 rows[i].shown != NULL);
		if (!rows[i].shown)
			continue;
		nats_url_show(&url, shown, sizeof(shown));
		assert_string_equal(shown, rows[i].shown);
		assert_int_equal(url.nr, rows[i].nr);
		assert_int_equal(nats_url_is_loopback(&url), rows[i].loopback);
	}
}

static void test_url_user(void **state)
{
	struct nats_url url;
	char why[300], shown[8];

	(void)state;
	assert_true(nats_url_parse("nats://me%40x:a%3ab@c@h", &url, why, sizeof(why)));
	assert_string_equal(url.user, "me@x");
	assert_string_equal(url.password, "a:b@c");
	assert_string_equal(url.servers[0].host, "h");
	nats_url_show(&url, shown, sizeof(shown));
	assert_string_equal(shown, "nats://");
	assert_false(nats_url_parse("nats://me:geheim@a b", &url, why, sizeof(why)));
	assert_null(strstr(why, "geheim"));
	/* The password has a character that ends a host: the message explains the encoding without
	 * the password. */
	assert_false(nats_url_parse("nats://me:geh/eim@h", &url, why, sizeof(why)));
	assert_null(strstr(why, "geh"));
	assert_non_null(strstr(why, "%2F"));
	assert_false(nats_url_parse("nats://me:geh,eim@h", &url, why, sizeof(why)));
	assert_null(strstr(why, "geh"));
	/* An apparent port before a '/' may be the first part of a password. */
	assert_false(nats_url_parse("nats://me:12/geheim@h", &url, why, sizeof(why)));
	assert_null(strstr(why, "geh"));
	assert_non_null(strstr(why, "%2F"));
	assert_false(nats_url_parse("nats://me:geh@eim:12/x@h", &url, why, sizeof(why)));
	assert_null(strstr(why, "x@"));
	assert_true(nats_url_parse("nats://h/lab.me@home", &url, why, sizeof(why)));
	assert_false(nats_url_parse("nats://a b,me:x@h", &url, why, sizeof(why)));
	assert_non_null(strstr(why, "server 1 of the URL"));
}

static void test_url_hidden(void **state)
{
	static const char *const rows[][2] = {
		{ "nats://me:geheim@h", "nats://<REDACTED>@h" },
		{ "tls://me:12/ge,he@im@h:1/a.b", "tls://<REDACTED>@h:1/a.b" },
		{ "nats://geheim@", "nats://<REDACTED>@" },
		{ "nats://h/a.b", "nats://h/a.b" },
		{ "nats://h:4222,g:1/a.b", "nats://h:4222,g:1/a.b" },
		{ "nats://[::1]:4222/a.b", "nats://[::1]:4222/a.b" },
		{ "nats://me:geheim", "nats://<REDACTED>" },
		{ "nats://me:geheim/a.b", "nats://<REDACTED>" },
		{ "nats://", "nats://" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *hidden = nats_url_hidden(rows[i][0]);

		assert_string_equal(hidden, rows[i][1]);
		free(hidden);
	}
}

/* nats_link_new() refuses these settings before it connects. */
static void test_refused(void **state)
{
	struct nats_url url;
	struct nats_link_config config = { .url = &url, .name = "test" };
	char why[300];

	(void)state;
	if (nats_link_missing()) {
		assert_null(nats_link_new(&config, why, sizeof(why)));
		assert_non_null(strstr(why, nats_link_missing()));
		return;
	}
	assert_true(nats_url_parse("nats://nats.example.com", &url, why, sizeof(why)));
	assert_null(nats_link_new(&config, why, sizeof(why)));
	assert_non_null(strstr(why, "--insecure"));
	config.tls_ca = "/nonexistent";
	assert_null(nats_link_new(&config, why, sizeof(why)));
	assert_non_null(strstr(why, "--tls-ca: /nonexistent"));
	config.tls_ca = NULL;
	config.tls_cert = "/nonexistent";
	assert_null(nats_link_new(&config, why, sizeof(why)));
	assert_non_null(strstr(why, "--tls-key"));
	config.tls_cert = NULL;
	config.insecure = true;
	config.creds = "/nonexistent";
	assert_null(nats_link_new(&config, why, sizeof(why)));
	assert_non_null(strstr(why, "--nats-creds: /nonexistent"));
	config.creds = "/dev/null";
	assert_null(nats_link_new(&config, why, sizeof(why)));
	assert_non_null(strstr(why, "contains neither"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),      cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_patterns),   cmocka_unit_test(test_foreign_subjects),
		cmocka_unit_test(test_heads),      cmocka_unit_test(test_ids),
		cmocka_unit_test(test_urls),       cmocka_unit_test(test_url_user),
		cmocka_unit_test(test_url_hidden), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
