/* SPDX-License-Identifier: MIT */
/*
 * The command line: options and sources as one plain struct. options.def is the only list of
 * options.
 *
 * Parsing neither prints nor exits: it returns what to do and, on a usage error, the line to
 * print. All strings point into argv or static memory; only lists are allocated.
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

/* Words of 64 options each. */
#define OPTION_GIVEN_WORDS 2

struct options {
	bool once;
	bool parts;
	int format;         /* row of exporters.def */
	int table;          /* row of tables.def */
	const char *output; /* file of the report; NULL: standard output */
	int64_t top;        /* LIMIT_ALL or the number of rows per table of the text report */

	bool attach; /* --attach: trace all Git commands of the user */
	bool detach;
	const char *remote;         /* host of the sources; NULL: local */
	char **remote_command;      /* the words after `--` with --remote */
	struct option_list compare; /* what to compare with: baseline files, traces, directories */
	const char *save_runs;      /* NULL: runs are not saved */
	const char *group_by;       /* attributes of groups; NULL: none */
	const char *difference;     /* filter of the runs that are compared; NULL: none */
	bool difference_base;       /* compare them with the base of `compare` */
	const char *heat;           /* command of the heat map; "": all commands; NULL: no map */
	bool values;
	const char *sql; /* a SELECT, or the name of a stored query; NULL: none */
	bool findings;
	uint64_t findings_off;      /* a bit for each id (findings.h) */
	struct option_list fail_if; /* rules given on the command line */
	struct option_list rules;   /* files that contain rules */
	/* not an option: keep the durations of individual regions for medians */
	bool keep_durations;

	/* not an option: the screen lets the user choose a source, so there may be none */
	bool may_choose;

	int input_format; /* row of readers.def; 0: detect the format */

	int64_t nesting; /* LIMIT_ALL or the highest nesting */
	int64_t depth;   /* LIMIT_ALL or the highest depth */
	const char *filter;
	bool new_only;
	ns_t since; /* wall time; NS_NONE: not given */

	int64_t history_bytes; /* -1: not given */
	int64_t max_processes; /* -1: not given */
	unsigned socket_mode;

	bool lines; /* --lines was given */
	bool ascii;
	int color;            /* row of colours.def */
	int redact;           /* row of redactions.def */
	int theme;            /* row of themes.def */
	int page;             /* PANE or PAGE row of keys.def */
	const char *record;   /* NULL: no recording; "-" is standard output */
	int64_t record_bytes; /* -1: no limit */
	struct replay_pace replay;
	struct option_texts {
#define OPTION_MAX_TEXTS 4
		const char *text[OPTION_MAX_TEXTS];
		int nr;
	} tees; /* targets of --tee, in Git's syntax */

	/* URL of NATS servers to which events are sent; NULL: this is not an agent */
	const char *forward;
	const char *as;                       /* name of the agent, SITE.HOST; NULL: the default */
	int64_t sample;                       /* -1: not given */
	int64_t forward_buffer, forward_rate; /* -1: not given */
	int forward_hold_ms;
	const char *fleet_init; /* URL of NATS servers; NULL: no --fleet-init */
	/* URL of an OpenTelemetry collector, and a file with headers; may be NULL */
	const char *otlp, *otlp_headers;
	/* files and directories; NULL: not given */
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

	/* for OPTIONS_WORDS: the option whose words are listed */
	const struct option_row *words_of;
	int help; /* 0: no help; HELP_SHORT or HELP_ALL */
	bool version;

	/* bit per row of options.def given on the command line */
	uint64_t given[OPTION_GIVEN_WORDS];

	bool follow; /* --follow: select the newest row from the start */

	char **argv;    /* the whole command line */
	char **sources; /* the sources as given */
	int nr_sources;
	char **command; /* the words after `--`, NULL-terminated; NULL: no command */
};

enum options_result {
	OPTIONS_RUN,     /* run the program */
	OPTIONS_HELP,    /* print the help and exit with 0 */
	OPTIONS_VERSION, /* print the version and exit with 0 */
	OPTIONS_WORDS,   /* call options_print_words() and exit with 0 */
	OPTIONS_BAD,     /* print `why` and exit with 2 */
};

/*
 * Set the words that are values of the ROW or WORDS option with that long name. `words` has `nr`
 * entries, is borrowed and must stay valid. Call once per option, before parsing and before threads
 * exist.
 */
void option_words(const char *name, const struct word *words, int nr);

/* Also accept these words for a ROW option; the last entry has no word. `synonyms` is borrowed and
 * must stay valid. Call before parsing. */
void option_synonyms(const char *name, const struct synonym *synonyms);

/* Set the spellings of sources, one word per kind (capitals stand for a path). `words` has `nr`
 * entries and must stay valid. */
void option_sources(const struct word *words, int nr);

/*
 * Parse `argv` into `out`. On OPTIONS_BAD `why` (of `why_bytes`) has the error and its remedy in
 * one line without control characters.
 */
enum options_result options_parse(struct options *out, int argc, char **argv, char *why,
				  size_t why_bytes);
void options_release(struct options *options);

/*
 * Return the value of a SIZE option as a size_t: `fallback` if the option was not given (-1).
 * Values that do not fit (with 32 bits) become SIZE_MAX / 2.
 */
static inline size_t option_size(int64_t given, size_t fallback)
{
	if (given < 0)
		return fallback;
	return (uint64_t)given < SIZE_MAX / 2 ? (size_t)given : SIZE_MAX / 2;
}

/* Set all options to their defaults, as an empty command line does. */
void options_init(struct options *out);

/* Print the help: one screenful, or with HELP_ALL every option with its description. */
void options_help(FILE *to, int help);
/* Print the words that an option accepts, one per line, with their descriptions if it has some. */
void options_print_words(FILE *to, const struct option_row *row);

/* ---- settings: options that are also keys of the configuration file ---- */

struct option_row; /* defined in option_values.h */

/* Return the setting with this number (from 0) or name, or NULL. */
const struct option_row *option_setting(int number);
const struct option_row *option_setting_named(const char *name);
/* Return the setting's key: the long option's name without "no-"; "findings.off" for the
 * findings. */
const char *option_setting_name(const struct option_row *row);
/* True if the command line gave the option of this member of `options`. */
bool option_given(const struct options *options, const void *member);
/* Describe the valid values of an option for a message, for example "one of text|json". */
void option_wants(const struct option_row *row, char *out, size_t bytes);
/* Set an option from text, except if the command line gave it. Returns false if the text is not
 * a valid value. */
bool option_set(struct options *options, const struct option_row *row, const char *value);
/* Format the value of an option so that option_set() accepts it, or "default"; at most
 * OPTION_TEXT_BYTES with the NUL. */
#define OPTION_TEXT_BYTES 1024
void option_format(const struct options *options, const struct option_row *row, char *out,
		   size_t bytes);
/* Select the next (1) or previous (-1) value of an option. */
void option_step(struct options *options, const struct option_row *row, int step);

#endif
