/* SPDX-License-Identifier: MIT */
/*
 * Tests of the EVENT reader on whole events, files and streams. Built twice: with vector
 * instructions and in plain C.
 */
#include "config.h"

#include <dirent.h>

#include "monitor/read/splitter.h"
#include "tests/reader_fixture.h"

static void value_write(struct tr2_buf *line, struct tr2_buf *want, unsigned kind, unsigned field,
			unsigned round)
{
	static const char *const syms[] = { "c", "a text of more than 32 bytes, for a change",
					    "label/of_17_bytes", "\xff\xfe" };
	static const int64_t nums[] = { 7, 0, -1, 1234567890123 };
	static const char *const times[] = { "0.000017", "12.500000", "2147.483648", "0.000000" };
	static const int64_t ns[] = { 17000, 12500000000, 2147483648000, 0 };
	const char *wire = tr2_fields[field].wire;

	tr2_buf_addf(line, ",\"%s\":", wire);
	tr2_buf_addf(want, " %s=", wire);
	switch (tr2_fields[field].type) {
	case TR2_TYPE_SYM:
	case TR2_TYPE_TEXT:
		if (kind == TR2_E_DATA_JSON && field == TR2_F_VALUE) {
			tr2_buf_addstr(line, "{\"n\": -5,\"l\": [\"\\u00e4\",{}]}");
			tr2_buf_addstr(want, "[{\"n\": -5,\"l\": [\"\\u00e4\",{}]}]");
			break;
		}
		tr2_buf_addf(line, "\"%s\"", syms[round % 4]);
		tr2_buf_addf(want, "[%s]", syms[round % 4]);
		break;
	case TR2_TYPE_LIST:
		tr2_buf_addstr(line, round % 2 ? "[]" : "[\"git\",\"\",\"-c\\\"\"]");
		tr2_buf_addstr(want, round % 2 ? "()" : "([git][][-c\"])");
		break;
	case TR2_TYPE_NUM:
		tr2_buf_addf(line, "%lld", (long long)nums[round % 4]);
		tr2_buf_addf(want, "%lld", (long long)nums[round % 4]);
		break;
	case TR2_TYPE_BOOL:
		tr2_buf_addstr(line, round % 2 ? "true" : "false");
		tr2_buf_addstr(want, round % 2 ? "1" : "0");
		break;
	case TR2_TYPE_TIME:
		tr2_buf_addstr(line, times[round % 4]);
		tr2_buf_addf(want, "%lld", (long long)ns[round % 4]);
		break;
	default:
		fail_msg("%s in an event", wire);
	}
}

/* Write one event of `kind` with the fields selected by `round`: its line and the expected text. */
static void event_write(struct tr2_buf *line, struct tr2_buf *want, unsigned kind, unsigned round)
{
	const struct tr2_event_desc *event = &tr2_events[kind];

	tr2_buf_addf(line, "{\"event\":\"%s\",\"sid\":\"S%u/x\"", event->wire, round);
	tr2_buf_addf(want, "%s sid=[S%u/x]", event->wire, round);
	if (round % 3) {
		tr2_buf_addf(line,
			     ",\"thread\":\"th%02u\",\"time\":\"2026-11-21T02:47:%02u.000%03uZ\"",
			     round, round, round);
		tr2_buf_addf(want, " thread=[th%02u] time=%lld", round,
			     1795229220000000000 + round * 1000000000ll + round * 1000ll);
	}
	for (unsigned field = TR2_F_FILE; field <= TR2_F_REPO; field++)
		if (round >> (field - TR2_F_FILE) & 1)
			value_write(line, want, kind, field, round / 2);
	for (unsigned i = 0; i < event->nr_fields; i++)
		if (!event->fields[i].optional || round >> i & 1)
			value_write(line, want, kind, event->fields[i].id, round / 4 + i);
	tr2_buf_addstr(line, "}");
	tr2_buf_addstr(want, "\n");
}

static void reads_back_every_event_and_key(void **state)
{
	struct reader_fixture *f = *state;
	struct tr2_buf line, want;

	tr2_buf_init(&line, 1 << 20);
	tr2_buf_init(&want, 1 << 20);
	for (unsigned kind = 0; kind < TR2_NR_EVENTS; kind++)
		for (unsigned round = 0; round < 60; round++) {
			tr2_buf_clear(&line);
			tr2_buf_clear(&want);
			event_write(&line, &want, kind, round);
			assert_string_equal(good(f, tr2_buf_cstr(&line)), tr2_buf_cstr(&want));
		}
	tr2_buf_release(&line);
	tr2_buf_release(&want);
}

