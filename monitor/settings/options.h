/* SPDX-License-Identifier: MIT */
/*
 * The command line: cli-and-report's options and sources as one plain struct. The rows of
 * options.def are the only list of options.
 *
 * Parsing neither prints nor exits: it says what to do and, for bad usage, the one line to
 * print. Everything points into argv or static memory; only lists are allocated.
 */
#ifndef MONITOR_OPTIONS_H
#define MONITOR_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/base/clock.h"
#include "monitor/base/replay.h"
#include "monitor/base/when.h"
#include "monitor/base/word.h"

enum { HELP_SHORT = 1, HELP_ALL };

#define LIMIT_ALL   (-1)
#define DEFAULT_TOP 100

/* What an option that may be repeated was given, in order. */
struct option_list {
	const char **items;
	int nr;
};

struct options {
	bool once;
	bool parts;
	int format;         /* a row of exporters.def */
	int table;          /* a row of tables.def */
	const char *output; /* NULL: standard output */
	int64_t top;        /* LIMIT_ALL or the rows of each table of the text report */

	bool attach; /* to all Git commands of the user */
	bool detach;
	const char *remote;         /* the host of the sources; NULL: here */
	char **remote_command;      /* what stood behind `--` then */
	struct option_list compare; /* files of runs, traces, directories */
	const char *save_runs;      /* NULL: none are */
	bool findings;
	uint64_t findings_off;      /* a bit for each id (findings.h) */
	struct option_list fail_if; /* rules */
	struct option_list rules;   /* files of them */
	bool keep_durations;        /* no option: of regions, one by one, for what is usual */

	int input_format; /* by the rows of readers.def; 0: auto */

	int64_t nesting; /* LIMIT_ALL or the highest nesting */
	int64_t depth;   /* LIMIT_ALL or the highest depth */
	const char *filter;
	bool new_only;
	ns_t since; /* wall, or NS_NONE */

	int64_t history_bytes; /* -1: not given */
	int64_t max_processes; /* -1: not given */
	unsigned socket_mode;

	bool lines; /* no screen: sentences */
	bool ascii;
	int color;            /* a row of colours.def */
	int redact;           /* a row of redactions.def */
	int theme;            /* a row of themes.def */
	int page;             /* a PANE or PAGE row of keys.def */
	const char *record;   /* NULL: none; "-" is standard output */
	int64_t record_bytes; /* -1: no bound */
	struct replay_pace replay;
	struct option_texts {
#define OPTION_MAX_TEXTS 4
		const char *text[OPTION_MAX_TEXTS];
		int nr;
	} tees; /* targets, as Git has them */

	const char *forward;                  /* the URL of NATS servers; NULL: no agent */
	const char *as;                       /* SITE.HOST; NULL: the default */
	int64_t sample;                       /* -1: not given */
	int64_t forward_buffer, forward_rate; /* -1: not given */
	int forward_hold_ms;
	const char *fleet_init;          /* the URL of NATS servers; NULL: nothing is made */
	const char *otlp, *otlp_headers; /* the URL of a collector, and a file; or NULL */
	const char *spool, *redact_key, *nats_creds, *tls_ca, *tls_cert, *tls_key; /* or NULL */
	bool insecure;

	const char *config; /* NULL: the user's */
	bool no_config;
	bool mouse;
	bool cursor; /* the terminal's is seen */
	int interval_ms;

	const char *keys, *dump;
	struct option_size {
		int cols, rows;
	} size;
	bool clock_events;

	int help; /* 0, HELP_SHORT, HELP_ALL */
	bool version;

	uint64_t given; /* a bit for each row of options.def that the command line gave */

	bool follow; /* the selection follows what is newest from the start */

	char **argv;    /* all of it, as it came */
	char **sources; /* as given */
	int nr_sources;
	char **command; /* NULL, or what stood behind `--`, NULL-terminated */
};

enum options_result {
	OPTIONS_RUN,     /* go on */
	OPTIONS_HELP,    /* print the help, exit 0 */
	OPTIONS_VERSION, /* print the version, exit 0 */
	OPTIONS_BAD,     /* print `why`, exit 2 */
};

/*
 * Give the ROW or WORDS option of that long name its words: `words` has `nr`, is borrowed and stays. Once
 * an option, before anything is parsed and before there are threads.
 */
void option_words(const char *name, const struct word *words, int nr);

/* How sources are named, one of `words` a kind (what stands in capitals is a path); the same. */
void option_sources(const struct word *words, int nr);

/*
 * Parse `argv` into `out`. On OPTIONS_BAD `why` (of `why_bytes`) holds what is wrong and how to
 * mend it, without newline or control characters.
 */
enum options_result options_parse(struct options *out, int argc, char **argv, char *why,
				  size_t why_bytes);
void options_release(struct options *options);

/*
 * The value of a SIZE option as a size_t: `fallback` if the option was not given (-1). Values that
 * do not fit (with 32 bits) count as SIZE_MAX / 2.
 */
static inline size_t option_size(int64_t given, size_t fallback)
{
	if (given < 0)
		return fallback;
	return (uint64_t)given < SIZE_MAX / 2 ? (size_t)given : SIZE_MAX / 2;
}

/* The defaults: what an empty command line gives. */
void options_init(struct options *out);

/* The text of --help: one screen, and with HELP_ALL what each option means. */
void options_help(FILE *to, int help);

/* ---- settings: the options that are keys of the configuration file, too ---- */

struct option_row; /* option_values.h */

/* The settings, by their number from 0 and by name; NULL where there is none. */
const struct option_row *option_setting(int number);
const struct option_row *option_setting_named(const char *name);
/* Its key: the long option's name; that of an option which turns something off without "no-", and
 * of what findings are looked for "findings.off". */
const char *option_setting_name(const struct option_row *row);
/* Did the command line give the option of this member of `options`? */
bool option_given(const struct options *options, const void *member);
/* What its values have to be, as "one of text|json", behind "it wants". */
void option_wants(const struct option_row *row, char *out, size_t bytes);
/* Set from a text, but for what the command line gave. False where the text is not valid. */
bool option_set(struct options *options, const struct option_row *row, const char *value);
/* The value as option_set() takes it, or "default"; at most OPTION_TEXT_BYTES, with the NUL. */
#define OPTION_TEXT_BYTES 1024
void option_say(const struct options *options, const struct option_row *row, char *out,
		size_t bytes);
/* The next value (1), or the one before (-1). */
void option_step(struct options *options, const struct option_row *row, int step);

#endif
