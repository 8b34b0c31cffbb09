/* SPDX-License-Identifier: MIT */
/*
 * Tests of compressed input that grows, pauses, is truncated or rewritten. The test compresses the
 * input with zlib itself, to control every flush.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "monitor/history/journal.h"
#include "monitor/intake/intake_priv.h"
#include "monitor/source/source.h"
#include "monitor/stream/packed.h"
#include "tests/intake_fixture.h"

#ifdef HAVE_ZLIB
#include <zlib.h>

#define MANY 20000u

static char dir[] = "/tmp/test_packed.XXXXXX";
static char path[64];

struct packed_test_writer {
	z_stream z;
	int fd;
};

static void packed_test_put(struct packed_test_writer *w, const char *bytes, size_t len, int flush)
{
	Bytef out[4096];
	int rc;

	w->z.next_in = (Bytef *)bytes;
	w->z.avail_in = (uInt)len;
	do {
		ssize_t n;

		w->z.next_out = out;
		w->z.avail_out = sizeof(out);
		rc = deflate(&w->z, flush);
		n = (ssize_t)(sizeof(out) - w->z.avail_out);
		assert_int_equal(write(w->fd, out, (size_t)n), n);
	} while (w->z.avail_out == 0 && rc == Z_OK);
}

/* Put the events [from, to), each line padded by `pad` bytes. */
static void put_events(struct packed_test_writer *w, unsigned from, unsigned to, unsigned pad,
		       int flush)
{
	char line[4096];

	for (unsigned i = from; i < to; i++)
		packed_test_put(w, line, fixture_line(line, sizeof(line), i, pad), Z_NO_FLUSH);
	packed_test_put(w, "", 0, flush);
}