/* Packing fields relies on ascending keys in every event. */
static void keys_of_every_event_ascend(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < TR2_NR_EVENTS; kind++)
		for (unsigned i = 0; i < tr2_events[kind].nr_fields; i++)
			assert_true(tr2_events[kind].fields[i].id >
				    (i ? tr2_events[kind].fields[i - 1].id : TR2_F_REPO));
}

static const char git_line[] =
	"{\"event\":\"region_leave\",\"sid\":\"20261121T024754.553442Z-H89e495e7-P00000064\","
	"\"thread\":\"main\",\"time\":\"2026-11-21T02:47:54.553937Z\",\"file\":\"cache-tree."
	"c\","
	"\"line\":715,\"repo\":1,\"t_rel\":0.000017,\"nesting\":2,\"category\":\"cache_tree\","
	"\"label\":\"read\"}";

/* If the fast path were not used, its benchmarks and tests would test the general one. */
static void reads_git_lines_by_the_fast_path(void **state)
{
	struct reader_fixture *f = *state;
	struct event_reader *reader = f->reader->state;

	good(f, git_line);
	good(f, git_line);
	/* Only the fast path stores minutes. */
	assert_memory_equal(reader->minute, "\"2026-11-21T02:47:", MINUTE_BYTES);
}

/* Wrong values in the predictions appear in the output, so predictions are used. */
static void guesses_repeat_earlier_values(void **state)
{
	struct reader_fixture *f = *state;
	struct event_reader *reader = f->reader->state;

	good(f, git_line);
	/* The first record of a batch sets its clock, by the general path. */
	read_bytes(f, git_line, sizeof(git_line) - 1);
	read_bytes(f, git_line, sizeof(git_line) - 1);
	for (unsigned i = 0; i < SITE_GUESSES; i++)
		if (reader->site_guesses[i].line == 715)
			reader->site_guesses[i].line = 42;
	for (unsigned i = 0; i < 1u << SYM_GUESS_BITS; i++)
		if (!memcmp(reader->sym_guesses[i].text, "read\"", 5))
			reader->sym_guesses[i].sym = tr2_intern(&f->syms, "guessed", 7);
	batch_as_text(f);
	read_bytes(f, git_line, sizeof(git_line) - 1);
	read_bytes(f, git_line, sizeof(git_line) - 1);
	batch_as_text(f);
	assert_non_null(strstr(tr2_buf_cstr(&f->text), "line=42"));
	assert_non_null(strstr(tr2_buf_cstr(&f->text), "label=[guessed]"));
}

/* Read `line` as usual and by the general path only, with equal results and events. */
static void assert_ways_agree(struct reader_fixture *f, const char *line, size_t len)
{
	struct batch *general = batch_new();
	struct tr2_buf other;
	char *record = record_of(line, len);
	struct diag why;
	enum read_result any = event_read_any(f->reader->state, record, len, general, &why);
	enum read_result one;

	batch_clear(f->batch);
	one = read_bytes(f, line, len);
	tr2_buf_init(&other, 64 << 20);
	event_text(&other, general, &f->syms);
	tr2_buf_clear(&f->text);
	event_text(&f->text, f->batch, &f->syms);
	if (one != any || other.len != f->text.len ||
	    (other.len && memcmp(other.data, f->text.data, other.len)))
		fail_msg("%.*s\nread as (%d) %s\nand as (%d) %s", (int)len, line, one,
			 tr2_buf_cstr(&f->text), any, tr2_buf_cstr(&other));
	tr2_buf_release(&other);
	batch_free(general);
	free(record);
}

static uint32_t seed = 1;

static uint32_t chance(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(seed ^ seed >> 15) * below >> 32);
}

static size_t mutate(char *line, size_t len, size_t cap)
{
	static const char bytes[] = "\"\\{}[]:,0123456789.eE+-u \t\r\0\x01\x1f\x7f\x80\xff"
				    "dntfz";

	for (uint32_t nr = 1 + chance(3); nr--;) {
		size_t at = chance((uint32_t)len + 1), run = 1 + chance(6);

		switch (chance(4)) {
		case 0:
			if (at < len)
				line[at] = bytes[chance(sizeof(bytes) - 1)];
			break;
		case 1:
			run = at + run > len ? len - at : run;
			memmove(line + at, line + at + run, len - at - run);
			len -= run;
			break;
		case 2:
			if (len + 1 < cap) {
				memmove(line + at + 1, line + at, len - at);
				line[at] = bytes[chance(sizeof(bytes) - 1)];
				len++;
			}
			break;
		default:
			run = at + run > len ? len - at : run;
			if (len + run < cap) {
				memmove(line + at + run, line + at, len - at);
				len += run;
			}
		}
	}
	return len;
}

