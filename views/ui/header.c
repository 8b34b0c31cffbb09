/* SPDX-License-Identifier: MIT */
/* The header. Figures of problems (lost, bad, dropped) are only shown if there are any. */
#include "config.h"

#include "views/ui/header.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "monitor/base/humanize.h"
#include "views/ui/view.h"
#include "views/ui/view_text.h"

#define SPECS_LEAST_CELLS 10

void header_rate_update(struct header_rate *rate, const struct ui_input *in)
{
	int64_t second = in->monotonic_ns / NS_PER_SEC + 1;
	uint64_t pushed = in->journal_stats.pushed_events;

	if (header_is_reading(in))
		rate->old_second = second;
	if (!rate->second) {
		rate->second = second;
		rate->last_events = pushed;
	}
	while (rate->second < second) {
		int64_t gap = second - rate->second;

		if (gap >= HEADER_RATE_SLOTS) {
			memset(rate->slots, 0, sizeof(rate->slots));
			rate->second = second;
			break;
		}
		memmove(rate->slots, rate->slots + 1,
			(HEADER_RATE_SLOTS - 1) * sizeof(*rate->slots));
		rate->slots[HEADER_RATE_SLOTS - 1] = 0;
		rate->second++;
	}
	rate->slots[HEADER_RATE_SLOTS - 1] += pushed - rate->last_events;
	rate->last_events = pushed;
}

