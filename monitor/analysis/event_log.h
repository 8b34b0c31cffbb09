/* SPDX-License-Identifier: MIT */
/*
 * Which records of the journal the event log shows, in order: those of a scope that the filter
 * matches.
 *
 * A record is known by its key: its batch's number in the journal and its own in the batch, so
 * that keys ascend and stay the same when old batches leave. Only where the journal is put in
 * another order (chronicle.h) they are others: see log_place(). Of the batches in use, each
 * chosen record's place is kept: going to any of them decodes that one record.
 *
 *   log_begin()  with each frame or key: what is wanted, and how much may be read
 *   log_walk()   from a key to the nth chosen record on, or back
 *   log_count()  reads on what is not counted yet, the newest first
 *
 * What a frame or key may read is bounded; where a walk ended for that, `unread` says so. What
 * a filter says of an event may depend on its process, which goes on changing: the batches in
 * sight are judged anew with the model, all others in turn. One owner, one thread.
 */
#ifndef MONITOR_EVENT_LOG_H
#define MONITOR_EVENT_LOG_H

#include "engine/base/buf.h"
#include "monitor/analysis/analysis.h"
#include "monitor/history/chronicle.h"

enum log_scope { LOG_PROCESS, LOG_TREE, LOG_ALL, NR_LOG_SCOPES };

#define LOG_NONE      UINT64_MAX
#define LOG_SLOTS     32
#define LOG_KEY_SHIFT 20 /* a batch has fewer records than that */

/* A chosen record: where it is in its batch. */
struct log_entry {
	uint32_t ordinal; /* among all records of the batch */
	uint32_t number;  /* of events before it in the batch */
	struct batch_cursor cursor;
};

/* The chosen records of one batch. */
struct log_batch {
	uint64_t seq, used; /* used: when last; 0: free */
	const struct batch *batch;
	uint64_t version;
	struct log_entry *entries;
	uint32_t nr, cap;
};

/* How many there are in a batch; version 0: not known yet. */
struct log_sum {
	uint64_t version;
	uint32_t nr, nr_scope; /* chosen; in the scope */
};

struct event_log {
	enum log_scope scope;   /* rw */
	bool unread;            /* ro: a walk ended early: more may be known in the next frame */
	uint64_t nr, nr_hidden; /* ro: chosen; in the scope but not chosen, as far as counted */
	bool counted;           /* ro: all is */
	/* private: */
	uint64_t chosen, version; /* scope, filter, era; with the model, where that matters */
	uint64_t clock;
	int64_t budget;
	struct log_batch slots[LOG_SLOTS];
	struct log_sum *sums; /* by seq - first_seq */
	uint64_t first_seq, nr_sums, cap_sums, next_count;
};

/* A record taken out. */
struct log_record {
	uint64_t key, number; /* number: of events before it, ever */
	const struct batch *batch;
	struct event ev;
};

void log_begin(const struct analysis *what, struct event_log *log);

/* The first key there may be, and the one behind the last: the present, or what is looked at. */
uint64_t log_first(const struct analysis *what);
uint64_t log_end(const struct analysis *what, struct event_log *log);

/*
 * The key of the `nth` chosen record from `key` on (0: itself, where it is chosen, or the
 * next); the last one where there are fewer; LOG_NONE. `step` 1 goes on, -1 back.
 */
uint64_t log_walk(const struct analysis *what, struct event_log *log, uint64_t key, int step,
		  uint32_t nth);

/* Take the record out; false where there is none of that key, or it is not chosen. */
bool log_take(const struct analysis *what, struct event_log *log, uint64_t key,
	      struct log_record *out);

/* The key behind `key`: of the next chosen record in its batch, else of the next batch. */
uint64_t log_next_key(const struct analysis *what, struct event_log *log, uint64_t key);

void log_count(const struct analysis *what, struct event_log *log);

void log_release(struct event_log *log);

/* ---- any record by its key, chosen or not ---- */

/* Decodes the batch up to it; false where it is no longer kept. */
bool log_find(const struct analysis *what, uint64_t key, struct log_record *out);

/* The key of the event of that number, or near it where it is no longer kept. */
uint64_t log_key_of(const struct analysis *what, uint64_t number);

/*
 * The journal is about to be put in another order (`moved` false), or was: note a key's event,
 * or take the key that it has now. Both times the same keys in the same order.
 */
void log_place(const struct analysis *what, struct places *places, bool moved, uint64_t *key);

/* Append a record as the log's row says it: time, process, thread, event, details. */
void log_say(const struct analysis *what, const struct log_record *record, struct tr2_buf *out);
/* Its parts; the process without what stands above it where it is to be `brief`. */
void log_say_owner(const struct analysis *what, const struct log_record *record, bool brief,
		   struct tr2_buf *out);
void log_say_details(const struct analysis *what, const struct log_record *record,
		     struct tr2_buf *out);
ns_t log_time(const struct log_record *record);

/* The slot of its process in the model; SLOT_NONE. */
uint32_t log_slot(const struct analysis *what, const struct log_record *record);

#endif
