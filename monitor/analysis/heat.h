/* SPDX-License-Identifier: MIT */
/*
 * The heat map: points (a duration at a time) counted in cells, duration by time.
 *
 *   heat_clear(h);
 *   heat_add_commands(h, &of);                      or heat_add() per region
 *   if (heat_fit(h, 200, HEAT_OCTAVES))             or heat_layout() to zoom and pan
 *           cell = heat_at(h, row, column);
 *
 * Columns are 2^shift seconds wide and aligned to the epoch. Rows are octaves: [2^k, 2^(k+1)) ms, k
 * from -10 to 29; or half octaves: the buckets of model_strip.h. The first and the last possible
 * row are open. One thread. Adding 10,000 points takes 0.1 ms, a layout about as much.
 */
#ifndef MONITOR_HEAT_H
#define MONITOR_HEAT_H

#include "monitor/analysis/commands.h"
#include "monitor/analysis/occurrences.h"
#include "monitor/model/model_strip.h"

#define HEAT_MIN_SHIFT (-9)
#define HEAT_MAX_SHIFT 33

struct heat_point {
	ns_t time;     /* wall */
	ns_t duration; /* a negative duration belongs to the first row */
	uint32_t
		slot; /* slot of the point's process, in the model from which the point was added */
	bool failed;
};

struct heat_cell {
	uint32_t nr, failed;
};

enum heat_rows { HEAT_OCTAVES, HEAT_HALF_OCTAVES };

struct heat {
	struct heat_point *points; /* ro: those with a time, in the order of adding */
	uint32_t nr, cap;
	uint64_t untimed; /* ro: points without a time */

	/* The layout: ro, set by heat_fit() and heat_layout() */
	enum heat_rows rows;
	int shift;     /* columns are 2^shift seconds wide */
	int64_t first; /* number of the first column: it begins at first * 2^shift seconds */
	uint32_t nr_columns;
	unsigned first_row;      /* number of the lowest row, for heat_row_bound() */
	uint32_t nr_rows;        /* from the lowest to the highest used row, at least 1 */
	struct heat_cell *cells; /* private */
	uint32_t cap_cells;
	uint32_t *medians; /* private: row of the median of each column */
	uint32_t cap_medians;

	/* Evicted commands: slots of the model's strip; NULL: none. Private. */
	const struct strip_slots *evicted;
	uint32_t *evicted_cells; /* by cell; NULL if there are no evicted commands */
	uint32_t cap_evicted;
};

/* Remove all points, but keep the memory. A zeroed heat is empty. */
void heat_clear(struct heat *heat);
void heat_release(struct heat *heat);

/* Add a point. A point without a time (NS_NONE) is only counted in `untimed`. */
void heat_add(struct heat *heat, const struct heat_point *point);

/* The processes that heat_add_commands() adds. */
struct heat_of {
	struct commands_of processes;
	bool all;              /* all commands; else only those of a group: */
	struct commands_by by; /* how processes are grouped */
	uint64_t id;           /* of the row of the commands (struct command) */
};

/* Get the point of a process as heat_add_commands() adds it. Returns false if the process runs or
 * has no known duration. */
bool heat_point_of(const struct model *model, uint32_t slot, struct heat_point *point);

/*
 * Add every process that has ended, with a known duration, at its end, or at its start if that is
 * later. A point has failed if its process failed or was killed by a signal.
 */
void heat_add_commands(struct heat *heat, const struct heat_of *of);

/* Get the point of an occurrence of a region: at its end; failed if its process failed. Returns
 * false if its duration is unknown. */
bool heat_point_of_occurrence(const struct model *model, const struct occurrence *item,
			      struct heat_point *point);
/* Add the occurrences of a region with a known duration. */
void heat_add_occurrences(struct heat *heat, const struct model *model,
			  const struct occurrences *found);

/*
 * Also show the commands that were evicted from the model, from the slots of its strip. They are
 * counted apart from the points, see heat_evicted(). The model must not change before the layout.
 */
void heat_add_evicted(struct heat *heat, const struct model *model);

/*
 * Lay all points out in at most `max_columns` columns (at least 2), as narrow as possible. If there
 * are evicted commands before the points, the points take at most three quarters of the columns,
 * and the columns before them, as far as they fit, show evicted ones. Returns false if there are no
 * points with a time.
 */
bool heat_fit(struct heat *heat, uint32_t max_columns, enum heat_rows rows);

/*
 * Lay out the points in the given columns. Points outside these columns are in no cell, but the
 * layout includes their rows. `shift` is from HEAT_MIN_SHIFT to HEAT_MAX_SHIFT.
 */
void heat_layout(struct heat *heat, int shift, int64_t first, uint32_t nr_columns,
		 enum heat_rows rows);

/* Return the cell at a row, from 0 (lowest), and a column of the layout. */
static inline const struct heat_cell *heat_at(const struct heat *heat, uint32_t row,
					      uint32_t column)
{
	return &heat->cells[(size_t)row * heat->nr_columns + column];
}

/* Number of evicted commands at a row and a column of the layout. A slot that is wider than a
 * column is spread evenly over its columns. */
static inline uint32_t heat_evicted(const struct heat *heat, uint32_t row, uint32_t column)
{
	return heat->evicted ? heat->evicted_cells[(size_t)row * heat->nr_columns + column] : 0;
}

/* Return the sum of all cells of a row. */
struct heat_cell heat_row_sum(const struct heat *heat, uint32_t row);
struct heat_cell heat_column_sum(const struct heat *heat, uint32_t column);

/* Row of the median of a column, by nearest rank; nr_rows if the column is empty. */
static inline uint32_t heat_median_row(const struct heat *heat, uint32_t column)
{
	return heat->medians[column];
}

/* Lower bound of a row of the layout; row nr_rows gives the upper bound of the last one. */
ns_t heat_row_bound(const struct heat *heat, uint32_t row);
/* Return the wall time at which a column begins, saturated; nr_columns: the end of the last one. */
ns_t heat_column_begin(const struct heat *heat, uint32_t column);
/* Return the width of a column, in ns. */
ns_t heat_column_width(const struct heat *heat);

/* Row and column of a point in the layout. Returns false if it is outside. */
bool heat_place(const struct heat *heat, const struct heat_point *point, uint32_t *row,
		uint32_t *column);

/* A rectangle of cells; all four are included. */
struct heat_box {
	uint32_t first_row, last_row, first_column, last_column;
};

/* Times and durations of a box: begin <= time < end and least <= duration < most. */
struct heat_bounds {
	ns_t begin, end, least, most;
};

/* Return the bounds of a box. The first and the last possible row are open. */
struct heat_bounds heat_box_bounds(const struct heat *heat, const struct heat_box *box);

static inline bool heat_bounds_have(const struct heat_bounds *bounds,
				    const struct heat_point *point)
{
	return point->time >= bounds->begin && point->time < bounds->end &&
	       point->duration >= bounds->least && point->duration < bounds->most;
}

/* Number of the next point in the box after point number `after` (UINT32_MAX: the first one);
 * UINT32_MAX at the end. */
uint32_t heat_next_in_box(const struct heat *heat, const struct heat_box *box, uint32_t after);

#endif
