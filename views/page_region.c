/* SPDX-License-Identifier: MIT */
/*
 * One region: every occurrence that the journal still holds, of one process or of all, and how
 * their durations spread. Occurrences are not in the model: they are read from the journal's
 * batches, a few batches a frame, so that a long history does not hold the screen up.
 */
#include "config.h"

#include "views/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/die.h"

enum { COL_START, COL_DURATION, COL_THREAD, COL_PID, COL_PROCESS, COL_MESSAGE };

static const struct column columns[] = {
	[COL_START] = { "START", 12, 0, 1, false, false, false },
	[COL_DURATION] = { "DURATION", 8, 0, 0, true, false, true },
	[COL_THREAD] = { "THREAD", 10, 1, 3, false, true, false },
	[COL_PID] = { "PID", 7, 0, 4, true, true, false },
	[COL_PROCESS] = { "PROCESS", 10, 1, 2, false, true, false },
	[COL_MESSAGE] = { "MESSAGE", 10, 2, 0, false, true, false },
};

#define MAX_OCCURRENCES 100000u
#define BATCHES_A_FRAME 64
#define MAX_MESSAGE_BYTES 200u
#define BAR_ROWS 6
#define MAX_PENDING 256u

struct occurrence {
	ns_t start, duration; /* NS_NONE where unknown */
	struct handle process;
	sym_t thread;
	char *message; /* NULL: none */
	uint32_t message_len;
};

/* The message of an enter that waits for its leave. */
struct pending {
	uint64_t key; /* process and thread; 0: free */
	char *message;
	uint32_t len;
	ns_t time;
};

struct finder {
	struct occurrence *items;
	uint32_t nr, cap;
	uint64_t next_seq;
	bool begun, full;
	struct pending pending[MAX_PENDING];
	uint64_t *sums; /* histogram of what was found */
	ns_t total, min, max;
};

static char *copy_text(const struct batch *batch, const struct event *ev, uint32_t *len)
{
	size_t bytes;
	const char *text;
	char *copy;

	if (!event_has(ev, TR2_F_MSG))
		return NULL;
	text = batch_text(batch, ev->v[TR2_F_MSG], &bytes);
	*len = bytes < MAX_MESSAGE_BYTES ? (uint32_t)bytes : MAX_MESSAGE_BYTES;
	copy = xmalloc(*len + 1u);
	memcpy(copy, text, *len);
	return copy;
}

static struct pending *pending_of(struct finder *finder, uint64_t key)
{
	return &finder->pending[key % MAX_PENDING];
}

static void note_enter(struct finder *finder, const struct batch *batch,
		       const struct event *ev, uint64_t key)
{
	struct pending *pending = pending_of(finder, key);

	free(pending->message);
	*pending = (struct pending){ .key = key, .time = event_get(ev, TR2_F_TIME, NS_NONE) };
	pending->message = copy_text(batch, ev, &pending->len);
}

static ns_t leave_duration(const struct event *ev, const struct pending *pending, uint64_t key)
{
	ns_t time = event_get(ev, TR2_F_TIME, NS_NONE);
	ns_t duration = event_get(ev, TR2_F_T_REL, NS_NONE);

	if (duration == NS_NONE && pending->key == key && pending->time != NS_NONE &&
	    time != NS_NONE)
		duration = time - pending->time;
	return duration == NS_NONE ? NS_NONE : duration < 0 ? 0 : duration;
}

