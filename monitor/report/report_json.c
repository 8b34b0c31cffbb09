/* SPDX-License-Identifier: MIT */
/* The JSON report, schema trace2top-report/1. Keys and their order are a contract. */
#include "config.h"
#include "monitor/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/jw.h"
#include "monitor/attribute/attribute.h"
#include "monitor/base/json_write.h"
#include "monitor/base/user.h"
#include "monitor/report/drain.h"
#include "monitor/report/report_difference.h"
#include "monitor/report/report_findings.h"
#include "monitor/report/report_groups.h"
#include "monitor/report/report_heat.h"
#include "monitor/report/report_over_time.h"
#include "monitor/report/report_parts.h"
#include "monitor/report/report_rules.h"
#include "monitor/report/report_values.h"

#define DRAIN_BYTES (64u << 10)
/* From this depth of JSON on there are no line breaks. */
#define INLINE_FROM 2

struct json {
	struct tr2_jw jw;
	struct tr2_buf buf;
	FILE *to;
	const struct model *m;
	struct report_parts parts;
};

static void json_key_sym(struct json *j, const char *key, sym_t sym)
{
	json_write_sym(&j->jw, key, model_syms(j->m), sym);
}

static void json_key_text(struct json *j, const char *key, struct text text, bool has)
{
	json_write_text(&j->jw, key, has ? model_text(j->m, text) : NULL, text.len);
}

static void key_attribute(struct json *j, const struct process *p, enum attribute attribute)
{
	struct value value;

	tr2_jw_key(&j->jw, attributes[attribute].word);
	if (!attribute_get(j->m, p, attribute, &value)) {
		tr2_jw_null(&j->jw);
		return;
	}
	switch (attributes[attribute].type) {
	case ATTRIBUTE_TYPE_NUMBER:
		tr2_jw_int(&j->jw, value.number);
		break;
	case ATTRIBUTE_TYPE_DURATION:
		tr2_jw_seconds(&j->jw, value.number);
		break;
	case ATTRIBUTE_TYPE_TIME:
		tr2_jw_time(&j->jw, value.number);
		break;
	case ATTRIBUTE_TYPE_FLAG:
		tr2_jw_bool(&j->jw, value.number != 0);
		break;
	default:
		tr2_jw_string(&j->jw, value.text, value.len);
	}
}

static void key_strings(struct json *j, const char *key, const struct strings *strings)
{
	struct strings_cursor cursor = strings_begin(j->m, strings);
	const char *item;
	size_t len;

	tr2_jw_key(&j->jw, key);
	if (!strings->known) {
		tr2_jw_null(&j->jw);
		return;
	}
	tr2_jw_array(&j->jw);
	while ((item = strings_next(&cursor, &len))) {
		tr2_jw_string(&j->jw, item, len);
		buf_drain(&j->buf, j->to, DRAIN_BYTES);
	}
	tr2_jw_end_array(&j->jw);
}

static void key_limit(struct json *j, const char *key, int64_t limit)
{
	json_write_number(&j->jw, key, limit < 0 ? NUM_NONE : limit);
}

#define FOR_ITEMS(j, list, type, item)                                                             \
	for (uint32_t i_ = 0; i_ < (list)->nr; i_++)                                               \
		for (const struct type *item = PROCESS_ITEM((j)->m, (list), type, i_); item;       \
		     item = NULL)

static void modes(struct json *j, const struct process *p)
{
	tr2_jw_key(&j->jw, "modes");
	tr2_jw_array(&j->jw);
	for (uint32_t i = 0; i < p->modes.nr; i++) {
		sym_t sym = *(const sym_t *)vec_at(model_heap(j->m), &p->modes, i, sizeof(sym_t));
		size_t len;
		const char *text = model_sym(j->m, sym, &len);

		tr2_jw_string(&j->jw, text, len);
	}
	tr2_jw_end_array(&j->jw);
}

static void aliases(struct json *j, const struct process *p)
{
	tr2_jw_key(&j->jw, "aliases");
	tr2_jw_array(&j->jw);
	FOR_ITEMS(j, &p->aliases, alias_item, item)
	{
		tr2_jw_object(&j->jw);
		json_key_sym(j, "alias", item->alias);
		key_strings(j, "argv", &item->argv);
		tr2_jw_end_object(&j->jw);
	}
	tr2_jw_end_array(&j->jw);
}

