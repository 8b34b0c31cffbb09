/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/screen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "engine/base/buf.h"
#include "engine/trace2.h"
#include "monitor/history/journal_order.h"
#include "monitor/base/die.h"
#include "monitor/base/humanize.h"
#include "monitor/base/user.h"
#include "monitor/intake/command_status.h"
#include "monitor/report/database.h"
#include "monitor/app/screen_export.h"
#include "monitor/app/screen_query.h"
#include "monitor/app/self_trace.h"
#include "views/draw/surface.h"
#include "views/registry/registry.h"
#include "views/ui/rows.h"

/* Minimum time between two automatic sorts, as a multiple of the last sort's duration. */
#define ORDER_PAUSE 10
/* Time for applying pending events after which keys are checked. */
#define CATCH_UP_NS (5 * NS_PER_MS)

static size_t memory_max(const struct screen *s)
{
	return option_size(s->session->options->history_bytes, DEFAULT_HISTORY_BYTES);
}

static void command_fill(struct screen *s, struct ui_input *in)
{
	int status;
	ns_t ran;
	enum command_state state = intake_command(s->session->intake, &status, &ran);

	if (state != COMMAND_NONE) {
		in->command_line = s->command_line;
		in->command_begun_ns = intake_command_begun(s->session->intake);
		in->command_ran_ns = ran;
	} else {
		/* The trace has times of the relay's host, so `ran`, measured here, is only
		 * shown. */
		state = intake_relay_command(s->session->intake, &status, &ran);
	}
	if (state == COMMAND_NONE)
		return;
	in->command_state = s->command_text;
	in->command_ended = state == COMMAND_ENDED;
	in->command_may_wait = intake_command_may_wait(s->session->intake);
	if (!in->command_ended) {
		command_status_format_running(ran, s->command_text, sizeof(s->command_text));
		return;
	}
	in->command_failed = command_status_code(status) != 0;
	command_status_format(status, ran, s->command_text, sizeof(s->command_text));
}

static void replay_fill(const struct screen *s, struct ui_input *in)
{
	struct replay_view view = replay_get(s->session->replay, in->monotonic_ns);

	in->replays = view.began;
	in->replay_held = view.held;
	in->replay_speed = view.speed;
	in->replay_from = view.from;
	in->replay_until = view.until;
}

static void exporting_fill(struct exporting *exporting, struct ui_tee *out)
{
	struct span_sender_stats stats;

	exporting_stats(exporting, &stats);
	*out = (struct ui_tee){ .spec = exporting_shown(exporting),
				.spans = true,
				.passed = stats.sent,
				.lost = stats.failed + stats.dropped };
	snprintf(out->error, sizeof(out->error), "%.99s", *stats.error ? stats.error : stats.lost);
}

static void outputs_fill(const struct screen *s, struct ui_input *in, struct ui_tee *tees)
{
	const struct outputs *out = &s->session->outputs;
	struct tee_stats stats;

	if (out->recorder) {
		struct recorder_stats record;

		recorder_stats(out->recorder, &record);
		in->is_recording = !record.has_stopped;
		in->record_bytes = record.bytes;
	}
	in->record_stopped = outputs_record_stopped(out);
	in->record_restarted = outputs_record_restarted(out);
	in->tees = tees;
	in->nr_tees = out->nr_tees;
	for (int i = 0; i < out->nr_tees; i++) {
		tee_stats(out->tees[i], &stats);
		tees[i].spec = out->tee_specs[i];
		tees[i].passed = stats.passed.lines;
		tees[i].lost = stats.lost.lines;
		tees[i].spans = false;
		memcpy(tees[i].error, stats.error, sizeof(tees[i].error));
	}
	if (s->session->exporting)
		exporting_fill(s->session->exporting, &tees[in->nr_tees++]);
}

static void output_refresh(struct screen *s)
{
	size_t len;

	if (!s->session->options->command && !s->session->options->remote_command)
		return;
	if (!s->output)
		s->output = xmalloc(COMMAND_OUTPUT_BYTES);
	len = intake_command_output(s->session->intake, s->output, &s->output_version);
	if (len != SIZE_MAX)
		s->output_len = len;
}

