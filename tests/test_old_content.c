/* SPDX-License-Identifier: MIT */
/*
 * Tests of content from before the start: the progress of reading it, and skipping the rest.
 * Reading pauses when the journal is full; some tests act then.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "monitor/intake/intake_priv.h"
#include "monitor/source/source.h"
#include "tests/intake_fixture.h"

/* three times as many events are more than may wait in the journal */
#define NR_OLD     80000u
#define MAX_EVENTS (3 * NR_OLD + 100)

static char dir[128];
static const char *const names[] = { "oldest", "middle", "newest" };

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(dir, sizeof(dir), "%s/old-XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(dir) ? 0 : -1;
}

static const char *in_dir(const char *name)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		unlink(in_dir(names[i]));
	return rmdir(dir);
}

static uint64_t file_bytes(const char *name)
{
	struct stat st;

	return stat(in_dir(name), &st) ? 0 : (uint64_t)st.st_size;
}

static void add(const char *name, unsigned from, unsigned nr)
{
	FILE *file = fopen(in_dir(name), "ae");
	char line[300];

	assert_non_null(file);
	for (unsigned i = from; i < from + nr; i++)
		fwrite(line, 1, fixture_line(line, sizeof(line), i, 0), file);
	assert_int_equal(fclose(file), 0);
}

static void follow(struct fixture *f, const char *spec, bool new_only)
{
	struct source_config config = { .new_only = new_only };
	char why[200] = "";

	fixture_open(f, &config, MAX_EVENTS);
	if (!intake_add(f->intake, spec, why, sizeof(why)))
		fail_msg("%s", why);
	intake_start(f->intake);
}

static struct source_stats stats_of(struct fixture *f)
{
	struct source_stats stats;

	intake_stats(f->intake, 0, &stats);
	return stats;
}

static void wait_full(struct fixture *f)
{
	int64_t until = fixture_until(FIXTURE_DEADLINE_MS);

	while (journal_has_room(f->journal))
		assert_true(fixture_poll(f, until));
}

static bool has_left(struct fixture *f, void *data)
{
	struct source_stats stats = stats_of(f);

	/* The intake thread reports the skipped bytes before it hands over the last batch. */
	return stats.left_bytes && stats.old_bytes_read == stats.old_bytes &&
	       stats.left_files >= *(uint64_t *)data && f->nr_seen >= stats.events;
}

static bool has_read_all(struct fixture *f, void *data)
{
	struct source_stats stats = stats_of(f);

	(void)data;
	return stats.old_bytes && stats.old_bytes_read == stats.old_bytes;
}

static void assert_none_twice(const struct fixture *f)
{
	for (unsigned i = 0; i < f->cap; i++)
		assert_true(f->seen[i] <= 1);
}

static void progress_ends_at_the_old_content(void **state)
{
	uint64_t bytes = 0;
	struct fixture f;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		add(names[i], i * NR_OLD, NR_OLD);
		bytes += file_bytes(names[i]);
	}
	follow(&f, dir, false);
	wait_full(&f);
	struct source_stats stats = stats_of(&f);
	assert_int_equal(stats.old_bytes, bytes);
	assert_int_equal(stats.old_files, 3);
	assert_true(stats.old_bytes_read > 0 && stats.old_bytes_read < bytes);
	assert_true(stats.old_files_read < 3);
	assert_false(stats.listing);
	/* New lines are not old content. */
	add("oldest", 3 * NR_OLD, 1);
	assert_true(fixture_wait_nr(&f, 3 * NR_OLD + 1));
	assert_true(fixture_wait(&f, has_read_all, NULL));
	stats = stats_of(&f);
	assert_int_equal(stats.old_bytes, bytes);
	assert_int_equal(stats.old_files_read, 3);
	assert_int_equal(stats.left_bytes, 0);
	assert_none_twice(&f);
	fixture_close(&f);
}

static void skips_the_rest_of_a_file_and_reads_new_lines(void **state)
{
	uint64_t one = 1;
	struct fixture f;

	(void)state;
	add("newest", 0, 3 * NR_OLD);
	follow(&f, in_dir("newest"), false);
	wait_full(&f);
	intake_leave_old(f.intake);
	assert_true(fixture_wait(&f, has_left, &one));
	uint64_t nr_read = f.nr_seen;
	struct source_stats stats = stats_of(&f);

	assert_true(nr_read && nr_read < 3 * NR_OLD);
	assert_int_equal(stats.left_files, 1);
	assert_int_equal(stats.bytes + stats.left_bytes, file_bytes("newest"));
	add("newest", 3 * NR_OLD, 3);
	assert_true(fixture_wait_nr(&f, nr_read + 3));
	assert_int_equal(f.seen[3 * NR_OLD + 2], 1);
	/* The line that was cut by skipping is not malformed. */
	stats = stats_of(&f);
	assert_int_equal(stats.malformed + stats.oversized, 0);
	assert_none_twice(&f);
	fixture_close(&f);
}