/* Open the file `to`, and begin a gzip member in it. */
static void begin_level(struct packed_test_writer *w, const char *to, int flags, int level)
{
	*w = (struct packed_test_writer){ .fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC | flags,
						     0600) };
	assert_true(w->fd >= 0);
	assert_int_equal(deflateInit2(&w->z, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
}

static void packed_test_begin(struct packed_test_writer *w, const char *to, int flags)
{
	begin_level(w, to, flags, 6);
}

static void packed_test_leave(struct packed_test_writer *w)
{
	deflateEnd(&w->z);
	close(w->fd);
}

static void packed_test_follow(struct fixture *f, const char *spec, struct source_config config)
{
	char why[200];

	fixture_open(f, &config, MANY);
	assert_true(intake_add(f->intake, spec, why, sizeof(why)));
	intake_start(f->intake);
}

static struct source_stats packed_test_stats_of(struct fixture *f)
{
	struct source_stats stats;

	intake_stats(f->intake, 0, &stats);
	return stats;
}

static bool has_restarted(struct fixture *f, void *nr)
{
	return packed_test_stats_of(f).nr_restarts >= *(unsigned *)nr;
}

static bool has_error(struct fixture *f, void *text)
{
	return strstr(packed_test_stats_of(f).error, text);
}

static void packed_test_assert_each_once(const struct fixture *f, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		assert_int_equal(f->seen[i], 1);
}

static void shows_flushed_data_of_all_members(void **state)
{
	struct fixture f;
	struct packed_test_writer w;
	unsigned nr = 0;

	(void)state;
	packed_test_begin(&w, path, O_TRUNC);
	packed_test_follow(&f, path, (struct source_config){ 0 });
	for (unsigned member = 0; member < 3; member++) {
		for (unsigned flush = 0; flush < 5; flush++, nr += 7) {
			put_events(&w, nr, nr + 7, 0, Z_SYNC_FLUSH);
			assert_true(fixture_wait_nr(&f, nr + 7));
		}
		put_events(&w, nr, nr + 3, 0, Z_FINISH);
		nr += 3;
		assert_true(fixture_wait_nr(&f, nr));
		packed_test_leave(&w);
		packed_test_begin(&w, path, O_APPEND);
	}
	packed_test_leave(&w);
	packed_test_assert_each_once(&f, 0, nr);
	assert_int_equal(f.nr_seen, nr);
	assert_int_equal(packed_test_stats_of(&f).nr_restarts, 0);
	assert_int_equal(packed_test_stats_of(&f).malformed, 0);
	assert_string_equal(packed_test_stats_of(&f).error, "");
	fixture_close(&f);
}

/* After a rewrite with the same bytes their events are not shown again, even if they arrive in
 * pieces. */
static void resumes_a_rewritten_file_with_the_same_beginning(void **state)
{
	char *bytes = malloc(1 << 20);
	struct fixture f;
	struct packed_test_writer w;
	ssize_t len;
	int fd;

	(void)state;
	assert_non_null(bytes);
	packed_test_begin(&w, path, O_TRUNC);
	put_events(&w, 0, 400, 0, Z_SYNC_FLUSH);
	packed_test_follow(&f, path, (struct source_config){ 0 });
	assert_true(fixture_wait_nr(&f, 400));
	put_events(&w, 400, 1000, 0, Z_FINISH);
	assert_true(fixture_wait_nr(&f, 1000));
	packed_test_leave(&w);
	/* Write the same bytes, and another member. */
	fd = open(path, O_RDWR | O_CLOEXEC);
	len = read(fd, bytes, 1 << 20);
	assert_in_range(len, PACKED_FIRST_BYTES * 3, (1 << 20) - 1);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_true(fixture_wait(&f, has_restarted, (unsigned[]){ 1 }));
	assert_int_equal(pwrite(fd, bytes, 100, 0), 100);
	assert_int_equal(pwrite(fd, bytes + 100, PACKED_FIRST_BYTES, 100), PACKED_FIRST_BYTES);
	assert_int_equal(pwrite(fd, bytes, (size_t)len, 0), len);
	close(fd);
	packed_test_begin(&w, path, O_APPEND);
	put_events(&w, 1000, 1500, 0, Z_FINISH);
	packed_test_leave(&w);
	assert_true(fixture_wait_nr(&f, 1500));
	packed_test_assert_each_once(&f, 0, 1500);
	assert_int_equal(f.nr_seen, 1500);
	assert_int_equal(packed_test_stats_of(&f).malformed, 0);
	fixture_close(&f);
	free(bytes);
}

static void reads_a_changed_file_from_the_start(void **state)
{
	struct fixture f;
	struct packed_test_writer w;

	(void)state;
	packed_test_begin(&w, path, O_TRUNC);
	put_events(&w, 0, 1000, 0, Z_SYNC_FLUSH);
	packed_test_follow(&f, path, (struct source_config){ 0 });
	assert_true(fixture_wait_nr(&f, 1000));
	packed_test_leave(&w);
	begin_level(&w, path, O_TRUNC, 1);
	put_events(&w, 500, 2000, 0, Z_FINISH);
	packed_test_leave(&w);
	assert_true(fixture_wait_nr(&f, 2500));
	packed_test_assert_each_once(&f, 0, 500);
	packed_test_assert_each_once(&f, 1000, 2000);
	assert_int_equal(f.nr_seen, 2500);
	fixture_close(&f);
}

static void new_shows_only_new_packed_events(void **state)
{
	struct fixture f;
	struct packed_test_writer w;

	(void)state;
	packed_test_begin(&w, path, O_TRUNC);
	put_events(&w, 0, 1000, 200, Z_SYNC_FLUSH);
	packed_test_follow(&f, path, (struct source_config){ .new_only = true });
	while (packed_test_stats_of(&f).state != SOURCE_FOLLOWING)
		fixture_poll(&f, fixture_until(20));
	put_events(&w, 1000, 1100, 0, Z_SYNC_FLUSH);
	assert_true(fixture_wait_nr(&f, 100));
	packed_test_assert_each_once(&f, 1000, 1100);
	assert_int_equal(f.nr_seen, 100);
	packed_test_leave(&w);
	fixture_close(&f);
}

/* A FIFO with more data than is read at once. */
static void reads_a_fifo_and_reports_a_truncated_member(void **state)
{
	char *fifo = path;
	struct fixture f;
	struct packed_test_writer w;

	(void)state;
	unlink(fifo);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	packed_test_follow(&f, fifo, (struct source_config){ 0 });
	packed_test_begin(&w, fifo, 0);
	put_events(&w, 0, 5000, 3000, Z_SYNC_FLUSH);
	assert_true(fixture_wait_nr(&f, 5000));
	put_events(&w, 5000, 6000, 3000, Z_FINISH);
	packed_test_leave(&w);
	assert_true(fixture_wait_nr(&f, 6000));
	assert_string_equal(packed_test_stats_of(&f).error, "");
	while (packed_test_stats_of(&f).nr_streams < 2)
		fixture_poll(&f, fixture_until(20));
	packed_test_begin(&w, fifo, 0);
	put_events(&w, 6000, 6100, 0, Z_SYNC_FLUSH);
	packed_test_leave(&w);
	assert_true(fixture_wait(&f, has_error, (char[]){ "is truncated" }));
	assert_true(fixture_wait_nr(&f, 6100));
	packed_test_assert_each_once(&f, 0, 6100);
	fixture_close(&f);
	unlink(fifo);
}

static struct fixture one;
static struct source *source;

static int open_one(void **state)
{
	char why[200];

	(void)state;
	fixture_open(&one, &(struct source_config){ 0 }, MANY);
	assert_true(intake_add(one.intake, "/nowhere/run.event.gz", why, sizeof(why)));
	source = one.intake->sources.items[0];
	return 0;
}

static int close_one(void **state)
{
	(void)state;
	assert_int_equal(one.intake->streams.packed_held, 0);
	fixture_close(&one);
	return 0;
}

static unsigned events_of(void)
{
	origin_refresh(&source->origin);
	return (unsigned)source->origin.stats.events;
}

static size_t bytes_of(char *bytes, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, bytes, room);

	assert_in_range(n, 1, room - 1);
	close(fd);
	return (size_t)n;
}

