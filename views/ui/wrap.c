/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/wrap.h"

#include <string.h>

#include "engine/base/utf8.h"
#include "views/draw/width.h"

#define MAX_LINES 64u /* maximum number of lines of a wrapped text */

size_t text_fitting(const char *text, size_t len, int cols)
{
	size_t at = 0, word = 0;
	bool begun = false; /* false while only the indentation of the line was read */
	int cells = 0;

	while (at < len) {
		uint32_t ch;
		size_t next = at + tr2_utf8_decode(text + at, len - at, &ch);

		cells += char_cells(ch);
		if (cells > cols && !(ch == ' ' && begun))
			return word ? word : at ? at : next;
		begun = begun || ch != ' ';
		if (begun && ch == ' ')
			word = next;
		at = next;
	}
	return len;
}

/* Return the length of the text's first line with its separator; `*shown` is its length without the
 * separator and blanks before it. */
static size_t first_line(const char *text, size_t len, int cols, size_t *shown)
{
	const char *end = memchr(text, '\n', len);
	size_t line = end ? (size_t)(end - text) : len;
	size_t taken = text_fitting(text, line, cols);

	*shown = taken;
	while (*shown && text[*shown - 1] == ' ')
		--*shown;
	return taken == line && end ? taken + 1 : taken;
}

uint32_t wrapped_lines(const char *text, size_t len, int cols)
{
	uint32_t nr = 0;
	size_t shown;

	for (; len && nr < MAX_LINES; nr++) {
		size_t taken = first_line(text, len, cols, &shown);

		text += taken;
		len -= taken;
	}
	return nr ? nr : 1;
}

const char *wrapped_line(const char *text, size_t len, int cols, uint32_t number, size_t *shown)
{
	size_t taken = first_line(text, len, cols, shown);

	for (; number && len; number--) {
		text += taken;
		len -= taken;
		*shown = 0;
		if (len)
			taken = first_line(text, len, cols, shown);
	}
	return text;
}
