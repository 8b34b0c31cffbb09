/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/settings/options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/visible.h"
#include "monitor/settings/option_values.h"

static const struct option_row rows[] = {
#define ROW(member, type_, long_, short_, argument_, group_, help_, setting_, testing_)            \
	{ .type = type_,                                                                           \
	  .name = long_,                                                                           \
	  .argument = argument_,                                                                   \
	  .group = group_,                                                                         \
	  .help = help_,                                                                           \
	  .offset = offsetof(struct options, member),                                              \
	  .letter = short_,                                                                        \
	  .setting = setting_,                                                                     \
	  .testing = testing_ },
#define OPTION(member, kind, ...)  ROW(member, &option_type_##kind, __VA_ARGS__, false, false)
#define SETTING(member, kind, ...) ROW(member, &option_type_##kind, __VA_ARGS__, true, false)
#define TESTING(member, kind, ...) ROW(member, &option_type_##kind, __VA_ARGS__, false, true)
#include "monitor/settings/options.def"
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

/*
 * Words of ROW and WORDS options, by row of options.def, and the spellings of sources.
 */
static struct family {
	const struct word *words;
	int nr;
	const struct synonym *synonyms; /* may be NULL */
} families[NR_ROWS], sources;

static bool has_family(const struct option_row *row)
{
	return row->type == &option_type_ROW || row->type == &option_type_WORDS;
}

void option_sources(const struct word *words, int nr)
{
	sources = (struct family){ .words = words, .nr = nr };
}

void option_words(const char *name, const struct word *words, int nr)
{
	for (size_t i = 0; i < NR_ROWS; i++)
		if (has_family(&rows[i]) && !strcmp(rows[i].name, name)) {
			families[i].words = words;
			families[i].nr = nr;
		}
}

void option_synonyms(const char *name, const struct synonym *synonyms)
{
	for (size_t i = 0; i < NR_ROWS; i++)
		if (has_family(&rows[i]) && !strcmp(rows[i].name, name))
			families[i].synonyms = synonyms;
}

int option_of_synonym(const struct option_row *row, const char *word)
{
	const struct synonym *s = families[row - rows].synonyms;

	for (; s && s->word; s++)
		if (!strcmp(s->word, word))
			return s->row;
	return -1;
}

const char *option_word(const struct option_row *row, int index, size_t *len, const char **help)
{
	const struct word *word;

	*help = NULL;
	*len = 0;
	if (index >= families[row - rows].nr)
		return NULL;
	word = &families[row - rows].words[index];
	if (!word->word)
		return "";
	*help = word->help;
	*len = strlen(word->word);
	return word->word;
}

void option_wants(const struct option_row *row, char *out, size_t bytes)
{
	bool has_words = row->type == &option_type_ROW;
	const char *word, *help, *between = "";
	size_t len, used;

	snprintf(out, bytes, "%s", row->type->wants);
	for (int i = 0; has_words && (word = option_word(row, i, &len, &help)); i++) {
		used = strlen(out);
		if (!len)
			continue;
		snprintf(out + used, bytes - used, "%s%.*s", between, (int)len, word);
		between = "|";
	}
}

static enum options_result options_bad(char *why, size_t why_bytes, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static enum options_result options_bad(char *why, size_t why_bytes, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, why_bytes, fmt, ap);
	va_end(ap);
	/* The message may have control characters. */
	visible_mask(why);
	return OPTIONS_BAD;
}

/*
 * Return has_arg for getopt_long(); this is also the number of colons after a short option.
 */
static int has_arg(const struct option_row *row)
{
	if (!row->argument)
		return no_argument;
	return strncmp(row->argument, "[=", 2) ? required_argument : optional_argument;
}

static void getopt_tables(struct option *longs, char *shorts)
{
	*shorts++ = ':';
	for (size_t i = 0; i < NR_ROWS; i++) {
		longs[i] = (struct option){ .name = rows[i].name,
					    .has_arg = has_arg(&rows[i]),
					    .val = 256 + (int)i };
		if (!rows[i].letter)
			continue;
		*shorts++ = rows[i].letter;
		for (int colons = has_arg(&rows[i]); colons; colons--)
			*shorts++ = ':';
	}
	longs[NR_ROWS] = (struct option){ 0 };
	*shorts = '\0';
}

static const struct option_row *options_row_of(int c)
{
	if (c >= 256)
		return &rows[c - 256];
	for (size_t i = 0; i < NR_ROWS; i++)
		if (rows[i].letter == c)
			return &rows[i];
	return NULL;
}

static enum options_result no_argument_taken(const struct option_row *row, const char *word,
					     char *why, size_t why_bytes)
{
	bool says_more = row->type == &option_type_ATTACH;

	return options_bad(why, why_bytes, "--%s takes no argument: '%s'%s%s", row->name, word,
			   says_more ? "; " : "", says_more ? row->type->wants : "");
}

static enum options_result store(struct options *out, const struct option_row *row, const char *arg,
				 char *why, size_t why_bytes)
{
	bool is_word = row->type == &option_type_FLAG && row->argument;
	char wants[200];

	if (has_family(row) && arg && !strcmp(arg, "list")) {
		out->words_of = row;
		return OPTIONS_WORDS;
	}
	out->given[(row - rows) / 64] |= 1ull << (row - rows) % 64;
	if (row->type->store(row, (char *)out + row->offset, arg))
		return OPTIONS_RUN;
	option_wants(row, wants, sizeof(wants));
	return options_bad(why, why_bytes, "--%s: '%s' is not valid; use %s", row->name, arg,
			   is_word ? row->argument : wants);
}

static bool lacks_path(const char *spec)
{
	for (int i = 0; i < sources.nr; i++) {
		const struct word *word = &sources.words[i];
		size_t before = word_fixed(word);

		if (word->word[before] && strlen(spec) == before &&
		    !memcmp(spec, word->word, before))
			return true;
	}
	return false;
}

static enum options_result sources_check(const struct options *out, char *why, size_t why_bytes)
{
	for (int i = 0; i < out->nr_sources; i++) {
		const char *spec = out->sources[i];

		if (!lacks_path(spec))
			continue;
		if (*spec)
			return options_bad(why, why_bytes,
					   "'%s' needs a path, such as %s/tmp/t2.sock", spec, spec);
		return options_bad(
			why, why_bytes,
			"'' is not a source; give a file, a directory or another SOURCE of --help");
	}
	return OPTIONS_RUN;
}

/* Check the host and the sources of --remote. The relay ends with its standard input, so that
 * cannot be a source. */
static bool remote_check(struct options *out, char *why, size_t why_bytes)
{
	if (*out->remote == '-') {
		options_bad(why, why_bytes, "--remote: '%s' is not a host", out->remote);
		return false;
	}
	for (int i = 0; i < out->nr_sources; i++)
		if (!strcmp(out->sources[i], "-")) {
			options_bad(why, why_bytes,
				    "--remote cannot read standard input ('-'); give a path on the "
				    "host");
			return false;
		}
	return true;
}

static enum options_result options_check(struct options *out, char *why, size_t why_bytes)
{
	if (out->command && out->nr_sources)
		return options_bad(
			why, why_bytes,
			"'%s' and -- COMMAND cannot be combined; give either sources or a command",
			out->sources[0]);
	if (out->remote && !remote_check(out, why, why_bytes))
		return OPTIONS_BAD;
	if (out->attach && (out->command || out->nr_sources))
		return options_bad(why, why_bytes, "'%s' cannot be combined with --attach; %s",
				   out->command ? "-- COMMAND" : out->sources[0],
				   option_type_ATTACH.wants);
	if (out->command && !out->command[0])
		return options_bad(why, why_bytes,
				   "-- needs a command, such as: trace2top -- git status");
	if (out->once && !out->output && out->record && !strcmp(out->record, "-"))
		return options_bad(why, why_bytes,
				   "--record=- and the report cannot both write to standard "
				   "output; add -o FILE");
	if (!out->record && out->record_bytes >= 0)
		return options_bad(why, why_bytes, "--record-size needs --record=FILE");
	if (!out->otlp && out->otlp_headers)
		return options_bad(why, why_bytes, "--otlp-headers needs --otlp=URL");
	if (!out->forward && (out->as || out->spool || out->redact_key || out->sample > 0 ||
			      out->forward_buffer >= 0 || out->forward_rate >= 0))
		return options_bad(why, why_bytes,
				   "--as, --sample, --spool, --redact-key, --forward-buffer and "
				   "--forward-rate need --forward=nats://SERVERS");
	if (!out->once && out->output)
		return options_bad(why, why_bytes, "-o needs --once");
	return sources_check(out, why, why_bytes);
}

static void split_command(struct options *out, int *argc, char **argv)
{
	for (int i = 1; i < *argc; i++)
		if (!strcmp(argv[i], "--")) {
			out->command = argv + i + 1;
			*argc = i;
			return;
		}
}

void options_init(struct options *out)
{
	*out = (struct options){ .top = DEFAULT_TOP,
				 .nesting = LIMIT_ALL,
				 .depth = LIMIT_ALL,
				 .since = NS_NONE,
				 .history_bytes = -1,
				 .record_bytes = -1,
				 .sample = -1,
				 .forward_buffer = -1,
				 .forward_rate = -1,
				 .forward_hold_ms = 1000,
				 .max_processes = -1,
				 .socket_mode = 0600,
				 .mouse = true,
				 .interval_ms = 100,
				 .size = { 80, 24 } };
}

enum options_result options_parse(struct options *out, int argc, char **argv, char *why,
				  size_t why_bytes)
{
	struct option longs[NR_ROWS + 1];
	char shorts[3 * NR_ROWS + 2];
	enum options_result result = OPTIONS_RUN;
	int c;

	options_init(out);
	out->argv = argv;
	getopt_tables(longs, shorts);
	split_command(out, &argc, argv);
	out->sources = xcalloc((size_t)argc + 1, sizeof(*out->sources));
	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct option_row *row = c == '?' || c == ':' ? NULL : options_row_of(c);
		const char *word = argv[optind - 1];

		if (c == ':')
			result = options_bad(why, why_bytes,
					     "%s needs an argument; see trace2top --help", word);
		else if (!row && optopt && options_row_of(optopt))
			result = no_argument_taken(options_row_of(optopt), word, why, why_bytes);
		else if (!row && optopt)
			result = options_bad(why, why_bytes,
					     "unknown option '-%c'; see trace2top --help", optopt);
		else if (!row)
			result = options_bad(why, why_bytes,
					     "unknown option '%s'; see trace2top --help", word);
		else
			result = store(out, row, optarg, why, why_bytes);
		if (result != OPTIONS_RUN)
			return result;
		if (out->help)
			return OPTIONS_HELP;
		if (out->version)
			return OPTIONS_VERSION;
	}
	while (optind < argc)
		out->sources[out->nr_sources++] = argv[optind++];
	result = options_check(out, why, why_bytes);
	if (out->remote) {
		out->remote_command = out->command;
		out->command = NULL;
	}
	return result;
}

