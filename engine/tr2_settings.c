/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tr2_config.h"
#include "engine/tr2_env.h"

const struct tr2_setting_desc tr2_setting_descs[TR2_NR_SETTINGS] = {
#define TR2_SETTING(ID, suffix_, key_, doc_)                                                       \
	[TR2_S_##ID] = { .suffix = suffix_, .key = key_, .doc = doc_ },
#include "engine/tr2_settings.def"
};

static void setting_replace(struct tr2_settings *set, unsigned id, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return;
	free(set->text[id]);
	set->text[id] = copy;
}

/* Callback for a configuration entry. A key without a value is ignored; Git rejects it. */
static void setting_from_config(void *data, const char *key, const char *value, int scope)
{
	(void)scope;
	if (!value || strncmp(key, "trace2.", 7))
		return;
	for (unsigned i = 0; i < TR2_NR_SETTINGS; i++)
		if (tr2_setting_descs[i].key && !strcmp(tr2_setting_descs[i].key, key))
			setting_replace(data, i, value);
}

static void setting_from_environment(struct tr2_settings *set)
{
	char name[TR2_VARIABLE_BYTES];

	for (unsigned i = 0; i < TR2_NR_SETTINGS; i++) {
		const char *value = tr2_env(tr2_settings_variable(set, i, name));

		if (value && (*value || i == TR2_S_REDACT))
			setting_replace(set, i, value);
	}
}

void tr2_settings_load(struct tr2_settings *set, const char *prefix, bool read_config)
{
	memset(set, 0, sizeof(*set));
	snprintf(set->prefix, sizeof(set->prefix), "%s", prefix ? prefix : TR2_DEFAULT_PREFIX);
	if (read_config)
		tr2_config_read_early(setting_from_config, set);
	setting_from_environment(set);
}

void tr2_settings_release(struct tr2_settings *set)
{
	for (unsigned i = 0; i < TR2_NR_SETTINGS; i++)
		free(set->text[i]);
	memset(set, 0, sizeof(*set));
}

const char *tr2_settings_text(const struct tr2_settings *set, enum tr2_setting id)
{
	return set->text[id];
}

bool tr2_settings_bool(const struct tr2_settings *set, enum tr2_setting id, bool otherwise)
{
	bool value = otherwise;

	if (set->text[id])
		tr2_config_bool(set->text[id], &value);
	return value;
}

int tr2_settings_int(const struct tr2_settings *set, enum tr2_setting id)
{
	return set->text[id] ? (int)strtol(set->text[id], NULL, 10) : 0;
}

const char *tr2_settings_variable(const struct tr2_settings *set, enum tr2_setting id,
				  char out[TR2_VARIABLE_BYTES])
{
	snprintf(out, TR2_VARIABLE_BYTES, "%s%s", set->prefix, tr2_setting_descs[id].suffix);
	return out;
}

char *tr2_settings_event_target(void)
{
	struct tr2_settings set;
	char *target;

	tr2_settings_load(&set, NULL, true);
	target = set.text[TR2_S_EVENT];
	set.text[TR2_S_EVENT] = NULL;
	tr2_settings_release(&set);
	return target;
}
