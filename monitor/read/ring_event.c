/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/read/ring_event.h"

#include <string.h>

#include "engine/schema.h"
#include "monitor/base/json.h"
#include "monitor/read/recording.h"

/* Fields that a valid record of a ring does not have. */
#define NEVER                                                                                      \
	(FIELD_BIT(TR2_F_SID) | FIELD_BIT(TR2_F_THREAD) | FIELD_BIT(TR2_F_TIME) |                  \
	 FIELD_BIT(TR2_F_LINE) | ~(FIELD_BIT(TR2_NR_FIELDS) - 1))

/* By kind of event: the fields that are used; other fields of a record are only parsed. */
#define F(ID) | FIELD_BIT(TR2_F_##ID)
#define O(ID) | FIELD_BIT(TR2_F_##ID)
#define TR2_EVENT(ID, wire, since, targets, fields, ...)                                           \
	[TR2_E_##ID] = (FIELD_BIT(TR2_F_FILE) | FIELD_BIT(TR2_F_REPO) fields),
static const uint64_t fields_of[TR2_NR_EVENTS] = {
#include "engine/events.def"
};
#undef F
#undef O

/* Fields still to be parsed. `p` is NULL after a truncated field. */
struct ring_fields {
	const char *p, *end;
};

static const char *ring_take_bytes(struct ring_fields *f, size_t len)
{
	const char *p = f->p;

	if (!p || (size_t)(f->end - p) < len) {
		f->p = NULL;
		return NULL;
	}
	f->p += len;
	return p;
}

static bool ring_take_num(struct ring_fields *f, int64_t *num)
{
	const char *p = ring_take_bytes(f, sizeof(*num));

	if (p)
		memcpy(num, p, sizeof(*num));
	return p;
}

static const char *ring_take_text(struct ring_fields *f, size_t *len)
{
	const char *p = ring_take_bytes(f, sizeof(uint16_t));
	uint16_t bytes;

	if (!p)
		return NULL;
	memcpy(&bytes, p, sizeof(bytes));
	*len = bytes;
	return ring_take_bytes(f, bytes);
}

/*
 * Return the symbol of a text. A place (line and field) often repeats its text, so short texts are
 * cached by place.
 */
static sym_t ring_sym(const struct ring_syms *syms, uint32_t place, const char *text, size_t len)
{
	struct ring_memo_sym *memo =
		&syms->memo->syms[(place * 0x9e3779b1u) >> (32 - RING_MEMO_BITS)];

	if (len > sizeof(memo->text))
		return tr2_intern(syms->syms, text, len);
	if (memo->place == place && memo->len == len && !memcmp(memo->text, text, len))
		return memo->sym;
	memo->place = place;
	memo->len = (uint32_t)len;
	memo->sym = tr2_intern(syms->syms, text, len);
	memcpy(memo->text, text, len);
	return memo->sym;
}

static bool ring_copy_list(struct batch *batch, struct ring_fields *f, int64_t *out)
{
	const char *p = ring_take_bytes(f, sizeof(uint16_t)), *text;
	uint32_t list;
	uint16_t nr;
	size_t len;

	if (!p)
		return false;
	memcpy(&nr, p, sizeof(nr));
	list = batch_list_begin(batch);
	for (unsigned i = 0; i < nr; i++) {
		text = ring_take_text(f, &len);
		if (!text)
			return false;
		batch_add_text(batch, text, len);
	}
	batch_list_end(batch, list, nr);
	*out = list;
	return true;
}

/* The JSON check needs an LF after the text. */
static bool ring_put_json(struct batch *batch, const char *text, size_t len, int64_t *out)
{
	char *room = batch_reserve_text(batch, len + SCAN_PAD);
	struct diag why;
	struct json_check check = { .base = room, .why = &why };
	const char *end;

	memcpy(room, text, len);
	memset(room + len, 0, SCAN_PAD);
	room[len] = '\n';
	end = json_skip(&check, scan_blanks(room), 1);
	if (!end || scan_blanks(end) != room + len)
		return false;
	*out = batch_commit_text(batch, len);
	return true;
}

static bool ring_copy_text(struct batch *batch, const struct ring_event *event, unsigned field,
			   struct ring_fields *f, int64_t *out)
{
	size_t len;
	const char *text = ring_take_text(f, &len);

	if (!text)
		return false;
	if (field == TR2_F_VALUE && event->kind == TR2_E_DATA_JSON)
		return ring_put_json(batch, text, len, out);
	*out = batch_add_text(batch, text, len);
	return true;
}

/* Return `time` - `start` in ns, as a line would show it: from times truncated to microseconds. */
static int64_t ring_since_start(int64_t start, int64_t time)
{
	return (time / NS_PER_US - start / NS_PER_US) * NS_PER_US;
}

static bool ring_put_field(const struct ring_syms *syms, struct batch *batch,
			   const struct ring_event *event, unsigned field, struct ring_fields *f,
			   int64_t *out)
{
	const char *text;
	size_t len;

	if (field == TR2_F_T_ABS) {
		*out = ring_since_start(event->start, event->time);
		return true;
	}
	switch (tr2_fields[field].type) {
	case TR2_TYPE_SYM:
		text = ring_take_text(f, &len);
		if (text)
			*out = ring_sym(syms, event->line << 6 | field, text, len);
		return text;
	case TR2_TYPE_TEXT:
		return ring_copy_text(batch, event, field, f, out);
	case TR2_TYPE_LIST:
		return ring_copy_list(batch, f, out);
	case TR2_TYPE_TIME:
		return ring_take_num(f, out) && !__builtin_mul_overflow(*out, NS_PER_US, out);
	case TR2_TYPE_BOOL:
		return ring_take_num(f, out) && (*out == 0 || *out == 1);
	default:
		return ring_take_num(f, out);
	}
}

const char *ring_event_put(const struct ring_syms *syms, const struct ring_event *event,
			   struct batch *batch, struct event *ev)
{
	struct ring_fields f = { event->fields, event->fields + event->len };
	ns_t wall;

	if (event->kind >= TR2_NR_EVENTS)
		return "an event of unknown kind";
	if (event->mask & NEVER)
		return "an invalid field";
	if (event->time < 0 || __builtin_add_overflow(event->time, event->ahead, &wall) ||
	    wall < 0 || wall > RECORDING_MAX_NS)
		return "an invalid time";
	ev->kind = event->kind;
	ev->mask = 0;
	for (uint64_t left = event->mask; left; left &= left - 1) {
		unsigned field = (unsigned)__builtin_ctzll(left);

		if (!ring_put_field(syms, batch, event, field, &f, &ev->v[field]))
			return "a truncated field";
	}
	ev->mask = event->mask & fields_of[event->kind];
	event_set(ev, TR2_F_THREAD, event->thread);
	event_set(ev, TR2_F_TIME, wall / NS_PER_US * NS_PER_US);
	if (event_has(ev, TR2_F_FILE))
		event_set(ev, TR2_F_LINE, event->line);
	return NULL;
}