static void worktrees(struct json *j, const struct process *p)
{
	tr2_jw_key(&j->jw, "worktrees");
	tr2_jw_array(&j->jw);
	FOR_ITEMS(j, &p->worktrees, worktree_item, item)
	{
		tr2_jw_object(&j->jw);
		json_write_number(&j->jw, "repo", item->repo);
		json_key_sym(j, "worktree", item->worktree);
		tr2_jw_end_object(&j->jw);
	}
	tr2_jw_end_array(&j->jw);
}

static void json_errors(struct json *j, const struct process *p)
{
	tr2_jw_key(&j->jw, "errors");
	tr2_jw_array(&j->jw);
	FOR_ITEMS(j, &p->errors, error_item, item)
	{
		tr2_jw_object(&j->jw);
		json_key_text(j, "msg", item->msg, item->has_msg);
		json_key_sym(j, "fmt", item->fmt);
		tr2_jw_end_object(&j->jw);
		buf_drain(&j->buf, j->to, DRAIN_BYTES);
	}
	tr2_jw_end_array(&j->jw);
}

static void params(struct json *j, const struct process *p)
{
	tr2_jw_key(&j->jw, "params");
	tr2_jw_array(&j->jw);
	FOR_ITEMS(j, &p->params, param_item, item)
	{
		tr2_jw_object(&j->jw);
		json_key_sym(j, "param", item->param);
		json_key_text(j, "value", item->value, item->has_value);
		json_key_sym(j, "scope", item->scope);
		tr2_jw_end_object(&j->jw);
		buf_drain(&j->buf, j->to, DRAIN_BYTES);
	}
	tr2_jw_end_array(&j->jw);
}

static void data(struct json *j, const struct process *p)
{
	tr2_jw_key(&j->jw, "data");
	tr2_jw_array(&j->jw);
	FOR_ITEMS(j, &p->data, data_item, item)
	{
		tr2_jw_object(&j->jw);
		json_key_sym(j, "thread", item->thread);
		json_key_sym(j, "category", item->category);
		json_key_sym(j, "key", item->key);
		if (item->is_json && item->has_value) {
			tr2_jw_key(&j->jw, "value");
			tr2_jw_raw(&j->jw, model_text(j->m, item->value), item->value.len);
		} else {
			json_key_text(j, "value", item->value, item->has_value);
		}
		json_write_number(&j->jw, "nesting", item->nesting);
		json_write_seconds(&j->jw, "t_abs", item->t_abs);
		json_write_seconds(&j->jw, "t_rel", item->t_rel);
		tr2_jw_end_object(&j->jw);
		buf_drain(&j->buf, j->to, DRAIN_BYTES);
	}
	tr2_jw_end_array(&j->jw);
}

static void timers(struct json *j, const struct process *p)
{
	tr2_jw_key(&j->jw, "timers");
	tr2_jw_array(&j->jw);
	FOR_ITEMS(j, &p->timers, timer_item, item)
	{
		tr2_jw_object(&j->jw);
		json_key_sym(j, "category", item->category);
		json_key_sym(j, "name", item->name);
		json_key_sym(j, "thread", item->thread);
		json_write_number(&j->jw, "intervals", item->intervals);
		json_write_seconds(&j->jw, "total", item->total);
		json_write_seconds(&j->jw, "min", item->min);
		json_write_seconds(&j->jw, "max", item->max);
		tr2_jw_end_object(&j->jw);
	}
	tr2_jw_end_array(&j->jw);
}

static void counters(struct json *j, const struct process *p)
{
	tr2_jw_key(&j->jw, "counters");
	tr2_jw_array(&j->jw);
	FOR_ITEMS(j, &p->counters, counter_item, item)
	{
		tr2_jw_object(&j->jw);
		json_key_sym(j, "category", item->category);
		json_key_sym(j, "name", item->name);
		json_key_sym(j, "thread", item->thread);
		json_write_number(&j->jw, "count", item->count);
		tr2_jw_end_object(&j->jw);
	}
	tr2_jw_end_array(&j->jw);
}

