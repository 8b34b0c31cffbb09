/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/session.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "engine/tr2_settings.h"
#include "monitor/base/print_error.h"
#include "monitor/base/die.h"
#include "monitor/filter/filter_process.h"
#include "monitor/history/lookback.h"
#include "monitor/intake/command_status.h"
#include "monitor/app/attach.h"
#include "monitor/app/liveness.h"
#include "monitor/app/rule_eval.h"
#include "monitor/send/record_file.h"
#include "monitor/app/own_socket.h"
#include "monitor/app/redacted.h"
#include "monitor/app/remote.h"
#include "monitor/app/self_trace.h"
#include "monitor/app/stored_queries.h"
#include "monitor/report/report_query.h"

/* Interval in ms of checks for open connections after detaching from Git. */
#define DETACH_LOOK_MS 10
#define DETACH_LOOKS   100

static bool is_off(const char *target)
{
	return !target || !*target || !strcmp(target, "0") || !strcasecmp(target, "false");
}

/* Return the default socket as the spec of a source; NULL with `why` if there is no private
 * directory for the socket. */
static char *own_spec(char *why, size_t why_bytes)
{
	char *path = own_socket_path(why, why_bytes);
	char *spec = path ? source_socket_spec(path) : NULL;

	free(path);
	return spec;
}

/* Return a text with the command that makes Git write to `target`, on two lines to fit into a
 * pane. */
static char *hint_for(const char *target)
{
	char hint[400];

	snprintf(hint, sizeof(hint),
		 "To trace every Git command:\n"
		 "  git config --global trace2.eventTarget \\\n"
		 "    %s",
		 target);
	return xstrdup(hint);
}

/* True if the source can be Git's target, and has no blanks, quotes or common special characters of
 * a shell. */
static bool is_target(const char *spec)
{
	const char *path = source_target_path(spec);

	return path && *path == '/' && !strpbrk(spec, " \t\n\"'\\$`*?[#~&;|<>()");
}

/* True for a URL that is not one of NATS, and for USER:PASSWORD@HOST, unless a file has this
 * name. */
static bool is_other_url(const char *spec)
{
	const char *colon = strchr(spec, ':');

	return colon && !nats_url_is(spec) && !source_target_path(spec) &&
	       (strstr(spec, "://") || strchr(colon, '@')) && access(spec, F_OK);
}

static bool specs_resolve(struct session *s)
{
	const struct options *o = s->options;
	char *target;

	if (o->command || o->remote)
		return true;
	s->specs = xcalloc((size_t)o->nr_sources + 1, sizeof(*s->specs));
	if (o->attach) {
		s->attach = attach_open(s->why);
		if (s->attach)
			s->specs[s->nr_specs++] = xstrdup(attach_spec(s->attach));
		return s->attach != NULL;
	}
	for (int i = 0; i < o->nr_sources; i++) {
		/* The message does not contain the source, which may contain a password. */
		if (is_other_url(o->sources[i])) {
			snprintf(
				s->why, sizeof(s->why),
				"source %d is a URL that cannot be read; use a path, af_unix:PATH, "
				"nats:// or tls://",
				i + 1);
			return false;
		}
		s->specs[s->nr_specs++] = xstrdup(o->sources[i]);
	}
	if (s->nr_specs == 1 && is_target(s->specs[0]))
		s->hint = hint_for(s->specs[0]);
	else if (s->nr_specs == 1 && nats_url_is(s->specs[0]))
		s->hint = xstrdup("Run one agent per host, which sends there: trace2top --forward. "
				  "See man trace2top-fleet.");
	if (s->nr_specs)
		return true;
	target = tr2_settings_event_target();
	if (!is_off(target) && !source_target_path(target)) {
		snprintf(s->why, sizeof(s->why),
			 "Git's event target '%s' cannot be followed; give a SOURCE, or set "
			 "trace2.eventTarget to a path or af_unix: socket",
			 target);
		free(target);
		return false;
	}
	if (is_off(target)) {
		free(target);
		target = own_spec(s->why, sizeof(s->why));
		s->is_default = true;
	}
	if (!target) {
		s->hint = xstrdup(s->why);
		return o->may_choose;
	}
	s->specs[s->nr_specs++] = target;
	s->hint = hint_for(target);
	return true;
}

static bool session_filter_open(struct session *s, const char *option, const char *text,
				struct filter **filter)
{
	struct filter_error error;

