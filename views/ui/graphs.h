/* SPDX-License-Identifier: MIT */
/*
 * The graphs of the header: commands that ended, failures and the 90 % quantile of the elapsed
 * time, over time. They show all commands, whatever the filter, and stay live while the screen
 * looks back. One thread.
 */
#ifndef VIEWS_GRAPHS_H
#define VIEWS_GRAPHS_H

#include "monitor/analysis/over_time.h"
#include "views/draw/surface.h"
#include "views/ui/ui.h"

enum graphs_mode {
	/* on screens of at least 30 lines GRAPHS_WHOLE, if header_is_all_read() or if no command
	 * began or ended and no error occurred in the last ten minutes, or else GRAPHS_RECENT; on
	 * smaller screens GRAPHS_OFF */
	GRAPHS_AUTO,
	GRAPHS_OFF,
	GRAPHS_ONE,    /* one graph: commands in the last ten minutes */
	GRAPHS_RECENT, /* three graphs for the last ten minutes */
	GRAPHS_WHOLE,  /* three graphs for everything that was read */
	NR_GRAPHS_MODES
};

struct graphs {
	/* NULL until the first update with a live model in which graphs are not off */
	struct over_time *over_time;
	uint8_t mode; /* enum graphs_mode */
	/* ro: the mode in use, to which GRAPHS_AUTO is resolved */
	uint8_t shown;
	/* ro: first screen column of the graphs, and their largest width in cells */
	int x, cells;
	/* ro: the range of columns of time; nr 0: no graph is shown */
	struct over_time_span span;
	/* ro: figures of each column, valid until the next update */
	const struct over_time_column *columns;
};

/*
 * Update the graphs from the live model, for a screen of `cols` x `rows`, before the layout uses
 * graphs_rows(). `all_read`: see header_is_all_read().
 */
void graphs_update(struct graphs *graphs, const struct ui_input *in, int cols, int rows,
		   bool all_read);
void graphs_release(struct graphs *graphs);

/* Return the number of rows that the graphs need in the header: 0, 1 or 3. */
int graphs_rows(const struct graphs *graphs);

/* Change to the next mode: off, one, recent, whole, off ... GRAPHS_AUTO counts as `shown`. */
void graphs_cycle(struct graphs *graphs);

/* Draw graph `number` (0 to 2) into row `y`. Returns the screen column after its figures. */
int graphs_draw(const struct graphs *graphs, int number, struct surface *surface, int y,
		const struct ui_input *in);

/* Return the number of failed commands in all columns of the graphs. */
uint64_t graphs_nr_failed(const struct graphs *graphs);

/* Append a rate: "2.4/s", or per minute or hour if it is slow. */
void graphs_format_rate(double per_second, struct tr2_buf *out);

/*
 * Get the end of the column `step` columns after that of the shown time; negative: before it, but
 * at least the first column. Returns false after the last column or without columns: the caller
 * then returns to live.
 */
bool graphs_step(const struct graphs *graphs, const struct ui_input *in, int step, ns_t *time);

/* Get the end time of the column at screen column `x`. Returns false if none is there. */
bool graphs_press(const struct graphs *graphs, int x, ns_t *time);

#endif