static void json_open_regions(struct json *j, const struct process *p, const struct thread *t)
{
	tr2_jw_key(&j->jw, "open");
	tr2_jw_array(&j->jw);
	FOR_ITEMS(j, &t->open, open_region, open)
	{
		tr2_jw_object(&j->jw);
		json_key_sym(j, "category", open->category);
		json_key_sym(j, "label", open->label);
		json_key_text(j, "msg", open->msg, open->has_msg);
		json_write_number(&j->jw, "nesting", open->nesting);
		json_write_seconds(&j->jw, "elapsed", report_open_elapsed(p, open));
		tr2_jw_end_object(&j->jw);
		buf_drain(&j->buf, j->to, DRAIN_BYTES);
	}
	tr2_jw_end_array(&j->jw);
}

static void json_threads(struct json *j, const struct process *p)
{
	tr2_jw_key(&j->jw, "threads");
	tr2_jw_array(&j->jw);
	FOR_ITEMS(j, &p->threads, thread, t)
	{
		tr2_jw_object(&j->jw);
		json_key_sym(j, "name", t->name);
		json_write_cstring(&j->jw, "state",
				   report_thread_exited(p, t) ? "exited" : "running");
		json_write_seconds(&j->jw, "elapsed", t->elapsed);
		json_write_count(&j->jw, "regions", t->nr_regions);
		json_write_number(&j->jw, "max_nesting", t->max_nesting);
		json_open_regions(j, p, t);
		tr2_jw_end_object(&j->jw);
		buf_drain(&j->buf, j->to, DRAIN_BYTES);
	}
	tr2_jw_end_array(&j->jw);
}

static void json_children(struct json *j, const struct process *p)
{
	static const char *const states[] = { [CHILD_RUNNING] = "running",
					      [CHILD_READY] = "ready",
					      [CHILD_EXITED] = "exited",
					      [CHILD_LOST] = "lost" };

	tr2_jw_key(&j->jw, "children");
	tr2_jw_array(&j->jw);
	FOR_ITEMS(j, &p->children, child, c)
	{
		tr2_jw_object(&j->jw);
		json_write_number(&j->jw, "child_id", c->child_id);
		json_key_sym(j, "class", c->child_class);
		json_key_sym(j, "hook", c->hook);
		key_strings(j, "argv", &c->argv);
		json_key_text(j, "cd", c->cd, c->has_cd);
		tr2_jw_key(&j->jw, "use_shell");
		if (c->use_shell < 0)
			tr2_jw_null(&j->jw);
		else
			tr2_jw_bool(&j->jw, c->use_shell);
		json_write_number(&j->jw, "pid", c->pid);
		json_write_number(&j->jw, "code", c->code);
		json_write_seconds(&j->jw, "elapsed", c->elapsed);
		tr2_jw_key(&j->jw, "ready");
		if (c->has_ready) {
			tr2_jw_object(&j->jw);
			json_key_sym(j, "state", c->ready);
			json_write_seconds(&j->jw, "elapsed", c->ready_elapsed);
			tr2_jw_end_object(&j->jw);
		} else {
			tr2_jw_null(&j->jw);
		}
		json_write_cstring(&j->jw, "state", states[child_state(p, c)]);
		json_key_text(j, "sid",
			      c->process == SLOT_NONE ? (struct text){ 0 }
						      : model_slot(j->m, c->process)->sid,
			      c->process != SLOT_NONE);
		json_write_count(&j->jw, "processes", c->nr_processes);
		tr2_jw_end_object(&j->jw);
		buf_drain(&j->buf, j->to, DRAIN_BYTES);
	}
	tr2_jw_end_array(&j->jw);
}

static void execs(struct json *j, const struct process *p)
{
	tr2_jw_key(&j->jw, "execs");
	tr2_jw_array(&j->jw);
	FOR_ITEMS(j, &p->execs, exec_item, item)
	{
		tr2_jw_object(&j->jw);
		json_write_number(&j->jw, "exec_id", item->exec_id);
		json_key_sym(j, "exe", item->exe);
		key_strings(j, "argv", &item->argv);
		json_write_number(&j->jw, "code", item->code);
		tr2_jw_end_object(&j->jw);
	}
	tr2_jw_end_array(&j->jw);
}

