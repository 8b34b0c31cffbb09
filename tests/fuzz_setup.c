/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: read the input as a configuration file. An error message must be one printable line.
 * The file that is written from the result must be valid and have the same meaning.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/app/option_tables.h"
#include "monitor/settings/config_file.h"
#include "views/registry/registry.h"
#include "views/ui/setup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int nr_told;

static void told(void *data, const char *line)
{
	(void)data;
	nr_told++;
	for (; *line; line++)
		if ((unsigned char)*line < 0x20 || *line == 0x7f)
			abort();
}

static void start(struct setup *setup)
{
	struct options options;

	options_init(&options);
	setup_init(setup, &options, view_table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct setup first, again;
	struct tr2_buf text, same;

	option_tables_init();
	nr_told = 0;
	start(&first);
	config_parse((const char *)data, size, "config", setup_take, told, &first);
	if (nr_told > CONFIG_MAX_MISTAKES + 1)
		abort();
	tr2_buf_init(&text, SIZE_MAX / 2);
	tr2_buf_init(&same, SIZE_MAX / 2);
	setup_text(&first, NULL, 0, &text);
	nr_told = 0;
	start(&again);
	config_parse(text.data, text.len, "config", setup_take, told, &again);
	setup_text(&again, NULL, 0, &same);
	if (nr_told || text.len != same.len || memcmp(text.data, same.data, text.len))
		abort();
	/* Updating an updated file again must change nothing. */
	tr2_buf_clear(&text);
	tr2_buf_clear(&same);
	setup_text(&first, (const char *)data, size, &text);
	setup_text(&first, text.data, text.len, &same);
	if (size && (text.len != same.len || memcmp(text.data, same.data, text.len)))
		abort();
	tr2_buf_release(&text);
	tr2_buf_release(&same);
	return 0;
}
