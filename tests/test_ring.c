/* SPDX-License-Identifier: MIT */
/* Tests of reading ring files: events, losses, and forged, truncated or torn data. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "monitor/read/reader_ring.h"
#include "tests/event_text.h"
#include "tests/ring_maker.h"

struct ring_reading {
	struct tr2_intern syms;
	struct ring_memo memo;
	struct ring_reader *reader;
	struct batch *batch;
	struct read_counts counts;
	struct tr2_buf text;
	uint64_t nr_events;
	int64_t last;
	/* called between the two halves of a copy */
	void (*between)(void *data);
	void *data;
};

static void begin(struct ring_reading *r)
{
	memset(r, 0, sizeof(*r));
	tr2_intern_init(&r->syms, 0, 0);
	r->reader = ring_reader_new(&r->syms, &r->memo);
	r->batch = batch_new();
	tr2_buf_init(&r->text, SIZE_MAX / 2);
	r->last = -1;
}

static void end(struct ring_reading *r)
{
	ring_reader_free(r->reader);
	batch_free(r->batch);
	tr2_buf_release(&r->text);
	tr2_intern_release(&r->syms);
}

static void copy_piece(struct maker *m, unsigned ring, char *to, uint64_t from, size_t len)
{
	for (size_t n; len; to += n, from += n, len -= n) {
		n = (size_t)(m->ring_bytes - from % m->ring_bytes);
		n = len < n ? len : n;
		memcpy(to, maker_at(m, ring, from), n);
	}
}

/* Pass the new data of a ring file to the reader. Returns false if the head of the file is
 * invalid. */
static bool copy_new_data(struct ring_reading *r, struct maker *m)
{
	if (ring_reader_head(r->reader, m->file, TR2_RING_HEADS_AT))
		return false;
	for (unsigned i = 0; i < ring_reader_about(r->reader)->rings && i < m->rings; i++) {
		struct tr2_ring_head head = *maker_ring(m, i);
		uint64_t from;
		size_t len = ring_reader_wants(r->reader, i, &head, &from), half = len / 2;
		char *to;

		assert_true(len <= m->ring_bytes);
		if (!len)
			continue;
		to = ring_reader_room(r->reader, i, len);
		copy_piece(m, i, to, from, half);
		if (r->between)
			r->between(r->data);
		copy_piece(m, i, to + half, from + half, len - half);
		ring_reader_copied(r->reader, i, from, len, maker_ring(m, i)->reserved);
	}
	return true;
}

static bool ring_random(struct ring_reading *r, struct event *ev)
{
	if (batch_is_full(r->batch))
		batch_clear(r->batch);
	if (!ring_reader_next(r->reader, r->batch, ev, &r->counts, NULL, NULL))
		return false;
	batch_add(r->batch, ev);
	r->nr_events++;
	return true;
}

static void event_append(struct tr2_buf *out, const struct batch *batch,
			 const struct tr2_intern *syms, const struct event *ev)
{
	tr2_buf_addstr(out, tr2_events[ev->kind].wire);
	for (unsigned field = 0; field < TR2_NR_FIELDS; field++)
		if (event_has(ev, field))
			event_text_field(out, batch, syms, ev, field);
	tr2_buf_addch(out, '\n');
}

static const char *ring_take_text(struct ring_reading *r, struct maker *m)
{
	struct event ev;

	tr2_buf_clear(&r->text);
	assert_true(copy_new_data(r, m));
	while (ring_random(r, &ev))
		event_append(&r->text, r->batch, &r->syms, &ev);
	return tr2_buf_cstr(&r->text);
}

static size_t put_field(unsigned kind, unsigned field, char *to, char *json, size_t bytes)
{
	int64_t num = field == TR2_F_USE_SHELL ? 1 : 123000 + (int64_t)field;
	const char *text = field == TR2_F_VALUE && kind == TR2_E_DATA_JSON ? "{\"a\":[1, \"b\"]}"
									   : "t\xff\n\"\\x";
	uint16_t two = 2;
	size_t len;

	switch (tr2_fields[field].type) {
	case TR2_TYPE_NUM:
	case TR2_TYPE_BOOL:
		snprintf(json, bytes, field == TR2_F_USE_SHELL ? "true" : "%lld", (long long)num);
		memcpy(to, &num, sizeof(num));
		return sizeof(num);
	case TR2_TYPE_TIME:
		snprintf(json, bytes, "%.6f", (double)num / 1e6);
		memcpy(to, &num, sizeof(num));
		return field == TR2_F_T_ABS ? 0 : sizeof(num);
	case TR2_TYPE_LIST:
		snprintf(json, bytes, "[\"t\xff\\n\\\"\\\\x\",\"\"]");
		memcpy(to, &two, sizeof(two));
		len = sizeof(two) + maker_text(to + sizeof(two), text, strlen(text));
		return len + maker_text(to + len, "", 0);
	default:
		snprintf(json, bytes, *text == '{' ? "%s" : "\"t\xff\\n\\\"\\\\x\"", text);
		return maker_text(to, text, strlen(text));
	}
}