static void process_parent(struct json *j, const struct process *p)
{
	json_key_text(j, "parent", p->parent_sid, p->has_parent);
	json_write_number(
		&j->jw, "child_id",
		p->parent != SLOT_NONE && p->link != SLOT_NONE
			? process_child(j->m, model_slot(j->m, p->parent), p->link)->child_id
			: NUM_NONE);
}

static void json_user(struct json *j, const struct process *p)
{
	char name[USER_BYTES];

	json_write_cstring(&j->jw, "user", p->uid == NUM_NONE ? NULL : user_name(p->uid, name));
	json_write_number(&j->jw, "uid", p->uid);
}

static void json_process(struct json *j, const struct report_input *input, uint32_t slot)
{
	const struct process *p = model_slot(j->m, slot);

	tr2_jw_object(&j->jw);
	key_attribute(j, p, ATTRIBUTE_SID);
	process_parent(j, p);
	key_attribute(j, p, ATTRIBUTE_DEPTH);
	key_attribute(j, p, ATTRIBUTE_PID);
	key_attribute(j, p, ATTRIBUTE_HOST);
	if (p->agent != SYM_NONE)
		key_attribute(j, p, ATTRIBUTE_AGENT);
	key_attribute(j, p, ATTRIBUTE_NAME);
	key_attribute(j, p, ATTRIBUTE_HIERARCHY);
	key_strings(j, "argv", &p->argv);
	key_attribute(j, p, ATTRIBUTE_PATH);
	key_attribute(j, p, ATTRIBUTE_EXE);
	key_attribute(j, p, ATTRIBUTE_EVT);
	key_strings(j, "ancestry", &p->ancestry);
	modes(j, p);
	aliases(j, p);
	worktrees(j, p);
	key_attribute(j, p, ATTRIBUTE_START);
	key_attribute(j, p, ATTRIBUTE_END);
	key_attribute(j, p, ATTRIBUTE_ELAPSED);
	key_attribute(j, p, ATTRIBUTE_STATE);
	if (p->format != SYM_NONE) {
		key_attribute(j, p, ATTRIBUTE_FORMAT);
		json_write_bool(&j->jw, "guessed", p->guessed);
		json_write_cstring(&j->jw, "clock", process_clock_names[p->clock]);
	}
	key_attribute(j, p, ATTRIBUTE_CODE);
	key_attribute(j, p, ATTRIBUTE_SIGNO);
	json_errors(j, p);
	params(j, p);
	data(j, p);
	timers(j, p);
	counters(j, p);
	json_threads(j, p);
	json_children(j, p);
	execs(j, p);
	json_user(j, p);
	if (input->parts && p->parent == SLOT_NONE)
		report_parts_json(&j->parts, &j->jw, input, slot);
	if (input->parts && p->state == STATE_RUNNING)
		report_waits_json(&j->parts, &j->jw, input, slot);
	tr2_jw_end_object(&j->jw);
}

static void json_processes(struct json *j, const struct report_input *input)
{
	uint32_t nr;
	uint32_t *slots = report_processes(input, &nr);

	tr2_jw_key(&j->jw, "processes");
	tr2_jw_array(&j->jw);
	for (uint32_t i = 0; i < nr && work_goes_on(input->work, i, nr); i++) {
		json_process(j, input, slots[i]);
		buf_drain(&j->buf, j->to, DRAIN_BYTES);
	}
	tr2_jw_end_array(&j->jw);
	free(slots);
}

static void key_some(struct json *j, const char *name, uint64_t count)
{
	if (count)
		json_write_count(&j->jw, name, count);
}

