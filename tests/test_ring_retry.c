/* SPDX-License-Identifier: MIT */
/* Tests of ring files that cannot be followed at first, because descriptors are short. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "tests/intake_fixture.h"
#include "tests/ring_maker.h"

#define NR_OLD 100u
#define NEW    1000u

static char path[64];

/* how often following a ring file still fails */
static int nr_failures;

struct ring_file;
struct source;

struct ring_file *__real_ring_file_new(struct source *s, int fd, const struct stat *st, bool live);
struct ring_file *__wrap_ring_file_new(struct source *s, int fd, const struct stat *st, bool live);
struct ring_file *__wrap_ring_file_new(struct source *s, int fd, const struct stat *st, bool live)
{
	if (!nr_failures)
		return __real_ring_file_new(s, fd, st, live);
	nr_failures--;
	errno = EMFILE;
	return NULL;
}

static int retry_setup(void **state)
{
	(void)state;
	strcpy(path, "/tmp/test_ring_retry.XXXXXX");
	nr_failures = 1;
	return close(mkstemp(path));
}

static int retry_teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static void follow(struct fixture *f, const struct source_config *config)
{
	char why[200];

	fixture_open(f, config, NEW + 1);
	assert_true(intake_add(f->intake, path, why, sizeof(why)));
	intake_start(f->intake);
}

static void retries_unchanged_file(void **state)
{
	static const struct source_config config = { .once = false };
	const struct timespec old[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	struct fixture f;
	struct maker m;

	(void)state;
	maker_begin(&m, 16 << 10, 1);
	maker_exit(&m, 0, 1);
	maker_head(&m)->closed = 1;
	maker_save(&m, path);
	assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	follow(&f, &config);
	assert_true(fixture_wait_nr(&f, 1));
	assert_int_equal(nr_failures, 0);
	fixture_close(&f);
	maker_end(&m);
}

static bool sees_new_event(struct fixture *f, void *m)
{
	maker_exit(m, 0, NEW);
	return f->nr_seen > 0;
}

static void new_only_skips_existing_events_later(void **state)
{
	static const struct source_config config = { .new_only = true };
	size_t len = TR2_RING_HEAD_BYTES + (64 << 10);
	char sid[100], *file;
	struct fixture f;
	struct maker m;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	(void)state;
	assert_int_equal(ftruncate(fd, (off_t)len), 0);
	file = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(file != MAP_FAILED);
	close(fd);
	maker_own_sid(sid, sizeof(sid), getpid());
	maker_begin_on(&m, file, 64 << 10, 1, sid, (uint32_t)getpid());
	for (unsigned i = 0; i < NR_OLD; i++)
		maker_exit(&m, 0, i);
	follow(&f, &config);
	assert_true(fixture_wait(&f, sees_new_event, &m));
	for (unsigned i = 0; i < NR_OLD; i++)
		assert_int_equal(f.seen[i], 0);
	fixture_close(&f);
	munmap(file, len);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, retry_setup, retry_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(retries_unchanged_file),
		TEST(new_only_skips_existing_events_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
