/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/attribute/arguments.h"

#include <string.h>

#include "monitor/base/word.h"

const char *process_argument(const struct model *m, const struct process *p, size_t *len)
{
	struct strings_cursor cursor = strings_begin(m, &p->argv), after;
	size_t name_len = 0;
	const char *name = p->name == SYM_NONE ? NULL : model_sym(m, p->name, &name_len);
	const char *item;

	strings_next(&cursor, len);
	after = cursor;
	while (name && (item = strings_next(&cursor, len)))
		if (*len == name_len && !memcmp(item, name, name_len)) {
			after = cursor;
			break;
		}
	while ((item = strings_next(&after, len)))
		if (!*len || *item != '-')
			return item;
	return NULL;
}

static const char *word_after(const struct model *m, const struct strings *argv, const char *name,
			      size_t name_len, size_t *len)
{
	struct strings_cursor cursor = strings_begin(m, argv);
	const char *item;

	while ((item = strings_next(&cursor, len)))
		if (*len == name_len && !memcmp(item, name, name_len))
			break;
	while (item && (item = strings_next(&cursor, len)))
		if (*len && *item != '-')
			return item;
	return NULL;
}

const char *process_subcommand(const struct model *m, const struct process *p, size_t *len)
{
	static const struct {
		const char *name, *words;
	} rows[] = {
#define SUBCOMMANDS(name, words) { name, words },
#include "monitor/attribute/subcommands.def"
	};
	size_t name_len = 0;
	const char *name = p->name == SYM_NONE ? "" : model_sym(m, p->name, &name_len);
	const char *word = NULL;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!word_is(name, name_len, rows[i].name))
			continue;
		word = word_after(m, &p->argv, name, name_len, len);
		for (uint32_t k = p->aliases.nr; !word && k-- > 0;)
			word = word_after(m, &PROCESS_ITEM(m, &p->aliases, alias_item, k)->argv,
					  name, name_len, len);
		return word && word_is_in(word, *len, rows[i].words) ? word : NULL;
	}
	return NULL;
}
