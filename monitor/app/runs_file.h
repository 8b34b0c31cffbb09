/* SPDX-License-Identifier: MIT */
/*
 * Sets of runs and where they come from: files of runs, and traces, which are read to their
 * present end as --once does. Loop thread; blocks until all is read.
 */
#ifndef MONITOR_RUNS_FILE_H
#define MONITOR_RUNS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/analysis/runs.h"
#include "monitor/settings/options.h"

/*
 * Add the runs of `path`: of a file of runs, or of a trace or a directory of them, with the limits
 * of `options`. False, with one line in `why`, where nothing can be read or no run is there. Lines
 * that are no runs are told of on stderr, once.
 */
bool runs_file_read(struct runs *runs, const char *path, const struct options *options, char *why,
		    size_t why_bytes);

/*
 * Append all runs to a file, which is made where it is not there, with one write() a line: several
 * programs may append to it at once. False with errno.
 */
bool runs_file_append(const struct runs *runs, const char *path);

#endif
