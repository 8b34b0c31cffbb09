/* SPDX-License-Identifier: MIT */
/*
 * Events in, OpenTelemetry spans out, as OTLP/JSON: for each process one (kind SERVER), and for
 * what it did: its regions, children and execs. Without the model, so that a run that shows
 * nothing needs none.
 *
 *   otlp_batch(), then otlp_record() for each record -> spans()
 *   otlp_tell_old()   what runs for long, as it is    -> spans()
 *   otlp_end()        what still runs, as it is       -> spans()
 *
 * A process is told when it has ended: by its atexit or signal, its connection's end, its pid's
 * end, or the end of its trace; then what is open in it ends with it. What is told before says
 * trace2.incomplete, and is told again later with the same ids (otlp_ids.h). spans() gets one object
 * of `resourceSpans` with at most OTLP_TOLD_SPANS spans of one process, or some more where much ends
 * at once.
 *
 * Memory goes with what runs: of a process at most OTLP_TOLD_SPANS spans are held back, of those
 * that have ended the last OTLP_MAX_ENDED are remembered, for what comes late. All together hold
 * `max_bytes`, and what a batch brings: where there is more, those that have ended are forgotten
 * first; then those that run and hold most are told as they are, with trace2.incomplete, and
 * forgotten: what comes of them is a process's with the same ids again. Of the threads and open
 * regions of one process an eighth of that is known: regions of others are left out, counted in its
 * trace2.left_out_regions.
 *
 * One thread. Some microseconds a span.
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
	const struct tr2_intern *syms; /* of the batches; borrowed */
	struct redactor *redactor;     /* what events go through first, borrowed; NULL: nothing */
	/* What the host of a SID is called: `host_name` where its digest is `host_digest`
	 * ("H0123abcd"). NULL: not known. Borrowed. */
	const char *host_digest, *host_name;
	size_t max_bytes; /* 0: OTLP_MAX_BYTES */
	/* `nr` spans, borrowed for the call. */
	void (*spans)(void *data, const char *json, size_t len, uint32_t nr);
	void *data;
};

struct otlp_stats {
	uint64_t spans;     /* told */
	uint64_t processes; /* of them, repeats included */
	uint64_t timeless;  /* not told: no event of theirs said a time */
	uint64_t running;   /* processes now */
	uint64_t cut;       /* processes that were forgotten while they ran, for want of room */
	uint64_t left_out;  /* regions of threads that there was no room for */
	uint64_t bytes;     /* held now */
};

struct otlp *otlp_new(const struct otlp_config *config);
void otlp_free(struct otlp *otlp);

/* The records that follow are of this batch. `now` is monotonic. */
void otlp_batch(struct otlp *otlp, const struct batch *batch, ns_t now);
/* One of them. */
void otlp_record(struct otlp *otlp, const struct batch *batch, const struct event *ev);
/* Tell of what runs and was not told of since OTLP_LONG_NS. Between batches. */
void otlp_tell_old(struct otlp *otlp, ns_t now);
/* Tell of all that runs; nothing may come afterwards. */
void otlp_end(struct otlp *otlp);

void otlp_stats(const struct otlp *otlp, struct otlp_stats *out);
/* What there was no room for, in one line; "": nothing. */
void otlp_say_left_out(const struct otlp *otlp, char *out, size_t bytes);

/* What a request is, or a line of a file: `head`, the objects with `,` between them, `tail`. */
#define OTLP_REQUEST_HEAD "{\"resourceSpans\":["
#define OTLP_REQUEST_TAIL "]}"

#endif
