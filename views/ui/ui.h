/* SPDX-License-Identifier: MIT */
/*
 * The whole screen without a terminal. Keys and sizes go in; a surface and requests to the program
 * come out. The loop owns it and calls it from one thread. It never blocks or reads a clock (the
 * input has the time), and does not change the model or the journal. The same calls give the same
 * surfaces, which golden tests, --dump and the terminal all use.
 *
 *   loop: key ----> ui_key() ----> enum ui_reaction (flags)
 *   loop: tick or new events ----> ui_frame(input) ----> surface ----> terminal
 *
 * A frame at 200x60 with 10,000 processes takes about 2 ms. Rows that are not visible are sorted,
 * but not processed further.
 */
#ifndef VIEWS_UI_H
#define VIEWS_UI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "engine/base/intern.h"
#include "monitor/base/word.h"
#include "monitor/event/source_stats.h"
#include "monitor/history/journal.h"
#include "views/widget/keys.h"
#include "views/draw/surface.h"

struct filter;
struct handle;
struct model;
struct places;
struct setup;
struct ui;
struct rule_results;
struct view_ops;

/* Requests of ui_key() to the loop: flags. */
enum ui_reaction {
	UI_NOTHING = 0,
	UI_REDRAW = 1,       /* the screen changed */
	UI_PAUSE = 2,        /* stop or resume applying events */
	UI_WRITE_REPORT = 4, /* write the report; show its name with ui_notice() */
	UI_SUSPEND = 8,      /* suspend, like Ctrl-Z */
	UI_QUIT = 16,
	UI_PAST = 64,       /* look back: see ui_past_asked() */
	UI_LEAVE_OLD = 128, /* skip the remaining old content */
	UI_SETTINGS = 256,  /* the setup changed: theme, colours, mouse, refresh */
	UI_SAVE = 512,      /* write the configuration file; show its name with ui_notice() */
	UI_COPY = 1024,     /* copy ui_copied() to the terminal's clipboard */
	UI_OPEN = 2048,     /* open ui_place() in an editor */
	UI_TYPE = 4096,     /* give the command the terminal */
	UI_SLOWER = 8192,   /* replay half as fast */
	UI_FASTER = 16384,  /* replay twice as fast */
	UI_EXPORT = 32768,  /* write ui_export(); show the result with ui_notice() */
	UI_REPAINT = 32,    /* the terminal may be garbled: redraw everything */
};

struct ui_config {
	const struct view_ops *const *views; /* by enum view_id, such as view_table; borrowed */
	/* the user's setup, borrowed, changed by the setup page; NULL for defaults */
	struct setup *setup;
	bool ascii;               /* use ASCII, whatever the setup says */
	bool follow;              /* the process pane follows the newest row at first */
	int64_t nesting;          /* initial limit; -1 for none */
	int64_t depth;            /* the same */
	const char *filter;       /* initial filter of processes; must be valid; NULL for none */
	ns_t now_ns;              /* wall clock time that ages in `filter` refer to */
	const char *const *specs; /* the sources as the user gave them, for the title; copied */
	int nr_specs;
	bool compares;    /* there is a base to compare with */
	bool has_command; /* with `-- COMMAND`: there is an output page */
	/* For exports, borrowed: the formats (rows with NULL words are skipped), the default row,
	 * and a function that calls `offer` with each file whose name begins with `begun`. */
	const struct word *exports;
	int nr_exports, default_export;
	void (*files)(const char *begun, void (*offer)(void *data, const char *name), void *data);
	/* Advice if no events arrive: the command that enables tracing; copied; NULL for a general
	 * text. */
	const char *wait_hint;
};

/* The input of a frame, besides the ui's own state. Borrowed for the call. */
struct ui_input {
	const struct model *model;
	struct journal *journal; /* for pages of occurrences; may be NULL */
	const struct tr2_intern *intern;

	ns_t wall_ns;      /* now */
	ns_t monotonic_ns; /* now */
	ns_t begun_ns;     /* monotonic: when the program began to follow the sources */

	struct journal_stats journal_stats;
	size_t memory_bytes, memory_max_bytes; /* memory of history and model, and its limit */

	const struct source_stats *sources;
	int nr_sources;

	/* While looking back, `model` is that of the time in the past. Positions are numbers of
	 * events. */
	bool past;
	uint64_t lookback_position, lookback_first, lookback_end;
	ns_t past_ns; /* wall time in the past; NS_NONE if no event has one */

	bool paused;
	uint64_t paused_events; /* events that arrived since the pause */
	ns_t paused_ns;         /* duration of the pause */

