/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "views/line/sentence.h"

#include <string.h>

#include "monitor/analysis/format_text.h"
#include "monitor/base/secrets.h"
#include "views/draw/surface.h"

void sentence_text(struct tr2_buf *out, const char *text, size_t len, int max_cells, bool ascii)
{
	struct surface *line = surface_new(SENTENCE_MESSAGE, 1, ascii);
	struct tr2_buf copy = SECRETS_COPY;
	size_t end = 0;

	/* Hide passwords before cutting the text, because a password is recognised by the text
	 * after it. */
	text = secrets_hide(&copy, text, &len);
	while (len && (*text == '\n' || *text == '\r'))
		text++, len--;
	while (end < len && text[end] != '\n' && text[end] != '\r')
		end++;
	surface_text(line, 0, 0, max_cells, STYLE_TEXT, text, end);
	surface_row_text(line, 0, out);
	surface_free(line);
	tr2_buf_release(&copy);
}