static void both_paths_agree_on_mutated_lines(void **state)
{
	struct reader_fixture *f = *state;
	struct tr2_buf line, want;
	char mutated[4096];
	unsigned nr_bad = 0;

	tr2_buf_init(&line, 1 << 20);
	tr2_buf_init(&want, 1 << 20);
	for (unsigned round = 0; round < 60000; round++) {
		size_t len;

		tr2_buf_clear(&line);
		tr2_buf_clear(&want);
		event_write(&line, &want, chance(TR2_NR_EVENTS), round % 60);
		memcpy(mutated, line.data, line.len);
		len = mutate(mutated, line.len, sizeof(mutated));
		for (size_t i = 0; i < len; i++)
			if (mutated[i] == '\n')
				mutated[i] = ' ';
		assert_ways_agree(f, mutated, len);
		nr_bad += !f->batch->nr_records;
	}
	assert_in_range(nr_bad, 20000, 58000);
	tr2_buf_release(&line);
	tr2_buf_release(&want);
}

/* Return a text that could be confused with a predicted one, or that is too long to be
 * predicted. */
static const char *like_another(void)
{
	static const char *const texts[] = {
		"",
		"a",
		"ab",
		"abc",
		"ab\\u0063",
		"a\\\"",
		"a\\\\",
		"x.c",
		"x.c1",
		"thirty-one bytes, and its quote",
		"thirty bytes, and its quote.xx",
		"thirty-two bytes, without quote.",
		"thirty bytes, and its quote.xy",
		"more than sixty-four bytes, which neither guess has any room to keep as it is",
		"a\tb",
		"main",
	};

	return texts[chance(sizeof(texts) / sizeof(texts[0]))];
}

static void line_like_another(struct tr2_buf *line)
{
	static const char *const lines[] = { "1", "12", "123", "0", "-1", "01", "1234567890" };
	static const char *const kinds[] = { "region_enter", "region_leave", "data", "error" };

	tr2_buf_addf(line,
		     "{\"event\":\"%s\",\"sid\":\"S%u\",\"thread\":\"%s\","
		     "\"time\":\"2026-11-21T02:47:%02u.000000Z\"",
		     kinds[chance(4)], chance(3), chance(4) ? "main" : like_another(), chance(60));
	if (chance(8))
		tr2_buf_addf(line, ",\"file\":\"%s\"", chance(2) ? "x.c" : like_another());
	if (chance(8))
		tr2_buf_addf(line, ",\"line\":%s", lines[chance(chance(2) ? 2 : 7)]);
	if (chance(2))
		tr2_buf_addf(line, ",\"nesting\":%u", chance(3));
	if (chance(3))
		tr2_buf_addf(line, ",\"category\":\"%s\"", like_another());
	if (chance(3))
		tr2_buf_addf(line, ",\"label\":\"%s\"", like_another());
	tr2_buf_addstr(line, "}");
}

static void guesses_are_verified(void **state)
{
	struct reader_fixture *f = *state;
	struct batch *general = batch_new();
	struct tr2_buf line, other;
	struct diag why;

	tr2_buf_init(&line, 1 << 20);
	tr2_buf_init(&other, 64 << 20);
	for (unsigned round = 1; round <= 60000; round++) {
		enum read_result any;
		char *record;

		tr2_buf_clear(&line);
		line_like_another(&line);
		record = record_of(line.data, line.len);
		any = event_read_any(f->reader->state, record, line.len, general, &why);
		assert_int_equal(read_bytes(f, line.data, line.len), any);
		free(record);
		if (round % 1000)
			continue;
		tr2_buf_clear(&other);
		event_text(&other, general, &f->syms);
		batch_clear(general);
		assert_string_equal(batch_as_text(f), tr2_buf_cstr(&other));
	}
	tr2_buf_release(&line);
	tr2_buf_release(&other);
	batch_free(general);
}