static void note_leave(struct finder *finder, const struct batch *batch,
		       const struct event *ev, uint64_t key, struct handle process)
{
	struct pending *pending = pending_of(finder, key);
	struct occurrence item = { .process = process, .thread = event_sym(ev, TR2_F_THREAD) };
	ns_t time = event_get(ev, TR2_F_TIME, NS_NONE);

	if (finder->nr == MAX_OCCURRENCES) {
		finder->full = true;
		return;
	}
	item.duration = leave_duration(ev, pending, key);
	item.start = time == NS_NONE || item.duration == NS_NONE ? time : time - item.duration;
	item.message = copy_text(batch, ev, &item.message_len);
	if (!item.message && pending->key == key) {
		item.message = pending->message;
		item.message_len = pending->len;
		pending->message = NULL;
	}
	if (finder->nr == finder->cap) {
		finder->cap = finder->cap ? finder->cap * 2 : 64;
		finder->items = xreallocarray(finder->items, finder->cap, sizeof(*finder->items));
	}
	finder->items[finder->nr++] = item;
	if (item.duration == NS_NONE)
		return;
	finder->sums[hist_bucket(item.duration)]++;
	finder->total += item.duration;
	finder->min = item.duration < finder->min ? item.duration : finder->min;
	finder->max = item.duration > finder->max ? item.duration : finder->max;
}

static bool wanted(const struct view_ctx *ctx, const struct event *ev)
{
	const struct subject *subject = &ctx->view->subject;

	return (ev->kind == TR2_E_REGION_ENTER || ev->kind == TR2_E_REGION_LEAVE) &&
	       event_sym(ev, TR2_F_CATEGORY) == subject->category &&
	       event_sym(ev, TR2_F_LABEL) == subject->label &&
	       (ctx->limits.nesting < 0 ||
		event_get(ev, TR2_F_NESTING, 0) <= ctx->limits.nesting);
}

static void read_batch(struct view_ctx *ctx, struct finder *finder, const struct batch *batch)
{
	struct batch_cursor cursor = batch_begin(batch);
	struct handle only = ctx->view->subject.process;
	struct event ev;

	while (batch_next(&cursor, &ev)) {
		struct handle process = HANDLE_NONE;
		size_t len;
		const char *sid;
		uint32_t slot;

		if (!wanted(ctx, &ev) || !event_has(&ev, TR2_F_SID))
			continue;
		sid = batch_sid_text(batch, (uint32_t)ev.v[TR2_F_SID], &len);
		slot = model_find_sid(ctx->model, sid, len);
		if (slot != SLOT_NONE)
			process = model_handle(ctx->model, slot);
		if (only.slot != SLOT_NONE && !handle_equal(process, only))
			continue;
		uint64_t key = tr2_hash_pair(tr2_hash(sid, len),
					     event_sym(&ev, TR2_F_THREAD)) | 1;

		if (ev.kind == TR2_E_REGION_ENTER)
			note_enter(finder, batch, &ev, key);
		else
			note_leave(finder, batch, &ev, key, process);
	}
}

static void forget(struct finder *finder)
{
	for (uint32_t i = 0; i < finder->nr; i++)
		free(finder->items[i].message);
	for (uint32_t i = 0; i < MAX_PENDING; i++)
		free(finder->pending[i].message);
	free(finder->items);
	free(finder->sums);
	memset(finder, 0, sizeof(*finder));
}

static void read_on(struct view_ctx *ctx, struct finder *finder)
{
	struct journal *journal = ctx->in->journal;

	if (!finder->begun) {
		finder->begun = true;
		finder->sums = xcalloc(HIST_BUCKETS, sizeof(*finder->sums));
		finder->min = INT64_MAX;
		finder->next_seq = journal ? journal_first_seq(journal) : 0;
	}
	if (!journal)
		return;
	if (finder->next_seq < journal_first_seq(journal))
		finder->next_seq = journal_first_seq(journal);
	for (int i = 0; i < BATCHES_A_FRAME; i++) {
		const struct batch *batch = journal_at(journal, finder->next_seq);

		if (!batch)
			break;
		read_batch(ctx, finder, batch);
		finder->next_seq++;
	}
	if (finder->next_seq < journal_end_seq(journal))
		ctx->view->ticks = true; /* more to read */
}

