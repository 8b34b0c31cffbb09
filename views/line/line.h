/* SPDX-License-Identifier: MIT */
/*
 * The line mode: the contents of the screen (struct ui) as lines of text, for speech output,
 * braille, a dumb terminal or a log.
 *
 *   struct ui_input  --> line_check()   --> sentences: news
 *   a typed line     --> line_command() --> sentences: the answer, and requests to the loop
 *
 * It reads no descriptor. `out` gets whole lines with LF, printable text only. The loop owns it;
 * one thread.
 */
#ifndef VIEWS_LINE_LINE_H
#define VIEWS_LINE_LINE_H

#include "engine/base/buf.h"
#include "views/ui/ui.h"

struct line;

struct line_config {
	struct ui *ui; /* the ui that provides the rows; borrowed */
	int64_t depth; /* maximum depth of the processes that news is about; -1: all */
	bool ascii;
};

/* Requests of line_command() to the loop. */
struct line_asked {
	unsigned reaction; /* enum ui_reaction, as ui_key() returns it */
	bool live;         /* return from the past to the present */
};

struct line *line_new(const struct line_config *config);
void line_free(struct line *line);

/* Append news about processes and sources (pace.h), and about a slow filter. The model of `in` must
 * be settled. `blocked`: earlier output was not written yet. */
void line_check(struct line *line, const struct ui_input *in, bool blocked, struct tr2_buf *out);

/* Append the end of a run: news that was only counted, the summary of the command that trace2top
 * ran, if any, then the result of each rule. */
void line_end(struct line *line, const struct ui_input *in, struct tr2_buf *out);

/* Append the answer to a line that the user typed (without LF). The state `in` must stay valid
 * until the next call of line_command() or line_query(). */
struct line_asked line_command(struct line *line, const struct ui_input *in, const char *text,
			       size_t len, struct tr2_buf *out);

/* Append the result of a query, after the loop executed UI_QUERY. */
void line_query(struct line *line, const struct ui_input *in, struct tr2_buf *out);

/* Append the displayed position with its time, if known, or "live". */
void line_format_moment(struct line *line, const struct ui_input *in, struct tr2_buf *out);

/* Append a text of the program or of the ui, one line of output per line. */
void line_format(struct line *line, const char *text, struct tr2_buf *out);

#endif
