/* SPDX-License-Identifier: MIT */
/*
 * The types of options (option_types.def): how a value is parsed and formatted, and the next value
 * for stepping. Shared by the command line, the configuration file and the setup page. Constant
 * data, any thread.
 */
#ifndef MONITOR_OPTION_VALUES_H
#define MONITOR_OPTION_VALUES_H

#include <stdbool.h>
#include <stddef.h>

struct option_row;
struct option_type;

/*
 * Return the word of value `index` of a ROW option, not terminated; its length is 0 if the row
 * cannot be selected. NULL past the last. `help` is set to its description; may be NULL.
 */
const char *option_word(const struct option_row *row, int index, size_t *len, const char **help);

/* Return the index for a word that is accepted but not listed; -1: there is none. */
int option_of_synonym(const struct option_row *row, const char *word);

struct option_row {
	const struct option_type *type;
	const char *name, *argument, *group, *help; /* columns of options.def */
	/* offset of the option's value in struct options */
	size_t offset;
	char letter; /* the short option; 0: none */
	/* the option is also a key of the configuration file */
	bool setting;
	/* the option is for tests; --help does not show it */
	bool testing;
};

struct option_type {
	/*
	 * Parse `arg` (NULL: no argument) and store it at `member`. Returns false if it is invalid;
	 * `*member` is then undefined.
	 */
	bool (*store)(const struct option_row *row, void *member, const char *arg);
	/* Format the value so that `store` accepts it; "default" if it is not set. NULL: the
	 * option is not a setting. */
	void (*format)(const struct option_row *row, const void *member, char *out, size_t bytes);
	/* Select the next (step 1) or previous (-1) value. NULL: the option is not a setting. */
	void (*step)(const struct option_row *row, void *member, int step);
	const char *wants; /* description of valid values, for "it wants ..." in a message */
};

#define TYPE(ID, ...) extern const struct option_type option_type_##ID;
#include "monitor/settings/option_types.def"

#endif
