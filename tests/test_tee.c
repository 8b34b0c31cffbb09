/* SPDX-License-Identifier: MIT */
/* Test of a tee with lines of very many processes. */
#include "config.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka.h must follow the headers that it needs. */
#include <cmocka.h>

#include "monitor/send/tee.h"

#define NR_SIDS 200000u
/* State per process would need far more memory. */
#define MOST_BYTES ((size_t)32 << 20)

static void put(struct tap *tap, struct tap_state *state, unsigned number)
{
	struct tap_entry entry = { .kind = TAP_DATAGRAM };
	char line[100];

	entry.len = (uint32_t)snprintf(line, sizeof(line), "{\"event\":\"data\",\"sid\":\"%u\"}\n",
				       number);
	entry.bytes = line;
	while (!tap_has_room(tap))
		usleep(1000);
	tap_put(tap, 0, state, &entry);
}

static void memory_is_bounded_with_any_number_of_sids(void **state)
{
	struct tap_state tapped = { 0 };
	struct tee_stats stats;
	size_t before;
	struct tee *tee;
	char why[200];

	(void)state;
	tee = tee_new("/dev/null", why, sizeof(why));
	assert_non_null(tee);
	before = mallinfo2().uordblks;
	tee_start(tee);
	for (unsigned i = 0; i < NR_SIDS; i++)
		put(tee_tap(tee), &tapped, i);
	do {
		usleep(1000);
		tee_stats(tee, &stats);
	} while (stats.passed.lines < NR_SIDS);
	assert_true(mallinfo2().uordblks < before + MOST_BYTES);
	tee_end(tee);
	tee_stats(tee, &stats);
	assert_int_equal(stats.lost.lines, 0);
	tee_free(tee);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_bounded_with_any_number_of_sids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
