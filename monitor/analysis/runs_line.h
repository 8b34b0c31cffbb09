/* SPDX-License-Identifier: MIT */
/*
 * A run as one line of a baseline file: a JSON object, schema trace2top-runs/1. One thread.
 */
#ifndef MONITOR_RUNS_LINE_H
#define MONITOR_RUNS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "monitor/analysis/runs.h"

/* approximate maximum bytes of a line of a baseline file; longer lines are invalid */
#define RUNS_LINE_MAX_BYTES (16u << 20)

/* Append a run as a line that ends with LF. Hides passwords in arguments (secrets.h). */
void runs_line_write(const struct runs *runs, uint32_t number, struct tr2_buf *out);

/* True if a file that begins with these bytes seems to be a baseline file. */
bool runs_line_seems(const char *bytes, size_t len);

enum runs_line {
	RUNS_LINE_ADDED,
	RUNS_LINE_KNOWN, /* the set already has a run with this SID */
	RUNS_LINE_BLANK,
	RUNS_LINE_BAD,
};

/*
 * Parse a line and add its run to the set. The line may contain any bytes; it ends with an LF,
 * which SCAN_PAD readable bytes must follow (scan.h). If it is invalid, nothing is added and `*why`
 * is set to a static text.
 */
enum runs_line runs_line_read(struct runs *runs, const char *line, const char **why);

#endif
