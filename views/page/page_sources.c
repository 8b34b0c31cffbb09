/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>

#include "views/ui/view.h"
#include "views/ui/view_text.h"

#include "monitor/base/humanize.h"

static void sources_gather(struct view_ctx *ctx, struct table *table)
{
	for (int i = 0; i < ctx->in->nr_sources; i++) {
		struct row *row = table_add(table, (uint64_t)i + 1);

		row->ref = (uint32_t)i;
		row->key = i;
	}
}

static void sources_count(const struct slot *slot, uint64_t value, enum figure figure)
{
	enum style style = figure == FIGURE_TROUBLE ? STYLE_ALERT : STYLE_TEXT;

	if (figure == FIGURE_BYTES)
		slot_text(slot, STYLE_TEXT, human_bytes(value).text, SIZE_MAX);
	else
		slot_count(slot, value ? style : STYLE_DIM, value);
}

static const struct source_stats *source_of(const struct view_ctx *ctx, const struct row *row)
{
	return &ctx->in->sources[row->ref];
}

static void draw_words(const struct slot *slot, enum style style, const char *words)
{
	slot_text(slot, style, words ? words : "-", SIZE_MAX);
}

static void draw_spec(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	draw_words(slot, STYLE_TEXT, source_of(ctx, row)->spec);
}

static void draw_kind(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	draw_words(slot, STYLE_TEXT, source_of(ctx, row)->kind);
}

static void draw_format(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	draw_words(slot, STYLE_TEXT, source_of(ctx, row)->format);
}

static void sources_draw_state(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct source_stats *source = source_of(ctx, row);

	draw_words(slot, source_stats_is_failed(source) ? STYLE_ALERT : STYLE_TEXT,
		   source_stats_word(source));
}

static void draw_streams(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct source_stats *source = source_of(ctx, row);
	struct tr2_buf *line = format_line();

	format_count(source->nr_open, line);
	tr2_buf_addch(line, '/');
	format_count(source->nr_streams, line);
	slot_text(slot, STYLE_TEXT, tr2_buf_cstr(line), line->len);
}

