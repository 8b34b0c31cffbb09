/* SPDX-License-Identifier: MIT */
/*
 * The command line: options (options.def) and sources as one plain struct. Its strings are
 * borrowed, such as those of argv.
 *
 * Usage errors are returned, not printed.
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

/* 64-bit words of the bit mask `given`, which has one bit per option */
#define OPTION_GIVEN_WORDS 2

struct options {
	bool once;
	bool parts;
	int format;         /* row of exporters.def */
	int table;          /* row of tables.def */
	const char *output; /* file of the report; NULL: standard output */
	int64_t top;        /* maximum rows of most tables of the text report, or LIMIT_ALL */

	bool attach;
	bool detach;
	const char *remote; /* host of the sources and the command; NULL: this host */
	/* with --remote: the words after `--` */
	char **remote_command;
	/* runs to compare with: baseline files, traces, directories */
	struct option_list compare;
	/* baseline file to append runs to; NULL: none */
	const char *save_runs;
	const char *group_by; /* attributes that group commands and regions; NULL: none */
	/* filter for one set of the runs to compare; NULL: none */
	const char *difference;
	bool difference_base;
	/* heat map of a command, or of CATEGORY/LABEL of a region; "": of all runs; NULL: no heat
	 * map */
	const char *heat;
	bool values;
	const char *sql; /* a SELECT, or the name of a stored query; NULL: none */
	bool findings;
	/* bit mask of the findings switched off, by id (findings.h) */
	uint64_t findings_off;
	struct option_list fail_if; /* of --fail-if */
	struct option_list rules;   /* files, of --rules */
	/* not an option: keep durations of single regions, for medians */
	bool keep_durations;

	/* not an option: the user may choose what to trace on the screen */
	bool may_choose;
	/* not an option: there is no screen, report or line mode (headless.h) */
	bool is_headless;

	int input_format; /* row of readers.def; 0: detect the format */

	/* maximum nesting of counted regions and data, or LIMIT_ALL */
	int64_t nesting;
	int64_t depth; /* maximum depth of shown processes, or LIMIT_ALL */
	const char *filter;
	bool new_only;
	ns_t since; /* wall time of --since; NS_NONE: not given */

	int64_t history_bytes; /* -1: not given */
	int64_t max_processes; /* -1: not given */
	unsigned socket_mode;

	bool lines;
	bool ascii;
	int color;            /* row of colours.def */
	int redact;           /* row of redactions.def */
	int theme;            /* row of themes.def */
	int page;             /* pane or page shown first: a PANE or PAGE row of keys.def */
	const char *record;   /* file of the recording; "-": standard output; NULL: none */
	int64_t record_bytes; /* -1: no limit */
	struct replay_pace replay;
	struct option_texts {
#define OPTION_MAX_TEXTS 4
		const char *text[OPTION_MAX_TEXTS];
		int nr;
	} tees; /* targets of --tee, in Git's syntax */

	/* URL of an agent's NATS servers; NULL: not an agent */
	const char *forward;
	/* the agent's name, SITE.HOST; NULL: the default name */
	const char *as;
	int64_t sample;                       /* -1: not given */
	int64_t forward_buffer, forward_rate; /* -1: not given */
	int forward_hold_ms;
	/* URL of the NATS servers for --fleet-init; NULL: not given */
	const char *fleet_init;
	/* URL of a collector, and a file with headers; each may be NULL */
	const char *otlp, *otlp_headers;
	/* names of files, and of the spool's directory; NULL: not given */
	const char *spool, *redact_key, *nats_creds, *tls_ca, *tls_cert, *tls_key;
	bool insecure;

	const char *config; /* configuration file; NULL: the user's default file */
	bool no_config;
	bool mouse;
	bool cursor; /* show the terminal's cursor */
	int interval_ms;

	const char *keys, *dump;
	struct option_size {
		int cols, rows;
	} size;
	bool clock_events;

	/* with OPTIONS_WORDS: the option whose words to print */
	const struct option_row *words_of;
	int help; /* kind of help to print: 0 (none), HELP_SHORT or HELP_ALL */
	bool version;

	/* bit mask of the options given on the command line, by row of options.def */
	uint64_t given[OPTION_GIVEN_WORDS];

	bool follow; /* select the newest process from the start */

	char **argv;
	char **sources;
	int nr_sources;
	/* the command: words after `--` without --remote, or typed on the start screen;
	 * NULL-terminated; NULL: none */
	char **command;
};

enum options_result {
	OPTIONS_RUN, /* run the program */
	OPTIONS_HELP,
	OPTIONS_VERSION,
	OPTIONS_WORDS, /* call options_print_words(); exit status 0 */
	OPTIONS_BAD,   /* print `why`; exit status 2 */
};

/*
 * Set the values of the ROW or WORDS option whose long name is `name`. `words` has `nr` entries, is
 * borrowed and must stay valid. Call it before parsing and before threads exist.
 */
void option_words(const char *name, const struct word *words, int nr);

/* Make a ROW option also accept these words. The last entry has no word (NULL). `synonyms` is
 * borrowed and must stay valid. Call it before parsing. */
void option_synonyms(const char *name, const struct synonym *synonyms);

/* Set the spellings of sources, one word per kind of source; a placeholder in a word begins with a
 * capital. `words` has `nr` entries and must stay valid. */
void option_sources(const struct word *words, int nr);

/*
 * Parse `argv` into `out`. With OPTIONS_BAD, `why` gets the error, mostly with advice, in one line
 * without control characters.
 */
enum options_result options_parse(struct options *out, int argc, char **argv, char *why,
				  size_t why_bytes);
void options_release(struct options *options);

/*
 * Return the value of a SIZE option: `fallback` if it was not given (-1). Values above SIZE_MAX /
 * 2, as on 32-bit machines, become SIZE_MAX / 2.
 */
static inline size_t option_size(int64_t given, size_t fallback)
{
	if (given < 0)
		return fallback;
	return (uint64_t)given < SIZE_MAX / 2 ? (size_t)given : SIZE_MAX / 2;
}

void options_init(struct options *out);

/* Print a short help, or with HELP_ALL a help that describes the options. */
void options_help(FILE *to, int help);
/* Print the words listed for an option, one per line, with their descriptions, if any. */
void options_print_words(FILE *to, const struct option_row *row);

struct option_row; /* defined in option_values.h */

/* Return the setting (an option that is a key of the configuration file) with this number (from 0)
 * or name; NULL if it does not exist. */
const struct option_row *option_setting(int number);
const struct option_row *option_setting_named(const char *name);
/* Return the setting's key: the long option without "no-"; "findings.off" for --no-finding. */
const char *option_setting_name(const struct option_row *row);
/* True if the command line gave the option of this member of `options`. */
bool option_given(const struct options *options, const void *member);
/* Describe an option's valid values for a message, for example "one of text|json". */
void option_wants(const struct option_row *row, char *out, size_t bytes);
/* Set an option from text, unless the command line gave it. Returns false if the text is not
 * valid. */
bool option_set(struct options *options, const struct option_row *row, const char *value);
/* Format an option's value so that option_set() accepts it, or write "auto" for a number that is
 * not set. OPTION_TEXT_BYTES, including the NUL, are enough. */
#define OPTION_TEXT_BYTES 1024
void option_format(const struct options *options, const struct option_row *row, char *out,
		   size_t bytes);
/* Select the next (`step` 1) or previous (-1) value of an option. */
void option_step(struct options *options, const struct option_row *row, int step);

#endif
