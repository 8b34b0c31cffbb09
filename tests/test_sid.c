/* SPDX-License-Identifier: MIT */
/* Tests of parsing session ids, and other texts as such. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "monitor/event/event.h"
#include "monitor/event/sid.h"

#define FIRST  "20260102T122842.123456Z-H0123abcd-P00001234"
#define SECOND "20260102T122843.000001Z-Localhost-Pff"

static void parses_components(void **state)
{
	static const struct {
		const char *sid;
		size_t parent_len;
		uint32_t depth;
		int64_t pid;
		const char *host;
	} table[] = {
		{ FIRST, SID_NO_PARENT, 0, 0x1234, "H0123abcd" },
		{ FIRST "/" SECOND, sizeof(FIRST) - 1, 1, 0xff, "Localhost" },
		{ "a/b/c", 3, 2, NUM_NONE, "" },
		{ "", SID_NO_PARENT, 0, NUM_NONE, "" },
		{ "/", 0, 1, NUM_NONE, "" },
		{ "/x", 0, 1, NUM_NONE, "" },
		{ "x/", 1, 1, NUM_NONE, "" },
		{ "P12", SID_NO_PARENT, 0, NUM_NONE, "" },
		{ "-P12", SID_NO_PARENT, 0, 0x12, "" },
		{ "x-P", SID_NO_PARENT, 0, NUM_NONE, "" },
		{ "x-Pxyz", SID_NO_PARENT, 0, NUM_NONE, "" },
		{ "x-P0123456789abcdef", SID_NO_PARENT, 0, NUM_NONE, "" },
		{ "x-H0123abcx-P1", SID_NO_PARENT, 0, 1, "" },
		{ "H0123abcd-P1", SID_NO_PARENT, 0, 1, "" },
	};
	struct sid_parts parts;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const char *sid = table[i].sid;

		sid_take_apart(sid, strlen(sid), &parts);
		if (parts.parent_len != table[i].parent_len || parts.depth != table[i].depth ||
		    parts.pid != table[i].pid || strcmp(parts.host, table[i].host))
			fail_msg("'%s': %zu %u %lld '%s'", sid, parts.parent_len, parts.depth,
				 (long long)parts.pid, parts.host);
		assert_int_equal(sid_depth(sid, strlen(sid)), table[i].depth);
	}
}

static void returns_own_component_and_time(void **state)
{
	static const char both[] = FIRST "/" SECOND;
	size_t len;

	(void)state;
	assert_string_equal(sid_own(both, sizeof(both) - 1, &len), SECOND);
	assert_int_equal(len, sizeof(SECOND) - 1);
	assert_int_equal(sid_time(both, sizeof(both) - 1), 1767356923000001000);
	assert_int_equal(sid_time("a/b", 3), NS_NONE);
	assert_int_equal(sid_time("", 0), NS_NONE);
	assert_int_equal(sid_time("xxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 29), NS_NONE);
}

static void ancestor_matches_whole_components(void **state)
{
	(void)state;
	assert_true(sid_is_within("a", 1, "a", 1));
	assert_true(sid_is_within("a/b", 3, "a", 1));
	assert_false(sid_is_within("ab", 2, "a", 1));
	assert_false(sid_is_within("a", 1, "a/b", 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_components),
		cmocka_unit_test(returns_own_component_and_time),
		cmocka_unit_test(ancestor_matches_whole_components),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