static void every_kind_equals_its_line(void **state)
{
	struct tr2_intern syms;
	struct reader *lines;

	(void)state;
	tr2_intern_init(&syms, 0, 0);
	lines = reader_new(READER_EVENT, &syms);
	for (unsigned kind = 0; kind < TR2_NR_EVENTS; kind++) {
		char fields[1000], json[4000], value[200];
		struct read_counts counts = { 0 };
		struct batch *batch = batch_new();
		uint64_t mask = MAKER_BIT(FILE);
		struct tr2_buf line, text;
		struct batch_cursor cursor;
		struct ring_reading r;
		struct maker m;
		struct event ev;
		size_t len;

		tr2_buf_init(&line, 1 << 20);
		tr2_buf_init(&text, 1 << 20);
		tr2_buf_addf(
			&line,
			"{\"event\":\"%s\",\"sid\":\"" MAKER_SID "\",\"thread\":\"th01:w\","
			"\"time\":\"2026-01-02T12:28:42.000123Z\",\"file\":\"f.c\",\"line\":17",
			tr2_events[kind].wire);
		len = maker_text(fields, "f.c", 3);
		for (unsigned field = 0; field < TR2_NR_FIELDS; field++)
			for (unsigned i = 0; i < tr2_events[kind].nr_fields; i++) {
				if (tr2_events[kind].fields[i].id != field)
					continue;
				mask |= 1ull << field;
				len += put_field(kind, field, fields + len, value, sizeof(value));
				if (field == TR2_F_T_ABS)
					snprintf(value, sizeof(value), "0.000123");
				tr2_buf_addf(&line, ",\"%s\":%s", tr2_fields[field].wire, value);
			}
		tr2_buf_addstr(&line, "}\n");
		assert_true(line.len < sizeof(json) - READER_PAD);
		memset(json, 0, sizeof(json));
		memcpy(json, line.data, line.len);
		reader_lines(lines, json, line.len, batch, &counts, NULL, NULL);
		assert_int_equal(counts.nr_events, 1);
		cursor = batch_begin(batch);
		assert_true(batch_next(&cursor, &ev));
		event_append(&text, batch, &syms, &ev);

		begin(&r);
		maker_begin(&m, 16 << 10, 1);
		m.thread[0] = "th01:w";
		/* t_abs is ignored in events in which the event target does not print it. */
		maker_event(&m, 0, kind, mask | MAKER_BIT(T_ABS), MAKER_START + 123456, fields,
			    len);
		assert_string_equal(ring_take_text(&r, &m), tr2_buf_cstr(&text));
		assert_int_equal(r.counts.nr_malformed, 0);
		maker_end(&m);
		end(&r);
		batch_free(batch);
		tr2_buf_release(&line);
		tr2_buf_release(&text);
	}
	reader_free(lines);
	tr2_intern_release(&syms);
}

static void merges_rings_by_time(void **state)
{
	struct ring_reading r;
	struct maker m;
	struct event ev;

	(void)state;
	begin(&r);
	maker_begin(&m, 16 << 10, 3);
	for (int look_nr = 0; look_nr < 3; look_nr++) {
		for (int64_t i = 0; i < 60; i++)
			maker_exit(&m, (unsigned)(i * 7 % 3), look_nr * 60 + i);
		assert_true(copy_new_data(&r, &m));
		for (int64_t i = 0; i < 60; i++) {
			assert_true(ring_random(&r, &ev));
			assert_int_equal(ev.v[TR2_F_CODE], look_nr * 60 + i);
		}
		assert_false(ring_random(&r, &ev));
	}
	assert_int_equal(ring_reader_lost(r.reader), 0);
	maker_end(&m);
	end(&r);
}

static uint64_t seed;

