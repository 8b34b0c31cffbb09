/* SPDX-License-Identifier: MIT */
/* What the files of the spans of OTLP share: what is kept of a process, and how a span is written. */
#ifndef MONITOR_OTLP_PRIV_H
#define MONITOR_OTLP_PRIV_H

#include "monitor/analysis/span_stream.h"
#include "monitor/report/otlp.h"
#include "monitor/report/otlp_attributes.h"
#include "monitor/report/otlp_ids.h"

/* As the protocol numbers them. */
enum { OTLP_KIND_INTERNAL = 1, OTLP_KIND_SERVER = 2 };
#define OTLP_STATUS_ERROR 2

/* A child, or an exec, that has not ended. */
struct otlp_doing {
	bool is_exec;
	bool ready;     /* a child that goes on beside it */
	int64_t number; /* child_id, exec_id; NUM_NONE */
	uint64_t n;     /* of its kind in its process, from 0 */
	ns_t start, end;
	int64_t code;
	char *name; /* of the span; owned */
	struct otlp_attributes attributes;
};

/* Data of a region that is open, or not told yet. */
struct otlp_data {
	uint32_t thread;
	uint64_t ordinal;
	struct otlp_attributes attributes;
};

enum otlp_state { OTLP_FREE, OTLP_RUNNING, OTLP_ENDED };

/* Of a process, by its number in the span stream. */
struct otlp_process {
	enum otlp_state state;
	struct otlp_ids ids;
	uint32_t prev, next; /* in the list of its state; UINT32_MAX */
	int64_t stream;      /* that it was last seen on; NUM_NONE */
	ns_t told;           /* monotonic: when it began, or was told as it is */
	int64_t pid, code, signo;
	sym_t version, verb, mode;
	char host[12];          /* "" */
	sym_t agent;            /* SITE.HOST that sent it; SYM_NONE */
	char *exe, *first_word; /* base of argv[0]; argv[1]; NULL */
	char *error;            /* the first message; NULL */
	bool has_ended;         /* as it said, whatever the code */
	bool last_is_exec;      /* nothing came behind it */
	ns_t from;              /* wall: where its first region begins; NS_NONE */
	uint64_t nr_children, nr_execs;
	uint64_t nr_timeless; /* spans that could not be told */
	struct otlp_attributes attributes;
	struct tr2_buf spans; /* not told yet, joined by commas */
	uint32_t nr_spans;
	struct otlp_doing *doings;
	uint32_t nr_doings, cap_doings;
	struct otlp_data *data;
	uint32_t nr_data, cap_data;
};

struct otlp_list {
	uint32_t first, last; /* UINT32_MAX */
	uint32_t nr;
};

struct otlp {
	struct otlp_config config;
	const struct tr2_intern *syms; /* of what is kept: the redactor's, where there is one */
	struct span_stream spans;
	struct otlp_process *processes; /* by number in `spans` */
	uint32_t cap_processes;
	struct otlp_list running; /* by `told` */
	struct otlp_list ended;   /* by when they ended */
	struct tr2_hash_index by_stream;
	int64_t stream; /* that the records are of; NUM_NONE */
	sym_t agent;    /* the same; SYM_NONE */
	bool looking;   /* what is open goes on */
	ns_t now;       /* monotonic */
	size_t held;    /* bytes of attributes, texts and spans of all processes */
	struct otlp_stats stats;
	struct tr2_buf name, text, out;
};

static inline struct otlp_process *otlp_process(struct otlp *o, uint32_t nr)
{
	return &o->processes[nr];
}

/* ---- otlp.c ---- */

/* A text that a process holds, ended by a NUL; NULL may be freed. */
char *otlp_text_keep(struct otlp *o, const char *text, size_t len);
void otlp_text_free(struct otlp *o, char *text);

/* ---- otlp_write.c ---- */

/* `exe`, `exe:verb`, `exe:verb#mode`: into o->name. */
enum otlp_name { OTLP_NAME_EXE, OTLP_NAME_VERB, OTLP_NAME_MODE };

/* A span that is within the process, into what is not told of it yet. */
struct otlp_inner {
	uint8_t id[OTLP_SPAN_BYTES];
	const uint8_t *parent; /* NULL: the process */
	const char *name;
	size_t name_len;
	ns_t start, end;
	const struct otlp_attributes *attributes;
	bool failed;
};
void otlp_write_inner(struct otlp *o, struct otlp_process *p, const struct otlp_inner *inner);
/* The process's own. */
void otlp_write_process(struct otlp *o, uint32_t nr, bool incomplete);
/* Give what is not told yet to who asked for it. */
void otlp_tell(struct otlp *o, uint32_t nr);

/* ---- otlp_parts.c: what happens within a process ---- */

void otlp_region(void *otlp, const struct span_region *region);
void otlp_instant(void *otlp, uint32_t thread, ns_t time, const struct batch *batch,
		  const struct event *ev);
/* A child or an exec begins, or something comes of it. */
void otlp_doing(struct otlp *o, uint32_t nr, const struct batch *batch, const struct event *ev);
/* Those that have not ended are told as they are; `forget`: and nothing more comes of them. */
void otlp_doings_tell(struct otlp *o, uint32_t nr, bool forget);
void otlp_doing_release(struct otlp *o, struct otlp_doing *doing);

#endif
