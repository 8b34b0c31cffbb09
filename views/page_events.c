/* SPDX-License-Identifier: MIT */
/*
 * The event log: what the journal still holds, event by event, of one process, its tree or all.
 *
 * An event is known by its number in the journal. A batch says which numbers it has and which
 * SIDs, so that any place is found by halving and a batch without a wanted SID is passed over
 * unread: a frame decodes the few batches in sight, however long the history is. Of one batch
 * the numbers of the chosen events are kept.
 *
 * The rows are drawn below a table of one row, which stands for the chosen event.
 */
#include "config.h"

#include "views/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/schema.h"
#include "monitor/die.h"

enum scope { SCOPE_PROCESS, SCOPE_TREE, SCOPE_ALL, NR_SCOPES };

#define NO_EVENT UINT64_MAX
#define MAX_DETAIL_ROWS 24
#define MAX_VALUE_BYTES 2000u

struct log {
	bool begun, follow, detail;
	uint8_t scope;
	uint64_t at, top; /* numbers of events; NO_EVENT: none */
	int page_rows, body_y;
	/* the chosen events of one batch, ascending, from its first_event on */
	const struct batch *batch;
	uint64_t seq;
	uint64_t first, version;
	uint8_t found_scope;
	uint32_t *found, nr_found, cap_found;
	/* the event chosen, for its page: of the last gathering */
	struct event event;
	const struct batch *event_batch;
};

static const struct column columns[] = { { NULL, 20, 1, 0, false, true, false } };

/* ---- which events ---- */

static uint32_t slot_of(const struct view_ctx *ctx, const struct batch *batch, uint32_t sid)
{
	size_t len;
	const char *text = batch_sid_text(batch, sid, &len);

	return model_find_sid(ctx->model, text, len);
}

static bool is_wanted(const struct view_ctx *ctx, const struct log *log, uint32_t slot)
{
	struct handle wanted = ctx->view->subject.process;

	if (log->scope == SCOPE_ALL)
		return true;
	while (slot != SLOT_NONE) {
		if (handle_equal(model_handle(ctx->model, slot), wanted))
			return true;
		if (log->scope == SCOPE_PROCESS)
			return false;
		slot = model_slot(ctx->model, slot)->parent;
	}
	return false;
}

/* Which SIDs of the batch are wanted; how many. `wanted` has room for all of them. */
static uint32_t wanted_sids(const struct view_ctx *ctx, const struct log *log,
			    const struct batch *batch, bool *wanted)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < batch->nr_sids; i++) {
		wanted[i] = is_wanted(ctx, log, slot_of(ctx, batch, i));
		nr += wanted[i];
	}
	return nr;
}

static void find_in(const struct view_ctx *ctx, struct log *log, const struct batch *batch)
{
	struct batch_cursor cursor = batch_begin(batch);
	bool *wanted = xcalloc(batch->nr_sids + 1u, sizeof(*wanted));
	struct event ev;
	uint32_t number = 0;

	if (log->cap_found < batch->nr_events) {
		log->cap_found = batch->nr_events;
		log->found = xreallocarray(log->found, log->cap_found, sizeof(*log->found));
	}
	log->nr_found = 0;
	if (log->scope == SCOPE_ALL || wanted_sids(ctx, log, batch, wanted))
		while (batch_next(&cursor, &ev)) {
			if (!event_is_trace2(&ev))
				continue;
			if (log->scope == SCOPE_ALL ||
			    (event_has(&ev, TR2_F_SID) && wanted[ev.v[TR2_F_SID]]))
				log->found[log->nr_found++] = number;
			number++;
		}
	free(wanted);
}

/* The numbers of the batch's chosen events are in log->found. */
static const struct batch *take_batch(const struct view_ctx *ctx, struct log *log, uint64_t seq)
{
	const struct batch *batch = journal_at(ctx->in->journal, seq);
	uint64_t version = log->scope == SCOPE_ALL ? 0 : model_version(ctx->model);

	if (!batch)
		return NULL;
	if (log->batch != batch || log->seq != seq || log->found_scope != log->scope ||
	    log->version != version) {
		find_in(ctx, log, batch);
		log->batch = batch;
		log->seq = seq;
		log->found_scope = log->scope;
		log->version = version;
		log->first = batch->first_event;
	}
	return batch;
}