void options_release(struct options *options)
{
	for (size_t i = 0; i < NR_ROWS; i++)
		if (rows[i].type == &option_type_LIST) {
			struct option_list *list = (void *)((char *)options + rows[i].offset);

			free(list->items);
			*list = (struct option_list){ 0 };
		}
	free(options->sources);
	options->sources = NULL;
}

/* ---- settings ---- */

_Static_assert(NR_ROWS <= 64 * OPTION_GIVEN_WORDS, "`given` has a bit for each option");

const char *option_setting_name(const struct option_row *row)
{
	if (row->type == &option_type_WORDS)
		return "findings.off";
	return row->name + (row->type == &option_type_OFF ? strlen("no-") : 0);
}

const struct option_row *option_setting(int number)
{
	for (size_t i = 0; i < NR_ROWS; i++)
		if (rows[i].setting && !number--)
			return &rows[i];
	return NULL;
}

const struct option_row *option_setting_named(const char *name)
{
	const struct option_row *row;

	for (int i = 0; (row = option_setting(i)); i++)
		if (!strcmp(option_setting_name(row), name))
			return row;
	return NULL;
}

bool option_given(const struct options *options, const void *member)
{
	size_t offset = (size_t)((const char *)member - (const char *)options);

	for (size_t i = 0; i < NR_ROWS; i++)
		if (rows[i].offset == offset && options->given[i / 64] >> i % 64 & 1)
			return true;
	return false;
}

