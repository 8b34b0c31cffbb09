/* SPDX-License-Identifier: MIT */
/*
 * Tests of files that were moved away and still have a writer: they are followed for 60 s after
 * they last grew or were moved; at most 256 of them. The clock is simulated.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ev.h>
#include <ftw.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "monitor/source/tail.h"
#include "tests/intake_fixture.h"

#define NR_WRITERS 300u
/* Interval in seconds of regular checks if `checks_often`. */
#define CHECK_S 0.005

static char root[100], log_dir[120], log_path[160];
static _Atomic ns_t ahead;
static bool checks_often;

int __real_clock_gettime(clockid_t id, struct timespec *ts);
int __wrap_clock_gettime(clockid_t id, struct timespec *ts);

/* The linker redirects the program's calls here (--wrap); libev keeps the real clock. */
int __wrap_clock_gettime(clockid_t id, struct timespec *ts)
{
	int result = __real_clock_gettime(id, ts);

	ts->tv_sec += (time_t)(ahead / NS_PER_SEC);
	return result;
}

void __real_ev_timer_start(struct ev_loop *loop, ev_timer *timer);
void __wrap_ev_timer_start(struct ev_loop *loop, ev_timer *timer);

/*
 * Without inotify, each file would be noticed only at the next check, and the first of 256 files
 * would be older than 60 s before the last one is noticed.
 */
void __wrap_ev_timer_start(struct ev_loop *loop, ev_timer *timer)
{
	if (checks_often && timer->repeat > CHECK_S)
		ev_timer_set(timer, CHECK_S, CHECK_S);
	__real_ev_timer_start(loop, timer);
}

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");
	struct rlimit limit;

	(void)state;
	ahead = 0;
	checks_often = false;
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	snprintf(root, sizeof(root), "%s/orphans-XXXXXX", tmp && strlen(tmp) < 60 ? tmp : "/tmp");
	if (!mkdtemp(root))
		return -1;
	snprintf(log_dir, sizeof(log_dir), "%s/logs", root);
	snprintf(log_path, sizeof(log_path), "%s/log", log_dir);
	return mkdir(log_dir, 0700);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int teardown(void **state)
{
	(void)state;
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int log_create(const char *path)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	return fd;
}

static void put_string(int fd, unsigned number)
{
	char line[300];
	size_t len = fixture_line(line, sizeof(line), number, 0);

	assert_int_equal(write(fd, line, len), (ssize_t)len);
}

static void follow(struct fixture *f, const char *spec)
{
	char why[200] = "";

	fixture_open(f, &(struct source_config){ 0 }, 4 * NR_WRITERS);
	if (!intake_add(f->intake, spec, why, sizeof(why)))
		fail_msg("%s", why);
	intake_start(f->intake);
}

static void take_away(const char *path, unsigned number)
{
	char to[200];

	snprintf(to, sizeof(to), "%s/away%u", root, number);
	assert_int_equal(rename(path, to), 0);
}

static bool has_open(struct fixture *f, void *nr)
{
	struct source_stats stats;

	intake_stats(f->intake, 0, &stats);
	return stats.nr_open <= *(uint64_t *)nr;
}

static void orphan_is_followed_for_a_minute(const char *spec)
{
	struct fixture f;
	int old, new;
	uint64_t one = 1;

	old = log_create(log_path);
	put_string(old, 0);
	follow(&f, spec);
	assert_true(fixture_wait_nr(&f, 1));
	take_away(log_path, 0);
	new = log_create(log_path);
	put_string(new, 1);
	assert_true(fixture_wait_nr(&f, 2));
	for (unsigned i = 0; i < 3; i++) {
		ahead += 50 * NS_PER_SEC;
		put_string(old, 2 + 2 * i);
		put_string(new, 3 + 2 * i);
		assert_true(fixture_wait_nr(&f, 4 + 2 * i));
	}
	ahead += TAIL_ORPHAN_NS + NS_PER_SEC;
	put_string(new, 8);
	assert_true(fixture_wait(&f, has_open, &one));
	put_string(old, 9);
	put_string(new, 10);
	assert_true(fixture_wait_nr(&f, 10));
	for (unsigned i = 0; i <= 10; i++)
		assert_int_equal(f.seen[i], i != 9);
	fixture_close(&f);
	close(old);
	close(new);
}