/* The batch that has event `number`, or the one before it. */
static uint64_t seq_of(const struct view_ctx *ctx, uint64_t number)
{
	uint64_t low = journal_first_seq(ctx->in->journal);
	uint64_t high = journal_end_seq(ctx->in->journal);

	while (high > low + 1) {
		uint64_t middle = low + (high - low) / 2;

		if (journal_at(ctx->in->journal, middle)->first_event <= number)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The end of what is shown: the present, or the place looked back to. */
static uint64_t end_number(const struct view_ctx *ctx)
{
	uint64_t end = journal_end_seq(ctx->in->journal);
	const struct batch *last = end ? journal_at(ctx->in->journal, end - 1) : NULL;

	if (ctx->in->past)
		return ctx->in->past_position;
	return last ? last->first_event + last->nr_events : 0;
}

/* The `nth` chosen event from `number` on (itself the 0th, where it is chosen); else the last. */
static uint64_t onwards(const struct view_ctx *ctx, struct log *log, uint64_t number, uint32_t nth)
{
	uint64_t end = end_number(ctx), best = NO_EVENT;

	for (uint64_t seq = seq_of(ctx, number); take_batch(ctx, log, seq); seq++)
		for (uint32_t i = 0; i < log->nr_found; i++) {
			uint64_t found = log->first + log->found[i];

			if (found < number)
				continue;
			if (found >= end)
				return best;
			best = found;
			if (!nth--)
				return best;
		}
	return best;
}

/* The same towards the beginning. */
static uint64_t backwards(const struct view_ctx *ctx, struct log *log, uint64_t number,
			  uint32_t nth)
{
	uint64_t first = journal_first_seq(ctx->in->journal), best = NO_EVENT;

	for (uint64_t seq = seq_of(ctx, number); take_batch(ctx, log, seq); seq--) {
		for (uint32_t i = log->nr_found; i-- > 0;) {
			uint64_t found = log->first + log->found[i];

			if (found > number)
				continue;
			best = found;
			if (!nth--)
				return best;
		}
		if (seq == first)
			break;
	}
	return best;
}

static bool event_at(const struct view_ctx *ctx, uint64_t number, struct event *ev,
		     const struct batch **batch)
{
	struct batch_cursor cursor;
	uint64_t at;

	*batch = journal_at(ctx->in->journal, seq_of(ctx, number));
	if (!*batch || number < (*batch)->first_event)
		return false;
	cursor = batch_begin(*batch);
	at = (*batch)->first_event;
	while (batch_next(&cursor, ev)) {
		if (!event_is_trace2(ev))
			continue;
		if (at++ == number)
			return true;
	}
	return false;
}

static void settle(const struct view_ctx *ctx, struct log *log)
{
	uint64_t end = end_number(ctx), found;

	if (!log->begun) {
		log->begun = log->follow = true;
		log->scope = ctx->process ? SCOPE_PROCESS : SCOPE_ALL;
		if (ctx->view->subject.event) {
			log->at = log->top = ctx->view->subject.event - 1;
			log->follow = false;
		}
	}
	if (!end) {
		log->at = NO_EVENT;
		return;
	}
	if (log->follow || log->at == NO_EVENT || log->at >= end) {
		log->at = backwards(ctx, log, end - 1, 0);
		return;
	}
	found = onwards(ctx, log, log->at, 0);
	log->at = found != NO_EVENT ? found : backwards(ctx, log, log->at, 0);
}

static void gather(struct view_ctx *ctx, struct table *table)
{
	struct log *log = ctx->view->private;
	struct row *row;

	log->event_batch = NULL;
	if (!ctx->in->journal)
		return;
	settle(ctx, log);
	if (log->at == NO_EVENT || !event_at(ctx, log->at, &log->event, &log->event_batch))
		return;
	row = table_add(table, log->at + 1);
	row->ref = event_has(&log->event, TR2_F_SID)
			   ? slot_of(ctx, log->event_batch, (uint32_t)log->event.v[TR2_F_SID])
			   : SLOT_NONE;
	table_select(table, row->id);
}

/* ---- one event ---- */

static void say_value(const struct view_ctx *ctx, const struct batch *batch,
		      const struct event *ev, unsigned field, struct tr2_buf *out)
{
	int64_t value = ev->v[field], item;
	const char *text;
	size_t len;

	switch (tr2_fields[field].type) {
	case TR2_TYPE_SYM:
		say_sym(ctx->model, (sym_t)value, out);
		break;
	case TR2_TYPE_SID:
		text = batch_sid_text(batch, (uint32_t)value, &len);
		tr2_buf_add(out, text, len);
		break;
	case TR2_TYPE_TEXT:
		text = batch_text(batch, value, &len);
		tr2_buf_add(out, text, len < MAX_VALUE_BYTES ? len : MAX_VALUE_BYTES);
		break;
	case TR2_TYPE_LIST:
		for (uint32_t nr = batch_list(batch, value, &item); nr; nr--) {
			text = batch_text(batch, item, &len);
			tr2_buf_add(out, text, len < MAX_VALUE_BYTES ? len : MAX_VALUE_BYTES);
			tr2_buf_addstr(out, nr > 1 ? " " : "");
			if (out->len > MAX_VALUE_BYTES)
				break;
			item = batch_list_next(batch, item);
		}
		break;
	case TR2_TYPE_TIME:
		say_duration(value, out);
		break;
	case TR2_TYPE_CLOCK:
		say_time(value, true, out);
		break;
	case TR2_TYPE_BOOL:
		tr2_buf_addstr(out, value ? "true" : "false");
		break;
	default:
		tr2_buf_addf(out, "%" PRId64, value);
	}
}

/* What stands in the perf target's line, with the category and the time before it. */
static void say_details(const struct view_ctx *ctx, const struct batch *batch,
			const struct event *ev, struct tr2_buf *out)
{
	const struct tr2_event_desc *desc;

	if (ev->kind >= TR2_NR_EVENTS)
		return;
	desc = &tr2_events[ev->kind];
	if (event_has(ev, TR2_F_T_REL)) {
		say_duration(ev->v[TR2_F_T_REL], out);
		tr2_buf_addch(out, ' ');
	}
	if (desc->category < TR2_NR_FIELDS && event_has(ev, desc->category)) {
		say_value(ctx, batch, ev, desc->category, out);
		tr2_buf_addch(out, ' ');
	}
	for (const struct tr2_piece *piece = desc->perf; piece->how != TR2_PIECE_END; piece++) {
		if (piece->how == TR2_PIECE_TEXT) {
			tr2_buf_add(out, piece->lead, piece->lead_len);
			continue;
		}
		if (!event_has(ev, piece->field) || piece->how == TR2_PIECE_ERRNO)
			continue;
		tr2_buf_add(out, piece->lead, piece->lead_len);
		say_value(ctx, batch, ev, piece->field, out);
		tr2_buf_add(out, piece->tail, piece->tail_len);
	}
}

static enum style event_style(const struct event *ev)
{
	switch (ev->kind) {
	case TR2_E_ERROR:
	case REC_UNKNOWN:
		return STYLE_ALERT;
	case TR2_E_SIGNAL:
		return STYLE_FAILED;
	case TR2_E_EXIT:
	case TR2_E_ATEXIT:
	case TR2_E_CHILD_EXIT:
	case TR2_E_EXEC_RESULT:
		return event_get(ev, TR2_F_CODE, 0) ? STYLE_FAILED : STYLE_OK;
	case TR2_E_START:
	case TR2_E_CMD_NAME:
	case TR2_E_VERSION:
		return STYLE_NAME;
	case TR2_E_CHILD_START:
	case TR2_E_CHILD_READY:
	case TR2_E_EXEC:
		return STYLE_REPLACED;
	case TR2_E_REGION_ENTER:
	case TR2_E_REGION_LEAVE:
		return STYLE_CATEGORY;
	case TR2_E_THREAD_START:
	case TR2_E_THREAD_EXIT:
		return STYLE_BRAND;
	default:
		return STYLE_TEXT;
	}
}

static void say_event_name(const struct view_ctx *ctx, const struct event *ev,
			   struct tr2_buf *out)
{
	if (event_has(ev, FLD_EVENT))
		say_sym(ctx->model, event_sym(ev, FLD_EVENT), out);
	else
		tr2_buf_addstr(out, ev->kind < TR2_NR_EVENTS ? tr2_events[ev->kind].wire : "?");
}

static void say_owner(const struct view_ctx *ctx, const struct batch *batch,
		      const struct event *ev, struct tr2_buf *out)
{
	uint32_t slot = event_has(ev, TR2_F_SID)
				? slot_of(ctx, batch, (uint32_t)ev->v[TR2_F_SID])
				: SLOT_NONE;
	const struct process *process = slot == SLOT_NONE ? NULL : model_slot(ctx->model, slot);

	if (!process) {
		tr2_buf_addch(out, '?');
		return;
	}
	if (process->pid != NUM_NONE)
		tr2_buf_addf(out, "%" PRId64 " ", process->pid);
	say_process(ctx->model, process, out);
}

/* One column of a row; returns where the next begins. */
static int column(struct surface *surface, int x, int y, int cols, int end, enum style style,
		  const struct tr2_buf *line)
{
	if (cols > end - x)
		cols = end - x;
	if (cols > 0)
		surface_text(surface, x, y, cols, style, line->data, line->len);
	return x + cols + 1;
}

static void draw_event(const struct view_ctx *ctx, const struct batch *batch,
		       const struct event *ev, struct surface *surface, struct rect area)
{
	int x = area.x + 1, end = area.x + area.cols;
	int64_t nesting = event_get(ev, TR2_F_NESTING, 1);
	bool wide = area.cols >= 100;
	struct tr2_buf *line = say_line();

	say_time(event_get(ev, TR2_F_TIME, NS_NONE), true, line);
	if (area.cols >= 60)
		x = column(surface, x, area.y, 12, end, STYLE_DIM, line);
	line = say_line();
	say_owner(ctx, batch, ev, line);
	x = column(surface, x, area.y, wide ? 26 : 12, end, STYLE_TEXT, line);
	line = say_line();
	say_sym(ctx->model, event_sym(ev, TR2_F_THREAD), line);
	if (area.cols >= 76)
		x = column(surface, x, area.y, wide ? 14 : 6, end, STYLE_DIM, line);
	line = say_line();
	say_event_name(ctx, ev, line);
	x = column(surface, x, area.y, 12, end, event_style(ev), line);
	x += nesting > 1 && nesting < 16 ? (int)(nesting - 1) * 2 : 0;
	line = say_line();
	say_details(ctx, batch, ev, line);
	column(surface, x, area.y, end - x, end, STYLE_TEXT, line);
}

/* ---- the page ---- */

/* All fields of the chosen event, one a line. The rows taken. */
static int draw_detail(const struct view_ctx *ctx, const struct log *log,
		       struct surface *surface, struct rect area)
{
	int y = area.y, end = area.y + area.rows;

	surface_glyphs(surface, area.x, y++, area.cols, STYLE_BORDER, GLYPH_HLINE);
	for (unsigned field = 0; field < TR2_NR_FIELDS && y < end; field++) {
		struct tr2_buf *line = say_line();

		if (!event_has(&log->event, field))
			continue;
		say_value(ctx, log->event_batch, &log->event, field, line);
		surface_text(surface, area.x + 2, y, 12, STYLE_HINT, tr2_fields[field].wire,
			     SIZE_MAX);
		surface_text(surface, area.x + 15, y, area.cols - 16, STYLE_TEXT, line->data,
			     line->len);
		y++;
	}
	return y - area.y;
}

static int detail_rows(const struct log *log, int rows)
{
	int nr = 1;

	if (!log->detail || !log->event_batch)
		return 0;
	nr += __builtin_popcountll(log->event.mask & (FIELD_BIT(TR2_NR_FIELDS) - 1));
	nr = nr > MAX_DETAIL_ROWS ? MAX_DETAIL_ROWS : nr;
	return nr > rows / 2 ? rows / 2 : nr;
}

/* The chosen event stays in sight; where the end is followed it is the last row. */
static void scroll(const struct view_ctx *ctx, struct log *log, int rows)
{
	uint64_t highest;

	log->page_rows = rows;
	highest = backwards(ctx, log, log->at, (uint32_t)rows - 1);
	if (log->follow || log->top == NO_EVENT || log->top < highest)
		log->top = highest;
	/* Of another scope the top may not be one of ours. */
	log->top = onwards(ctx, log, log->top, 0);
	if (log->top > log->at)
		log->top = log->at;
}

static int foot_rows(const struct view_ctx *ctx, int rows)
{
	return ctx->view->table.nr_rows ? rows : 0;
}

static void foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	struct log *log = ctx->view->private;
	int detail = detail_rows(log, area.rows);
	uint64_t number;

	scroll(ctx, log, area.rows - detail);
	log->body_y = area.y;
	number = log->top;
	for (int i = 0; i < area.rows - detail && number != NO_EVENT; i++) {
		struct rect row = { area.x, area.y + i, area.cols, 1 };
		const struct batch *batch;
		struct event ev;

		if (!event_at(ctx, number, &ev, &batch))
			break;
		draw_event(ctx, batch, &ev, surface, row);
		if (number == log->at) {
			surface_glyph(surface, row.x, row.y, STYLE_FOCUS, GLYPH_CURSOR);
			surface_overlay(surface, row, STYLE_SELECTED);
		}
		number = onwards(ctx, log, number + 1, 0);
	}
	if (detail)
		draw_detail(ctx, log, surface,
			    (struct rect){ area.x, area.y + area.rows - detail, area.cols, detail });
}

static void draw(struct view_ctx *ctx, const struct row *row, int column_index,
		 const struct slot *slot)
{
	(void)ctx;
	(void)row;
	(void)column_index;
	(void)slot;
}

static void move(struct view_ctx *ctx, struct log *log, int step)
{
	uint64_t to;

	if (log->at == NO_EVENT || !ctx->in->journal)
		return;
	to = step > 0 ? onwards(ctx, log, log->at, (uint32_t)step)
		      : backwards(ctx, log, log->at, (uint32_t)-step);
	log->follow = false;
	log->at = to != NO_EVENT ? to : log->at;
}

static bool act(struct view_ctx *ctx, enum action action, uint32_t key)
{
	struct log *log = ctx->view->private;
	int page = log->page_rows > 1 ? log->page_rows - 1 : 1;

	(void)key;
	switch ((int)action) {
	case ACTION_UP:
	case ACTION_DOWN:
		move(ctx, log, action == ACTION_DOWN ? 1 : -1);
		return true;
	case ACTION_PAGE_UP:
	case ACTION_PAGE_DOWN:
		move(ctx, log, action == ACTION_PAGE_DOWN ? page : -page);
		return true;
	case ACTION_HOME:
		log->follow = false;
		log->at = log->top = 0;
		return true;
	case ACTION_END:
		log->follow = true;
		return true;
	case ACTION_FOLLOW:
		log->follow = !log->follow;
		return true;
	case ACTION_SCOPE:
		log->scope = (uint8_t)((log->scope + 1) % NR_SCOPES);
		if (!ctx->process)
			log->scope = SCOPE_ALL;
		return true;
	case ACTION_DRILL:
		/* Once for the record, again for its process. */
		if (log->detail)
			return false;
		log->detail = true;
		return true;
	case ACTION_BACK:
		if (!log->detail)
			return false;
		log->detail = false;
		return true;
	default:
		return false;
	}
}

static bool mouse(struct view_ctx *ctx, const struct key_event *key)
{
	struct log *log = ctx->view->private;
	int row = key->y - log->body_y;

	if (key->button != MOUSE_PRESS || row < 0 || row >= log->page_rows ||
	    log->at == NO_EVENT || !ctx->in->journal)
		return false;
	log->at = onwards(ctx, log, log->top, (uint32_t)row);
	log->follow = false;
	return true;
}

static void title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct log *log = ctx->view->private;

	tr2_buf_addstr(out, " · ");
	if (log->scope == SCOPE_ALL)
		tr2_buf_addstr(out, "all processes");
	else if (ctx->process)
		say_process(ctx->model, ctx->process, out);
	else
		tr2_buf_addstr(out, "a process that is gone");
	if (log->scope == SCOPE_TREE)
		tr2_buf_addstr(out, " and what it started");
	if (log->follow)
		tr2_buf_addstr(out, " · following");
	else if (log->at != NO_EVENT)
		tr2_buf_addf(out, " · event %" PRIu64 " of %" PRIu64, log->at + 1,
			     end_number(ctx));
}

static const char *empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "no event is in the history: press a for another scope";
}

static enum view_id drill(const struct view_ctx *ctx, const struct row *row,
			  struct subject *subject)
{
	if (row->ref == SLOT_NONE)
		return NR_VIEWS;
	subject->process = model_handle(ctx->model, row->ref);
	return VIEW_PROCESS;
}

static void release(void *private)
{
	free(((struct log *)private)->found);
}

const struct view_ops page_events = {
	.name = "Events",
	.columns = columns,
	.nr_columns = 1,
	.private_bytes = sizeof(struct log),
	.title = title,
	.gather = gather,
	.draw = draw,
	.foot_rows = foot_rows,
	.foot = foot,
	.empty = empty,
	.drill = drill,
	.act = act,
	.mouse = mouse,
	.release = release,
};