bool option_set(struct options *options, const struct option_row *row, const char *value)
{
	struct options scratch = *options;

	/* Remove the option's words first, because `store` adds words. */
	if (row->type == &option_type_WORDS)
		memset((char *)&scratch + row->offset, 0, sizeof(uint64_t));
	if (!row->type->store(row, (char *)&scratch + row->offset, value))
		return false;
	if (!(options->given[(row - rows) / 64] >> (row - rows) % 64 & 1))
		*options = scratch;
	return true;
}

void option_format(const struct options *options, const struct option_row *row, char *out,
		   size_t bytes)
{
	row->type->format(row, (const char *)options + row->offset, out, bytes);
}

void option_step(struct options *options, const struct option_row *row, int step)
{
	row->type->step(row, (char *)options + row->offset, step);
}

#define HELP_COLS 80

static void words_help(FILE *to, const struct option_row *row)
{
	const char *word, *help;
	int at = 0;
	size_t len;

	for (int i = 0; (word = option_word(row, i, &len, &help)); i++) {
		if (!len)
			continue;
		if (help) {
			fprintf(to, "%34s%-12.*s  %s\n", "", (int)len, word, help);
			continue;
		}
		if (at && at + 2 + (int)len > HELP_COLS) {
			fputs(",\n", to);
			at = 0;
		}
		at += fprintf(to, "%*s%.*s", at ? 2 : 34, at ? ", " : "", (int)len, word);
	}
	if (at)
		fputc('\n', to);
}

