/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/runs_line.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/jw.h"
#include "monitor/base/die.h"
#include "monitor/base/json.h"
#include "monitor/base/json_write.h"
#include "monitor/base/scan.h"
#include "monitor/base/secrets.h"
#include "monitor/base/timestamp.h"

#define SCHEMA "trace2top-runs/1"
/* longest accepted duration in microseconds, 292 years, which fits into ns_t */
#define MAX_US (INT64_MAX / NS_PER_US)

static void runs_write_text(struct tr2_jw *jw, const struct runs *runs, sym_t text)
{
	size_t len;
	const char *bytes = tr2_intern_text(&runs->texts, text, &len);

	if (text == SYM_NONE)
		tr2_jw_null(jw);
	else
		tr2_jw_string(jw, bytes, len);
}

static void runs_write_argv(struct tr2_jw *jw, const struct runs *runs, const struct run *run)
{
	struct tr2_buf copy = SECRETS_COPY;

	tr2_jw_key(jw, "argv");
	tr2_jw_array(jw);
	for (int i = 0; i < 2 && run->argv[i] != SYM_NONE; i++) {
		size_t len;
		const char *text = tr2_intern_text(&runs->texts, run->argv[i], &len);

		text = secrets_hide(&copy, text, &len);
		tr2_jw_string(jw, text, len);
	}
	tr2_jw_end_array(jw);
	tr2_buf_release(&copy);
}

static void runs_write_parts(struct tr2_jw *jw, const struct runs *runs, const struct run *run)
{
	tr2_jw_key(jw, "parts");
	tr2_jw_array(jw);
	for (uint32_t i = 0; i < run->nr_parts; i++) {
		const struct run_part *part = &runs->parts[run->first_part + i];

		tr2_jw_array(jw);
		runs_write_text(jw, runs, part->kind);
		runs_write_text(jw, runs, part->category);
		runs_write_text(jw, runs, part->label);
		runs_write_text(jw, runs, part->name);
		tr2_jw_int(jw, part->time / NS_PER_US);
		tr2_jw_end_array(jw);
	}
	tr2_jw_end_array(jw);
}

static void runs_write_durations(struct tr2_jw *jw, const struct runs *runs, const struct run *run)
{
	tr2_jw_key(jw, "durations");
	tr2_jw_array(jw);
	for (uint32_t i = 0; i < run->nr_durations; i++) {
		const struct run_durations *thing = &runs->things[run->first_durations + i];

		tr2_jw_array(jw);
		runs_write_text(jw, runs, thing->hierarchy);
		runs_write_text(jw, runs, thing->category);
		runs_write_text(jw, runs, thing->label);
		tr2_jw_array(jw);
		for (uint32_t k = 0; k < thing->nr; k++)
			tr2_jw_int(jw, runs->durations[thing->first + k] / NS_PER_US);
		tr2_jw_end_array(jw);
		tr2_jw_end_array(jw);
	}
	tr2_jw_end_array(jw);
}

void runs_line_write(const struct runs *runs, uint32_t number, struct tr2_buf *out)
{
	const struct run *run = &runs->items[number];
	struct tr2_jw jw;

	tr2_jw_init(&jw, out, 0);
	tr2_jw_object(&jw);
	json_write_cstring(&jw, "schema", SCHEMA);
	json_write_sym(&jw, "sid", &runs->texts, run->sid);
	json_write_time(&jw, "start", run->start);
	json_write_number(&jw, "wall", run->wall / NS_PER_US);
	json_write_sym(&jw, "name", &runs->texts, run->name);
	json_write_sym(&jw, "hierarchy", &runs->texts, run->hierarchy);
	runs_write_argv(&jw, runs, run);
	json_write_sym(&jw, "worktree", &runs->texts, run->worktree);
	json_write_sym(&jw, "exe", &runs->texts, run->exe);
	json_write_bool(&jw, "failed", run->failed);
	runs_write_parts(&jw, runs, run);
	runs_write_durations(&jw, runs, run);
	tr2_jw_end_object(&jw);
	tr2_buf_addch(out, '\n');
}

bool runs_line_seems(const char *bytes, size_t len)
{
	static const char *const words[] = { "{", "\"schema\"", ":", "\"trace2top-runs/" };
	size_t at = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t word = strlen(words[i]);

		while (at < len && strchr(" \t\r\n", bytes[at]))
			at++;
		if (len - at < word || memcmp(bytes + at, words[i], word))
			return false;
		at += word;
	}
	return true;
}

/* A line that is being parsed. It was checked to be valid JSON, so every value has an end. */
struct runs_json_line {
	struct runs *runs;
	struct json_check check;
	struct diag diag;
	char *text;
	const char *why;
	struct run run;
	ns_t parts; /* sum of the parts in ns */
	bool has_schema, has_sid, has_wall;
};