	if (!text)
		return true;
	*filter = filter_new(text, FILTER_ROWS_PROCESS, tr2_clock_wall(), &error);
	if (*filter)
		return true;
	snprintf(s->why, sizeof(s->why), "%s: column %zu of '%s': %s", option, error.column + 1,
		 text, error.message);
	return false;
}

static bool group_by_open(struct session *s)
{
	const char *text = s->options->group_by, *bad;
	size_t used;

	bad = text ? commands_by_parse(&s->group_by, text) : NULL;
	if (!bad)
		return true;
	snprintf(s->why, sizeof(s->why), "--group-by: '%.*s' does not group; use up to %d of ",
		 (int)strcspn(bad, ","), bad, COMMANDS_MAX_BY);
	for (int i = 0; i < NR_ATTRIBUTES; i++) {
		used = strlen(s->why);
		if (attributes[i].uses & ATTRIBUTE_USE_GROUP_BY)
			snprintf(s->why + used, sizeof(s->why) - used, "%s%s%s%s", i ? ", " : "",
				 attributes[i].word, attributes[i].key ? " " : "",
				 attributes[i].key ? attributes[i].key : "");
	}
	return false;
}

static const struct exporter_ops *session_exporter(const struct options *options)
{
	return options->sql ? &report_query : exporters[options->format].ops;
}

static bool sql_check(struct session *s)
{
	const struct options *o = s->options;
	char why[QUERY_WHY_BYTES];

	if (!o->sql)
		return true;
	if (!o->once || o->lines)
		snprintf(why, sizeof(why), "add --once; on the screen : asks for a query");
	else if (o->format != EXPORTER_TEXT && o->format != EXPORTER_JSON &&
		 o->format != EXPORTER_CSV)
		snprintf(why, sizeof(why), "the result is text, json or csv; remove --format=%s",
			 exporter_words[o->format].word);
	else if (option_given(o, &o->table))
		snprintf(why, sizeof(why), "the query names its tables; remove --table");
	else if ((s->sql = stored_query_text(o->sql, why, sizeof(why))) &&
		 report_query_check(s->sql, why))
		return true;
	snprintf(s->why, sizeof(s->why), "--sql: %s", why);
	return false;
}

static bool format_check(struct session *s)
{
	const struct options *o = s->options;

	if (option_given(o, &o->top) && !exporters[o->format].ops->takes_top) {
		snprintf(s->why, sizeof(s->why),
			 "--top needs the text report; remove it or --format=%s",
			 exporter_words[o->format].word);
		return false;
	}
	if (exporters[o->format].ops->needs_rules && !o->fail_if.nr && !o->rules.nr) {
		snprintf(s->why, sizeof(s->why),
			 "--format=%s reports rules; add --fail-if=RULE or --rules=FILE",
			 exporter_words[o->format].word);
		return false;
	}
	if (option_given(o, &o->table) && !exporters[o->format].ops->takes_table) {
		snprintf(s->why, sizeof(s->why),
			 "--table needs a format with one table; add --format=csv");
		return false;
	}
	if (o->once && exporters[o->format].ops->library) {
		snprintf(s->why, sizeof(s->why),
			 "--format=%s needs %s; install it and rebuild trace2top",
			 exporter_words[o->format].word, exporters[o->format].ops->library);
		return false;
	}
	if (!o->once || o->output || !exporters[o->format].ops->needs_file)
		return true;
	snprintf(s->why, sizeof(s->why), "--format=%s needs a file; add -o report%s",
		 exporter_words[o->format].word, exporters[o->format].suffix);
	return false;
}

/* --redact=text redacts only events and spans; other formats can be made from redacted events. */
static bool redact_check(struct session *s)
{
	const struct options *o = s->options;

	/* Tees forward the original bytes. */
	if (o->redact == REDACTION_TEXT && o->tees.nr) {
		snprintf(s->why, sizeof(s->why),
			 "--redact=text cannot redact --tee; use --record=FILE, or --once "
			 "--format=events");
		return false;
	}
	if (o->redact != REDACTION_TEXT || o->record || o->forward || o->otlp ||
	    (o->once && exporters[o->format].ops->redacts))
		return true;
	snprintf(s->why, sizeof(s->why),
		 "--redact=text needs an output of events or spans; add --record=FILE, "
		 "--forward=nats://SERVERS, --otlp=URL, or --once with --format=events or "
		 "--format=otlp. For a report, read the redacted events with trace2top --once");
	return false;
}

/* The forwarder has its own redactor, which also redacts by default. */
static void session_redactor_open(struct session *s)
{
	const struct options *o = s->options;

	if (option_given(o, &o->redact) && o->redact != REDACTION_NONE)
		s->redactor = redactor_new(&s->syms, (enum redaction)o->redact);
}

