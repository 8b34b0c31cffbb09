/* SPDX-License-Identifier: MIT */
/* Private interface of the files of the OTLP exporter. */
#ifndef MONITOR_OTLP_PRIV_H
#define MONITOR_OTLP_PRIV_H

#include "monitor/analysis/span_stream.h"
#include "monitor/report/otlp.h"
#include "monitor/report/otlp_attributes.h"
#include "monitor/report/otlp_ids.h"

enum { OTLP_KIND_INTERNAL = 1, OTLP_KIND_SERVER = 2 };
#define OTLP_STATUS_ERROR 2

/* A child or exec that has not ended. */
struct otlp_doing {
	bool is_exec;
	bool ready;     /* an event reported that the child is ready */
	int64_t number; /* child_id or exec_id; NUM_NONE: not given */
	uint64_t n;     /* number among the children or execs of the process, from 0 */
	ns_t start, end;
	int64_t code;
	char *name; /* owned */
	struct otlp_attributes attributes;
};

/* Data of a region that is open or not exported yet. */
struct otlp_data {
	uint32_t thread;
	uint64_t ordinal;
	struct otlp_attributes attributes;
};

enum otlp_state { OTLP_FREE, OTLP_RUNNING, OTLP_ENDED };

struct otlp_process {
	enum otlp_state state;
	struct otlp_ids ids;
	/* numbers of the neighbours in the list of the process's state; UINT32_MAX: none */
	uint32_t prev, next;
	int64_t stream; /* stream of the running process's last Trace2 event; NUM_NONE: none */
	ns_t told;      /* monotonic time at which the process was first seen or last exported */
	int64_t pid, code, signo;
	sym_t version, verb, mode;
	char host[12]; /* digest of the host, such as "H0123abcd"; "": unknown */
	/* agent that sent the process's events; SYM_NONE: none */
	sym_t agent;
	/* base name of argv[0] without .exe; argv[1]; NULL: unknown */
	char *exe, *first_word;
	char *error;       /* first error message of the process; may be NULL */
	bool has_ended;    /* an event reported the end of the process */
	bool last_is_exec; /* the last event of the process was an exec */
	/* earliest start (wall clock) of an exported region; NS_NONE: none */
	ns_t from;
	uint64_t nr_children, nr_execs;
	uint64_t nr_timeless; /* number of times that an inner span without a time was left out */
	struct otlp_attributes attributes;
	/* spans of the process that are not exported yet, as JSON joined by commas */
	struct tr2_buf spans;
	uint32_t nr_spans;
	struct otlp_doing *doings;
	uint32_t nr_doings, cap_doings;
	struct otlp_data *data;
	uint32_t nr_data, cap_data;
};

struct otlp_list {
	/* first and last process of the list; UINT32_MAX: empty */
	uint32_t first, last;
	uint32_t nr;
};

struct otlp {
	struct otlp_config config;
	/* symbols of the texts: the redactor's, if there is one */
	const struct tr2_intern *syms;
	struct span_stream spans;
	struct otlp_process *processes; /* processes, by number in `spans` */
	uint32_t cap_processes;
	struct otlp_list running; /* running processes, sorted by `told` */
	struct otlp_list ended;   /* ended processes, sorted by time of end */
	struct tr2_hash_index by_stream;
	/* stream of the records that are being read; NUM_NONE: unknown */
	int64_t stream;
	sym_t agent;  /* agent of the records that are being read; SYM_NONE: none */
	bool looking; /* open regions are being exported without ending them */
	ns_t now;     /* `now` of the current batch or otlp_report_old() */
	size_t held;  /* bytes of the attributes, texts and spans of all processes */
	struct otlp_stats stats;
	struct tr2_buf name, text, out;
};

static inline struct otlp_process *otlp_process(struct otlp *o, uint32_t nr)
{
	return &o->processes[nr];
}

/* ---- otlp.c: texts ---- */

/* Copy a text, with a NUL; its size is counted in `held`. otlp_text_free() frees it; NULL is
 * allowed. */
char *otlp_text_keep(struct otlp *o, const char *text, size_t len);
void otlp_text_free(struct otlp *o, char *text);

/* ---- otlp_write.c: spans as JSON ---- */

/* Forms of a process's name in o->name: `exe`, `exe:verb` or `exe:verb#mode`. */
enum otlp_name { OTLP_NAME_EXE, OTLP_NAME_VERB, OTLP_NAME_MODE };

/* A span of a region, child or exec. */
struct otlp_inner {
	uint8_t id[OTLP_SPAN_BYTES];
	/* id of the parent span; NULL: that of the process */
	const uint8_t *parent;
	const char *name;
	size_t name_len;
	ns_t start, end;
	const struct otlp_attributes *attributes;
	bool failed;
};
void otlp_write_inner(struct otlp *o, struct otlp_process *p, const struct otlp_inner *inner);
void otlp_write_process(struct otlp *o, uint32_t nr, bool incomplete);
/* Export the pending spans of a process. */
void otlp_report(struct otlp *o, uint32_t nr);

/* ---- otlp_parts.c: spans within a process ---- */

void otlp_region(void *otlp, const struct span_region *region);
void otlp_instant(void *otlp, uint32_t thread, ns_t time, const struct batch *batch,
		  const struct event *ev);
void otlp_doing(struct otlp *o, uint32_t nr, const struct batch *batch, const struct event *ev);
/* Export the children and execs of a process that have not ended, then forget them if `forget`. */
void otlp_doings_report(struct otlp *o, uint32_t nr, bool forget);
void otlp_doing_release(struct otlp *o, struct otlp_doing *doing);

#endif
