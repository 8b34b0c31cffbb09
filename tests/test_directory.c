/* SPDX-License-Identifier: MIT */
/* Tests of directories as sources. DIRECTORY_FILES=N sets the number of files in the test of their
 * cost. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <sys/resource.h>
#include <time.h>

#include "monitor/source/tail.h"
#include "tests/intake_fixture.h"

#define IDLE_MS     1200
#define NR_OVERFLOW 12000u

static char dir[128];
static unsigned nr_files = 10000;

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR"), *nr = getenv("DIRECTORY_FILES");

	(void)state;
	if (nr)
		nr_files = (unsigned)strtoul(nr, NULL, 10);
	snprintf(dir, sizeof(dir), "%s/directory-XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(dir) ? 0 : -1;
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
	return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Seconds by which tests set the monotonic clock forward. */
static _Atomic time_t ahead_s;

int __real_clock_gettime(clockid_t clock, struct timespec *to);
int __wrap_clock_gettime(clockid_t clock, struct timespec *to);

int __wrap_clock_gettime(clockid_t clock, struct timespec *to)
{
	int result = __real_clock_gettime(clock, to);

	if (!result && clock == CLOCK_MONOTONIC)
		to->tv_sec += ahead_s;
	return result;
}

static const char *in_dir(const char *name)
{
	static char path[4][300];
	static int next;
	char *to = path[next++ % 4];

	snprintf(to, sizeof(path[0]), "%s/%s", dir, name);
	return to;
}

