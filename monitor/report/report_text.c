/* SPDX-License-Identifier: MIT */
/*
 * The text report: the panes' tables with all their rows, for people and for bug reports. Times
 * and counts read as on the screen; nothing of a trace reaches the output but printable text.
 */
#include "config.h"
#include "monitor/report/report.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/digits.h"
#include "engine/base/jw.h"
#include "monitor/analysis/say.h"
#include "monitor/analysis/formats.h"
#include "monitor/analysis/together.h"
#include "monitor/base/humanize.h"
#include "monitor/base/visible.h"
#include "monitor/base/secrets.h"

#define DRAIN_BYTES (64u << 10)
/* Command lines and messages are cut here: 120 KB of arguments help nobody. */
#define TEXT_MAX_BYTES 400u
/* Deeper levels stand at this one: a SID may have 100,000. */
#define MAX_INDENT  24u
#define START_CELLS 29

struct out {
	struct tr2_buf buf, line;
	FILE *to;
	const struct model *m;
	const struct report_input *input;
};

static void drain(struct out *o, size_t beyond)
{
	if (o->buf.len <= beyond)
		return;
	fwrite(o->buf.data, 1, o->buf.len, o->to);
	tr2_buf_clear(&o->buf);
}

/* ---- cells ---- */

__attribute__((format(printf, 2, 3))) static void put(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tr2_buf_vaddf(&o->buf, fmt, ap);
	va_end(ap);
}

/* Without printf(), which takes most of the time of a long report. */

static void say(struct out *o, const char *text)
{
	tr2_buf_addstr(&o->buf, text);
}

/* In a column of `width`, at its right. */
static void say_right(struct out *o, const char *text, size_t width)
{
	size_t len = strlen(text);

	if (len < width)
		tr2_buf_fill(&o->buf, ' ', width - len);
	tr2_buf_add(&o->buf, text, len);
}

static void say_num(struct out *o, int64_t num, size_t width)
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

static void put_visible(struct out *o, const char *s, size_t len)
{
	bool cut;

	s = secrets_hide(s, &len);
	cut = len > TEXT_MAX_BYTES;
	text_visible(&o->buf, s, cut ? TEXT_MAX_BYTES : len);
	if (cut)
		put(o, "... (%zu bytes)", len);
}

static void put_sym(struct out *o, sym_t sym, const char *absent)
{
	size_t len;
	const char *s = model_sym(o->m, sym, &len);

	if (sym == SYM_NONE)
		tr2_buf_addstr(&o->buf, absent);
	else
		put_visible(o, s, len);
}

static void put_text(struct out *o, struct text text)
{
	put_visible(o, model_text(o->m, text), text.len);
}

/* Blanks up to `width` characters from `start`, at least one. */
static void pad(struct out *o, size_t start, size_t width)
{
	size_t nr = 0;

	for (size_t i = start; i < o->buf.len; i++)
		nr += ((unsigned char)o->buf.data[i] & 0xC0) != 0x80;
	tr2_buf_fill(&o->buf, ' ', nr < width ? width - nr : 1);
}

static void put_argv(struct out *o, const struct strings *argv)
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

static void put_indent(struct out *o, uint32_t depth)
{
	tr2_buf_fill(&o->buf, ' ', 2 * (size_t)(depth < MAX_INDENT ? depth : MAX_INDENT));
}

static void put_num(struct out *o, int64_t num)
{
	if (num == NUM_NONE)
		tr2_buf_addch(&o->buf, '-');
	else
		say_num(o, num, 1);
}

/* ---- sources, totals, events ---- */

/* How wide a source's counter is: bad news are few. */
static int counter_width(const char *name, enum figure figure)
{
	int least = figure == FIGURE_TROUBLE ? 8 : 10, len = (int)strlen(name);

	return len > least ? len : least;
}

static void put_counter_heading(struct out *o, const char *name, enum figure figure)
{
	for (int blanks = counter_width(name, figure) - (int)strlen(name) + 1; blanks; blanks--)
		tr2_buf_addch(&o->buf, ' ');
	for (; *name; name++)
		tr2_buf_addch(&o->buf, (char)toupper((unsigned char)*name));
}

/* A count that few have: nothing where it is 0. */
static void put_some(struct out *o, uint64_t count, const char *words)
{
	if (count)
		put(o, ", %" PRIu64 " %s", count, words);
}

