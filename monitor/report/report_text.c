/* SPDX-License-Identifier: MIT */
/* The text report, for people and bug reports: tables, most of them limited to --top rows, and
 * the sections that options request. */
#include "config.h"
#include "monitor/report/report_difference.h"
#include "monitor/report/report_findings.h"
#include "monitor/report/report_groups.h"
#include "monitor/report/report_heat.h"
#include "monitor/report/report_values.h"
#include "monitor/report/report_over_time.h"
#include "monitor/report/report_parts.h"
#include "monitor/report/text_cells.h"

#include <stdlib.h>

#include "engine/base/jw.h"
#include "monitor/analysis/formats.h"
#include "monitor/analysis/thread_totals.h"
#include "monitor/base/die.h"
#include "monitor/report/report_rules.h"

static void start_cell(struct out *o, const struct process *p)
{
	size_t at = o->buf.len;

	if (p->start == NS_NONE)
		put_string(o, "-");
	else
		tr2_buf_add_wall_time(&o->buf, p->start);
	pad(o, at, START_CELLS);
}

static void put_process(struct out *o, const struct process *p)
{
	tr2_buf_clear(&o->line);
	format_process(o->m, p, &o->line);
	put_visible(o, tr2_buf_cstr(&o->line), o->line.len);
}

static void command_line(struct out *o, const struct process *p)
{
	if (p->argv.nr)
		put_argv(o, &p->argv);
	else if (p->hierarchy != SYM_NONE || p->name != SYM_NONE)
		put_process(o, p);
	else
		text_put_cell(o, p->sid);
}

static uint32_t children_over(struct out *o, const struct process *p)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < p->children.nr; i++)
		nr += process_child(o->m, p, i)->state == CHILD_EXITED;
	return nr;
}

static void children_cell(struct out *o, const struct process *p)
{
	char text[2 * TR2_DIGITS_BYTES];

	if (!p->children.nr) {
		put_right(o, "0", 7);
		return;
	}
	snprintf(text, sizeof(text), "%" PRIu32 "/%" PRIu32, children_over(o, p), p->children.nr);
	put_right(o, text, 7);
}

static void text_process_row(struct out *o, const struct process *p, size_t agent_cells)
{
	size_t at;

	put_string(o, "  ");
	format_num(o, p->depth, 2);
	put_string(o, " ");
	if (p->pid == NUM_NONE)
		put_right(o, "-", 8);
	else
		format_num(o, p->pid, 8);
	put_string(o, " ");
	state_cell(o, p);
	put_right(o, human_duration(process_elapsed(p)).text, 10);
	put_string(o, " ");
	format_num(o, p->threads.nr, 4);
	put_string(o, " ");
	format_num(o, (int64_t)p->nr_regions, 7);
	put_string(o, " ");
	children_cell(o, p);
	put_string(o, " ");
	format_num(o, p->nr_errors, 4);
	put_string(o, "  ");
	start_cell(o, p);
	if (agent_cells) {
		at = o->buf.len;
		put_sym(o, p->agent, "-");
		pad(o, at, agent_cells);
	}
	put_indent(o, p->depth);
	command_cell(o, p);
	if (p->state == STATE_RUNNING && !p->live)
		put_string(o, "  (stale)");
	put_string(o, "\n");
	text_drain(o, DRAIN_BYTES);
}

struct weighed {
	uint32_t at; /* index of the process in the list of processes */
	bool in_trouble;
	ns_t elapsed;
};