static void huge_values_are_read(void **state)
{
	static const char *const keys[] = { "value", "label", "sid", "a", "event" };
	struct reader_fixture *f = *state;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		for (int escaped = 0; escaped < 2; escaped++) {
			struct tr2_buf line;

			tr2_buf_init(&line, 32 << 20);
			tr2_buf_addf(&line, "{\"event\":\"data\",\"sid\":\"s\",\"%s\":\"", keys[i]);
			tr2_buf_addstr(&line, escaped ? "\\n" : "");
			tr2_buf_fill(&line, 'x', 2 << 20);
			tr2_buf_addstr(&line, "\"}");
			assert_ways_agree(f, line.data, line.len);
			assert_int_equal(f->batch->nr_records, 1);
			tr2_buf_release(&line);
		}
}

struct reader_ways_test_stream {
	struct reader_fixture *f;
	unsigned nr_bad_calls;
};

static void reader_ways_test_take_bad(void *data, const char *record, size_t len,
				      const struct diag *why)
{
	struct reader_ways_test_stream *stream = data;

	assert_null(memchr(record, '\n', len));
	assert_true(why->offset <= len);
	stream->nr_bad_calls++;
}

static void reader_ways_test_take_lines(struct reader_ways_test_stream *stream, const char *lines,
					size_t len)
{
	struct reader_fixture *f = stream->f;

	for (;;) {
		size_t used = reader_lines(f->reader, lines, len, f->batch, &f->counts,
					   reader_ways_test_take_bad, stream);

		if (used == len)
			return;
		assert_true(batch_is_full(f->batch));
		batch_clear(f->batch);
		lines += used;
		len -= used;
	}
}

static void reader_ways_test_spans(struct reader_ways_test_stream *stream,
				   struct splitter_span span)
{
	while (splitter_next(&span))
		if (span.kind == SPLITTER_LINES)
			reader_ways_test_take_lines(stream, span.bytes, span.len);
}

static void stream_read(struct reader_fixture *f, const char *bytes, size_t len, size_t piece)
{
	struct reader_ways_test_stream stream = { .f = f };
	struct splitter_counts counts = { 0 };
	struct splitter_pool pool;
	struct splitter splitter;
	char *chunk = malloc(piece + SPLITTER_PAD);

	f->counts = (struct read_counts){ 0 };
	splitter_pool_init(&pool, SPLITTER_MAX_PARTIAL_BYTES);
	splitter_init(&splitter, &pool, &counts);
	for (size_t at = 0; at < len; at += piece) {
		size_t nr = len - at < piece ? len - at : piece;

		memcpy(chunk, bytes + at, nr);
		reader_ways_test_spans(&stream, splitter_feed(&splitter, chunk, nr));
	}
	reader_ways_test_spans(&stream, splitter_end(&splitter));
	assert_int_equal(stream.nr_bad_calls, f->counts.nr_malformed);
	f->counts.nr_malformed += counts.nr_torn;
	splitter_pool_release(&pool);
	free(chunk);
}

static void every_split_gives_the_same_events(void **state)
{
	struct reader_fixture *f = *state;
	struct tr2_buf lines, want;

	tr2_buf_init(&lines, 1 << 20);
	tr2_buf_init(&want, 1 << 20);
	for (unsigned kind = 0; kind < TR2_NR_EVENTS; kind++) {
		event_write(&lines, &want, kind, kind);
		tr2_buf_addstr(&lines, kind % 5 ? "\n" : "\r\n");
		if (kind % 7 == 3)
			tr2_buf_addstr(&lines, "\n{\"bad\n");
	}
	for (size_t piece = 1; piece <= lines.len; piece += piece < 300 ? 1 : 97) {
		batch_clear(f->batch);
		stream_read(f, lines.data, lines.len, piece);
		assert_int_equal(f->counts.nr_events, TR2_NR_EVENTS);
		assert_int_equal(f->counts.nr_malformed, (TR2_NR_EVENTS + 3) / 7);
		assert_string_equal(batch_as_text(f), tr2_buf_cstr(&want));
	}
	tr2_buf_release(&lines);
	tr2_buf_release(&want);
}

static void hands_over_full_batches_between_records(void **state)
{
	struct reader_fixture *f = *state;
	struct tr2_buf lines;

	tr2_buf_init(&lines, 64 << 20);
	for (int i = 0; i < 20000; i++)
		tr2_buf_addf(&lines, "%s\n", git_line);
	stream_read(f, lines.data, lines.len, 1 << 20);
	assert_int_equal(f->counts.nr_events, 20000);
	assert_in_range(f->batch->nr_events, 1, 19999);
	tr2_buf_release(&lines);
}