static void sources(struct out *o)
{
	put(o, "Sources\n  %-12s", "KIND");
#define COUNTED(member, HEADING, CELLS, RANK, FIGURE)                                              \
	put_counter_heading(o, #member, FIGURE_##FIGURE);
#include "monitor/event/source_counters.def"
	say(o, "  SPEC\n");
	for (int i = 0; i < o->input->nr_sources; i++) {
		const struct source_stats *s = &o->input->sources[i];

		put(o, "  %-12s", s->kind ? s->kind : "-");
#define COUNTED(member, HEADING, CELLS, RANK, FIGURE)                                              \
	put(o, " %*" PRIu64, counter_width(#member, FIGURE_##FIGURE), s->member);
#include "monitor/event/source_counters.def"
		say(o, "  ");
		put_visible(o, s->spec, strlen(s->spec));
#define COUNTED_SOME(member, WORDS) put_some(o, s->member, WORDS);
#include "monitor/event/source_counters.def"
		say(o, "\n");
	}
	say(o, "\n");
}

static void limits(struct out *o)
{
	if (o->input->nesting >= 0)
		put(o, "Only regions and data of nesting <= %" PRId64 ".\n", o->input->nesting);
	if (o->input->depth >= 0)
		put(o, "Only processes of depth <= %" PRId64 ".\n", o->input->depth);
	if (o->input->filter) {
		say(o, "Only processes that match: ");
		put_visible(o, o->input->filter, strlen(o->input->filter));
		say(o, "\n");
	}
	if (o->input->nesting >= 0 || o->input->depth >= 0 || o->input->filter)
		say(o, "\n");
}

static void totals(struct out *o)
{
	struct report_totals t;

	report_totals(o->input, &t);
	put(o,
	    "Totals\n"
	    "  events %" PRIu64 ", malformed %" PRIu64 ", oversized %" PRIu64 "\n"
	    "  processes %" PRIu64 ": running %" PRIu64 ", exited %" PRIu64 " (failed %" PRIu64
	    "), signaled %" PRIu64 ", replaced %" PRIu64 ", lost %" PRIu64,
	    t.events, t.malformed, t.oversized, t.processes, t.running, t.exited, t.failed,
	    t.signaled, t.replaced, t.lost);
	put_some(o, t.untraced, "untraced");
	put(o,
	    "\n"
	    "  threads %" PRIu64 ", regions %" PRIu64 ", open regions %" PRIu64
	    ", children %" PRIu64 ", errors %" PRIu64 "\n\n",
	    t.threads, t.regions, t.open_regions, t.children, t.errors);
}

/* What a bound or a gap has kept out of the figures; nothing is said where nothing was. */
static void dropped(struct out *o)
{
	const struct model_dropped *d = model_dropped(o->m);
	const struct {
		const char *what;
		uint64_t nr;
	} rows[] = {
		{ "finished processes evicted", d->finished },
		{ "silent processes evicted", d->silent },
		{ "late events of evicted processes", d->late_events },
		{ "items that left a full list", d->list_items },
		{ "regions counted under (other)", d->timing_other },
		{ "commands counted under (other)", d->command_other },
		{ "event names counted under (other)", d->names_other },
		{ "events dropped unread", d->journal_events },
		{ "gaps in which nothing could be received", d->gaps },
	};
	bool any = false;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!rows[i].nr)
			continue;
		put(o, "%s  %" PRIu64 " %s\n", any ? "" : "Not in the figures\n", rows[i].nr,
		    rows[i].what);
		any = true;
	}
	if (any)
		say(o, "\n");
}

static void events(struct out *o)
{
	say(o, "Events by name\n");
	for (unsigned kind = 0; kind < TR2_NR_EVENTS; kind++) {
		uint64_t nr = model_event_count(o->m, kind);

		if (nr)
			put(o, "  %-24s %" PRIu64 "\n", tr2_events[kind].wire, nr);
	}
	for (uint32_t i = 0; i < model_nr_event_names(o->m); i++) {
		size_t start = o->buf.len;
		sym_t name;
		uint64_t nr = model_event_name(o->m, i, &name);

		say(o, "  ");
		put_sym(o, name, "-");
		pad(o, start, 26);
		put(o, " %" PRIu64 "\n", nr);
		drain(o, DRAIN_BYTES);
	}
	say(o, "\n");
}

/* ---- processes ---- */

static void state_cell(struct out *o, const struct process *p)
{
	size_t start = o->buf.len;

	if (p->state == STATE_EXITED && p->code != NUM_NONE) {
		say(o, process_failed(p) ? "FAIL " : "exit ");
		say_num(o, p->code, 1);
	} else if (p->state == STATE_SIGNALED && p->signo != NUM_NONE) {
		say(o, "signal ");
		say_num(o, p->signo, 1);
	} else {
		say(o, process_state_names[p->state]);
	}
	pad(o, start, 12);
}

/* The same words as on the screen. */
static void command_cell(struct out *o, const struct process *p)
{
	size_t name_len;

	tr2_buf_clear(&o->line);
	say_command(o->m, p, &o->line, &name_len);
	put_visible(o, tr2_buf_cstr(&o->line), o->line.len);
}

static void start_cell(struct out *o, const struct process *p)
{
	size_t at = o->buf.len;

	if (p->start == NS_NONE)
		say(o, "-");
	else
		tr2_wall_text(&o->buf, p->start);
	pad(o, at, START_CELLS);
}

/* Its whole command line, else its name, else its SID. */
static void command_line(struct out *o, const struct process *p)
{
	if (p->argv.nr)
		put_argv(o, &p->argv);
	else if (p->hierarchy != SYM_NONE || p->name != SYM_NONE)
		put_sym(o, p->hierarchy != SYM_NONE ? p->hierarchy : p->name, "");
	else
		put_text(o, p->sid);
}

static uint32_t children_over(struct out *o, const struct process *p)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < p->children.nr; i++)
		nr += process_child(o->m, p, i)->state == CHILD_EXITED;
	return nr;
}

