/* SPDX-License-Identifier: MIT */
/*
 * The values that processes report besides regions: data, counters and timers, summed up by
 * category and key over the processes that are kept.
 *
 *   value_rows_begin(v);                            v is all zeros, or has an earlier result
 *   while (!value_rows_continue(v, &what, 10000))   or value_rows_make() at once
 *           ...                                     the next frame
 *
 * An occurrence is a data event, or a counter or timer of a process. Counters and timers of single
 * threads are not included, because those of the process contain them. Values that are not whole
 * numbers are texts. Quantiles are exact (nearest rank). One thread; about 50 ns per occurrence.
 */
#ifndef MONITOR_VALUES_H
#define MONITOR_VALUES_H

#include "engine/base/buf.h"
#include "monitor/analysis/analysis.h"

/* Rows, without the row "(other)" that counts the occurrences of further keys. */
#define VALUES_MAX_ROWS 4096u
/* Different texts and their bytes, of all rows; further ones are counted as "(other)". */
#define VALUES_MAX_TEXTS      65536u
#define VALUES_MAX_TEXT_BYTES ((size_t)16 << 20)
/* Bytes by which texts differ; the rest of a longer text is ignored. */
#define VALUES_TEXT_BYTES 256u
/* Number of the most frequent texts that a row has. */
#define VALUES_TOP_TEXTS 5u

/* Occurrences that a page reads per frame: about 1 ms. */
#define VALUES_FRAME_OCCURRENCES 20000u

enum value_list { VALUES_DATA, VALUES_COUNTER, VALUES_TIMER, NR_VALUE_LISTS };

/* Names of the lists in reports: "data" and so on. */
extern const char *const value_list_names[NR_VALUE_LISTS];

/* Units, detected by the last word of the key; timers are VALUE_UNIT_NS. */
enum value_unit {
	VALUE_UNIT_NONE, /* a number */
	VALUE_UNIT_BYTES,
	VALUE_UNIT_NS,
	VALUE_UNIT_US,
	VALUE_UNIT_MS,
	VALUE_UNIT_SECONDS,
	VALUE_UNIT_TEXT, /* at least one value is not a whole number */
	NR_VALUE_UNITS
};

/* Words of the units: "", "bytes", "ns", "us", "ms", "s", "text". */
extern const char *const value_unit_names[NR_VALUE_UNITS];

struct value_text {
	sym_t text; /* see value_text_of() */
	uint64_t count;
};

struct value_row {
	sym_t category, key; /* SYM_NONE: absent */
	uint8_t list;        /* enum value_list */
	uint8_t unit;        /* enum value_unit */
	bool is_other;       /* counts the occurrences of all keys beyond VALUES_MAX_ROWS */
	uint64_t count;      /* occurrences */
	uint64_t unknown;    /* of `count`: occurrences without a value */
	/* Figures of the known values; NUM_NONE if none is known or the unit is VALUE_UNIT_TEXT.
	 * The sum is saturated. */
	int64_t sum, min, p50, p90, max;
	struct value_text top[VALUES_TOP_TEXTS]; /* most frequent texts, then by text */
	uint32_t nr_top, nr_texts;               /* nr_texts: number of different texts */
};

struct value_work;

struct value_rows {
	/* rw: callback that selects processes in addition to the filter; NULL: all */
	bool (*keep)(void *data, const struct model *model, uint32_t slot);
	void *keep_data;
	/* ro, complete if value_rows_continue() returned true: by category and key (absent first),
	 * then list; "(other)" is last */
	struct value_row *rows;
	uint32_t nr, cap;
	int percent;             /* ro: progress */
	struct value_work *work; /* private */
};

/* Remove all rows, and start again. */
void value_rows_begin(struct value_rows *v);

/*
 * Read on, for about `budget` occurrences, the processes of `what` that its filter selects, within
 * its limits. Returns true if the rows are complete. If the model changes between two calls, a
 * process is counted as it is when it is read.
 */
bool value_rows_continue(struct value_rows *v, const struct analysis *what, uint32_t budget);
void value_rows_make(struct value_rows *v, const struct analysis *what);
void value_rows_release(struct value_rows *v);

/* Return a text of a row, borrowed until the rows change; at most VALUES_TEXT_BYTES. */
const char *value_text_of(const struct value_rows *v, sym_t text, size_t *len);

/* Append "category/key", with "?" for absent ones; "(other)". */
void value_row_format_key(const struct model *model, const struct value_row *row,
			  struct tr2_buf *out);

/* Append a number with its unit for people: "1.2K", "3.5ms"; "-" for NUM_NONE. */
void value_format(enum value_unit unit, int64_t number, struct tr2_buf *out);

/* Append the most frequent texts with their counts: "main (12), topic (3), and 4 others". */
void value_row_format_top(const struct value_rows *v, const struct value_row *row,
			  struct tr2_buf *out);

/* ---- occurrences of one key ---- */

struct value_occurrence {
	ns_t time; /* wall time; of counters and timers: of the process's last event; NS_NONE */
	int64_t number;       /* NUM_NONE: the value is unknown or a text */
	uint32_t slot, index; /* process, and index in its list */
};

struct value_occurrences {
	struct value_occurrence *items; /* ro: newest first; unknown times are oldest */
	uint32_t nr, cap;
};

/* Get all occurrences of a key in the processes of `what` that its filter selects. */
void value_occurrences_make(struct value_occurrences *found, const struct analysis *what,
			    enum value_list list, sym_t category, sym_t key);
void value_occurrences_release(struct value_occurrences *found);

/* Return the data item of an occurrence in the list VALUES_DATA. */
const struct data_item *value_data_item(const struct model *model,
					const struct value_occurrence *occurrence);

/* Return the unit of the numbers of a list, by the last word of the key. */
enum value_unit value_unit_of(const struct model *model, enum value_list list, sym_t key);

#endif
