/* SPDX-License-Identifier: MIT */
/* CPU time to compute the parts of one tree, and its findings: a process and 99 children with 500
 * regions each. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "monitor/analysis/findings.h"
#include "monitor/history/journal.h"
#include "monitor/read/reader.h"

#define NR_CHILDREN 99
#define NR_REGIONS  500
#define NR_RUNS     31

static void parts_add_line(struct tr2_buf *out, int nr, int64_t us, const char *event,
			   const char *more)
{
	tr2_buf_addf(out, "{\"event\":\"%s\",\"sid\":\"20260102T122800.000000Z-H6b1a4c2e-P00000064",
		     event);
	if (nr)
		tr2_buf_addf(out, "/20260102T122800.%06dZ-H6b1a4c2e-P%08x", nr, 100 + nr);
	tr2_buf_addf(out, "\",\"thread\":\"main\",\"time\":\"2026-01-02T12:%02d:%02d.%06dZ\"%s}\n",
		     28 + (int)(us / 60000000), (int)(us / 1000000 % 60), (int)(us % 1000000),
		     more);
}

/* Emit process `nr` with NR_REGIONS regions of two microseconds; process 0 without its end. Returns
 * the time of the last event in microseconds. */
static int64_t parts_add_process(struct tr2_buf *out, int nr, int64_t us)
{
	int64_t begun = us;
	char more[200];

	parts_add_line(out, nr, us, "start", ",\"t_abs\":0.0,\"argv\":[\"git\",\"x\"]");
	for (int i = 0; i < NR_REGIONS; i++) {
		snprintf(more, sizeof(more), ",\"nesting\":1,\"category\":\"c\",\"label\":\"l%d\"",
			 i % 20);
		parts_add_line(out, nr, us += 1, "region_enter", more);
		snprintf(more, sizeof(more),
			 ",\"t_rel\":0.000002,\"nesting\":1,\"category\":\"c\",\"label\":\"l%d\"",
			 i % 20);
		parts_add_line(out, nr, us += 2, "region_leave", more);
	}
	if (nr) {
		snprintf(more, sizeof(more), ",\"t_abs\":%.6f,\"code\":0",
			 (double)(us - begun) / 1e6);
		parts_add_line(out, nr, us, "atexit", more);
	}
	return us;
}

static void make_lines(struct tr2_buf *out)
{
	int64_t us = parts_add_process(out, 0, 0);
	char more[200];

	for (int nr = 1; nr <= NR_CHILDREN; nr++) {
		int64_t begun = us;

		snprintf(more, sizeof(more),
			 ",\"child_id\":%d,\"child_class\":\"?\",\"use_shell\":false,\"argv\":["
			 "\"git\"]",
			 nr);
		parts_add_line(out, 0, us, "child_start", more);
		us = parts_add_process(out, nr, us + 500) + 300;
		snprintf(more, sizeof(more),
			 ",\"child_id\":%d,\"pid\":%d,\"code\":0,\"t_rel\":%.6f", nr, 100 + nr,
			 (double)(us - begun) / 1e6);
		parts_add_line(out, 0, us, "child_exit", more);
	}
	snprintf(more, sizeof(more), ",\"t_abs\":%.6f,\"code\":0", (double)us / 1e6);
	parts_add_line(out, 0, us, "atexit", more);
}

static void parts_read_lines(struct tr2_buf *text, struct tr2_intern *syms, struct model *model)
{
	struct journal *journal = journal_new(256 << 20, NULL, NULL);
	struct reader *reader = reader_new(READER_EVENT, syms);
	struct read_counts counts = { 0 };
	struct event ev = { .kind = REC_STREAM };
	const struct batch *next;

	event_set(&ev, FLD_STREAM, 1);
	tr2_buf_reserve(text, READER_PAD);
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
	reader_free(reader);
	journal_free(journal);
}

static int parts_by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void parts_row(const char *what, double *spans, const char *goal)
{
	qsort(spans, NR_RUNS, sizeof(*spans), parts_by_size);
	printf("parts: %-28s median %6.2f ms  [%.2f .. %.2f]%s\n", what, spans[NR_RUNS / 2] / 1e6,
	       spans[0] / 1e6, spans[NR_RUNS - 1] / 1e6, goal);
}

int main(void)
{
	struct tr2_intern syms;
	struct tr2_buf text;
	struct parts parts = { 0 };
	struct findings found = { 0 };
	struct analysis what = { .limits = { -1, -1 }, .now = NS_NONE };
	struct findings_of of = { .what = &what, .all_over = true };
	double spans[NR_RUNS], finding[NR_RUNS];
	uint32_t root;

	tr2_intern_init(&syms, 0, 0);
	tr2_buf_init(&text, 256 << 20);
	what.model = model_new(&syms, &(struct model_config){ .nesting = -1 });
	make_lines(&text);
	parts_read_lines(&text, &syms, (struct model *)(uintptr_t)what.model);
	root = model_first_root(what.model);
	for (int i = 0; i < NR_RUNS; i++) {
		double begun = bench_cpu_ns();

		parts_make(&parts, &what,
			   &(struct parts_of){ .slot = root,
					       .begun = NS_NONE,
					       .wall = NS_NONE,
					       .all_over = true });
		spans[i] = bench_cpu_ns() - begun;
		begun = bench_cpu_ns();
		findings_clear(&found);
		findings_of_root(&found, &of, root, &parts);
		finding[i] = bench_cpu_ns() - begun;
	}
	printf("parts: %" PRIu32 " processes, %" PRIu32 " pieces, CPU time\n", parts.nr_processes,
	       parts.nr_pieces);
	parts_row("of 100,000 entries", spans, ", goal 20 ms");
	parts_row("with findings", finding, "");
	findings_release(&found);
	parts_release(&parts);
	model_free((struct model *)(uintptr_t)what.model);
	tr2_buf_release(&text);
	tr2_intern_release(&syms);
	return 0;
}
