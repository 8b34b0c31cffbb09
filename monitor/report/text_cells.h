/* SPDX-License-Identifier: MIT */
/* Functions for the text report: a buffer that is flushed to the stream, and cells of tables.
 * Text of a trace is made printable. */
#ifndef MONITOR_TEXT_CELLS_H
#define MONITOR_TEXT_CELLS_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/buf.h"
#include "engine/base/digits.h"
#include "monitor/analysis/format_text.h"
#include "monitor/base/humanize.h"
#include "monitor/base/signal_name.h"
#include "monitor/base/visible.h"
#include "monitor/report/report.h"

#define DRAIN_BYTES (64u << 10)
/* Maximum bytes of a text of a trace. In a command line, no argument begins after more bytes
 * than this. */
#define TEXT_MAX_BYTES 400u
/* Maximum indentation in levels. */
#define MAX_INDENT  24u
#define START_CELLS 29
/* Maximum width of the column of agents; longer names move the rest of the row to the right. */
#define MAX_AGENT_CELLS 40u

struct out {
	struct tr2_buf buf, line;
	FILE *to;
	const struct model *m;
	const struct report_input *input;
	const struct report_timing *timings;
	uint32_t nr_timings;
};

static inline void text_drain(struct out *o, size_t beyond)
{
	if (o->buf.len <= beyond)
		return;
	fwrite(o->buf.data, 1, o->buf.len, o->to);
	tr2_buf_clear(&o->buf);
}

__attribute__((format(printf, 2, 3))) static inline void put(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tr2_buf_vaddf(&o->buf, fmt, ap);
	va_end(ap);
}

/* Append a text; faster than put(). */

static inline void put_string(struct out *o, const char *text)
{
	tr2_buf_addstr(&o->buf, text);
}

/* Write a text, right-aligned in `width` bytes. */
static inline void put_right(struct out *o, const char *text, size_t width)
{
	size_t len = strlen(text);

	if (len < width)
		tr2_buf_fill(&o->buf, ' ', width - len);
	tr2_buf_add(&o->buf, text, len);
}

static inline void format_num(struct out *o, int64_t num, size_t width)
{
	char text[TR2_DIGITS_BYTES + 1];
	unsigned at = tr2_digits(text + 1, num < 0 ? -(uint64_t)num : (uint64_t)num) + 1;
	size_t len;

	if (num < 0)
		text[--at] = '-';
	len = sizeof(text) - at;
	if (len < width)
		tr2_buf_fill(&o->buf, ' ', width - len);
	tr2_buf_add(&o->buf, text + at, len);
}

static inline void put_visible(struct out *o, const char *s, size_t len)
{
	len = text_visible_cut(&o->buf, s, len, TEXT_MAX_BYTES);
	if (len > TEXT_MAX_BYTES)
		put(o, "... (%zu bytes)", len);
}

static inline void put_sym(struct out *o, sym_t sym, const char *absent)
{
	size_t len;
	const char *s = model_sym(o->m, sym, &len);

	if (sym == SYM_NONE)
		tr2_buf_addstr(&o->buf, absent);
	else
		put_visible(o, s, len);
}

static inline void text_put_cell(struct out *o, struct text text)
{
	put_visible(o, model_text(o->m, text), text.len);
}

/* Write at least one blank, and blanks until the text from offset `start` on has `width`
 * characters. */
static inline void pad(struct out *o, size_t start, size_t width)
{
	size_t nr = 0;

	for (size_t i = start; i < o->buf.len; i++)
		nr += ((unsigned char)o->buf.data[i] & 0xC0) != 0x80;
	tr2_buf_fill(&o->buf, ' ', nr < width ? width - nr : 1);
}

static inline void put_argv(struct out *o, const struct strings *argv)
{
	struct strings_cursor cursor = strings_begin(o->m, argv);
	size_t start = o->buf.len, len;
	const char *item;

	while ((item = strings_next(&cursor, &len))) {
		if (o->buf.len - start > TEXT_MAX_BYTES) {
			put(o, " ... (%" PRIu32 " arguments)", argv->nr);
			return;
		}
		if (cursor.left + 1 < argv->nr)
			tr2_buf_addch(&o->buf, ' ');
		put_visible(o, item, len);
	}
}

static inline void put_indent(struct out *o, uint32_t depth)
{
	tr2_buf_fill(&o->buf, ' ', 2 * (size_t)(depth < MAX_INDENT ? depth : MAX_INDENT));
}

static inline void put_num(struct out *o, int64_t num)
{
	if (num == NUM_NONE)
		tr2_buf_addch(&o->buf, '-');
	else
		format_num(o, num, 1);
}

/* Return how many of the `nr` rows of a table --top allows. */
static inline uint32_t text_rows(const struct out *o, uint32_t nr)
{
	int64_t top = o->input->top;

	return top < 0 || nr < top ? nr : (uint32_t)top;
}

/* Write how many rows were left out, if any. */
static inline void more(struct out *o, const char *indent, uint32_t nr)
{
	if (nr > text_rows(o, nr))
		put(o, "%s... %" PRIu32 " more; use --top=all\n", indent, nr - text_rows(o, nr));
}

static inline void state_cell(struct out *o, const struct process *p)
{
	size_t start = o->buf.len;

	if (p->state == STATE_EXITED && p->code != NUM_NONE) {
		put_string(o, "exit ");
		format_num(o, p->code, 1);
	} else if (p->state == STATE_SIGNALED && p->signo != NUM_NONE) {
		char number[SIGNAL_NAME_BYTES];

		put_string(o, signal_name(p->signo, number));
	} else {
		put_string(o, p->state == STATE_UNTRACED ? "trace ended"
							 : process_state_names[p->state]);
	}
	pad(o, start, 12);
}

static inline void region_names(struct out *o, sym_t category, sym_t label)
{
	put_sym(o, category, "-");
	tr2_buf_addch(&o->buf, '/');
	put_sym(o, label, "-");
}

static inline void command_cell(struct out *o, const struct process *p)
{
	size_t name_len;

	tr2_buf_clear(&o->line);
	format_command(o->m, p, &o->line, &name_len);
	put_visible(o, tr2_buf_cstr(&o->line), o->line.len);
}

/* Write the head of the report, whose processes are `slots`. */
void text_head(struct out *out, const uint32_t *slots, uint32_t nr);

/* True if the process failed, died by a signal or is lost. */
bool text_in_trouble(const struct process *process);

#endif
