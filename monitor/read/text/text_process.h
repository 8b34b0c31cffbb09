/* SPDX-License-Identifier: MIT */
/*
 * A process that a text stream tells of. Text has no session ids, so it gets one, of its stream's
 * name and its number among all processes of that name; and its record ABOUT before its first one.
 * What tells it from others is remembered here, within bounds (TEXT_MAX_...).
 */
#ifndef MONITOR_TEXT_PROCESS_H
#define MONITOR_TEXT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/read/reader.h"
#include "monitor/read/text/text_record.h"

/* Of a process. */
#define TEXT_MAX_REGIONS  512 /* open, of all its threads */
#define TEXT_MAX_THREADS  256
#define TEXT_MAX_CHILDREN 1024 /* open */
/* Of a stream. */
#define TEXT_MAX_LIVING       4096
#define TEXT_MAX_ENDED        256
#define TEXT_MAX_ALL_THREADS  (64u << 10) /* so that a look at all of them takes no long time */
#define TEXT_MAX_ALL_CHILDREN (64u << 10)
#define TEXT_MAX_APART_BYTES  (32u << 20)

/* First words of the command line that a command's name is looked for in. */
#define TEXT_WORDS 4

struct text_region {
	sym_t category, label;
};

struct text_thread {
	sym_t name;
	bool is_open;
	uint32_t nr_open; /* regions; the innermost ones of them may not be remembered */
	ns_t last_abs;
	struct text_region *regions;
	uint32_t nr, cap;
};

/* A child or exec that has not ended. */
struct text_child {
	int64_t id;
	bool is_exec, is_claimed;
	ns_t begin;        /* wall; NS_NONE */
	uint64_t argv;     /* hash of its command line */
	uint64_t as_split; /* the same of its only word, split as a shell would; 0 */
	uint64_t turn;     /* grows */
};

struct text_process {
	const char *sid; /* behind the struct */
	size_t sid_len;
	uint64_t sid_hash;
	uint32_t sid_index; /* in the batch, of the time `sid_turn`; else a guess */
	uint64_t sid_turn;
	uint32_t depth;
	bool told;   /* its ABOUT was delivered */
	bool is_odd; /* its SID would be escaped in JSON */
	bool has_start, has_exited, has_name, has_repo, has_ancestry;
	uint8_t last_kind;
	ns_t birth;                        /* wall, at most; INT64_MAX: not known */
	size_t bytes, least_bytes;         /* of memory; of it without what shrinking frees */
	uint64_t last_turn;                /* of its last line */
	sym_t hierarchy, parent_hierarchy; /* SYM_NONE */
	char *words[TEXT_WORDS];           /* of argv */
	struct text_thread *threads;
	uint32_t nr_threads, cap_threads;
	uint32_t nr_regions; /* remembered */
	struct text_child *children;
	uint32_t nr_children, cap_children;
	struct text_process *prev, *next; /* the living: the one that was silent longest first */
};

/* What both formats' readers know of their stream. */
struct text_source {
	const struct reader_stream *stream;
	struct text_names names;
	const char *format;         /* its word in readers.def */
	sym_t format_sym, main_sym; /* main_sym: SYM_NONE where it tells no threads */
	/* While called. */
	struct batch *batch;
	struct read_counts *counts;
	uint64_t turn; /* of such times; from 1 on */
};

/* From now on it is that batch that is filled. */
static inline void text_source_fill(struct text_source *source, struct batch *batch,
				    struct read_counts *counts)
{
	source->batch = batch;
	source->counts = counts;
	source->turn++;
}

/*
 * A new process of `depth`: below `parent`, or below none that is known where that is NULL. Its
 * SID and number are set.
 */
struct text_process *text_process_new(struct text_source *source, const struct text_process *parent,
				      uint32_t depth);
void text_process_free(struct text_process *p);
/* Forget what tells its lines from others': it has ended. */
void text_process_shrink(struct text_process *p);

/* Private. */
uint32_t text_process_tell_anew(struct text_source *source, struct text_process *p);

/* The index of its SID in the batch that is filled; its ABOUT is delivered where it was not yet. */
static inline uint32_t text_process_tell(struct text_source *source, struct text_process *p)
{
	return p->sid_turn == source->turn ? p->sid_index : text_process_tell_anew(source, p);
}

/* Deliver its record; nothing where the stream is skipped. */
void text_deliver(struct text_source *source, struct text_process *p, struct text_record *rec);

/* The memory of these grows by one; `p->bytes` counts it. */
struct text_thread *text_thread_add(struct text_process *p, sym_t name);
struct text_child *text_child_add(struct text_process *p);
void text_child_remove(struct text_process *p, uint32_t i);

struct text_thread *text_thread_find(const struct text_process *p, sym_t name);

#endif
