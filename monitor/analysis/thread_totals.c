/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/thread_totals.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/formats.h"
#include "monitor/analysis/live.h"
#include "monitor/analysis/format_text.h"
#include "monitor/base/grow.h"

static const char *const words[] = {
	[THREAD_TOTALS_RUNNING] = "running",
	[THREAD_TOTALS_WAITING] = "waiting",
	[THREAD_TOTALS_RUNNABLE] = "runnable",
	[THREAD_TOTALS_SYSCALL] = "system calls",
};

/* labels of one kind that each have a smaller percentage of the total time are merged */
#define OWN_ROW_PERCENT 10

enum known { KNOWN_WAITING, KNOWN_RUNNABLE, KNOWN_SYSCALL, KNOWN_PROC, KNOWN_LIFE, NR_KNOWN };

static const char *const known_words[NR_KNOWN] = {
	[KNOWN_WAITING] = "waiting",
	[KNOWN_RUNNABLE] = "runnable",
	[KNOWN_SYSCALL] = "syscall",
	[KNOWN_PROC] = "proc",
};

struct thread_totals_walk {
	struct thread_totals *together;
	const struct analysis *what;
	const struct process *process;
	const char *life;
	sym_t known[NR_KNOWN]; /* symbol of each known category; SYM_NONE: it did not occur yet */
	sym_t other;           /* the last category that is not a known one, as a cache */
};

static enum known known_of(struct thread_totals_walk *walk, sym_t category)
{
	const char *text;
	size_t len;

	for (unsigned i = 0; i < NR_KNOWN; i++)
		if (walk->known[i] == category)
			return (enum known)i;
	if (category == walk->other || category == SYM_NONE)
		return NR_KNOWN;
	text = model_sym(walk->what->model, category, &len);
	for (unsigned i = 0; i < NR_KNOWN; i++) {
		const char *word = i == KNOWN_LIFE ? walk->life : known_words[i];

		if (walk->known[i] == SYM_NONE && strlen(word) == len && !memcmp(word, text, len)) {
			walk->known[i] = category;
			return (enum known)i;
		}
	}
	walk->other = category;
	return NR_KNOWN;
}

static void together_add_part(struct thread_totals *t, enum together_kind kind, sym_t category,
			      sym_t label, uint64_t count, ns_t time)
{
	struct thread_totals_part *part = NULL;

	for (uint32_t i = 0; i < t->nr && !part; i++)
		if (t->parts[i].kind == kind && t->parts[i].label == label)
			part = &t->parts[i];
	if (!part) {
		GROW(t->parts, t->nr, t->cap, 32);
		part = &t->parts[t->nr++];
		*part = (struct thread_totals_part){ .kind = (uint8_t)kind,
						     .category = category,
						     .label = label };
	}
	part->count += count;
	part->time = ns_add(part->time, time > 0 ? time : 0);
}

/* `total` includes inner regions, `self` does not. */
static void together_add_regions(struct thread_totals_walk *walk, sym_t category, sym_t label,
				 uint64_t count, ns_t total, ns_t self)
{
	struct thread_totals *t = walk->together;

	switch (known_of(walk, category)) {
	case KNOWN_WAITING:
		together_add_part(t, THREAD_TOTALS_WAITING, category, label, count, total);
		break;
	case KNOWN_RUNNABLE:
		together_add_part(t, THREAD_TOTALS_RUNNABLE, category, label, count, total);
		break;
	case KNOWN_SYSCALL:
		together_add_part(t, THREAD_TOTALS_SYSCALL, category, SYM_NONE, count, total);
		break;
	case KNOWN_PROC:
		t->procs_time = ns_add(t->procs_time, total > 0 ? total : 0);
		break;
	case KNOWN_LIFE:
		t->nr_lanes += count;
		together_add_part(t, THREAD_TOTALS_RUNNING, SYM_NONE, SYM_NONE, 0, self);
		break;
	default:
		together_add_part(t, THREAD_TOTALS_RUNNING, SYM_NONE, SYM_NONE, 0, self);
	}
}

static void together_add_open_region(struct thread_totals_walk *walk, const struct thread *thread)
{
	const struct model *m = walk->what->model;
	ns_t inner = 0;

	for (uint32_t i = thread->open.nr; i-- > 0;) {
		const struct open_region *open = thread_open(m, thread, i);
		ns_t time = region_time(walk->process, open, walk->what->now), self;

		time = time > 0 ? time : 0;
		self = ns_sub(time, ns_add(inner, open->inner_ns > 0 ? open->inner_ns : 0));
		together_add_regions(walk, open->category, open->label, 1, time, self);
		inner = time;
	}
}

/* True if `what` is the category of the thread's outermost open region, or else of the first region
 * of its tree. NR_KNOWN: an unknown category, or no region. */
static bool lane_is_of_kind(struct thread_totals_walk *walk, const struct thread *thread,
			    enum known what)
{
	const struct model *m = walk->what->model;

	if (thread->open.nr)
		return known_of(walk, thread_open(m, thread, 0)->category) == what;
	if (!thread->nodes)
		return what == NR_KNOWN;
	return known_of(walk, model_cell(m, model_node(m, thread->nodes)->cell)->category) == what;
}

