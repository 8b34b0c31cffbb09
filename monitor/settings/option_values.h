/* SPDX-License-Identifier: MIT */
/*
 * The types of options (option_types.def), each once: how a value is read from text, how it is said,
 * and which comes next where someone picks one. The command line, the configuration file and the
 * page of the setup share them. Constant data, any thread.
 */
#ifndef MONITOR_OPTION_VALUES_H
#define MONITOR_OPTION_VALUES_H

#include <stdbool.h>
#include <stddef.h>

struct option_row;
struct option_type;

/*
 * The word for the value `index` of a ROW option, not terminated; its length is 0 where
 * that row cannot be asked for. NULL past the last. `help` says what it stands for; NULL: nothing.
 */
const char *option_word(const struct option_row *row, int index, size_t *len, const char **help);

struct option_row {
	const struct option_type *type;
	const char *name, *argument, *group, *help; /* as in options.def */
	size_t offset;                              /* of the member in struct options */
	char letter;                                /* 0: none */
	bool setting;                               /* a key of the configuration file, too */
};

struct option_type {
	/*
	 * Store `arg` at `member`; NULL where an option stands without argument. False, and
	 * `member` as it was or not of use, where it is not of the form that is wanted.
	 */
	bool (*store)(const struct option_row *row, void *member, const char *arg);
	/* The value as `store` takes it; "default" where none is set. NULL: no setting. */
	void (*say)(const struct option_row *row, const void *member, char *out, size_t bytes);
	/* The next value (step 1), or the one before (-1). NULL: no setting. */
	void (*step)(const struct option_row *row, void *member, int step);
	const char *wants; /* "it wants ..." in a message */
};

#define TYPE(ID, ...) extern const struct option_type option_type_##ID;
#include "monitor/settings/option_types.def"

#endif
