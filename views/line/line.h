/* SPDX-License-Identifier: MIT */
/*
 * The line mode: what a screen shows, as lines of text that stay, for a voice, braille, a dumb
 * terminal, a log. Beside the terminal, and on the same ui.
 *
 *   input (ui_look) --> line_look()    --> sentences: what is new
 *   a line typed    --> line_command() --> sentences: the answer, and what the loop is to do
 *
 * It draws nothing, reads no clock and no descriptor and never blocks: `out` gets whole lines, each
 * with its LF, printable text and nothing else. The loop owns it; one thread.
 */
#ifndef VIEWS_LINE_LINE_H
#define VIEWS_LINE_LINE_H

#include "engine/base/buf.h"
#include "views/ui/ui.h"

struct line;

struct line_config {
	struct ui *ui; /* borrowed; nobody draws frames of it */
	int64_t depth; /* of the processes that are told of; -1: all */
	bool ascii;
};

/* What line_command() asks of the loop. */
struct line_asked {
	unsigned reaction; /* enum ui_reaction: as of a key */
	bool live;         /* back to the present */
};

struct line *line_new(const struct line_config *config);
void line_free(struct line *line);

/*
 * Append what is new, at most 10 lines a second. `in` holds until the next call of this or
 * line_command(); its model is settled. `blocked`: what was said before was not taken yet, so that
 * all is counted, to be told later as one line.
 */
void line_look(struct line *line, const struct ui_input *in, bool blocked, struct tr2_buf *out);

/* Append the last words: what was counted and not told yet, and of a command how it ended and where
 * its time went; then each rule, as it was judged. */
void line_end(struct line *line, const struct ui_input *in, struct tr2_buf *out);

/* Append the answer to a line that was typed (without its LF), as of `in`. */
struct line_asked line_command(struct line *line, const struct ui_input *in, const char *text,
			       size_t len, struct tr2_buf *out);

/* Append where one looks, after line_command() led elsewhere in time. */
void line_say_moment(struct line *line, const struct ui_input *in, struct tr2_buf *out);

/* Append a text of the program's own or the ui's (ui_take_notice()), a line for each line of it. */
void line_say(struct line *line, const char *text, struct tr2_buf *out);

#endif