static void a_rotated_file_is_followed_for_a_minute(void **state)
{
	(void)state;
	orphan_is_followed_for_a_minute(log_path);
}

static void a_file_taken_out_of_a_directory_is_followed_for_a_minute(void **state)
{
	(void)state;
#ifdef TR2_PORTABLE /* without inotify the next scan notices that the file is gone */
	skip();
#endif
	orphan_is_followed_for_a_minute(log_dir);
}

/* Append to the files that were moved away. The new events of exactly `nr` files must arrive. */
static void assert_followed(struct fixture *f, const int *fds, unsigned nr)
{
	unsigned nr_late = 0;

	for (unsigned i = 0; i < NR_WRITERS; i++)
		put_string(fds[i], NR_WRITERS + i);
	assert_true(fixture_wait_nr(f, NR_WRITERS + 1 + nr));
	for (unsigned i = 0; i < NR_WRITERS; i++)
		assert_int_equal(f->seen[i], 1);
	for (unsigned i = NR_WRITERS; i < 2 * NR_WRITERS; i++)
		nr_late += f->seen[i] == 1;
	assert_int_equal(nr_late, nr);
	for (unsigned i = 0; i < NR_WRITERS; i++)
		close(fds[i]);
}

static void of_rotated_files_256_are_followed(void **state)
{
	int fds[NR_WRITERS], last;
	struct fixture f;

	(void)state;
	checks_often = true;
	follow(&f, log_path);
	for (unsigned i = 0; i < NR_WRITERS; i++) {
		fds[i] = log_create(log_path);
		put_string(fds[i], i);
		assert_true(fixture_wait_nr(&f, i + 1));
		take_away(log_path, i);
	}
	/* Once the event of a new file has arrived, the files over the limit have been closed. */
	last = log_create(log_path);
	put_string(last, 2 * NR_WRITERS);
	assert_true(fixture_wait_nr(&f, NR_WRITERS + 1));
	assert_followed(&f, fds, TAIL_MAX_OPEN);
	/* The files that have not grown for longest have been closed. */
	assert_int_equal(f.seen[NR_WRITERS], 0);
	assert_int_equal(f.seen[2 * NR_WRITERS - 1], 1);
	close(last);
	fixture_close(&f);
}

static void of_files_taken_out_of_a_directory_256_are_followed(void **state)
{
	int fds[NR_WRITERS], last;
	struct fixture f;
	char path[200];

	(void)state;
	follow(&f, log_dir);
	for (unsigned i = 0; i < NR_WRITERS; i++) {
		snprintf(path, sizeof(path), "%s/%u", log_dir, i);
		fds[i] = log_create(path);
		put_string(fds[i], i);
	}
	assert_true(fixture_wait_nr(&f, NR_WRITERS));
	for (unsigned i = 0; i < NR_WRITERS; i++) {
		snprintf(path, sizeof(path), "%s/%u", log_dir, i);
		take_away(path, i);
	}
	/* The event of a new file shows that the renames were noticed; the file counts towards the
	 * limit. */
	last = log_create(log_path);
	put_string(last, 2 * NR_WRITERS);
	assert_true(fixture_wait_nr(&f, NR_WRITERS + 1));
	assert_followed(&f, fds, TAIL_MAX_OPEN - 1);
	close(last);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(a_rotated_file_is_followed_for_a_minute),
		TEST(a_file_taken_out_of_a_directory_is_followed_for_a_minute),
		TEST(of_rotated_files_256_are_followed),
		TEST(of_files_taken_out_of_a_directory_256_are_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
