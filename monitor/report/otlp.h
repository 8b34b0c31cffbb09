/* SPDX-License-Identifier: MIT */
/*
 * Convert events to OpenTelemetry spans in OTLP/JSON: one span per process (kind SERVER), and one
 * per region, child and exec. The exporter does not use the model, because the model keeps no ended
 * regions and its texts are not redacted.
 *
 *   otlp_batch(), then otlp_record() for each record  -> spans()
 *   otlp_report_old()  long-running processes so far    -> spans()
 *   otlp_end()         all running processes so far     -> spans()
 *
 * A process is exported when it ends; everything open in it ends then. The span of a process that
 * is exported before its end has the attribute trace2.incomplete. A span that is exported again has
 * the same id (otlp_ids.h). spans() gets one object of `resourceSpans` with at most OTLP_TOLD_SPANS
 * spans of one process.
 *
 * The last OTLP_MAX_ENDED ended processes are remembered for late events. The memory is at most
 * about `max_bytes` plus one batch. Above that, ended processes are forgotten first. Then larger
 * running processes are exported with trace2.incomplete and forgotten; their later events start a
 * new process with the same ids. Threads and open regions of one process get at most an eighth of
 * the memory; further regions are left out unless they end, and those of further threads always.
 *
 * Used by one thread.
 */
#ifndef MONITOR_OTLP_H
#define MONITOR_OTLP_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/intern.h"
#include "monitor/event/batch.h"
#include "monitor/redact/redact.h"

#define OTLP_TOLD_SPANS  512u
#define OTLP_MAX_RUNNING 10000u
#define OTLP_MAX_ENDED   4096u
#define OTLP_LONG_NS     (600 * NS_PER_SEC)
#define OTLP_MAX_BYTES   (256u << 20)

struct otlp;

struct otlp_config {
	const struct tr2_intern *syms; /* symbols of the batches; borrowed */
	struct redactor *redactor;     /* redactor of the events, borrowed; NULL: no redaction */
	/* `host_name` is the host whose SIDs have the digest `host_digest` ("H0123abcd"); NULL:
	 * unknown. Borrowed. */
	const char *host_digest, *host_name;
	size_t max_bytes; /* 0: OTLP_MAX_BYTES */
	/* Callback that receives JSON with `nr` spans, borrowed for the call. */
	void (*spans)(void *data, const char *json, size_t len, uint32_t nr);
	void *data;
};

struct otlp_stats {
	uint64_t spans; /* exported spans */
	/* number of exported processes; each export of a process counts */
	uint64_t processes;
	/* number of times that a process or inner span was not exported because it has no time */
	uint64_t timeless;
	uint64_t running; /* processes that run */
	/* number of running processes that were exported as ended because of a limit */
	uint64_t cut;
	uint64_t left_out; /* number of regions that were left out because of a limit */
	uint64_t bytes;    /* bytes of memory that count for `max_bytes` */
};

struct otlp *otlp_new(const struct otlp_config *config);
void otlp_free(struct otlp *otlp);

/* Start a batch, to which the next records belong. `now`: monotonic time, used by
 * otlp_report_old(). */
void otlp_batch(struct otlp *otlp, const struct batch *batch, ns_t now);
void otlp_record(struct otlp *otlp, const struct batch *batch, const struct event *ev);
/* Export the running processes that were not exported for OTLP_LONG_NS, and late spans of ended
 * processes. Call it between batches. */
void otlp_report_old(struct otlp *otlp, ns_t now);
/* Export all running processes and late spans. No record may follow. */
void otlp_end(struct otlp *otlp);

void otlp_stats(const struct otlp *otlp, struct otlp_stats *out);
/* Describe in one line the regions left out and the processes exported early because of limits;
 * "": none. */
void otlp_format_left_out(const struct otlp *otlp, char *out, size_t bytes);

/* A request, or a line of a file, is the head, objects separated by `,`, and the tail. */
#define OTLP_REQUEST_HEAD "{\"resourceSpans\":["
#define OTLP_REQUEST_TAIL "]}"

#endif
