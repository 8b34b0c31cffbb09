/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/screen_export.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/app/session_report.h"
#include "monitor/base/secrets.h"
#include "monitor/base/visible.h"
#include "monitor/base/whole_file.h"

#define NOTICE_BYTES 300
#define NAME_BYTES   4096

void export_words(struct word words[NR_EXPORTERS])
{
	for (int i = 0; i < NR_EXPORTERS; i++)
		words[i] = exporters[i].ops->needs_rules ? (struct word){ 0 } : exporter_words[i];
}

static void name_expand(const char *typed, char *name, size_t bytes)
{
	const char *home = getenv("HOME");

	if (home && !strncmp(typed, "~/", 2))
		snprintf(name, bytes, "%s%s", home, typed + 1);
	else
		snprintf(name, bytes, "%s", typed);
}

void export_files(const char *begun, void (*offer)(void *data, const char *name), void *data)
{
	const char *slash = strrchr(begun, '/');
	size_t folder = slash ? (size_t)(slash - begun) + 1 : 0;
	char typed[NAME_BYTES], path[NAME_BYTES], file[NAME_BYTES + 256];
	struct dirent **entries;
	int nr;

	snprintf(typed, sizeof(typed), "%.*s", (int)folder, begun);
	name_expand(typed, path, sizeof(path));
	nr = scandir(*path ? path : ".", &entries, NULL, alphasort);
	for (int i = 0; i < nr; i++) {
		const char *name = entries[i]->d_name;
		struct stat st;

		snprintf(file, sizeof(file), "%s%s", path, name);
		if (!strncmp(name, begun + folder, strlen(begun + folder)) &&
		    (*name != '.' || begun[folder] == '.')) {
			bool is_folder = !stat(file, &st) && S_ISDIR(st.st_mode);

			snprintf(file, sizeof(file), "%s%s%s", typed, name, is_folder ? "/" : "");
			offer(data, file);
		}
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
}

static bool write_to(struct screen *s, int exporter, FILE *to, struct work *work)
{
	struct handle roots[UI_MAX_ROOTS];
	struct report_scope scope = { .model = s->session->model,
				      .end = UINT64_MAX,
				      .filter = ui_filter(s->ui),
				      .roots = roots,
				      .nr_roots = ui_roots(s->ui, roots),
				      .nesting = ui_nesting(s->ui),
				      .depth = ui_depth(s->ui) };
	bool ok;
	int error;

	if (s->past_model) {
		scope.model = model_copy(s->past_model);
		scope.end = lookback_position(s->past);
	}
	ok = session_report(s->session, exporter, to, &scope, work);
	error = errno;
	if (s->past_model)
		model_free(scope.model);
	errno = error;
	return ok;
}

static bool write_whole(struct screen *s, int exporter, const char *name, struct work *work)
{
	struct whole_file file;
	bool ok = whole_file_open(&file, name, 0600);

	ok = ok && write_to(s, exporter, file.to, work);
	return whole_file_close(&file, ok);
}

static void screen_export_report(struct screen *s, const char *before, const char *name,
				 const char *behind)
{
	struct tr2_buf line;
	char notice[NOTICE_BYTES];

	tr2_buf_init(&line, 2 * NAME_BYTES);
	text_visible(&line, name, strlen(name));
	snprintf(notice, sizeof(notice), "%s%s%s", before, tr2_buf_cstr(&line), behind);
	tr2_buf_release(&line);
	ui_notice(s->ui, notice);
}

static void format_evicted(const struct screen *s, int exporter, char *out, size_t bytes)
{
	struct journal_stats stats;

	*out = '\0';
	journal_stats(s->session->journal, &stats);
	if (exporters[exporter].ops->batch && stats.evicted_events)
		snprintf(out, bytes, ", without the first %" PRIu64 " events: see --history",
			 stats.evicted_events);
}

static void report_result(struct screen *s, const struct work *work, bool ok, int error,
			  const char *name, int exporter)
{
	const char *what = exporter == EXPORTER_TEXT ? "report" : "export";
	char text[NOTICE_BYTES];

	if (work->broken_off) {
		snprintf(text, sizeof(text), "Cancelled: no %s written", what);
		ui_notice(s->ui, text);
	} else if (ok) {
		format_evicted(s, exporter, text, sizeof(text));
		screen_export_report(
			s, exporter == EXPORTER_TEXT ? "Report written to " : "Export written to ",
			name, text);
	} else {
		snprintf(text, sizeof(text), ": %s", strerror(error));
		screen_export_report(s, "Cannot write ", name, text);
	}
}

static void write_new(struct screen *s, int exporter, struct work *work)
{
	char name[64];
	FILE *to =
		report_file_new((enum exporter_row)exporter, tr2_clock_wall(), name, sizeof(name));
	bool ok = to != NULL;
	int error = errno;

	/* The empty file reserves the name; the complete report replaces it. */
	if (to) {
		fclose(to);
		ok = write_whole(s, exporter, name, work);
		error = errno;
		if (!ok)
			unlink(name);
	}
	report_result(s, work, ok, error, name, exporter);
}

void screen_report(struct screen *s)
{
	struct work work = screen_work(s, "Writing the report");

	write_new(s, EXPORTER_TEXT, &work);
}

/* Return why an export in this format is impossible now; NULL: it is possible. */
static const char *refusal(const struct screen *s, int exporter)
{
	const struct exporter_ops *ops = exporters[exporter].ops;

	if (ops->library)
		return "Built without SQLite; csv has the same tables";
	if (s->session->options->redact == REDACTION_TEXT && !ops->redacts)
		return "With --redact=text only events can be exported";
	if (ops->batch && !s->session->keeps_history)
		return "No history: start with --history=SIZE to export events";
	return NULL;
}

void screen_export(struct screen *s)
{
	struct work work = screen_work(s, "Exporting");
	struct ui_export asked = ui_export(s->ui);
	const char *why = refusal(s, asked.format);
	char name[NAME_BYTES];
	struct stat st;
	bool ok;

	if (why) {
		ui_notice(s->ui, why);
		return;
	}
	if (!*asked.file) {
		write_new(s, asked.format, &work);
		return;
	}
	name_expand(asked.file, name, sizeof(name));
	if (!lstat(name, &st)) {
		screen_export_report(s, "", name, " exists; use another FILE");
		return;
	}
	ok = write_whole(s, asked.format, name, &work);
	report_result(s, &work, ok, errno, name, asked.format);
}