static bool runs_line_error(struct runs_json_line *l, const char *why)
{
	if (!l->why)
		l->why = why;
	return false;
}

static const char *first_value(const char *at)
{
	at = scan_blanks(at + 1);
	return *at == ']' ? NULL : at;
}

static const char *next_value(struct runs_json_line *l, const char *value)
{
	value = scan_blanks(json_skip(&l->check, value, 0));
	return *value == ',' ? scan_blanks(value + 1) : NULL;
}

/* Return the symbol of a JSON string; SYM_NONE for a value of another type. */
static sym_t intern_text_at(struct runs_json_line *l, const char *value)
{
	const char *end;

	if (*value != '"')
		return SYM_NONE;
	end = json_skip_string(&l->check, value + 1);
	return runs_text(l->runs, l->text, json_decode(value + 1, end - 1, l->text));
}

static bool runs_text_is(struct runs_json_line *l, const char *value, const char *text)
{
	const char *end;
	size_t len;

	if (*value != '"')
		return false;
	end = json_skip_string(&l->check, value + 1);
	len = json_decode(value + 1, end - 1, l->text);
	return len == strlen(text) && !memcmp(l->text, text, len);
}

static bool parse_us(struct runs_json_line *l, const char *value, ns_t *out)
{
	int64_t us;

	if ((*value != '-' && !scan_is_digit(*value)) || !json_decimal(value, 0, true, &us) ||
	    us < 0 || us > MAX_US)
		return runs_line_error(l, "a time is not a whole number of microseconds");
	*out = us * NS_PER_US;
	return true;
}

static bool parse_run_start(struct runs_json_line *l, const char *value)
{
	const char *end;
	size_t len;

	if (*value != '"')
		return runs_line_error(l, "\"start\" is not a time");
	end = json_skip_string(&l->check, value + 1);
	len = json_decode(value + 1, end - 1, l->text);
	return timestamp_parse(l->text, len, &l->run.start) ||
	       runs_line_error(l, "\"start\" is not a time");
}

static bool parse_run_argv(struct runs_json_line *l, const char *value)
{
	if (*value != '[')
		return true;
	value = first_value(value);
	for (int i = 0; i < 2 && value; i++, value = next_value(l, value))
		l->run.argv[i] = intern_text_at(l, value);
	return true;
}

static bool parse_run_part(struct runs_json_line *l, const char *value)
{
	struct run_part part;
	sym_t *texts[4] = { &part.kind, &part.category, &part.label, &part.name };

	value = *value == '[' ? first_value(value) : NULL;
	for (int i = 0; i < 4 && value; i++, value = next_value(l, value))
		*texts[i] = intern_text_at(l, value);
	if (!value || !parse_us(l, value, &part.time) || part.kind == SYM_NONE)
		return runs_line_error(l,
				       "a part is not [kind, category, label, name, microseconds]");
	if (__builtin_add_overflow(l->parts, part.time, &l->parts))
		return runs_line_error(l, "the parts do not add up to \"wall\"");
	runs_add_part(l->runs, &part);
	return true;
}

static bool parse_run_parts(struct runs_json_line *l, const char *value)
{
	if (*value != '[')
		return runs_line_error(l, "\"parts\" is not a list");
	for (value = first_value(value); value; value = next_value(l, value))
		if (!parse_run_part(l, value))
			return false;
	return true;
}

static bool parse_run_thing(struct runs_json_line *l, const char *value)
{
	static const char *const why =
		"a duration is not [hierarchy, category, label, [microseconds]]";
	struct run_durations thing;
	sym_t *texts[3] = { &thing.hierarchy, &thing.category, &thing.label };
	ns_t durations[RUN_MAX_DURATIONS];
	uint32_t nr = 0;

	value = *value == '[' ? first_value(value) : NULL;
	for (int i = 0; i < 3 && value; i++, value = next_value(l, value))
		*texts[i] = intern_text_at(l, value);
	if (!value || *value != '[')
		return runs_line_error(l, why);
	for (value = first_value(value); value; value = next_value(l, value)) {
		if (nr == RUN_MAX_DURATIONS || !parse_us(l, value, &durations[nr++]))
			return runs_line_error(l, why);
	}
	runs_add_durations(l->runs, &thing, durations, nr);
	return true;
}

static bool parse_run_things(struct runs_json_line *l, const char *value)
{
	if (*value != '[')
		return runs_line_error(l, "\"durations\" is not a list");
	for (value = first_value(value); value; value = next_value(l, value))
		if (!parse_run_thing(l, value))
			return false;
	return true;
}

