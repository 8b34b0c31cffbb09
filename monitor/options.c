/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/die.h"

struct option_row;

/* Store `arg` (NULL where the option has none) at `member`; false where it is not of the form
 * that the type wants. */
typedef bool option_store(const struct option_row *row, void *member, const char *arg);

struct option_type {
	option_store *store;
	const char *wants; /* "N wants ..." in an error message */
};

struct option_row {
	const struct option_type *type;
	const char *name, *argument, *group, *help;
	size_t offset; /* of the member in struct options */
	char letter;
};

/* ---- values ---- */

static bool number_parse(const char *text, int64_t lowest, int64_t highest, int64_t *out)
{
	char *end;
	long long v;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || *end || v < lowest || v > highest)
		return false;
	*out = v;
	return true;
}

static bool store_flag(const struct option_row *row, void *member, const char *arg)
{
	(void)row;
	/* --clock takes the one word that there is. */
	if (arg && strcmp(arg, row->argument) && strcmp(arg, "events"))
		return false;
	*(bool *)member = true;
	return true;
}

static bool store_off(const struct option_row *row, void *member, const char *arg)
{
	(void)row;
	(void)arg;
	*(bool *)member = false;
	return true;
}

static bool store_text(const struct option_row *row, void *member, const char *arg)
{
	(void)row;
	*(const char **)member = arg;
	return *arg != '\0';
}

static bool store_choice(const struct option_row *row, void *member, const char *arg)
{
	size_t len = strlen(arg);
	int index = 0;

	for (const char *word = row->argument; word; index++) {
		const char *bar = strchr(word, '|');
		size_t word_len = bar ? (size_t)(bar - word) : strlen(word);

		if (len == word_len && !memcmp(word, arg, len)) {
			*(int *)member = index;
			return true;
		}
		word = bar ? bar + 1 : NULL;
	}
	return false;
}

static bool store_limit(const struct option_row *row, void *member, const char *arg)
{
	(void)row;
	if (!strcmp(arg, "all")) {
		*(int64_t *)member = LIMIT_ALL;
		return true;
	}
	return number_parse(arg, 0, INT32_MAX, member);
}

static bool store_count(const struct option_row *row, void *member, const char *arg)
{
	(void)row;
	return number_parse(arg, 1, UINT32_MAX / 2, member);
}

static bool store_size(const struct option_row *row, void *member, const char *arg)
{
	static const char suffixes[] = "KMGT";
	char digits[24];
	size_t len = strspn(arg, "0123456789");
	const char *suffix = arg + len;
	int64_t v;

	(void)row;
	if (!len || len >= sizeof(digits))
		return false;
	memcpy(digits, arg, len);
	digits[len] = '\0';
	if (!number_parse(digits, 0, INT64_MAX, &v))
		return false;
	if (*suffix) {
		const char *at = strchr(suffixes, toupper((unsigned char)*suffix));

		if (!at || !*at || (suffix[1] && strcmp(suffix + 1, "iB") && strcmp(suffix + 1, "B")))
			return false;
		for (const char *p = suffixes; p <= at; p++)
			if (__builtin_mul_overflow(v, 1024, &v))
				return false;
	}
	*(int64_t *)member = v;
	return true;
}

static bool store_ms(const struct option_row *row, void *member, const char *arg)
{
	int64_t v;

	(void)row;
	if (!number_parse(arg, 10, 60000, &v))
		return false;
	*(int *)member = (int)v;
	return true;
}

static bool store_mode(const struct option_row *row, void *member, const char *arg)
{
	char *end;
	unsigned long v = strtoul(arg, &end, 8);

	(void)row;
	if (!isdigit((unsigned char)*arg) || *end || v > 0777)
		return false;
	*(unsigned *)member = (unsigned)v;
	return true;
}

static bool store_since(const struct option_row *row, void *member, const char *arg)
{
	(void)row;
	return time_parse(arg, tr2_clock_wall(), member);
}

static bool store_screen(const struct option_row *row, void *member, const char *arg)
{
	struct option_size *size = member;
	int used = 0;

	(void)row;
	return sscanf(arg, "%4dx%4d%n", &size->cols, &size->rows, &used) == 2 && !arg[used] &&
	       size->cols >= 1 && size->rows >= 1 && size->cols <= 1000 && size->rows <= 1000;
}

static const struct option_type type_FLAG = { store_flag, "EVENTS" };
static const struct option_type type_OFF = { store_off, "" };
static const struct option_type type_TEXT = { store_text, "a text" };
static const struct option_type type_CHOICE = { store_choice, "one of" };
static const struct option_type type_LIMIT = { store_limit, "a whole number from 0, or 'all'" };
static const struct option_type type_COUNT = { store_count, "a whole number from 1" };
static const struct option_type type_SIZE = { store_size, "bytes such as 64M, 1G or 0" };
static const struct option_type type_MS = { store_ms, "milliseconds from 10 to 60000" };
static const struct option_type type_MODE = { store_mode, "octal permissions such as 0660" };
static const struct option_type type_SINCE = {
	store_since, "a time such as 2026-11-21T09:30:00Z or 09:30, or a duration such as 15m"
};
static const struct option_type type_SCREEN = { store_screen, "COLSxROWS such as 120x40" };
static const struct option_type type_HELP = { store_flag, "" };
static const struct option_type type_VERSION = { store_flag, "" };

