/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/outputs.h"

#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/print_error.h"
#include "monitor/base/die.h"
#include "monitor/base/secrets.h"

static bool outputs_is_read(struct intake *intake, const char *path)
{
	char *copy = xstrdup(path);
	bool read = intake_has_path(intake, path) || intake_reads_directory(intake, dirname(copy));

	free(copy);
	return read;
}

bool outputs_are_redacted(const struct options *o)
{
	return o->record && option_given(o, &o->redact) && o->redact != REDACTION_NONE;
}

static bool record_open(struct outputs *out, const struct options *o, struct intake *intake,
			void (*wake)(void *data), void *wake_data, char *why, size_t why_bytes)
{
	struct recorder_config config = { .path = o->record,
					  .max_bytes = o->record_bytes > 0
							       ? (uint64_t)o->record_bytes
							       : 0,
					  .redacted = outputs_are_redacted(o),
					  .stopped = wake,
					  .data = wake_data };

	if (outputs_is_read(intake, o->record)) {
		snprintf(why, why_bytes,
			 "--record: %s is one of the sources, or in one; use another file",
			 o->record);
		return false;
	}
	out->recorder = recorder_new(&config, why, why_bytes);
	if (!out->recorder)
		return false;
	/* A redacted recording gets redacted events instead of bytes (redacted.h). */
	if (!config.redacted)
		intake_add_tap(intake, recorder_tap(out->recorder), true);
	return true;
}

struct tee *outputs_add_asking_tee(struct outputs *out, struct intake *intake,
				   char *(*ask)(void *data), void *data)
{
	struct tee *tee = tee_new_asking(ask, data);

	out->tee_specs[out->nr_tees] = "Git's previous target";
	out->tees[out->nr_tees++] = tee;
	intake_add_tap(intake, tee_tap(tee), false);
	return tee;
}

static bool outputs_add_tee(struct outputs *out, const char *spec, struct intake *intake, char *why,
			    size_t why_bytes)
{
	struct tee *tee = tee_new(spec, why, why_bytes);

	if (!tee)
		return false;
	out->tee_specs[out->nr_tees] = spec;
	out->tees[out->nr_tees++] = tee;
	if (outputs_is_read(intake, tee_path(tee))) {
		snprintf(why, why_bytes,
			 "--tee: %s is one of the sources, or in one; use another target", spec);
		return false;
	}
	intake_add_tap(intake, tee_tap(tee), false);
	return true;
}

bool outputs_open(struct outputs *out, const struct options *o, struct intake *intake,
		  void (*wake)(void *data), void *wake_data, char *why, size_t why_bytes)
{
	*out = (struct outputs){ 0 };
	for (int i = 0; i < o->tees.nr; i++)
		if (!outputs_add_tee(out, o->tees.text[i], intake, why, why_bytes))
			return false;
	return !o->record || record_open(out, o, intake, wake, wake_data, why, why_bytes);
}

void outputs_start(struct outputs *out)
{
	if (out->recorder)
		recorder_start(out->recorder);
	for (int i = 0; i < out->nr_tees; i++)
		tee_start(out->tees[i]);
}

bool outputs_record_stopped(const struct outputs *out)
{
	struct recorder_stats stats;

	if (!out->recorder)
		return false;
	recorder_stats(out->recorder, &stats);
	return stats.has_stopped;
}

bool outputs_record_restarted(const struct outputs *out)
{
	struct recorder_stats stats;

	if (!out->recorder)
		return false;
	recorder_stats(out->recorder, &stats);
	return stats.removed || stats.renamed;
}

bool outputs_go_on(const struct outputs *out)
{
	return out->nr_tees > 0 || (out->recorder && !outputs_record_stopped(out));
}

static void record_restart_report(struct outputs *out, const struct recorder_stats *stats,
				  const struct options *o)
{
	if (stats->removed > out->reported_removed)
		complain_print_error("--record: %s was removed during the recording; earlier "
				     "events are lost, later ones are in a new file",
				     o->record);
	if (stats->renamed > out->reported_renamed)
		complain_print_error("--record: %s was renamed during the recording; later events "
				     "are in a new file",
				     o->record);
	out->reported_removed = stats->removed;
	out->reported_renamed = stats->renamed;
}

void outputs_report(struct outputs *out, const struct options *o)
{
	struct recorder_stats stats;

	if (!out->recorder)
		return;
	recorder_stats(out->recorder, &stats);
	record_restart_report(out, &stats, o);
}

static bool record_end(struct outputs *out, const struct options *o)
{
	struct recorder_stats stats;

	recorder_end(out->recorder);
	recorder_stats(out->recorder, &stats);
	record_restart_report(out, &stats, o);
	if (*stats.error)
		complain_print_error("--record: %s; later events are missing", stats.error);
	if (stats.lost.lines)
		complain_print_error("--record: %" PRIu64
				     " lines came too fast for %s: what is missing is "
				     "marked in it",
				     stats.lost.lines, o->record);
	recorder_free(out->recorder);
	out->recorder = NULL;
	return !*stats.error && !stats.removed;
}

/* Lost lines of tees are reported, but are not a failure of the run. */
static void tees_end(struct outputs *out)
{
	struct tee_stats stats;

	for (int i = 0; i < out->nr_tees; i++) {
		tee_end(out->tees[i]);
		tee_stats(out->tees[i], &stats);
		if (stats.lost.lines)
			complain_print_error("--tee: %s: %" PRIu64 " lines of %" PRIu64
					     " were lost%s%s",
					     out->tee_specs[i], stats.lost.lines,
					     stats.lost.lines + stats.passed.lines,
					     *stats.error ? ": " : "", stats.error);
		tee_free(out->tees[i]);
	}
	out->nr_tees = 0;
}

bool outputs_end(struct outputs *out, const struct options *o)
{
	tees_end(out);
	if (out->recorder)
		out->failed |= !record_end(out, o);
	return !out->failed;
}
