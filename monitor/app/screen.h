/* SPDX-License-Identifier: MIT */
/*
 * The state of the screen, without a terminal; it connects a session and a ui.
 *
 *   session (journal, model) --> ui_input --> ui --> surface
 *                                             ^-- pause, look back, write the report <-- key
 *
 * Used by the loop thread.
 */
#ifndef MONITOR_SCREEN_H
#define MONITOR_SCREEN_H

#include "monitor/history/lookback.h"
#include "monitor/app/session.h"
#include "monitor/report/report.h"
#include "views/ui/setup.h"
#include "views/ui/ui.h"

struct screen_input {
	struct ui_input in;
	struct ui_tee tees[OUTPUTS_MAX_TEES + 1]; /* states of the tees and of the collector of
						   * spans */
	struct source_stats *sources;             /* malloc()ed */
};

struct screen {
	struct session *session;
	struct setup *setup; /* rw before opening: the user's settings, borrowed; may be NULL */
	struct ui *ui;
	struct surface *surface; /* ro: surface with the last frame */
	struct lookback *past;   /* history for looking back; NULL: none */
	/* model of the time that looking back shows; NULL: the present */
	const struct model *past_model;
	/* private: queries; NULL until the first one */
	struct querying *querying;
	struct query_result *query_result; /* private: result of the last query that ended */
	/* private: state_hash() at the last query */
	uint64_t query_state;
	ns_t begun_ns; /* monotonic time at which the screen started */
	ns_t now_ns;   /* monotonic time of the last frame or screen_check() */
	ns_t wall_ns;  /* wall clock time of the last frame or screen_check() */
	/* value of `now_ns` when the user paused; NS_NONE: not paused */
	ns_t paused_ns;
	uint64_t paused_at_events;
	uint64_t dropped_events; /* number of dropped events that the own trace has counted */
	char *output;            /* output of the traced command; malloc()ed */
	size_t output_len;
	uint64_t output_version;
	struct word export_words[NR_EXPORTERS]; /* private: see screen_export.h */
	char *command_line;
	char command_text[80];
	/* Callback of long work with its name and progress; false cancels the work. NULL: work is
	 * not cancelled. */
	bool (*asked)(void *data, const char *what, uint64_t done, uint64_t total);
	void *asked_data;
	const char *work_what; /* private: name of the long work that runs */
	/* private: after the last key the page in front showed events by time */
	bool in_story;
	uint64_t live_era;          /* private: journal_era() when the live model was built */
	struct screen_input looked; /* private: input of the last screen_check() */
	/* private: monotonic time before which no sort is automatic; INT64_MAX: sort only on
	 * request */
	ns_t order_again_ns;
};

/* Initialise the screen and its history. Call it before any event is applied. */
void screen_init(struct screen *screen, struct session *session);
/* Create the ui and a surface of `cols` x `rows` cells. `ascii`: the terminal shows only ASCII. */
void screen_open(struct screen *screen, int cols, int rows, bool ascii);
void screen_close(struct screen *screen);

void screen_resize(struct screen *screen, int cols, int rows);

/*
 * If the page in front shows events by time, sort the journal if necessary; call it before a frame.
 * After a sort, calls do nothing for some time.
 */
void screen_order(struct screen *screen);

/* Draw a frame for the given times into `screen->surface`. */
void screen_draw(struct screen *screen, ns_t wall, ns_t monotonic);

/* Return the input of a frame without drawing it, for the line mode. Valid until the next call of
 * this function or screen_draw(). */
const struct ui_input *screen_check(struct screen *screen, ns_t wall, ns_t monotonic);

/* Execute the requests of the ui (enum ui_reaction) in the same way as screen_key(). */
unsigned screen_react(struct screen *screen, unsigned reaction);
void screen_go_live(struct screen *screen);

/*
 * Handle a key, including pausing, looking back, queries and writing files. Returns the requests
 * (enum ui_reaction), without UI_PAUSE and UI_PAST if they controlled the clock of a replay. The
 * loop handles others, such as UI_REDRAW and UI_QUIT. After UI_PAUSE events may be pending.
 */
unsigned screen_key(struct screen *screen, const struct key_event *key);

static inline bool screen_is_paused(const struct screen *screen)
{
	return screen->paused_ns != NS_NONE;
}

#endif