static const struct option_row rows[] = {
#define OPTION(member, kind, long_, short_, argument_, group_, help_)                         \
	{ .type = &type_##kind,                                                                \
	  .name = long_,                                                                       \
	  .argument = argument_,                                                               \
	  .group = group_,                                                                     \
	  .help = help_,                                                                       \
	  .offset = offsetof(struct options, member),                                          \
	  .letter = short_ },
#include "monitor/options.def"
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

/* ---- parsing ---- */

static enum options_result bad(char *why, size_t why_bytes, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static enum options_result bad(char *why, size_t why_bytes, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, why_bytes, fmt, ap);
	va_end(ap);
	/* It quotes what was typed: no control character may reach the terminal. */
	for (char *p = why; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	return OPTIONS_BAD;
}

static void getopt_tables(struct option *longs, char *shorts)
{
	*shorts++ = ':';
	for (size_t i = 0; i < NR_ROWS; i++) {
		longs[i] = (struct option){ .name = rows[i].name,
					    .has_arg = rows[i].argument ? required_argument :
									  no_argument,
					    .val = 256 + (int)i };
		if (!rows[i].letter)
			continue;
		*shorts++ = rows[i].letter;
		if (rows[i].argument)
			*shorts++ = ':';
	}
	longs[NR_ROWS] = (struct option){ 0 };
	*shorts = '\0';
}

static const struct option_row *row_of(int c)
{
	if (c >= 256)
		return &rows[c - 256];
	for (size_t i = 0; i < NR_ROWS; i++)
		if (rows[i].letter == c)
			return &rows[i];
	return NULL;
}

static enum options_result store(struct options *out, const struct option_row *row,
				 const char *arg, char *why, size_t why_bytes)
{
	bool is_choice = row->type == &type_CHOICE;

	if (row->type->store(row, (char *)out + row->offset, arg))
		return OPTIONS_RUN;
	return bad(why, why_bytes, "--%s: '%s' is not valid: it wants %s%s%s", row->name, arg,
		   row->type->wants, is_choice ? " " : "", is_choice ? row->argument : "");
}

static enum options_result options_check(struct options *out, char *why, size_t why_bytes)
{
	if (out->command && out->nr_sources)
		return bad(why, why_bytes,
			   "'%s' and -- COMMAND cannot go together: give either sources or a command",
			   out->sources[0]);
	if (out->command && !out->command[0])
		return bad(why, why_bytes,
			   "a command is missing behind --: try trace2top -- git status");
	if (!out->once && out->output)
		return bad(why, why_bytes, "-o needs a report to write: add --once");
	return OPTIONS_RUN;
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

enum options_result options_parse(struct options *out, int argc, char **argv, char *why,
				  size_t why_bytes)
{
	struct option longs[NR_ROWS + 1];
	char shorts[2 * NR_ROWS + 2];
	enum options_result result = OPTIONS_RUN;
	int c;

	*out = (struct options){ .nesting = LIMIT_ALL,
				 .depth = LIMIT_ALL,
				 .since = NS_NONE,
				 .history_bytes = -1,
				 .max_processes = -1,
				 .socket_mode = 0600,
				 .mouse = true,
				 .interval_ms = 100,
				 .size = { 80, 24 },
				 .argv = argv };
	getopt_tables(longs, shorts);
	split_command(out, &argc, argv);
	out->sources = xcalloc((size_t)argc + 1, sizeof(*out->sources));
	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct option_row *row = c == '?' || c == ':' ? NULL : row_of(c);
		const char *word = argv[optind - 1];

		if (c == ':')
			result = bad(why, why_bytes, "%s needs an argument; see trace2top --help", word);
		else if (!row && optopt && optopt < 256)
			result = bad(why, why_bytes, "unknown option '-%c'; see trace2top --help",
				     optopt);
		else if (!row)
			result = bad(why, why_bytes, "unknown option '%s'; see trace2top --help", word);
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
	return options_check(out, why, why_bytes);
}

void options_release(struct options *options)
{
	free(options->sources);
	options->sources = NULL;
}

/* ---- help ---- */

void options_help(FILE *to)
{
	const char *group = "";

	fputs("Usage: trace2top [OPTIONS] [SOURCE...]\n"
	      "       trace2top [OPTIONS] -- COMMAND [ARG...]\n"
	      "Watch what Git and other Trace2 programs do, live.\n"
	      "\n"
	      "SOURCE is a file, a FIFO or a directory of event-format traces, - (standard input),\n"
	      "or a socket to make: af_unix:[stream:|dgram:]PATH. Without one: what Git is\n"
	      "configured to write to, else $XDG_RUNTIME_DIR/trace2top.sock.\n",
	      to);
	for (size_t i = 0; i < NR_ROWS; i++) {
		const struct option_row *row = &rows[i];
		char left[64];

		if (strcmp(group, row->group))
			fprintf(to, "\n%s:\n", group = row->group);
		snprintf(left, sizeof(left), "%c%c%s--%s%s%s", row->letter ? '-' : ' ',
			 row->letter ? row->letter : ' ', row->letter ? ", " : "  ", row->name,
			 row->argument ? "=" : "", row->argument ? row->argument : "");
		fprintf(to, "  %-29s %s%s\n", left, strlen(left) > 29 ? "\n                                " : "",
			row->help);
	}
	fputs("\nKeys: press ? on the screen. Manual: man trace2top.\n", to);
}
