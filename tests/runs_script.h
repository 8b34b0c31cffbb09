/* SPDX-License-Identifier: MIT */
/* Sets of runs for tests, in the form of baseline files, without traces. */
#ifndef TESTS_RUNS_SCRIPT_H
#define TESTS_RUNS_SCRIPT_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/runs_line.h"
#include "monitor/base/scan.h"

/*
 * Add a line of a baseline file, formatted as by printf(), with single quotes for double ones,
 * without LF.
 */
__attribute__((format(printf, 3, 4))) static inline enum runs_line
runs_script(struct runs *runs, const char **why, const char *fmt, ...)
{
	size_t max = 1 << 16;
	char *line = calloc(max + SCAN_PAD, 1);
	enum runs_line result;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(line, max, fmt, ap);
	va_end(ap);
	for (char *c = line; *c; c++)
		if (*c == '\'')
			*c = '"';
	line[len] = '\n';
	result = runs_line_read(runs, line, why);
	free(line);
	return result;
}

/*
 * Add a run of `name` that began `at` seconds after 2026-01-02T00:00 and took `wall` microseconds:
 * `inside` of them in index/refresh, the rest outside any region.
 */
static inline void runs_script_run(struct runs *runs, const char *name, int set, double at,
				   int64_t wall, int64_t inside)
{
	static int number;
	const char *why;

	runs_script(
		runs, &why,
		"{'schema':'trace2top-runs/1','sid':'%d-%d','start':'2026-01-02T%02d:%02d:%09.6fZ',"
		"'wall':%lld,'name':'%s','parts':[['region','index','refresh','%s',%lld],"
		"['none',null,null,'%s',%lld]],'durations':[]}",
		set, number++, (int)at / 3600 % 24, (int)at / 60 % 60, at - (int)at / 60 * 60,
		(long long)wall, name, name, (long long)inside, name, (long long)(wall - inside));
	if (why)
		abort();
}

#endif
