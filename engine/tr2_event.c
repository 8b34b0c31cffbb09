/* SPDX-License-Identifier: MIT */
/* The event target: one JSON object a line, keys in the schema's order, no blanks. */
#include "config.h"
#include "engine/tr2_target.h"

/* Each key as it stands before its value. */
static const struct {
	const char *text;
	size_t len;
} keys[TR2_NR_FIELDS] = {
#define TR2_FIELD(ID, wire, type, since, doc) { ",\"" wire "\":", sizeof(wire) + 3 },
#include "engine/fields.def"
};

static void add_string(struct tr2_line *out, const char *text, bool redact)
{
	struct tr2_redacted hide = { 0 };

	tr2_line_ch(out, '"');
	if (__builtin_expect(redact, 0))
		hide = tr2_redact(text);
	if (hide.hidden) {
		tr2_line_json(out, text, hide.head_len);
		TR2_LINE_LIT(out, TR2_REDACTED);
	}
	text += hide.tail_at;
	tr2_line_json(out, text, strlen(text));
	tr2_line_ch(out, '"');
}

static void add_list(struct tr2_line *out, const struct tr2_record *rec, const char *const *list)
{
	bool comma = rec->git_cmd;

	tr2_line_ch(out, '[');
	if (rec->git_cmd)
		TR2_LINE_LIT(out, "\"git\"");
	for (; *list; list++) {
		if (comma)
			tr2_line_ch(out, ',');
		add_string(out, *list, rec->redact);
		comma = true;
	}
	tr2_line_ch(out, ']');
}

static void add_value(struct tr2_line *out, const struct tr2_record *rec, unsigned field)
{
	const union tr2_value *v = &rec->v[field];

	switch (tr2_fields[field].type) {
	case TR2_TYPE_LIST:
		add_list(out, rec, v->list);
		break;
	case TR2_TYPE_NUM:
		tr2_line_int(out, v->num);
		break;
	case TR2_TYPE_BOOL:
		tr2_line_str(out, v->num ? "true" : "false");
		break;
	case TR2_TYPE_TIME:
		tr2_line_seconds(out, v->num, 0);
		break;
	default:
		if (field == TR2_F_VALUE && rec->kind == TR2_E_DATA_JSON)
			tr2_line_raw_json(out, v->text, rec->json_pretty);
		else
			add_string(out, v->text, rec->redact && field == TR2_F_VALUE);
	}
}

static void add_field(struct tr2_line *out, const struct tr2_record *rec, unsigned field)
{
	tr2_line_add(out, keys[field].text, keys[field].len);
	add_value(out, rec, field);
}

static void add_wall(struct tr2_line *out, const struct tr2_record *rec, struct tr2_thread *self)
{
	tr2_clock_text_at(&self->clock, rec->wall / NS_PER_SEC);
	TR2_LINE_LIT(out, ",\"time\":\"");
	tr2_line_add(out, self->clock.utc, 19);
	tr2_line_ch(out, '.');
	tr2_line_micros(out, (unsigned)(rec->wall % NS_PER_SEC / NS_PER_US));
	TR2_LINE_LIT(out, "Z\"");
}

static void event_format(struct tr2_line *out, const struct tr2_record *rec,
			 struct tr2_thread *self, bool brief)
{
	const struct tr2_event_desc *row = &tr2_events[rec->kind];

	TR2_LINE_LIT(out, "{\"event\":\"");
	tr2_line_str(out, row->wire);
	tr2_line_add(out, self->prefix, self->prefix_len);
	if (!brief || rec->kind == TR2_E_VERSION || rec->kind == TR2_E_ATEXIT)
		add_wall(out, rec, self);
	if (!brief && rec->file && *rec->file) {
		TR2_LINE_LIT(out, ",\"file\":");
		add_string(out, rec->file, false);
		TR2_LINE_LIT(out, ",\"line\":");
		tr2_line_int(out, rec->line);
	}
	if (tr2_record_has(rec, TR2_F_REPO))
		add_field(out, rec, TR2_F_REPO);
	for (unsigned i = 0; i < row->nr_fields; i++)
		if (tr2_record_has(rec, row->fields[i].id))
			add_field(out, rec, row->fields[i].id);
	tr2_line_ch(out, '}');
}

const struct tr2_target_ops tr2_event_ops = {
	.name = "event",
	.setting = TR2_S_EVENT,
	.brief = TR2_S_EVENT_BRIEF,
	.format = event_format,
	.own_file = "trace2/tr2_tgt_event.c",
	.own_line = { .signal = 191, .atexit = 207, .timer = 657, .counter = 678 },
};