static int weight_compare(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;

	if (x->in_trouble != y->in_trouble)
		return x->in_trouble ? -1 : 1;
	if (x->elapsed != y->elapsed)
		return x->elapsed > y->elapsed ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int place_compare(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* Return the processes of `slots` that get a row, in the order of `slots`: those in trouble
 * (text_in_trouble()) are chosen first, then the longest. The caller frees the array. */
static uint32_t *text_choose(const struct out *o, const uint32_t *slots, uint32_t nr)
{
	uint32_t rows = text_rows(o, nr);
	uint32_t *chosen = xreallocarray(NULL, rows + 1, sizeof(*chosen));
	struct weighed *all = xreallocarray(NULL, nr + 1, sizeof(*all));

	for (uint32_t i = 0; i < nr; i++) {
		const struct process *p = model_slot(o->m, slots[i]);

		all[i] = (struct weighed){ i, text_in_trouble(p), process_elapsed(p) };
	}
	qsort(all, nr, sizeof(*all), weight_compare);
	qsort(all, rows, sizeof(*all), place_compare);
	for (uint32_t i = 0; i < rows; i++)
		chosen[i] = slots[all[i].at];
	free(all);
	return chosen;
}

/* Return the width of the column of agents, including a blank; 0: no process has an agent. */
static size_t agent_column(const struct out *o, const uint32_t *slots, uint32_t nr)
{
	size_t cells = 0, len;

	for (uint32_t i = 0; i < nr; i++) {
		const struct process *p = model_slot(o->m, slots[i]);

		if (p->agent == SYM_NONE)
			continue;
		model_sym(o->m, p->agent, &len);
		cells = len > cells ? len : cells;
	}
	if (!cells)
		return 0;
	cells = cells < strlen("AGENT") ? strlen("AGENT") : cells;
	return (cells < MAX_AGENT_CELLS ? cells : MAX_AGENT_CELLS) + 1;
}

static void text_processes(struct out *o, const uint32_t *slots, uint32_t nr)
{
	uint32_t rows = text_rows(o, nr);
	size_t agent_cells = agent_column(o, slots, rows);

	if (!nr)
		return;
	put(o, "Processes by depth\n  %2s %8s %-12s%10s %4s %7s %7s %4s  %-*s%-*sCOMMAND\n", "D",
	    "PID", "STATE", "ELAPSED", "THR", "REG", "CHILD", "ERR", START_CELLS, "START",
	    (int)agent_cells, agent_cells ? "AGENT" : "");
	for (uint32_t i = 0; i < rows && work_goes_on(o->input->work, i, 2ull * rows); i++)
		text_process_row(o, model_slot(o->m, slots[i]), agent_cells);
	more(o, "  ", nr);
	put_string(o, "\n");
}

static void node_row(struct out *o, const struct region_node *node, uint32_t depth)
{
	const struct timing_cell *cell = model_cell(o->m, node->cell);
	size_t start = o->buf.len;

	put_string(o, "      ");
	put_indent(o, depth);
	region_names(o, cell->category, cell->label);
	pad(o, start, 50);
	put_right(o, human_count(node->count).text, 8);
	put_right(o, human_duration(node->total).text, 10);
	put_right(o, human_duration(node->self).text, 10);
	put_string(o, "\n");
	text_drain(o, DRAIN_BYTES);
}

static void nodes(struct out *o, uint32_t ref)
{
	uint32_t nr = 0;

	for (uint32_t depth = 0; ref; ref = model_node_next(o->m, ref, &depth)) {
		const struct region_node *node = model_node(o->m, ref);

		if (node->count && text_rows(o, nr + 1) > nr)
			node_row(o, node, depth);
		nr += node->count > 0;
	}
	more(o, "      ", nr);
}

static void open_row(struct out *o, const struct process *p, const struct open_region *open,
		     uint32_t depth)
{
	size_t start = o->buf.len;

	put_string(o, "      ");
	put_indent(o, depth);
	region_names(o, open->category, open->label);
	if (open->has_msg && open->msg.len) {
		put_string(o, " ");
		text_put_cell(o, open->msg);
	}
	pad(o, start, 50);
	put_right(o, "open", 8);
	put_right(o, human_duration(report_open_elapsed(p, open)).text, 10);
	put_string(o, "\n");
	text_drain(o, DRAIN_BYTES);
}

static void thread_rows(struct out *o, const struct process *p, const struct thread *t)
{
	size_t start = o->buf.len;

	put_string(o, "    ");
	put_sym(o, t->name, "(no thread name)");
	pad(o, start, 50);
	put_right(o, report_thread_exited(p, t) ? "exited" : "running", 8);
	put_right(o, human_duration(t->elapsed).text, 10);
	put_string(o, "\n");
	for (uint32_t i = 0; i < text_rows(o, t->open.nr); i++)
		open_row(o, p, thread_open(o->m, t, i), i);
	more(o, "      ", t->open.nr);
	nodes(o, t->nodes);
	text_drain(o, DRAIN_BYTES);
}

static void format_child_state(struct out *o, const struct process *p, const struct child *c)
{
	enum child_state state = child_state(p, c);
	size_t start = o->buf.len;

	if (c->state == CHILD_EXITED) {
		put_string(o, "exit ");
		put_num(o, c->code);
	} else {
		put_string(o, state == CHILD_READY  ? "ready"
			      : state == CHILD_LOST ? "lost"
						    : "running");
	}
	pad(o, start, 10);
	put_right(o, human_duration(c->state == CHILD_READY ? c->ready_elapsed : c->elapsed).text,
		  9);
	put_string(o, "  ");
}

static void text_child_row(struct out *o, const struct process *parent, const struct child *c)
{
	size_t start = o->buf.len;

	put_string(o, "    [");
	put_num(o, c->child_id);
	put_string(o, "] ");
	put_sym(o, c->child_class, "-");
	if (c->hook != SYM_NONE) {
		put_string(o, " ");
		put_sym(o, c->hook, "");
	}
	pad(o, start, 26);
	format_child_state(o, parent, c);
	put_argv(o, &c->argv);
	if (c->any_process != SLOT_NONE) {
		const struct process *p = model_slot(o->m, c->any_process);

		if (p->pid != NUM_NONE)
			put(o, "  -> %" PRId64, p->pid);
	}
	put_string(o, "\n");
	text_drain(o, DRAIN_BYTES);
}

static void error_rows(struct out *o, const struct process *p)
{
	for (uint32_t i = 0; i < text_rows(o, p->errors.nr); i++) {
		const struct error_item *e = PROCESS_ITEM(o->m, &p->errors, error_item, i);

		put_string(o, "    error: ");
		if (e->has_msg)
			text_put_cell(o, e->msg);
		else
			put_sym(o, e->fmt, "(no message)");
		put_string(o, "\n");
		text_drain(o, DRAIN_BYTES);
	}
	more(o, "    ", p->errors.nr);
}

static bool has_details(struct out *o, const struct process *p)
{
	if (p->children.nr || p->errors.nr || p->nr_regions || p->threads.nr > 1)
		return true;
	return p->threads.nr && process_thread(o->m, p, 0)->open.nr;
}

/* Append the threads' total times, for formats that record why threads wait. */
static void together_rows(struct out *o, const struct process *p, uint32_t slot)
{
	struct analysis what = { .model = o->m, .limits = { -1, -1 }, .now = p->end };
	struct thread_totals t = { .parts = NULL };
	struct thread_totals_line line = { .text = { .max = 4096 } };

	if (!thread_totals_make(&t, &what, slot))
		return;
	for (uint32_t i = 0; thread_totals_line(o->m, p, &t, i, &line); i++) {
		size_t start = o->buf.len;

		put_string(o, line.is_part ? "      " : "    ");
		put_visible(o, line.text.data, line.text.len);
		pad(o, start, 50);
		put_right(o, line.count ? human_count(line.count).text : "", 8);
		put(o, " %9s\n", human_duration(line.time).text);
	}
	tr2_buf_release(&line.text);
	thread_totals_release(&t);
	text_drain(o, DRAIN_BYTES);
}

static void details(struct out *o, uint32_t slot)
{
	const struct process *p = model_slot(o->m, slot);

	if (!has_details(o, p))
		return;
	put_string(o, "  ");
	command_line(o, p);
	put_string(o, "\n   ");
	text_put_cell(o, p->sid);
	put_string(o, "\n");
	error_rows(o, p);
	together_rows(o, p, slot);
	for (uint32_t i = 0; i < text_rows(o, p->threads.nr); i++)
		thread_rows(o, p, process_thread(o->m, p, i));
	more(o, "    ", p->threads.nr);
	for (uint32_t i = 0; i < text_rows(o, p->children.nr); i++)
		text_child_row(o, p, process_child(o->m, p, i));
	more(o, "    ", p->children.nr);
	put_string(o, "\n");
}

static void threads_and_children(struct out *o, const uint32_t *slots, uint32_t nr)
{
	bool any = false;

	for (uint32_t i = 0; i < nr && !any; i++)
		any = has_details(o, model_slot(o->m, slots[i]));
	if (any)
		put_string(o, "Threads, regions and children by process\n");
	for (uint32_t i = 0; any && i < nr && work_goes_on(o->input->work, nr + i, 2ull * nr); i++)
		details(o, slots[i]);
}

static void text_timing_row(struct out *o, const struct report_timing *t)
{
	const struct timing *x = &t->timing;
	const ns_t times[] = { x->total, x->self, x->min, x->total / (ns_t)x->count,
			       x->max,   t->p50,  t->p90, t->p99 };
	size_t start = o->buf.len;

	put_string(o, "  ");
	put_sym(o, x->category, "-");
	pad(o, start, 16);
	put_sym(o, x->label, "-");
	pad(o, start, 46);
	put_right(o, human_count(x->count).text, 8);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		put(o, " %9s", human_duration(times[i]).text);
	put(o, " %6s\n", human_count(x->failed).text);
	text_drain(o, DRAIN_BYTES);
}

static void text_timings(struct out *o)
{
	if (!o->nr_timings)
		return;
	put(o, "Timings\n  %-13s %-29s %8s %9s %9s %9s %9s %9s %9s %9s %9s %6s\n", "CATEGORY",
	    "LABEL", "COUNT", "TOTAL", "SELF", "MIN", "MEAN", "MAX", "P50", "P90", "P99", "FAILED");
	for (uint32_t i = 0; i < text_rows(o, o->nr_timings); i++)
		text_timing_row(o, &o->timings[i]);
	more(o, "  ", o->nr_timings);
}

static void command_stats_row(struct out *o, const struct report_command *row, const char *absent)
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

	put_string(o, "  ");
	if (c->text)
		put_visible(o, c->text, c->len);
	else
		put_string(o, absent);
	pad(o, start, 32);
	put_right(o, human_count(c->count).text, 8);
	put_string(o, " ");
	put_right(o, human_count(c->running).text, 6);
	put_string(o, " ");
	put_right(o, human_count(c->failed).text, 6);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		put(o, " %9s", human_duration(times[i]).text);
	put_string(o, "  ");
	if (c->last == NS_NONE)
		put_string(o, "-");
	else
		tr2_buf_add_wall_time(&o->buf, c->last);
	put_string(o, "\n");
	text_drain(o, DRAIN_BYTES);
}

static void text_commands(struct out *o)
{
	struct commands_by by = COMMANDS_BY_NAME;
	struct report_commands text_commands;

	report_commands(o->input, &by, &text_commands);
	if (text_commands.nr)
		put(o, "%sCommands\n  %-30s%8s %6s %6s %9s %9s %9s %9s %9s %9s %9s  %s\n",
		    o->nr_timings ? "\n" : "", "NAME", "COUNT", "RUN", "FAILED", "TOTAL", "MIN",
		    "MEAN", "MAX", "P50", "P90", "P99", "LAST");
	/* The previous section ends with a blank line and the next one begins with one: remove
	 * one of them. */
	if (!o->nr_timings && !text_commands.nr && o->buf.len > 1)
		o->buf.len--;
	for (uint32_t i = 0; i < text_rows(o, text_commands.nr); i++)
		command_stats_row(o, &text_commands.rows[i], "-");
	more(o, "  ", text_commands.nr);
	report_commands_release(&text_commands);
}

static void text_group_region(struct out *o, const struct timing *region)
{
	size_t start = o->buf.len;

	put_string(o, "    ");
	region_names(o, region->category, region->label);
	pad(o, start, 32);
	put_right(o, human_count(region->count).text, 8);
	put(o, " %6s %6s %9s %9s %9s %9s\n", "", human_count(region->failed).text,
	    human_duration(region->total).text, human_duration(region->min).text,
	    human_duration(region->total / (ns_t)region->count).text,
	    human_duration(region->max).text);
	text_drain(o, DRAIN_BYTES);
}

static void text_groups(struct out *o)
{
	struct report_groups groups;

	if (!o->input->group_by)
		return;
	report_groups_make(&groups, o->input);
	put_string(o, "\nGroups by ");
	tr2_buf_clear(&o->line);
	commands_by_format(o->input->group_by, &o->line);
	put_visible(o, tr2_buf_cstr(&o->line), o->line.len);
	put(o, "\n  %-30s%8s %6s %6s %9s %9s %9s %9s %9s %9s %9s  %s\n", "GROUP", "COUNT", "RUN",
	    "FAILED", "TOTAL", "MIN", "MEAN", "MAX", "P50", "P90", "P99", "LAST");
	for (uint32_t i = 0; i < text_rows(o, groups.commands.nr); i++) {
		const struct report_command *row = &groups.commands.rows[i];
		const struct group_region *regions;
		uint32_t nr = report_groups_regions(&groups, row->row, &regions);

		command_stats_row(o, row, "(none)");
		for (uint32_t k = 0; k < text_rows(o, nr); k++)
			text_group_region(o, &regions[k].timing);
		more(o, "    ", nr);
	}
	more(o, "  ", groups.commands.nr);
	report_groups_release(&groups);
}

static void parts(struct out *o, const uint32_t *slots, uint32_t nr)
{
	struct report_parts parts = { 0 };
	uint32_t *roots, *chosen, nr_roots = 0;

	if (!o->input->parts)
		return;
	roots = xreallocarray(NULL, nr + 1, sizeof(*roots));
	for (uint32_t i = 0; i < nr; i++)
		if (model_slot(o->m, slots[i])->parent == SLOT_NONE)
			roots[nr_roots++] = slots[i];
	chosen = text_choose(o, roots, nr_roots);
	for (uint32_t i = 0; i < text_rows(o, nr_roots); i++) {
		report_parts_text(&parts, &o->buf, o->input, chosen[i]);
		text_drain(o, DRAIN_BYTES);
	}
	more(o, "  ", nr_roots);
	free(roots);
	free(chosen);
	report_parts_release(&parts);
}

static void text_findings(struct out *o, const uint32_t *slots, uint32_t nr)
{
	struct findings found = { 0 };
	struct finding_kinds kinds = { 0 };

	if (!o->input->findings)
		return;
	report_findings_make(&found, o->input, slots, nr);
	finding_kinds_make(&kinds, &found, o->m);
	put(o, "\nFindings%s", kinds.nr ? "" : ": none");
	if (kinds.could_save)
		put(o, ", could save %s", human_duration(kinds.could_save).text);
	put_string(o, "\n");
	for (uint32_t i = 0; i < text_rows(o, kinds.nr); i++) {
		report_finding_kind_text(&found, &kinds, &kinds.items[i], o->m, &o->buf);
		text_drain(o, DRAIN_BYTES);
	}
	more(o, "  ", kinds.nr);
	finding_kinds_release(&kinds);
	findings_release(&found);
}

static void text_end(void *report, FILE *to, const struct report_input *input)
{
	struct out o = { .to = to, .m = input->model, .input = input };
	uint32_t nr, *slots = report_processes(input, &nr), *chosen;
	struct report_timing *rows = report_timings(input, &o.nr_timings);

	(void)report;
	o.timings = rows;
	tr2_buf_init(&o.buf, 64u << 20);
	tr2_buf_init(&o.line, SAY_MAX_BYTES);
	text_head(&o, slots, nr);
	chosen = text_choose(&o, slots, nr);
	text_processes(&o, chosen, nr);
	threads_and_children(&o, chosen, text_rows(&o, nr));
	text_timings(&o);
	text_commands(&o);
	text_groups(&o);
	over_time_text(&o);
	heat_text(&o, input);
	report_difference_text(&o, input);
	report_values_text(&o, input);
	parts(&o, slots, nr);
	text_findings(&o, slots, nr);
	verdicts_text(&o, input->verdicts);
	text_drain(&o, 0);
	tr2_buf_release(&o.buf);
	tr2_buf_release(&o.line);
	free(chosen);
	free(slots);
	free(rows);
}

const struct exporter_ops report_text = { .end = text_end, .takes_top = true };
