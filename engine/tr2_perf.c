/* SPDX-License-Identifier: MIT */
/* The perf target: one line per event, in columns whose widths are in bytes. */
#include "config.h"
#include "engine/tr2_target.h"

#include "engine/tr2_state.h"

#define FILE_WIDTH 28
/* number of bytes of the end of a too long file name and line number that are shown after "..." */
#define FILE_TAIL      25
#define EVENT_WIDTH    12
#define REPO_WIDTH     3
#define TIME_WIDTH     9
#define CATEGORY_WIDTH 12

static void perf_add_bar(struct tr2_line *out)
{
	TR2_LINE_LIT(out, " | ");
}

static void perf_add_padded(struct tr2_line *out, const char *text, size_t len, size_t width)
{
	tr2_line_add(out, text, len);
	if (len < width)
		tr2_line_fill(out, ' ', width - len);
}

static void perf_add_place(struct tr2_line *out, const struct tr2_record *rec)
{
	size_t from = out->len, len;

	if (rec->file && *rec->file) {
		tr2_line_str(out, rec->file);
		tr2_line_ch(out, ':');
		tr2_line_int(out, rec->line);
	}
	len = out->len - from;
	if (len > FILE_WIDTH) {
		memmove(out->data + from + 3, out->data + out->len - FILE_TAIL, FILE_TAIL);
		memcpy(out->data + from, "...", 3);
		out->len = from + FILE_WIDTH;
	} else {
		tr2_line_fill(out, ' ', FILE_WIDTH - len);
	}
	perf_add_bar(out);
}

static void perf_add_time(struct tr2_line *out, bool there, int64_t us)
{
	if (there)
		tr2_line_seconds(out, us, TIME_WIDTH);
	else
		tr2_line_fill(out, ' ', TIME_WIDTH);
	perf_add_bar(out);
}

static void perf_add_repo(struct tr2_line *out, const struct tr2_record *rec)
{
	size_t from = out->len;

	if (tr2_record_has(rec, TR2_F_REPO)) {
		tr2_line_ch(out, 'r');
		tr2_line_int(out, rec->v[TR2_F_REPO].num);
		tr2_line_ch(out, ' ');
	}
	if (out->len - from < REPO_WIDTH)
		tr2_line_fill(out, ' ', REPO_WIDTH - (out->len - from));
	perf_add_bar(out);
}

static void perf_add_category(struct tr2_line *out, const struct tr2_record *rec, unsigned field)
{
	size_t from = out->len;

	if (field < TR2_NR_FIELDS && tr2_record_has(rec, field)) {
		if (field == TR2_F_SCOPE)
			TR2_LINE_LIT(out, "scope:");
		tr2_line_str(out, rec->v[field].text);
	}
	if (out->len - from > CATEGORY_WIDTH)
		out->len = from + CATEGORY_WIDTH;
	else
		tr2_line_fill(out, ' ', CATEGORY_WIDTH - (out->len - from));
	perf_add_bar(out);
}

static void perf_format(struct tr2_line *out, const struct tr2_record *rec, struct tr2_thread *self,
			bool brief)
{
	const struct tr2_event_desc *row = &tr2_events[rec->kind];

	if (!brief) {
		tr2_clock_local_at(&self->clock, rec->wall / NS_PER_SEC);
		tr2_line_add(out, self->clock.local, 8);
		tr2_line_ch(out, '.');
		tr2_line_micros(out, (unsigned)(rec->wall % NS_PER_SEC / NS_PER_US));
		tr2_line_ch(out, ' ');
		perf_add_place(out, rec);
	}
	tr2_line_ch(out, 'd');
	tr2_line_int(out, tr2_state.depth);
	perf_add_bar(out);
	perf_add_padded(out, self->name, strlen(self->name), TR2_THREAD_NAME_MAX);
	perf_add_bar(out);
	perf_add_padded(out, row->wire, strlen(row->wire), EVENT_WIDTH);
	perf_add_bar(out);
	perf_add_repo(out, rec);
	perf_add_time(out, row->times >= TR2_TIMES_ABS, rec->abs_us);
	perf_add_time(out, row->times == TR2_TIMES_ABS_REL, rec->rel_us);
	perf_add_category(out, rec, row->category);
	if (self->nr_open > 1)
		tr2_line_fill(out, '.', 2 * (size_t)(self->nr_open - 1));
	tr2_pieces_format(out, rec, row->perf, false);
}

const struct tr2_target_ops tr2_perf_ops = {
	.name = "perf",
	.setting = TR2_S_PERF,
	.brief = TR2_S_PERF_BRIEF,
	.format = perf_format,
	.own_file = "trace2/tr2_tgt_perf.c",
	.own_line = { .signal = 207, .atexit = 219, .timer = 580, .counter = 596 },
};