#define COUNTED(member, HEADING, CELLS, RANK, FIGURE)                                              \
	static void draw_##member(struct view_ctx *ctx, const struct row *row,                     \
				  const struct slot *slot)                                         \
	{                                                                                          \
		sources_count(slot, source_of(ctx, row)->member, FIGURE_##FIGURE);                 \
	}
#include "monitor/event/source_counters.def"

static const struct column columns[] = {
	{ .title = "SOURCE", .min_cells = 14, .grow = 2, .no_sort = true, .draw = draw_spec },
	{ .title = "KIND", .min_cells = 9, .rank = 4, .no_sort = true, .draw = draw_kind },
	{ .title = "FORMAT", .min_cells = 6, .rank = 9, .no_sort = true, .draw = draw_format },
	{ .title = "STATE",
	  .min_cells = 12,
	  .grow = 1,
	  .no_sort = true,
	  .draw = sources_draw_state },
	{ .title = "STREAMS",
	  .min_cells = 9,
	  .rank = 5,
	  .right = true,
	  .no_sort = true,
	  .draw = draw_streams },
#define COUNTED(member, HEADING, CELLS, RANK, FIGURE)                                              \
	{ .title = HEADING,                                                                        \
	  .min_cells = CELLS,                                                                      \
	  .rank = RANK,                                                                            \
	  .right = true,                                                                           \
	  .no_sort = true,                                                                         \
	  .draw = draw_##member },
#include "monitor/event/source_counters.def"
};

static const struct source_stats *selected(const struct view_ctx *ctx)
{
	const struct row *row = table_selected(&ctx->view->table);

	return row && (int)row->ref < ctx->in->nr_sources ? &ctx->in->sources[row->ref] : NULL;
}

static int sources_foot_rows(const struct view_ctx *ctx, int rows)
{
	const struct source_stats *source = selected(ctx);
	int wanted = 5 + ctx->in->nr_tees + (source ? (int)source->nr_bad : 0);

	return wanted < rows / 2 ? wanted : rows / 2;
}

static void sources_format_part(struct tr2_buf *line, const char *what, uint64_t sources_count)
{
	if (!sources_count)
		return;
	tr2_buf_addf(line, "%s%s ", line->len ? ", " : "", what);
	format_count(sources_count, line);
}

static void format_part_of(struct tr2_buf *line, const char *what, uint64_t sources_count,
			   uint64_t bytes)
{
	sources_format_part(line, what, sources_count);
	if (sources_count)
		tr2_buf_addf(line, " of %s", human_bytes(bytes).text);
}

static void format_source(const struct source_stats *source, struct tr2_buf *line)
{
#define COUNTED_SOME(member, WORDS)    sources_format_part(line, WORDS, source->member);
#define NOTED(member, WORDS)           sources_format_part(line, WORDS, source->member);
#define NOTED_OF(member, bytes, WORDS) format_part_of(line, WORDS, source->member, source->bytes);
#include "monitor/event/source_counters.def"
	if (source->discard)
		tr2_buf_addf(
			line,
			"%sgit-trace2-discard exists: Git discards traces; remove it to continue",
			line->len ? ", " : "");
	if (*source->hint)
		tr2_buf_addf(line, "%s%s", line->len ? ", " : "", source->hint);
	if (source->lag_ns) {
		tr2_buf_addf(line, "%slags its server by ", line->len ? ", " : "");
		format_duration(source->lag_ns, line);
	}
	if (*source->agents)
		tr2_buf_addf(line, "%s%s", line->len ? ", " : "", source->agents);
	if (!line->len)
		tr2_buf_addstr(line, "nothing is unread");
}

static void format_bounds(const struct ui_input *in, struct tr2_buf *line)
{
	const struct model_dropped *d = model_dropped(in->model);

	sources_format_part(line, "finished processes", d->finished);
	sources_format_part(line, "silent processes", d->silent);
	sources_format_part(line, "of these to limit memory (--history)", d->for_memory);
	sources_format_part(line, "late events", d->late_events);
	sources_format_part(line, "list items", d->list_items);
	sources_format_part(line, "regions under (other)", d->timing_other);
	sources_format_part(line, "event names under (other)", d->names_other);
	sources_format_part(line, "durations of regions not kept", d->samples);
	sources_format_part(line, "texts under (other)", in->intern ? in->intern->nr_refused : 0);
	sources_format_part(line, "events dropped unread", in->journal_stats.dropped_events);
	sources_format_part(line, "events out of the history", in->journal_stats.evicted_events);
	sources_format_part(line, "events lost by agents or their servers", d->remote_events);
	sources_format_part(line, "gaps", d->gaps);
	if (d->gaps) {
		tr2_buf_addstr(line, " of ");
		format_duration(d->gap_ns, line);
	}
	if (!line->len)
		tr2_buf_addstr(line, "nothing");
}

static void format_tee(const struct ui_tee *tee, struct tr2_buf *line)
{
	tr2_buf_addf(line, "%s: ", tee->spec);
	format_count(tee->passed, line);
	tr2_buf_addstr(line, tee->spans ? " spans sent, " : " lines forwarded, ");
	format_count(tee->lost, line);
	tr2_buf_addstr(line, tee->spans ? " refused or dropped" : " lost");
	tr2_buf_addf(line, "%s%s", *tee->error ? ": " : "", tee->error);
}

static void format_bad(const struct bad_sample *bad, struct tr2_buf *line)
{
	tr2_buf_addf(line, "#%" PRIu64 ", %" PRIu32 " bytes, byte %zu: %s: ", bad->number,
		     bad->record_len, bad->offset, bad->why);
	tr2_buf_add(line, bad->bytes, bad->len);
}

static void foot_line(struct surface *surface, struct rect *area, const char *word,
		      enum style style, const struct tr2_buf *line)
{
	if (area->rows <= 0)
		return;
	surface_text(surface, area->x + 1, area->y, 10, STYLE_DIM, word, SIZE_MAX);
	surface_text(surface, area->x + 12, area->y, area->cols - 13, style, line->data, line->len);
	area->y++;
	area->rows--;
}

static void sources_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct source_stats *source = selected(ctx);
	struct tr2_buf *line = format_line();

	format_bounds(ctx->in, line);
	foot_line(surface, &area, "left out", STYLE_TEXT, line);
	for (int i = 0; i < ctx->in->nr_tees; i++) {
		const struct ui_tee *tee = &ctx->in->tees[i];

		line = format_line();
		format_tee(tee, line);
		foot_line(surface, &area, tee->spans ? "otlp" : "tee",
			  tee->lost || *tee->error ? STYLE_ALERT : STYLE_TEXT, line);
	}
	if (!source)
		return;
	line = format_line();
	tr2_buf_addstr(line, source->spec);
	foot_line(surface, &area, "source", STYLE_TEXT, line);
	line = format_line();
	format_source(source, line);
	foot_line(surface, &area, "reading", source->discard ? STYLE_ALERT : STYLE_TEXT, line);
	line = format_line();
	tr2_buf_addstr(line, source_stats_word(source));
	foot_line(surface, &area, "state",
		  source_stats_is_failed(source) ? STYLE_ALERT : STYLE_TEXT, line);
	for (uint32_t i = 0; i < source->nr_bad; i++) {
		line = format_line();
		format_bad(&source->bad[i], line);
		foot_line(surface, &area, i ? "" : "malformed", STYLE_ALERT, line);
	}
}

static const char *sources_empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "no sources";
}

const struct view_ops page_sources = {
	.name = "Sources",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.arranged = true,
	.of_input = true,
	.gather = sources_gather,
	.foot_rows = sources_foot_rows,
	.foot = sources_foot,
	.empty = sources_empty,
};