static void add_text(const char *name, const char *text)
{
	int fd = open(in_dir(name), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void add(const char *name, unsigned number)
{
	char line[300];

	fixture_line(line, sizeof(line), number, 0);
	add_text(name, line);
}

static void follow(struct fixture *f, bool once, const char *spec, const char *second)
{
	struct source_config config = { .once = once };
	char why[200] = "";

	fixture_open(f, &config, nr_files + NR_OVERFLOW);
	if (!intake_add(f->intake, spec, why, sizeof(why)) ||
	    (second && !intake_add(f->intake, second, why, sizeof(why))))
		fail_msg("%s", why);
	intake_start(f->intake);
}

static void assert_each_once(const struct fixture *f, unsigned nr)
{
	assert_int_equal(f->nr_seen, nr);
	for (unsigned i = 0; i < nr; i++)
		assert_int_equal(f->seen[i], 1);
}

static struct source_stats stats_of(struct fixture *f)
{
	struct source_stats stats;

	intake_stats(f->intake, 0, &stats);
	return stats;
}

static unsigned nr_descriptors(void)
{
	DIR *fds = opendir("/proc/self/fd");
	unsigned nr = 0;

	assert_non_null(fds);
	while (readdir(fds))
		nr++;
	closedir(fds);
	return nr - 3;
}

static unsigned nr_watches(void)
{
	DIR *fds = opendir("/proc/self/fdinfo");
	struct dirent *ent;
	unsigned nr = 0;

	assert_non_null(fds);
	while ((ent = readdir(fds))) {
		char path[300], line[300];
		FILE *info;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%s", ent->d_name);
		info = fopen(path, "r");
		while (info && fgets(line, sizeof(line), info))
			nr += !strncmp(line, "inotify ", 8);
		if (info)
			fclose(info);
	}
	closedir(fds);
	return nr;
}

static void assert_idle(struct fixture *f)
{
	int64_t until = fixture_until(IDLE_MS);
	struct rusage before, after;
	long cpu_us;

	getrusage(RUSAGE_SELF, &before);
	while (fixture_poll(f, until))
		;
	getrusage(RUSAGE_SELF, &after);
	cpu_us = (after.ru_utime.tv_sec - before.ru_utime.tv_sec + after.ru_stime.tv_sec -
		  before.ru_stime.tv_sec) *
			 1000000 +
		 after.ru_utime.tv_usec - before.ru_utime.tv_usec + after.ru_stime.tv_usec -
		 before.ru_stime.tv_usec;
	print_message("idle: %ld us, %ld wakeups in %d ms\n", cpu_us,
		      after.ru_nvcsw - before.ru_nvcsw, IDLE_MS);
	assert_true(cpu_us < IDLE_MS * 10);
	assert_true(after.ru_nvcsw - before.ru_nvcsw < 20);
}

static void many_files_cost_no_descriptors_and_no_time(void **state)
{
	unsigned next = nr_files, before;
	struct fixture f;
	char name[40];

	(void)state;
#ifdef TR2_PORTABLE /* the portable build has no inotify */
	skip();
#endif
	for (unsigned i = 0; i < nr_files; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		add(name, i);
	}
	before = nr_descriptors();
	follow(&f, false, dir, NULL);
	assert_true(fixture_wait_nr(&f, next));
	assert_true(nr_descriptors() - before < TAIL_MAX_OPEN + 20);
	assert_int_equal(nr_watches(), 1);
	assert_idle(&f);

	add("f1234", next++);
	assert_true(fixture_wait_nr(&f, next));
	add("new", next++);
	assert_true(fixture_wait_nr(&f, next));
	assert_int_equal(rename(in_dir("f7"), in_dir("renamed")), 0);
	add("renamed", next++);
	assert_true(fixture_wait_nr(&f, next));
	for (unsigned i = nr_files / 2; i < nr_files; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		unlink(in_dir(name));
	}
	add("f999", next++);
	add("last", next++);
	assert_true(fixture_wait_nr(&f, next));
	assert_each_once(&f, next);
	fixture_close(&f);
}

static void one_inode_under_many_names_is_read_once(void **state)
{
	struct fixture f;

	(void)state;
	add("first", 0);
	assert_int_equal(link(in_dir("first"), in_dir("second")), 0);
	assert_int_equal(symlink("first", in_dir("third")), 0);
	follow(&f, true, dir, in_dir("first"));
	assert_true(fixture_wait(&f, fixture_is_done, NULL));
	assert_each_once(&f, 1);
	fixture_close(&f);

	follow(&f, false, dir, in_dir("second"));
	assert_true(fixture_wait_nr(&f, 1));
	add("second", 1);
	assert_true(fixture_wait_nr(&f, 2));
	unlink(in_dir("first"));
	add("second", 2);
	assert_true(fixture_wait_nr(&f, 3));
	add("end", 3);
	assert_true(fixture_wait_nr(&f, 4));
	assert_each_once(&f, 4);
	fixture_close(&f);
}

static void link_that_leads_to_another_file_is_followed(void **state)
{
	struct fixture f;

	(void)state;
	add("current", 0);
	assert_int_equal(mkdir(in_dir("watched"), 0700), 0);
	assert_int_equal(symlink("../current", in_dir("watched/link")), 0);
	follow(&f, false, in_dir("watched"), NULL);
	assert_true(fixture_wait_nr(&f, 1));
	add("next", 1);
	assert_int_equal(rename(in_dir("next"), in_dir("current")), 0);
	assert_true(fixture_wait_nr(&f, 2));
	assert_each_once(&f, 2);
	fixture_close(&f);
}

static bool has_discard(struct fixture *f, void *wanted)
{
	return stats_of(f).discard == *(bool *)wanted;
}

static void foreign_files_are_counted_and_a_sentinel_is_reported(void **state)
{
	struct fixture f;
	bool wanted = true;

	(void)state;
	add_text("log", "[INFO] no trace\n{\"event\":\"exit\",\"sid\":\"s\",\"code\":9}\n");
	add_text("empty", "");
	add("trace", 0);
	follow(&f, false, dir, NULL);
	assert_true(fixture_wait_nr(&f, 1));
	add("log", 9);
	add_text("git-trace2-discard", "");
	add("trace", 1);
	assert_true(fixture_wait(&f, has_discard, &wanted));
	unlink(in_dir("git-trace2-discard"));
	wanted = false;
	add("empty", 2);
	assert_true(fixture_wait_nr(&f, 3));
	assert_true(fixture_wait(&f, has_discard, &wanted));
	assert_int_equal(stats_of(&f).foreign, 1);
	assert_int_equal(stats_of(&f).malformed, 0);
	assert_int_equal(truncate(in_dir("log"), 0), 0);
	add("log", 3);
	assert_true(fixture_wait_nr(&f, 4));
	assert_each_once(&f, 4);
	fixture_close(&f);
}

static void dropped_entry_leaves_the_others_findable(void **state)
{
	struct fixture f;
	char name[40];
	unsigned next = 0;

	(void)state;
	for (; next < 200; next++) {
		snprintf(name, sizeof(name), "a%u", next);
		add(name, next);
	}
	follow(&f, false, dir, NULL);
	assert_true(fixture_wait_nr(&f, next));
	for (unsigned i = 0; i < 200; i += 3) {
		snprintf(name, sizeof(name), "a%u", i);
		unlink(in_dir(name));
	}
	for (unsigned i = 1; i < 200; i += 3) {
		snprintf(name, sizeof(name), "a%u", i);
		add(name, next++);
		snprintf(name, sizeof(name), "b%u", i);
		add(name, next++);
	}
	assert_true(fixture_wait_nr(&f, next));
	assert_each_once(&f, next);
	fixture_close(&f);
}

static bool has_descriptors(struct fixture *f, void *nr)
{
	(void)f;
	return nr_descriptors() == *(unsigned *)nr;
}

static void closes_a_removed_file_after_a_minute(void **state)
{
	struct fixture f;
	unsigned nr;

	(void)state;
#ifdef TR2_PORTABLE /* the portable build has no inotify */
	skip();
#endif
	add("removed", 0);
	follow(&f, false, dir, NULL);
	assert_true(fixture_wait_nr(&f, 1));
	add("kept", 1);
	assert_true(fixture_wait_nr(&f, 2));
	nr = nr_descriptors() - 1;
	unlink(in_dir("removed"));
	/* inotify reports the removal before this line. */
	add("kept", 2);
	assert_true(fixture_wait_nr(&f, 3));
	assert_int_equal(nr_descriptors(), nr + 1);
	ahead_s += TAIL_ORPHAN_NS / NS_PER_SEC + 1;
	assert_true(fixture_wait(&f, has_descriptors, &nr));
	add("kept", 3);
	assert_true(fixture_wait_nr(&f, 4));
	assert_each_once(&f, 4);
	fixture_close(&f);
}

static void path_that_becomes_a_directory_is_read_as_one(void **state)
{
	char inner[300];
	struct fixture f;

	(void)state;
	snprintf(inner, sizeof(inner), "%s", in_dir("later"));
	follow(&f, false, inner, NULL);
	assert_int_equal(mkdir(inner, 0700), 0);
	add("later/one", 0);
	assert_true(fixture_wait_nr(&f, 1));
	assert_string_equal(stats_of(&f).kind, "directory");
	add("later/two", 1);
	assert_true(fixture_wait_nr(&f, 2));
	assert_each_once(&f, 2);
	fixture_close(&f);
}

/* If the kernel's queue of changes overflows, the whole directory is scanned. */
static void overflow_of_the_watch_loses_nothing(void **state)
{
	unsigned next = 0;
	struct fixture f;
	char name[40];

	(void)state;
	add("a", next++);
	follow(&f, false, dir, NULL);
	assert_true(fixture_wait_nr(&f, next));
	/* While the intake thread is blocked, the changes of NR_OVERFLOW files overflow the
	 * queue. */
	pthread_mutex_lock(&f.hold);
	for (unsigned i = 0; i < NR_OVERFLOW; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		add(name, next++);
	}
	pthread_mutex_unlock(&f.hold);
	assert_true(fixture_wait_nr(&f, next));
	assert_each_once(&f, next);
	fixture_close(&f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(many_files_cost_no_descriptors_and_no_time),
		TEST(one_inode_under_many_names_is_read_once),
		TEST(link_that_leads_to_another_file_is_followed),
		TEST(foreign_files_are_counted_and_a_sentinel_is_reported),
		TEST(dropped_entry_leaves_the_others_findable),
		TEST(closes_a_removed_file_after_a_minute),
		TEST(path_that_becomes_a_directory_is_read_as_one),
		TEST(overflow_of_the_watch_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