/* Those that are over, of how many. */
static void children_cell(struct out *o, const struct process *p)
{
	char text[2 * TR2_DIGITS_BYTES];

	if (!p->children.nr) {
		say_right(o, "0", 7);
		return;
	}
	snprintf(text, sizeof(text), "%" PRIu32 "/%" PRIu32, children_over(o, p), p->children.nr);
	say_right(o, text, 7);
}

static void process_row(struct out *o, const struct process *p)
{
	say(o, "  ");
	say_num(o, p->depth, 2);
	say(o, " ");
	if (p->pid == NUM_NONE)
		say_right(o, "-", 8);
	else
		say_num(o, p->pid, 8);
	say(o, " ");
	state_cell(o, p);
	say_right(o, human_duration(process_elapsed(p)).text, 10);
	say(o, " ");
	say_num(o, p->threads.nr, 4);
	say(o, " ");
	say_num(o, (int64_t)p->nr_regions, 7);
	say(o, " ");
	children_cell(o, p);
	say(o, " ");
	say_num(o, p->nr_errors, 4);
	say(o, "  ");
	start_cell(o, p);
	put_indent(o, p->depth);
	command_cell(o, p);
	if (p->state == STATE_RUNNING && !p->live)
		say(o, "  (stale)");
	say(o, "\n");
	drain(o, DRAIN_BYTES);
}

static void processes(struct out *o, const uint32_t *slots, uint32_t nr)
{
	put(o, "Processes by depth\n  %2s %8s %-12s%10s %4s %7s %7s %4s  %-*sCOMMAND\n", "D", "PID",
	    "STATE", "ELAPSED", "THR", "REG", "CHILD", "ERR", START_CELLS, "START");
	for (uint32_t i = 0; i < nr && work_goes_on(o->input->work, i, 2ull * nr); i++)
		process_row(o, model_slot(o->m, slots[i]));
	say(o, "\n");
}

/* ---- threads and regions ---- */

static void region_names(struct out *o, sym_t category, sym_t label)
{
	put_sym(o, category, "-");
	tr2_buf_addch(&o->buf, '/');
	put_sym(o, label, "-");
}

static void node_row(struct out *o, const struct region_node *node, uint32_t depth)
{
	const struct timing_cell *cell = model_cell(o->m, node->cell);
	size_t start = o->buf.len;

	if (!node->count)
		return;
	say(o, "      ");
	put_indent(o, depth);
	region_names(o, cell->category, cell->label);
	pad(o, start, 50);
	say_right(o, human_count(node->count).text, 8);
	say_right(o, human_duration(node->total).text, 10);
	say_right(o, human_duration(node->self).text, 10);
	say(o, "\n");
	drain(o, DRAIN_BYTES);
}

static void nodes(struct out *o, uint32_t ref)
{
	for (uint32_t depth = 0; ref; ref = model_node_next(o->m, ref, &depth))
		node_row(o, model_node(o->m, ref), depth);
}

