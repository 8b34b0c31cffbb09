/* SPDX-License-Identifier: MIT */
/* Fuzz target: read the input as a configuration file of Git. The parser must pass on no empty key,
 * and report the line of an error. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tr2_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_entry(void *data, const char *key, const char *value, int scope)
{
	bool wanted;

	(void)data;
	(void)scope;
	if (!*key)
		abort();
	tr2_config_bool(value, &wanted);
	if (value && strlen(value) < 64)
		tr2_wildmatch(value, key, TR2_WILD_FOLD);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int line = 0;

	if (!tr2_config_parse((const char *)data, size, check_entry, NULL, &line) && line < 1)
		abort();
	return 0;
}