static void input_fill(struct screen *s, ns_t wall, ns_t monotonic, struct screen_input *filled)
{
	struct ui_input *in = &filled->in;
	int nr;

	filled->sources = intake_all_stats(s->session->intake, &nr);
	*in = (struct ui_input){ .model = s->past_model ? s->past_model : s->session->model,
				 .live = s->session->model,
				 .journal = s->session->journal,
				 .intern = &s->session->syms,
				 .wall_ns = wall,
				 .monotonic_ns = monotonic,
				 .begun_ns = s->begun_ns,
				 .sources = filled->sources,
				 .nr_sources = nr,
				 .verdicts = &s->session->verdicts,
				 .paused = screen_is_paused(s) };
	s->now_ns = monotonic;
	s->wall_ns = wall;
	model_settle(s->session->model);
	journal_stats(s->session->journal, &in->journal_stats);
	self_trace_count_dropped(in->journal_stats.dropped_events - s->dropped_events);
	s->dropped_events = in->journal_stats.dropped_events;
	in->memory_bytes = in->journal_stats.bytes + model_bytes(s->session->model);
	in->memory_max_bytes = memory_max(s);
	if (in->paused) {
		in->paused_events = in->journal_stats.pushed_events - s->paused_at_events;
		in->paused_ns = in->monotonic_ns - s->paused_ns;
	}
	if (s->past_model) {
		in->past = true;
		in->lookback_position = lookback_position(s->past);
		in->lookback_first = lookback_first(s->past);
		in->lookback_end = lookback_end(s->past);
		in->past_ns = lookback_time(s->past);
	}
	if (s->past) {
		lookback_set_live_bytes(s->past, model_bytes(s->session->model));
		in->memory_bytes += lookback_bytes(s->past);
	}
	output_refresh(s);
	in->output = s->output;
	in->output_len = s->output_len;
	command_fill(s, in);
	screen_query_fill(s, in);
	in->own_command = session_is_own_command(s->session);
	outputs_fill(s, in, filled->tees);
	if (s->session->replay)
		replay_fill(s, in);
}

void screen_draw(struct screen *s, ns_t wall, ns_t monotonic)
{
	enum human_form form = human_set_form(HUMAN_SCREEN);
	struct screen_input filled;

	input_fill(s, wall, monotonic, &filled);
	human_set_form(form);
	trace2_region_enter("loop", "frame", NULL);
	ui_frame(s->ui, &filled.in, s->surface);
	trace2_region_leave("loop", "frame", NULL);
	free(filled.sources);
}

const struct ui_input *screen_check(struct screen *s, ns_t wall, ns_t monotonic)
{
	free(s->looked.sources);
	input_fill(s, wall, monotonic, &s->looked);
	ui_check(s->ui, &s->looked.in);
	return &s->looked.in;
}

static bool screen_work_asks(void *data, uint64_t done, uint64_t total)
{
	struct screen *s = data;

	return !s->asked || s->asked(s->asked_data, s->work_what, done, total);
}

struct work screen_work(struct screen *s, const char *what)
{
	s->work_what = what;
	return (struct work){ .goes_on = screen_work_asks, .data = s };
}

static void pause_toggle(struct screen *s)
{
	struct journal_stats stats;

	if (s->paused_ns != NS_NONE) {
		s->paused_ns = NS_NONE;
		s->past_model = NULL;
		if (s->past)
			lookback_leave(s->past);
		return;
	}
	journal_stats(s->session->journal, &stats);
	s->paused_ns = s->now_ns;
	s->paused_at_events = stats.pushed_events;
}

/* Return the number of the last event before the time that looking back shows; PLACE_NONE: none. */
static uint64_t last_event(const struct screen *s)
{
	uint64_t position = lookback_position(s->past);

	return s->past_model && position > lookback_first(s->past) ? position - 1 : PLACE_NONE;
}

