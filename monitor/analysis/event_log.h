/* SPDX-License-Identifier: MIT */
/*
 * Selects the journal's records that the event log shows, in order: events of the chosen processes
 * that match the filter, and records about missing data.
 *
 * A record is identified by its key: the number of its batch in the journal and its index in the
 * batch. Keys ascend and stay valid when old batches are evicted. They only change when the journal
 * is reordered (journal_order.h): see log_place(). For recently used batches the positions of the
 * matching records are cached, so that reading one decodes that record only.
 *
 *   log_begin()   per frame or key press: what to show, and how much may be read
 *   log_walk()    from a key to the nth matching record, forward or backward
 *   log_count()   count the matches of batches that were not counted yet, newest first
 *
 * Reading per frame or key press is bounded; `unread` is set if a walk ended because of that. The
 * result of a filter may depend on the event's process, which changes: visible batches are
 * evaluated again with the model, all others in turn. One owner, one thread.
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

/* Position of a record that matches the filter, in its batch. */
struct log_entry {
	uint32_t ordinal; /* index among all records of the batch */
	uint32_t number;  /* number of events before it in the batch */
	struct batch_cursor cursor;
};

/* The records of one batch that match the filter. */
struct log_batch {
	uint64_t seq, used; /* used: time of last use; 0: this cache entry is free */
	const struct batch *batch;
	uint64_t version;
	struct log_entry *entries;
	uint32_t nr, cap;
};

/* Counts of one batch; version 0: not counted. */
struct log_sum {
	uint64_t version;
	/* number of matching records, and of all records of the shown processes */
	uint32_t nr, nr_scope;
};

struct event_log {
	enum log_scope scope; /* rw: whose events are shown */
	/* ro: a walk ended early because of its budget; the next frame may find more */
	bool unread;
	/* ro: records that match, and records that the filter hides, as far as counted */
	uint64_t nr, nr_hidden;
	bool counted; /* ro: the matches of all batches are counted */
	/* The next members are private. */
	/* hash of the selection (scope, filter, era), and of the model's version if the filter
	 * depends on it */
	uint64_t chosen, version;
	uint64_t clock;
	int64_t budget;
	struct log_batch slots[LOG_SLOTS];
	struct log_sum *sums; /* counts by seq - first_seq */
	uint64_t first_seq, nr_sums, cap_sums, next_count;
};

/* A decoded record of the log. */
struct log_record {
	uint64_t key, number; /* number: events before it since the journal began */
	const struct batch *batch;
	struct event ev;
};

void log_begin(const struct analysis *what, struct event_log *log);

/* Return the first possible key, and the one after the last: at the present, or at the past time
 * shown. */
uint64_t log_first(const struct analysis *what);
uint64_t log_end(const struct analysis *what, struct event_log *log);

/*
 * Return the key of the `nth` matching record from `key` on (0: `key` itself if it matches, else
 * the next). If there are fewer, return the last one; LOG_NONE if there is none. `step`: 1 forward,
 * -1 backward.
 */
uint64_t log_walk(const struct analysis *what, struct event_log *log, uint64_t key, int step,
		  uint32_t nth);

/* Decode the record with a key. Returns false if it does not exist or does not match. */
bool log_take(const struct analysis *what, struct event_log *log, uint64_t key,
	      struct log_record *out);

/* Return the key after `key`: that of the next matching record in its batch, or else of the next
 * batch. */
uint64_t log_next_key(const struct analysis *what, struct event_log *log, uint64_t key);

void log_count(const struct analysis *what, struct event_log *log);

void log_release(struct event_log *log);

/* ---- any record of the journal by its key, matching or not ---- */

/* Decode the record with a key, by decoding its batch up to there. Returns false if it is no
 * longer kept. */
bool log_find(const struct analysis *what, uint64_t key, struct log_record *out);

/* Return the key of the event with that number, or of a near one if it is no longer kept. */
uint64_t log_key_of(const struct analysis *what, uint64_t number);

/*
 * Keep keys valid while the journal is reordered. Call it before (`moved` false) to note their
 * events, and after (`moved` true) to get the new keys, with the same keys in the same order.
 */
void log_place(const struct analysis *what, struct places *places, bool moved, uint64_t *key);

/* Append a record as a row of the log: time, process, thread, event, details. */
void log_format(const struct analysis *what, const struct log_record *record, struct tr2_buf *out);
/* Append one column of the row; if `brief`, the process without its ancestors. */
void log_format_owner(const struct analysis *what, const struct log_record *record, bool brief,
		      struct tr2_buf *out);
void log_format_details(const struct analysis *what, const struct log_record *record,
			struct tr2_buf *out);
ns_t log_time(const struct log_record *record);

/* Return the slot of the process that the record is about; SLOT_NONE if it is not in the model. */
uint32_t log_slot(const struct analysis *what, const struct log_record *record);

#endif
