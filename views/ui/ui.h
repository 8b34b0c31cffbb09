/* SPDX-License-Identifier: MIT */
/*
 * The whole screen without a terminal: keys and resizes go in, a surface comes out, and what
 * the user asked of the program comes out as requests. The loop owns it and calls it from one
 * thread. It never blocks, never reads a clock (the input brings the time), changes neither
 * model nor journal, and the same calls give the same surfaces: golden tests, --dump and the
 * terminal all show this.
 *
 *   loop: key ----> ui_key() ----> enum ui_reaction (flags)
 *   loop: tick or new events ----> ui_frame(input) ----> surface ----> terminal
 *
 * A frame at 200x60 over 10,000 processes takes some 2 ms; nothing is done for rows that are
 * not seen beyond putting them in order.
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
struct verdicts;

/* What ui_key() asks of the loop; several at once are possible. */
enum ui_reaction {
	UI_NOTHING = 0,
	UI_REDRAW = 1,       /* what is shown has changed */
	UI_PAUSE = 2,        /* stop applying, or go on */
	UI_WRITE_REPORT = 4, /* write the report; tell the name with ui_notice() */
	UI_SUSPEND = 8,      /* as Ctrl-Z does */
	UI_QUIT = 16,
	UI_PAST = 64,       /* look back: see ui_past_asked() */
	UI_LEAVE_OLD = 128, /* what is left of old content is not to be read */
	UI_SETTINGS = 256,  /* what is set up has changed: theme, colours, mouse, refresh */
	UI_SAVE = 512,      /* write the configuration file; tell its name with ui_notice() */
	UI_COPY = 1024,     /* put ui_copied() where the terminal pastes from */
	UI_OPEN = 2048,     /* open ui_place() in an editor */
	UI_TYPE = 4096,     /* give the command the terminal */
	UI_SLOWER = 8192,   /* replay half as fast */
	UI_FASTER = 16384,  /* replay twice as fast */
	UI_EXPORT = 32768,  /* write ui_export(); tell what became of it with ui_notice() */
	UI_REPAINT = 32,    /* the terminal's contents are in doubt: draw everything anew */
};

struct ui_config {
	struct setup *setup; /* what the user set up; borrowed, changed by the setup page; NULL:
				nothing */
	bool ascii;          /* whatever is set up */
	bool follow;         /* the processes pane begins following what is newest */
	int64_t nesting;     /* limit to begin with; -1: none */
	int64_t depth;       /* the same */
	const char *filter;  /* of processes, to begin with; NULL: none; else it must be right */
	ns_t now_ns;         /* wall: what ages in `filter` count back from */
	const char *const *specs; /* the sources as given, for the title; copied */
	int nr_specs;
	bool compares;    /* there is something to compare with */
	bool has_command; /* `-- COMMAND`: there is an output page */
	/* What x takes, borrowed: formats (NULL words are none), and the row of the default; and
	 * what calls `offer` with each file whose name begins with `begun`. */
	const struct word *exports;
	int nr_exports, default_export;
	void (*files)(const char *begun, void (*offer)(void *data, const char *name), void *data);
	const char *wait_hint; /* what to do where nothing comes: the line that turns tracing on;
				* copied; NULL: a general one */
};

/* Everything that a frame is made from, besides the ui's own state. Borrowed for the call. */
struct ui_input {
	const struct model *model;
	struct journal *journal; /* its history, for pages of occurrences; may be NULL */
	const struct tr2_intern *intern;

	ns_t wall_ns;      /* now */
	ns_t monotonic_ns; /* now */
	ns_t begun_ns;     /* monotonic: when we began to follow */

	struct journal_stats journal_stats;
	size_t memory_bytes, memory_max_bytes; /* held for history and model; its bound */

	const struct source_stats *sources;
	int nr_sources;

