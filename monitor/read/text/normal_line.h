/* SPDX-License-Identifier: MIT */
/*
 * Parse a line of Git's NORMAL target: a time, a place (file and line), and a message whose first
 * word names its kind.
 */
#ifndef MONITOR_NORMAL_LINE_H
#define MONITOR_NORMAL_LINE_H

#include "monitor/read/reader.h"
#include "monitor/read/text/text_record.h"

/* Register the first words of messages, by kind of event. */
void normal_kinds(struct text_memo *memo);

/*
 * Parse a line of the NORMAL target, as perf_line() does for PERF. A line without a time is a
 * record only if `may_be_brief` and its first word is known.
 */
enum text_line normal_line(const struct text_names *names, bool may_be_brief, const char *line,
			   size_t len, struct text_record *rec);

enum probe normal_probe(const char *bytes, size_t len, bool is_all);

#endif
