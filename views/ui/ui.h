/* SPDX-License-Identifier: MIT */
/*
 * The whole screen without a terminal. Owned by the loop; one thread. Does not change the model.
 *
 *   loop: key                ----> ui_key()         ----> enum ui_reaction (flags)
 *   loop: tick or new events ----> ui_frame(input)  ----> surface ----> terminal
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
struct query_result;
struct setup;
struct ui;
struct rule_results;
struct view_ops;

/* Requests to the loop: flags that ui_key() returns. */
enum ui_reaction {
	UI_NOTHING = 0,
	UI_REDRAW = 1,       /* the screen may have changed */
	UI_PAUSE = 2,        /* pause applying events, or continue */
	UI_WRITE_REPORT = 4, /* write the text report; show the file's name with ui_notice() */
	UI_SUSPEND = 8,      /* suspend, like Ctrl-Z */
	UI_QUIT = 16,
	UI_PAST = 64,       /* show another time: see ui_past_asked() */
	UI_LEAVE_OLD = 128, /* skip the rest of the existing content */
	UI_SETTINGS = 256,  /* the setup changed: apply settings such as the theme */
	/* write the configuration file; show the file's name with ui_notice() */
	UI_SAVE = 512,
	UI_COPY = 1024,    /* copy the text of ui_copied() to the terminal's clipboard */
	UI_OPEN = 2048,    /* open the source line of ui_place() in an editor */
	UI_TYPE = 4096,    /* hand the terminal over to the traced command */
	UI_SLOWER = 8192,  /* replay half as fast */
	UI_FASTER = 16384, /* replay twice as fast */
	UI_EXPORT = 32768, /* write the export of ui_export(); show the result with ui_notice() */
	/* execute the query of ui_query(); its result is in the input of later frames */
	UI_QUERY = 65536,
	UI_QUERY_CANCEL = 1 << 17,
	/* write the result of the query; show the file's name with ui_notice() */
	UI_QUERY_WRITE = 1 << 18,
	UI_START = 1 << 19, /* from now on trace or read the source of ui_start() */
	UI_REPAINT = 32,    /* the terminal may be garbled: draw everything again */
};

struct ui_config {
	/* the views' operations by enum view_id; borrowed */
	const struct view_ops *const *views;
	/* the user's setup; borrowed, changed by the ui; NULL: defaults */
	struct setup *setup;
	bool ascii;      /* use ASCII only, regardless of the setup */
	bool follow;     /* true: the process pane initially follows the newest row */
	int64_t nesting; /* initial limit on nesting; -1: none */
	int64_t depth;   /* initial limit on depth; -1: none */
	/* initial filter of processes; must be valid; NULL: none */
	const char *filter;
	/* wall time to which ages in `filter`, such as 15m, are relative */
	ns_t now_ns;
	const char *const *specs; /* the sources, or the command with "--", for the title; copied */
	int nr_specs;
	/* the sources in words, which the title shows instead of `specs`; copied; may be NULL */
	const char *title;
	/* while there are no processes, offer a menu of sources and commands: see UI_START */
	bool offers_start;
	bool attached;    /* with --attach: all Git commands of the user are traced */
	bool compares;    /* there is a base (--compare) to compare with */
	bool has_command; /* a command is traced: there is a page with its output */
	/* For exports, borrowed: the rows of formats (rows with NULL words are skipped), the
	 * default row, and a function, also for files to open, that calls `offer` with each file
	 * name that begins with `begun`. */
	const struct word *exports;
	int nr_exports, default_export;
	/* other words for formats; the last element has no word; NULL: none */
	const struct synonym *export_synonyms;
	void (*files)(const char *begun, void (*offer)(void *data, const char *name), void *data);
	/* Callback: call `offer` with the words for a query, such as names of tables, that begin
	 * with `begun`; `is_first`: as its first word. NULL: SQLite is missing. */
	void (*query_words)(const char *begun, bool is_first,
			    void (*offer)(void *data, const char *word), void *data);
	/* text for the process pane while there are no processes, such as the command that enables
	 * tracing; copied; NULL: a general text */
	const char *wait_hint;
};

/* The input of a frame. `sources`, `tees` and `output` are borrowed for the call, the other
 * pointers until the next frame. */
struct ui_input {
	const struct model *model;
	const struct model *live; /* the model of the present, also while looking back; or NULL */
	struct journal *journal;  /* the journal, for pages that read events; may be NULL */
	const struct tr2_intern *intern;

	ns_t wall_ns;      /* current wall time */
	ns_t monotonic_ns; /* current monotonic time */
	ns_t begun_ns;     /* monotonic time at which the screen was opened */

	struct journal_stats journal_stats;
	/* memory in bytes that history and models use, and its limit */
	size_t memory_bytes, memory_max_bytes;

	const struct source_stats *sources;
	int nr_sources;

	/* True while the screen shows an earlier time, and `model` is that of this time. The
	 * positions are numbers of events. */
	bool past;
	uint64_t lookback_position, lookback_first, lookback_end;
	ns_t past_ns; /* the earlier time, as wall time; NS_NONE: unknown */

	bool paused;
	uint64_t paused_events; /* number of events that arrived since the user paused */
	ns_t paused_ns;         /* how long the pause has lasted */

	/* A recording is being replayed: `wall_ns` is then the time in the recording. */
	bool replays, replay_held;
	double replay_speed;
	/* wall time of the recording's first and last entry; NS_NONE: unknown */
	ns_t replay_from, replay_until;

