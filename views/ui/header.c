/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/header.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "monitor/base/humanize.h"
#include "views/ui/view.h"
#include "views/ui/view_text.h"

#define SPECS_LEAST_CELLS 10

static uint64_t nr_ended(const struct model *model)
{
	const struct model_totals *totals = model_totals(model);

	return totals->processes - totals->by_state[STATE_RUNNING];
}

void header_rate_update(struct header_rate *rate, const struct ui_input *in)
{
	int64_t second = in->monotonic_ns / NS_PER_SEC + 1;
	uint64_t ended = nr_ended(in->live ? in->live : in->model);

	/* Reset the rate while existing content is read: processes that end in it ended before
	 * trace2top started. */
	if (!rate->second || header_is_reading(in)) {
		memset(rate->slots, 0, sizeof(rate->slots));
		rate->first = rate->second = second;
		rate->last_ended = ended;
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
	if (ended > rate->last_ended)
		rate->slots[HEADER_RATE_SLOTS - 1] += ended - rate->last_ended;
	rate->last_ended = ended;
}

/* Return how many processes per second ended in the last ten whole seconds, or since counting
 * started if that is later. */
static double rate_of(const struct header_rate *rate)
{
	int64_t seconds = rate->second - rate->first;
	uint64_t nr = 0;

	for (int i = 0; i < HEADER_RATE_SLOTS - 1; i++)
		nr += rate->slots[i];
	if (seconds > HEADER_RATE_SLOTS - 1)
		seconds = HEADER_RATE_SLOTS - 1;
	return seconds > 0 ? (double)nr / (double)seconds : 0;
}

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

static void format_past(const struct ui_input *in, struct tr2_buf *line)
{
	ns_t ago = ns_sub(in->wall_ns - (in->paused ? in->paused_ns : 0), in->past_ns);

	if (in->past_ns != NS_NONE && ago != NS_NONE && ago >= 0)
		tr2_buf_addf(line, "%s AGO ", human_mark(ago - ago % NS_PER_SEC).text);
	else
		tr2_buf_addstr(line, "PAST ");
	if (in->past_ns != NS_NONE) {
		format_date(in->past_ns, in->wall_ns, line);
		format_time(in->past_ns, true, line);
		tr2_buf_addstr(line, " · ");
	}
	format_grouped(in->lookback_position, line);
	tr2_buf_addstr(line, " of ");
	if (in->lookback_first) {
		format_grouped(in->lookback_first, line);
		tr2_buf_addch(line, '-');
	}
	format_grouped(in->lookback_end, line);
}

/* True if no more input is expected: the traced command has ended and no process is running or,
 * without a command, all sources have ended or failed. */
static bool has_ended(const struct ui_input *in)
{
	if (in->command_state)
		return in->command_ended && !model_totals(in->model)->by_state[STATE_RUNNING];
	for (int i = 0; i < in->nr_sources; i++)
		if (in->sources[i].state != SOURCE_DONE && in->sources[i].state != SOURCE_FAILED)
			return false;
	return in->nr_sources > 0;
}

/* True if all input existed before trace2top started. */
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

static void format_replay(const struct ui_input *in, struct tr2_buf *line)
{
	tr2_buf_addf(line, in->replay_held ? "HELD %gx " : "REPLAY %gx ", in->replay_speed);
	format_clock(ns_sub(in->wall_ns, in->replay_from), line);
	if (in->replay_until == NS_NONE)
		return;
	tr2_buf_addstr(line, " of ");
	format_clock(ns_sub(in->replay_until, in->replay_from), line);
}

static struct source_stats sum_of_old(const struct ui_input *in)
{
	struct source_stats sum = { 0 };

	for (int i = 0; i < in->nr_sources; i++) {
		const struct source_stats *source = &in->sources[i];

		sum.listing |= source->listing;
		sum.old_bytes += source->old_bytes;
		sum.old_bytes_read += source->old_bytes_read;
		sum.old_files += source->old_files;
		sum.old_files_read += source->old_files_read;
	}
	return sum;
}

static int percent_read(const struct source_stats *sum)
{
	return sum->old_bytes ? (int)((double)sum->old_bytes_read * 100 / (double)sum->old_bytes)
			      : 0;
}

static void format_reading_mode(const struct ui_input *in, struct tr2_buf *line)
{
	struct source_stats sum = sum_of_old(in);

	tr2_buf_addstr(line, "READING");
	if (sum.old_bytes && !sum.listing)
		tr2_buf_addf(line, " %d %%", percent_read(&sum));
}

static bool is_fleet(const struct ui_input *in)
{
	for (int i = 0; i < in->nr_sources; i++)
		if (in->sources[i].kind && !strcmp(in->sources[i].kind, "nats"))
			return true;
	return false;
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
	if (!in->paused && header_is_reading(in)) {
		format_reading_mode(in, line);
		return;
	}
	if (!in->paused) {
		tr2_buf_addstr(line, has_ended(in)    ? "DONE"
				     : is_all_old(in) ? "FILE"
				     : is_fleet(in)   ? "● FLEET"
						      : "● LIVE");
		return;
	}
	tr2_buf_addstr(line, "PAUSED +");
	format_grouped(in->paused_events, line);
	tr2_buf_addf(line, " events · %02d:%02d", (int)(in->paused_ns / NS_PER_SEC / 60 % 100),
		     (int)(in->paused_ns / NS_PER_SEC % 60));
}

/* Draw the sources, then the path of open pages. If the line is too narrow, the sources are
 * shortened first, because the user knows them. */
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

/* Draw a text that ends at column `x` - 3, so that two blanks follow. Returns the column where the
 * text begins. */
static int draw_before(struct surface *surface, int x, enum style style, const char *text)
{
	int cells = surface_text_cells(text, SIZE_MAX, surface->ascii);

	surface_text(surface, x - cells - 2, 0, cells, style, text, SIZE_MAX);
	return x - cells - 2;
}

/* Draw the first line. On narrow screens help, recording and clock at its right end are left out,
 * but not the mode. */
static void draw_first(struct surface *surface, const struct ui_input *in, const char *specs,
		       const char *path)
{
	struct tr2_buf *line;
	int x = surface->cols, left;

	if (surface->cols >= 90) {
		x -= 16;
		surface_text(surface, x, 0, 16, STYLE_DIM,
			     *path ? "? help  q back" : "? help  q quit", SIZE_MAX);
	}
	if (surface->cols >= 70 && in->is_recording) {
		line = format_line();
		tr2_buf_addf(line, "REC %s", human_bytes(in->record_bytes).text);
		x = draw_before(surface, x, STYLE_NOTICE, tr2_buf_cstr(line));
	}
	if (surface->cols >= 52 && !in->past) {
		line = format_line();
		format_time(in->wall_ns, false, line);
		x = draw_before(surface, x, STYLE_TEXT, tr2_buf_cstr(line));
	}
	line = format_line();
	format_mode(in, line);
	x = draw_before(surface, x,
			in->paused || in->past || in->replay_held ? STYLE_PAUSED : STYLE_LIVE,
			tr2_buf_cstr(line));
	left = surface_text(surface, 0, 0, x - 1, STYLE_BRAND, "trace2top", SIZE_MAX) + 2;
	draw_where(surface, left, x - left - 1, specs, path);
}

/* The part of a header row (`y`) from column `from` on, after its graph, if any. */
struct header_line {
	struct surface *surface;
	int y, from;
};

/*
 * Draw a figure of a line, after " · " if `x` is after `to->from`. Returns the column after it, or
 * the width of the surface if the figure does not fit.
 */
static int draw_figure(const struct header_line *to, int x, enum style style, const char *text)
{
	struct surface *surface = to->surface;
	int cells = surface_text_cells(text, SIZE_MAX, surface->ascii);
	int gap = x > to->from ? 3 : 0;

	if (x + gap + cells > surface->cols)
		return surface->cols;
	surface_text(surface, x, to->y, gap, STYLE_DIM, " · ", SIZE_MAX);
	surface_text(surface, x + gap, to->y, cells, style, text, SIZE_MAX);
	return x + gap + cells;
}

static int draw_problem(const struct header_line *to, int x, const char *word, const char *figure)
{
	struct tr2_buf *line = format_line();

	tr2_buf_addf(line, "%s %s", word, figure);
	return draw_figure(to, x, STYLE_ALERT, tr2_buf_cstr(line));
}

static int draw_count(const struct header_line *to, int x, enum style style, uint64_t nr,
		      const char *word)
{
	struct tr2_buf *line = format_line();

	format_count(nr, line);
	tr2_buf_addf(line, " %s", word);
	return draw_figure(to, x, style, tr2_buf_cstr(line));
}

bool header_is_all_read(const struct ui_input *in)
{
	return has_ended(in) || is_all_old(in);
}

bool header_is_reading(const struct ui_input *in)
{
	/* A replay reads events when they are due, so it has no existing content to read first. */
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
	tr2_buf_addf(line, "%d%%", percent_read(sum));
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

static int draw_reading(struct surface *surface, const struct ui_input *in, bool esc)
{
	int cols = surface->cols, cells = cols >= 100 ? 20 : cols >= 60 ? 12 : 8;
	int x = surface_text(surface, 0, 1, 7, STYLE_DIM, "reading", SIZE_MAX) + 1;
	struct tr2_buf *line = format_line();
	struct source_stats sum = sum_of_old(in);

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
	return x + surface_text(surface, x, 1, cols - x, STYLE_TEXT, tr2_buf_cstr(line), line->len);
}

static int draw_process_counts(const struct header_line *to, int x, const struct ui_input *in)
{
	const struct model_totals *totals = model_totals(in->model);
	const struct model_dropped *dropped = model_dropped(in->model);
	uint64_t running = totals->by_state[STATE_RUNNING];
	/* If header_is_all_read(), it is unknown whether processes without an end still run: show
	 * "stale" instead of "running", except while looking back. */
	bool unsure = !in->past && (header_is_all_read(in));

	if (running || !unsure)
		x = draw_count(to, x, running && !unsure ? STYLE_LIVE : STYLE_TEXT, running,
			       unsure ? "stale" : "running");
	x = draw_count(to, x, STYLE_TEXT, totals->processes - running, "ended");
	if (dropped->finished + dropped->silent)
		x = draw_count(to, x, STYLE_TEXT, model_nr_processes(in->model), "kept");
	return x;
}

static int draw_rate(const struct header_line *to, int x, const struct header_rate *rate,
		     const struct ui_input *in)
{
	struct tr2_buf *line = format_line();

	if (header_is_all_read(in))
		return x;
	graphs_format_rate(rate_of(rate), line);
	return draw_figure(to, x, STYLE_TEXT, tr2_buf_cstr(line));
}

/* `shown`: number of failures that a graph on the same line already shows. */
static int draw_failed(const struct header_line *to, int x, const struct ui_input *in,
		       uint64_t shown)
{
	const struct model_totals *totals = model_totals(in->model);
	uint64_t failed = totals->failed + totals->by_state[STATE_SIGNALED];

	if (failed && failed == shown)
		x = draw_figure(to, x, STYLE_FAILED, "errors: E");
	else if (failed)
		x = draw_count(to, x, STYLE_FAILED, failed, "failed: E");
	if (totals->by_state[STATE_LOST])
		x = draw_count(to, x, STYLE_LOST, totals->by_state[STATE_LOST], "lost");
	return x;
}

static int draw_findings(const struct header_line *to, int x, const struct finding_kinds *kinds)
{
	struct tr2_buf *line = format_line();
	uint32_t nr = kinds->nr_urgent;

	if (!nr)
		return x;
	finding_kinds_format_sum(kinds, line);
	tr2_buf_addstr(line, ": i");
	if (x + 3 + (int)line->len <= to->surface->cols)
		return draw_figure(to, x, STYLE_NOTICE, tr2_buf_cstr(line));
	return draw_count(to, x, STYLE_NOTICE, nr, nr == 1 ? "finding: i" : "findings: i");
}

static int draw_skew(const struct header_line *to, int x, const struct source_stats *source)
{
	bool ahead = source->skew_ns < 0;
	char word[80], figure[48];

	snprintf(word, sizeof(word), "%s:", source->skewed);
	snprintf(figure, sizeof(figure), "clock skew %c%s", ahead ? '-' : '+',
		 human_duration(ahead ? -source->skew_ns : source->skew_ns).text);
	return draw_problem(to, x, word, figure);
}

static int draw_source_problems(const struct header_line *to, int x,
				const struct source_stats *source)
{
	if (source->away_ns)
		x = draw_problem(to, x, "server unreachable", human_duration(source->away_ns).text);
	if (source->lag_ns)
		x = draw_problem(to, x, "behind", human_duration(source->lag_ns).text);
	if (*source->skewed)
		x = draw_skew(to, x, source);
	if (source->discard)
		x = draw_figure(to, x, STYLE_ALERT, "git-trace2-discard: traces are lost");
	return x;
}

static int draw_problems(const struct header_line *to, int x, const struct ui_input *in)
{
	const struct model_dropped *dropped = model_dropped(in->model);
	uint64_t malformed = 0, left = 0, tee_lost = 0, spans_lost = 0;

	for (int i = 0; i < in->nr_sources; i++) {
		malformed += source_stats_unreadable(&in->sources[i]);
		left += in->sources[i].left_bytes;
	}
	for (int i = 0; i < in->nr_tees; i++)
		*(in->tees[i].spans ? &spans_lost : &tee_lost) += in->tees[i].lost;
	if (malformed)
		x = draw_problem(to, x, "malformed", human_count(malformed).text);
	if (left)
		x = draw_problem(to, x, "unread", human_bytes(left).text);
	if (tee_lost)
		x = draw_problem(to, x, "tee lost", human_count(tee_lost).text);
	if (spans_lost)
		x = draw_problem(to, x, "spans lost", human_count(spans_lost).text);
	if (in->record_stopped)
		x = draw_problem(to, x, "recording", "stopped");
	else if (in->record_restarted)
		x = draw_problem(to, x, "recording", "restarted");
	if (in->journal_stats.dropped_events)
		x = draw_problem(to, x, "dropped",
				 human_count(in->journal_stats.dropped_events).text);
	if (dropped->remote_events)
		x = draw_problem(to, x, "agents lost", human_count(dropped->remote_events).text);
	if (dropped->ring_events)
		x = draw_problem(to, x, "ring lost", human_count(dropped->ring_events).text);
	if (dropped->gaps)
		x = draw_problem(to, x, "gap", human_duration(dropped->gap_ns).text);
	for (int i = 0; i < in->nr_sources; i++)
		x = draw_source_problems(to, x, &in->sources[i]);
	return x;
}

void header_draw(struct surface *surface, int rows, const struct header_rate *rate,
		 const struct graphs *graphs, const struct ui_input *in, const char *specs,
		 const char *path, bool esc, const struct finding_kinds *findings)
{
	struct header_line to[3];
	int x, nr_graphs = header_is_reading(in) ? 0 : graphs_rows(graphs);

	draw_first(surface, in, specs, path);
	if (rows < 2)
		return;
	for (int i = 0; i < 3; i++) {
		int end = i < nr_graphs ? graphs_draw(graphs, i, surface, 1 + i, in) + 3 : 0;

		to[i] = (struct header_line){ surface, 1 + i, end };
	}
	x = to[0].from;
	if (header_is_reading(in))
		x = draw_reading(surface, in, esc);
	x = draw_problems(&to[0], x, in);
	x = draw_process_counts(&to[0], x, in);
	if (nr_graphs == 3) {
		draw_failed(&to[1], to[1].from, in, graphs_nr_failed(graphs));
		draw_findings(&to[2], to[2].from, findings);
		return;
	}
	if (!header_is_reading(in) && !nr_graphs)
		x = draw_rate(&to[0], x, rate, in);
	x = draw_failed(&to[0], x, in, 0);
	draw_findings(&to[0], x, findings);
}
