/* SPDX-License-Identifier: MIT */
/*
 * The settings of tracing, from the environment or else from Git's system and global configuration.
 *
 * One thread loads the settings, which are constant afterwards.
 */
#ifndef TR2_SETTINGS_H
#define TR2_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

enum tr2_setting {
#define TR2_SETTING(ID, suffix, key, doc) TR2_S_##ID,
#include "engine/tr2_settings.def"
	TR2_NR_SETTINGS
};

#define TR2_DEFAULT_PREFIX "GIT_TRACE2"

/* Maximum length of the name of an environment variable, including the NUL. */
#define TR2_VARIABLE_BYTES 128

struct tr2_settings {
	/* ro */
	char prefix[TR2_VARIABLE_BYTES / 2];
	/* private: values of the settings, owned; NULL: not set */
	char *text[TR2_NR_SETTINGS];
};

struct tr2_setting_desc {
	const char *suffix;
	const char *key; /* the setting's configuration key; NULL: none */
	const char *doc;
};

extern const struct tr2_setting_desc tr2_setting_descs[TR2_NR_SETTINGS];

/*
 * Load all settings. `prefix` NULL means GIT_TRACE2. An empty variable counts as unset, except
 * REDACT, for which it means false. With `read_config` the configuration files are read, too; the
 * last value of a key wins.
 */
void tr2_settings_load(struct tr2_settings *set, const char *prefix, bool read_config);
void tr2_settings_release(struct tr2_settings *set);

/* Return the setting as text, valid until release; NULL: unset. */
const char *tr2_settings_text(const struct tr2_settings *set, enum tr2_setting id);

/* Return a boolean setting, with the words that Git accepts; `otherwise` if it is unset or not
 * valid. */
bool tr2_settings_bool(const struct tr2_settings *set, enum tr2_setting id, bool otherwise);

/* Return the number at the start of a setting, as Git's atoi() reads it; 0: none. */
int tr2_settings_int(const struct tr2_settings *set, enum tr2_setting id);

/* Get the name of the setting's variable, e.g. "GIT_TRACE2_EVENT". Returns `out`. */
const char *tr2_settings_variable(const struct tr2_settings *set, enum tr2_setting id,
				  char out[TR2_VARIABLE_BYTES]);

/* Return the destination of Git's event target, unchecked; NULL: none, or out of memory. The caller
 * frees the text. */
char *tr2_settings_event_target(void);

#endif
