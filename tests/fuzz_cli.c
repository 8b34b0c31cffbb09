/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: parse the input as a command line (one word per line), as a filter and as a time.
 * The error messages of command lines and filters must be one printable line.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/app/option_tables.h"
#include "monitor/filter/filter.h"
#include "monitor/settings/options.h"

#define MAX_WORDS 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_printable(const char *line)
{
	for (; *line; line++)
		if ((unsigned char)*line < 0x20 || *line == 0x7f)
			abort();
}

static bool some_values(const void *subject, enum filter_field field, value_visit *visit,
			void *data)
{
	const char *text = subject;
	struct value value = { .text = text,
			       .len = strlen(text),
			       .number = (int64_t)field * 1000003 - 7 };

	return visit(data, &value);
}

static void count_word(void *data, const char *word)
{
	*(size_t *)data += strlen(word);
}

static void try_filter(const char *text, unsigned rows)
{
	struct filter_error error;
	struct filter *filter = filter_new(text, rows, 1795250096 * NS_PER_SEC, &error);
	size_t len = strlen(text), nr = 0;

	struct filter_offers offers = { rows, some_values, "git fetch --all", count_word, &nr };

	if (filter_complete(text, len, &offers) > len)
		abort();
	if (!filter) {
		if (error.column > len)
			abort();
		check_printable(error.message);
		return;
	}
	filter_match(filter, "git fetch --all", some_values);
	filter_free(filter);
}

static void try_time(const char *text)
{
	struct time_error error = { 0, NULL };
	ns_t out;

	if (time_parse_why(text, 1795250096 * NS_PER_SEC, &out, &error))
		return;
	if (error.column > strlen(text) || !error.expected)
		abort();
}

static void try_options(char *text)
{
	char *argv[MAX_WORDS + 2], *rest = NULL, why[256] = "";
	struct options options;
	int argc = 0;

	option_tables_init();
	argv[argc++] = (char *)"trace2top";
	for (char *word = strtok_r(text, "\n", &rest); word && argc <= MAX_WORDS;
	     word = strtok_r(NULL, "\n", &rest))
		argv[argc++] = word;
	argv[argc] = NULL;
	if (options_parse(&options, argc, argv, why, sizeof(why)) == OPTIONS_BAD && !*why)
		abort();
	check_printable(why);
	options_release(&options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	try_filter(text, 0);
	for (unsigned rows = FILTER_ROWS_PROCESS; rows <= FILTER_ROWS_OCCURRENCE; rows *= 2)
		try_filter(text, rows);
	try_time(text);
	try_options(text);
	free(text);
	return 0;
}
