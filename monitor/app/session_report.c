/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/session_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "monitor/filter/filter_process.h"
#include "monitor/report/report_query.h"

static bool session_report_is_root(const struct report_scope *scope, const struct process *process)
{
	for (int i = 0; i < scope->nr_roots; i++)
		if (scope->roots[i].sid_hash == process->sid_hash)
			return true;
	return false;
}

static bool is_below_root(const struct report_scope *scope, const struct model *model,
			  uint32_t slot)
{
	for (; scope->nr_roots && slot != SLOT_NONE; slot = model_slot(model, slot)->parent)
		if (session_report_is_root(scope, model_slot(model, slot)))
			return true;
	return !scope->nr_roots;
}

static bool session_report_is_chosen(void *data, const struct model *model, uint32_t slot)
{
	const struct report_scope *scope = data;

	return is_below_root(scope, model, slot) && filter_process(scope->filter, model, slot);
}

static bool is_admitted(const void *data, const char *sid, size_t len)
{
	const struct report_scope *scope = data;
	uint32_t slot = model_find_sid(scope->model, sid, len);

	return slot != SLOT_NONE &&
	       session_report_is_chosen((void *)(uintptr_t)scope, scope->model, slot);
}

static void apply_again(void *model, const struct batch *batch, uint32_t records)
{
	model_apply_range(model, batch, 0, records);
}

/* Apply the events of the report to another model, for the timings of the filtered processes.
 * Returns that model. */
static struct model *second_pass(struct session *s, const struct report_scope *scope,
				 const struct report_input *input)
{
	struct model_config config = s->model_config;
	struct model *m;

	config.admit = is_admitted;
	config.admit_data = scope;
	m = model_new(&s->syms, &config);
	report_batches(input, apply_again, m);
	return m;
}

static struct report_origin origin_of(const struct session *s, char *host, size_t bytes)
{
	const struct options *o = s->options;
	struct utsname name;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	*host = '\0';
	if (!uname(&name))
		snprintf(host, bytes, "%s, %s %s %s, %ld processor%s", name.nodename, name.sysname,
			 name.release, name.machine, processors, processors == 1 ? "" : "s");
	return (struct report_origin){
		.written = o->clock_events ? model_last_time(s->model) : tr2_clock_wall(),
		.program = "trace2top " PACKAGE_VERSION,
		.host = host,
	};
}

static void report_use_query(struct session *s, struct report_input *input)
{
	input->sql = s->sql;
	input->sql_format = s->options->format == EXPORTER_JSON  ? QUERY_AS_JSON
			    : s->options->format == EXPORTER_CSV ? QUERY_AS_CSV
								 : QUERY_AS_TEXT;
	input->sql_why = s->sql_why;
}

bool session_report(struct session *s, int exporter, FILE *to, const struct report_scope *scope,
		    struct work *work)
{
	int nr;
	struct source_stats *sources = intake_all_stats(s->intake, &nr);
	struct report_scope kept = *scope;
	char host[5 * 65 + 40];
	struct report_origin origin = origin_of(s, host, sizeof(host));
	struct report_input input = { .model = scope->model,
				      .journal = s->journal,
				      .end = scope->end,
				      .nesting = scope->nesting,
				      .depth = scope->depth,
				      .since = s->model_config.since,
				      .table = s->options->table,
				      .sources = sources,
				      .nr_sources = nr,
				      .top = s->options->top,
				      .origin = &origin,
				      .parts = s->options->parts,
				      .own_command = session_is_own_command(s),
				      .heat = s->options->heat,
				      .group_by = s->group_by.nr ? &s->group_by : NULL,
				      .difference = s->difference,
				      .values = s->options->values,
				      .findings = s->options->findings,
				      .findings_off = s->options->findings_off,
				      .verdicts = s->verdicts.made ? &s->verdicts : NULL,
				      .work = work,
				      .redactor = s->redactor };
	struct model *timings = NULL;
	struct journal_stats stats;
	bool ok;

	model_settle(scope->model);
	if (scope->filter || scope->nr_roots) {
		input.filter = scope->filter ? filter_text(scope->filter) : NULL;
		input.keep = session_report_is_chosen;
		input.keep_data = &kept;
		input.timings = timings = second_pass(s, scope, &input);
	}
	journal_stats(s->journal, &stats);
	input.dropped_events = stats.dropped_events;
	if (s->sql)
		report_use_query(s, &input);
	ok = report_write(s->sql ? &report_query : exporters[exporter].ops, to, &input);
	model_free(timings);
	free(sources);
	return ok;
}

void session_stream_begin(struct session *s, struct session_stream *stream, int exporter, FILE *to)
{
	*stream = (struct session_stream){ .input = { .model = s->model,
						      .end = UINT64_MAX,
						      .nesting = s->options->nesting,
						      .depth = s->options->depth,
						      .since = s->model_config.since,
						      .table = s->options->table,
						      .group_by =
							      s->group_by.nr ? &s->group_by : NULL,
						      .difference = s->difference,
						      .redactor = s->redactor } };
	if (s->sql)
		report_use_query(s, &stream->input);
	report_begin(&stream->run, s->sql ? &report_query : exporters[exporter].ops, to,
		     &stream->input);
	s->streams = &stream->run;
}

bool session_stream_end(struct session *s, struct session_stream *stream)
{
	struct source_stats *sources = intake_all_stats(s->intake, &stream->input.nr_sources);
	struct journal_stats stats;
	bool ok;

	journal_stats(s->journal, &stats);
	stream->input.dropped_events = stats.dropped_events;
	stream->input.sources = sources;
	ok = report_end(&stream->run);
	s->streams = NULL;
	free(sources);
	return ok;
}
