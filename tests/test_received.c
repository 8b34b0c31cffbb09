/* SPDX-License-Identifier: MIT */
/* Tests of messages of an agent as a viewer receives them. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "monitor/nats/received.h"
#include "monitor/nats/message.h"

/* RUN and SEQ of a received message, and the expected result. */
struct step {
	int64_t run;
	uint64_t seq;
	bool is_repeat, are_two;
	uint64_t missed;
};

static void check_steps(const struct step *steps, size_t nr)
{
	struct received received = { 0 };

	for (size_t i = 0; i < nr; i++) {
		struct wire_id id = { steps[i].run, steps[i].seq };
		struct received_news news;

		received_message(&received, &id, &news);
		if (news.is_repeat != steps[i].is_repeat || news.are_two != steps[i].are_two ||
		    news.missed != steps[i].missed)
			fail_msg("step %zu: repeat %d, two %d, missed %llu", i, news.is_repeat,
				 news.are_two, (unsigned long long)news.missed);
	}
}

#define WALK(...)                                                                                  \
	do {                                                                                       \
		static const struct step steps[] = { __VA_ARGS__ };                                \
		check_steps(steps, sizeof(steps) / sizeof(*steps));                                \
	} while (0)

static void sequence_in_order_reports_nothing(void **state)
{
	(void)state;
	WALK({ 10, 0, false, false, 0 }, { 10, 1, false, false, 0 }, { 10, 2, false, false, 0 });
	/* Messages before the first one received do not count as lost. */
	WALK({ 10, 77, false, false, 0 }, { 10, 78, false, false, 0 });
}

static void detects_repeats(void **state)
{
	(void)state;
	WALK({ 10, 5, false, false, 0 }, { 10, 5, true, false, 0 }, { 10, 6, false, false, 0 },
	     { 10, 5, true, false, 0 }, { 10, 7, false, false, 0 });
}

static void counts_missing_messages(void **state)
{
	(void)state;
	WALK({ 10, 5, false, false, 0 }, { 10, 9, false, false, 3 }, { 10, 10, false, false, 0 });
	WALK({ 10, UINT64_MAX - 1, false, false, 0 }, { 10, UINT64_MAX, false, false, 0 });
}

static void detects_restarted_agent(void **state)
{
	(void)state;
	WALK({ 10, 5, false, false, 0 }, { 20, 0, false, false, 0 }, { 20, 1, false, false, 0 });
	WALK({ 10, 5, false, false, 0 }, { 20, 2, false, false, 2 });
	/* Messages spooled by the previous run may come after the first one of this run, then
	 * possibly repeats. */
	WALK({ 20, 0, false, false, 0 }, { 10, 7, false, false, 0 }, { 10, 8, false, false, 0 },
	     { 10, 7, true, false, 0 });
}

static void reports_two_agents_of_one_name(void **state)
{
	(void)state;
	WALK({ 10, 5, false, false, 0 }, { 20, 0, false, false, 0 }, { 10, 6, false, true, 0 },
	     { 20, 1, false, true, 0 }, { 10, 6, true, false, 0 });
	/* A repeat of the previous run's message does not count as a second agent. */
	WALK({ 10, 5, false, false, 0 }, { 20, 0, false, false, 0 }, { 10, 5, true, false, 0 },
	     { 20, 1, false, false, 0 });
	/* With more runs than are remembered, the oldest counts as new. */
	WALK({ 1, 0, false, false, 0 }, { 2, 0, false, false, 0 }, { 3, 0, false, false, 0 },
	     { 4, 0, false, false, 0 }, { 5, 0, false, false, 0 }, { 1, 9, false, false, 0 },
	     { 5, 1, false, true, 0 });
}

#define S NS_PER_SEC

