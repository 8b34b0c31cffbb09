/* SPDX-License-Identifier: MIT */
/*
 * A process found in a text stream. Text formats have no SIDs, so the reader makes one, mainly from
 * the stream's name and the process's number among all processes of that name.
 */
#ifndef MONITOR_TEXT_PROCESS_H
#define MONITOR_TEXT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/read/reader.h"
#include "monitor/read/text/text_record.h"

/* Limits per process. */
/* maximum stored open regions of all threads of a process */
#define TEXT_MAX_REGIONS 512
#define TEXT_MAX_THREADS 256
/* maximum stored children and execs of a process that have not ended */
#define TEXT_MAX_CHILDREN 1024
/* Limits per stream. */
#define TEXT_MAX_LIVING 4096
#define TEXT_MAX_ENDED  256
/* Limits for all processes of a stream together. Above TEXT_MAX_APART_BYTES of memory, the
 * processes that were silent longest are given up when another process begins. */
#define TEXT_MAX_ALL_THREADS  (64u << 10)
#define TEXT_MAX_ALL_CHILDREN (64u << 10)
#define TEXT_MAX_APART_BYTES  (32u << 20)

/* Number of first words of a command line that are searched for a command's name. */
#define TEXT_WORDS 4

struct text_region {
	sym_t category, label;
};

struct text_thread {
	sym_t name;
	bool is_open;
	uint32_t nr_open; /* number of open regions; the innermost ones may not be stored */
	ns_t last_abs;
	struct text_region *regions;
	uint32_t nr, cap;
};

/* A child or exec that has not ended. */
struct text_child {
	int64_t id;
	bool is_exec, is_claimed;
	ns_t begin;    /* NORMAL: wall time of the start; NS_NONE: unknown */
	uint64_t argv; /* PERF: hash of the command line */
	/* PERF: hash of the only word, split into words as a shell would; 0: none */
	uint64_t as_split;
	uint64_t turn; /* PERF: number of the line that started the child */
};

struct text_process {
	const char *sid; /* the SID, stored after the struct */
	size_t sid_len;
	uint64_t sid_hash;
	/* index of the SID in the batch, if `sid_turn` is the source's `turn` */
	uint32_t sid_index;
	uint64_t sid_turn;
	uint32_t depth;
	bool told;   /* the ABOUT record was added to a batch */
	bool is_odd; /* the SID contains characters that JSON escapes */
	bool has_start, has_exited, has_name, has_repo, has_ancestry;
	uint8_t last_kind;
	/* wall time of the start (PERF: the latest possible time); unknown: INT64_MAX (PERF),
	 * NS_NONE (NORMAL) */
	ns_t birth;
	/* bytes of memory used; bytes that text_process_shrink() leaves */
	size_t bytes, least_bytes;
	uint64_t last_turn;
	sym_t hierarchy, parent_hierarchy; /* SYM_NONE: unknown */
	char *words[TEXT_WORDS];
	struct text_thread *threads;
	uint32_t nr_threads, cap_threads;
	uint32_t nr_regions;
	struct text_child *children;
	uint32_t nr_children, cap_children;
	/* neighbours in the list of live processes, in order of their last (PERF) or first
	 * (NORMAL) line */
	struct text_process *prev, *next;
};

struct text_source {
	const struct reader_stream *stream;
	struct text_names names;
	const char *format;
	/* main_sym: name of the main thread; SYM_NONE if the format has no threads */
	sym_t format_sym, main_sym;
	/* `batch` and `counts` are valid only while a function of the reader runs. */
	struct batch *batch;
	struct read_counts *counts;
	uint64_t turn;
};

static inline void text_source_fill(struct text_source *source, struct batch *batch,
				    struct read_counts *counts)
{
	source->batch = batch;
	source->counts = counts;
	source->turn++;
}

/* Create a process at `depth`, with a SID below that of `parent`; NULL: the parent is unknown. */
struct text_process *text_process_new(struct text_source *source, const struct text_process *parent,
				      uint32_t depth);
void text_process_free(struct text_process *p);
/* Free the data used to assign lines to the process. */
void text_process_shrink(struct text_process *p);

/* Private to text_process_emit(). */
uint32_t text_process_emit_again(struct text_source *source, struct text_process *p);

/* Return the index of the process's SID in the current batch. Before its first record, delivers its
 * ABOUT record. */
static inline uint32_t text_process_emit(struct text_source *source, struct text_process *p)
{
	return p->sid_turn == source->turn ? p->sid_index : text_process_emit_again(source, p);
}

/* Add a record of process `p` to the batch. Does nothing while the stream is skipped. */
void text_deliver(struct text_source *source, struct text_process *p, struct text_record *rec);

/* Add an entry to one of the process's arrays, or remove one; `p->bytes` changes by its memory. */
struct text_thread *text_thread_add(struct text_process *p, sym_t name);
struct text_child *text_child_add(struct text_process *p);
void text_child_remove(struct text_process *p, uint32_t i);

struct text_thread *text_thread_find(const struct text_process *p, sym_t name);

#endif
