/* SPDX-License-Identifier: MIT */
/*
 * Write folded stacks: `process;thread;region;region N` with N whole microseconds of self time
 * (main threads have no frame), for tools such as flamegraph.pl. CPU samples of a Go trace are
 * below their own frame "cpu samples", and N counts samples.
 *
 * Equal stacks are merged into one line.
 */
#include "config.h"
#include "monitor/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/buf.h"
#include "engine/base/utf8.h"
#include "monitor/analysis/flame.h"
#include "monitor/analysis/formats.h"
#include "monitor/base/die.h"
#include "monitor/base/visible.h"

/* Maximum number of regions in a stack, so that a hostile trace cannot make the output huge. The
 * time of deeper regions counts for the last one. */
#define MAX_FRAMES      500
#define MAX_FRAME_BYTES 1000

struct folded {
	const struct model *m;
	int64_t nesting;
	struct tr2_intern stacks; /* without N */
	/* sum of each stack, by its symbol: ns, or 1000 per CPU sample */
	ns_t *sums;
	uint32_t cap;
	struct tr2_buf stack;
};

static void folded_count(struct folded *f, int64_t n)
{
	sym_t sym;

	if (n <= 0)
		return;
	sym = tr2_intern(&f->stacks, f->stack.data, f->stack.len);
	if (sym >= f->cap) {
		uint32_t cap = f->cap;

		f->cap = f->cap ? f->cap * 2 : 1024;
		f->sums = xreallocarray(f->sums, f->cap, sizeof(*f->sums));
		memset(f->sums + cap, 0, (f->cap - cap) * sizeof(*f->sums));
	}
	f->sums[sym] = ns_add(f->sums[sym], n);
}

/* Append the name of a frame. `;`, which separates frames, becomes `:`. */
static void folded_add_text(struct folded *f, const char *text, size_t len)
{
	size_t from = f->stack.len, step;
	uint32_t ch;
	char utf8[4];

	for (size_t i = 0; i < len && f->stack.len - from < MAX_FRAME_BYTES; i += step) {
		step = tr2_utf8_decode(text + i, len - i, &ch);
		if (visible_is_control(ch))
			continue;
		if (ch == ' ' && f->stack.len == from)
			continue;
		if (ch == ';')
			ch = ':';
		tr2_buf_add(&f->stack, utf8, tr2_utf8_encode(ch, utf8));
	}
}

static void add_sym(struct folded *f, sym_t sym)
{
	size_t len;
	const char *text = model_sym(f->m, sym, &len);

	folded_add_text(f, text, len);
}

static void frame_begin(struct folded *f)
{
	if (f->stack.len)
		tr2_buf_addch(&f->stack, ';');
}

static void frame_end(struct folded *f, size_t from)
{
	while (f->stack.len > from && f->stack.data[f->stack.len - 1] == ' ')
		f->stack.len--;
	if (f->stack.len == from)
		tr2_buf_addstr(&f->stack, "(none)");
}

static void add_frame(struct folded *f, sym_t sym)
{
	size_t from;

	frame_begin(f);
	from = f->stack.len;
	add_sym(f, sym);
	frame_end(f, from);
}

static void add_region(struct folded *f, sym_t category, sym_t label)
{
	size_t from;

	frame_begin(f);
	from = f->stack.len;
	add_sym(f, category);
	if (category != SYM_NONE && label != SYM_NONE)
		tr2_buf_addch(&f->stack, '/');
	add_sym(f, label);
	frame_end(f, from);
}

/* Add the completed regions of a thread below the current stack. Returns the total time of the
 * outermost regions. */
static ns_t add_nodes(struct folded *f, const struct thread *thread)
{
	size_t ends[MAX_FRAMES + 1] = { f->stack.len };
	uint32_t ref = thread->nodes, level = 0;
	ns_t outermost = 0;

	while (ref) {
		const struct region_node *node = model_node(f->m, ref);
		const struct timing_cell *cell = model_cell(f->m, node->cell);
		bool hidden = f->nesting >= 0 && cell->nesting > f->nesting;
		uint32_t at = level < MAX_FRAMES ? level : MAX_FRAMES - 1;

		if (level <= at) {
			f->stack.len = ends[at];
			if (!hidden)
				add_region(f, cell->category, cell->label);
			ends[at + 1] = f->stack.len;
		}
		f->stack.len = ends[at + 1];
		/* At the nesting limit all time of a region counts as self time. */
		if (!hidden)
			folded_count(f, cell->nesting == f->nesting ? node->total : node->self);
		if (!level)
			outermost = ns_add(outermost, node->total);
		ref = model_node_next(f->m, ref, &level);
	}
	f->stack.len = ends[0];
	return outermost;
}

static ns_t open_time(const struct process *process, const struct open_region *open)
{
	ns_t time = report_open_elapsed(process, open);

	return time > 0 ? time : 0;
}

/* Add the regions that are open at the end of the trace; they end with the last event of the
 * process. Returns the time of the outermost one. */
