/* SPDX-License-Identifier: MIT */
/* Parse a line of Git's PERF target: columns separated by bars, and a message. */
#ifndef MONITOR_PERF_LINE_H
#define MONITOR_PERF_LINE_H

#include "monitor/read/reader.h"
#include "monitor/read/text/text_record.h"

/*
 * Parse the line of `len` bytes, without its LF; SCAN_PAD bytes after it must be readable. Texts
 * are not copied. Messages of kinds with perf_is_free() are left to perf_take_free(). `wall` is the
 * wall time at the start of the line, if already parsed, else NS_NONE.
 */
enum text_line perf_line(const struct text_names *names, const char *line, size_t len, ns_t wall,
			 struct text_record *rec);

/* True if messages of this kind may themselves begin with dots. */
bool perf_is_free(unsigned kind);
/*
 * Parse the message of a kind with perf_is_free(), of a thread with `nr_open` open regions, which
 * determine how many dots are indentation.
 */
void perf_take_free(const struct text_names *names, uint32_t nr_open, struct text_record *rec);

/* True if the first line, which begins with a time, looks like a line of the PERF target. */
bool perf_is_line(const char *line, size_t len);

enum probe perf_probe(const char *bytes, size_t len, bool is_all);

#endif