/* Rebuild the models of the past and of the present after the journal was sorted. */
static void models_renew(struct screen *s, uint64_t event, struct work *work)
{
	struct model *live;

	if (s->past_model)
		s->past_model = lookback_seek(s->past, event == PLACE_NONE ? 0 : event + 1, NULL);
	s->work_what = "Replaying the sorted history";
	live = lookback_replay(s->past, work);
	if (!live)
		return;
	model_free(s->session->model);
	s->session->model = live;
	s->live_era = journal_era(s->session->journal);
}

/* Sort the journal, and translate the ui's event numbers and `*event` to the new order. */
static void journal_order(struct screen *s, uint64_t *event, struct work *work)
{
	struct journal *journal = s->session->journal;
	struct places places = { 0 };

	places_add(&places, *event);
	ui_places(s->ui, &places, false);
	journal_order_sort(journal, &places, work);
	*event = places_take(&places);
	ui_places(s->ui, &places, true);
	places_release(&places);
	journal_trim(journal);
}

/* Sort the history by time if necessary. Returns false if the sort was cancelled. */
static bool history_order(struct screen *s)
{
	struct work work = screen_work(s, "Sorting the history by time");
	struct journal *journal = s->session->journal;
	ns_t begun = tr2_clock_monotonic(), end;
	uint64_t event;

	if (!s->past || (!journal_is_disordered(journal) && s->live_era == journal_era(journal)))
		return true;
	event = last_event(s);
	if (journal_is_disordered(journal))
		journal_order(s, &event, &work);
	if (s->live_era != journal_era(journal))
		models_renew(s, event, &work);
	end = tr2_clock_monotonic();
	s->order_again_ns = work.broken_off ? INT64_MAX : ns_add(end, (end - begun) * ORDER_PAUSE);
	if (work.broken_off)
		ui_notice(s->ui, journal_is_disordered(journal)
					 ? "Cancelled: old traces are not sorted by time"
					 : "Cancelled");
	return !work.broken_off;
}

void screen_order(struct screen *s)
{
	if (ui_wants_story(s->ui) && tr2_clock_monotonic() >= s->order_again_ns)
		history_order(s);
}

/* If a page that shows events by time was just opened, sort now, even if sorting was cancelled
 * before. Returns true if sorting was tried. */
static bool story_begin(struct screen *s)
{
	bool began = ui_wants_story(s->ui) && !s->in_story;

	s->in_story = ui_wants_story(s->ui);
	if (!began || !s->past || !journal_is_disordered(s->session->journal))
		return false;
	history_order(s);
	return true;
}

static void report_ends(struct screen *s, const struct ui_past *to, uint64_t at)
{
	if (at <= lookback_first(s->past) && (to->kind == UI_PAST_TIME || to->amount < 0))
		ui_notice(s->ui, lookback_first(s->past) ? "The history begins here"
							 : "No earlier events");
	else if (at >= lookback_end(s->past) && (to->kind == UI_PAST_TIME || to->amount > 0))
		ui_notice(s->ui, "No later events; press End for the live view");
}

/* Apply pending events, so that the user can look at them, too. Does not wait for events that
 * arrive meanwhile, so that the work ends. Returns false if the work was cancelled. */
static bool catch_up(struct screen *s)
{
	struct work work = screen_work(s, "Looking back");
	uint64_t from = lookback_end(s->past), end;
	struct journal_stats stats;

	/* Start from the state of the pause: applying events moves the end of the history. */
	if (!s->past_model)
		s->past_model = lookback_seek(s->past, from, &work);
	journal_stats(s->session->journal, &stats);
	end = from + stats.waiting_events;
	while (lookback_end(s->past) < end &&
	       work_goes_on(&work, lookback_end(s->past) - from, end - from) &&
	       session_apply(s->session, CATCH_UP_NS))
		;
	if (work.broken_off)
		ui_notice(s->ui, "Cancelled: stopped here");
	return !work.broken_off;
}

