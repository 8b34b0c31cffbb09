/* SPDX-License-Identifier: MIT */
/* Golden screens of formats other than EVENT. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/screen_fixture.h"
#include "views/draw/surface.h"

/* 2026-11-22T00:00:00Z: modification time of the file that is read */
#define REFERENCE_NS (1795305600ll * NS_PER_SEC)

static const struct golden {
	const char *name, *keys;
	unsigned kind;
	const char *file;
	int cols, rows;
} goldens[] = {
#define GO   READER_GO, "../examples/annotated.trace"
#define PERF READER_PERF, "screens/alias.perf"
#define LOG  READER_TRACELOG, "screens/profile.log"
	{ "go-four-120x40", "", GO, 120, 40 },
	{ "go-threads-80x24", "2", GO, 80, 24 },
	{ "go-timings-80x24", "3", GO, 80, 24 },
	{ "go-tasks-80x24", "4", GO, 80, 24 },
	{ "go-timeline-120x40", "t", GO, 120, 40 },
	{ "go-timeline-80x24", "t", GO, 80, 24 },
	{ "go-flame-120x40", "F", GO, 120, 40 },
	{ "go-flame-80x24", "F", GO, 80, 24 },
	{ "go-summary-120x40", "S", GO, 120, 40 },
	{ "go-summary-80x24", "S", GO, 80, 24 },
	{ "perf-four-120x40", "", PERF, 120, 40 },
	{ "perf-tabs-80x24", "", PERF, 80, 24 },
	{ "perf-summary-120x40", "S", PERF, 120, 40 },
	{ "tracelog-four-120x40", "", LOG, 120, 40 },
	{ "tracelog-threads-80x24", "2", LOG, 80, 24 },
};

struct stream {
	struct reader *reader;
	struct reader_stream about;
	uint32_t nr_processes;
	struct read_counts counts;
	char *bytes;
	size_t len, at;
};

static void stream_open(struct stream *stream, struct screen *screen, unsigned kind,
			const char *file)
{
	const char *slash = strrchr(file, '/');
	char *text;

	*stream = (struct stream){ .about = { .name = slash + 1,
					      .reference_ns = REFERENCE_NS,
					      .arrival_ns = REFERENCE_NS } };
	stream->about.nr_processes = &stream->nr_processes;
	text = test_file(file, &stream->len);
	assert_non_null(text);
	stream->bytes = xcalloc(1, stream->len + READER_PAD);
	memcpy(stream->bytes, text, stream->len);
	free(text);
	stream->reader = reader_new_of(kind, &screen->syms, &stream->about);
	snprintf(screen->source.format, sizeof(screen->source.format), "%s",
		 reader_words[kind + 1].word);
	screen->in.wall_ns = REFERENCE_NS + 3600 * NS_PER_SEC;
}

static struct batch *batch_take(struct screen *screen)
{
	struct batch *batch = journal_take(screen->journal);
	struct event ev = { .kind = REC_STREAM };

	event_set(&ev, FLD_STREAM, 1);
	event_set(&ev, FLD_SOURCE, 0);
	event_set(&ev, FLD_ARRIVAL, REFERENCE_NS);
	event_set(&ev, FLD_LIVE, 0);
	batch_add(batch, &ev);
	return batch;
}

/* Feed the file up to `end`; at the file's end also deliver the events that the reader held
 * back. */
static void stream_feed(struct stream *stream, struct screen *screen, size_t end)
{
	const struct reader_ops *ops = stream->reader->ops;
	struct batch *batch = batch_take(screen);
	const struct batch *next;
	size_t used = 1;
	bool more = true;

	while (stream->at < end && used) {
		size_t (*read)(void *, const char *, size_t, struct batch *, struct read_counts *,
			       read_bad_fn *, void *) =
			ops->framing == FRAME_BYTES ? ops->read_bytes : ops->read_lines;

		used = read(stream->reader->state, stream->bytes + stream->at, end - stream->at,
			    batch, &stream->counts, NULL, NULL);
		stream->at += used;
		while (reader_pump(stream->reader, batch, &stream->counts, NULL, NULL)) {
			journal_push(screen->journal, batch);
			batch = batch_take(screen);
		}
	}
	if (end == stream->len)
		reader_finish(stream->reader, false, &stream->counts, NULL, NULL);
	for (; more; batch = more ? batch_take(screen) : NULL) {
		more = reader_pump(stream->reader, batch, &stream->counts, NULL, NULL);
		journal_push(screen->journal, batch);
	}
	while ((next = journal_next(screen->journal)))
		model_apply(screen->model, next);
	model_settle(screen->model);
	screen->source.events = screen->source.records = stream->counts.nr_events;
}

static void stream_close(struct stream *stream)
{
	reader_free(stream->reader);
	free(stream->bytes);
}

static void golden_screens_match(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(goldens) / sizeof(goldens[0]); i++) {
		const char *spec = strrchr(goldens[i].file, '/') + 1;
		struct ui_config config = {
			.nesting = -1, .depth = -1, .specs = &spec, .nr_specs = 1
		};
		struct tr2_buf out;
		struct screen screen;
		struct stream stream;

		screen_open(&screen, goldens[i].cols, goldens[i].rows, &config);
		screen.source.spec = spec;
		screen.source.kind = "file";
		screen_frame(&screen);
		stream_open(&stream, &screen, goldens[i].kind, goldens[i].file);
		stream_feed(&stream, &screen, stream.len);
		assert_int_equal(stream.counts.nr_malformed, 0);
		screen_frame(&screen);
		screen_keys(&screen, goldens[i].keys);
		tr2_buf_init(&out, 1 << 24);
		surface_dump_styles(screen.surface, &out);
		golden_compare(goldens[i].name, &out);
		tr2_buf_release(&out);
		stream_close(&stream);
		screen_close(&screen);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_screens_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
