/* SPDX-License-Identifier: MIT */
/*
 * The user's arrangement of a table's columns: visibility, order, widths and sort order. The setup
 * owns it, tables borrow it. The default is all zeros except `sort`, which is SORT_NATURAL. One
 * thread.
 */
#ifndef VIEWS_ARRANGEMENT_H
#define VIEWS_ARRANGEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"

struct column;

#define MAX_COLUMNS      64
#define MAX_COLUMN_CELLS 200

struct arrangement {
	int sort; /* index of the sort column, or SORT_NATURAL */
	bool reverse;
	uint8_t nr; /* number of columns; 0: the view's default columns */
	struct placed {
		uint8_t column; /* index of a column of the view */
		uint8_t cells;  /* width that the user chose; 0: the view's default */
		bool hidden;
	} at[MAX_COLUMNS];
};

/* Write a column's name for files: its heading in lower case, with one '-' for each sequence of
 * characters other than letters and digits, none at the beginning. The name has at most 22 bytes
 * and may be "". */
void column_name(const struct column *column, char out[24]);

/* If the arrangement lists no columns, list the view's columns in their order, so that the user can
 * change them. */
void arrangement_begin(struct arrangement *arrangement, const struct column *columns, int nr);

/* Restore the view's default arrangement, including `sort` and `reverse`. */
void arrangement_clear(struct arrangement *arrangement);

/*
 * Get the visible columns: copies with the user's widths in `out` (MAX_COLUMNS entries), and in
 * `index` their indexes in `columns`. Returns their number.
 */
int arrangement_columns(const struct arrangement *arrangement, const struct column *columns, int nr,
			struct column *out, uint8_t *index);

/* Swap the columns at positions `at` and `at + step`. Returns `at + step`; or, without effect, `at`
 * if there is no such position. */
int arrangement_move(struct arrangement *arrangement, int at, int step);
/* Change the width of the column at position `at` by `step` cells, clamped to 1..MAX_COLUMN_CELLS.
 * `columns` has the default widths. */
void arrangement_widen(struct arrangement *arrangement, int at, const struct column *columns,
		       int step);

/*
 * arrangement_format(): append the visible columns that have a name, such as "pid state elapsed:12
 * command"; nothing for the default. arrangement_parse(): the inverse, which also accepts commas,
 * former names, and "auto" or "default"; on an error, returns false with the reason in `why`, and
 * changes nothing.
 */
void arrangement_format(const struct arrangement *arrangement, const struct column *columns,
			struct tr2_buf *out);
bool arrangement_parse(struct arrangement *arrangement, const struct column *columns, int nr,
		       const char *text, char *why, size_t why_bytes);

/* True for "auto" and "default". */
bool setup_is_auto(const char *word);

/* Format and parse the sort order, such as "elapsed" or "-elapsed" (reversed). "auto" is the
 * natural order; so are "none" and "default", if parsed. */
void arrangement_format_sort(const struct arrangement *arrangement, const struct column *columns,
			     struct tr2_buf *out);
bool arrangement_parse_sort(struct arrangement *arrangement, const struct column *columns, int nr,
			    const char *text, char *why, size_t why_bytes);

#endif