static unsigned ring_random_below(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)((seed >> 11) % n);
}

struct ring_world {
	struct maker m;
	struct ring_reading r;
	uint64_t nr_written;
	unsigned speed;
};

/* Write an event of random length that contains its number, or count it as dropped. */
static void write_one(struct ring_world *w)
{
	static char fields[TR2_RING_EVENT_BYTES];
	unsigned what = ring_random_below(40), ring = ring_random_below(w->m.rings);
	size_t len = what ? ring_random_below(200)
			  : ring_random_below((unsigned)w->m.ring_bytes / 2 - 200);
	uint64_t nr = w->nr_written++;
	size_t at;

	if (what == 1) {
		maker_drop(&w->m, ring);
		return;
	}
	if (len > TR2_RING_EVENT_BYTES - 300)
		len = TR2_RING_EVENT_BYTES - 300;
	memcpy(fields, &nr, sizeof(nr));
	at = sizeof(nr);
	memset(fields + at + 2, (int)('a' + nr % 26), len);
	memcpy(fields + at, &(uint16_t){ (uint16_t)len }, 2);
	maker_event(&w->m, ring, TR2_E_ERROR, MAKER_BIT(REPO) | MAKER_BIT(MSG),
		    MAKER_START + (int64_t)nr, fields, at + 2 + len);
}

static void write_random_events(void *data)
{
	struct ring_world *w = data;

	for (unsigned nr = ring_random_below(w->speed); nr; nr--)
		write_one(w);
}

static void ring_take_all(struct ring_world *w, uint8_t *seen)
{
	struct event ev;

	assert_true(copy_new_data(&w->r, &w->m));
	while (ring_random(&w->r, &ev)) {
		uint64_t nr = (uint64_t)ev.v[TR2_F_REPO];
		size_t len;
		const char *text = batch_text(w->r.batch, ev.v[TR2_F_MSG], &len);

		assert_true(nr < w->nr_written);
		assert_false(seen[nr]++);
		for (size_t i = 0; i < len; i++)
			assert_int_equal(text[i], 'a' + nr % 26);
	}
}

static void counts_losses_exactly_at_any_speed(void **state)
{
	static const unsigned speeds[] = { 3, 30, 200, 1000, 3000 };

	(void)state;
	for (unsigned run = 0; run < 40; run++) {
		uint8_t *seen = calloc(1, 200000);
		uint64_t lost;
		struct ring_world w = { .speed = speeds[run % 5] };

		seed = 0x9e3779b97f4a7c15u + run;
		begin(&w.r);
		maker_begin(&w.m, (16u << 10) << run % 3, 1 + run % 4);
		w.m.keeps_first = run % 3;
		w.r.between = run % 2 ? write_random_events : NULL;
		w.r.data = &w;
		while (w.nr_written < 20000) {
			write_random_events(&w);
			ring_take_all(&w, seen);
		}
		/* The head of one more block shows the losses before it. */
		w.r.between = NULL;
		for (int i = 0; i < 2; i++) {
			ring_take_all(&w, seen);
			for (unsigned ring = 0; ring < w.m.rings; ring++)
				maker_block(&w.m, ring);
		}
		ring_take_all(&w, seen);
		lost = ring_reader_lost(w.r.reader);
		assert_int_equal(w.r.counts.nr_malformed, 0);
		assert_int_equal(w.r.nr_events + lost, w.nr_written);
		assert_int_equal(w.r.counts.nr_events, w.r.nr_events);
		if (w.speed > 1000)
			assert_true(lost > 0);
		maker_end(&w.m);
		end(&w.r);
		free(seen);
	}
}

static int64_t overwrite(struct maker *m, unsigned ring)
{
	int64_t nr = 0;

	while (maker_ring(m, ring)->reserved <= 3 * m->ring_bytes)
		maker_exit(m, ring, nr++);
	return nr;
}

