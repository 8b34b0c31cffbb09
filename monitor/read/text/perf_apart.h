/* SPDX-License-Identifier: MIT */
/*
 * Several processes that wrote PERF into one file or pipe, told apart: by the time of their birth,
 * which is each line's time less its t_abs, and by what a line says that only one of them can have
 * said. Guesses; of processes that run one after the other, or below each other, they are right.
 */
#ifndef MONITOR_PERF_APART_H
#define MONITOR_PERF_APART_H

#include "monitor/read/text/text_process.h"

struct perf_apart;

/* `source` outlives it. */
struct perf_apart *perf_apart_new(struct text_source *source);
void perf_apart_free(struct perf_apart *apart);

/*
 * Deliver a record, whose line has `len` bytes, once its process is known: now, or with a later
 * record, or by perf_apart_flush(). `rec->wall_ns` is set.
 */
void perf_apart_take(struct perf_apart *apart, struct text_record *rec, const char *line,
		     size_t len);

/* Nothing more comes for now: deliver what is held. */
void perf_apart_flush(struct perf_apart *apart);

/* Bytes of memory. */
size_t perf_apart_bytes(const struct perf_apart *apart);

#endif