static void together_add_thread(struct thread_totals_walk *walk, const struct thread *thread)
{
	const struct model *m = walk->what->model;
	uint32_t level = 0;
	bool is_proc = lane_is_of_kind(walk, thread, KNOWN_PROC);

	/*
	 * Skip threads of the runtime, such as garbage collection. The thread of a goroutine may
	 * lack the start of its life, if it was evicted and created again.
	 */
	if (is_proc)
		walk->together->nr_procs++;
	else if (lane_is_of_kind(walk, thread, NR_KNOWN))
		return;
	else if (!lane_is_of_kind(walk, thread, KNOWN_LIFE))
		walk->together->nr_lanes++;
	for (uint32_t ref = thread->nodes; ref; ref = model_node_next(m, ref, &level)) {
		const struct region_node *node = model_node(m, ref);
		const struct timing_cell *cell = model_cell(m, node->cell);

		if (node->count)
			together_add_regions(walk, cell->category, cell->label, node->count,
					     node->total, node->self);
	}
	together_add_open_region(walk, thread);
}

static int together_largest_first(const void *a, const void *b)
{
	const struct thread_totals_part *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->label > y->label) - (x->label < y->label);
}

/* Merge the small parts of a kind, under the label of the largest of them. */
static void merge_small(struct thread_totals *t)
{
	uint32_t nr = t->nr, others[THREAD_TOTALS_SYSCALL + 1];

	memset(others, 0xff, sizeof(others));
	t->nr = 0;
	for (uint32_t i = 0; i < nr; i++) {
		struct thread_totals_part part = t->parts[i];
		uint32_t *other = &others[part.kind];

		if (part.time >= t->time / 100 * OWN_ROW_PERCENT || *other == UINT32_MAX) {
			if (part.time < t->time / 100 * OWN_ROW_PERCENT)
				*other = t->nr;
			t->parts[t->nr++] = part;
			continue;
		}
		t->parts[*other].has_others = true;
		t->parts[*other].count += part.count;
		t->parts[*other].time = ns_add(t->parts[*other].time, part.time);
	}
}

bool thread_totals_make(struct thread_totals *t, const struct analysis *what, uint32_t slot)
{
	const struct process *p = model_slot(what->model, slot);
	const struct format *format = format_of(what->model, p);
	struct thread_totals_walk walk = {
		.together = t, .what = what, .process = p, .life = format->life
	};

	t->nr = t->nr_procs = 0;
	t->nr_lanes = 0;
	t->time = t->procs_time = t->procs_wall = 0;
	t->is_partial = process_threads_gone(what->model, p);
	if (!format->together)
		return false;
	for (unsigned i = 0; i < NR_KNOWN; i++)
		walk.known[i] = SYM_NONE;
	walk.other = SYM_NONE;
	for (uint32_t i = 0; i < p->threads.nr; i++) {
		const struct thread *thread = process_thread(what->model, p, i);

		/* the regions of an item that stands for many threads are not nested */
		if (!thread->is_crowd)
			together_add_thread(&walk, thread);
	}
	for (uint32_t i = 0; i < t->nr; i++)
		t->time = ns_add(t->time, t->parts[i].time);
	t->procs_wall = process_time(p, what->now);
	if (t->procs_wall == NS_NONE)
		t->procs_wall = 0;
	if (t->nr)
		qsort(t->parts, t->nr, sizeof(*t->parts), together_largest_first);
	merge_small(t);
	if (t->nr)
		qsort(t->parts, t->nr, sizeof(*t->parts), together_largest_first);
	return true;
}

void thread_totals_release(struct thread_totals *t)
{
	free(t->parts);
	*t = (struct thread_totals){ .parts = NULL };
}

void thread_totals_format(const struct model *model, const struct thread_totals_part *part,
			  struct tr2_buf *out)
{
	tr2_buf_addstr(out, words[part->kind]);
	if (part->label != SYM_NONE) {
		tr2_buf_addstr(out, " · ");
		format_symbol(model, part->label, out);
	}
	tr2_buf_addstr(out, part->has_others ? ", and others" : "");
}

void thread_totals_format_heading(const struct model *model, const struct process *process,
				  const struct thread_totals *t, struct tr2_buf *out)
{
	const struct format *format = format_of(model, process);

	tr2_buf_addf(out, "%s: ", format->together);
	format_count(t->nr_lanes, out);
	tr2_buf_addf(out, " %s%s, ", format->lanes, t->is_partial ? " listed" : "");
	format_duration(t->time, out);
}

void thread_totals_format_procs(const struct thread_totals *t, struct tr2_buf *out)
{
	tr2_buf_addf(out, "processors, %" PRIu32 " x ", t->nr_procs);
	format_duration(t->procs_wall, out);
}

bool thread_totals_line(const struct model *model, const struct process *process,
			const struct thread_totals *t, uint32_t nr, struct thread_totals_line *line)
{
	tr2_buf_clear(&line->text);
	line->is_part = nr && nr <= t->nr;
	if (!nr) {
		tr2_buf_addf(&line->text, "%s%s", format_of(model, process)->together,
			     t->is_partial ? ", those listed" : "");
		line->count = t->nr_lanes;
		line->time = t->time;
	} else if (line->is_part) {
		thread_totals_format(model, &t->parts[nr - 1], &line->text);
		line->count = t->parts[nr - 1].count;
		line->time = t->parts[nr - 1].time;
	} else if (nr == t->nr + 1 && t->nr_procs) {
		thread_totals_format_procs(t, &line->text);
		line->count = 0;
		line->time = t->procs_time;
	} else {
		return false;
	}
	return true;
}
