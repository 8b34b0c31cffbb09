/* SPDX-License-Identifier: MIT */
/*
 * Page of the output of the command that trace2top runs, newest lines last. Escape sequences are
 * removed; of a line with carriage returns before its end, the text after the last one is shown.
 */
#include "config.h"

#include "monitor/base/platform.h"
#include "views/ui/view.h"
#include "views/ui/view_text.h"

#include <string.h>

static const struct column columns[] = {
	{ .min_cells = 20, .grow = 1, .no_sort = true },
};

static void output_gather(struct view_ctx *ctx, struct table *table)
{
	const char *text = ctx->in->output;
	size_t len = ctx->in->output ? ctx->in->output_len : 0;
	uint32_t line = 0;

	for (size_t at = 0; at < len; line++) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t stop = end ? (size_t)(end - text) : len;

		/* Skip carriage returns, which the terminal adds before newlines. */
		while (stop > at && text[stop - 1] == '\r')
			stop--;
		const char *back =
			stop > at ? platform_find_last(text + at, '\r', stop - at) : NULL;
		struct row *row = table_add(table, (uint64_t)line + 1);

		row->key = line;
		row->ref = (uint32_t)(back ? (size_t)(back + 1 - text) : at);
		row->ref2 = (uint32_t)stop;
		at = end ? (size_t)(end - text) + 1 : len;
		table->newest = row->id;
	}
}

static size_t escape_len(const char *s, size_t len)
{
	size_t i = 2;

	if (len < 2 || s[0] != 0x1b)
		return 0;
	if (s[1] == ']') {
		while (i < len && s[i] != 0x07 && s[i] != 0x1b)
			i++;
		return i < len && s[i] == 0x1b ? i + 2 : i + 1;
	}
	if (s[1] != '[')
		return 2;
	while (i < len && (unsigned char)s[i] < 0x40)
		i++;
	return i < len ? i + 1 : len;
}

static void output_draw(struct view_ctx *ctx, const struct row *row, int column,
			const struct slot *slot)
{
	struct tr2_buf *line = format_line();
	const char *text = ctx->in->output;

	(void)column;
	for (size_t at = row->ref; text && at < row->ref2 && line->len < 4096;) {
		size_t skip = escape_len(text + at, row->ref2 - at);

		if (skip) {
			at += skip;
		} else if (text[at] == '\t') {
			tr2_buf_fill(line, ' ', 8 - line->len % 8);
			at++;
		} else {
			tr2_buf_addch(line, text[at++]);
		}
	}
	slot_text(slot, STYLE_TEXT, tr2_buf_cstr(line), line->len);
}

static void output_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	if (ctx->in->command_state)
		tr2_buf_addf(out, " · %s", ctx->in->command_state);
}

static bool output_act(struct view_ctx *ctx, enum action action, uint32_t key)
{
	(void)key;
	if (action != ACTION_DRILL)
		return false;
	ctx->asked |= UI_TYPE;
	return true;
}

static const char *output_empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "the command has no output";
}

static const char *output_refuses(const struct ui_config *config)
{
	return config->has_command ? NULL : "no command; run one with trace2top -- COMMAND";
}

const struct view_ops page_output = {
	.name = "Output of the command",
	.columns = columns,
	.nr_columns = 1,
	.title = output_title,
	.refuses = output_refuses,
	.gather = output_gather,
	.draw = output_draw,
	.act = output_act,
	.empty = output_empty,
};
