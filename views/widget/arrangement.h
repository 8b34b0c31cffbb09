/* SPDX-License-Identifier: MIT */
/*
 * How someone wants a table's columns: which, in what order, how wide, and sorted by which. It
 * belongs to a kind of view, not to a table, so it outlives pages; the setup owns it and a table
 * borrows it. All zero but `sort` is what the view's own columns say. One thread.
 */
#ifndef VIEWS_ARRANGEMENT_H
#define VIEWS_ARRANGEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"

struct column;

#define MAX_COLUMNS      32
#define MAX_COLUMN_CELLS 200

struct arrangement {
	int sort; /* column or SORT_NATURAL */
	bool reverse;
	uint8_t nr; /* 0: the columns as they are */
	struct placed {
		uint8_t column; /* index of the view's columns; each stands here once */
		uint8_t cells;  /* its width; 0: as it is */
		bool hidden;
	} at[MAX_COLUMNS];
};

/* A name for files: the heading in lower case, what is neither letter nor digit as one '-'; ""
 * for a column without heading, which can be neither moved nor hidden. */
void column_name(const struct column *column, char out[24]);

/* List all columns in their own order, so that they can be changed. */
void arrangement_begin(struct arrangement *arrangement, const struct column *columns, int nr);

/* Back to the view's own; `sort` and `reverse` too. */
void arrangement_clear(struct arrangement *arrangement);

/*
 * The columns in sight: `out` (room for MAX_COLUMNS) with the widths that are wanted, and their
 * index in `columns` in `index`. Returns how many.
 */
int arrangement_columns(const struct arrangement *arrangement, const struct column *columns, int nr,
			struct column *out, uint8_t *index);

/* The column at place `at` stands `step` places later; returns its new place. */
int arrangement_move(struct arrangement *arrangement, int at, int step);
/* It is `step` cells wider. `columns` tells how wide it is of itself. */
void arrangement_widen(struct arrangement *arrangement, int at, const struct column *columns,
		       int step);

/*
 * "pid state elapsed:12 command": what is shown, in order. "" where nothing was changed. The
 * opposite takes "" and "default" for the view's own; false with `why` where a name is not
 * known, stands twice, or a width is none, or nothing would be shown.
 */
void arrangement_say(const struct arrangement *arrangement, const struct column *columns,
		     struct tr2_buf *out);
bool arrangement_parse(struct arrangement *arrangement, const struct column *columns, int nr,
		       const char *text, char *why, size_t why_bytes);

/* Is that the word for what the program chooses itself? */
bool setup_is_auto(const char *word);

/* "elapsed", "-elapsed" (reversed), "auto", "-auto"; "none" is read as "auto". */
void arrangement_say_sort(const struct arrangement *arrangement, const struct column *columns,
			  struct tr2_buf *out);
bool arrangement_parse_sort(struct arrangement *arrangement, const struct column *columns, int nr,
			    const char *text, char *why, size_t why_bytes);

#endif