	/* Looking back: `model` is then that of the time looked at. Positions are in events. */
	bool past;
	uint64_t past_position, past_first, past_end;
	ns_t past_ns; /* wall time looked at; NS_NONE where no event said one */

	bool paused;
	uint64_t paused_events; /* arrived since */
	ns_t paused_ns;         /* how long ago */

	/* A recording is replayed: `wall_ns` is its moment then. */
	bool replays, replay_held;
	double replay_speed;
	ns_t replay_from, replay_until; /* wall: of its first and last entry; NS_NONE: not known */

	/* What is passed on; borrowed. */
	const struct ui_tee {
		const char *spec;
		bool spans; /* they are sent to a collector; else lines, to a tee */
		uint64_t passed, lost;
		char error[100]; /* why nothing is taken now; "" */
	} * tees;
	int nr_tees;
	bool record_stopped; /* what is to be recorded cannot be written any more */

	struct verdicts *verdicts; /* what is compared and judged, rw; NULL: nothing is */

	const char *output; /* the command's newest output, raw bytes; may be NULL */
	size_t output_len;
	const char *command_state; /* "running", "exit 0 after 5.2s"; NULL: no command */
	const char *command_line;  /* NULL: no command */
	bool command_ended, command_failed;
	bool command_may_wait; /* for input */
	ns_t command_begun_ns; /* wall */
	ns_t command_ran_ns;   /* so far, or until its end */
};

struct ui *ui_new(const struct ui_config *config);
void ui_free(struct ui *ui);

/* The screen has another size. Selections and scroll positions stay. */
void ui_resize(struct ui *ui, int cols, int rows);

/* A key was pressed, or text was pasted, which only a prompt takes: it never acts as keys. Acts
 * on what the last ui_frame() showed. Returns enum ui_reaction. */
unsigned ui_key(struct ui *ui, const struct key_event *key);

/* Where to look, asked with UI_PAST. */
enum ui_past_kind {
	UI_PAST_EVENTS,  /* `amount` events on, or back */
	UI_PAST_SECONDS, /* the same by time */
	UI_PAST_TIME,    /* to the wall time `amount` */
	UI_PAST_LIVE,    /* to the present, and on with it */
};

struct ui_past {
	enum ui_past_kind kind;
	int64_t amount;
};

struct ui_past ui_past_asked(const struct ui *ui);

/* What to export, asked with UI_EXPORT. */
struct ui_export {
	int format;       /* a row of the configuration's exports */
	const char *file; /* as it was typed; "": one is to be named. Valid until the next key */
};

struct ui_export ui_export(const struct ui *ui);

/*
 * What a report is of that is written now: the processes in `roots` with all below them; of
 * 0 of all. On a page of a process that one, else the marked ones. At most UI_MAX_ROOTS.
 */
#define UI_MAX_ROOTS 256
int ui_roots(struct ui *ui, struct handle *roots);

/* What is to be copied, asked with UI_COPY: one line, without control characters. Valid until the
 * next key. */
const char *ui_copied(const struct ui *ui);

/* The file, as a trace names it, and its line, asked with UI_OPEN. Valid until the next key. */
const char *ui_place(const struct ui *ui, int64_t *line);

/* Draw a frame; the surface takes the ui's size. */
void ui_frame(struct ui *ui, const struct ui_input *input, struct surface *surface);

/*
 * Has another view come to the front since the last frame? It has no rows yet, or those of an
 * earlier time: who takes a further key draws a frame first, so that no key is lost.
 */
bool ui_is_undrawn(struct ui *ui);

/* Over the bottom line of the last frame: what goes on, how far it is, and that Esc ends it. */
void ui_draw_work(struct ui *ui, struct surface *surface, const char *what, uint64_t done,
		  uint64_t total);

/*
 * Does what is in front tell the journal as a story? Whoever owns the journal then puts it in
 * the order of time before a frame (chronicle.h), after ui_places() has noted which events the
 * ui remembers, and before ui_places() with `moved` tells it which numbers they have now.
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
