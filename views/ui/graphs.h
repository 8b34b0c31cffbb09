/* SPDX-License-Identifier: MIT */
/*
 * The graphs of the header: commands that ended, failures and the 90 % quantile of the elapsed
 * time, over time. They show all commands, whatever the filter, and stay live while the screen
 * looks back; the column of the past time is then marked. One thread.
 *
 *   graphs_update()  each frame, before the layout: graphs_rows() are then known
 *   graphs_draw()    one row: the label, the graph and its figures
 */
#ifndef VIEWS_GRAPHS_H
#define VIEWS_GRAPHS_H

#include "monitor/analysis/over_time.h"
#include "views/draw/surface.h"
#include "views/ui/ui.h"

enum graphs_mode {
	GRAPHS_AUTO, /* three rows from 30 lines on; RECENT if sources are followed, else WHOLE */
	GRAPHS_OFF,
	GRAPHS_ONE,    /* commands, the last ten minutes */
	GRAPHS_RECENT, /* the last ten minutes */
	GRAPHS_WHOLE,  /* everything that was read */
	NR_GRAPHS_MODES
};

struct graphs {
	struct over_time *over_time;            /* NULL until the first update with rows */
	uint8_t mode;                           /* enum graphs_mode */
	uint8_t shown;                          /* ro: the mode that GRAPHS_AUTO stands for */
	int x, cells;                           /* ro: the place of the columns on the screen */
	struct over_time_span span;             /* ro: the columns; nr is 0 if nothing is shown */
	const struct over_time_column *columns; /* ro: valid until the next update */
};

/*
 * Read the live model for a screen of `cols` x `rows`. `all_read`: the sources have ended, or
 * everything in them was there before the start.
 */
void graphs_update(struct graphs *graphs, const struct ui_input *in, int cols, int rows,
		   bool all_read);
void graphs_release(struct graphs *graphs);

/* Number of rows of the header that have a graph, 0 to 3. */
int graphs_rows(const struct graphs *graphs);

/* Go on to the next mode. */
void graphs_cycle(struct graphs *graphs);

/* Draw graph `number` (0 to 2) into row `y`. Returns the column after its figures. */
int graphs_draw(const struct graphs *graphs, int number, struct surface *surface, int y,
		const struct ui_input *in);

/* Number of failed commands in all columns. */
uint64_t graphs_nr_failed(const struct graphs *graphs);

/* Append a rate: "2.4/s", or per minute or hour if it is slow. */
void graphs_format_rate(double per_second, struct tr2_buf *out);

/*
 * Get the time of looking back for the column that is `step` columns after the shown time. Returns
 * false if that is the present: return to live.
 */
bool graphs_step(const struct graphs *graphs, const struct ui_input *in, int step, ns_t *time);

/* Get the time of looking back for the column of the graphs at screen column `x`. Returns false if
 * the graphs have no column there. */
bool graphs_press(const struct graphs *graphs, int x, ns_t *time);

#endif
