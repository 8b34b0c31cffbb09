/* SPDX-License-Identifier: MIT */
/*
 * The screen without a terminal, for tests: a journal and a model from a file of events, a ui, a
 * clock that the test sets.
 */
#ifndef TESTS_SCREEN_FIXTURE_H
#define TESTS_SCREEN_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/buf.h"
#include "monitor/base/die.h"
#include "monitor/history/journal.h"
#include "monitor/model/model.h"
#include "monitor/read/reader.h"
#include "views/registry/registry.h"
#include "views/ui/ui.h"

/* Wall time of the screen at its beginning: 2026-01-02T12:28:42Z. */
#define SCENE_NOW_NS (1767356922ll * NS_PER_SEC)

struct screen {
	struct tr2_intern syms;
	struct journal *journal;
	struct model *model;
	struct reader *reader;
	struct ui *ui;
	struct surface *surface;
	struct ui_input in;
	struct source_stats source;
};

/* Apply lines of events as a live stream, in one or more batches. */
static inline void screen_feed(struct screen *screen, const char *lines, size_t len)
{
	struct read_counts counts = { 0 };
	char *padded = xcalloc(1, len + READER_PAD);
	const struct batch *next;
	size_t at = 0;

	memcpy(padded, lines, len);
	while (at < len) {
		struct batch *batch = journal_take(screen->journal);
		struct event ev = { .kind = REC_STREAM };

		event_set(&ev, FLD_STREAM, 1);
		event_set(&ev, FLD_SOURCE, 0);
		event_set(&ev, FLD_ARRIVAL, SCENE_NOW_NS);
		event_set(&ev, FLD_LIVE, 1);
		batch_add(batch, &ev);
		at += reader_lines(screen->reader, padded + at, len - at, batch, &counts, NULL,
				   NULL);
		journal_push(screen->journal, batch);
	}
	free(padded);
	while ((next = journal_next(screen->journal)))
		model_apply(screen->model, next);
	model_settle(screen->model);
	screen->source.events += counts.nr_events;
	screen->source.records += counts.nr_events + counts.nr_malformed;
	screen->source.malformed += counts.nr_malformed;
}

static inline void screen_open(struct screen *screen, int cols, int rows,
			       const struct ui_config *config)
{
	static const char *const specs[] = { "af_unix:dgram:/tmp/t2.sock" };
	struct ui_config used = { .nesting = -1, .depth = -1, .specs = specs, .nr_specs = 1 };

	memset(screen, 0, sizeof(*screen));
	setenv("TZ", "UTC", 1);
	tr2_intern_init(&screen->syms, 0, 0);
	screen->journal = journal_new(64 << 20, NULL, NULL);
	screen->model = model_new(&screen->syms, &(struct model_config){ .nesting = -1 });
	screen->reader = reader_new(READER_EVENT, &screen->syms);
	if (config)
		used = *config;
	used.views = view_table;
	screen->ui = ui_new(&used);
	screen->surface = surface_new(cols, rows, false);
	ui_resize(screen->ui, cols, rows);
	screen->source = (struct source_stats){ .spec = specs[0],
						.kind = "dgram",
						.format = "event",
						.state = SOURCE_FOLLOWING,
						.nr_streams = 1,
						.nr_open = 1 };
	screen->in = (struct ui_input){
		.model = screen->model,
		.live = screen->model,
		.journal = screen->journal,
		.intern = &screen->syms,
		.wall_ns = SCENE_NOW_NS,
		.monotonic_ns = 200 * NS_PER_SEC,
		.begun_ns = 8 * NS_PER_SEC,
		.memory_bytes = 31 << 20,
		.memory_max_bytes = 256 << 20,
		.sources = &screen->source,
		.nr_sources = 1,
	};
}

static inline void screen_close(struct screen *screen)
{
	ui_free(screen->ui);
	surface_free(screen->surface);
	reader_free(screen->reader);
	model_free(screen->model);
	journal_free(screen->journal);
	tr2_intern_release(&screen->syms);
}

static inline void screen_frame(struct screen *screen)
{
	journal_stats(screen->journal, &screen->in.journal_stats);
	ui_frame(screen->ui, &screen->in, screen->surface);
}

/* Press the keys of a key script, with a frame after each. Returns the union of the reactions. */
static inline unsigned screen_keys(struct screen *screen, const char *script)
{
	unsigned reactions = 0;
	bool bad = false;

	for (uint32_t key; (key = key_script_next(&script, &bad));) {
		reactions |= ui_key(screen->ui, &(struct key_event){ .key = key });
		screen_frame(screen);
	}
	if (bad)
		abort();
	return reactions;
}

static inline const char *screen_text(struct screen *screen)
{
	static struct tr2_buf out = { .max = 1 << 24 };

	tr2_buf_clear(&out);
	surface_dump(screen->surface, &out);
	return tr2_buf_cstr(&out);
}

/* Read a file of tests/, NUL-terminated; the caller frees it. Returns NULL if it cannot be
 * opened. */
static inline char *test_file(const char *name, size_t *len)
{
	char path[4096];
	FILE *file;
	char *text = NULL;

	snprintf(path, sizeof(path), "%s/tests/%s", getenv("abs_top_srcdir"), name);
	file = fopen(path, "rb");
	*len = 0;
	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	long size = ftell(file);

	rewind(file);
	text = xcalloc(1, (size_t)size + 1);
	*len = fread(text, 1, (size_t)size, file);
	fclose(file);
	return text;
}

static inline void screen_feed_file(struct screen *screen, const char *name)
{
	size_t len;
	char *text = test_file(name, &len);

	if (!text)
		abort();
	screen_feed(screen, text, len);
	free(text);
}

static inline void screen_scene(struct screen *screen)
{
	screen_feed_file(screen, "screens/scene.event");
}

/* Compare `out` with tests/screens/GOLDEN_NAME.screen. If GOLDEN_UPDATE is set, write that file
 * first. */
static inline void golden_compare(const char *golden_name, struct tr2_buf *out)
{
	char name[256];
	size_t len;
	char *wanted;

	snprintf(name, sizeof(name), "screens/%s.screen", golden_name);
	if (getenv("GOLDEN_UPDATE")) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/tests/%s", getenv("abs_top_srcdir"), name);
		FILE *file = fopen(path, "wb");

		assert_non_null(file);
		fwrite(out->data, 1, out->len, file);
		fclose(file);
	}
	wanted = test_file(name, &len);
	if (!wanted || len != out->len || memcmp(wanted, out->data, len)) {
		print_error("%s differs; it is now:\n%s\n(make golden-update rewrites it)\n", name,
			    tr2_buf_cstr(out));
		fail();
	}
	free(wanted);
}

#endif
