/* SPDX-License-Identifier: MIT */
/*
 * The state of the screen, without a terminal: connects a session and a ui. The loop passes keys
 * and shows the surfaces; --dump does the same with a script of keys.
 *
 *   session (journal, model) --> ui_input --> ui --> surface
 *                                             ^-- pause, look back, write the report <-- key
 *
 * Loop thread.
 */
#ifndef MONITOR_SCREEN_H
#define MONITOR_SCREEN_H

#include "monitor/history/lookback.h"
#include "monitor/app/session.h"
#include "monitor/report/report.h"
#include "views/ui/setup.h"
#include "views/ui/ui.h"

/* The input of a frame, with the data that it refers to. */
struct screen_input {
	struct ui_input in;
	struct ui_tee tees[OUTPUTS_MAX_TEES + 1]; /* the tees, and the collector */
	struct source_stats *sources;             /* counters of the sources; malloc()ed */
};

struct screen {
	struct session *session;
	struct setup *setup; /* rw before opening: the user's settings, borrowed; may be NULL */
	struct ui *ui;
	struct surface *surface; /* ro: the last frame that was drawn */
	struct lookback *past;   /* NULL: no history is kept */
	/* model of the earlier time while looking back, else NULL */
	const struct model *past_model;
	struct querying *querying;         /* private: NULL until the first query */
	struct query_result *query_result; /* private: result of the last query that ended */
	uint64_t query_state;              /* private: state_hash() of the database */
	ns_t begun_ns;                     /* monotonic time of the start */
	ns_t now_ns;                       /* monotonic time of the last frame */
	ns_t wall_ns;                      /* its wall time */
	/* monotonic time at which the user paused; NS_NONE: not paused */
	ns_t paused_ns;
	uint64_t paused_at_events;
	uint64_t dropped_events; /* number of dropped events that were counted */
	char *output;            /* output of the command that trace2top runs */
	size_t output_len;
	uint64_t output_version;
	struct word export_words[NR_EXPORTERS]; /* private: see screen_export.h */
	char *command_line;
	char command_text[80];
	/* Callback of long work with its name and progress; false cancels it. Set if there is a
	 * terminal to show the progress; NULL: work is never cancelled. */
	bool (*asked)(void *data, const char *what, uint64_t done, uint64_t total);
	void *asked_data;
	const char *work_what; /* private: name of the work that is running */
	/* private: at the last key, the page in front showed events by time */
	bool in_story;
	uint64_t live_era; /* private: the journal_era() at which the live model was built */
	struct screen_input looked; /* private: result of screen_check() */
	/* private: monotonic time of the next automatic sort; INT64_MAX: sort only on request */
	ns_t order_again_ns;
};

/* Initialise the screen, and start the history. Call before any event is applied. */
void screen_init(struct screen *screen, struct session *session);
/* Create the ui and a surface of `cols` x `rows` cells. `ascii`: the terminal can show ASCII
 * only. */
void screen_open(struct screen *screen, int cols, int rows, bool ascii);
void screen_close(struct screen *screen);

void screen_resize(struct screen *screen, int cols, int rows);

/*
 * If the page in front shows events by time, sort the journal before the next frame. While old
 * content is read, sorting takes only a part of the time.
 */
void screen_order(struct screen *screen);

/* Draw a frame for these times into `screen->surface`. */
void screen_draw(struct screen *screen, ns_t wall, ns_t monotonic);

/* Return the input of a frame without drawing it, for the line mode. Valid until the next call
 * of this function or screen_draw(). */
const struct ui_input *screen_check(struct screen *screen, ns_t wall, ns_t monotonic);

/* Execute the requests that the ui returned (enum ui_reaction), as screen_key() does. */
unsigned screen_react(struct screen *screen, unsigned reaction);
/* Return from looking back to the present. */
void screen_go_live(struct screen *screen);

/*
 * Handle a key. Pausing, looking back and writing the report are done here; requests for the loop
 * are returned: UI_REDRAW, UI_REPAINT, UI_SUSPEND, UI_QUIT. After UI_PAUSE events may be pending.
 */
unsigned screen_key(struct screen *screen, const struct key_event *key);

static inline bool screen_is_paused(const struct screen *screen)
{
	return screen->paused_ns != NS_NONE;
}

#endif
