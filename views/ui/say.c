/* SPDX-License-Identifier: MIT */
/* How the views say what they share: states, times that tick, names and command lines. */
#include "config.h"

#include "views/ui/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "monitor/base/humanize.h"

#define SLOW_NS NS_PER_SEC
#define LINE_MAX_BYTES (64u << 10)

bool process_is_live(const struct process *process)
{
	return process->state == STATE_RUNNING && process->live;
}

/* From `start` to now while it ticks, else to the last that was heard of the process. */
static ns_t open_time(const struct view_ctx *ctx, const struct process *process, ns_t start,
		      ns_t arrival)
{
	ns_t end = process_is_live(process) ? ctx->now : process->end;

	if (process_is_live(process)) {
		if (start == NS_NONE)
			start = arrival;
		ctx->view->ticks = true;
	}
	if (start == NS_NONE || end == NS_NONE)
		return NS_NONE;
	return end > start ? ns_sub(end, start) : 0;
}

ns_t process_time(const struct view_ctx *ctx, const struct process *process)
{
	if (process->state == STATE_RUNNING)
		return open_time(ctx, process, process->start, process->first_arrival);
	return process_elapsed(process);
}

ns_t region_time(const struct view_ctx *ctx, const struct process *process,
		 const struct open_region *region)
{
	return open_time(ctx, process, region->time, region->arrival);
}

ns_t child_time(const struct view_ctx *ctx, const struct process *process,
		const struct child *child)
{
	if (child->state == CHILD_EXITED)
		return child->elapsed;
	if (child->state == CHILD_READY)
		return child->ready_elapsed;
	return open_time(ctx, process, child->start, child->start_arrival);
}

enum style process_state_text(const struct process *process, char *buf, size_t bytes)
{
	switch (process->state) {
	case STATE_RUNNING:
		snprintf(buf, bytes, process->live ? "run" : "run?");
		return process->live ? STYLE_LIVE : STYLE_STALE;
	case STATE_EXITED:
		if (process->code == NUM_NONE)
			snprintf(buf, bytes, "exit ?");
		else
			snprintf(buf, bytes, "%s %" PRId64,
				 process_failed(process) ? "FAIL" : "exit", process->code);
		return process_failed(process) ? STYLE_FAILED : STYLE_OK;
	case STATE_SIGNALED:
		if (process->signo == NUM_NONE)
			snprintf(buf, bytes, "SIG ?");
		else
			snprintf(buf, bytes, "SIG %" PRId64, process->signo);
		return STYLE_FAILED;
	case STATE_REPLACED:
		snprintf(buf, bytes, "exec'd");
		return STYLE_REPLACED;
	default:
		snprintf(buf, bytes, "lost");
		return STYLE_LOST;
	}
}

enum style duration_style(ns_t ns)
{
	return ns != NS_NONE && ns >= SLOW_NS ? STYLE_SLOW : STYLE_TEXT;
}

void say_sym(const struct model *model, sym_t sym, struct tr2_buf *out)
{
	size_t len;
	const char *text = model_sym(model, sym, &len);

	tr2_buf_add(out, text, len < LINE_MAX_BYTES / 4 ? len : LINE_MAX_BYTES / 4);
}

void say_term(const struct model *model, const char *field, sym_t value, struct tr2_buf *out)
{
	size_t len;
	const char *text = model_sym(model, value, &len);

	if (value == SYM_NONE)
		return;
	tr2_buf_addf(out, "%s%s = \"", out->len ? " and " : "", field);
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"' || text[i] == '\\')
			tr2_buf_addch(out, '\\');
		tr2_buf_addch(out, text[i]);
	}
	tr2_buf_addch(out, '"');
}

bool give_sym(const struct model *model, sym_t sym, filter_visit *visit, void *data)
{
	size_t len;
	const char *text = model_sym(model, sym, &len);

	return sym != SYM_NONE && filter_give_text(visit, data, text, len);
}

void say_region(const struct model *model, sym_t category, sym_t label, struct tr2_buf *out)
{
	if (category == SYM_NONE)
		tr2_buf_addch(out, '?');
	say_sym(model, category, out);
	tr2_buf_addch(out, '/');
	if (label == SYM_NONE)
		tr2_buf_addch(out, '?');
	say_sym(model, label, out);
}

void say_strings(const struct model *model, const struct strings *strings, uint32_t from,
		 struct tr2_buf *out)
{
	struct strings_cursor cursor = strings_begin(model, strings);
	const char *item;
	size_t len;

	for (uint32_t i = 0; out->len < LINE_MAX_BYTES / 2 && (item = strings_next(&cursor, &len));
	     i++) {
		bool quote = !len || memchr(item, ' ', len);

		if (i < from)
			continue;
		if (i > from)
			tr2_buf_addch(out, ' ');
		if (quote)
			tr2_buf_addch(out, '\'');
		tr2_buf_add(out, item, len < LINE_MAX_BYTES / 4 ? len : LINE_MAX_BYTES / 4);
		if (quote)
			tr2_buf_addch(out, '\'');
	}
}

void say_process(const struct model *model, const struct process *process, struct tr2_buf *out)
{
	const char *sid = model_text(model, process->sid);
	const char *slash = process->sid.len ? memrchr(sid, '/', process->sid.len) : NULL;

	if (process->hierarchy != SYM_NONE)
		say_sym(model, process->hierarchy, out);
	else if (process->name != SYM_NONE)
		say_sym(model, process->name, out);
	else if (process->argv.nr)
		say_strings(model, &process->argv, 0, out);
	else if (slash)
		tr2_buf_add(out, slash + 1, process->sid.len - (size_t)(slash + 1 - sid));
	else
		tr2_buf_add(out, sid, process->sid.len);
}

void say_time(ns_t wall, bool millis, struct tr2_buf *out)
{
	time_t seconds = (time_t)(wall / NS_PER_SEC);
	struct tm tm;
	char text[32];

	if (wall == NS_NONE || wall < 0 || !localtime_r(&seconds, &tm)) {
		tr2_buf_addch(out, '-');
		return;
	}
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	tr2_buf_addstr(out, text);
	if (millis)
		tr2_buf_addf(out, ".%03d", (int)(wall % NS_PER_SEC / NS_PER_MS));
}

void say_duration(ns_t ns, struct tr2_buf *out)
{
	tr2_buf_addstr(out, human_duration(ns).text);
}

void say_count(uint64_t count, struct tr2_buf *out)
{
	tr2_buf_addstr(out, human_count(count).text);
}

void say_times(uint64_t count, struct tr2_buf *out)
{
	say_count(count, out);
	tr2_buf_addstr(out, count == 1 ? " time" : " times");
}

struct tr2_buf *say_line(void)
{
	static struct tr2_buf line = { .max = LINE_MAX_BYTES };

	tr2_buf_clear(&line);
	return &line;
}

void say_subject(const struct view_ctx *ctx, struct tr2_buf *out)
{
	if (!ctx->process)
		return;
	tr2_buf_addstr(out, " · ");
	say_process(ctx->model, ctx->process, out);
	if (ctx->process->pid != NUM_NONE)
		tr2_buf_addf(out, " %" PRId64, ctx->process->pid);
}
