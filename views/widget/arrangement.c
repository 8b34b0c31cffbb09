/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/widget/arrangement.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/widget/table.h"

void column_name(const struct column *column, char out[24])
{
	size_t len = 0;

	for (const char *c = column->title ? column->title : ""; *c && len < 22; c++) {
		if (isalnum((unsigned char)*c))
			out[len++] = (char)tolower((unsigned char)*c);
		else if (len && out[len - 1] != '-')
			out[len++] = '-';
	}
	out[len] = '\0';
}

void arrangement_begin(struct arrangement *a, const struct column *columns, int nr)
{
	if (a->nr)
		return;
	for (; a->nr < nr && a->nr < MAX_COLUMNS; a->nr++)
		a->at[a->nr] = (struct placed){ .column = a->nr, .hidden = columns[a->nr].hidden };
}

void arrangement_clear(struct arrangement *a)
{
	*a = (struct arrangement){ .sort = SORT_NATURAL };
}

int arrangement_columns(const struct arrangement *a, const struct column *columns, int nr,
			struct column *out, uint8_t *index)
{
	int shown = 0;

	for (int i = 0; i < nr && i < MAX_COLUMNS; i++) {
		struct placed own = { .column = (uint8_t)i, .hidden = columns[i].hidden };
		struct placed placed = a && a->nr == nr ? a->at[i] : own;

		if (placed.hidden)
			continue;
		out[shown] = columns[placed.column];
		if (placed.cells) {
			out[shown].min_cells = placed.cells;
			out[shown].exact = true;
		}
		index[shown++] = placed.column;
	}
	return shown;
}

int arrangement_move(struct arrangement *a, int at, int step)
{
	int to = at + step;

	if (to < 0 || to >= a->nr)
		return at;
	struct placed placed = a->at[at];

	a->at[at] = a->at[to];
	a->at[to] = placed;
	return to;
}

void arrangement_widen(struct arrangement *a, int at, const struct column *columns, int step)
{
	struct placed *placed = &a->at[at];
	int cells = (placed->cells ? placed->cells : columns[placed->column].min_cells) + step;

	placed->cells = (uint8_t)(cells < 1                  ? 1
				  : cells > MAX_COLUMN_CELLS ? MAX_COLUMN_CELLS
							     : cells);
}

static bool is_own(const struct arrangement *a, const struct column *columns)
{
	for (int i = 0; i < a->nr; i++)
		if (a->at[i].column != i || a->at[i].cells || a->at[i].hidden != columns[i].hidden)
			return false;
	return true;
}

void arrangement_format(const struct arrangement *a, const struct column *columns,
			struct tr2_buf *out)
{
	bool first = true;
	char name[24];

	if (is_own(a, columns))
		return;
	for (int i = 0; i < a->nr; i++) {
		column_name(&columns[a->at[i].column], name);
		if (a->at[i].hidden || !*name)
			continue;
		tr2_buf_addf(out, "%s%s", first ? "" : " ", name);
		if (a->at[i].cells)
			tr2_buf_addf(out, ":%d", a->at[i].cells);
		first = false;
	}
}

static int column_named(const struct column *columns, int nr, const char *text, size_t len)
{
	char name[24];

	for (int i = 0; i < nr; i++) {
		column_name(&columns[i], name);
		if (*name && strlen(name) == len && !memcmp(name, text, len))
			return i;
	}
	for (int i = 0; i < nr; i++) {
		const char *former = columns[i].former;

		if (former && strlen(former) == len && !memcmp(former, text, len))
			return i;
	}
	return -1;
}

#define MORE_NAMES " ..."

/* Append column names to an error text, with `sortable` only those of sortable columns; then " ..."
 * if some do not fit. */
static void add_names(const struct column *columns, int nr, bool sortable, char *why,
		      size_t why_bytes)
{
	size_t len = strlen(why), fits = len;
	char name[24];

	for (int i = 0; i < nr; i++) {
		column_name(&columns[i], name);
		if (!*name || (sortable && columns[i].no_sort))
			continue;
		if (len + 1 + strlen(name) >= why_bytes) {
			snprintf(why + fits, why_bytes - fits, MORE_NAMES);
			return;
		}
		len += (size_t)snprintf(why + len, why_bytes - len, " %s", name);
		if (len + strlen(MORE_NAMES) < why_bytes)
			fits = len;
	}
}

