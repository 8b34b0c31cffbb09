/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "monitor/analysis/doing.h"
#include "monitor/base/signal_name.h"

#define SLOW_NS NS_PER_SEC

enum style process_state_text(const struct process *process, char *buf, size_t bytes)
{
	char number[SIGNAL_NAME_BYTES];

	switch (process->state) {
	case STATE_RUNNING:
		snprintf(buf, bytes, process->live ? "● run" : "stale");
		return process->live ? STYLE_LIVE : STYLE_STALE;
	case STATE_EXITED:
		if (process->code == NUM_NONE)
			snprintf(buf, bytes, "exit ?");
		else
			snprintf(buf, bytes, "exit %" PRId64, process->code);
		return process_failed(process) ? STYLE_FAILED : STYLE_OK;
	case STATE_SIGNALED:
		snprintf(buf, bytes, "%s",
			 process->signo == NUM_NONE ? "signal ?"
						    : signal_name(process->signo, number));
		return STYLE_FAILED;
	case STATE_REPLACED:
		snprintf(buf, bytes, "exec'd");
		return STYLE_REPLACED;
	case STATE_UNTRACED:
		snprintf(buf, bytes, "trace ended");
		return STYLE_STALE;
	default:
		snprintf(buf, bytes, "lost");
		return STYLE_LOST;
	}
}

enum style child_state_text(const struct process *parent, const struct child *child, char *buf,
			    size_t bytes)
{
	bool live = process_is_live(parent);

	switch (child_state(parent, child)) {
	case CHILD_LOST:
		snprintf(buf, bytes, "lost");
		return STYLE_LOST;
	case CHILD_RUNNING:
		snprintf(buf, bytes, live ? "● run" : "stale");
		return live ? STYLE_LIVE : STYLE_STALE;
	case CHILD_READY:
		snprintf(buf, bytes, "ready");
		return STYLE_OK;
	default:
		break;
	}
	if (child->code == NUM_NONE)
		snprintf(buf, bytes, "exit ?");
	else
		snprintf(buf, bytes, "exit %" PRId64, child->code);
	return child->code != NUM_NONE && child->code ? STYLE_FAILED : STYLE_OK;
}

void slot_state(const struct slot *slot, enum style style, const char *text)
{
	static const char sign[] = "● ";

	if (slot->surface->said && !strncmp(text, sign, strlen(sign)))
		text += strlen(sign);
	slot_text(slot, style, text, SIZE_MAX);
}

void format_death(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct open_region *region = process_died_in(ctx->model, ctx->process);

	if (!region)
		return;
	tr2_buf_addstr(out, ", ");
	format_died_in(ctx->model, region, out);
}

enum style duration_style(ns_t ns)
{
	return ns != NS_NONE && ns >= SLOW_NS ? STYLE_SLOW : STYLE_TEXT;
}

bool is_beyond_nesting(const struct view_ctx *ctx, int64_t nesting)
{
	return ctx->what.limits.nesting >= 0 && nesting > ctx->what.limits.nesting;
}

const char *known_sym(const struct model *model, sym_t sym, size_t *len)
{
	return sym != SYM_NONE ? model_sym(model, sym, len) : NULL;
}

struct tr2_buf *format_line(void)
{
	static struct tr2_buf line = { .max = SAY_MAX_BYTES };

	tr2_buf_clear(&line);
	return &line;
}

static void draw_scrolled(struct slot slot, enum style style, const char *text, size_t len,
			  size_t name_len)
{
	size_t at = 0;
	uint32_t ch;
	int cells;

	for (; slot.left > 0 && at < len; slot.left--)
		at += tr2_utf8_decode(text + at, len - at, &ch);
	if (at < name_len) {
		cells = surface_text(slot.surface, slot.x, slot.y, slot.cols, style, text + at,
				     name_len - at);
		slot = slot_rest(&slot, cells);
		at = name_len;
	}
	surface_text(slot.surface, slot.x, slot.y, slot.cols, STYLE_DIM, text + at, len - at);
}

void slot_command(const struct slot *slot, enum style style, const char *text, size_t len,
		  size_t name_len)
{
	struct slot rest;
	int cells;

	if (slot->cols <= 0)
		return;
	if (slot->left) {
		draw_scrolled(*slot, style, text, len, name_len);
		return;
	}
	cells = surface_text(slot->surface, slot->x, slot->y, slot->cols, style, text, name_len);
	rest = slot_rest(slot, cells + 1);
	if (len > name_len + 1 && rest.cols > 2)
		surface_text_ends(rest.surface, rest.x, rest.y, rest.cols, STYLE_DIM,
				  text + name_len + 1, len - name_len - 1, rest.cols / 2);
}

void format_subject(const struct view_ctx *ctx, struct tr2_buf *out)
{
	if (!ctx->process)
		return;
	tr2_buf_addstr(out, " · ");
	format_process(ctx->model, ctx->process, out);
	if (ctx->process->pid != NUM_NONE)
		tr2_buf_addf(out, " %" PRId64, ctx->process->pid);
}

void format_title_dates(ns_t first, ns_t last, const struct view_ctx *ctx, struct tr2_buf *out)
{
	size_t before = out->len;

	/* format_date() appends nothing if both times are on one day */
	format_date(first, last, out);
	if (out->len == before) {
		format_title_date(last, ctx, out);
		return;
	}
	out->len = before;
	tr2_buf_addstr(out, " · ");
	format_date(first, last, out);
	tr2_buf_addstr(out, "to ");
	format_date(last, first, out);
	out->len--;
}

void format_title_date(ns_t wall, const struct view_ctx *ctx, struct tr2_buf *out)
{
	size_t before = out->len;

	format_date(wall, ctx->in->wall_ns, out);
	if (out->len == before)
		return;
	out->len = before;
	tr2_buf_addstr(out, " · ");
	format_date(wall, ctx->in->wall_ns, out);
	out->len--;
}

/* Hash with FNV-1a, so that a category has the same colour in each run: tr2_hash() has a random
 * seed. */
static uint64_t category_hash(const char *name, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3;
	return hash;
}

enum style category_style(const struct model *model, sym_t category)
{
	size_t len;
	const char *name = model_sym(model, category, &len);

	return (enum style)(STYLE_HUE_1 + (name ? category_hash(name, len) >> 32 : 0) %
						  (STYLE_HUE_6 - STYLE_HUE_1 + 1));
}