static void screen_look_back(struct screen *s, struct ui_past to)
{
	struct work work;
	uint64_t at;

	if (!s->past) {
		ui_notice(s->ui, "No history: start with --history=SIZE to look back");
		return;
	}
	if (to.kind == UI_PAST_LIVE) {
		if (s->paused_ns != NS_NONE)
			pause_toggle(s);
		return;
	}
	if (s->paused_ns != NS_NONE && (to.kind == UI_PAST_TIME || to.amount > 0) && !catch_up(s))
		return;
	if (!history_order(s))
		return;
	work = screen_work(s, "Looking back");
	if (s->paused_ns == NS_NONE)
		pause_toggle(s);
	switch (to.kind) {
	case UI_PAST_EVENTS:
		at = lookback_events_on(s->past, to.amount);
		break;
	case UI_PAST_SECONDS:
		at = lookback_seconds_on(s->past, to.amount, model_last_time(s->session->model));
		break;
	default:
		at = lookback_position_of(s->past, to.amount);
		break;
	}
	s->past_model = lookback_seek(s->past, at, &work);
	if (work.broken_off)
		ui_notice(s->ui, "Cancelled: stopped here");
	else
		report_ends(s, &to, at);
}

/*
 * Handle requests for the clock of a replay: its speed and, unless the screen is paused, pausing
 * and skipping. Returns `reaction` without the requests UI_PAUSE and UI_PAST that were handled.
 */
static unsigned replay_key(struct screen *s, unsigned reaction)
{
	struct replay *replay = s->session->replay;
	ns_t now = tr2_clock_monotonic();
	struct replay_view view = replay_get(replay, now);
	struct ui_past to = ui_past_asked(s->ui);
	bool on = to.kind == UI_PAST_SECONDS && to.amount > 0;

	if (reaction & UI_SLOWER)
		replay_set_speed(replay, view.speed / 2, now);
	if (reaction & UI_FASTER)
		replay_set_speed(replay, view.speed * 2, now);
	if (!screen_is_paused(s) && reaction & UI_PAUSE) {
		replay_hold(replay, !view.held, now);
		reaction &= ~(unsigned)UI_PAUSE;
	}
	if (!screen_is_paused(s) && reaction & UI_PAST && on) {
		replay_skip(replay, to.amount * NS_PER_SEC, now);
		reaction &= ~(unsigned)UI_PAST;
	}
	intake_replay_changed(s->session->intake);
	return reaction;
}

static void setup_write(struct screen *s)
{
	const char *path = s->setup ? s->setup->path : NULL;
	char notice[300];
	bool ok;

	if (!path) {
		ui_notice(s->ui,
			  "Not saved: there is no configuration file (see --no-config and $HOME)");
		return;
	}
	ok = setup_save(s->setup);
	snprintf(notice, sizeof(notice), ok ? "Setup saved to %s" : "Cannot write %s: %s", path,
		 strerror(errno));
	ui_notice(s->ui, notice);
}

void screen_go_live(struct screen *s)
{
	screen_look_back(s, (struct ui_past){ .kind = UI_PAST_LIVE });
}

unsigned screen_react(struct screen *s, unsigned reaction)
{
	if (s->session->replay)
		reaction = replay_key(s, reaction);
	else if (reaction & (UI_SLOWER | UI_FASTER))
		ui_notice(s->ui, "No recording is replayed: see --replay");
	if (reaction & UI_PAUSE)
		pause_toggle(s);
	if (reaction & UI_PAST)
		screen_look_back(s, ui_past_asked(s->ui));
	if (reaction & UI_LEAVE_OLD)
		intake_leave_old(s->session->intake);
	if (reaction & UI_SAVE)
		setup_write(s);
	if (reaction & UI_WRITE_REPORT)
		screen_report(s);
	if (reaction & UI_EXPORT)
		screen_export(s);
	if (reaction & UI_QUERY)
		screen_query(s);
	if (reaction & UI_QUERY_CANCEL)
		screen_query_cancel(s);
	if (reaction & UI_QUERY_WRITE)
		screen_query_write(s);
	return reaction;
}

