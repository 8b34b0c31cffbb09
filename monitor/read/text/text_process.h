/* SPDX-License-Identifier: MIT */
/*
 * A process found in a text stream. The text has no session ids, so each process gets one, made of
 * the stream's name and its number among all processes of that name, and an ABOUT record before its
 * first one. Data for telling it apart from others is kept here, within limits (TEXT_MAX_...).
 */
#ifndef MONITOR_TEXT_PROCESS_H
#define MONITOR_TEXT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/read/reader.h"
#include "monitor/read/text/text_record.h"

/* Limits per process. */
#define TEXT_MAX_REGIONS  512 /* open, in all threads */
#define TEXT_MAX_THREADS  256
#define TEXT_MAX_CHILDREN 1024 /* open */
/* Limits per stream. */
#define TEXT_MAX_LIVING       4096
#define TEXT_MAX_ENDED        256
#define TEXT_MAX_ALL_THREADS  (64u << 10) /* so that checking all of them is fast */
#define TEXT_MAX_ALL_CHILDREN (64u << 10)
#define TEXT_MAX_APART_BYTES  (32u << 20)

/* Number of first words of the command line searched for a command's name. */
#define TEXT_WORDS 4

struct text_region {
	sym_t category, label;
};

struct text_thread {
	sym_t name;
	bool is_open;
	uint32_t nr_open; /* open regions; the innermost may not be stored */
	ns_t last_abs;
	struct text_region *regions;
	uint32_t nr, cap;
};

/* A child or exec that has not ended. */
struct text_child {
	int64_t id;
	bool is_exec, is_claimed;
	ns_t begin;        /* wall clock; NS_NONE */
	uint64_t argv;     /* hash of its command line */
	uint64_t as_split; /* the same for its only word, split as a shell would; 0: none */
	uint64_t turn;     /* increases */
};

struct text_process {
	const char *sid; /* stored after the struct */
	size_t sid_len;
	uint64_t sid_hash;
	uint32_t sid_index; /* index in the batch numbered `sid_turn`; otherwise stale */
	uint64_t sid_turn;
	uint32_t depth;
	bool told;   /* its ABOUT record was delivered */
	bool is_odd; /* its SID needs escaping in JSON */
	bool has_start, has_exited, has_name, has_repo, has_ancestry;
	uint8_t last_kind;
	ns_t birth;                        /* wall clock, latest possible; INT64_MAX: unknown */
	size_t bytes, least_bytes;         /* memory; memory that remains after
					    * text_process_shrink() */
	uint64_t last_turn;                /* number of its last line */
	sym_t hierarchy, parent_hierarchy; /* SYM_NONE */
	char *words[TEXT_WORDS];           /* of argv */
	struct text_thread *threads;
	uint32_t nr_threads, cap_threads;
	uint32_t nr_regions; /* stored */
	struct text_child *children;
	uint32_t nr_children, cap_children;
	struct text_process *prev, *next; /* live processes, longest silent first */
};

/* Per-stream context of both readers. */
struct text_source {
	const struct reader_stream *stream;
	struct text_names names;
	const char *format;         /* its name in readers.def */
	sym_t format_sym, main_sym; /* main_sym: SYM_NONE if the format has no threads */
	/* Valid during a call. */
	struct batch *batch;
	struct read_counts *counts;
	uint64_t turn; /* number of the batch, from 1 */
};

/* Set the batch to fill. */
static inline void text_source_fill(struct text_source *source, struct batch *batch,
				    struct read_counts *counts)
{
	source->batch = batch;
	source->counts = counts;
	source->turn++;
}

/*
 * Create a process at `depth`: below `parent`, or without a known parent if NULL. Sets its SID and
 * number.
 */
struct text_process *text_process_new(struct text_source *source, const struct text_process *parent,
				      uint32_t depth);
void text_process_free(struct text_process *p);
/* Free the data for telling its lines apart, after it has ended. */
void text_process_shrink(struct text_process *p);

/* Private. */
uint32_t text_process_emit_again(struct text_source *source, struct text_process *p);

/* The index of its SID in the current batch. Delivers its ABOUT record first if needed. */
static inline uint32_t text_process_emit(struct text_source *source, struct text_process *p)
{
	return p->sid_turn == source->turn ? p->sid_index : text_process_emit_again(source, p);
}

/* Deliver its record; does nothing if the stream is skipped. */
void text_deliver(struct text_source *source, struct text_process *p, struct text_record *rec);

/* Add an entry and count its memory in `p->bytes`. */
struct text_thread *text_thread_add(struct text_process *p, sym_t name);
struct text_child *text_child_add(struct text_process *p);
void text_child_remove(struct text_process *p, uint32_t i);

struct text_thread *text_thread_find(const struct text_process *p, sym_t name);

#endif
