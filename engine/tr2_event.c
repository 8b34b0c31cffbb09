/* SPDX-License-Identifier: MIT */
/* The event target: one JSON object per line. */
#include "config.h"
#include "engine/tr2_target.h"

/* Keys and starts of lines are padded to a fixed size, so that copying them takes a few moves. */
#define KEY_BYTES  24
#define HEAD_BYTES 32

/* The JSON text before the value of each field: `,"key":`. */
static const struct {
	char text[KEY_BYTES];
	uint8_t len;
	uint8_t type; /* enum tr2_field_type */
} keys[TR2_NR_FIELDS] = {
#define TR2_FIELD(ID, wire, type_, since, share, doc)                                              \
	{ .text = ",\"" wire "\":", .len = sizeof(wire) + 3, .type = TR2_TYPE_##type_ },
#include "engine/fields.def"
};

/* The start of the line of each event kind: `{"event":"NAME`. The closing quote is part of the
 * thread's prefix. */
static const struct {
	char text[HEAD_BYTES];
	size_t len;
} heads[TR2_NR_EVENTS] = {
#define TR2_EVENT(ID, wire, ...) { "{\"event\":\"" wire, sizeof("{\"event\":\"" wire) - 1 },
#include "engine/events.def"
};

static void event_add_redacted(struct tr2_line *out, const char *text)
{
	struct tr2_redacted hide = tr2_redact(text);

	if (hide.hidden) {
		tr2_line_json(out, text, hide.head_len);
		TR2_LINE_LIT(out, TR2_REDACTED);
	}
	text += hide.tail_at;
	tr2_line_json(out, text, strlen(text));
}

/* Append a JSON string value. Unless this fails, TR2_LINE_SLACK - 1 bytes are free after it. */
static inline void event_add_string(struct tr2_line *out, const char *text, bool redact)
{
	TR2_LINE_PUT(out, "\"");
	if (__builtin_expect(redact, 0))
		event_add_redacted(out, text);
	else
		tr2_line_json_str(out, text);
	if (__builtin_expect(out->failed, 0))
		return;
	TR2_LINE_PUT(out, "\"");
}

static void event_add_list(struct tr2_line *out, const struct tr2_record *rec,
			   const char *const *list)
{
	bool comma = rec->git_cmd;

	tr2_line_ch(out, '[');
	if (rec->git_cmd)
		TR2_LINE_LIT(out, "\"git\"");
	for (; *list; list++) {
		if (comma)
			tr2_line_ch(out, ',');
		tr2_line_reserve(out, 1);
		if (out->failed)
			return;
		event_add_string(out, *list, rec->redact);
		comma = true;
	}
	tr2_line_ch(out, ']');
}

static inline void event_add_field(struct tr2_line *out, const struct tr2_record *rec,
				   unsigned field)
{
	const union tr2_value *v = &rec->v[field];

	TR2_LINE_PUT_SOME(out, keys[field].text, keys[field].len, KEY_BYTES);
	switch (keys[field].type) {
	case TR2_TYPE_LIST:
		event_add_list(out, rec, v->list);
		break;
	case TR2_TYPE_NUM:
		tr2_line_put_int(out, v->num);
		break;
	case TR2_TYPE_BOOL:
		if (v->num)
			TR2_LINE_PUT(out, "true");
		else
			TR2_LINE_PUT(out, "false");
		break;
	case TR2_TYPE_TIME:
		tr2_line_put_seconds(out, v->num);
		break;
	default:
		if (__builtin_expect(field == TR2_F_VALUE && rec->kind == TR2_E_DATA_JSON, 0))
			*out = tr2_line_raw_json(*out, v->text, rec->json_pretty);
		else
			event_add_string(out, v->text, rec->redact && field == TR2_F_VALUE);
	}
}

static inline void event_add_record(struct tr2_line *out, const struct tr2_record *rec,
				    struct tr2_thread *self, bool brief)
{
	const struct tr2_event_desc *row = &tr2_events[rec->kind];

	if (!tr2_line_reserve(out, self->prefix_len + HEAD_BYTES))
		return;
	TR2_LINE_PUT_SOME(out, heads[rec->kind].text, heads[rec->kind].len, HEAD_BYTES);
	tr2_line_put_blocks(out, self->prefix, self->prefix_len);
	if (!brief || rec->kind == TR2_E_VERSION || rec->kind == TR2_E_ATEXIT) {
		int64_t sec = rec->wall / NS_PER_SEC;

		tr2_clock_text_at(&self->clock, sec);
		TR2_LINE_PUT_SOME(out, self->clock.event, TR2_CLOCK_EVENT_LEN, 32);
		tr2_line_put_micros(out, (uint32_t)((rec->wall - sec * NS_PER_SEC) / NS_PER_US));
		TR2_LINE_PUT(out, "Z\"");
	}
	if (!brief && rec->file && *rec->file) {
		TR2_LINE_PUT(out, ",\"file\":");
		event_add_string(out, rec->file, false);
		if (out->failed)
			return;
		TR2_LINE_PUT(out, ",\"line\":");
		tr2_line_put_int(out, rec->line);
	}
	if (tr2_record_has(rec, TR2_F_REPO))
		event_add_field(out, rec, TR2_F_REPO);
	for (unsigned i = 0; i < row->nr_fields && !out->failed; i++)
		if (tr2_record_has(rec, row->fields[i].id))
			event_add_field(out, rec, row->fields[i].id);
	tr2_line_ch(out, '}');
}

/* Formats a local copy of the line, which the compiler can keep in registers. */
__attribute__((flatten, hot)) static void event_format(struct tr2_line *out,
						       const struct tr2_record *rec,
						       struct tr2_thread *self, bool brief)
{
	struct tr2_line line = *out;

	event_add_record(&line, rec, self, brief);
	*out = line;
}

const struct tr2_target_ops tr2_event_ops = {
	.name = "event",
	.setting = TR2_S_EVENT,
	.brief = TR2_S_EVENT_BRIEF,
	.format = event_format,
	.own_file = "trace2/tr2_tgt_event.c",
	.own_line = { .signal = 191, .atexit = 207, .timer = 657, .counter = 678 },
};
