/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/query_result.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"

struct query_result *query_result_new(const char *sql)
{
	struct query_result *result = xcalloc(1, sizeof(*result));

	result->sql = xstrdup(sql);
	result->made = NS_NONE;
	result->is_complete = true;
	tr2_buf_init(&result->text, SIZE_MAX / 2);
	return result;
}

void query_result_free(struct query_result *result)
{
	if (!result)
		return;
	for (int i = 0; i < result->nr_columns; i++)
		free(result->names[i]);
	free(result->names);
	free(result->is_number);
	free(result->cells);
	free(result->sql);
	tr2_buf_release(&result->text);
	free(result);
}

void query_result_columns(struct query_result *result, int nr, const char *const *names)
{
	result->nr_columns = nr;
	result->names = xcalloc((size_t)nr + 1, sizeof(*result->names));
	result->is_number = xcalloc((size_t)nr + 1, sizeof(*result->is_number));
	for (int i = 0; i < nr; i++) {
		result->names[i] = xstrdup(names[i]);
		result->is_number[i] = true;
	}
}

/* Until query_result_end(), the `text` of a cell is an offset, not an address. */
static void cell_copy(struct query_result *result, struct query_cell *to,
		      const struct query_cell *from)
{
	*to = *from;
	if (from->type == QUERY_NULL)
		return;
	if (to->len > QUERY_MAX_CELL_BYTES) {
		to->len = QUERY_MAX_CELL_BYTES;
		result->nr_cut++;
	}
	to->text = (const char *)result->text.len;
	tr2_buf_add(&result->text, from->text, to->len);
	tr2_buf_addch(&result->text, '\0');
}

bool query_result_add(struct query_result *result, const struct query_cell *cells)
{
	size_t nr = (size_t)result->nr_columns;

	if (result->nr_rows == QUERY_MAX_ROWS || result->text.len >= QUERY_MAX_BYTES) {
		result->is_complete = false;
		return false;
	}
	if (result->nr_rows == result->cap_rows) {
		result->cap_rows = result->cap_rows ? result->cap_rows * 2 : 64;
		result->cells = xreallocarray(result->cells, result->cap_rows * (nr ? nr : 1),
					      sizeof(*result->cells));
	}
	for (size_t i = 0; i < nr; i++) {
		cell_copy(result, &result->cells[result->nr_rows * nr + i], &cells[i]);
		if (cells[i].type == QUERY_TEXT)
			result->is_number[i] = false;
	}
	result->nr_rows++;
	return true;
}

void query_result_end(struct query_result *result)
{
	const char *text = tr2_buf_cstr(&result->text);

	for (size_t i = 0; i < (size_t)result->nr_rows * (size_t)result->nr_columns; i++)
		if (result->cells[i].type != QUERY_NULL)
			result->cells[i].text = text + (size_t)result->cells[i].text;
}
