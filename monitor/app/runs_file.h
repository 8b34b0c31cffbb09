/* SPDX-License-Identifier: MIT */
/*
 * Reads sets of runs from baseline files and from traces, which are read up to their present end.
 * Loop thread; blocks until everything is read.
 */
#ifndef MONITOR_RUNS_FILE_H
#define MONITOR_RUNS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/analysis/runs.h"
#include "monitor/settings/options.h"

/*
 * Add the runs of `path`, a baseline file, a trace or a directory of traces, with the limits of
 * `options`. Returns false with one line in `why` if it cannot be read or has no run. Invalid lines
 * are reported on stderr, once.
 */
bool runs_file_read(struct runs *runs, const char *path, const struct options *options, char *why,
		    size_t why_bytes);

/*
 * Append all runs to a baseline file, which is created if necessary. Each line is one write(), so
 * several programs may append at once. Returns false with errno on error.
 */
bool runs_file_append(const struct runs *runs, const char *path);

#endif
