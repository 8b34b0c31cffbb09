/* SPDX-License-Identifier: MIT */
/*
 * Rereads the configuration, key by key, as texts:
 *
 *   fresh    the file as it is now, with the command line
 *   settled  the file as last read or written, with the command line
 *   set      the current value on the screen
 *
 * A key changes if fresh differs from settled, but set does not: an unsaved change on the screen
 * is kept. Then settled becomes fresh.
 */
#include "config.h"

#include "views/ui/setup.h"

#include <stdio.h>
#include <string.h>

#include "monitor/settings/config_file.h"

#define VALUE_BYTES 4096

void setup_settle(struct setup *setup)
{
	setup->settled = setup->options;
	memcpy(setup->settled_views, setup->views, sizeof(setup->views));
}

static void first_mistake(void *data, const char *line)
{
	struct setup *fresh = data;

	if (!*fresh->notice)
		snprintf(fresh->notice, sizeof(fresh->notice), "%s", line);
}

static bool take_key(struct setup *setup, const char *key, const struct setup *fresh,
		     const struct setup *settled)
{
	struct tr2_buf set, was, now;
	char why[200];
	bool taken;

	tr2_buf_init(&set, VALUE_BYTES);
	tr2_buf_init(&was, VALUE_BYTES);
	tr2_buf_init(&now, VALUE_BYTES);
	setup_say(setup, key, &set);
	setup_say(settled, key, &was);
	setup_say(fresh, key, &now);
	taken = strcmp(tr2_buf_cstr(&was), tr2_buf_cstr(&now)) != 0 &&
		strcmp(tr2_buf_cstr(&was), tr2_buf_cstr(&set)) == 0 &&
		setup_take(setup, key, tr2_buf_cstr(&now), why, sizeof(why));
	tr2_buf_release(&set);
	tr2_buf_release(&was);
	tr2_buf_release(&now);
	return taken;
}

static bool take_keys(struct setup *setup, const struct setup *fresh, const struct setup *settled,
		      struct tr2_buf *later)
{
	bool any = false;
	char key[64];

	for (int i = 0; setup_key(setup, i, key, NULL); i++) {
		if (!take_key(setup, key, fresh, settled))
			continue;
		any = true;
		if (setup_is_later(key))
			tr2_buf_addf(later, "%s%s", later->len ? ", " : "", key);
	}
	return any;
}

bool setup_reread(struct setup *setup, char *told, size_t told_bytes)
{
	struct setup fresh, settled = *setup;
	struct tr2_buf later;
	bool any;

	*told = 0;
	setup_init(&fresh, &setup->given, setup->ops);
	if (!config_file_read(setup->path, false, setup_take, first_mistake, &fresh)) {
		snprintf(told, told_bytes, "%s", fresh.notice);
		return false;
	}
	settled.options = setup->settled;
	memcpy(settled.views, setup->settled_views, sizeof(settled.views));
	tr2_buf_init(&later, 256);
	any = take_keys(setup, &fresh, &settled, &later);
	setup->settled = fresh.options;
	memcpy(setup->settled_views, fresh.views, sizeof(fresh.views));
	if (*fresh.notice)
		snprintf(told, told_bytes, "%s", fresh.notice);
	else if (any)
		snprintf(told, told_bytes, "The configuration was reread%s%s",
			 later.len ? "; from the next start: " : "", tr2_buf_cstr(&later));
	tr2_buf_release(&later);
	return any;
}