static char *reader_ways_test_file_read(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rb");
	char *bytes = malloc(1 << 20);

	assert_non_null(file);
	*len = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	return bytes;
}

static uint64_t reader_ways_test_expected(const char *json, const char *key)
{
	const char *at = strstr(json, key);

	assert_non_null(at);
	return strtoull(at + strlen(key), NULL, 10);
}

static void torture_check(struct reader_fixture *f, const char *dir, const char *name)
{
	char path[4096];
	size_t len, json_len;
	char *bytes, *json;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	bytes = reader_ways_test_file_read(path, &len);
	snprintf(path, sizeof(path), "%s/%.*s.EXPECTED.json", dir, (int)(strlen(name) - 6), name);
	json = reader_ways_test_file_read(path, &json_len);
	json[json_len] = 0;
	/* The counts of a compressed file are not checked. */
	if (strncmp(name, "93-", 3))
		for (size_t piece = 1; piece <= 4096; piece *= 8) {
			batch_clear(f->batch);
			stream_read(f, bytes, len, piece);
			if (f->counts.nr_events !=
				    reader_ways_test_expected(json, "\"events\": ") ||
			    f->counts.nr_malformed !=
				    reader_ways_test_expected(json, "\"malformed\": "))
				fail_msg("%s: %d events, %d malformed", name,
					 (int)f->counts.nr_events, (int)f->counts.nr_malformed);
		}
	else
		stream_read(f, bytes, len, 4096);
	for (const char *p = bytes, *lf; (lf = memchr(p, '\n', (size_t)(bytes + len - p)));
	     p = lf + 1)
		assert_ways_agree(f, p, (size_t)(lf - p));
	free(bytes);
	free(json);
}

static void damaged_files_count_as_expected(void **state)
{
	struct reader_fixture *f = *state;
	const char *top = getenv("abs_top_srcdir");
	char dir[2048];
	struct dirent *entry;
	unsigned nr = 0;
	DIR *listing;

	snprintf(dir, sizeof(dir), "%s/tests/data/torture", top ? top : ".");
	listing = opendir(dir);
	assert_non_null(listing);
	while ((entry = readdir(listing))) {
		const char *dot = strrchr(entry->d_name, '.');

		if (!dot || strcmp(dot, ".event"))
			continue;
		torture_check(f, dir, entry->d_name);
		nr++;
	}
	closedir(listing);
	assert_int_equal(nr, 46);
}

static void mutated_streams_never_crash_and_lose_nothing(void **state)
{
	struct reader_fixture *f = *state;
	struct tr2_buf lines, want;

	tr2_buf_init(&lines, 1 << 20);
	tr2_buf_init(&want, 1 << 20);
	for (unsigned round = 0; round < 3000; round++) {
		uint64_t nr_records = 0;
		bool blank = true;
		char *bytes;
		size_t len;

		tr2_buf_clear(&lines);
		tr2_buf_clear(&want);
		for (unsigned i = 0; i < 5; i++) {
			event_write(&lines, &want, chance(TR2_NR_EVENTS), chance(60));
			tr2_buf_addch(&lines, '\n');
		}
		bytes = malloc(lines.len + 64);
		memcpy(bytes, lines.data, lines.len);
		len = mutate(bytes, lines.len, lines.len + 64);
		for (size_t i = 0; i <= len; i++) {
			if (i < len && bytes[i] != '\n') {
				blank = blank && strchr(" \t\r", bytes[i]) && bytes[i];
				continue;
			}
			nr_records += !blank;
			blank = true;
		}
		batch_clear(f->batch);
		stream_read(f, bytes, len, 1 + chance(200));
		assert_int_equal(f->counts.nr_events + f->counts.nr_malformed, nr_records);
		assert_int_equal(f->batch->nr_events, f->counts.nr_events);
		free(bytes);
	}
	tr2_buf_release(&lines);
	tr2_buf_release(&want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READER_TEST(reads_back_every_event_and_key),
		READER_TEST(keys_of_every_event_ascend),
		READER_TEST(reads_git_lines_by_the_fast_path),
		READER_TEST(guesses_repeat_earlier_values),
		READER_TEST(both_paths_agree_on_mutated_lines),
		READER_TEST(guesses_are_verified),
		READER_TEST(huge_values_are_read),
		READER_TEST(every_split_gives_the_same_events),
		READER_TEST(hands_over_full_batches_between_records),
		READER_TEST(damaged_files_count_as_expected),
		READER_TEST(mutated_streams_never_crash_and_lose_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