static void open_row(struct out *o, const struct process *p, const struct open_region *open,
		     uint32_t depth)
{
	size_t start = o->buf.len;

	say(o, "      ");
	put_indent(o, depth);
	region_names(o, open->category, open->label);
	if (open->has_msg && open->msg.len) {
		say(o, " ");
		put_text(o, open->msg);
	}
	pad(o, start, 50);
	say_right(o, "open", 8);
	say_right(o, human_duration(report_open_elapsed(p, open)).text, 10);
	say(o, "\n");
	drain(o, DRAIN_BYTES);
}

static void thread_rows(struct out *o, const struct process *p, const struct thread *t)
{
	size_t start = o->buf.len;

	say(o, "    ");
	put_sym(o, t->name, "(no thread name)");
	pad(o, start, 50);
	say_right(o, report_thread_exited(p, t) ? "exited" : "running", 8);
	say_right(o, human_duration(t->elapsed).text, 10);
	say(o, "\n");
	for (uint32_t i = 0; i < t->open.nr; i++)
		open_row(o, p, thread_open(o->m, t, i), i);
	nodes(o, t->nodes);
	drain(o, DRAIN_BYTES);
}

/* ---- children, errors ---- */

static void say_child_state(struct out *o, const struct process *p, const struct child *c)
{
	enum child_state state = child_state(p, c);
	size_t start = o->buf.len;

	if (c->state == CHILD_EXITED) {
		say(o, "exit ");
		put_num(o, c->code);
	} else {
		say(o, state == CHILD_READY ? "ready" : state == CHILD_LOST ? "lost" : "running");
	}
	pad(o, start, 10);
	say_right(o, human_duration(c->state == CHILD_READY ? c->ready_elapsed : c->elapsed).text,
		  9);
	say(o, "  ");
}

static void child_row(struct out *o, const struct process *parent, const struct child *c)
{
	size_t start = o->buf.len;

	say(o, "    [");
	put_num(o, c->child_id);
	say(o, "] ");
	put_sym(o, c->child_class, "-");
	if (c->hook != SYM_NONE) {
		say(o, " ");
		put_sym(o, c->hook, "");
	}
	pad(o, start, 26);
	say_child_state(o, parent, c);
	put_argv(o, &c->argv);
	if (c->any_process != SLOT_NONE) {
		const struct process *p = model_slot(o->m, c->any_process);

		if (p->pid != NUM_NONE)
			put(o, "  -> %" PRId64, p->pid);
	}
	say(o, "\n");
	drain(o, DRAIN_BYTES);
}

static void error_rows(struct out *o, const struct process *p)
{
	for (uint32_t i = 0; i < p->errors.nr; i++) {
		const struct error_item *e = PROCESS_ITEM(o->m, &p->errors, error_item, i);

		say(o, "    error: ");
		if (e->has_msg)
			put_text(o, e->msg);
		else
			put_sym(o, e->fmt, "(no message)");
		say(o, "\n");
		drain(o, DRAIN_BYTES);
	}
}

/* Whether there is more to say of it than its row has said. */
static bool has_details(struct out *o, const struct process *p)
{
	if (p->children.nr || p->errors.nr || p->nr_regions || p->threads.nr > 1)
		return true;
	return p->threads.nr && process_thread(o->m, p, 0)->open.nr;
}

/* All threads of a process together, where its format tells what they wait for. */
static void together_rows(struct out *o, const struct process *p, uint32_t slot)
{
	struct analysis what = { .model = o->m, .limits = { -1, -1 }, .now = p->end };
	struct together t = { .parts = NULL };
	struct together_line line = { .text = { .max = 4096 } };

	if (!together_make(&t, &what, slot))
		return;
	for (uint32_t i = 0; together_line(o->m, p, &t, i, &line); i++) {
		size_t start = o->buf.len;

		say(o, line.is_part ? "      " : "    ");
		put_visible(o, line.text.data, line.text.len);
		pad(o, start, 50);
		say_right(o, line.count ? human_count(line.count).text : "", 8);
		put(o, " %9s\n", human_duration(line.time).text);
	}
	tr2_buf_release(&line.text);
	together_release(&t);
	drain(o, DRAIN_BYTES);
}

