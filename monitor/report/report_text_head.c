/* SPDX-License-Identifier: MIT */
/*
 * The head of the text report, up to the events by name.
 */
#include "config.h"
#include "monitor/report/text_cells.h"

#include <stdlib.h>

#include "engine/base/jw.h"
#include "monitor/analysis/doing.h"
#include "monitor/base/humanize.h"

/* Maximum rows of each list in the summary. */
#define SUMMARY_ROWS 5

bool text_in_trouble(const struct process *p)
{
	return process_failed(p) || p->state == STATE_SIGNALED || p->state == STATE_LOST;
}

struct version {
	sym_t exe;
	uint32_t nr;
};

#define MAX_VERSIONS 4

/* Append the first MAX_VERSIONS versions of the traced programs, and how many processes have
 * others. */
static void versions(struct out *o, const uint32_t *slots, uint32_t nr)
{
	struct version found[MAX_VERSIONS] = { 0 };
	uint32_t nr_found = 0, others = 0, at;

	for (uint32_t i = 0; i < nr; i++) {
		sym_t exe = model_slot(o->m, slots[i])->exe;

		if (exe == SYM_NONE)
			continue;
		for (at = 0; at < nr_found && found[at].exe != exe; at++)
			;
		if (at == MAX_VERSIONS) {
			others++;
			continue;
		}
		nr_found += at == nr_found;
		found[at].exe = exe;
		found[at].nr++;
	}
	for (at = 0; at < nr_found; at++) {
		put_string(o, at ? ", " : "  versions  ");
		put_sym(o, found[at].exe, "");
		put(o, " (%" PRIu32 " process%s)", found[at].nr, found[at].nr == 1 ? "" : "es");
	}
	if (others)
		put(o, ", others (%" PRIu32 ")", others);
	if (nr_found)
		put_string(o, "\n");
}

static void span(struct out *o, const uint32_t *slots, uint32_t nr)
{
	ns_t first = INT64_MAX, last = INT64_MIN, ran;

	for (uint32_t i = 0; i < nr; i++) {
		const struct process *p = model_slot(o->m, slots[i]);

		if (p->start != NS_NONE && p->start < first)
			first = p->start;
		if (p->end != NS_NONE && p->end > last)
			last = p->end;
	}
	if (first > last || __builtin_sub_overflow(last, first, &ran))
		return;
	put_string(o, "  traced    ");
	tr2_buf_add_wall_time(&o->buf, first);
	put_string(o, " to ");
	tr2_buf_add_wall_time(&o->buf, last);
	put(o, " (%s)\n", human_duration(ran).text);
}

static void whence(struct out *o, const uint32_t *slots, uint32_t nr)
{
	const struct report_origin *origin = o->input->origin;

	put_string(o, "trace2top report\n");
	if (origin) {
		put_string(o, "  written   ");
		tr2_buf_add_wall_time(&o->buf, origin->written);
		put(o, " by %s\n  on        ", origin->program);
		put_visible(o, origin->host, strlen(origin->host));
		put_string(o, "\n");
	}
	versions(o, slots, nr);
	span(o, slots, nr);
	put_string(o, "\n");
}

static int counter_width(const char *name, enum figure figure)
{
	int least = figure == FIGURE_TROUBLE ? 8 : 10, len = (int)strlen(name);

	return len > least ? len : least;
}

static void put_counter_heading(struct out *o, const char *name, enum figure figure)
{
	for (int blanks = counter_width(name, figure) - (int)strlen(name) + 1; blanks; blanks--)
		tr2_buf_addch(&o->buf, ' ');
	put_string(o, name);
}

static void put_some(struct out *o, uint64_t count, const char *words)
{
	if (count)
		put(o, ", %" PRIu64 " %s", count, words);
}

