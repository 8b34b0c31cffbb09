/* SPDX-License-Identifier: MIT */
/*
 * A run as a line of a file of runs: one JSON object, schema trace2top-runs/1, which the manual
 * describes. Such files are appended to and put together as their users like; order says nothing.
 * Pure; one thread.
 */
#ifndef MONITOR_RUNS_LINE_H
#define MONITOR_RUNS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "monitor/analysis/runs.h"

/* A longer line is no run. */
#define RUNS_LINE_MAX_BYTES (16u << 20)

/* Append a run of a set, its LF included. The arguments of a command that look like secrets are
 * hidden as on the screen (secrets.h). */
void runs_line_write(const struct runs *runs, uint32_t number, struct tr2_buf *out);

/* Does a file that begins with these bytes hold runs? */
bool runs_line_seems(const char *bytes, size_t len);

enum runs_line {
	RUNS_LINE_ADDED,
	RUNS_LINE_KNOWN, /* a run of that SID is there already */
	RUNS_LINE_BLANK,
	RUNS_LINE_BAD,
};

/*
 * Add what a line says, which is any bytes up to an LF, with SCAN_PAD readable ones behind it
 * (scan.h). Where it is bad nothing is added and `*why` says what is wrong with it, static text.
 */
enum runs_line runs_line_read(struct runs *runs, const char *line, const char **why);

#endif
