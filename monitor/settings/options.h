/* SPDX-License-Identifier: MIT */
/*
 * The command line: options and sources as one plain struct. All options are defined in
 * options.def.
 *
 * The parser neither prints nor exits: its result is the action to take and, after a usage error,
 * the line to print. All strings point into argv or static memory; only arrays are allocated.
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

/* Values of an option that may be repeated, in order. */
struct option_list {
	const char **items;
	int nr;
};

/* Number of 64-bit words in the bit mask `given`, which has a bit for each option. */
#define OPTION_GIVEN_WORDS 2

struct options {
	bool once;
	bool parts;
	int format;         /* row of exporters.def */
	int table;          /* row of tables.def */
	const char *output; /* file to which the report is written; NULL: standard output */
	int64_t top;        /* maximum number of rows per table of the text report, or LIMIT_ALL */

	bool attach; /* --attach: trace all Git commands of the user */
	bool detach;
	const char *remote; /* host on which the sources are; NULL: this host */
	/* the words after `--` on the command line, if --remote is given */
	char **remote_command;
	/* sets of runs to compare with: baseline files, traces, directories */
	struct option_list compare;
	/* baseline file to which the runs are saved; NULL: they are not saved */
	const char *save_runs;
	const char *group_by; /* attributes by which processes are grouped; NULL: none */
	/* filter that selects one set of the runs to compare; NULL: none */
	const char *difference;
	/* true: compare the selected runs with the base that `compare` names */
	bool difference_base;
	/* command, or category and label of a region, whose heat map is shown; "": of all commands;
	 * NULL: no heat map */
	const char *heat;
	bool values;
	const char *sql; /* a SELECT, or the name of a stored query; NULL: none */
	bool findings;
	/* bit mask of the findings that are switched off, by id (findings.h) */
	uint64_t findings_off;
	struct option_list fail_if; /* rules given with --fail-if */
	struct option_list rules;   /* files that contain rules, given with --rules */
	/* not an option: keep the durations of individual regions, to compute their medians */
	bool keep_durations;

	/* not an option: the user may choose a source on the screen, so none need be given */
	bool may_choose;

	int input_format; /* format of the input, as row of readers.def; 0: detect the format */

	/* maximum nesting of the regions and data that are counted, or LIMIT_ALL */
	int64_t nesting;
	int64_t depth; /* maximum depth of the processes that are shown, or LIMIT_ALL */
	const char *filter;
	bool new_only;
	ns_t since; /* wall time given with --since; NS_NONE: not given */

	int64_t history_bytes; /* -1: not given */
	int64_t max_processes; /* -1: not given */
	unsigned socket_mode;

	bool lines; /* changes are printed as sentences, and commands read from standard input */
	bool ascii;
	int color;            /* row of colours.def */
	int redact;           /* row of redactions.def */
	int theme;            /* row of themes.def */
	int page;             /* pane or page that is shown first: a PANE or PAGE row of keys.def */
	const char *record;   /* file to record to; "-" is standard output; NULL: no recording */
	int64_t record_bytes; /* -1: no limit */
	struct replay_pace replay;
	struct option_texts {
#define OPTION_MAX_TEXTS 4
		const char *text[OPTION_MAX_TEXTS];
		int nr;
	} tees; /* destinations given with --tee, in Git's syntax */

	/* URL of the NATS servers to which an agent sends events; NULL: trace2top is not an
	 * agent */
	const char *forward;
	/* name of this agent, SITE.HOST; NULL: the default name */
	const char *as;
	int64_t sample;                       /* -1: not given */
	int64_t forward_buffer, forward_rate; /* -1: not given */
	int forward_hold_ms;
	/* URL of the NATS servers that --fleet-init prepares; NULL: the option was not given */
	const char *fleet_init;
	/* URL of an OpenTelemetry collector, and name of a file with headers; each may be NULL */
	const char *otlp, *otlp_headers;
	/* names of files and of the spool directory; NULL: not given */
	const char *spool, *redact_key, *nats_creds, *tls_ca, *tls_cert, *tls_key;
	bool insecure;

	const char *config; /* name of the configuration file; NULL: the user's default file */
	bool no_config;
	bool mouse;
	bool cursor; /* true: the terminal's cursor is shown */
	int interval_ms;