bool session_streams(const struct session *s)
{
	const struct options *o = s->options;

	return o->once && session_exporter(o)->batch && !s->filter && o->depth < 0;
}

static size_t history_of(const struct session *s)
{
	const struct options *o = s->options;

	/* Timings with a filter, and some exporters, need a second pass over all events. */
	if (o->once && (s->filter || (session_exporter(o)->batch && !session_streams(s))))
		return SIZE_MAX / 2;
	return option_size(o->history_bytes, o->once ? 0 : DEFAULT_HISTORY_BYTES);
}

static struct model_config model_config_of(const struct session *s)
{
	const struct options *o = s->options;
	/* Without --once, a nesting limit of the configuration file does not limit the model,
	 * because the user can change it on the screen. */
	int64_t nesting = o->once || option_given(o, &o->nesting) ? o->nesting : LIMIT_ALL;
	struct model_config config = { .nesting = nesting,
				       .since = o->since,
				       .no_why = !rule_eval_asks_why(o),
				       .samples = o->save_runs || o->keep_durations ||
						  (o->heat && strchr(o->heat, '/')) ||
						  rules_need_regions(&s->verdicts.rules) };

	if (o->max_processes >= 0)
		config.max_processes = (uint32_t)o->max_processes;
	else if (!o->once)
		config.max_processes = DEFAULT_MAX_PROCESSES;
	if (!o->once && config.max_processes && history_of(s))
		config.max_bytes = lookback_model_bytes(history_of(s));
	return config;
}

static void replay_open(struct session *s)
{
	ns_t first, last;

	if (!(s->options->replay.speed > 0))
		return;
	s->replay = replay_new(s->options->replay);
	for (int i = 0; i < s->nr_specs; i++)
		if (record_file_bounds(s->specs[i], &first, &last))
			replay_set_bounds(s->replay, first, last);
}

static void remote_add(struct session *s, const struct relay *relay)
{
	s->specs = xcalloc(1, sizeof(*s->specs));
	s->specs[s->nr_specs++] = remote_spec(s->options);
	intake_add_relay(s->intake, s->specs[0], relay);
}

/* The displayed name of a source has no password. */
static void source_add(struct session *s, int number)
{
	struct source_stats stats;

	if (!intake_add(s->intake, s->specs[number], s->why, sizeof(s->why))) {
		s->failed = s->told[number] = true;
		complain_print_error("%s", s->why);
	}
	intake_stats(s->intake, number, &stats);
	if (!strcmp(stats.spec, s->specs[number]))
		return;
	free(s->specs[number]);
	s->specs[number] = xstrdup(stats.spec);
}

bool session_open(struct session *s, const struct options *options, void (*wake)(void *),
		  void *wake_data)
{
	/* With --remote the relay applies --new and --input-format. */
	bool is_here = !options->remote;
	struct source_config config = { .once = options->once,
					.new_only = options->new_only && is_here,
					.input_format = is_here ? options->input_format : 0,
					.socket_mode = options->socket_mode,
					.keeps_input = options->lines,
					.since = options->since > 0 ? options->since : 0,
					.nats = { .creds = options->nats_creds,
						  .tls_ca = options->tls_ca,
						  .tls_cert = options->tls_cert,
						  .tls_key = options->tls_key,
						  .insecure = options->insecure },
					.wake = wake,
					.wake_data = wake_data };
	struct relay relay;

	*s = (struct session){ .options = options };
	if (!format_check(s) || !sql_check(s) || !redact_check(s) || !specs_resolve(s) ||
	    !session_filter_open(s, "--filter", options->filter, &s->filter) || !group_by_open(s) ||
	    !session_filter_open(s, "--difference", options->difference, &s->difference) ||
	    !rule_eval_open(&s->verdicts, options, &s->base_traces, s->why, sizeof(s->why)) ||
	    (options->remote && !remote_open(options, &relay, s->why, sizeof(s->why))))
		return false;
	s->model_config = model_config_of(s);
	if (!tr2_intern_init(&s->syms, 0, s->model_config.max_processes ? MAX_INTERN_BYTES : 0))
		die("out of memory");
	session_redactor_open(s);
	s->past = rule_eval_past(&s->verdicts.base, &s->syms, &s->model_config.nr_past);
	s->model_config.past = s->past;
	s->keeps_history = history_of(s) > 0;
	s->journal = journal_new(history_of(s), wake, wake_data);
	s->model = model_new(&s->syms, &s->model_config);
	replay_open(s);
	config.replay = s->replay;
	s->intake = intake_new(s->journal, &s->syms, &config);
	s->told = xcalloc((size_t)s->nr_specs + 1, sizeof(*s->told));
	for (int i = 0; i < s->nr_specs; i++)
		source_add(s, i);
	if (options->remote)
		remote_add(s, &relay);
	self_trace_refuse(s->intake);
	if (!outputs_open(&s->outputs, options, s->intake, wake, wake_data, s->why, sizeof(s->why)))
		return false;
	if (outputs_are_redacted(options)) {
		s->recorded = (struct report_input){ .model = s->model,
						     .nesting = LIMIT_ALL,
						     .depth = LIMIT_ALL,
						     .redactor = s->redactor };
		s->redacted = redacted_new(recorder_tap(s->outputs.recorder), &s->recorded);
	}
	if (options->forward) {
		s->forwarding = forwarding_new(options, s->model, s->journal, s->filter, wake,
					       wake_data, s->why, sizeof(s->why));
		if (!s->forwarding)
			return false;
	}
	if (options->otlp) {
		s->exporting =
			exporting_new(options, s->model, s->redactor, s->why, sizeof(s->why));
		if (!s->exporting)
			return false;
	}
	if (s->attach)
		s->before =
			outputs_add_asking_tee(&s->outputs, s->intake, attach_before, s->attach);
	return true;
}

