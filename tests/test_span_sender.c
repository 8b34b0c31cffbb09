/* SPDX-License-Identifier: MIT */
/* Tests of the sender of OpenTelemetry spans. */
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

#include "monitor/send/span_sender.h"

static void reads_rejected_spans_from_an_answer(void **state)
{
	static const struct {
		const char *body;
		uint64_t rejected;
		const char *why;
	} rows[] = {
		{ "", 0, "" },
		{ "{}", 0, "" },
		{ "{\"partialSuccess\":{}}", 0, "" },
		{ "{\"partialSuccess\":{\"rejectedSpans\":\"7\",\"errorMessage\":\"too "
		  "\\u0041ld\"}}",
		  7, "too Ald" },
		{ "\n{ \"x\" : [1, {\"partialSuccess\":3}],\n \"partialSuccess\" "
		  ":\t{\"errorMessage\":\"\","
		  " \"rejectedSpans\" : 12 } }\n",
		  12, "" },
		{ "{\"partialSuccess\":7}", 0, "" },
		{ "{\"partialSuccess\":{\"rejectedSpans\":\"\"}}", 0, "" },
		{ "{\"partialSuccess\":{\"rejectedSpans\":\"7\"", 0, "" },
		{ "[{\"partialSuccess\":{\"rejectedSpans\":\"7\"}}]", 0, "" },
		{ "<html>", 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t len = strlen(rows[i].body);
		char why[40] = "x", *body = malloc(len + 1);

		memcpy(body, rows[i].body, len + 1);
		assert_int_equal(span_sender_rejected(body, len, why, sizeof(why)),
				 rows[i].rejected);
		assert_string_equal(why, rows[i].why);
		/* A truncated answer gives at most 12, and no byte after its end is read. */
		for (size_t cut = 0; cut < len; cut++) {
			char *torn = malloc(cut + !cut);

			memcpy(torn, body, cut);
			assert_in_range(span_sender_rejected(torn, cut, why, sizeof(why)), 0, 12);
			free(torn);
		}
		free(body);
	}
}

static struct span_sender *sender_make(const char *url, size_t queue_bytes)
{
	struct span_sender_config config = { .http = { .url = url, .path = "/v1/traces" },
					     .queue_bytes = queue_bytes,
					     .head = "[",
					     .tail = "]" };
	char why[300];

	return span_sender_new(&config, why, sizeof(why));
}

static void full_queue_drops_and_counts_the_oldest(void **state)
{
	/* Nothing listens at this address. */
	struct span_sender *s = sender_make("http://127.0.0.1:1", 1000);
	struct span_sender_stats stats;
	static char large[2000];

	(void)state;
	memset(large, '1', sizeof(large));
	for (int i = 0; i < 100; i++)
		span_sender_put(s, "\"0123456789012345678901234567890123456789\"", 42, 3);
	span_sender_stats(s, &stats);
	assert_int_equal(stats.put, 300);
	assert_int_equal(stats.dropped, 300 - 1000 / 42 * 3);
	/* A value that is larger than the queue. */
	span_sender_put(s, large, sizeof(large), 1);
	span_sender_stats(s, &stats);
	assert_int_equal(stats.dropped, 301);
	span_sender_put(s, "1", 1, 2);
	span_sender_start(s);
	span_sender_end(s, 100 * NS_PER_MS);
	span_sender_stats(s, &stats);
	assert_int_equal(stats.put, 303);
	assert_int_equal(stats.dropped, 303);
	assert_int_equal(stats.sent + stats.failed, 0);
	assert_true(*stats.lost);
	span_sender_free(s);
}

static void spans_left_at_the_end_have_their_own_reason(void **state)
{
	struct span_sender *s = sender_make("http://127.0.0.1:1", 1000);
	struct span_sender_stats stats;

	(void)state;
	span_sender_put(s, "1", 1, 2);
	span_sender_end(s, 0);
	span_sender_stats(s, &stats);
	assert_int_equal(stats.dropped, 2);
	assert_string_equal(stats.lost, "not sent before the end");
	span_sender_free(s);
}

static void shows_addresses_without_secrets(void **state)
{
	static const struct {
		const char *url, *shown;
	} rows[] = {
		{ "http://c:4318", "http://c:4318/v1/traces" },
		{ "https://c:4318/", "https://c:4318/v1/traces" },
		{ "HTTP://u:p@c/otlp//", "HTTP://c/otlp/v1/traces" },
		{ "http://c/v1/traces", "http://c/v1/traces" },
		{ "http://c/v1/traces/", "http://c/v1/traces" },
		{ "https://u:p@x@[::1]:1/a%40b?key=s#t", "https://[::1]:1/a%40b" },
		{ "https://u:p@[::1]:1/a@b", NULL },
		/* the host ends at the slash in the password */
		{ "http://u:S3CRET/pw@host", NULL },
		{ "http://c?key=s", "http://c" },
		{ "ftp://c", NULL },
		{ "c:4318", NULL },
		{ "http://", NULL },
		{ "http://:4318", NULL },
		{ "http:///x", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct span_sender *s = sender_make(rows[i].url, 1000);

		assert_int_equal(s != NULL, rows[i].shown != NULL);
		if (s)
			assert_string_equal(span_sender_shown(s), rows[i].shown);
		span_sender_free(s);
	}
}

static void warns_of_unencrypted_credentials_to_remote_hosts(void **state)
{
	static const struct {
		const char *url;
		bool open;
	} rows[] = {
		{ "http://u:p@localhost:1", false },
		{ "http://u:p@127.0.0.2/x", false },
		{ "http://u:p@[::1]:1", false },
		{ "http://127.0.0.1.example.com", false },
		{ "http://u:p@127.0.0.1.example.com", true },
		{ "http://u:p@127.example.com", true },
		{ "http://u:p@localhost.example.com", true },
		{ "http://u:p@[::2]:1", true },
		{ "https://u:p@127.example.com", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct span_sender *s = sender_make(rows[i].url, 1000);

		if (!s)
			skip(); /* skip: libcurl cannot be loaded */
		if (span_sender_is_open(s) != rows[i].open)
			fail_msg("%s", rows[i].url);
		span_sender_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_rejected_spans_from_an_answer),
		cmocka_unit_test(full_queue_drops_and_counts_the_oldest),
		cmocka_unit_test(spans_left_at_the_end_have_their_own_reason),
		cmocka_unit_test(shows_addresses_without_secrets),
		cmocka_unit_test(warns_of_unencrypted_credentials_to_remote_hosts),
	};

	if (http_post_missing())
		return cmocka_run_group_tests_name("without libcurl",
						   (struct CMUnitTest[]){ tests[0] }, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
