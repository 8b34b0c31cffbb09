/* SPDX-License-Identifier: MIT */
/* Tests of the platform modules, many compared with the C library. With --enable-portable this
 * tests the fallbacks. */
#include "config.h"
#include "monitor/base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

static uint32_t next_random(void)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	return state >> 8;
}

/* Few letters give many matches. */
static size_t random_text(char *text, size_t max)
{
	size_t len = next_random() % (max + 1);

	for (size_t i = 0; i < len; i++)
		text[i] = "abAB"[next_random() % 4];
	text[len] = '\0';
	return len;
}

static void finds_bytes_like_the_c_library(void **state)
{
	(void)state;
	for (int i = 0; i < 20000; i++) {
		char text[40], what[5];
		size_t len = random_text(text, 39), what_len = random_text(what, 4);

		assert_ptr_equal(platform_find(text, len, what, what_len),
				 memmem(text, len, what, what_len));
		assert_ptr_equal(platform_find_last(text, 'a', len), memrchr(text, 'a', len));
		assert_ptr_equal(platform_find_text(text, what), strcasestr(text, what));
	}
}

struct item {
	uint16_t key;
	uint16_t at; /* position before sorting */
	char rest[3];
};

static int item_compare(const void *a, const void *b, void *data)
{
	const struct item *x = a, *y = b;

	++*(unsigned *)data;
	return (x->key > y->key) - (x->key < y->key);
}

static void sorts_and_keeps_the_order_of_equal_items(void **state)
{
	(void)state;
	for (unsigned nr = 0; nr < 200; nr++) {
		struct item items[200] = { 0 };
		unsigned compared = 0;

		for (unsigned i = 0; i < nr; i++)
			items[i] =
				(struct item){ (uint16_t)(next_random() % 20), (uint16_t)i, "ab" };
		platform_sort(items, nr, sizeof(*items), item_compare, &compared);
		assert_true(nr < 2 || compared >= nr - 1);
		for (unsigned i = 1; i < nr; i++) {
			assert_true(items[i - 1].key < items[i].key ||
				    (items[i - 1].key == items[i].key &&
				     items[i - 1].at < items[i].at));
			assert_string_equal(items[i].rest, "ab");
		}
	}
}

static void converts_times_like_the_c_library(void **state)
{
	static const char *const zones[] = {
		"UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Kiritimati", "<+0530>-5:30",
		"X3Y"
	};

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct tm tm = { .tm_year = (int)(next_random() % 600) - 200,
				 .tm_mon = (int)(next_random() % 40) - 14,
				 .tm_mday = (int)(next_random() % 80) - 30,
				 .tm_hour = (int)(next_random() % 100) - 40,
				 .tm_min = (int)(next_random() % 100) - 40,
				 .tm_sec = (int)(next_random() % 100) - 40 };
		struct tm same = tm;

		assert_int_equal(platform_time_of_utc(&tm), timegm(&same));
	}
	for (size_t z = 0; z < sizeof(zones) / sizeof(*zones); z++) {
		setenv("TZ", zones[z], 1);
		tzset();
		for (int i = 0; i < 2000; i++) {
			time_t t = (time_t)next_random() * 150;
			struct tm tm;

			localtime_r(&t, &tm);
			assert_int_equal(tr2_platform_utc_offset(t, &tm), tm.tm_gmtoff);
		}
	}
	unsetenv("TZ");
	tzset();
}

static void assert_flags(int fd, bool nonblock)
{
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal((fcntl(fd, F_GETFL) & O_NONBLOCK) != 0, nonblock);
	close(fd);
}

static void descriptors_are_closed_by_exec(void **state)
{
	char name[] = "/tmp/trace2top-platform-XXXXXX", slave[100];
	int fds[2];

	(void)state;
	for (int nonblock = 0; nonblock < 2; nonblock++) {
		assert_flags(tr2_platform_socket(AF_UNIX, SOCK_STREAM, nonblock), nonblock);
		assert_int_equal(platform_pipe(fds, nonblock), 0);
		assert_flags(fds[0], nonblock);
		assert_flags(fds[1], nonblock);
	}
	assert_int_equal(platform_socketpair(SOCK_SEQPACKET, fds), 0);
	assert_int_equal(tr2_platform_dup_over(fds[0], fds[1]), fds[1]);
	assert_flags(fds[0], false);
	assert_flags(fds[1], false);
	assert_flags(platform_make_temporary(name), false);
	assert_int_equal(unlink(name), 0);
	assert_flags(platform_open_terminal(slave, sizeof(slave)), true);
	assert_int_equal(platform_open_terminal(slave, 2), -1);
}

static bool is_readable(int fd)
{
	struct pollfd it = { .fd = fd, .events = POLLIN };

	return poll(&it, 1, 0) == 1;
}

static void wakes_until_cleared(void **state)
{
	struct platform_wakeup wakeup;

	(void)state;
	assert_true(platform_wakeup_init(&wakeup));
	assert_false(is_readable(wakeup.in));
	platform_wakeup_clear(&wakeup);
	/* Many wake-ups are cleared at once. */
	for (int i = 0; i < 20000; i++)
		platform_wake(&wakeup);
	assert_true(is_readable(wakeup.in));
	platform_wakeup_clear(&wakeup);
	assert_false(is_readable(wakeup.in));
	platform_wake(&wakeup);
	assert_true(is_readable(wakeup.in));
	platform_wakeup_release(&wakeup);
}

static void random_bytes_differ(void **state)
{
	unsigned char a[32] = { 0 }, b[32] = { 0 };

	(void)state;
	assert_true(tr2_platform_random(a, sizeof(a), true));
	assert_true(tr2_platform_random(b, sizeof(b), false));
	assert_memory_not_equal(a, b, sizeof(a));
	platform_wipe(a, sizeof(a));
	memset(b, 0, sizeof(b));
	assert_memory_equal(a, b, sizeof(a));
}

static void error_texts_are_those_of_the_c_locale(void **state)
{
	(void)state;
	assert_string_equal(tr2_platform_error_text(ENOENT), "No such file or directory");
	assert_string_equal(tr2_platform_error_text(EAGAIN), "Resource temporarily unavailable");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_bytes_like_the_c_library),
		cmocka_unit_test(sorts_and_keeps_the_order_of_equal_items),
		cmocka_unit_test(converts_times_like_the_c_library),
		cmocka_unit_test(descriptors_are_closed_by_exec),
		cmocka_unit_test(wakes_until_cleared),
		cmocka_unit_test(random_bytes_differ),
		cmocka_unit_test(error_texts_are_those_of_the_c_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
