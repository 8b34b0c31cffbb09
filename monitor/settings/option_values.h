/* SPDX-License-Identifier: MIT */
/*
 * The types of options (option_types.def): how values are parsed, formatted and changed. Any
 * thread.
 */
#ifndef MONITOR_OPTION_VALUES_H
#define MONITOR_OPTION_VALUES_H

#include <stdbool.h>
#include <stddef.h>

struct option_row;
struct option_type;

/*
 * Return the word for value `index` of a ROW or WORDS option; "" if the row cannot be selected;
 * NULL after the last value. Sets `*len` to the word's length, and `*help` to its description or
 * NULL.
 */
const char *option_word(const struct option_row *row, int index, size_t *len, const char **help);

/*
 * Return the value of a word that is accepted but not listed; -1: no such word.
 */
int option_of_synonym(const struct option_row *row, const char *word);

struct option_row {
	const struct option_type *type;
	const char *name, *argument, *group, *help; /* columns of options.def */
	size_t offset;
	char letter; /* letter of the short option; 0: none */
	/* the option is also a key of the configuration file */
	bool setting;
	/* the option is only for tests: --help does not show it */
	bool testing;
};

struct option_type {
	/*
	 * Parse `arg` (NULL: no argument) and store it at `member`. Returns false if it is invalid;
	 * `*member` is then undefined.
	 */
	bool (*store)(const struct option_row *row, void *member, const char *arg);
	/* Format the value so that `store` accepts the text; "auto" for a number that is not set.
	 * NULL if options of this type are not settings. */
	void (*format)(const struct option_row *row, const void *member, char *out, size_t bytes);
	/* Select the next (`step` 1) or previous (-1) value. NULL if options of this type are not
	 * settings. */
	void (*step)(const struct option_row *row, void *member, int step);
	const char *wants; /* valid values, which follow "use" in a message; of ATTACH: advice */
};

#define TYPE(ID, ...) extern const struct option_type option_type_##ID;
#include "monitor/settings/option_types.def"

#endif
