/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/terminal/title.h"

#include <stdint.h>

#include "engine/base/buf.h"
#include "monitor/base/die.h"
#include "monitor/base/visible.h"

#define TITLE_BYTES 120 /* maximum length of the title in bytes, before escaping */

char *title_new(const char *const *specs, int nr_specs, const char *const *command, bool utf8)
{
	struct tr2_buf line, safe;
	char *title;

	tr2_buf_init(&line, 4096);
	tr2_buf_init(&safe, SIZE_MAX / 2);
	tr2_buf_addstr(&line, "trace2top");
	for (int i = 0; i < nr_specs && line.len < TITLE_BYTES; i++)
		tr2_buf_addf(&line, " %s", specs[i]);
	for (const char *const *word = command; word && *word && line.len < TITLE_BYTES; word++)
		tr2_buf_addf(&line, "%s %s", word == command ? " --" : "", *word);
	text_visible_cut(&safe, tr2_buf_cstr(&line), line.len, TITLE_BYTES);
	for (size_t i = 0; !utf8 && i < safe.len; i++)
		if ((unsigned char)safe.data[i] >= 0x80)
			safe.data[i] = '?';
	title = xstrdup(tr2_buf_cstr(&safe));
	tr2_buf_release(&line);
	tr2_buf_release(&safe);
	return title;
}