	/* While a recording is replayed, `wall_ns` is the time in the recording. */
	bool replays, replay_held;
	double replay_speed;
	ns_t replay_from,
		replay_until; /* wall time of its first and last entry; NS_NONE if unknown */

	/* Outputs of --tee and --otlp; borrowed. */
	const struct ui_tee {
		const char *spec;
		bool spans; /* spans for a collector, not lines for a tee */
		uint64_t passed, lost;
		char error[100]; /* why the output fails now, or "" */
	} * tees;
	int nr_tees;
	bool record_stopped;   /* the recording can no longer be written */
	bool record_restarted; /* its file was removed or renamed, and started again */

	/* results of comparisons and rules, rw; NULL if none exist */
	struct rule_results *verdicts;

	const char *output; /* the command's latest output, raw bytes; may be NULL */
	size_t output_len;
	const char *command_state; /* "running", "exit 0 after 5.2s"; NULL without a command */
	bool own_command;          /* the events are of `-- COMMAND`, run here or recorded */
	const char *command_line;  /* NULL without a command */
	bool command_ended, command_failed;
	bool command_may_wait; /* it may be waiting for input */
	ns_t command_begun_ns; /* wall */
	ns_t command_ran_ns;   /* duration so far, or until its end */
};

struct ui *ui_new(const struct ui_config *config);
void ui_free(struct ui *ui);

/* Set the size of the screen. Selections and scroll positions stay. */
void ui_resize(struct ui *ui, int cols, int rows);

/* Handle a key, or pasted text, which only prompts accept: it never acts as keys. Refers to what
 * the last ui_frame() showed. Returns enum ui_reaction. */
unsigned ui_key(struct ui *ui, const struct key_event *key);

/* The target of UI_PAST. */
enum ui_past_kind {
	UI_PAST_EVENTS,  /* `amount` events forward; negative: back */
	UI_PAST_SECONDS, /* the same in seconds */
	UI_PAST_TIME,    /* to the wall time `amount` */
	UI_PAST_LIVE,    /* return to live */
};

struct ui_past {
	enum ui_past_kind kind;
	int64_t amount;
};

struct ui_past ui_past_asked(const struct ui *ui);

/* The export of UI_EXPORT. */
struct ui_export {
	int format;       /* a row of the configuration's exports */
	const char *file; /* as typed; "" if a name must be made up. Valid until the next key */
};

struct ui_export ui_export(const struct ui *ui);

/*
 * The processes to report now, each with its descendants: on a page of a process that one, else
 * the marked ones. Returns their number, at most UI_MAX_ROOTS; 0 for all processes.
 */
#define UI_MAX_ROOTS 256
int ui_roots(struct ui *ui, struct handle *roots);

/* The text of UI_COPY: one line, without control characters. Valid until the next key. */
const char *ui_copied(const struct ui *ui);

/* The file of UI_OPEN, as named by the trace, and its line. Valid until the next key. */
const char *ui_place(const struct ui *ui, int64_t *line);

/* Draw a frame. The surface gets the ui's size. */
void ui_frame(struct ui *ui, const struct ui_input *input, struct surface *surface);

/*
 * True if another view came to the front since the last frame. It has no current rows yet: draw a
 * frame before the next key, so that no key is lost.
 */
bool ui_is_undrawn(struct ui *ui);

/* Draw over the bottom line of the last frame: the running work, its progress, and that Esc
 * cancels it. */
void ui_draw_work(struct ui *ui, struct surface *surface, const char *what, uint64_t done,
		  uint64_t total);

/*
 * True if the view in front shows the journal. The owner of the journal then sorts it by time
 * before a frame (journal_order.h): first ui_places() collects the event numbers that the ui
 * stores, then after sorting ui_places() with `moved` sets their new numbers.
 */
bool ui_wants_story(const struct ui *ui);
void ui_places(struct ui *ui, struct places *places, bool moved);

/* Is a live duration in sight, so that frames are needed without events? As of the last frame. */
bool ui_needs_ticks(const struct ui *ui);

/* Has a search, or a page that reads the history, more to do? Then frames are wanted at once. */
bool ui_is_working(const struct ui *ui);

/* Another setup: the limits are those of it; all else is looked up where it is needed. */
void ui_settings_take(struct ui *ui);

/* A line for the user, shown until the next key: the report's name, an error. Copied. */
void ui_notice(struct ui *ui, const char *text);

/* The limits in force, for the report that the user asks for; -1: none. */
int64_t ui_nesting(const struct ui *ui);
int64_t ui_depth(const struct ui *ui);
/* The filter of processes in force, the ui's own; NULL: none. */
struct filter *ui_filter(const struct ui *ui);

#endif