	const char *keys, *dump;
	struct option_size {
		int cols, rows;
	} size;
	bool clock_events;

	/* if the result is OPTIONS_WORDS: the option whose words are listed */
	const struct option_row *words_of;
	int help; /* kind of help to print: 0: none; HELP_SHORT or HELP_ALL */
	bool version;

	/* bit mask of the options that the command line gave, by row of options.def */
	uint64_t given[OPTION_GIVEN_WORDS];

	bool follow; /* the newest row is selected from the start */

	char **argv;    /* the whole command line of trace2top */
	char **sources; /* the sources as the user gave them */
	int nr_sources;
	char **command; /* the command to run: words after `--`, NULL-terminated; NULL: none */
};

enum options_result {
	OPTIONS_RUN,     /* run the program */
	OPTIONS_HELP,    /* result: print the help, then exit with status 0 */
	OPTIONS_VERSION, /* result: print the version, then exit with status 0 */
	OPTIONS_WORDS,   /* result: call options_print_words(), then exit with status 0 */
	OPTIONS_BAD,     /* result: print `why`, then exit with status 2 */
};

/*
 * Set the words that are the values of the ROW or WORDS option whose long name is `name`. `words`
 * has `nr` entries, is borrowed and must stay valid. Call once per option, before parsing and
 * before threads exist.
 */
void option_words(const char *name, const struct word *words, int nr);

/* Make a ROW option also accept these words. The last entry of `synonyms` has no word (NULL).
 * `synonyms` is borrowed and must stay valid. Call before parsing. */
void option_synonyms(const char *name, const struct synonym *synonyms);

/* Set the spellings of sources, one word per kind of source; capitals in a word stand for a path.
 * `words` has `nr` entries and must stay valid. */
void option_sources(const struct word *words, int nr);

/*
 * Parse `argv` into `out`. If the result is OPTIONS_BAD, `why`, a buffer of `why_bytes`, contains
 * the error and advice in one line without control characters.
 */
enum options_result options_parse(struct options *out, int argc, char **argv, char *why,
				  size_t why_bytes);
void options_release(struct options *options);

/*
 * Return the value of a SIZE option as a size_t: `fallback` if the option was not given (-1).
 * Values above SIZE_MAX / 2, as on 32-bit machines, become SIZE_MAX / 2.
 */
static inline size_t option_size(int64_t given, size_t fallback)
{
	if (given < 0)
		return fallback;
	return (uint64_t)given < SIZE_MAX / 2 ? (size_t)given : SIZE_MAX / 2;
}

/* Set all options to their defaults, as an empty command line does. */
void options_init(struct options *out);

/*
 * Print the help: a short text, or with HELP_ALL every option, except those for tests, with its
 * description.
 */
void options_help(FILE *to, int help);
/*
 * Print the words that an option accepts, one per line, each with its description if the words have
 * descriptions.
 */
void options_print_words(FILE *to, const struct option_row *row);

/* ---- settings: options that are also keys of the configuration file ---- */

struct option_row; /* defined in option_values.h */

/* Return the setting with this number (counted from 0) or this name; NULL if it does not exist. */
const struct option_row *option_setting(int number);
const struct option_row *option_setting_named(const char *name);
/* Return the setting's key: the long option's name without "no-"; "findings.off" for
 * --no-finding. */
const char *option_setting_name(const struct option_row *row);
/* True if the option of this member of `options` was given on the command line. */
bool option_given(const struct options *options, const void *member);
/* Describe the valid values of an option for a message, for example "one of text|json". */
void option_wants(const struct option_row *row, char *out, size_t bytes);
/* Set an option from text, unless the option was given on the command line. Returns false if the
 * text is not a valid value. */
bool option_set(struct options *options, const struct option_row *row, const char *value);
/* Format the value of an option so that option_set() accepts it, or write "auto" for a number that
 * is not set. `out` needs at most OPTION_TEXT_BYTES, including the NUL. */
#define OPTION_TEXT_BYTES 1024
void option_format(const struct options *options, const struct option_row *row, char *out,
		   size_t bytes);
/* Select the next (`step` 1) or previous (-1) value of an option. */
void option_step(struct options *options, const struct option_row *row, int step);

#endif
