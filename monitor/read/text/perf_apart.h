/* SPDX-License-Identifier: MIT */
/*
 * Separate the processes that wrote lines of the PERF target to the same file or pipe, by start
 * times (a line's time minus its t_abs) and by clues in the lines. The result is a guess.
 */
#ifndef MONITOR_PERF_APART_H
#define MONITOR_PERF_APART_H

#include "monitor/read/text/text_process.h"

struct perf_apart;

/* Create the state for a stream. `source` must outlive it. */
struct perf_apart *perf_apart_new(struct text_source *source);
void perf_apart_free(struct perf_apart *apart);

/*
 * Deliver a record once its process is known: in this call, a later one, or perf_apart_flush().
 * `len` is the length of its line. `rec->wall_ns` must be set if the line has a time.
 */
void perf_apart_take(struct perf_apart *apart, struct text_record *rec, const char *line,
		     size_t len);

void perf_apart_flush(struct perf_apart *apart);

size_t perf_apart_bytes(const struct perf_apart *apart);

#endif
