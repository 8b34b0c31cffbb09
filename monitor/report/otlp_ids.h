/* SPDX-License-Identifier: MIT */
/*
 * Ids of spans, derived from session ids, so that every exporter of a process computes the same
 * ids:
 *
 *   trace      bytes 0 to 15 of SHA-256 of the first component of the SID
 *   process    bytes 16 to 23 of SHA-256 of the last component
 *   parent     bytes 16 to 23 of SHA-256 of the component before the last; roots have no parent
 *   others     bytes 0 to 7 of SHA-256 of: the 32 bytes SHA-256 of the SID, then the text
 *              KIND:N or region:N:THREAD; N from 0 in the order of start: per thread for regions,
 *              per KIND and process for others
 *
 * The first three ids equal those that trace2receiver computes. Any thread.
 */
#ifndef MONITOR_OTLP_IDS_H
#define MONITOR_OTLP_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/base/sha256.h"

#define OTLP_TRACE_BYTES 16
#define OTLP_SPAN_BYTES  8

struct otlp_ids {
	uint8_t trace[OTLP_TRACE_BYTES];
	uint8_t span[OTLP_SPAN_BYTES];
	uint8_t parent[OTLP_SPAN_BYTES];
	bool has_parent;
	uint8_t seed[SHA256_BYTES]; /* SHA-256 of the whole SID */
};

void otlp_ids_of_sid(const char *sid, size_t len, struct otlp_ids *ids);
/* Set a parent that is not in the SID: the process with the SID `parent`, whose trace id the
 * process gets. */
void otlp_ids_set_parent(struct otlp_ids *ids, const char *parent, size_t len);
/* Compute the id of an inner span. `kind` is a word such as "region"; `thread` may be NULL. */
void otlp_ids_inner(const struct otlp_ids *ids, const char *kind, uint64_t n, const char *thread,
		    size_t thread_len, uint8_t id[OTLP_SPAN_BYTES]);

#endif