static void packed_test_feed(struct stream *stream, const char *bytes, size_t len,
			     size_t budget_each)
{
	for (size_t at = 0; at < len || stream_has_more(stream);) {
		size_t budget = budget_each, nr = len - at;
		char *copy = malloc(nr + SPLITTER_PAD);

		memcpy(copy, bytes + at, nr);
		memset(copy + nr, '\n', SPLITTER_PAD);
		nr = stream_feed_some(stream, copy, nr, &budget);
		at += nr;
		assert_true(nr || budget < budget_each);
		free(copy);
	}
}

static void every_split_gives_the_same_events_packed(void **state)
{
	static char bytes[64 << 10];
	struct packed_test_writer w;
	size_t len;

	(void)state;
	packed_test_begin(&w, path, O_TRUNC);
	put_events(&w, 0, 20, 0, Z_FINISH);
	packed_test_leave(&w);
	len = bytes_of(bytes, sizeof(bytes));
	for (size_t a = 0; a <= len; a++) {
		struct stream stream;
		unsigned before = events_of();
		uint64_t packed = source->origin.stats.packed_bytes;

		stream_init(&stream, &source->origin);
		stream_may_be_packed(&stream);
		for (size_t i = 0; i < a; i++)
			packed_test_feed(&stream, bytes + i, 1, 1);
		packed_test_feed(&stream, bytes + a, len - a, 1);
		assert_int_equal(events_of(), before + 20);
		assert_int_equal(source->origin.stats.packed_bytes, packed + len);
		stream_end(&stream, false);
		stream_release(&stream);
	}
	assert_int_equal(source->origin.stats.malformed, 0);
	assert_string_equal(source->origin.stats.error, "");
}