bool session_start(struct session *s, int cols, int rows, int *status)
{
	char **argv = s->options->command;

	if (argv && !intake_add_command(s->intake, argv, cols, rows, s->why, sizeof(s->why))) {
		*status = session_command_status(s, STATUS_SOURCE);
		return false;
	}
	self_trace_start(s->options);
	outputs_start(&s->outputs);
	if (s->forwarding)
		forwarding_start(s->forwarding);
	if (s->exporting)
		exporting_start(s->exporting);
	intake_start(s->intake);
	if (!s->attach)
		return true;
	/* All outputs are open now. Ask for Git's previous target again: another monitor may have
	 * attached just before. */
	if (!s->failed && attach_on(s->attach, s->why)) {
		tee_ask_again(s->before);
		return true;
	}
	*status = STATUS_USAGE;
	return false;
}

void session_drain(struct session *s)
{
	if (s->attach)
		attach_off(s->attach);
	intake_drain(s->intake);
}

void session_suspend(struct session *s)
{
	if (s->attach)
		attach_off(s->attach);
	intake_suspend(s->intake);
}

void session_resume(struct session *s)
{
	char why[GIT_WHY_BYTES];

	intake_resume(s->intake);
	if (s->attach && !attach_on(s->attach, why))
		complain_print_error("%s", why);
	/* Other monitors may have attached while this one was stopped. */
	if (s->before)
		tee_ask_again(s->before);
}

/* If an output is left, wait up to a second until no connection is open. */
static void detach(struct session *s)
{
	struct source_stats st;

	if (!s->attach)
		return;
	attach_off(s->attach);
	for (int i = 0; i < DETACH_LOOKS && s->intake && outputs_go_on(&s->outputs); i++) {
		intake_stats(s->intake, 0, &st);
		if (!st.nr_open)
			break;
		poll(NULL, 0, DETACH_LOOK_MS);
	}
}

bool session_end(struct session *s)
{
	bool ok;

	detach(s);
	if (s->intake)
		intake_stop(s->intake);
	ok = session_save_runs(s);
	if (s->redacted || s->forwarding || s->exporting)
		session_pass_on(s);
	redacted_end(s->redacted);
	s->redacted = NULL;
	ok = forwarding_end(s->forwarding) && ok;
	s->forwarding = NULL;
	ok = exporting_end(s->exporting) && ok;
	s->exporting = NULL;
	ok = outputs_end(&s->outputs, s->options) && ok;
	/* The tee has ended, so it calls attach_before() no longer. */
	s->before = NULL;
	attach_close(s->attach);
	s->attach = NULL;
	return ok;
}

void session_read(struct session *s)
{
	intake_start(s->intake);
}

void session_end_reading(struct session *s)
{
	session_end(s);
	intake_free(s->intake);
	s->intake = NULL;
	replay_free(s->replay);
	s->replay = NULL;
	journal_free(s->journal);
	s->journal = NULL;
}