unsigned screen_key(struct screen *s, const struct key_event *key)
{
	unsigned reaction = ui_key(s->ui, key);
	bool was_past = s->past_model != NULL, renewed = story_begin(s);

	reaction = screen_react(s, reaction);
	/* The displayed model may have been freed, and the next key must act on the current one. */
	if (renewed || (reaction & (UI_PAUSE | UI_PAST) && (was_past || s->past_model)))
		screen_draw(s, session_now(s->session), tr2_clock_monotonic());
	return reaction;
}

void screen_init(struct screen *s, struct session *session)
{
	*s = (struct screen){ .session = session, .paused_ns = NS_NONE };
	if (session->keeps_history)
		s->past = lookback_new(session->journal, &session->syms, &session->model_config);
}

static char *command_join(char **words)
{
	struct tr2_buf line;
	char *copy;

	tr2_buf_init(&line, 1 << 20);
	for (char **word = words; *word; word++)
		if ((word != words && !tr2_buf_addch(&line, ' ')) || !tr2_buf_addstr(&line, *word))
			break;
	copy = xstrdup(tr2_buf_cstr(&line));
	tr2_buf_release(&line);
	return copy;
}

static void format_attached_title(char *out, size_t bytes)
{
	char user[USER_BYTES];
	struct utsname host;

	snprintf(out, bytes, "all Git commands of %s", user_name(geteuid(), user));
	if (!uname(&host))
		snprintf(out + strlen(out), bytes - strlen(out), "@%.*s",
			 (int)strcspn(host.nodename, "."), host.nodename);
}

static struct ui *ui_open(struct screen *s, bool ascii)
{
	const struct options *options = s->session->options;
	char title[sizeof(((struct utsname *)0)->nodename) + USER_BYTES + 32];
	const char *command[] = { "--", s->command_line };
	struct ui_config config = { .views = view_table,
				    .setup = s->setup,
				    .ascii = ascii,
				    .follow = options->follow,
				    .nesting = options->nesting,
				    .depth = options->depth,
				    .filter = options->filter,
				    .now_ns = session_now(s->session),
				    .specs = (const char *const *)s->session->specs,
				    .nr_specs = s->session->nr_specs,
				    .offers_start = s->session->is_default && !options->once,
				    .attached = s->session->attach != NULL,
				    .compares = s->session->verdicts.compares,
				    .has_command = s->command_line || options->remote_command,
				    .exports = s->export_words,
				    .nr_exports = NR_EXPORTERS,
				    .export_synonyms = exporter_synonyms,
				    .default_export = EXPORTER_CHROME,
				    .files = export_files,
				    .query_words = database_missing() ? NULL : query_words_offer,
				    .wait_hint = s->session->hint };

	export_words(s->export_words);
	if (config.attached) {
		format_attached_title(title, sizeof(title));
		config.title = title;
	}
	if (s->command_line) {
		config.specs = command;
		config.nr_specs = 2;
	}
	return ui_new(&config);
}

void screen_open(struct screen *s, int cols, int rows, bool ascii)
{
	if (s->session->options->command)
		s->command_line = command_join(s->session->options->command);
	s->ui = ui_open(s, ascii);
	s->surface = surface_new(cols, rows, ascii);
	ui_resize(s->ui, cols, rows);
	if (s->setup && *s->setup->notice)
		ui_notice(s->ui, s->setup->notice);
	s->begun_ns = tr2_clock_monotonic();
	s->now_ns = s->begun_ns;
}

void screen_resize(struct screen *s, int cols, int rows)
{
	ui_resize(s->ui, cols, rows);
}

void screen_close(struct screen *s)
{
	screen_query_close(s);
	lookback_free(s->past);
	free(s->looked.sources);
	free(s->output);
	free(s->command_line);
	if (s->surface)
		surface_free(s->surface);
	if (s->ui)
		ui_free(s->ui);
}
