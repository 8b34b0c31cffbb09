/* SPDX-License-Identifier: MIT */
/*
 * Read sets of runs from baseline files and from traces (up to their present end), and write
 * baseline files. Used by the loop thread; blocks until everything is read or written.
 */
#ifndef MONITOR_RUNS_FILE_H
#define MONITOR_RUNS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/analysis/runs.h"
#include "monitor/settings/options.h"

struct base_trace;

/* Maximum bytes of the model of a trace that is kept. */
#define BASE_MODEL_MAX_BYTES (256u << 20)

/*
 * Add the runs of `path`, a baseline file, a trace or a directory of traces. Traces are read with
 * the input format and the nesting limit of `options`. Unless `kept` is NULL, a trace whose model
 * has at most BASE_MODEL_MAX_BYTES is added to this list; the caller frees it. Returns false with
 * one line in `why` if `path` cannot be read or has no ended run. Prints one line on stderr if a
 * baseline file has invalid lines.
 */
bool runs_file_read(struct runs *runs, const char *path, const struct options *options,
		    struct base_trace **kept, char *why, size_t why_bytes);

/* Iterate over the kept traces. The models are settled, and live as long as their traces. */
const struct base_trace *base_trace_next(const struct base_trace *trace);
const struct model *base_trace_model(const struct base_trace *trace);
void base_traces_free(struct base_trace *first);

/*
 * Append runs to a baseline file, which is created if necessary. Each line is one write(), so
 * several programs may append at once. Returns false with errno on error.
 */
bool runs_file_append(const struct runs *runs, const char *path);

#endif