void session_close(struct session *s)
{
	if (!s->options)
		return;
	session_end_reading(s);
	model_free(s->model);
	filter_free(s->filter);
	filter_free(s->difference);
	redactor_free(s->redactor);
	rule_results_release(&s->verdicts);
	base_traces_free(s->base_traces);
	free(s->past);
	if (s->syms.by_hash.at)
		tr2_intern_release(&s->syms);
	for (int i = 0; i < s->nr_specs; i++)
		free(s->specs[i]);
	free(s->specs);
	free(s->told);
	free(s->hint);
	free(s->sql);
	*s = (struct session){ 0 };
}

static void give_on(struct session *s, const struct batch *batch)
{
	if (s->redacted)
		redacted_batch(s->redacted, batch);
	if (s->forwarding)
		forwarding_batch(s->forwarding, batch);
	if (s->exporting)
		exporting_batch(s->exporting, batch);
}

bool session_apply(struct session *s, ns_t budget_ns)
{
	ns_t until = tr2_clock_monotonic() + budget_ns;
	const struct batch *batch;

	while ((batch = journal_next(s->journal))) {
		self_trace_count(batch->nr_events);
		model_apply(s->model, batch);
		if (s->streams)
			report_batch(s->streams, batch);
		give_on(s, batch);
		journal_trim(s->journal);
		if (budget_ns && tr2_clock_monotonic() >= until)
			return true;
	}
	return false;
}

void session_check_killed(struct session *s, bool all_applied)
{
	struct batch *batch;
	uint32_t slot;
	ns_t ended;
	pid_t pid;
	int signo;

	if (s->killed || !intake_command_killed(s->intake, &pid, &signo, &ended))
		return;
	if (!all_applied && tr2_clock_wall() - ended < NS_PER_SEC)
		return;
	s->killed = true;
	slot = liveness_process_of_pid(s->model, pid);
	if (slot == SLOT_NONE)
		return;
	batch = journal_take(s->journal);
	liveness_killed(batch, s->model, model_slot(s->model, slot), signo, ended);
	journal_push(s->journal, batch);
	if (all_applied)
		session_apply(s, 0);
}

bool session_is_own_command(const struct session *s)
{
	return s->options->command || intake_is_recorded_command(s->intake);
}

bool session_needs_model(const struct session *s)
{
	/* The exporter needs the model to find running processes, whose pids are checked; the
	 * forwarder needs it for its filter. */
	return s->exporting || (s->forwarding && forwarding_needs_model(s->forwarding));
}

void session_pass_on(struct session *s)
{
	const struct batch *batch;

	while ((batch = journal_next(s->journal))) {
		if (session_needs_model(s))
			model_apply(s->model, batch);
		give_on(s, batch);
		journal_trim(s->journal);
	}
}

bool session_plays(struct session *s)
{
	struct source_stats st;

	if (s->replay)
		return true;
	for (int i = 0; i < intake_nr_sources(s->intake); i++) {
		intake_stats(s->intake, i, &st);
		if (st.plays)
			return true;
	}
	return false;
}

ns_t session_now(const struct session *s)
{
	struct replay_view view;

	if (s->replay) {
		view = replay_get(s->replay, tr2_clock_monotonic());
		if (view.began)
			return view.at;
	}
	/* A relay's processes have times of its host's clock. */
	return tr2_clock_wall() + (s->intake ? intake_relay_skew(s->intake) : 0);
}

int session_command_status(struct session *s, int otherwise)
{
	int status;
	ns_t ran;

	if (intake_command(s->intake, &status, &ran) == COMMAND_ENDED ||
	    intake_relay_command(s->intake, &status, &ran) == COMMAND_ENDED)
		return command_status_code(status);
	return otherwise;
}

bool session_report_failures(struct session *s)
{
	for (int i = 0; i < intake_nr_sources(s->intake); i++) {
		struct source_stats st;
		char why[400];

		intake_stats(s->intake, i, &st);
		source_stats_format_unread(&st, why, sizeof(why));
		if (*why && st.state != SOURCE_FAILED)
			complain_print_error("%s: %s", st.spec, why);
		else if (*st.hint)
			complain_print_error("%s: %s", st.spec, st.hint);
		if (*st.agents)
			complain_print_error("%s: %s", st.spec, st.agents);
		s->failed |= *why != '\0';
		if (st.state != SOURCE_FAILED) {
			if (*st.error && !*why)
				complain_print_error("%s: %s", st.spec, st.error);
			continue;
		}
		s->failed = true;
		if (i >= s->nr_specs || !s->told[i])
			complain_print_error("%s was not read completely: %s", st.spec, st.error);
	}
	return s->failed;
}