static void keeps_beginning_of_overwritten_ring(void **state)
{
	struct ring_reading r;
	struct maker m;
	struct event ev;
	int64_t nr, last = -1, gap = 0;

	(void)state;
	begin(&r);
	maker_begin(&m, 16 << 10, 2);
	m.keeps_first = true;
	nr = overwrite(&m, 0);
	assert_true(copy_new_data(&r, &m));
	while (ring_random(&r, &ev)) {
		if (ev.v[TR2_F_CODE] != last + 1) {
			assert_int_equal(gap, 0);
			gap = ev.v[TR2_F_CODE] - last - 1;
			assert_in_range(last, 50, 64);
		}
		last = ev.v[TR2_F_CODE];
	}
	assert_int_equal(last, nr - 1);
	assert_true(gap > 0);
	assert_int_equal(ring_reader_lost(r.reader), gap);
	/* The kept beginning of a ring is read only once. */
	maker_exit(&m, 0, nr);
	assert_true(copy_new_data(&r, &m) && ring_random(&r, &ev));
	assert_int_equal(ev.v[TR2_F_CODE], nr);
	assert_false(ring_random(&r, &ev));
	assert_int_equal(ring_reader_lost(r.reader), gap);
	assert_int_equal(r.counts.nr_malformed, 0);
	maker_end(&m);
	end(&r);
}

static void rejects_invalid_beginning(void **state)
{
	(void)state;
	for (unsigned what = 0; what < 6; what++) {
		struct tr2_ring_block block;
		struct ring_reading r;
		struct maker m;
		struct event ev;
		char *first;

		begin(&r);
		maker_begin(&m, 16 << 10, 1);
		m.keeps_first = true;
		overwrite(&m, 0);
		first = maker_head(&m)->first;
		memcpy(&block, first, sizeof(block));
		if (what == 0)
			maker_head(&m)->first_bytes = TR2_RING_FIRST_BYTES + 8;
		else if (what == 1)
			maker_head(&m)->first_bytes = sizeof(block) - 8;
		else if (what == 2)
			block.position = TR2_RING_BLOCK_BYTES;
		else if (what == 3)
			block.number = 1;
		else if (what == 4)
			block.thread_len = TR2_RING_THREAD_MAX + 1;
		else
			first[sizeof(block)] = 3;
		memcpy(first, &block, sizeof(block));
		assert_true(copy_new_data(&r, &m));
		assert_true(ring_random(&r, &ev));
		assert_int_equal(ring_reader_lost(r.reader), ev.v[TR2_F_CODE]);
		maker_end(&m);
		end(&r);
	}
}

static void counts_events_without_ring(void **state)
{
	struct ring_reading r;
	struct maker m;

	(void)state;
	begin(&r);
	maker_begin(&m, 16 << 10, 1);
	maker_head(&m)->unplaced = 5;
	maker_exit(&m, 0, 1);
	ring_take_text(&r, &m);
	assert_int_equal(ring_reader_lost(r.reader), 5);
	maker_head(&m)->unplaced = 7;
	ring_take_text(&r, &m);
	assert_int_equal(ring_reader_lost(r.reader), 7);
	maker_end(&m);
	end(&r);
}

/* Events after skipped data have the correct thread and time. */
static void skipped_data_is_not_a_loss(void **state)
{
	struct tr2_ring_head head;
	struct ring_reading r;
	struct maker m;
	uint64_t begin_at;

	(void)state;
	begin(&r);
	maker_begin(&m, 16 << 10, 1);
	m.thread[0] = "th01:x";
	for (int64_t i = 0; i < 3000; i++)
		maker_exit(&m, 0, i);
	assert_null(ring_reader_head(r.reader, m.file, TR2_RING_HEADS_AT));
	head = *maker_ring(&m, 0);
	begin_at = head.written - head.written % TR2_RING_BLOCK_BYTES;
	ring_reader_skip(r.reader, 0, head.written, maker_at(&m, 0, begin_at));
	maker_exit(&m, 0, 3000);
	assert_non_null(strstr(ring_take_text(&r, &m), "thread=[th01:x] time=1767356922003000000"));
	assert_int_equal(r.nr_events, 1);
	assert_int_equal(ring_reader_lost(r.reader), 0);
	for (int64_t i = 0; i < 3000; i++)
		maker_exit(&m, 0, i);
	ring_take_text(&r, &m);
	assert_int_equal(r.nr_events + ring_reader_lost(r.reader), 3001);
	maker_end(&m);
	end(&r);
}