static bool parse_word(struct arrangement *a, const struct column *columns, int nr,
		       const char *word, size_t len, char *why, size_t why_bytes)
{
	const char *colon = memchr(word, ':', len);
	size_t name_len = colon ? (size_t)(colon - word) : len;
	int column = column_named(columns, nr, word, name_len);
	long cells = 0;
	char *end;

	if (column < 0) {
		snprintf(why, why_bytes, "unknown column '%.*s'; expected some of",
			 (int)(name_len > 40 ? 40 : name_len), word);
		add_names(columns, nr, false, why, why_bytes);
		return false;
	}
	for (int i = 0; i < a->nr; i++)
		if (a->at[i].column == column) {
			snprintf(why, why_bytes, "the column '%.*s' is listed twice", (int)name_len,
				 word);
			return false;
		}
	if (colon) {
		cells = isdigit((unsigned char)colon[1]) ? strtol(colon + 1, &end, 10) : 0;
		if (cells < 1 || cells > MAX_COLUMN_CELLS || end != word + len) {
			snprintf(why, why_bytes, "invalid width in '%.*s'; expected 1 to %d",
				 (int)(len > 60 ? 60 : len), word, MAX_COLUMN_CELLS);
			return false;
		}
	}
	a->at[a->nr++] = (struct placed){ .column = (uint8_t)column, .cells = (uint8_t)cells };
	return true;
}

/* Append the columns that the arrangement lacks: hidden, unless they have neither name nor
 * `fills`. */
static void add_others(struct arrangement *a, const struct column *columns, int nr)
{
	for (int i = 0; i < nr && a->nr < MAX_COLUMNS; i++) {
		char name[24];
		bool is_there = false;

		for (int k = 0; k < a->nr; k++)
			is_there |= a->at[k].column == i;
		column_name(&columns[i], name);
		if (!is_there)
			a->at[a->nr++] =
				(struct placed){ (uint8_t)i, 0, *name != '\0' || columns[i].fills };
	}
}

/* Earlier versions wrote "default" into configuration files. */
bool setup_is_auto(const char *word)
{
	return !strcmp(word, "auto") || !strcmp(word, "default");
}

bool arrangement_parse(struct arrangement *a, const struct column *columns, int nr,
		       const char *text, char *why, size_t why_bytes)
{
	struct arrangement parsed = { .sort = a->sort, .reverse = a->reverse };

	if (setup_is_auto(text))
		text = "";
	for (text += strspn(text, " \t,"); *text; text += strspn(text, " \t,")) {
		size_t len = strcspn(text, " \t,");

		if (!parse_word(&parsed, columns, nr, text, len, why, why_bytes))
			return false;
		text += len;
	}
	if (parsed.nr)
		add_others(&parsed, columns, nr);
	*a = parsed;
	return true;
}

void arrangement_format_sort(const struct arrangement *a, const struct column *columns,
			     struct tr2_buf *out)
{
	char name[24] = "auto";

	if (a->sort != SORT_NATURAL)
		column_name(&columns[a->sort], name);
	tr2_buf_addf(out, "%s%s", a->reverse ? "-" : "", name);
}

bool arrangement_parse_sort(struct arrangement *a, const struct column *columns, int nr,
			    const char *text, char *why, size_t why_bytes)
{
	bool reverse = *text == '-';
	const char *name = text + reverse;
	int column = column_named(columns, nr, name, strlen(name));

	if (!strcmp(name, "none") || setup_is_auto(name))
		column = SORT_NATURAL;
	else if (column < 0 || columns[column].no_sort) {
		snprintf(why, why_bytes, "cannot sort by '%.40s'; expected auto, or one of", name);
		add_names(columns, nr, true, why, why_bytes);
		return false;
	}
	a->sort = column;
	a->reverse = reverse;
	return true;
}
