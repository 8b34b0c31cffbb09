/* SPDX-License-Identifier: MIT */
/*
 * A heat map counts points in cells; a row is a range of durations, a column a range of times.
 *
 *   heat_clear(h);
 *   heat_add_commands(h, &of);                      or heat_add() per region
 *   if (heat_fit(h, 200, HEAT_OCTAVES))             or heat_layout() to zoom and pan
 *           cell = heat_at(h, row, column);
 *
 * Columns are 2^shift seconds wide and aligned to the epoch. Rows are octaves: [2^k, 2^(k+1)) ms, k
 * from -10 to 29; or half octaves, which are the buckets of model_strip.h. The first possible row
 * has no lower bound, the last possible row no upper bound. One thread.
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
	ns_t duration; /* duration in ns; a negative one belongs to the first row */
	/* process of the point in the model at the time of heat_add(); SLOT_NONE: none */
	uint32_t slot;
	bool failed;
};

struct heat_cell {
	uint32_t nr, failed;
};

enum heat_rows { HEAT_OCTAVES, HEAT_HALF_OCTAVES };

struct heat {
	/* ro: points with a time, in the order of heat_add() */
	struct heat_point *points;
	uint32_t nr, cap;
	uint64_t untimed; /* ro: number of points without a time */

	/* ro: the layout that heat_fit() and heat_layout() set */
	enum heat_rows rows;
	int shift; /* a column is 2^shift seconds wide */
	/* number of the first column; it begins at first * 2^shift seconds since the epoch */
	int64_t first;
	uint32_t nr_columns;
	/* number of the lowest used row among all possible rows; 0 if none is used */
	unsigned first_row;
	/* number of rows from the lowest to the highest used one; 1 if none is used */
	uint32_t nr_rows;
	struct heat_cell *cells; /* private */
	uint32_t cap_cells;
	uint32_t *medians; /* private: row of the median duration, by column */
	uint32_t cap_medians;

	/* private: slots of evicted commands in the model's strip; NULL (ro): none are counted */
	const struct strip_slots *evicted;
	/* private: number of evicted commands per cell, if `evicted` is not NULL */
	uint32_t *evicted_cells;
	uint32_t cap_evicted;
};

/* Remove all points. A zeroed struct is an empty heat map. */
void heat_clear(struct heat *heat);
void heat_release(struct heat *heat);

/* Add a point. A point without a time (NS_NONE) is only counted in `untimed`. */
void heat_add(struct heat *heat, const struct heat_point *point);

struct heat_of {
	struct commands_of processes;
	/* true: all commands; false: only the group `id` */
	bool all;
	struct commands_by by;
	uint64_t id;
};

/*
 * Get the point of a process, at its end, or at its start if that is later. The point is failed if
 * the process failed or was killed by a signal. Returns false if the process is running or its
 * duration is unknown.
 */
bool heat_point_of(const struct model *model, uint32_t slot, struct heat_point *point);

/* Add the points of the selected processes. */
void heat_add_commands(struct heat *heat, const struct heat_of *of);

/* Get the point of an occurrence of a region, at the end of the occurrence. The point is failed if
 * the model has the process and it failed. Returns false if the duration is unknown. */
bool heat_point_of_occurrence(const struct model *model, const struct occurrence *item,
			      struct heat_point *point);
void heat_add_occurrences(struct heat *heat, const struct model *model,
			  const struct occurrences *found);

/*
 * Also count the commands that were evicted from the model, for heat_evicted(). The model must not
 * change before the layout.
 */
void heat_add_evicted(struct heat *heat, const struct model *model);

/*
 * Lay all points out in at most max(2, `max_columns`) columns. The columns may also include evicted
 * commands before the points. Returns false if there are no points.
 */
bool heat_fit(struct heat *heat, uint32_t max_columns, enum heat_rows rows);

/*
 * Lay out the points in the given columns. Points outside the columns are in no cell, but have
 * rows. `shift` is from HEAT_MIN_SHIFT to HEAT_MAX_SHIFT.
 */
void heat_layout(struct heat *heat, int shift, int64_t first, uint32_t nr_columns,
		 enum heat_rows rows);

/* Row 0 is the lowest. */
static inline const struct heat_cell *heat_at(const struct heat *heat, uint32_t row,
					      uint32_t column)
{
	return &heat->cells[(size_t)row * heat->nr_columns + column];
}

/* Return the number of evicted commands in a cell. The commands of a slot that is wider than a
 * column are spread evenly over the columns of the slot. */
static inline uint32_t heat_evicted(const struct heat *heat, uint32_t row, uint32_t column)
{
	return heat->evicted ? heat->evicted_cells[(size_t)row * heat->nr_columns + column] : 0;
}

struct heat_cell heat_row_sum(const struct heat *heat, uint32_t row);
struct heat_cell heat_column_sum(const struct heat *heat, uint32_t column);

/* Return the row of the median duration of a column, by nearest rank; nr_rows if the column is
 * empty. */
static inline uint32_t heat_median_row(const struct heat *heat, uint32_t column)
{
	return heat->medians[column];
}

/* Return the lower bound of a row, in ns; for row nr_rows the upper bound of the last row. */
ns_t heat_row_bound(const struct heat *heat, uint32_t row);
/* Return the wall time at which a column begins, saturated; for column nr_columns the end of the
 * last column. */
ns_t heat_column_begin(const struct heat *heat, uint32_t column);
ns_t heat_column_width(const struct heat *heat);

/* Get the row and column of a point. Returns false if the point is outside the columns. */
bool heat_place(const struct heat *heat, const struct heat_point *point, uint32_t *row,
		uint32_t *column);

/* A rectangle of cells; the first and last rows and columns are included. */
struct heat_box {
	uint32_t first_row, last_row, first_column, last_column;
};

/* Times and durations of a box: begin <= time < end and least <= duration < most. */
struct heat_bounds {
	ns_t begin, end, least, most;
};

struct heat_bounds heat_box_bounds(const struct heat *heat, const struct heat_box *box);

static inline bool heat_bounds_have(const struct heat_bounds *bounds,
				    const struct heat_point *point)
{
	return point->time >= bounds->begin && point->time < bounds->end &&
	       point->duration >= bounds->least && point->duration < bounds->most;
}

/* Return the number of the next point in the box after number `after` (UINT32_MAX: the first one);
 * UINT32_MAX: none. */
uint32_t heat_next_in_box(const struct heat *heat, const struct heat_box *box, uint32_t after);

#endif
