/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/terminal/title.h"

#include <stdint.h>

#include "engine/base/buf.h"
#include "monitor/base/die.h"
#include "monitor/base/visible.h"
#include "monitor/base/secrets.h"

#define TITLE_BYTES 120 /* before escaping */

char *title_new(const char *const *specs, int nr_specs, const char *const *command, bool utf8)
{
	struct tr2_buf line, safe;
	const char *text;
	char *title;
	size_t len;

	tr2_buf_init(&line, 4096);
	tr2_buf_init(&safe, SIZE_MAX / 2);
	tr2_buf_addstr(&line, "trace2top");
	for (int i = 0; i < nr_specs && line.len < TITLE_BYTES; i++)
		tr2_buf_addf(&line, " %s", specs[i]);
	for (const char *const *word = command; word && *word && line.len < TITLE_BYTES; word++)
		tr2_buf_addf(&line, "%s %s", word == command ? " --" : "", *word);
	len = line.len;
	text = secrets_hide(tr2_buf_cstr(&line), &len);
	text_visible(&safe, text, len < TITLE_BYTES ? len : TITLE_BYTES);
	for (size_t i = 0; !utf8 && i < safe.len; i++)
		if ((unsigned char)safe.data[i] >= 0x80)
			safe.data[i] = '?';
	title = xstrdup(tr2_buf_cstr(&safe));
	tr2_buf_release(&line);
	tr2_buf_release(&safe);
	return title;
}
