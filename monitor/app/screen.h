/* SPDX-License-Identifier: MIT */
/*
 * What a screen shows and what its keys do, without a terminal: a session and a ui put
 * together. The loop gives it keys and shows its surfaces; --dump does the same from a file.
 *
 *   session (journal, model) --> ui_input --> ui --> surface
 *        ^-- pause, look back, write the report <-- key
 *
 * Loop thread.
 */
#ifndef MONITOR_SCREEN_H
#define MONITOR_SCREEN_H

#include "monitor/history/lookback.h"
#include "monitor/app/session.h"
#include "views/ui/setup.h"
#include "views/ui/ui.h"

/* Everything that a frame is made from, with what it refers to. */
struct screen_input {
	struct ui_input in;
	struct ui_tee tees[OUTPUTS_MAX_TEES + 1]; /* and where spans are sent */
	struct source_stats *sources;             /* malloc()ed */
};

struct screen {
	struct session *session;
	struct setup *setup; /* rw before opening: what the user has set up; borrowed; NULL */
	struct ui *ui;
	struct surface *surface;        /* ro: the last frame */
	struct lookback *past;          /* NULL where no history is kept */
	const struct model *past_model; /* while looking back */
	ns_t begun_ns;                  /* monotonic */
	ns_t now_ns;                    /* monotonic: of the last frame */
	ns_t paused_ns;                 /* monotonic; NS_NONE while not paused */
	uint64_t paused_at_events;
	uint64_t dropped_events; /* as counted so far */
	char *output;            /* of the command */
	size_t output_len;
	uint64_t output_version;
	char *command_line;
	char command_text[80];
	/* Long work asks whether to go on: it says what it is, and how far. Set by whoever has a
	 * terminal to show that on; NULL: it goes on. */
	bool (*asked)(void *data, const char *what, uint64_t done, uint64_t total);
	void *asked_data;
	const char *work_what; /* private: what goes on */
	bool in_story;         /* private: as of the last key */
	uint64_t live_era;     /* private: of the journal, when the live model was of its order */
	struct screen_input looked; /* private: of screen_look() */
	ns_t order_again_ns;        /* private: monotonic; INT64_MAX: not before it is asked for */
};

/* Begin to look back from here on: before anything is applied. */
void screen_init(struct screen *screen, struct session *session);
/* Make the ui and a surface of that size; `ascii` where the terminal has nothing else. */
void screen_open(struct screen *screen, int cols, int rows, bool ascii);
void screen_close(struct screen *screen);

void screen_resize(struct screen *screen, int cols, int rows);

/*
 * Where the page in front tells the journal as a story: put it in the order of time before the
 * next frame. While old content comes in, no more than a part of the time goes into that.
 */
void screen_order(struct screen *screen);

/* Draw a frame as of these times into `screen->surface`. */
void screen_draw(struct screen *screen, ns_t wall, ns_t monotonic);

/* The same without drawing, for whoever says what there is: what a frame would be made from, until
 * the next call of this or screen_draw(). */
const struct ui_input *screen_look(struct screen *screen, ns_t wall, ns_t monotonic);

/* Carry out what the ui asks for (enum ui_reaction), as screen_key() does of its keys. */
unsigned screen_react(struct screen *screen, unsigned reaction);
/* Back to the present. */
void screen_go_live(struct screen *screen);

/*
 * A key. Pausing, looking back and writing the report are done here; what is left for the loop
 * is returned: UI_REDRAW, UI_REPAINT, UI_SUSPEND, UI_QUIT. After UI_PAUSE events may wait.
 */
unsigned screen_key(struct screen *screen, const struct key_event *key);

static inline bool screen_is_paused(const struct screen *screen)
{
	return screen->paused_ns != NS_NONE;
}

#endif
