/* SPDX-License-Identifier: MIT */
/*
 * Selects the records of the journal for the event log, in order: those of a scope that match the
 * filter.
 *
 * A record is identified by its key: the number of its batch in the journal and its index in the
 * batch. Keys ascend and stay valid when old batches are evicted. They only change when the
 * journal is reordered (journal_order.h): see log_place(). For recently used batches the positions
 * of the matching records are cached, so that reading one decodes that record only.
 *
 *   log_begin()  per frame or key press: what to show, and the read budget
 *   log_walk()   from a key to the nth matching record, forward or backward
 *   log_count()  count the uncounted batches, newest first
 *
 * Reading per frame or key press is bounded; `unread` is set if a walk ended because of that. A
 * filter's result may depend on the event's process, which changes: visible batches are evaluated
 * again with the model, all others in turn. One owner, one thread.
 */
#ifndef MONITOR_EVENT_LOG_H
#define MONITOR_EVENT_LOG_H

#include "engine/base/buf.h"
#include "monitor/analysis/analysis.h"
#include "monitor/history/journal_order.h"

enum log_scope { LOG_PROCESS, LOG_TREE, LOG_ALL, NR_LOG_SCOPES };

#define LOG_NONE      UINT64_MAX
#define LOG_SLOTS     32
#define LOG_KEY_SHIFT 20 /* a batch has fewer records than that */

/* A matching record: its position in the batch. */
struct log_entry {
	uint32_t ordinal; /* index among all records of the batch */
	uint32_t number;  /* of events before it in the batch */
	struct batch_cursor cursor;
};

/* The matching records of one batch. */
struct log_batch {
	uint64_t seq, used; /* used: time of last use; 0: free */
	const struct batch *batch;
	uint64_t version;
	struct log_entry *entries;
	uint32_t nr, cap;
};

/* Counts of a batch; version 0: unknown. */
struct log_sum {
	uint64_t version;
	uint32_t nr, nr_scope; /* matching; in the scope */
};

struct event_log {
	enum log_scope scope;   /* rw */
	bool unread;            /* ro: a walk ended early; the next frame may find more */
	uint64_t nr, nr_hidden; /* ro: matching; in the scope but filtered out, as far as counted */
	bool counted;           /* ro: all batches are counted */
	/* private: */
	uint64_t chosen, version; /* scope, filter, era; also the model if that matters */
	uint64_t clock;
	int64_t budget;
	struct log_batch slots[LOG_SLOTS];
	struct log_sum *sums; /* by seq - first_seq */
	uint64_t first_seq, nr_sums, cap_sums, next_count;
};

/* A decoded record. */
struct log_record {
	uint64_t key, number; /* number: of events before it since the start */
	const struct batch *batch;
	struct event ev;
};

void log_begin(const struct analysis *what, struct event_log *log);

/* The first possible key, and the one after the last: the present, or the past time shown. */
uint64_t log_first(const struct analysis *what);
uint64_t log_end(const struct analysis *what, struct event_log *log);

/*
 * The key of the `nth` matching record from `key` on (0: `key` itself if it matches, else the
 * next). The last one if there are fewer; LOG_NONE if none exist. `step`: 1 forward, -1
 * backward.
 */
uint64_t log_walk(const struct analysis *what, struct event_log *log, uint64_t key, int step,
		  uint32_t nth);

/* Decode a record. Returns false if the key does not exist or does not match. */
bool log_take(const struct analysis *what, struct event_log *log, uint64_t key,
	      struct log_record *out);

/* The key after `key`: of the next matching record in its batch, else of the next batch. */
uint64_t log_next_key(const struct analysis *what, struct event_log *log, uint64_t key);

void log_count(const struct analysis *what, struct event_log *log);

void log_release(struct event_log *log);

/* ---- any record by its key, matching or not ---- */

/* Decodes the batch up to the record. Returns false if it is no longer kept. */
bool log_find(const struct analysis *what, uint64_t key, struct log_record *out);

/* The key of the event with that number, or a near one if it is no longer kept. */
uint64_t log_key_of(const struct analysis *what, uint64_t number);

/*
 * Keep a key valid while the journal is reordered. Call before (`moved` false) to note its event,
 * and after (`moved` true) to set the new key, with the same keys in the same order.
 */
void log_place(const struct analysis *what, struct places *places, bool moved, uint64_t *key);

/* Append a record as a row of the log: time, process, thread, event, details. */
void log_format(const struct analysis *what, const struct log_record *record, struct tr2_buf *out);
/* Append parts of the row; if `brief`, the process without its ancestors. */
void log_format_owner(const struct analysis *what, const struct log_record *record, bool brief,
		      struct tr2_buf *out);
void log_format_details(const struct analysis *what, const struct log_record *record,
			struct tr2_buf *out);
ns_t log_time(const struct log_record *record);

/* The slot of its process in the model; SLOT_NONE. */
uint32_t log_slot(const struct analysis *what, const struct log_record *record);

#endif
