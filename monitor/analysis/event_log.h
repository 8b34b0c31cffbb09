/* SPDX-License-Identifier: MIT */
/*
 * Selects the journal's records that the event log shows, in order: events of the chosen processes
 * or, if all are chosen, all events and records about missing data. A filter selects among these
 * records.
 *
 * The key of a record is the number of its batch in the journal and its index in the batch. Keys
 * ascend. Sorting the journal changes keys: see log_place().
 *
 *   log_begin()   per frame or key press: set the selection and the budget for reading
 *   log_walk()    from a key to the nth matching record, forward or backward
 *   log_count()   count the matches per batch, again after the filter or the model has changed
 *
 * The number of records that are read per frame or key press is bounded. A filter may depend on the
 * state of a process, so batches are filtered again after the model has changed. One thread.
 */
#ifndef MONITOR_EVENT_LOG_H
#define MONITOR_EVENT_LOG_H

#include "engine/base/buf.h"
#include "monitor/analysis/analysis.h"
#include "monitor/history/journal_order.h"

enum log_scope { LOG_PROCESS, LOG_TREE, LOG_ALL, NR_LOG_SCOPES };

#define LOG_NONE      UINT64_MAX
#define LOG_SLOTS     32
#define LOG_KEY_SHIFT 20 /* a batch has fewer records than 1 << LOG_KEY_SHIFT */

/* position of a matching record in its batch */
struct log_entry {
	uint32_t ordinal; /* index of the record among all records of the batch */
	uint32_t number;  /* number of events in the batch before the record */
	struct batch_cursor cursor;
};

struct log_batch {
	/* number of the batch; last use, as a count of uses of the cache; 0: the entry is free */
	uint64_t seq, used;
	const struct batch *batch;
	uint64_t version;
	struct log_entry *entries;
	uint32_t nr, cap;
};

/* Numbers of records of one batch. Version 0: they were not counted. */
struct log_sum {
	uint64_t version;
	/* number of records that match the filter; number that the log shows without a filter */
	uint32_t nr, nr_scope;
};

struct event_log {
	/* rw: show the events of a process, of a process and its descendants, or of all
	 * processes */
	enum log_scope scope;
	/* ro: a walk ended because the budget was used up; in the next frame the walk may find
	 * more */
	bool unread;
	/* ro: number of records that match the filter, and number that the filter hides, in the
	 * batches counted so far */
	uint64_t nr, nr_hidden;
	/* ro: each batch was counted, or the log shows all events, which needs no counts */
	bool counted;
	/* `chosen` (ro): hash of scope, process, filter and journal_era(). `version`: hash of
	 * `chosen` and, unless the log shows all events, of the model's version; private, as are
	 * all members after it */
	uint64_t chosen, version;
	uint64_t clock;
	int64_t budget;
	struct log_batch slots[LOG_SLOTS];
	struct log_sum *sums; /* counts per batch; index: number of the batch - first_seq */
	uint64_t first_seq, nr_sums, cap_sums, next_count;
};

struct log_record {
	/* `number`: number of events before the record in the journal, including evicted ones */
	uint64_t key, number;
	const struct batch *batch;
	struct event ev;
};

void log_begin(const struct analysis *what, struct event_log *log);

/* Return the smallest key in the journal, and a key after the last match up to the time that is
 * shown. */
uint64_t log_first(const struct analysis *what);
uint64_t log_end(const struct analysis *what, struct event_log *log);

/*
 * Return the key of the `nth` matching record from `key` on (0: `key` itself if it matches, else
 * the next match). If there are fewer, or `unread` gets set, return the last one found, or
 * LOG_NONE. `step`: 1 walks forward, -1 backward.
 */
uint64_t log_walk(const struct analysis *what, struct event_log *log, uint64_t key, int step,
		  uint32_t nth);

/* Decode the record with this key. Returns false if the log does not show the record. */
bool log_take(const struct analysis *what, struct event_log *log, uint64_t key,
	      struct log_record *out);

/* Return the key of the next matching record in the same batch, or of the start of the next
 * batch. */
uint64_t log_next_key(const struct analysis *what, struct event_log *log, uint64_t key);

void log_count(const struct analysis *what, struct event_log *log);

void log_release(struct event_log *log);

/* Decode the record with this key, reading its batch from the start. Returns false if the journal
 * does not have the record. */
bool log_find(const struct analysis *what, uint64_t key, struct log_record *out);

/* Return the key of the event with this number, or a key near it if the journal does not have the
 * event. */
uint64_t log_key_of(const struct analysis *what, uint64_t number);

/*
 * Translate a key when the journal is sorted. Call the function for each key before the sort with
 * `moved` false, and after the sort, in the same order, with `moved` true.
 */
void log_place(const struct analysis *what, struct places *places, bool moved, uint64_t *key);

/* Append a record as a row of the event log: time, process, thread, event, details. */
void log_format(const struct analysis *what, const struct log_record *record, struct tr2_buf *out);
/* Append the column of the process of a record; if `brief`, without its ancestors. */
void log_format_owner(const struct analysis *what, const struct log_record *record, bool brief,
		      struct tr2_buf *out);
void log_format_details(const struct analysis *what, const struct log_record *record,
			struct tr2_buf *out);
ns_t log_time(const struct log_record *record);

/* Return the slot of the process of a record; SLOT_NONE: none, or not in the model. */
uint32_t log_slot(const struct analysis *what, const struct log_record *record);

#endif
