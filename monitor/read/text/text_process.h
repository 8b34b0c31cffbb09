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
#define TEXT_MAX_REGIONS  512 /* open regions of all threads of a process */
#define TEXT_MAX_THREADS  256
#define TEXT_MAX_CHILDREN 1024 /* children and execs that have not ended */
/* Limits per stream. */
#define TEXT_MAX_LIVING 4096
#define TEXT_MAX_ENDED  256
/* of all processes of a stream; small enough to check all of them quickly */
#define TEXT_MAX_ALL_THREADS  (64u << 10)
#define TEXT_MAX_ALL_CHILDREN (64u << 10)
#define TEXT_MAX_APART_BYTES  (32u << 20)

/* Number of first words of a command line in which a command's name is searched. */
#define TEXT_WORDS 4

struct text_region {
	sym_t category, label;
};

struct text_thread {
	sym_t name;
	bool is_open;
	uint32_t nr_open; /* number of open regions; the innermost may not be stored */
	ns_t last_abs;
	struct text_region *regions;
	uint32_t nr, cap;
};

/* A child or exec that a process started and that has not ended. */
struct text_child {
	int64_t id;
	bool is_exec, is_claimed;
	ns_t begin;    /* start in wall time; NS_NONE: unknown */
	uint64_t argv; /* hash of the child's command line */
	/* hash of the child's only argument, split into words as a shell would; 0: none */
	uint64_t as_split;
	uint64_t turn; /* number of the line that started it */
};

struct text_process {
	const char *sid; /* the made-up SID; stored after the struct */
	size_t sid_len;
	uint64_t sid_hash;
	/* index of the SID in the batch with the number `sid_turn`; invalid in other batches */
	uint32_t sid_index;
	uint64_t sid_turn;
	uint32_t depth;
	bool told;   /* the ABOUT record of the process was delivered */
	bool is_odd; /* the SID has characters that JSON escapes */
	bool has_start, has_exited, has_name, has_repo, has_ancestry;
	uint8_t last_kind;
	/* latest possible start in wall time; INT64_MAX: unknown */
	ns_t birth;
	/* memory used; memory that remains after text_process_shrink() */
	size_t bytes, least_bytes;
	uint64_t last_turn;                /* number of the process's last line */
	sym_t hierarchy, parent_hierarchy; /* SYM_NONE: unknown */
	char *words[TEXT_WORDS];           /* first words of the command line */
	struct text_thread *threads;
	uint32_t nr_threads, cap_threads;
	uint32_t nr_regions; /* number of stored regions */
	struct text_child *children;
	uint32_t nr_children, cap_children;
	/* list of live processes by time of their last line, oldest first */
	struct text_process *prev, *next;
};

/* Context of a stream for the readers of PERF and NORMAL. */
struct text_source {
	const struct reader_stream *stream;
	struct text_names names;
	const char *format; /* name of the format in readers.def */
	/* main_sym: name of the main thread; SYM_NONE if the format has no threads */
	sym_t format_sym, main_sym;
	/* The next members are valid during a call only. */
	struct batch *batch;
	struct read_counts *counts;
	uint64_t turn; /* number of the batch that is being filled, from 1 */
};

/* Set the batch to which records are added. */
static inline void text_source_fill(struct text_source *source, struct batch *batch,
				    struct read_counts *counts)
{
	source->batch = batch;
	source->counts = counts;
	source->turn++;
}

/*
 * Create a process at `depth`, as a child of `parent`; NULL: the parent is unknown. Sets its SID
 * and number.
 */
struct text_process *text_process_new(struct text_source *source, const struct text_process *parent,
				      uint32_t depth);
void text_process_free(struct text_process *p);
/* Free the data that assigns lines to the process, after it has ended. */
void text_process_shrink(struct text_process *p);

/* Private: slow path of text_process_emit(). */
uint32_t text_process_emit_again(struct text_source *source, struct text_process *p);

/* Return the index of the process's SID in the current batch. Delivers the process's ABOUT
 * record first if needed. */
static inline uint32_t text_process_emit(struct text_source *source, struct text_process *p)
{
	return p->sid_turn == source->turn ? p->sid_index : text_process_emit_again(source, p);
}

/* Deliver a record of process `p`; does nothing if the stream is skipped. */
void text_deliver(struct text_source *source, struct text_process *p, struct text_record *rec);

/* Add an entry to the process and count its memory in `p->bytes`. */
struct text_thread *text_thread_add(struct text_process *p, sym_t name);
struct text_child *text_child_add(struct text_process *p);
void text_child_remove(struct text_process *p, uint32_t i);

struct text_thread *text_thread_find(const struct text_process *p, sym_t name);

#endif