static bool details(struct out *o, uint32_t slot)
{
	const struct process *p = model_slot(o->m, slot);

	if (!has_details(o, p))
		return false;
	say(o, "  ");
	command_line(o, p);
	say(o, "\n   ");
	put_text(o, p->sid);
	say(o, "\n");
	error_rows(o, p);
	together_rows(o, p, slot);
	for (uint32_t i = 0; i < p->threads.nr; i++)
		thread_rows(o, p, process_thread(o->m, p, i));
	for (uint32_t i = 0; i < p->children.nr; i++)
		child_row(o, p, process_child(o->m, p, i));
	say(o, "\n");
	return true;
}

static void threads_and_children(struct out *o, const uint32_t *slots, uint32_t nr)
{
	bool any = false;

	say(o, "Threads, regions and children by process\n");
	for (uint32_t i = 0; i < nr && work_goes_on(o->input->work, nr + i, 2ull * nr); i++)
		any |= details(o, slots[i]);
	/* Each of them ends with a blank line. */
	if (!any)
		say(o, "\n");
}

/* ---- timings ---- */

static void timing_row(struct out *o, const struct report_timing *t)
{
	const struct timing *x = &t->timing;
	const ns_t times[] = { x->total, x->self, x->min, x->total / (ns_t)x->count,
			       x->max,   t->p50,  t->p90, t->p99 };
	size_t start = o->buf.len;

	say(o, "  ");
	put_sym(o, x->category, "-");
	pad(o, start, 16);
	put_sym(o, x->label, "-");
	pad(o, start, 46);
	say_right(o, human_count(x->count).text, 8);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		put(o, " %9s", human_duration(times[i]).text);
	put(o, " %6s\n", human_count(x->failed).text);
	drain(o, DRAIN_BYTES);
}

static void timings(struct out *o)
{
	uint32_t nr;
	struct report_timing *rows = report_timings(o->input, &nr);

	put(o, "Timings\n  %-13s %-29s %8s %9s %9s %9s %9s %9s %9s %9s %9s %6s\n", "CATEGORY",
	    "LABEL", "COUNT", "TOTAL", "SELF", "MIN", "MEAN", "MAX", "P50", "P90", "P99", "FAILED");
	for (uint32_t i = 0; i < nr; i++)
		timing_row(o, &rows[i]);
	free(rows);
}

/* ---- commands ---- */

static void command_stats_row(struct out *o, const struct report_command *row)
{
	const struct command *c = &row->command;
	const ns_t times[] = { c->timed ? c->total : NS_NONE,
			       c->min,
			       c->timed ? c->total / (ns_t)c->timed : NS_NONE,
			       c->max,
			       row->p50,
			       row->p90,
			       row->p99 };
	size_t start = o->buf.len;

	say(o, "  ");
	if (c->text)
		put_visible(o, c->text, c->len);
	else
		say(o, "-");
	pad(o, start, 32);
	say_right(o, human_count(c->count).text, 8);
	say(o, " ");
	say_right(o, human_count(c->running).text, 6);
	say(o, " ");
	say_right(o, human_count(c->failed).text, 6);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		put(o, " %9s", human_duration(times[i]).text);
	say(o, "  ");
	if (c->last == NS_NONE)
		say(o, "-");
	else
		tr2_wall_text(&o->buf, c->last);
	say(o, "\n");
	drain(o, DRAIN_BYTES);
}

static void commands(struct out *o)
{
	struct report_commands commands;

	report_commands(o->input, &commands);
	put(o, "\nCommands\n  %-30s%8s %6s %6s %9s %9s %9s %9s %9s %9s %9s  %s\n", "NAME", "COUNT",
	    "RUN", "FAILED", "TOTAL", "MIN", "MEAN", "MAX", "P50", "P90", "P99", "LAST");
	for (uint32_t i = 0; i < commands.nr; i++)
		command_stats_row(o, &commands.rows[i]);
	report_commands_release(&commands);
}

static void text_end(void *report, FILE *to, const struct report_input *input)
{
	struct out o = { .to = to, .m = input->model, .input = input };
	uint32_t nr, *slots = report_processes(input, &nr);

	(void)report;
	tr2_buf_init(&o.buf, 64u << 20);
	tr2_buf_init(&o.line, SAY_MAX_BYTES);
	say(&o, "trace2top report\n\n");
	sources(&o);
	limits(&o);
	totals(&o);
	dropped(&o);
	events(&o);
	processes(&o, slots, nr);
	threads_and_children(&o, slots, nr);
	timings(&o);
	commands(&o);
	drain(&o, 0);
	tr2_buf_release(&o.buf);
	tr2_buf_release(&o.line);
	free(slots);
}

const struct exporter_ops report_text = { .end = text_end };
