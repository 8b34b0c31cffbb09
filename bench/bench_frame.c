/* SPDX-License-Identifier: MIT */
/* How long a frame takes at 200x60 with 10,000 processes, a third of them live. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "monitor/journal.h"
#include "monitor/model.h"
#include "monitor/reader.h"
#include "views/ui.h"

#define NR_PROCESSES 10000
#define NR_FRAMES 200

static void add_line(struct tr2_buf *out, int nr, const char *event, const char *more)
{
	tr2_buf_addf(out, "{\"event\":\"%s\",\"sid\":\"20260102T1228%02d.%06dZ-H6b1a4c2e-P%08x",
		     event, nr / 3 / 1000 % 60, nr / 3, nr / 3 * 3);
	if (nr % 3)
		tr2_buf_addf(out, "/20260102T1229%02d.%06dZ-H6b1a4c2e-P%08x", nr / 1000 % 60, nr,
			     nr);
	tr2_buf_addf(out, "\",\"thread\":\"main\",\"time\":\"2026-01-02T12:29:%02d.%06dZ\"%s}\n",
		     nr / 1000 % 60, nr, more);
}

static void add_process(struct tr2_buf *out, int nr)
{
	add_line(out, nr, "start", ",\"t_abs\":0.001,\"argv\":[\"git\",\"status\",\"--short\"]");
	add_line(out, nr, "cmd_name", ",\"name\":\"status\",\"hierarchy\":\"status\"");
	add_line(out, nr, "region_enter",
		 ",\"nesting\":1,\"category\":\"index\",\"label\":\"do_read_index\"");
	add_line(out, nr, "region_leave",
		 ",\"t_rel\":0.001,\"nesting\":1,\"category\":\"index\",\"label\":\"do_read_index\"");
	if (nr % 3)
		add_line(out, nr, "exit", ",\"t_abs\":0.1,\"code\":0");
}

static void apply(struct journal *journal, struct model *model, struct reader *reader,
		  const struct tr2_buf *text)
{
	struct read_counts counts = { 0 };
	struct event ev = { .kind = REC_STREAM };
	const struct batch *next;

	event_set(&ev, FLD_STREAM, 1);
	event_set(&ev, FLD_LIVE, 1);
	for (size_t at = 0; at < text->len;) {
		struct batch *batch = journal_take(journal);

		batch_add(batch, &ev);
		at += reader_lines(reader, text->data + at, text->len - at, batch, &counts, NULL,
				   NULL);
		journal_push(journal, batch);
	}
	while ((next = journal_next(journal)))
		model_apply(model, next);
	model_settle(model);
}

static int by_size(const void *a, const void *b)
{
	ns_t x = *(const ns_t *)a, y = *(const ns_t *)b;

	return (x > y) - (x < y);
}

static void measure(struct ui *ui, struct ui_input *in, const char *what, const char *keys)
{
	struct surface *surface = surface_new(200, 60, false);
	ns_t spans[NR_FRAMES];
	bool bad = false;

	for (uint32_t key; (key = key_script_next(&keys, &bad));) {
		ui_frame(ui, in, surface);
		ui_key(ui, &(struct key_event){ .key = key });
	}
	for (int i = 0; i < NR_FRAMES; i++) {
		ns_t begun = tr2_clock_monotonic();

		in->wall_ns += 100 * NS_PER_MS;
		ui_frame(ui, in, surface);
		spans[i] = tr2_clock_monotonic() - begun;
	}
	qsort(spans, NR_FRAMES, sizeof(*spans), by_size);
	printf("frame 200x60, %d processes, %-22s median %6.2f ms  p99 %6.2f ms\n", NR_PROCESSES,
	       what, (double)spans[NR_FRAMES / 2] / 1e6, (double)spans[NR_FRAMES * 99 / 100] / 1e6);
	surface_free(surface);
}

int main(void)
{
	struct tr2_intern syms;
	struct tr2_buf text;
	struct ui_config config = { .nesting = -1, .depth = -1 };

	tr2_intern_init(&syms, 0, 0);
	tr2_buf_init(&text, 256 << 20);
	for (int i = 0; i < NR_PROCESSES; i++)
		add_process(&text, i);
	tr2_buf_reserve(&text, READER_PAD);

	struct journal *journal = journal_new(64 << 20, NULL, NULL);
	struct model *model = model_new(&syms, &(struct model_config){ .nesting = -1 });
	struct reader *reader = reader_new(READER_EVENT, &syms);
	struct ui *ui = ui_new(&config);
	struct ui_input in = { .model = model,
			       .journal = journal,
			       .intern = &syms,
			       .wall_ns = 1767356999ll * NS_PER_SEC };

	apply(journal, model, reader, &text);
	ui_resize(ui, 200, 60);
	measure(ui, &in, "four panes, tree", "Down");
	measure(ui, &in, "sorted by elapsed", "> > > >");
	measure(ui, &in, "flat", "F5");
	measure(ui, &in, "process page", "Enter");
	ui_free(ui);
	reader_free(reader);
	model_free(model);
	journal_free(journal);
	tr2_buf_release(&text);
	tr2_intern_release(&syms);
	return 0;
}