static void skew_is_minimum_of_five_minutes(void **state)
{
	struct received received = { 0 };
	ns_t base = 1767323040 * S;

	(void)state;
	assert_true(received_skew(&received, base) == NS_NONE);
	/* Messages take at least 100 ms; the agent's clock is 2 s behind. */
	received_clock(&received, base - 2 * S, base + S / 2);
	assert_true(received_skew(&received, base + S) == 5 * S / 2);
	received_clock(&received, base + 8 * S, base + 10 * S + S / 10);
	assert_true(received_skew(&received, base + 11 * S) == 2 * S + S / 10);
	received_clock(&received, base + 18 * S, base + 23 * S);
	assert_true(received_skew(&received, base + 24 * S) == 2 * S + S / 10);
	/* The clock is corrected: later messages show 0.1 s, so the minimum changes at once. */
	received_clock(&received, base + 60 * S, base + 60 * S + S / 10);
	assert_true(received_skew(&received, base + 60 * S) == S / 10);
	/* The clock jumps back, which is detected about five minutes after the older values. */
	for (int i = 70; i < 700; i += 10) {
		ns_t skew;

		received_clock(&received, base + i * S - 3 * S, base + i * S);
		skew = received_skew(&received, base + i * S);
		assert_true(i < 60 + 300 - 30 ? skew == S / 10
					      : i < 60 + 300 + 30 || skew == 3 * S);
	}
	assert_true(received_skew(&received, base + 2000 * S) == NS_NONE);
	received_clock(&received, INT64_MAX, -5);
	received_clock(&received, 0, INT64_MAX);
	received_clock(&received, 0, INT64_MIN);
}

#ifdef HAVE_ZSTD

static char packed[WIRE_MAX_UNPACKED];

static size_t pack_message(const char *lines, size_t len, bool says_size)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	size_t nr;

	ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, says_size);
	nr = ZSTD_compress2(zstd, packed, sizeof(packed), lines, len);
	ZSTD_freeCCtx(zstd);
	assert_false(ZSTD_isError(nr));
	return nr;
}

static void rejects_partial_messages(void **state)
{
	static const char id[] = "a.b:5:7", head[] = "1 1000 2 3 4 zstd", lines[] = "{}\n{}\n";
	static char much[WIRE_MAX_UNPACKED + 1];
	struct message_reader *r = message_reader_new();
	struct message m;
	size_t len = pack_message(lines, strlen(lines), true);

	(void)state;
	assert_int_equal(message_read(r, id, head, packed, len, &m), WIRE_OK);
	assert_true(m.id.run == 5 && m.id.seq == 7 && m.head.wall_ns == 1000 &&
		    m.head.events == 2 && m.head.lost == 3 && m.head.filtered == 4);
	assert_true(m.len == strlen(lines) && !memcmp(m.lines, lines, m.len));
	/* A last line without LF gets one. */
	len = pack_message(lines, 5, true);
	assert_int_equal(message_read(r, id, head, packed, len, &m), WIRE_OK);
	assert_true(m.len == 6 && m.lines[5] == '\n');
	/* Every prefix of the message is rejected, and so is a longer text. */
	len = pack_message(lines, strlen(lines), true);
	for (size_t i = 0; i < len; i++)
		assert_int_equal(message_read(r, id, head, packed, i, &m), WIRE_MALFORMED);
	packed[len] = 0;
	assert_int_equal(message_read(r, id, head, packed, len + 1, &m), WIRE_MALFORMED);
	len = pack_message(lines, strlen(lines), false);
	assert_int_equal(message_read(r, id, head, packed, len, &m), WIRE_MALFORMED);
	assert_string_equal(m.why, "zstd frame without a size");
	len = pack_message(much, sizeof(much), true);
	assert_int_equal(message_read(r, id, head, packed, len, &m), WIRE_MALFORMED);
	assert_string_equal(m.why, "larger than 4 MiB");
	len = pack_message(much, sizeof(much) - 1, true);
	assert_int_equal(message_read(r, id, head, packed, len, &m), WIRE_OK);
	assert_int_equal(message_read(r, NULL, head, packed, len, &m), WIRE_MALFORMED);
	assert_int_equal(message_read(r, id, NULL, packed, len, &m), WIRE_MALFORMED);
	assert_int_equal(message_read(r, "a.b:5", head, packed, len, &m), WIRE_MALFORMED);
	assert_int_equal(message_read(r, id, "1 1000 2 3 4 gzip", packed, len, &m), WIRE_MALFORMED);
	assert_int_equal(message_read(r, id, "2 something else", packed, len, &m), WIRE_NEWER);
	assert_true(m.id.run == 5);
	message_reader_free(r);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequence_in_order_reports_nothing),
		cmocka_unit_test(detects_repeats),
		cmocka_unit_test(counts_missing_messages),
		cmocka_unit_test(detects_restarted_agent),
		cmocka_unit_test(reports_two_agents_of_one_name),
		cmocka_unit_test(skew_is_minimum_of_five_minutes),
#ifdef HAVE_ZSTD
		cmocka_unit_test(rejects_partial_messages),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