static void skips_the_oldest_files_of_a_directory(void **state)
{
	uint64_t two = 2, bytes = 0;
	struct fixture f;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct timespec times[2] = { { .tv_sec = 1000000 + i }, { .tv_sec = 1000000 + i } };

		add(names[i], i * NR_OLD, NR_OLD);
		assert_int_equal(utimensat(AT_FDCWD, in_dir(names[i]), times, 0), 0);
		bytes += file_bytes(names[i]);
	}
	follow(&f, dir, false);
	wait_full(&f);
	intake_leave_old(f.intake);
	assert_true(fixture_wait(&f, has_left, &two));
	uint64_t nr_read = f.nr_seen;

	assert_int_equal(stats_of(&f).bytes + stats_of(&f).left_bytes, bytes);
	assert_int_equal(f.seen[2 * NR_OLD], 1);
	for (unsigned i = 0; i < 3; i++)
		add(names[i], 3 * NR_OLD + i, 1);
	assert_true(fixture_wait_nr(&f, nr_read + 3));
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(f.seen[3 * NR_OLD + i], 1);
	assert_int_equal(stats_of(&f).malformed, 0);
	assert_none_twice(&f);
	fixture_close(&f);
}

static void skipping_after_everything_was_read_has_no_effect(void **state)
{
	struct fixture f;

	(void)state;
	add("newest", 0, 10);
	follow(&f, in_dir("newest"), false);
	assert_true(fixture_wait_nr(&f, 10));
	assert_true(fixture_wait(&f, has_read_all, NULL));
	intake_leave_old(f.intake);
	add("newest", 10, 10);
	assert_true(fixture_wait_nr(&f, 20));
	assert_int_equal(stats_of(&f).left_bytes, 0);
	assert_int_equal(stats_of(&f).old_files_read, 1);
	assert_none_twice(&f);
	fixture_close(&f);
}

/* The old content ends within an oversized line, so reading cannot skip to the start of a line. */
static void skipping_an_endless_line_does_not_read_it(void **state)
{
	struct fixture f;
	int fd;

	(void)state;
	add("newest", 0, 1);
	assert_int_equal(truncate(in_dir("newest"), 40 << 20), 0);
	follow(&f, in_dir("newest"), true);
	fd = open(in_dir("newest"), O_WRONLY | O_APPEND | O_CLOEXEC);
	assert_int_equal(write(fd, "\n", 1), 1);
	close(fd);
	add("newest", 2, 1);
	assert_true(fixture_wait_nr(&f, 1));
	assert_int_equal(f.seen[2], 1);
	assert_int_equal(stats_of(&f).oversized, 1);
	assert_true(stats_of(&f).bytes < 1 << 20);
	assert_none_twice(&f);
	fixture_close(&f);
}

static void stream_that_turns_live_is_marked_before_its_next_event(void **state)
{
	static const int64_t wanted[] = { 0, 1 };
	struct source_config config = { .once = false };
	struct stream stream;
	struct fixture f;
	const struct batch *batch;
	struct event ev;
	char why[200], line[300];
	unsigned nr = 0;

	(void)state;
	add(names[0], 0, 1);
	fixture_open(&f, &config, MAX_EVENTS);
	assert_true(intake_add(f.intake, in_dir(names[0]), why, sizeof(why)));
	stream_init(&stream, &f.intake->sources.items[0]->origin);
	for (unsigned i = 0; i < 4; i++) {
		stream.live = i >= 2;
		stream_feed(&stream, line, fixture_line(line, sizeof(line), i, 0));
	}
	batcher_push(&f.intake->streams.out);
	batch = journal_next(f.journal);
	assert_non_null(batch);
	assert_int_equal(batch->nr_events, 4);
	for (struct batch_cursor c = batch_begin(batch); batch_next(&c, &ev);)
		if (ev.kind == REC_STREAM) {
			assert_true(nr < 2);
			assert_int_equal(event_get(&ev, FLD_LIVE, 0), wanted[nr++]);
		}
	assert_int_equal(nr, 2);
	stream_end(&stream, false);
	stream_release(&stream);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(progress_ends_at_the_old_content, setup, teardown),
		cmocka_unit_test_setup_teardown(skips_the_rest_of_a_file_and_reads_new_lines, setup,
						teardown),
		cmocka_unit_test_setup_teardown(skips_the_oldest_files_of_a_directory, setup,
						teardown),
		cmocka_unit_test_setup_teardown(skipping_after_everything_was_read_has_no_effect,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			stream_that_turns_live_is_marked_before_its_next_event, setup, teardown),
		cmocka_unit_test_setup_teardown(skipping_an_endless_line_does_not_read_it, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
