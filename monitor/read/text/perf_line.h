/* SPDX-License-Identifier: MIT */
/*
 * A line of Git's PERF target: its columns, split at their bars, and its message. Pure but for the
 * names that are interned.
 */
#ifndef MONITOR_PERF_LINE_H
#define MONITOR_PERF_LINE_H

#include "monitor/read/reader.h"
#include "monitor/read/text/text_record.h"

/*
 * What the line of `len` bytes, without its LF, says; SCAN_PAD bytes behind it are readable. Texts
 * stay where they stand. Of a message that is free text nothing is taken (perf_take_free()).
 * `wall`: of the time that it begins with, which is looked at no more; NS_NONE: not known yet.
 */
enum text_line perf_line(const struct text_names *names, const char *line, size_t len, ns_t wall,
			 struct text_record *rec);

/* May a message of this kind begin with dots of its own? */
bool perf_is_free(unsigned kind);
/* Take such a message, of a thread that has `nr_open` regions open. */
void perf_take_free(const struct text_names *names, uint32_t nr_open, struct text_record *rec);

/* Does a line that begins with a time look like one of PERF? */
bool perf_is_line(const char *line, size_t len);

enum probe perf_probe(const char *bytes, size_t len, bool is_all);

#endif