static void rejects_invalid_heads(void **state)
{
	static const struct {
		size_t at;
		uint32_t v;
	} wrong[] = {
		{ offsetof(struct tr2_ring_file, magic), 0 },
		{ offsetof(struct tr2_ring_file, version), 2 },
		{ offsetof(struct tr2_ring_file, version), 1u << 24 },
		{ offsetof(struct tr2_ring_file, block_bytes), 8192 },
		{ offsetof(struct tr2_ring_file, blocks), 0 },
		{ offsetof(struct tr2_ring_file, blocks), 3 },
		{ offsetof(struct tr2_ring_file, blocks), 5 },
		{ offsetof(struct tr2_ring_file, blocks), 512 },
		{ offsetof(struct tr2_ring_file, blocks), 1u << 31 },
		{ offsetof(struct tr2_ring_file, max_rings), 65 },
		{ offsetof(struct tr2_ring_file, rings), 65 },
		{ offsetof(struct tr2_ring_file, schema), 1 },
		{ offsetof(struct tr2_ring_file, start) + 4, 1u << 31 },
		{ offsetof(struct tr2_ring_file, sid_len), 0 },
		{ offsetof(struct tr2_ring_file, sid_len), TR2_RING_SID_MAX + 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct ring_reading r;
		struct maker m;

		begin(&r);
		maker_begin(&m, 16 << 10, 1);
		memcpy(m.file + wrong[i].at, &wrong[i].v, sizeof(wrong[i].v));
		assert_non_null(ring_reader_head(r.reader, m.file, TR2_RING_HEADS_AT));
		maker_end(&m);
		end(&r);
	}
}

static void rejects_changed_head(void **state)
{
	struct ring_reading r;
	struct maker m;

	(void)state;
	begin(&r);
	maker_begin(&m, 16 << 10, 1);
	ring_take_text(&r, &m);
	assert_non_null(ring_reader_head(r.reader, m.file, 60));
	maker_head(&m)->sid[0]++;
	assert_non_null(ring_reader_head(r.reader, m.file, TR2_RING_HEADS_AT));
	maker_end(&m);
	end(&r);
}

static void skips_damaged_block(void **state)
{
	for (unsigned what = 0; what < 6; what++) {
		struct tr2_ring_record *rec;
		struct tr2_ring_block *block;
		struct ring_reading r;
		struct maker m;

		(void)state;
		begin(&r);
		maker_begin(&m, 64 << 10, 1);
		for (int64_t i = 0; i < 1000; i++)
			maker_exit(&m, 0, i);
		block = (void *)maker_at(&m, 0, 2 * TR2_RING_BLOCK_BYTES);
		rec = (void *)(block + 1);
		switch (what) {
		case 0:
			rec->length = 0xfff8;
			break;
		case 1:
			rec->length = 13;
			break;
		case 2:
			rec->length = 16;
			break;
		case 3:
			block->position++;
			break;
		case 4:
			block->thread_len = 25;
			break;
		default:
			block->number = UINT64_MAX;
		}
		ring_take_text(&r, &m);
		assert_int_equal(r.counts.nr_malformed, 1);
		assert_true(ring_reader_lost(r.reader) > 50);
		assert_int_equal(r.nr_events + ring_reader_lost(r.reader), 1000);
		maker_end(&m);
		end(&r);
	}
}

/* The record after an impossible value is read. */
static void counts_invalid_record_as_malformed(void **state)
{
	static const struct {
		unsigned kind;
		uint64_t mask;
		int64_t time;
		const char *fields;
		size_t len;
	} wrong[] = {
		{ TR2_NR_EVENTS, 0, MAKER_START, "", 0 },
		{ 255, 0, MAKER_START, "", 0 },
		{ TR2_E_ERROR, MAKER_BIT(SID), MAKER_START, "\0\0", 2 },
		{ TR2_E_ERROR, MAKER_BIT(THREAD), MAKER_START, "\0\0", 2 },
		{ TR2_E_ERROR, MAKER_BIT(TIME), MAKER_START, "\0\0\0\0\0\0\0\0", 8 },
		{ TR2_E_ERROR, MAKER_BIT(LINE), MAKER_START, "\0\0\0\0\0\0\0\0", 8 },
		{ TR2_E_ERROR, 1ull << 63, MAKER_START, "\0\0\0\0\0\0\0\0", 8 },
		{ TR2_E_ERROR, MAKER_BIT(MSG), -1, "\0\0", 2 },
		{ TR2_E_ERROR, MAKER_BIT(MSG), INT64_MAX, "\0\0", 2 },
		{ TR2_E_ERROR, MAKER_BIT(MSG), MAKER_START, "\xff\xff", 2 },
		{ TR2_E_ERROR, MAKER_BIT(MSG), MAKER_START, "\x07\0abcdef", 8 },
		{ TR2_E_EXIT, MAKER_BIT(CODE), MAKER_START, "", 0 },
		{ TR2_E_START, MAKER_BIT(ARGV), MAKER_START, "\xff\xff", 2 },
		{ TR2_E_START, MAKER_BIT(ARGV), MAKER_START, "\x02\0\x01\0a\xff\0", 7 },
		{ TR2_E_CHILD_START, MAKER_BIT(USE_SHELL), MAKER_START, "\2\0\0\0\0\0\0\0", 8 },
		{ TR2_E_CHILD_EXIT, MAKER_BIT(T_REL), MAKER_START, "\0\0\0\0\0\0\0\x7f", 8 },
		{ TR2_E_DATA_JSON, MAKER_BIT(VALUE), MAKER_START, "\1\0{", 3 },
		{ TR2_E_DATA_JSON, MAKER_BIT(VALUE), MAKER_START, "\0\0", 2 },
		{ TR2_E_DATA_JSON, MAKER_BIT(VALUE), MAKER_START, "\4\0[\n1]", 6 },
		{ TR2_E_DATA_JSON, MAKER_BIT(VALUE), MAKER_START, "\4\0{},1", 6 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct ring_reading r;
		struct maker m;

		begin(&r);
		maker_begin(&m, 16 << 10, 1);
		maker_exit(&m, 0, 1);
		maker_event(&m, 0, wrong[i].kind, wrong[i].mask, wrong[i].time, wrong[i].fields,
			    wrong[i].len);
		maker_exit(&m, 0, 2);
		ring_take_text(&r, &m);
		assert_int_equal(r.counts.nr_malformed, 1);
		assert_int_equal(r.nr_events, 2);
		maker_end(&m);
		end(&r);
	}
}

static void reports_invalid_ring_head_once(void **state)
{
	static const uint64_t odd[] = { 3, 8, 56, 4096 + 8, UINT64_MAX, 1ull << 63 };

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		struct ring_reading r;
		struct maker m;

		begin(&r);
		maker_begin(&m, 16 << 10, 1);
		maker_ring(&m, 0)->written = odd[i];
		for (int times = 0; times < 3; times++)
			ring_take_text(&r, &m);
		assert_int_equal(r.nr_events, 0);
		assert_int_equal(r.counts.nr_malformed, 1);
		maker_end(&m);
		end(&r);
	}
}

/* Reading a damaged file returns at most as many events as fit into the rings. */
static void survives_mutated_file(void **state)
{
	(void)state;
	for (unsigned run = 0; run < 400; run++) {
		struct ring_reading r;
		struct maker m;
		struct event ev;
		uint64_t nr = 0;

		seed = 0xabcdef0123456789u + run;
		begin(&r);
		maker_begin(&m, 16 << 10, 2);
		for (int64_t i = 0; i < 300; i++)
			maker_exit(&m, (unsigned)i % 2, i);
		for (unsigned i = 0; i < 30; i++) {
			size_t at =
				ring_random_below(3)
					? TR2_RING_HEAD_BYTES +
						  ring_random_below(
							  (unsigned)(m.len - TR2_RING_HEAD_BYTES))
				: ring_random_below(2) ? TR2_RING_HEADS_AT + ring_random_below(256)
						       : 16 + ring_random_below(200);

			m.file[at] = (char)ring_random_below(256);
		}
		for (int times = 0; times < 3 && copy_new_data(&r, &m); times++)
			while (ring_random(&r, &ev))
				nr++;
		assert_true(nr <= 2 * m.ring_bytes / sizeof(struct tr2_ring_record));
		maker_end(&m);
		end(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_equals_its_line),
		cmocka_unit_test(merges_rings_by_time),
		cmocka_unit_test(counts_losses_exactly_at_any_speed),
		cmocka_unit_test(keeps_beginning_of_overwritten_ring),
		cmocka_unit_test(rejects_invalid_beginning),
		cmocka_unit_test(counts_events_without_ring),
		cmocka_unit_test(skipped_data_is_not_a_loss),
		cmocka_unit_test(rejects_invalid_heads),
		cmocka_unit_test(rejects_changed_head),
		cmocka_unit_test(skips_damaged_block),
		cmocka_unit_test(counts_invalid_record_as_malformed),
		cmocka_unit_test(reports_invalid_ring_head_once),
		cmocka_unit_test(survives_mutated_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