static void text_head_sources(struct out *o)
{
	put(o, "Sources\n  %-12s", "KIND");
#define COUNTED(member, HEADING, CELLS, RANK, FIGURE)                                              \
	put_counter_heading(o, HEADING, FIGURE_##FIGURE);
#include "monitor/event/source_counters.def"
	put_string(o, "  SPEC\n");
	for (uint32_t i = 0; i < text_rows(o, (uint32_t)o->input->nr_sources); i++) {
		const struct source_stats *s = &o->input->sources[i];

		put(o, "  %-12s", s->kind ? s->kind : "-");
#define COUNTED(member, HEADING, CELLS, RANK, FIGURE)                                              \
	put(o, " %*" PRIu64, counter_width(HEADING, FIGURE_##FIGURE), s->member);
#include "monitor/event/source_counters.def"
		put_string(o, "  ");
		put_visible(o, s->spec, strlen(s->spec));
#define COUNTED_SOME(member, WORDS) put_some(o, s->member, WORDS);
#include "monitor/event/source_counters.def"
		put_string(o, "\n");
	}
	more(o, "  ", (uint32_t)o->input->nr_sources);
	put_string(o, "\n");
}

static void limits(struct out *o)
{
	if (o->input->nesting >= 0)
		put(o, "Limited to regions and data of nesting <= %" PRId64 ".\n",
		    o->input->nesting);
	if (o->input->depth >= 0)
		put(o, "Limited to processes of depth <= %" PRId64 ".\n", o->input->depth);
	if (o->input->filter) {
		put_string(o, "Limited to processes that match: ");
		put_visible(o, o->input->filter, strlen(o->input->filter));
		put_string(o, "\n");
	}
	if (o->input->nesting >= 0 || o->input->depth >= 0 || o->input->filter)
		put_string(o, "\n");
}

static void text_head_totals(struct out *o)
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
	put_some(o, t.untraced, "trace ended");
	put(o,
	    "\n"
	    "  threads %" PRIu64 ", regions %" PRIu64 ", open regions %" PRIu64
	    ", children %" PRIu64 ", errors %" PRIu64 "\n\n",
	    t.threads, t.regions, t.open_regions, t.children, t.errors);
}

static void text_head_dropped(struct out *o)
{
	const struct model_dropped *d = model_dropped(o->m);
	const struct {
		const char *what;
		uint64_t nr;
	} rows[] = {
		{ "finished processes evicted", d->finished },
		{ "silent processes evicted", d->silent },
		{ "of these, evicted to limit memory", d->for_memory },
		{ "late events of evicted processes", d->late_events },
		{ "items evicted from full lists", d->list_items },
		{ "regions counted under (other)", d->timing_other },
		{ "commands counted under (other)", d->command_other },
		{ "event names counted under (other)", d->names_other },
		{ "intervals of time merged with a neighbor", d->ledger },
		{ "commands whose past durations were evicted", d->usual },
		{ "durations of regions not kept individually", d->samples },
		{ "events dropped unread", d->journal_events },
		{ "events lost by agents or on the way", d->remote_events },
		{ "events lost in rings", d->ring_events },
		{ "gaps in which nothing was received", d->gaps },
	};
	bool any = false;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!rows[i].nr)
			continue;
		put(o, "%s  %" PRIu64 " %s\n", any ? "" : "Not included in the figures\n",
		    rows[i].nr, rows[i].what);
		any = true;
	}
	if (any)
		put_string(o, "\n");
}

static void text_head_events(struct out *o)
{
	if (!model_totals(o->m)->events)
		return;
	put_string(o, "Events by name\n");
	for (unsigned kind = 0; kind < TR2_NR_EVENTS; kind++) {
		uint64_t nr = model_event_count(o->m, kind);

		if (nr)
			put(o, "  %-24s %" PRIu64 "\n", tr2_events[kind].wire, nr);
	}
	for (uint32_t i = 0; i < text_rows(o, model_nr_event_names(o->m)); i++) {
		size_t start = o->buf.len;
		sym_t name;
		uint64_t nr = model_event_name(o->m, i, &name);

		put_string(o, "  ");
		put_sym(o, name, "-");
		pad(o, start, 26);
		put(o, " %" PRIu64 "\n", nr);
		text_drain(o, DRAIN_BYTES);
	}
	more(o, "  ", model_nr_event_names(o->m));
	put_string(o, "\n");
}

/* Collect up to SUMMARY_ROWS of the processes for which `counts` returns true, longest first.
 * Returns the number of all such processes. */
static uint32_t text_head_longest(const struct out *o, const uint32_t *slots, uint32_t nr,
				  bool (*counts)(const struct process *),
				  uint32_t rows[SUMMARY_ROWS])
{
	uint32_t all = 0, kept = 0;

	for (uint32_t i = 0; i < nr; i++) {
		const struct process *p = model_slot(o->m, slots[i]);
		uint32_t at;

		if (!counts(p))
			continue;
		all++;
		for (at = kept; at; at--) {
			ns_t above = process_elapsed(model_slot(o->m, rows[at - 1]));

			if (above >= process_elapsed(p))
				break;
			if (at < SUMMARY_ROWS)
				rows[at] = rows[at - 1];
		}
		if (at < SUMMARY_ROWS)
			rows[at] = slots[i];
		kept = all < SUMMARY_ROWS ? all : SUMMARY_ROWS;
	}
	return all;
}

static bool text_head_is_root(const struct process *p)
{
	return p->parent == SLOT_NONE;
}

static void summary_row(struct out *o, const struct process *p)
{
	put_string(o, "   ");
	if (p->pid == NUM_NONE)
		put_right(o, "-", 9);
	else
		format_num(o, p->pid, 9);
	put_string(o, " ");
	state_cell(o, p);
	put_right(o, human_duration(process_elapsed(p)).text, 10);
	put_string(o, "  ");
	command_cell(o, p);
	put_string(o, "\n");
}

