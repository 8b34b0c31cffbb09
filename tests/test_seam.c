/* SPDX-License-Identifier: MIT */
/* Tests of the interface of readers, with two formats that only tests use (reader_toy.h). */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "monitor/history/journal.h"
#include "monitor/intake/intake_priv.h"
#include "monitor/source/source.h"
#include "tests/intake_fixture.h"
#include "tests/reader_toy.h"

#define MANY           200000u
#define TOY_HEAD_BYTES 4

static char dir[] = "/tmp/test_seam.XXXXXX";

static const char *seam_test_in_dir(const char *name)
{
	static char path[2][128];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
	return path[turn];
}

static void put_file(const char *name, const char *mode, const void *bytes, size_t len)
{
	FILE *file = fopen(seam_test_in_dir(name), mode);

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static void put_text(const char *name, const char *mode, const char *text)
{
	put_file(name, mode, text, strlen(text));
}

static const char event_0[] = "{\"event\":\"exit\",\"sid\":\"s\",\"thread\":\"main\",\"code\":0}\n";
static const char event_7[] = "{\"event\":\"exit\",\"sid\":\"s\",\"thread\":\"main\",\"code\":7}\n";

struct seam {
	struct fixture fixture;
	struct source *source;
	char got[4096]; /* codes of received events in order, each with its SID */
};

static void seam_open(struct seam *t, const struct source_config *config)
{
	char why[200];

	fixture_open(&t->fixture, config, 1);
	assert_true(intake_add(t->fixture.intake, "/nowhere/run.toy.gz", why, sizeof(why)));
	t->source = t->fixture.intake->sources.items[0];
}

static void seam_close(struct seam *t)
{
	assert_int_equal(t->fixture.intake->streams.held_bytes, 0);
	assert_null(t->fixture.intake->streams.waiting);
	fixture_close(&t->fixture);
}

static const char *seam_take(struct seam *t)
{
	const struct batch *batch;
	struct event ev;
	size_t used = 0;

	*t->got = '\0';
	batcher_push(&t->fixture.intake->streams.out);
	while ((batch = journal_next(t->fixture.journal)))
		for (struct batch_cursor c = batch_begin(batch); batch_next(&c, &ev);) {
			size_t len;
			const char *sid;

			if (ev.kind != TR2_E_EXIT)
				continue;
			sid = batch_sid_text(batch, (uint32_t)ev.v[TR2_F_SID], &len);
			used += (size_t)snprintf(t->got + used, sizeof(t->got) - used, "%.*s=%d ",
						 (int)len, sid, (int)ev.v[TR2_F_CODE]);
			assert_true(used < sizeof(t->got));
		}
	origin_refresh(&t->source->origin);
	return t->got;
}

/* The memory has exactly the size of the bytes and the pad. */
static void seam_test_feed(struct stream *stream, const char *bytes, size_t len)
{
	char *copy = malloc(len + SPLITTER_PAD);

	memcpy(copy, bytes, len);
	memset(copy + len, '\n', SPLITTER_PAD);
	stream_feed(stream, copy, len);
	free(copy);
}

/* Feed a stream in three pieces, which end at `a`, `b` and `len`, and end the stream. */
static void seam_test_run(struct seam *t, const char *bytes, size_t len, size_t a, size_t b)
{
	struct stream stream;

	stream_init(&stream, &t->source->origin);
	seam_test_feed(&stream, bytes, a);
	seam_test_feed(&stream, bytes + a, b - a);
	seam_test_feed(&stream, bytes + b, len - b);
	stream_end(&stream, false);
	stream_release(&stream);
}

static size_t toy_bytes(char *bytes)
{
	char *p = toy_begin(bytes);

	p = toy_put(p, 'e', 3, 0x0a0a0a0a);
	p = toy_put(p, 'e', 1, 10);
	p = toy_put(p, 'e', 2, 0xff);
	p = toy_put(p, 'f', 0, 0);
	p = toy_put(p, '\n', 9, 9);
	p = toy_put(p, 'e', 5, 7);
	p = toy_put(p, 'e', 4, 6);
	p = toy_put(p, 'f', 0, 0);
	p = toy_put(p, 'e', 7, 2);
	p = toy_put(p, 'e', 6, 1);
	memcpy(p, "e\n\0", 3);
	return (size_t)(p + 3 - bytes);
}

static void every_split_gives_the_same_codes(void **state)
{
	char bytes[256], want[512];
	size_t len = toy_bytes(bytes);
	struct seam t;
	unsigned nr = 0;

	(void)state;
	seam_open(&t, &(struct source_config){ 0 });
	for (size_t a = 0; a <= len; a++)
		for (size_t b = a; b <= len; b++) {
			nr++;
			snprintf(want, sizeof(want),
				 "toy:run.toy#%u=1 toy:run.toy#%u=2 toy:run.toy#%u=3 "
				 "toy:run.toy#%u=4 toy:run.toy#%u=5 toy:run.toy#%u=6 "
				 "toy:run.toy#%u=7 ",
				 nr, nr, nr, nr, nr, nr, nr);
			seam_test_run(&t, bytes, len, a, b);
			assert_string_equal(seam_take(&t), want);
			assert_int_equal(t.source->origin.stats.events, 7 * nr);
			assert_int_equal(t.source->origin.stats.malformed, 2 * nr);
			assert_int_equal(t.source->origin.stats.records, 9 * nr);
			assert_int_equal(t.source->origin.stats.bytes, len * nr);
		}
	assert_string_equal(t.source->origin.stats.format, "toy");
	assert_int_equal(t.source->origin.stats.oversized + t.source->origin.stats.foreign, 0);
	assert_string_equal(t.source->origin.stats.bad[0].why, "no kind");
	assert_string_equal(t.source->origin.stats.bad[1].why, "it is cut off");
	seam_close(&t);
}

static void detects_the_format_for_every_split(void **state)
{
	static const struct {
		const char *text, *got, *format;
		unsigned nr_bad;
	} cases[] = {
		{ "\xef\xbb\xbf\n {\"event\":\"exit\",\"sid\":\"s\",\"code\":5}\nx\n", "s=5 ",
		  "event", 1 },
		{ "# toyline\n1\n2\nx\n3", "toy:run.toy#1=1 toy:run.toy#1=2 ", "toyline", 2 },
		{ "#other\n4\n", "toy:run.toy#1=4 ", "toyline", 0 },
		{ "#", "", "toyline", 1 },
		{ "t\n", "", "event", 1 },
		{ "to", "", "event", 1 },
		{ "tox\n{\"event\":\"exit\",\"sid\":\"s\",\"code\":6}\n", "s=6 ", "event", 1 },
		{ "\xef\xbbz\n", "", "event", 1 },
		{ "\n\n", "", "event", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t len = strlen(cases[i].text), a = 0; a <= len; a++)
			for (size_t b = a; b <= len; b++) {
				struct seam t;

				seam_open(&t, &(struct source_config){ 0 });
				seam_test_run(&t, cases[i].text, len, a, b);
				assert_string_equal(seam_take(&t), cases[i].got);
				assert_string_equal(t.source->origin.stats.format, cases[i].format);
				assert_int_equal(t.source->origin.stats.malformed, cases[i].nr_bad);
				seam_close(&t);
			}
}

static void uses_the_requested_format(void **state)
{
	struct seam t;

	(void)state;
	seam_open(&t, &(struct source_config){ .input_format =
						       (int)toy_kind(&reader_toyline_ops) + 1 });
	seam_test_run(&t, event_0, strlen(event_0), 1, 2);
	seam_test_run(&t, "12\n13\n", 6, 1, 4);
	assert_string_equal(seam_take(&t), "toy:run.toy#2=12 toy:run.toy#2=13 ");
	assert_int_equal(t.source->origin.stats.malformed, 1);
	assert_string_equal(t.source->origin.stats.format, "toyline");
	seam_close(&t);
	seam_open(&t, &(struct source_config){ .input_format = READER_EVENT + 1 });
	seam_test_run(&t, "# toyline\n1\n", 12, 1, 2);
	seam_test_run(&t, event_7, strlen(event_7), 3, 20);
	assert_string_equal(seam_take(&t), "s=7 ");
	assert_int_equal(t.source->origin.stats.malformed, 2);
	seam_close(&t);
}

static size_t many_bytes(char **bytes, unsigned nr_generations)
{
	size_t room = 4 + (size_t)(MANY + nr_generations) * TOY_RECORD_BYTES;
	unsigned each = MANY / nr_generations;
	char *p;

	*bytes = malloc(room + SPLITTER_PAD);
	assert_non_null(*bytes);
	p = toy_begin(*bytes);
	for (unsigned i = 0; i < MANY; i++) {
		unsigned generation = i / each;

		/* The times of the events decrease. */
		p = toy_put(p, 'e', generation * each + each - 1 - i % each, MANY - i);
		if (i % each == each - 1)
			p = toy_put(p, 'f', 0, 0);
	}
	return (size_t)(p - *bytes);
}

static void seam_test_follow(struct fixture *f, const char *spec, struct source_config config)
{
	char why[200] = "";

	fixture_open(f, &config, MANY);
	if (!intake_add(f->intake, spec, why, sizeof(why)))
		fail_msg("%s", why);
	intake_start(f->intake);
}

static struct source_stats seam_test_stats_of(struct fixture *f)
{
	struct source_stats stats;

	intake_stats(f->intake, 0, &stats);
	return stats;
}

static void seam_test_assert_each_once(const struct fixture *f, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		if (f->seen[i] != 1)
			fail_msg("%u: seen %u times", i, f->seen[i]);
	assert_int_equal(f->nr_seen, nr);
}

static void full_journal_stalls_sources_that_can_wait(void **state)
{
	char *bytes;
	size_t len = many_bytes(&bytes, 4);
	struct fixture f;

	(void)state;
	put_file("many", "w", bytes, len);
	free(bytes);
	fixture_open_keeping(&f, &(struct source_config){ 0 }, MANY, 1);
	assert_true(intake_add(f.intake, seam_test_in_dir("many"), (char[200]){ 0 }, 200));
	intake_start(f.intake);
	for (int64_t until = fixture_until(FIXTURE_DEADLINE_MS); journal_has_room(f.journal);)
		assert_true(fixture_poll(&f, until));
	/* The source has read enough to fill the journal, and stopped. */
	assert_true(seam_test_stats_of(&f).events < MANY);
	assert_true(fixture_wait_nr(&f, MANY));
	seam_test_assert_each_once(&f, MANY);
	assert_int_equal(f.nr_dropped, 0);
	fixture_close(&f);
	unlink(seam_test_in_dir("many"));
}

static void silence_respects_the_space_of_the_journal(void **state)
{
	char *bytes;
	size_t len = many_bytes(&bytes, 1);
	struct fixture f;

	(void)state;
	/* Without the last record 'f' (reader_toy.h), and with each event twice, the events need
	 * more than the free space. */
	len -= TOY_RECORD_BYTES;
	put_file("many", "w", bytes, len);
	put_file("many", "a", bytes + TOY_HEAD_BYTES, len - TOY_HEAD_BYTES);
	free(bytes);
	fixture_open_keeping(&f, &(struct source_config){ 0 }, MANY, 1);
	assert_true(intake_add(f.intake, seam_test_in_dir("many"), (char[200]){ 0 }, 200));
	intake_start(f.intake);
	for (int64_t until = fixture_until(FIXTURE_DEADLINE_MS); journal_has_room(f.journal);)
		assert_true(fixture_poll(&f, until));
	/* For 300 ms, the source does not read everything, because the journal is full. */
	for (int64_t until = fixture_until(300); fixture_until(0) < until;) {
		assert_true(seam_test_stats_of(&f).events < 2 * MANY);
		poll(NULL, 0, 5);
	}
	assert_true(fixture_wait_nr(&f, 2 * MANY));
	for (unsigned i = 0; i < MANY; i++)
		assert_int_equal(f.seen[i], 2);
	assert_int_equal(f.nr_dropped, 0);
	bytes = malloc(2 * TOY_RECORD_BYTES + SPLITTER_PAD);
	toy_put(toy_put(bytes, 'e', 7, MANY + 1), 'f', 0, 0);
	put_file("many", "a", bytes, 2 * TOY_RECORD_BYTES);
	free(bytes);
	assert_true(fixture_wait_nr(&f, 2 * MANY + 1));
	assert_int_equal(f.seen[7], 3);
	fixture_close(&f);
	unlink(seam_test_in_dir("many"));
}

static void once_reads_everything_of_files_and_standard_input(void **state)
{
	char *bytes;
	size_t len = many_bytes(&bytes, 40);
	struct fixture f;
	int in = dup(STDIN_FILENO), fd;

	(void)state;
	put_file("many", "w", bytes, len - TOY_RECORD_BYTES); /* the last record 'f' is missing */
	free(bytes);
	seam_test_follow(&f, seam_test_in_dir("many"), (struct source_config){ .once = true });
	assert_true(fixture_wait(&f, fixture_is_done, NULL));
	seam_test_assert_each_once(&f, MANY);
	fixture_close(&f);
	fd = open(seam_test_in_dir("many"), O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0 && dup2(fd, STDIN_FILENO) >= 0);
	close(fd);
	seam_test_follow(&f, "-", (struct source_config){ .once = true });
	assert_true(fixture_wait(&f, fixture_is_done, NULL));
	seam_test_assert_each_once(&f, MANY);
	assert_true(seam_test_stats_of(&f).held_bytes == 0);
	fixture_close(&f);
	dup2(in, STDIN_FILENO);
	close(in);
	unlink(seam_test_in_dir("many"));
}

static bool has_events(struct fixture *f, void *nr)
{
	return seam_test_stats_of(f).events >= *(uint64_t *)nr;
}

static void seam_test_wait_events(struct fixture *f, uint64_t nr)
{
	assert_true(fixture_wait(f, has_events, &nr));
	assert_true(fixture_wait_nr(f, nr));
}

static void state_lives_as_long_as_the_file(void **state)
{
	char bytes[64], *p = toy_put(toy_begin(bytes), 'e', 1, 20);
	struct fixture f;

	(void)state;
	put_file("grows", "w", bytes, (size_t)(p - bytes));
	seam_test_follow(&f, seam_test_in_dir("grows"), (struct source_config){ 0 });
	/* Silence delivers the events that are held back. */
	seam_test_wait_events(&f, 1);
	p = toy_put(bytes, 'e', 2, 21);
	put_file("grows", "a", bytes, 5);
	put_file("grows", "a", bytes + 5, 3);
	toy_put(bytes, 'f', 0, 0);
	put_file("grows", "a", bytes, TOY_RECORD_BYTES);
	seam_test_wait_events(&f, 2);
	assert_int_equal(seam_test_stats_of(&f).nr_streams, 1);
	p = toy_put(toy_begin(bytes), 'e', 0, 20);
	put_file("grows", "w", bytes, (size_t)(p - bytes));
	seam_test_wait_events(&f, 3);
	assert_int_equal(seam_test_stats_of(&f).malformed, 0);
	assert_int_equal(seam_test_stats_of(&f).nr_restarts, 1);
	seam_test_assert_each_once(&f, 3);
	put_text("grows", "w", "# toyline\n3\n4\n");
	seam_test_wait_events(&f, 5);
	seam_test_assert_each_once(&f, 5);
	assert_string_equal(seam_test_stats_of(&f).format, "toy,toyline");
	fixture_close(&f);
	unlink(seam_test_in_dir("grows"));
}

/* --new: existing data is read, because later data needs it, and not shown. */
static void new_shows_only_new_events(void **state)
{
	char bytes[64], *p = toy_put(toy_put(toy_begin(bytes), 'e', 9, 20), 'f', 0, 0);
	struct fixture f;
	uint64_t nr = (uint64_t)(p - bytes);

	(void)state;
	put_file("old", "w", bytes, nr);
	seam_test_follow(&f, seam_test_in_dir("old"), (struct source_config){ .new_only = true });
	while (seam_test_stats_of(&f).bytes < nr ||
	       seam_test_stats_of(&f).state != SOURCE_FOLLOWING)
		fixture_poll(&f, fixture_until(20));
	p = toy_put(toy_put(bytes, 'e', 0, 20), 'f', 0, 0);
	put_file("old", "a", bytes, (size_t)(p - bytes));
	seam_test_wait_events(&f, 1);
	seam_test_assert_each_once(&f, 1);
	fixture_close(&f);
	unlink(seam_test_in_dir("old"));
}

static void directory_skips_twins_with_a_hint(void **state)
{
	char bytes[64], *p = toy_put(toy_begin(bytes), 'e', 1, 20);
	struct fixture f;

	(void)state;
	assert_int_equal(mkdir(seam_test_in_dir("d"), 0700), 0);
	put_file("d/a", "w", event_0, strlen(event_0));
	put_file("d/b.toy", "w", bytes, (size_t)(p - bytes));
	put_text("d/c", "w", "# toyline\n2\n");
	put_text("d/d", "w", "#");
	put_text("d/e", "w", "hello\n");
	put_text("d/f", "w", "");
	seam_test_follow(&f, seam_test_in_dir("d"), (struct source_config){ .once = true });
	assert_true(fixture_wait(&f, fixture_is_done, NULL));
	seam_test_assert_each_once(&f, 2);
	assert_int_equal(seam_test_stats_of(&f).foreign, 3);
	assert_string_equal(seam_test_stats_of(&f).format, "event,toy");
	assert_string_equal(seam_test_stats_of(&f).hint, "2 files are of format toyline: "
							 "--input-format=toyline reads them");
	fixture_close(&f);
	seam_test_follow(
		&f, seam_test_in_dir("d"),
		(struct source_config){ .once = true,
					.input_format = (int)toy_kind(&reader_toyline_ops) + 1 });
	assert_true(fixture_wait(&f, fixture_is_done, NULL));
	assert_int_equal(f.nr_seen, 1);
	assert_int_equal(f.seen[2], 1);
	assert_int_equal(seam_test_stats_of(&f).foreign, 3);
	assert_string_equal(seam_test_stats_of(&f).hint, "");
	fixture_close(&f);
	for (const char *name = "acdef"; *name; name++)
		unlink(seam_test_in_dir((char[]){ 'd', '/', *name, '\0' }));
	unlink(seam_test_in_dir("d/b.toy"));
	rmdir(seam_test_in_dir("d"));
}

static bool is_of_format(struct fixture *f, void *format)
{
	return !strcmp(seam_test_stats_of(f).format, format);
}

/* The format of a stream that begins with # is undecided; after a while the possible format is
 * used. */
static void silence_decides_the_format_and_delivers(void **state)
{
	struct fixture f;
	int fd;

	(void)state;
	assert_int_equal(mkfifo(seam_test_in_dir("fifo"), 0600), 0);
	seam_test_follow(&f, seam_test_in_dir("fifo"), (struct source_config){ 0 });
	fd = open(seam_test_in_dir("fifo"), O_WRONLY | O_CLOEXEC);
	assert_int_equal(write(fd, "#\n0\n", 4), 4);
	assert_true(fixture_wait(&f, is_of_format, (char[]){ "toyline" }));
	seam_test_wait_events(&f, 1);
	assert_int_equal(write(fd, "1\n2\n", 4), 4);
	seam_test_wait_events(&f, 3);
	/* The next writer is another stream. */
	close(fd);
	while (seam_test_stats_of(&f).nr_streams < 2)
		fixture_poll(&f, fixture_until(20));
	fd = open(seam_test_in_dir("fifo"), O_WRONLY | O_CLOEXEC);
	assert_int_equal(write(fd, event_7, strlen(event_7)), strlen(event_7));
	seam_test_wait_events(&f, 4);
	assert_int_equal(f.seen[7], 1);
	close(fd);
	fixture_close(&f);
	unlink(seam_test_in_dir("fifo"));
}

static int seam_test_connect_to(const char *path, int type)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

static void each_connection_has_its_own_state(void **state)
{
	char bytes[64], spec[160], *p;
	struct fixture f;
	int a, b;

	(void)state;
	snprintf(spec, sizeof(spec), "af_unix:stream:%s", seam_test_in_dir("s"));
	seam_test_follow(&f, spec, (struct source_config){ 0 });
	a = seam_test_connect_to(seam_test_in_dir("s"), SOCK_STREAM);
	b = seam_test_connect_to(seam_test_in_dir("s"), SOCK_STREAM);
	p = toy_put(toy_begin(bytes), 'e', 0, 20);
	assert_int_equal(write(a, bytes, 7), 7);
	assert_int_equal(write(b, "# toy", 5), 5);
	assert_int_equal(write(a, bytes + 7, (size_t)(p - bytes) - 7), p - bytes - 7);
	assert_int_equal(write(b, "line\n1\n", 7), 7);
	close(a);
	close(b);
	seam_test_wait_events(&f, 2);
	seam_test_assert_each_once(&f, 2);
	assert_int_equal(seam_test_stats_of(&f).malformed, 0);
	fixture_close(&f);
}

/* Datagrams of one format share a state. */
static void detects_the_format_of_each_datagram(void **state)
{
	static const char *const datagrams[] = { "#\n0", event_7, "# toyline\n1", "x", "\n#\n2" };
	char spec[160];
	struct fixture f;
	int fd;

	(void)state;
	snprintf(spec, sizeof(spec), "af_unix:dgram:%s", seam_test_in_dir("g"));
	seam_test_follow(&f, spec, (struct source_config){ 0 });
	fd = seam_test_connect_to(seam_test_in_dir("g"), SOCK_DGRAM);
	for (size_t i = 0; i < sizeof(datagrams) / sizeof(datagrams[0]); i++) {
		size_t len = strlen(datagrams[i]);

		assert_int_equal(send(fd, datagrams[i], len, 0), len);
	}
	/* The last event is held back until the stream is silent. */
	seam_test_wait_events(&f, 4);
	assert_int_equal(f.seen[7], 1);
	for (int i = 0; i < 3; i++)
		assert_int_equal(f.seen[i], 1);
	assert_int_equal(seam_test_stats_of(&f).malformed, 1);
	assert_string_equal(seam_test_stats_of(&f).format, "event,toyline");
	close(fd);
	fixture_close(&f);
}

static void every_format_has_its_row(void **state)
{
	(void)state;
	assert_string_equal(reader_words[0].word, "auto");
	for (unsigned i = 0; i < nr_readers; i++) {
		const struct reader_ops *ops = readers[i];
		bool of_lines = ops->framing == FRAME_LINES;

		assert_non_null(ops->probe);
		assert_true(*reader_words[i + 1].word && *reader_words[i + 1].help);
		assert_true(of_lines ? ops->read_lines && !ops->read_bytes
				     : ops->read_bytes && !ops->read_lines);
		assert_true(ops->per_stream ? ops->begin && !ops->init : ops->init && !ops->begin);
		for (unsigned k = 0; k <= i; k++)
			assert_string_not_equal(reader_words[k].word, reader_words[i + 1].word);
	}
	assert_ptr_equal(readers[READER_EVENT], readers[0]);
}

static int seam_test_make_dir(void **state)
{
	(void)state;
	return !mkdtemp(dir);
}

static int seam_test_remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_split_gives_the_same_codes),
		cmocka_unit_test(detects_the_format_for_every_split),
		cmocka_unit_test(uses_the_requested_format),
		cmocka_unit_test(full_journal_stalls_sources_that_can_wait),
		cmocka_unit_test(silence_respects_the_space_of_the_journal),
		cmocka_unit_test(once_reads_everything_of_files_and_standard_input),
		cmocka_unit_test(state_lives_as_long_as_the_file),
		cmocka_unit_test(new_shows_only_new_events),
		cmocka_unit_test(directory_skips_twins_with_a_hint),
		cmocka_unit_test(silence_decides_the_format_and_delivers),
		cmocka_unit_test(each_connection_has_its_own_state),
		cmocka_unit_test(detects_the_format_of_each_datagram),
		cmocka_unit_test(every_format_has_its_row),
	};

	return cmocka_run_group_tests(tests, seam_test_make_dir, seam_test_remove_dir);
}