static ns_t add_open(struct folded *f, const struct process *process, const struct thread *thread)
{
	size_t from = f->stack.len;
	ns_t outermost = 0;

	for (uint32_t i = 0; i < thread->open.nr; i++) {
		const struct open_region *open = thread_open(f->m, thread, i);
		ns_t time = open_time(process, open), inner = open->inner_ns;

		if (f->nesting >= 0 && open->nesting > f->nesting)
			continue;
		if (i < MAX_FRAMES)
			add_region(f, open->category, open->label);
		if (i + 1 < thread->open.nr)
			inner = ns_add(inner, open_time(process, thread_open(f->m, thread, i + 1)));
		folded_count(f, time > inner ? time - inner : 0);
		if (!outermost)
			outermost = time;
	}
	f->stack.len = from;
	return outermost;
}

static ns_t thread_life(const struct process *process, const struct thread *thread, bool is_main)
{
	if (is_main)
		return process_elapsed(process);
	if (thread->elapsed != NS_NONE)
		return thread->elapsed;
	if (thread->first_time == NS_NONE || thread->last_time < thread->first_time)
		return 0;
	return thread->last_time - thread->first_time;
}

static void add_thread(struct folded *f, const struct process *process, const struct thread *thread,
		       bool is_main)
{
	size_t from = f->stack.len;
	ns_t inner, life = thread_life(process, thread, is_main);

	if (!is_main)
		add_frame(f, thread->name);
	inner = ns_add(add_nodes(f, thread), add_open(f, process, thread));
	folded_count(f, life > inner ? life - inner : 0);
	f->stack.len = from;
}

static void add_samples(struct folded *f, const struct process *process, sym_t name)
{
	tr2_buf_clear(&f->stack);
	tr2_buf_addstr(&f->stack, "cpu samples");
	add_frame(f, name);
	for (uint32_t i = 0; i < process->data.nr; i++) {
		const struct data_item *item = PROCESS_ITEM(f->m, &process->data, data_item, i);
		size_t from = f->stack.len, len, step;
		const char *text;

		if (!flame_is_sample(f->m, item))
			continue;
		text = model_sym(f->m, item->key, &len);
		for (size_t at = 0; at <= len; at += step + 1) {
			const char *next = memchr(text + at, ';', len - at);
			size_t begun;

			step = (size_t)(next ? next - (text + at) : (ptrdiff_t)(len - at));
			frame_begin(f);
			begun = f->stack.len;
			folded_add_text(f, text + at, step);
			frame_end(f, begun);
		}
		folded_count(f, flame_sample_count(f->m, item) * NS_PER_US);
		f->stack.len = from;
	}
}

static void add_process(struct folded *f, const struct process *process)
{
	sym_t name = process->hierarchy != SYM_NONE ? process->hierarchy : process->name;
	uint32_t main_thread = process_main_thread(f->m, process);

	tr2_buf_clear(&f->stack);
	add_frame(f, name);
	for (uint32_t i = 0; i < process->threads.nr; i++)
		add_thread(f, process, process_thread(f->m, process, i), i == main_thread);
	if (flame_has_samples(f->m, process))
		add_samples(f, process, name);
}

/* for by_bytes(), because qsort() passes no context; used by one thread */
static const struct tr2_intern *sorted_stacks;

static int by_bytes(const void *a, const void *b)
{
	size_t x_len, y_len;
	const char *x = tr2_intern_text(sorted_stacks, *(const sym_t *)a, &x_len);
	const char *y = tr2_intern_text(sorted_stacks, *(const sym_t *)b, &y_len);
	int diff = memcmp(x, y, x_len < y_len ? x_len : y_len);

	return diff ? diff : (x_len > y_len) - (x_len < y_len);
}

static void write_lines(struct folded *f, FILE *to)
{
	uint32_t nr = 0;
	sym_t *order = xreallocarray(NULL, (size_t)f->cap + 1, sizeof(*order));

	for (sym_t sym = 0; sym < f->cap; sym++)
		if (f->sums[sym] >= NS_PER_US)
			order[nr++] = sym;
	sorted_stacks = &f->stacks;
	qsort(order, nr, sizeof(*order), by_bytes);
	for (uint32_t i = 0; i < nr; i++) {
		size_t len;
		const char *text = tr2_intern_text(&f->stacks, order[i], &len);

		fwrite(text, 1, len, to);
		fprintf(to, " %" PRId64 "\n", (int64_t)(f->sums[order[i]] / NS_PER_US));
	}
	free(order);
}

static void folded_end(void *report, FILE *to, const struct report_input *input)
{
	struct folded f = { .m = input->model, .nesting = input->nesting };
	uint32_t nr;
	uint32_t *slots = report_processes(input, &nr);

	(void)report;
	if (!tr2_intern_init(&f.stacks, 0, 0))
		die("out of memory");
	tr2_buf_init(&f.stack, SIZE_MAX / 2);
	for (uint32_t i = 0; i < nr && work_goes_on(input->work, i, nr); i++)
		add_process(&f, model_slot(f.m, slots[i]));
	write_lines(&f, to);
	tr2_buf_release(&f.stack);
	tr2_intern_release(&f.stacks);
	free(f.sums);
	free(slots);
}

const struct exporter_ops report_folded = { .end = folded_end };