static bool parse_run_schema(struct runs_json_line *l, const char *value)
{
	l->has_schema = runs_text_is(l, value, SCHEMA);
	return l->has_schema || runs_line_error(l, "its schema is not " SCHEMA);
}

static bool parse_run_sid(struct runs_json_line *l, const char *value)
{
	l->run.sid = intern_text_at(l, value);
	l->has_sid = l->run.sid != SYM_NONE && l->run.sid != SYM_EMPTY;
	return l->has_sid || runs_line_error(l, "it has no \"sid\"");
}

static bool parse_run_wall(struct runs_json_line *l, const char *value)
{
	l->has_wall = parse_us(l, value, &l->run.wall);
	return l->has_wall;
}

static bool parse_run_name(struct runs_json_line *l, const char *value)
{
	l->run.name = intern_text_at(l, value);
	return true;
}

static bool parse_run_hierarchy(struct runs_json_line *l, const char *value)
{
	l->run.hierarchy = intern_text_at(l, value);
	return true;
}

static bool parse_run_worktree(struct runs_json_line *l, const char *value)
{
	l->run.worktree = intern_text_at(l, value);
	return true;
}

static bool parse_run_exe(struct runs_json_line *l, const char *value)
{
	l->run.exe = intern_text_at(l, value);
	return true;
}

static bool parse_run_failed(struct runs_json_line *l, const char *value)
{
	l->run.failed = *value == 't';
	return true;
}

static const struct {
	const char *key;
	bool (*take)(struct runs_json_line *line, const char *value);
} keys[] = {
	{ "schema", parse_run_schema }, { "sid", parse_run_sid },
	{ "start", parse_run_start },   { "wall", parse_run_wall },
	{ "name", parse_run_name },     { "hierarchy", parse_run_hierarchy },
	{ "argv", parse_run_argv },     { "worktree", parse_run_worktree },
	{ "exe", parse_run_exe },       { "failed", parse_run_failed },
	{ "parts", parse_run_parts },   { "durations", parse_run_things },
};

#define NR_KEYS (sizeof(keys) / sizeof(*keys))

/* Unknown keys, which later versions may write, are ignored; a repeated known key is an error. */
static bool parse_run_member(struct runs_json_line *l, const struct json_members *member,
			     uint32_t *seen)
{
	for (size_t i = 0; i < NR_KEYS; i++) {
		if (!runs_text_is(l, member->key - 1, keys[i].key))
			continue;
		if (*seen >> i & 1)
			return runs_line_error(l, "a key is repeated");
		*seen |= 1u << i;
		return keys[i].take(l, member->value);
	}
	return true;
}

static bool runs_line_parse(struct runs_json_line *l, const char *object)
{
	struct json_members members = json_members(&l->check, object, 0);
	uint32_t seen = 0;

	while (json_members_next(&members))
		if (!parse_run_member(l, &members, &seen))
			return false;
	if (!l->has_schema)
		return runs_line_error(l, "its schema is not " SCHEMA);
	if (!l->has_sid)
		return runs_line_error(l, "it has no \"sid\"");
	if (l->run.start == NS_NONE)
		return runs_line_error(l, "it has no \"start\"");
	if (!l->has_wall)
		return runs_line_error(l, "it has no \"wall\"");
	return l->parts == l->run.wall || runs_line_error(l, "the parts do not add up to \"wall\"");
}

enum runs_line runs_line_read(struct runs *runs, const char *text, const char **why)
{
	struct runs_json_line l = { .runs = runs,
				    .run = { .sid = SYM_NONE,
					     .start = NS_NONE,
					     .name = SYM_NONE,
					     .hierarchy = SYM_NONE,
					     .worktree = SYM_NONE,
					     .exe = SYM_NONE,
					     .argv = { SYM_NONE, SYM_NONE } } };
	const char *object = scan_blanks(text), *end;
	bool ok;

	*why = NULL;
	if (*object == '\n')
		return RUNS_LINE_BLANK;
	l.check = (struct json_check){ .base = text, .why = &l.diag };
	end = *object == '{' ? json_skip(&l.check, object, 0) : NULL;
	if (!end || *scan_blanks(end) != '\n') {
		*why = end || *object != '{' ? "not a JSON object" : l.diag.message;
		return RUNS_LINE_BAD;
	}
	l.text = xmalloc((size_t)(end - object));
	ok = runs_line_parse(&l, object);
	free(l.text);
	if (!ok) {
		runs_drop(runs);
		*why = l.why;
		return RUNS_LINE_BAD;
	}
	return runs_add(runs, &l.run) ? RUNS_LINE_ADDED : RUNS_LINE_KNOWN;
}
