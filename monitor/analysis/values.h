/* SPDX-License-Identifier: MIT */
/*
 * Sum up the values that processes report besides regions: data, counters and timers. There is one
 * row per list, category and key, over the processes that the model has.
 *
 *   value_rows_begin(v);                            v is all zeros, or has an earlier result
 *   while (!value_rows_continue(v, &what, 10000))   or value_rows_make() at once
 *           ...                                     the next frame
 *
 * An occurrence is a data event, or a counter or timer of a process. Counters and timers of single
 * threads are not included, because those of the process contain them. Values that are not whole
 * numbers are texts. Quantiles are exact (nearest rank). Used by one thread; takes about 50 ns per
 * occurrence.
 */
#ifndef MONITOR_VALUES_H
#define MONITOR_VALUES_H

#include "engine/base/buf.h"
#include "monitor/analysis/analysis.h"

/* Maximum number of rows, without the row "(other)", which counts the occurrences of further
 * keys. */
#define VALUES_MAX_ROWS 4096u
/* Maximum number of different texts in all rows, and of their bytes; further texts are counted as
 * "(other)". */
#define VALUES_MAX_TEXTS      65536u
#define VALUES_MAX_TEXT_BYTES ((size_t)16 << 20)
/* Maximum number of bytes of a text; two longer texts that begin with the same bytes count as
 * equal. */
#define VALUES_TEXT_BYTES 256u
/* Maximum number of texts that a row lists, the most frequent ones. */
#define VALUES_TOP_TEXTS 5u

/* Number of occurrences that a page reads per frame, in about 1 ms. */
#define VALUES_FRAME_OCCURRENCES 20000u

enum value_list { VALUES_DATA, VALUES_COUNTER, VALUES_TIMER, NR_VALUE_LISTS };

/* Names of the lists of values in reports: "data" and so on. */
extern const char *const value_list_names[NR_VALUE_LISTS];

/* Units of values, detected by the last word of the key; timers have VALUE_UNIT_NS. */
enum value_unit {
	VALUE_UNIT_NONE, /* a number */
	VALUE_UNIT_BYTES,
	VALUE_UNIT_NS,
	VALUE_UNIT_US,
	VALUE_UNIT_MS,
	VALUE_UNIT_SECONDS,
	VALUE_UNIT_TEXT, /* at least one value of the row is not a whole number */
	NR_VALUE_UNITS
};

/* Words of the units of values: "", "bytes", "ns", "us", "ms", "s", "text". */
extern const char *const value_unit_names[NR_VALUE_UNITS];

struct value_text {
	sym_t text; /* symbol of the text, see value_text_of() */
	uint64_t count;
};

struct value_row {
	sym_t category, key; /* SYM_NONE: absent */
	uint8_t list;        /* enum value_list */
	uint8_t unit;        /* enum value_unit */
	/* true if the row counts the occurrences of all keys beyond VALUES_MAX_ROWS */
	bool is_other;
	uint64_t count;   /* occurrences */
	uint64_t unknown; /* number of occurrences without a value; `count` includes them */
	/* Figures of the row's known values; NUM_NONE if no value is known, if the unit is
	 * VALUE_UNIT_TEXT, or in the row "(other)". The sum is saturated. */
	int64_t sum, min, p50, p90, max;
	/* texts of the row, the most frequent first, equally frequent ones in byte order */
	struct value_text top[VALUES_TOP_TEXTS];
	/* number of texts in `top`; number of all different texts */
	uint32_t nr_top, nr_texts;
};

struct value_work;

struct value_rows {
	/* rw: callback that selects processes in addition to the filter; NULL: select all */
	bool (*keep)(void *data, const struct model *model, uint32_t slot);
	void *keep_data;
	/* ro: rows, sorted by category and key (absent first), then list; "(other)" is last.
	 * Complete after value_rows_continue() returned true */
	struct value_row *rows;
	uint32_t nr, cap;
	int percent;             /* ro: progress */
	struct value_work *work; /* private */
};

/* Remove all rows of values, and start again. */
void value_rows_begin(struct value_rows *v);

/*
 * Continue reading the processes that the filter and limits of `what` select, for about `budget`
 * occurrences. Returns true if the rows are complete. If the model changes between two calls, a
 * process is counted in its state at the time when it is read.
 */
bool value_rows_continue(struct value_rows *v, const struct analysis *what, uint32_t budget);
void value_rows_make(struct value_rows *v, const struct analysis *what);
void value_rows_release(struct value_rows *v);

/* Return a text of a row, at most VALUES_TEXT_BYTES long. It is borrowed until the rows change. */
const char *value_text_of(const struct value_rows *v, sym_t text, size_t *len);

/* Append the name of a row: "category/key", with "?" for an absent one; or "(other)". */
void value_row_format_key(const struct model *model, const struct value_row *row,
			  struct tr2_buf *out);

/* Append a number with its unit as readable text: "1.2K", "3.5ms"; "-" for NUM_NONE. */
void value_format(enum value_unit unit, int64_t number, struct tr2_buf *out);

/* Append the most frequent texts of a row with their counts: "main (12), topic (3), and 4
 * others". */
void value_row_format_top(const struct value_rows *v, const struct value_row *row,
			  struct tr2_buf *out);

/* ---- occurrences of one key ---- */

struct value_occurrence {
	/* wall clock time of the occurrence; of data without t_abs: that of the first event of the
	 * process; of counters and timers: that of its last event; NS_NONE: unknown */
	ns_t time;
	int64_t number;       /* the value as a number; NUM_NONE if it is unknown or a text */
	uint32_t slot, index; /* slot of the process, and index of the item in the process's list */
};

struct value_occurrences {
	/* ro: occurrences, newest first; unknown times count as oldest */
	struct value_occurrence *items;
	uint32_t nr, cap;
};

/* Find all occurrences of a key, within the limits and filter of `what`. */
void value_occurrences_make(struct value_occurrences *found, const struct analysis *what,
			    enum value_list list, sym_t category, sym_t key);
void value_occurrences_release(struct value_occurrences *found);

/* Return the data item of an occurrence that is in the list VALUES_DATA. */
const struct data_item *value_data_item(const struct model *model,
					const struct value_occurrence *occurrence);

/* Return the unit of the numbers of a key in a list: VALUE_UNIT_NS for timers, otherwise by the
 * last word of the key. */
enum value_unit value_unit_of(const struct model *model, enum value_list list, sym_t key);

#endif