static void json_sources(struct json *j, const struct report_input *input)
{
	tr2_jw_key(&j->jw, "sources");
	tr2_jw_array(&j->jw);
	for (int i = 0; i < input->nr_sources; i++) {
		const struct source_stats *s = &input->sources[i];

		tr2_jw_object(&j->jw);
		json_write_cstring(&j->jw, "spec", s->spec);
		json_write_cstring(&j->jw, "kind", s->kind);
		json_write_cstring(&j->jw, "format", s->format);
#define COUNTED(member, ...)      json_write_count(&j->jw, #member, s->member);
#define COUNTED_SOME(member, ...) key_some(j, #member, s->member);
#include "monitor/event/source_counters.def"
		if (*s->hint)
			json_write_cstring(&j->jw, "hint", s->hint);
		if (*s->agents)
			json_write_cstring(&j->jw, "agents", s->agents);
		tr2_jw_end_object(&j->jw);
	}
	tr2_jw_end_array(&j->jw);
}

static void json_totals(struct json *j, const struct report_input *input)
{
	struct report_totals t;

	report_totals(input, &t);
	tr2_jw_key(&j->jw, "totals");
	tr2_jw_object(&j->jw);
	json_write_count(&j->jw, "events", t.events);
	json_write_count(&j->jw, "malformed", t.malformed);
	json_write_count(&j->jw, "oversized", t.oversized);
	json_write_count(&j->jw, "processes", t.processes);
	json_write_count(&j->jw, "running", t.running);
	json_write_count(&j->jw, "exited", t.exited);
	json_write_count(&j->jw, "failed", t.failed);
	json_write_count(&j->jw, "signaled", t.signaled);
	json_write_count(&j->jw, "replaced", t.replaced);
	json_write_count(&j->jw, "lost", t.lost);
	json_write_count(&j->jw, "untraced", t.untraced);
	json_write_count(&j->jw, "threads", t.threads);
	json_write_count(&j->jw, "regions", t.regions);
	json_write_count(&j->jw, "open_regions", t.open_regions);
	json_write_count(&j->jw, "children", t.children);
	json_write_count(&j->jw, "errors", t.errors);
	json_write_count(&j->jw, "untimed", t.untimed);
	tr2_jw_end_object(&j->jw);
}

static void json_dropped(struct json *j, const struct report_input *input)
{
	const struct model_dropped *d = model_dropped(j->m);

	tr2_jw_key(&j->jw, "dropped");
	tr2_jw_object(&j->jw);
	json_write_count(&j->jw, "finished_processes", d->finished);
	json_write_count(&j->jw, "silent_processes", d->silent);
	json_write_count(&j->jw, "late_events", d->late_events);
	json_write_count(&j->jw, "list_items", d->list_items);
	json_write_count(&j->jw, "timings_other", d->timing_other);
	json_write_count(&j->jw, "commands_other", d->command_other);
	json_write_count(&j->jw, "names_other", d->names_other);
	json_write_count(&j->jw, "ledger", d->ledger);
	json_write_count(&j->jw, "interned_other", model_syms(j->m)->nr_refused);
	key_some(j, "samples", d->samples);
	key_some(j, "usual", d->usual);
	json_write_count(&j->jw, "unread_events", input->dropped_events);
	json_write_count(&j->jw, "gaps", d->gaps);
	tr2_jw_end_object(&j->jw);
}

static void json_events(struct json *j)
{
	tr2_jw_key(&j->jw, "events");
	tr2_jw_object(&j->jw);
	for (int kind = 0; kind < TR2_NR_EVENTS; kind++)
		if (model_event_count(j->m, kind))
			json_write_count(&j->jw, tr2_events[kind].wire,
					 model_event_count(j->m, kind));
	for (uint32_t i = 0; i < model_nr_event_names(j->m); i++) {
		sym_t name;
		uint64_t count = model_event_name(j->m, i, &name);
		size_t len;
		const char *text = model_sym(j->m, name, &len);

		tr2_jw_key_bytes(&j->jw, text, len);
		tr2_jw_uint(&j->jw, count);
	}
	tr2_jw_end_object(&j->jw);
}

