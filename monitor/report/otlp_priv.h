/* SPDX-License-Identifier: MIT */
/* Private interface of the files of the OTLP exporter: the state of a process and the writing of
 * spans. */
#ifndef MONITOR_OTLP_PRIV_H
#define MONITOR_OTLP_PRIV_H

#include "monitor/analysis/span_stream.h"
#include "monitor/report/otlp.h"
#include "monitor/report/otlp_attributes.h"
#include "monitor/report/otlp_ids.h"

/* Numbers defined by the OTLP protocol. */
enum { OTLP_KIND_INTERNAL = 1, OTLP_KIND_SERVER = 2 };
#define OTLP_STATUS_ERROR 2

/* A child or exec that has not ended. */
struct otlp_doing {
	bool is_exec;
	bool ready;     /* a background child that is ready */
	int64_t number; /* child_id or exec_id; NUM_NONE: not given */
	uint64_t n;     /* number among the children or execs of the process, from 0 */
	ns_t start, end;
	int64_t code;
	char *name; /* name of its span; owned */
	struct otlp_attributes attributes;
};

/* Data of a region that is open or not exported yet. */
struct otlp_data {
	uint32_t thread;
	uint64_t ordinal;
	struct otlp_attributes attributes;
};

enum otlp_state { OTLP_FREE, OTLP_RUNNING, OTLP_ENDED };

/* State of a process, by its number in the span stream. */
struct otlp_process {
	enum otlp_state state;
	struct otlp_ids ids;
	uint32_t prev, next; /* links in the list of its state; UINT32_MAX: end */
	int64_t stream;      /* stream of the process's last event; NUM_NONE: unknown */
	ns_t told;           /* monotonic: when it started or was last exported */
	int64_t pid, code, signo;
	sym_t version, verb, mode;
	char host[12];          /* host of the process; "": unknown */
	sym_t agent;            /* SITE.HOST of the agent that sent it; SYM_NONE: none */
	char *exe, *first_word; /* base name of argv[0]; argv[1]; may be NULL */
	char *error;            /* the first error message; may be NULL */
	bool has_ended;         /* an event reported its end */
	bool last_is_exec;      /* its last event was an exec */
	ns_t from;              /* wall: start of its first region; NS_NONE: no region yet */
	uint64_t nr_children, nr_execs;
	uint64_t nr_timeless; /* number of its spans without a time */
	struct otlp_attributes attributes;
	struct tr2_buf spans; /* spans that are not exported yet, joined by commas */
	uint32_t nr_spans;
	struct otlp_doing *doings;
	uint32_t nr_doings, cap_doings;
	struct otlp_data *data;
	uint32_t nr_data, cap_data;
};

struct otlp_list {
	uint32_t first, last; /* ends of the list; UINT32_MAX: empty */
	uint32_t nr;
};

struct otlp {
	struct otlp_config config;
	/* symbols of the kept texts: those of the redactor if there is one */
	const struct tr2_intern *syms;
	struct span_stream spans;
	struct otlp_process *processes; /* processes by their number in `spans` */
	uint32_t cap_processes;
	struct otlp_list running; /* running processes, sorted by `told` */
	struct otlp_list ended;   /* ended processes, sorted by time of end */
	struct tr2_hash_index by_stream;
	int64_t stream; /* stream of the records that are being read; NUM_NONE: unknown */
	sym_t agent;    /* agent of the records that are being read; SYM_NONE: none */
	bool looking;   /* open regions are exported without ending them */
	ns_t now;       /* monotonic time */
	size_t held;    /* bytes of the attributes, texts and spans of all processes */
	struct otlp_stats stats;
	struct tr2_buf name, text, out;
};

static inline struct otlp_process *otlp_process(struct otlp *o, uint32_t nr)
{
	return &o->processes[nr];
}

/* ---- otlp.c: processes ---- */

/* Copy a text for a process, NUL-terminated; its size is counted in `held`. Freeing NULL is
 * allowed. */
char *otlp_text_keep(struct otlp *o, const char *text, size_t len);
void otlp_text_free(struct otlp *o, char *text);

/* ---- otlp_write.c: spans as JSON ---- */

/* Write the name of a process into o->name: `exe`, `exe:verb` or `exe:verb#mode`. */
enum otlp_name { OTLP_NAME_EXE, OTLP_NAME_VERB, OTLP_NAME_MODE };

/* Append the span of a region, child or exec to the pending spans of its process. */
struct otlp_inner {
	uint8_t id[OTLP_SPAN_BYTES];
	const uint8_t *parent; /* id of the parent span; NULL: that of the process */
	const char *name;
	size_t name_len;
	ns_t start, end;
	const struct otlp_attributes *attributes;
	bool failed;
};
void otlp_write_inner(struct otlp *o, struct otlp_process *p, const struct otlp_inner *inner);
/* Append the span of the process itself. */
void otlp_write_process(struct otlp *o, uint32_t nr, bool incomplete);
/* Export the pending spans of a process. */
void otlp_report(struct otlp *o, uint32_t nr);

/* ---- otlp_parts.c: spans within a process ---- */

void otlp_region(void *otlp, const struct span_region *region);
void otlp_instant(void *otlp, uint32_t thread, ns_t time, const struct batch *batch,
		  const struct event *ev);
/* Handle an event that starts, continues or ends a child or exec. */
void otlp_doing(struct otlp *o, uint32_t nr, const struct batch *batch, const struct event *ev);
/* Export the children and execs of a process that have not ended; with `forget`, forget them. */
void otlp_doings_report(struct otlp *o, uint32_t nr, bool forget);
void otlp_doing_release(struct otlp *o, struct otlp_doing *doing);

#endif