/* Format an option, for example "--output=FILE" or "--help[=all]". */
static void said(const struct option_row *row, char *out, size_t bytes)
{
	snprintf(out, bytes, "--%s%s%s", row->name, has_arg(row) == required_argument ? "=" : "",
		 row->argument ? row->argument : "");
}

/* Print the names of the options of the group whose first row is `i`. Returns the first row of the
 * next group. */
static size_t group_help(FILE *to, size_t i)
{
	const char *group = rows[i].group;
	int at = rows[i].testing ? 0 : fprintf(to, "  %-18s", group);

	for (; i < NR_ROWS && !strcmp(rows[i].group, group); i++) {
		char name[128];
		int letter = rows[i].letter ? 3 : 0;

		if (rows[i].testing)
			continue;
		said(&rows[i], name, sizeof(name));
		if (at + 1 + letter + (int)strlen(name) > HELP_COLS)
			at = fprintf(to, "\n%20s", "") - 1;
		if (letter)
			at += fprintf(to, " -%c", rows[i].letter);
		at += fprintf(to, " %s", name);
	}
	if (at)
		fputc('\n', to);
	return i;
}

static void short_help(FILE *to)
{
	fputs("  trace2top -- git fetch --all        trace a command and show it live\n"
	      "  trace2top PATH                      follow a file, or a directory of traces\n"
	      "  trace2top af_unix:stream:PATH       create a socket and listen\n"
	      "  trace2top --once -- git status      print a report, without a screen\n"
	      "\n"
	      "Options (--help=all describes them and lists all sources):\n",
	      to);
	for (size_t i = 0; i < NR_ROWS;)
		i = group_help(to, i);
}

static void full_help(FILE *to)
{
	const char *group = "";

	fputs("SOURCE is one of these (default: the target in Git's configuration, "
	      "else\n$XDG_RUNTIME_DIR/trace2top.sock, or ~/.cache/trace2top/trace2top.sock if that "
	      "is not\nset):\n",
	      to);
	for (int i = 0; i < sources.nr; i++)
		fprintf(to, "  %-29s %s\n", sources.words[i].word, sources.words[i].help);
	for (size_t i = 0; i < NR_ROWS; i++) {
		const struct option_row *row = &rows[i];
		char left[160], name[128];

		if (row->testing)
			continue;
		if (strcmp(group, row->group))
			fprintf(to, "\n%s:\n", group = row->group);
		said(row, name, sizeof(name));
		snprintf(left, sizeof(left), "%c%c%s%s", row->letter ? '-' : ' ',
			 row->letter ? row->letter : ' ', row->letter ? ", " : "  ", name);
		fprintf(to, "  %-29s %s%s\n", left,
			strlen(left) > 29 ? "\n                                " : "", row->help);
		if (has_family(row))
			words_help(to, row);
	}
}

void options_help(FILE *to, int help)
{
	fputs("Usage: trace2top [OPTIONS] [SOURCE...]\n"
	      "       trace2top [OPTIONS] -- COMMAND [ARG...]\n"
	      "Watch what Git and other Trace2 programs do, live.\n"
	      "\n",
	      to);
	if (help == HELP_ALL)
		full_help(to);
	else
		short_help(to);
	fputs("\nKeys: press ? on the screen. Manual: man trace2top.\n", to);
}

void options_print_words(FILE *to, const struct option_row *row)
{
	const char *word, *help;
	size_t len;

	for (int i = 0; (word = option_word(row, i, &len, &help)); i++)
		if (len && help)
			fprintf(to, "%-26.*s %s\n", (int)len, word, help);
		else if (len)
			fprintf(to, "%.*s\n", (int)len, word);
}
