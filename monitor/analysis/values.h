/* SPDX-License-Identifier: MIT */
/*
 * Sum up data, counters and timers of the processes that the model has: one row per list, category
 * and key.
 *
 *   value_rows_begin(v);                            v is all zeros, or has an earlier result
 *   while (!value_rows_continue(v, &what, 10000))   or value_rows_make() at once
 *           ...                                     the next frame
 *
 * An occurrence is a data event, or a counter or timer of a process, which contains those of its
 * threads. Values that are not whole numbers in canonical spelling are texts. Quantiles are exact
 * (nearest rank). One thread.
 */
#ifndef MONITOR_VALUES_H
#define MONITOR_VALUES_H

#include "engine/base/buf.h"
#include "monitor/analysis/analysis.h"

/* maximum number of rows, without "(other)", which counts the occurrences of further keys */
#define VALUES_MAX_ROWS 4096u
/* maximum number of different texts in all rows, and of their bytes; further texts count as
 * "(other)" */
#define VALUES_MAX_TEXTS      65536u
#define VALUES_MAX_TEXT_BYTES ((size_t)16 << 20)
/* maximum bytes of a text; longer texts are cut, so texts that begin with the same bytes count as
 * equal */
#define VALUES_TEXT_BYTES 256u
#define VALUES_TOP_TEXTS  5u

/* occurrences that a page reads per frame, in about 1 ms */
#define VALUES_FRAME_OCCURRENCES 20000u

enum value_list { VALUES_DATA, VALUES_COUNTER, VALUES_TIMER, NR_VALUE_LISTS };

extern const char *const value_list_names[NR_VALUE_LISTS];

/* Units of values, by the last word of the key; VALUE_UNIT_NS for timers. */
enum value_unit {
	VALUE_UNIT_NONE, /* a number */
	VALUE_UNIT_BYTES,
	VALUE_UNIT_NS,
	VALUE_UNIT_US,
	VALUE_UNIT_MS,
	VALUE_UNIT_SECONDS,
	VALUE_UNIT_TEXT, /* a value of the row is not a whole number */
	NR_VALUE_UNITS
};

extern const char *const value_unit_names[NR_VALUE_UNITS];

struct value_text {
	sym_t text; /* see value_text_of() */
	uint64_t count;
};

struct value_row {
	sym_t category, key; /* SYM_NONE: absent */
	uint8_t list;        /* enum value_list */
	uint8_t unit;        /* enum value_unit */
	/* the row counts the occurrences of all keys beyond VALUES_MAX_ROWS */
	bool is_other;
	uint64_t count;   /* number of occurrences */
	uint64_t unknown; /* number of occurrences without a value; `count` includes them */
	/* Figures of known values; NUM_NONE: none. The sum is saturated. */
	int64_t sum, min, p50, p90, max;
	/* the row's most frequent texts in descending order, equally frequent ones in byte order */
	struct value_text top[VALUES_TOP_TEXTS];
	/* number of texts in `top`; number of all different texts */
	uint32_t nr_top, nr_texts;
};

struct value_work;

struct value_rows {
	/* rw: callback that selects processes in addition to the filter; NULL: all */
	bool (*keep)(void *data, const struct model *model, uint32_t slot);
	void *keep_data;
	/* ro: rows by category and key (absent first), then list; "(other)" is last. Complete after
	 * value_rows_continue() returned true */
	struct value_row *rows;
	uint32_t nr, cap;
	int percent;             /* ro: progress */
	struct value_work *work; /* private */
};

/* Remove all rows. */
void value_rows_begin(struct value_rows *v);

/*
 * Continue reading the processes that the filter and limits of `what` select, for about `budget`
 * occurrences. Returns true if the rows are complete.
 */
bool value_rows_continue(struct value_rows *v, const struct analysis *what, uint32_t budget);
void value_rows_make(struct value_rows *v, const struct analysis *what);
void value_rows_release(struct value_rows *v);

/* Return a text of a row, at most VALUES_TEXT_BYTES long, valid until the rows change. */
const char *value_text_of(const struct value_rows *v, sym_t text, size_t *len);

/* Append "category/key", with "?" for an absent one; or "(other)". */
void value_row_format_key(const struct model *model, const struct value_row *row,
			  struct tr2_buf *out);

/* Append a number with its unit, such as "1.2K" or "3.5ms"; "-" for NUM_NONE. */
void value_format(enum value_unit unit, int64_t number, struct tr2_buf *out);

/* Append the texts in `top` with their counts, such as "main (12), topic (3), and 4 others". */
void value_row_format_top(const struct value_rows *v, const struct value_row *row,
			  struct tr2_buf *out);

struct value_occurrence {
	/* wall time of the occurrence: of data without t_abs, the time of the process's first
	 * event; of counters and timers, that of its last event; NS_NONE: unknown */
	ns_t time;
	int64_t number;       /* the value; NUM_NONE: unknown or a text */
	uint32_t slot, index; /* slot of the process; index of the item in its list */
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

/* The occurrence must be in VALUES_DATA. */
const struct data_item *value_data_item(const struct model *model,
					const struct value_occurrence *occurrence);

enum value_unit value_unit_of(const struct model *model, enum value_list list, sym_t key);

#endif
