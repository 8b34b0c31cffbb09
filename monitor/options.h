/* SPDX-License-Identifier: MIT */
/*
 * The command line: cli-and-report's options and sources as one plain struct. The rows of
 * options.def are the only list of options.
 *
 * Parsing neither prints nor exits: it says what to do and, for bad usage, the one line to
 * print. Everything points into argv or static memory; nothing is allocated but `sources`.
 */
#ifndef MONITOR_OPTIONS_H
#define MONITOR_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/base/clock.h"
#include "monitor/when.h"

enum option_format { FORMAT_TEXT, FORMAT_JSON };
enum option_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

#define LIMIT_ALL (-1)

struct options {
	bool once;
	int format;	    /* enum option_format */
	const char *output; /* NULL: standard output */

	int64_t nesting; /* LIMIT_ALL or the highest nesting */
	int64_t depth;	 /* LIMIT_ALL or the highest depth */
	const char *filter;
	bool new_only;
	ns_t since; /* wall, or NS_NONE */

	int64_t history_bytes; /* -1: not given */
	int64_t max_processes; /* -1: not given */
	unsigned socket_mode;

	bool ascii;
	int color; /* enum option_color */
	const char *theme;
	bool mouse;
	int interval_ms;

	const char *keys, *dump;
	struct option_size {
		int cols, rows;
	} size;
	bool clock_events;

	bool help, version;

	bool follow; /* the selection follows what is newest from the start */

	char **argv;	/* all of it, as it came */
	char **sources; /* as given */
	int nr_sources;
	char **command; /* NULL, or what stood behind `--`, NULL-terminated */
};

enum options_result {
	OPTIONS_RUN,   /* go on */
	OPTIONS_HELP,  /* print the help, exit 0 */
	OPTIONS_VERSION, /* print the version, exit 0 */
	OPTIONS_BAD,   /* print `why`, exit 2 */
};

/*
 * Parse `argv` into `out`. On OPTIONS_BAD `why` (of `why_bytes`) holds what is wrong and how to
 * mend it, without newline or control characters.
 */
enum options_result options_parse(struct options *out, int argc, char **argv, char *why,
				  size_t why_bytes);
void options_release(struct options *options);

/* The text of --help. */
void options_help(FILE *to);

#endif