static void summary_error(struct out *o, const struct process *p)
{
	const struct error_item *e;

	if (!p->errors.nr)
		return;
	e = PROCESS_ITEM(o->m, &p->errors, error_item, 0);
	put_string(o, "                                      ");
	if (e->has_msg)
		text_put_cell(o, e->msg);
	else
		put_sym(o, e->fmt, "(no message)");
	put_string(o, "\n");
}

/* Append the regions that were open when the process died, one line per thread, for at most
 * SUMMARY_ROWS threads. */
static void summary_death(struct out *o, const struct process *p)
{
	uint32_t told = 0, all = 0;

	for (uint32_t i = 0; i < p->threads.nr; i++) {
		const struct thread *t = process_thread(o->m, p, i);

		if (!thread_died_in(o->m, p, t))
			continue;
		if (all++ >= SUMMARY_ROWS)
			continue;
		told++;
		put_string(o, "                                      " DIED_IN);
		for (uint32_t at = 0; at < t->open.nr; at++) {
			const struct open_region *open = thread_open(o->m, t, at);

			if (at)
				put_string(o, SAY_BELOW);
			region_names(o, open->category, open->label);
		}
		put_string(o, " (");
		put_sym(o, t->name, "no thread name");
		put_string(o, ")\n");
	}
	if (all > told)
		put(o, "                                      and in %" PRIu32 " more threads\n",
		    all - told);
}

static void summary_trouble(struct out *o, const struct process *p)
{
	summary_error(o, p);
	summary_death(o, p);
}

static void summary_processes(struct out *o, const char *title, const uint32_t *rows, uint32_t all,
			      bool troubles)
{
	uint32_t nr = all < SUMMARY_ROWS ? all : SUMMARY_ROWS;

	if (!all)
		return;
	put(o, "  %s", title);
	put(o, nr < all ? ", the longest of %" PRIu32 "\n" : "\n", all);
	for (uint32_t i = 0; i < nr; i++) {
		summary_row(o, model_slot(o->m, rows[i]));
		if (troubles)
			summary_trouble(o, model_slot(o->m, rows[i]));
	}
}

static void summary_regions(struct out *o)
{
	uint32_t rows[SUMMARY_ROWS], nr = 0;

	for (uint32_t i = 0; i < o->nr_timings; i++) {
		uint32_t at = nr;

		for (; at && o->timings[rows[at - 1]].timing.self < o->timings[i].timing.self; at--)
			if (at < SUMMARY_ROWS)
				rows[at] = rows[at - 1];
		if (at < SUMMARY_ROWS)
			rows[at] = i;
		nr += nr < SUMMARY_ROWS;
	}
	if (nr)
		put_string(o, "  Regions by self time\n");
	for (uint32_t i = 0; i < nr; i++) {
		const struct timing *t = &o->timings[rows[i]].timing;

		put_right(o, human_duration(t->self).text, 36);
		put_string(o, "  ");
		region_names(o, t->category, t->label);
		put(o, ", %s time%s\n", human_count(t->count).text, t->count == 1 ? "" : "s");
	}
}

static void summary(struct out *o, const uint32_t *slots, uint32_t nr)
{
	uint32_t rows[SUMMARY_ROWS], all;

	if (!nr)
		return;
	put_string(o, "Summary\n");
	all = text_head_longest(o, slots, nr, text_in_trouble, rows);
	summary_processes(o, "Failed or lost", rows, all, true);
	all = text_head_longest(o, slots, nr, text_head_is_root, rows);
	summary_processes(o, "Commands", rows, all, false);
	summary_regions(o);
	put_string(o, "\n");
}

static void text_head_failed(struct out *o)
{
	const struct source_stats *first = NULL;
	char why[400];
	int nr = 0;

	for (int i = 0; i < o->input->nr_sources; i++) {
		const struct source_stats *s = &o->input->sources[i];

		if (source_stats_is_failed(s) || source_stats_is_unread(s))
			first = nr++ ? first : s;
	}
	if (!nr)
		return;
	source_stats_format_unread(first, why, sizeof(why));
	put_string(o, "error: ");
	if (*why || !strstr(first->error, first->spec)) {
		put_visible(o, first->spec, strlen(first->spec));
		put_string(o, ": ");
	}
	if (*why)
		put_visible(o, why, strlen(why));
	else
		put_visible(o, source_stats_word(first), strlen(source_stats_word(first)));
	if (nr > 1)
		put(o, " (and %d more source%s)", nr - 1, nr == 2 ? "" : "s");
	put_string(o, "\n\n");
}

void text_head(struct out *o, const uint32_t *slots, uint32_t nr)
{
	text_head_failed(o);
	whence(o, slots, nr);
	text_head_sources(o);
	limits(o);
	summary(o, slots, nr);
	text_head_totals(o);
	text_head_dropped(o);
	text_head_events(o);
}