	/* Outputs of --tee and --otlp; borrowed. */
	const struct ui_tee {
		const char *spec;
		/* the output sends spans to a collector (--otlp), not lines to a target of --tee */
		bool spans;
		uint64_t passed, lost;
		char error[100]; /* why the output failed most recently; "": no failure */
	} * tees;
	int nr_tees;
	bool is_recording;
	uint64_t record_bytes;
	bool record_stopped; /* recording ended early, such as after an error */
	/* the recording's file was removed or renamed, and a new one was started */
	bool record_restarted;

	/* rw: results of comparisons and rules; may be NULL */
	struct rule_results *verdicts;

	/* result of the last query, valid until the next query has ended; NULL: none */
	const struct query_result *query;
	bool query_runs;
	bool query_cancelled; /* the running query was cancelled, but has not ended yet */

	const char *output; /* the latest output of the traced command, raw bytes; may be NULL */
	size_t output_len;
	/* state of the traced command, such as "running for 5s" or "exit 0 after 5.2s"; NULL: no
	 * command */
	const char *command_state;
	/* all events are of commands that trace2top ran, now or when they were recorded */
	bool own_command;
	/* command line of the traced command; NULL: none, or it runs on another host */
	const char *command_line;
	bool command_ended, command_failed;
	bool command_may_wait; /* the traced command may be waiting for input */
	ns_t command_begun_ns; /* wall time of the start of the command in `command_line` */
	ns_t command_ran_ns;   /* duration of this command so far, or until its end */
};

struct ui *ui_new(const struct ui_config *config);
void ui_free(struct ui *ui);

/* Set the size of the screen in cells; selections stay. */
void ui_resize(struct ui *ui, int cols, int rows);

/* Handle a key, or a pasted character, which only prompts accept. The key refers to the rows that
 * the last ui_frame() showed. Returns enum ui_reaction. */
unsigned ui_key(struct ui *ui, const struct key_event *key);

/* The time to show, for UI_PAST. */
enum ui_past_kind {
	UI_PAST_EVENTS,  /* `amount` events forward from the shown state; negative: back */
	UI_PAST_SECONDS, /* `amount` seconds forward from the shown time; negative: back */
	UI_PAST_TIME,    /* the wall time `amount`, in ns */
	UI_PAST_LIVE,    /* return to live */
};

struct ui_past {
	enum ui_past_kind kind;
	int64_t amount;
};

struct ui_past ui_past_asked(const struct ui *ui);

/* The source to trace or read that the user chose, for UI_START. */
enum ui_start_kind { UI_START_ATTACH, UI_START_COMMAND, UI_START_FILE };

struct ui_start {
	enum ui_start_kind kind;
	/* the command line or file as typed, without leading blanks. Valid until the next key */
	const char *text;
};

struct ui_start ui_start(const struct ui *ui);

/* The file to write that the user chose, for UI_EXPORT. */
struct ui_export {
	int format; /* index of the format in `exports` of the configuration */
	/* file name as typed, without blanks around it; "": the program chooses a name. Valid until
	 * the next key */
	const char *file;
};

struct ui_export ui_export(const struct ui *ui);

/* Return the query as typed, without leading blanks, for UI_QUERY: one line. Valid until the next
 * key. */
const char *ui_query(const struct ui *ui);

/*
 * Get the processes that a report covers, with their descendants: on a page whose subject has a
 * process that process, else the marked processes. Returns their number, at most UI_MAX_ROOTS; 0:
 * all processes.
 */
#define UI_MAX_ROOTS 256
int ui_roots(struct ui *ui, struct handle *roots);

/* Return the text to copy for UI_COPY: one line, without control characters. Valid until the
 * next key. */
const char *ui_copied(const struct ui *ui);

/* Return the file to open for UI_OPEN, as named by the trace, and the line in it. Valid until the
 * next key. */
const char *ui_place(const struct ui *ui, int64_t *line);

/* Draw a frame into `surface`, which gets the size of the ui. */
void ui_frame(struct ui *ui, const struct ui_input *input, struct surface *surface);

/*
 * True if another view came to the front since the last frame. Its rows may not be gathered yet:
 * draw a frame before the next key, so that no key is lost.
 */
bool ui_is_undrawn(struct ui *ui);

/* Draw over the bottom line of the last frame: the name and progress of running work, and that Esc
 * cancels it. */
void ui_draw_work(struct ui *ui, struct surface *surface, const char *what, uint64_t done,
		  uint64_t total);

/*
 * True if the view in front shows the journal by time. The journal's owner then may sort it before
 * a frame (journal_order.h): before sorting ui_places() collects the event numbers that the ui
 * stores; after sorting ui_places() with `moved` sets their new numbers.
 */
bool ui_wants_story(const struct ui *ui);
void ui_places(struct ui *ui, struct places *places, bool moved);

/* True if frames are needed even without events: the last frame showed what changes with time, such
 * as a live duration, a query is running, or ui_is_working(). */
bool ui_needs_ticks(const struct ui *ui);

/* True if a search for a text or for findings, or the work of a visible view, is not complete, so
 * that a frame is needed at once. */
bool ui_is_working(const struct ui *ui);

/* Use the limits of nesting and depth from the setup after it was changed. */
void ui_settings_take(struct ui *ui);

/* Show a copy of `text` until the next key. */
void ui_notice(struct ui *ui, const char *text);

/* Return the limits of nesting and depth in force; -1: none. */
int64_t ui_nesting(const struct ui *ui);
int64_t ui_depth(const struct ui *ui);
/* Return the filter of processes in force, owned by the ui; NULL: none. */
struct filter *ui_filter(const struct ui *ui);

#endif
