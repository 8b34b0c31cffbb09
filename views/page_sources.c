/* SPDX-License-Identifier: MIT */
/* The sources: what each has brought, and what was wrong with it. */
#include "config.h"

#include "views/view.h"

#include "monitor/humanize.h"

enum { COL_SPEC, COL_KIND, COL_FORMAT, COL_STATE, COL_STREAMS, COL_BYTES, COL_RECORDS, COL_EVENTS,
       COL_MALFORMED, COL_UNKNOWN, COL_OVERSIZED, COL_FOREIGN };

static const struct column columns[] = {
	[COL_SPEC] = { "SOURCE", 14, 2, 0, false, true, false },
	[COL_KIND] = { "KIND", 9, 0, 4, false, true, false },
	[COL_FORMAT] = { "FORMAT", 6, 0, 9, false, true, false },
	[COL_STATE] = { "STATE", 12, 1, 0, false, true, false },
	[COL_STREAMS] = { "STREAMS", 9, 0, 5, true, true, false },
	[COL_BYTES] = { "BYTES", 6, 0, 6, true, true, false },
	[COL_RECORDS] = { "RECORDS", 7, 0, 8, true, true, false },
	[COL_EVENTS] = { "EVENTS", 6, 0, 0, true, true, false },
	[COL_MALFORMED] = { "BAD", 5, 0, 1, true, true, false },
	[COL_UNKNOWN] = { "UNKNOWN", 7, 0, 7, true, true, false },
	[COL_OVERSIZED] = { "TOO BIG", 7, 0, 3, true, true, false },
	[COL_FOREIGN] = { "FOREIGN", 7, 0, 2, true, true, false },
};

static void gather(struct view_ctx *ctx, struct table *table)
{
	for (int i = 0; i < ctx->in->nr_sources; i++) {
		struct row *row = table_add(table, (uint64_t)i + 1);

		row->ref = (uint32_t)i;
		row->key = i;
	}
}

static void count(const struct slot *slot, uint64_t value, bool trouble)
{
	slot_count(slot, !value ? STYLE_DIM : trouble ? STYLE_ALERT : STYLE_TEXT, value);
}

static void draw(struct view_ctx *ctx, const struct row *row, int column,
		 const struct slot *slot)
{
	const struct ui_source *source = &ctx->in->sources[row->ref];
	const char *const texts[] = { source->spec, source->kind, source->format, source->state };
	const uint64_t counts[] = { source->records,   source->events,	source->malformed,
				    source->unknown,   source->oversized, source->foreign };
	struct tr2_buf *line;

	switch (column) {
	case COL_SPEC:
	case COL_KIND:
	case COL_FORMAT:
	case COL_STATE:
		slot_text(slot, column == COL_STATE && source->failed ? STYLE_ALERT : STYLE_TEXT,
			  texts[column] ? texts[column] : "-", SIZE_MAX);
		break;
	case COL_STREAMS:
		line = say_line();
		say_count(source->open_streams, line);
		tr2_buf_addch(line, '/');
		say_count(source->streams, line);
		slot_text(slot, STYLE_TEXT, tr2_buf_cstr(line), line->len);
		break;
	case COL_BYTES:
		slot_text(slot, STYLE_TEXT, human_bytes(source->bytes).text, SIZE_MAX);
		break;
	default:
		count(slot, counts[column - COL_RECORDS], column >= COL_MALFORMED);
	}
}

static const char *empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "there is no source";
}

const struct view_ops page_sources = {
	.name = "Sources",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.gather = gather,
	.draw = draw,
	.empty = empty,
};