static void gather(struct view_ctx *ctx, struct table *table)
{
	struct finder *finder = ctx->view->private;

	read_on(ctx, finder);
	for (uint32_t i = 0; i < finder->nr; i++) {
		const struct occurrence *item = &finder->items[i];
		struct row *row = table_add(table, (uint64_t)i + 1);

		row->ref = i;
		row->key = table->sort == COL_DURATION ? longest_first(item->duration)
			   : table->sort == COL_START  ? item->start
						       : -(int64_t)i; /* the newest first */
		table->newest = row->id;
	}
}

static void draw(struct view_ctx *ctx, const struct row *row, int column,
		 const struct slot *slot)
{
	const struct finder *finder = ctx->view->private;
	const struct occurrence *item = &finder->items[row->ref];
	const struct process *process = model_process(ctx->model, item->process);
	struct tr2_buf *line = say_line();

	switch (column) {
	case COL_START:
		say_time(item->start, true, line);
		break;
	case COL_DURATION:
		slot_duration(slot, duration_style(item->duration), item->duration);
		return;
	case COL_THREAD:
		say_sym(ctx->model, item->thread, line);
		break;
	case COL_PID:
		if (process && process->pid != NUM_NONE)
			tr2_buf_addf(line, "%" PRId64, process->pid);
		break;
	case COL_PROCESS:
		if (process)
			say_process(ctx->model, process, line);
		break;
	default:
		if (item->message)
			tr2_buf_add(line, item->message, item->message_len);
	}
	slot_text(slot, STYLE_TEXT, tr2_buf_cstr(line), line->len);
}

static void title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct finder *finder = ctx->view->private;

	tr2_buf_addstr(out, " · ");
	say_region(ctx->model, ctx->view->subject.category, ctx->view->subject.label, out);
	if (ctx->process) {
		tr2_buf_addstr(out, " · ");
		say_process(ctx->model, ctx->process, out);
	} else if (ctx->view->subject.process.slot == SLOT_NONE) {
		tr2_buf_addstr(out, " · all processes");
	}
	if (finder->full)
		tr2_buf_addf(out, " · the first %u", MAX_OCCURRENCES);
}

static int foot_rows(const struct view_ctx *ctx, int rows)
{
	const struct finder *finder = ctx->view->private;

	return !finder->nr || rows < 5 ? 0 : rows >= 16 ? BAR_ROWS + 2 : 1;
}

static void draw_totals(const struct finder *finder, struct surface *surface, int x, int y,
			int cols)
{
	struct tr2_buf *line = say_line();
	static const struct {
		const char *name;
		double q;
	} points[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 } };
	bool any = finder->max >= finder->min;

	say_count(finder->nr, line);
	tr2_buf_addstr(line, " times · total ");
	say_duration(finder->total, line);
	if (any) {
		tr2_buf_addstr(line, " · min ");
		say_duration(finder->min, line);
		tr2_buf_addstr(line, " · mean ");
		say_duration(finder->total / finder->nr, line);
	}
	for (int i = 0; any && i < 3; i++) {
		tr2_buf_addf(line, " · %s ", points[i].name);
		say_duration(hist_quantile(finder->sums, points[i].q, finder->min, finder->max),
			     line);
	}
	if (any) {
		tr2_buf_addstr(line, " · max ");
		say_duration(finder->max, line);
	}
	surface_text(surface, x, y, cols, STYLE_TITLE, tr2_buf_cstr(line), line->len);
}