/* Append a count with commas between thousands. */
static void format_grouped(uint64_t n, struct tr2_buf *line)
{
	char digits[32];
	int nr = 0;

	do {
		if (nr % 4 == 3)
			digits[nr++] = ',';
		digits[nr++] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	while (nr)
		tr2_buf_addch(line, digits[--nr]);
}

/* Append the time that is shown while looking back, and how far the journal reaches back. */
static void format_past(const struct ui_input *in, struct tr2_buf *line)
{
	tr2_buf_addstr(line, "PAST ");
	if (in->past_ns != NS_NONE) {
		format_date(in->past_ns, in->wall_ns, line);
		format_time(in->past_ns, true, line);
		tr2_buf_addch(line, ' ');
	}
	format_grouped(in->lookback_position, line);
	tr2_buf_addstr(line, " of ");
	if (in->lookback_first) {
		format_grouped(in->lookback_first, line);
		tr2_buf_addch(line, '-');
	}
	format_grouped(in->lookback_end, line);
}

/* True if no more input can arrive from any source. */
static bool has_ended(const struct ui_input *in)
{
	if (in->command_state)
		return in->command_ended && !model_totals(in->model)->by_state[STATE_RUNNING];
	for (int i = 0; i < in->nr_sources; i++)
		if (in->sources[i].state != SOURCE_DONE && in->sources[i].state != SOURCE_FAILED)
			return false;
	return in->nr_sources > 0;
}

/* True if everything that was read existed before trace2top started. */
static bool is_all_old(const struct ui_input *in)
{
	for (int i = 0; i < in->nr_sources; i++) {
		const struct source_stats *source = &in->sources[i];
		uint64_t came = source->packed_bytes ? source->packed_bytes : source->bytes;

		if (!source->old_bytes || came > source->old_bytes)
			return false;
	}
	return in->nr_sources > 0;
}

static void format_clock(ns_t ns, struct tr2_buf *line)
{
	int64_t s = ns > 0 ? ns / NS_PER_SEC : 0;

	tr2_buf_addf(line, "%02" PRId64 ":%02d:%02d", s / 3600, (int)(s / 60 % 60), (int)(s % 60));
}

/* Append the speed of the replay, and how much of the recording was replayed. */
static void format_replay(const struct ui_input *in, struct tr2_buf *line)
{
	tr2_buf_addf(line, in->replay_held ? "HELD %gx " : "REPLAY %gx ", in->replay_speed);
	format_clock(ns_sub(in->wall_ns, in->replay_from), line);
	if (in->replay_until == NS_NONE)
		return;
	tr2_buf_addstr(line, " of ");
	format_clock(ns_sub(in->replay_until, in->replay_from), line);
}

static void format_mode(const struct ui_input *in, struct tr2_buf *line)
{
	if (in->past) {
		format_past(in, line);
		return;
	}
	if (in->replays && !in->paused) {
		format_replay(in, line);
		return;
	}
	if (!in->paused) {
		tr2_buf_addstr(line, header_is_reading(in) ? "READING"
				     : has_ended(in)       ? "ENDED"
				     : is_all_old(in)      ? "FOLLOWING"
							   : "LIVE");
		return;
	}
	tr2_buf_addstr(line, "PAUSED +");
	format_grouped(in->paused_events, line);
	tr2_buf_addf(line, " events · %02d:%02d", (int)(in->paused_ns / NS_PER_SEC / 60 % 100),
		     (int)(in->paused_ns / NS_PER_SEC % 60));
}

/* Draw the sources and the path of open pages. The sources are shortened first, because the user
 * knows them; the end of the path names the current page. */
static void draw_where(struct surface *surface, int x, int room, const char *specs,
		       const char *path)
{
	int specs_cells = surface_text_cells(specs, SIZE_MAX, surface->ascii);
	int path_cells = *path ? surface_text_cells(path, SIZE_MAX, surface->ascii) + 2 : 0;
	int left = room - path_cells < SPECS_LEAST_CELLS ? SPECS_LEAST_CELLS : room - path_cells;

	left = left < room ? left : room;
	if (specs_cells > left)
		specs_cells = left;
	x += surface_text_ends(surface, x, 0, specs_cells, STYLE_TEXT, specs, SIZE_MAX,
			       specs_cells / 2);
	if (path_cells)
		surface_text_ends(surface, x + 2, 0, room - specs_cells - 2, STYLE_HINT, path,
				  SIZE_MAX, 0);
}

/* Draw the first line from the right: on narrow screens help and uptime are dropped first, the
 * mode (live, paused ...) never. */
static void draw_first(struct surface *surface, const struct ui_input *in, const char *specs,
		       const char *path)
{
	struct tr2_buf *line = format_line();
	int x = surface->cols, cells, left;
	int64_t seconds = (in->monotonic_ns - in->begun_ns) / NS_PER_SEC;

	if (surface->cols >= 90) {
		x -= 16;
		surface_text(surface, x, 0, 16, STYLE_DIM,
			     *path ? "? help  q back" : "? help  q quit", SIZE_MAX);
	}
	if (surface->cols >= 70) {
		tr2_buf_addstr(line, "up ");
		if (seconds < 60)
			tr2_buf_addf(line, "%ds", (int)seconds);
		else
			format_duration(seconds * NS_PER_SEC, line);
		x -= 11;
		surface_text(surface, x, 0, 10, STYLE_DIM, tr2_buf_cstr(line), line->len);
	}
	if (surface->cols >= 52) {
		line = format_line();
		format_time(in->wall_ns, false, line);
		x -= 10;
		surface_text(surface, x, 0, 8, STYLE_TEXT, tr2_buf_cstr(line), line->len);
	}
	line = format_line();
	format_mode(in, line);
	cells = surface_text_cells(tr2_buf_cstr(line), line->len, surface->ascii);
	x -= cells + 2;
	surface_text(surface, x, 0, cells,
		     in->paused || in->past || in->replay_held ? STYLE_PAUSED : STYLE_LIVE,
		     tr2_buf_cstr(line), line->len);
	left = surface_text(surface, 0, 0, x - 1, STYLE_BRAND, "trace2top", SIZE_MAX) + 2;
	draw_where(surface, left, x - left - 1, specs, path);
}

/* Draw a part of the second line, a dim word and its figure, if there is space for both. */
static int part(struct surface *surface, int x, const char *word, enum style style,
		const char *figure)
{
	int word_cells = surface_text_cells(word, SIZE_MAX, surface->ascii);
	int cells = surface_text_cells(figure, SIZE_MAX, surface->ascii);

	if (x + word_cells + 1 + cells > surface->cols)
		return surface->cols;
	surface_text(surface, x, 1, word_cells, STYLE_DIM, word, SIZE_MAX);
	surface_text(surface, x + word_cells + 1, 1, cells, style, figure, SIZE_MAX);
	return x + word_cells + cells + 3;
}

/* Draw the number or rate of events: the number if no more input can arrive. */
static int draw_events(struct surface *surface, const struct model *model)
{
	return part(surface, 0, "events", STYLE_TEXT,
		    human_count(model_totals(model)->events).text);
}

static int draw_rate(struct surface *surface, const struct header_rate *rate)
{
	uint64_t last = rate->slots[HEADER_RATE_SLOTS - 2];
	/* The speed at which old content is read is not the rate at which it was written. */
	bool is_old = rate->old_second >= rate->second - 1;
	int x = surface_text(surface, 0, 1, 7, STYLE_DIM, is_old ? "read at" : "events", SIZE_MAX) +
		1;
	struct tr2_buf *line = format_line();

	if (surface->cols >= 100) {
		surface_spark(surface, x, 1, STYLE_SPARK, rate->slots, HEADER_RATE_SLOTS);
		x += HEADER_RATE_SLOTS + 1;
	}
	format_count(last > rate->slots[HEADER_RATE_SLOTS - 1] ? last
							       : rate->slots[HEADER_RATE_SLOTS - 1],
		     line);
	tr2_buf_addstr(line, "/s");
	return x + surface_text(surface, x, 1, 10, STYLE_TEXT, tr2_buf_cstr(line), line->len) + 2;
}

bool header_is_reading(const struct ui_input *in)
{
	/* In a replay events are read when they are due, so there is no old content. */
	for (int i = 0; i < in->nr_sources && !in->replays; i++)
		if (in->sources[i].listing ||
		    in->sources[i].old_bytes_read < in->sources[i].old_bytes)
			return true;
	return false;
}

static void format_reading(const struct source_stats *sum, bool wide, struct tr2_buf *line)
{
	if (sum->listing) {
		tr2_buf_addstr(line, "listing: ");
		format_count(sum->old_files, line);
		tr2_buf_addf(line, " files, %s", human_bytes(sum->old_bytes).text);
		return;
	}
	tr2_buf_addf(line, "%d%%",
		     (int)((double)sum->old_bytes_read * 100 / (double)sum->old_bytes));
	if (!wide)
		return;
	tr2_buf_addf(line, " %s of %s", human_bytes(sum->old_bytes_read).text,
		     human_bytes(sum->old_bytes).text);
	if (sum->old_files > 1) {
		tr2_buf_addstr(line, " · ");
		format_count(sum->old_files_read, line);
		tr2_buf_addstr(line, " of ");
		format_count(sum->old_files, line);
		tr2_buf_addstr(line, " files");
	}
}

/* Draw how much of the old content was read, instead of the rate of events. */
static int draw_reading(struct surface *surface, const struct ui_input *in, bool esc)
{
	int cols = surface->cols, cells = cols >= 100 ? 20 : cols >= 60 ? 12 : 8;
	int x = surface_text(surface, 0, 1, 7, STYLE_DIM, "reading", SIZE_MAX) + 1;
	struct tr2_buf *line = format_line();
	struct source_stats sum = { 0 };

	for (int i = 0; i < in->nr_sources; i++) {
		const struct source_stats *source = &in->sources[i];

		sum.listing |= source->listing;
		sum.old_bytes += source->old_bytes;
		sum.old_bytes_read += source->old_bytes_read;
		sum.old_files += source->old_files;
		sum.old_files_read += source->old_files_read;
	}
	if (sum.old_bytes && !sum.listing) {
		surface_glyph(surface, x, 1, STYLE_DIM, GLYPH_BAR_LEFT);
		surface_bar(surface, x + 1, 1, cells, STYLE_BAR,
			    1 + (int64_t)((double)sum.old_bytes_read / (double)sum.old_bytes *
					  (cells * 8 - 1)));
		surface_glyph(surface, x + 1 + cells, 1, STYLE_DIM, GLYPH_BAR_RIGHT);
		x += cells + 3;
	}
	format_reading(&sum, cols >= 60, line);
	if (esc)
		tr2_buf_addstr(line, cols >= 70 ? " · Esc skips the rest" : " Esc: leave");
	return x +
	       surface_text(surface, x, 1, cols - x, STYLE_TEXT, tr2_buf_cstr(line), line->len) + 2;
}

static int draw_processes(struct surface *surface, int x, const struct ui_input *in)
{
	const struct model *model = in->model;
	/* For processes from old files it is unknown if they still run, as their rows show. */
	bool unsure = !in->past && (has_ended(in) || is_all_old(in));
	const struct model_totals *totals = model_totals(model);
	struct tr2_buf *line = format_line();

	if (totals->by_state[STATE_RUNNING] || !unsure) {
		format_count(totals->by_state[STATE_RUNNING], line);
		tr2_buf_addstr(line, unsure ? " run? · " : " live · ");
	}
	format_count(totals->processes, line);
	tr2_buf_addstr(line, " seen · ");
	if (model_dropped(model)->finished + model_dropped(model)->silent) {
		format_count(model_nr_processes(model), line);
		tr2_buf_addstr(line, " kept · ");
	}
	format_count(totals->failed + totals->by_state[STATE_SIGNALED], line);
	tr2_buf_addstr(line, " failed");
	tr2_buf_addstr(line, " · ");
	format_count(totals->by_state[STATE_LOST], line);
	tr2_buf_addstr(line, " lost");
	return part(surface, x, "proc", STYLE_TEXT, tr2_buf_cstr(line));
}

static int draw_depths(struct surface *surface, int x, const struct model *model)
{
	struct tr2_buf *line = format_line();
	bool any = false;

	for (unsigned depth = 0; depth < 6; depth++) {
		if (!model_live_at_depth(model, depth) && depth)
			continue;
		tr2_buf_addf(line, "%sd%u %" PRIu32, any ? " " : "", depth,
			     model_live_at_depth(model, depth));
		any = true;
	}
	return part(surface, x, "depth", STYLE_TEXT, tr2_buf_cstr(line));
}

static void draw_rest(struct surface *surface, int x, const struct ui_input *in)
{
	struct tr2_buf *line = format_line();

	tr2_buf_addstr(line, human_bytes(in->memory_bytes).text);
	if (in->memory_max_bytes)
		tr2_buf_addf(line, "/%s", human_bytes(in->memory_max_bytes).text);
	part(surface, x, "hist", STYLE_TEXT, tr2_buf_cstr(line));
}

/* Draw the source whose clock differs from this host's. */
static int draw_skew(struct surface *surface, int x, const struct source_stats *source)
{
	bool ahead = source->skew_ns < 0;
	char word[80], figure[48];

	snprintf(word, sizeof(word), "%s:", source->skewed);
	snprintf(figure, sizeof(figure), "SKEW %c%s", ahead ? '-' : '+',
		 human_duration(ahead ? -source->skew_ns : source->skew_ns).text);
	return part(surface, x, word, STYLE_ALERT, figure);
}

/* Draw problems first, because they mean that other figures are incomplete. */
static int draw_bad(struct surface *surface, int x, const struct ui_input *in)
{
	uint64_t bad = 0, left = 0, tee_lost = 0, spans_lost = 0;

	for (int i = 0; i < in->nr_sources; i++) {
		bad += source_stats_unreadable(&in->sources[i]);
		left += in->sources[i].left_bytes;
	}
	if (bad)
		x = part(surface, x, "unreadable", STYLE_ALERT, human_count(bad).text);
	if (left)
		x = part(surface, x, "unread", STYLE_ALERT, human_bytes(left).text);
	for (int i = 0; i < in->nr_tees; i++)
		*(in->tees[i].spans ? &spans_lost : &tee_lost) += in->tees[i].lost;
	if (tee_lost)
		x = part(surface, x, "tee lost", STYLE_ALERT, human_count(tee_lost).text);
	for (int i = 0; i < in->nr_sources; i++) {
		if (in->sources[i].away_ns)
			x = part(surface, x, "server away", STYLE_ALERT,
				 human_duration(in->sources[i].away_ns).text);
		if (in->sources[i].lag_ns)
			x = part(surface, x, "behind", STYLE_ALERT,
				 human_duration(in->sources[i].lag_ns).text);
		if (*in->sources[i].skewed)
			x = draw_skew(surface, x, &in->sources[i]);
	}
	if (spans_lost)
		x = part(surface, x, "spans lost", STYLE_ALERT, human_count(spans_lost).text);
	if (in->record_stopped)
		x = part(surface, x, "recording", STYLE_ALERT, "stopped");
	else if (in->record_restarted)
		x = part(surface, x, "recording", STYLE_ALERT, "restarted");
	if (in->journal_stats.dropped_events)
		x = part(surface, x, "dropped", STYLE_ALERT,
			 human_count(in->journal_stats.dropped_events).text);
	if (model_dropped(in->model)->remote_events)
		x = part(surface, x, "agents lost", STYLE_ALERT,
			 human_count(model_dropped(in->model)->remote_events).text);
	if (model_dropped(in->model)->ring_events)
		x = part(surface, x, "ring lost", STYLE_ALERT,
			 human_count(model_dropped(in->model)->ring_events).text);
	if (model_dropped(in->model)->gaps)
		x = part(surface, x, "gap", STYLE_ALERT,
			 human_duration(model_dropped(in->model)->gap_ns).text);
	for (int i = 0; i < in->nr_sources; i++)
		if (in->sources[i].discard)
			return part(surface, x, "git-trace2-discard:", STYLE_ALERT,
				    "traces are lost");
	return x;
}

void header_draw(struct surface *surface, int rows, const struct header_rate *rate,
		 const struct ui_input *in, const char *specs, const char *path, bool esc,
		 uint32_t nr_findings)
{
	draw_first(surface, in, specs, path);
	if (rows < 2)
		return;
	int x = header_is_reading(in) ? draw_reading(surface, in, esc)
		: has_ended(in)       ? draw_events(surface, in->model)
				      : draw_rate(surface, rate);

	x = draw_bad(surface, x, in);
	if (nr_findings)
		x = part(surface, x, "!", STYLE_ALERT, human_count(nr_findings).text);
	x = draw_processes(surface, x, in);
	if (model_totals(in->model)->by_state[STATE_RUNNING])
		x = draw_depths(surface, x, in->model);
	draw_rest(surface, x, in);
}