static void treats_uncompressed_data_as_plain(void **state)
{
	static const char *const texts[] = { "\x1f",
					     "\x1f\x8b",
					     "\xfd"
					     "7zX",
					     "(\xb5/",
					     "P*M",
					     "T*M\x18"
					     "sizeT2REC",
					     "\x1f{}\n",
					     "\xfd"
					     "7zXZ\n",
					     "Zebra\n",
					     "\x28\n" };
	unsigned nr = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (size_t len = strlen(texts[i]), a = 0; a <= len; a++, nr++) {
			struct stream stream;

			stream_init(&stream, &source->origin);
			stream_may_be_packed(&stream);
			packed_test_feed(&stream, texts[i], a, 100);
			packed_test_feed(&stream, texts[i] + a, len - a, 100);
			stream_end(&stream, false);
			stream_release(&stream);
		}
	events_of();
	assert_int_equal(source->origin.stats.malformed, nr);
	assert_int_equal(source->origin.stats.packed_bytes, 0);
	assert_string_equal(source->origin.stats.error, "");
}

static void frees_the_decoder_between_members(void **state)
{
	static char bytes[64 << 10];
	struct stream stream;
	struct packed_test_writer w;
	size_t len, middle;

	(void)state;
	packed_test_begin(&w, path, O_TRUNC);
	put_events(&w, 0, 40, 0, Z_SYNC_FLUSH);
	middle = bytes_of(bytes, sizeof(bytes));
	put_events(&w, 40, 80, 0, Z_FINISH);
	packed_test_leave(&w);
	len = bytes_of(bytes, sizeof(bytes));
	stream_init(&stream, &source->origin);
	stream_may_be_packed(&stream);
	packed_test_feed(&stream, bytes, middle, 100);
	assert_true(stream_unpack_rest(&stream, false));
	assert_true(one.intake->streams.packed_held > 0);
	packed_test_feed(&stream, bytes + middle, len - middle, 100);
	assert_true(stream_unpack_rest(&stream, false));
	assert_int_equal(one.intake->streams.packed_held, 0);
	assert_int_equal(events_of(), 80);
	/* `middle` is inside the next member. The stream is abandoned there, then fed from its
	 * first member again. */
	packed_test_feed(&stream, bytes, middle, 100);
	assert_int_equal(events_of(), 120);
	assert_false(stream_unpack_rest(&stream, true));
	assert_int_equal(one.intake->streams.packed_held, 0);
	packed_test_feed(&stream, bytes, len, 100);
	assert_int_equal(events_of(), 120);
	packed_test_feed(&stream, bytes, len, 100);
	assert_int_equal(events_of(), 160);
	assert_int_equal(source->origin.stats.malformed, 0);
	/* A stream that was abandoned inside a member is reported as truncated at its end. */
	packed_test_feed(&stream, bytes, middle, 100);
	assert_false(stream_unpack_rest(&stream, true));
	stream_end(&stream, false);
	assert_non_null(strstr(source->origin.stats.error, "is truncated"));
	stream_release(&stream);
}

static int packed_test_make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/f.gz", dir);
	return 0;
}

static int packed_test_remove_dir(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_flushed_data_of_all_members),
		cmocka_unit_test(resumes_a_rewritten_file_with_the_same_beginning),
		cmocka_unit_test(reads_a_changed_file_from_the_start),
		cmocka_unit_test(new_shows_only_new_packed_events),
		cmocka_unit_test(reads_a_fifo_and_reports_a_truncated_member),
		cmocka_unit_test_setup_teardown(every_split_gives_the_same_events_packed, open_one,
						close_one),
		cmocka_unit_test_setup_teardown(treats_uncompressed_data_as_plain, open_one,
						close_one),
		cmocka_unit_test_setup_teardown(frees_the_decoder_between_members, open_one,
						close_one),
	};

	return cmocka_run_group_tests(tests, packed_test_make_dir, packed_test_remove_dir);
}
#else
int main(void)
{
	return 77; /* skip: the program is built without zlib */
}
#endif