/* Steps of a quarter decade would be odd to read: octaves, a bar each, as many as there are. */
static void draw_bars(const struct finder *finder, struct surface *surface, struct rect area)
{
	uint64_t octaves[64] = { 0 }, most = 1;
	int first = 63, last = 0, step;

	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		int octave = 0;

		if (!finder->sums[i])
			continue;
		for (ns_t ns = hist_bucket_ns(i); ns > 1; ns >>= 1)
			octave++;
		octaves[octave] += finder->sums[i];
		first = octave < first ? octave : first;
		last = octave > last ? octave : last;
	}
	step = (last - first) / area.rows + 1;
	for (int y = 0; y < area.rows; y++)
		for (int pass = 0, at = first + y * step; pass < step; pass++, at++)
			if (pass && at < 64 && first + y * step < 64) {
				octaves[first + y * step] += octaves[at];
				octaves[at] = 0;
			}
	for (int i = 0; i < 64; i++)
		most = octaves[i] > most ? octaves[i] : most;
	for (int y = 0, at = first; y < area.rows && at <= last; y++, at += step) {
		struct slot slot = { surface, area.x, area.y + y, 9, true, 0 };

		slot_duration(&slot, STYLE_DIM, 1ll << at);
		slot.x += 10;
		slot.cols = 6;
		slot_count(&slot, STYLE_TEXT, octaves[at]);
		surface_bar(surface, area.x + 18, area.y + y, area.cols - 20, STYLE_BAR,
			    octaves[at] ? 1 + (int64_t)((double)octaves[at] / (double)most *
							(area.cols - 20) * 8.0)
					: 0);
	}
}

static void foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct finder *finder = ctx->view->private;

	draw_totals(finder, surface, area.x + 1, area.y, area.cols - 2);
	if (area.rows > 2)
		draw_bars(finder, surface,
			  (struct rect){ area.x + 1, area.y + 1, area.cols - 2, area.rows - 2 });
}

static const char *empty(const struct view_ctx *ctx)
{
	return ctx->in->journal ? "no occurrence of it has ended within the history that is kept"
				: "no history is kept: occurrences are read from it";
}

static enum view_id drill(const struct view_ctx *ctx, const struct row *row,
			  struct subject *subject)
{
	const struct finder *finder = ctx->view->private;

	if (!model_process(ctx->model, finder->items[row->ref].process))
		return NR_VIEWS;
	subject->process = finder->items[row->ref].process;
	return VIEW_PROCESS;
}

static bool value(const struct view_ctx *ctx, const struct row *row, enum filter_field field,
		  filter_visit *visit, void *data)
{
	const struct finder *finder = ctx->view->private;
	const struct occurrence *item = &finder->items[row->ref];
	const struct process *process = model_process(ctx->model, item->process);

	switch (field) {
	case FILTER_THREAD:
		return give_sym(ctx->model, item->thread, visit, data);
	case FILTER_ELAPSED:
		return filter_give_number(visit, data, item->duration);
	case FILTER_START:
		return filter_give_number(visit, data, item->start);
	case FILTER_MESSAGE:
		return item->message &&
		       filter_give_text(visit, data, item->message, item->message_len);
	default:
		return process && filter_process_value(ctx->model, process, field, visit, data);
	}
}

/* What is drawn, without the drawing: there may be many thousands of them. */
static void text(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out)
{
	const struct finder *finder = ctx->view->private;
	const struct occurrence *item = &finder->items[row->ref];
	const struct process *process = model_process(ctx->model, item->process);

	say_time(item->start, true, out);
	tr2_buf_addch(out, ' ');
	say_duration(item->duration, out);
	tr2_buf_addch(out, ' ');
	say_sym(ctx->model, item->thread, out);
	tr2_buf_addch(out, ' ');
	if (process && process->pid != NUM_NONE)
		tr2_buf_addf(out, "%" PRId64 " ", process->pid);
	if (process)
		say_process(ctx->model, process, out);
	tr2_buf_addch(out, ' ');
	if (item->message)
		tr2_buf_add(out, item->message, item->message_len);
}

static void release(void *private)
{
	forget(private);
}

const struct view_ops page_region = {
	.name = "Region",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.private_bytes = sizeof(struct finder),
	.title = title,
	.gather = gather,
	.draw = draw,
	.foot_rows = foot_rows,
	.foot = foot,
	.empty = empty,
	.filter_rows = FILTER_ROWS_OCCURRENCE,
	.value = value,
	.text = text,
	.drill = drill,
	.release = release,
};