static void json_timings(struct json *j, const struct report_input *input)
{
	uint32_t nr;
	struct report_timing *rows = report_timings(input, &nr);

	tr2_jw_key(&j->jw, "timings");
	tr2_jw_array(&j->jw);
	for (uint32_t i = 0; i < nr; i++) {
		const struct timing *t = &rows[i].timing;

		tr2_jw_object(&j->jw);
		json_key_sym(j, "category", t->category);
		json_key_sym(j, "label", t->label);
		json_write_count(&j->jw, "count", t->count);
		json_write_seconds(&j->jw, "total", t->total);
		json_write_seconds(&j->jw, "self", t->self);
		json_write_seconds(&j->jw, "min", t->min);
		json_write_seconds(&j->jw, "mean", t->total / (ns_t)t->count);
		json_write_seconds(&j->jw, "max", t->max);
		json_write_seconds(&j->jw, "p50", rows[i].p50);
		json_write_seconds(&j->jw, "p90", rows[i].p90);
		json_write_seconds(&j->jw, "p99", rows[i].p99);
		json_write_count(&j->jw, "failed", t->failed);
		tr2_jw_end_object(&j->jw);
		buf_drain(&j->buf, j->to, DRAIN_BYTES);
	}
	tr2_jw_end_array(&j->jw);
	free(rows);
}

static ns_t command_mean(const struct command *c)
{
	return c->timed ? c->total / (ns_t)c->timed : NS_NONE;
}

static void json_commands(struct json *j, const struct report_input *input)
{
	struct commands_by by = COMMANDS_BY_NAME;
	struct report_commands json_commands;
	struct command_trends trends = { 0 };

	report_commands(input, &by, &json_commands);
	command_trends_make(&trends, &json_commands.commands, j->m);
	tr2_jw_key(&j->jw, "commands");
	tr2_jw_array(&j->jw);
	for (uint32_t i = 0; i < json_commands.nr; i++) {
		const struct command *c = &json_commands.rows[i].command;

		tr2_jw_object(&j->jw);
		json_write_text(&j->jw, "name", c->text, c->len);
		json_write_count(&j->jw, "count", c->count);
		json_write_count(&j->jw, "running", c->running);
		json_write_count(&j->jw, "failed", c->failed);
		json_write_seconds(&j->jw, "total", c->total);
		json_write_seconds(&j->jw, "min", c->min);
		json_write_seconds(&j->jw, "mean", command_mean(c));
		json_write_seconds(&j->jw, "max", c->max);
		json_write_seconds(&j->jw, "p50", json_commands.rows[i].p50);
		json_write_seconds(&j->jw, "p90", json_commands.rows[i].p90);
		json_write_seconds(&j->jw, "p99", json_commands.rows[i].p99);
		json_write_time(&j->jw, "last", c->last);
		command_trend_json(&j->jw, &trends, json_commands.rows[i].row);
		tr2_jw_end_object(&j->jw);
		buf_drain(&j->buf, j->to, DRAIN_BYTES);
	}
	tr2_jw_end_array(&j->jw);
	command_trends_release(&trends);
	report_commands_release(&json_commands);
}

static void json_end(void *report, FILE *to, const struct report_input *input)
{
	struct json j = { .to = to, .m = input->model };

	(void)report;
	tr2_buf_init(&j.buf, SIZE_MAX / 2);
	tr2_jw_init(&j.jw, &j.buf, INLINE_FROM);
	tr2_jw_object(&j.jw);
	json_write_cstring(&j.jw, "schema", "trace2top-report/1");
	key_limit(&j, "nesting", input->nesting);
	key_limit(&j, "depth", input->depth);
	json_write_cstring(&j.jw, "filter", input->filter);
	json_sources(&j, input);
	json_totals(&j, input);
	json_dropped(&j, input);
	json_events(&j);
	json_processes(&j, input);
	json_timings(&j, input);
	json_commands(&j, input);
	buf_drain(&j.buf, j.to, 0);
	over_time_json(&j.jw, j.m);
	heat_json(&j.jw, input);
	report_groups_json(&j.jw, input);
	report_difference_json(&j.jw, input);
	report_values_json(&j.jw, input);
	if (input->parts)
		report_parts_json_sum(&j.parts, &j.jw, input);
	report_parts_release(&j.parts);
	if (input->findings)
		report_findings_json_of(&j.jw, input);
	verdicts_json(&j.jw, j.m, input->verdicts);
	tr2_jw_end_object(&j.jw);
	tr2_buf_addch(&j.buf, '\n');
	buf_drain(&j.buf, j.to, 0);
	tr2_buf_release(&j.buf);
}

const struct exporter_ops report_json = { .end = json_end };
