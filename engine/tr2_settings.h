/* SPDX-License-Identifier: MIT */
/*
 * The settings: environment first, then Git's system and global configuration. Not the
 * destinations that they name (tr2_dst.h).
 *
 * A set is loaded by one thread and constant from then on; the strings in it live as long.
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

/* Bytes that a variable's name may take, its NUL included. */
#define TR2_VARIABLE_BYTES 128

struct tr2_settings {
	char prefix[TR2_VARIABLE_BYTES / 2]; /* ro: of the variables' names */
	char *text[TR2_NR_SETTINGS];         /* private: heap; NULL where unset */
};

struct tr2_setting_desc {
	const char *suffix;
	const char *key; /* NULL: no configuration key */
	const char *doc;
};

extern const struct tr2_setting_desc tr2_setting_descs[TR2_NR_SETTINGS];

/*
 * Load everything. `prefix` NULL means GIT_TRACE2. An empty variable counts as unset, except
 * for REDACT, where it stands for false. With `read_config` the files are read too, and the
 * last value of a key wins. Memory that is short loses the setting, nothing else.
 */
void tr2_settings_load(struct tr2_settings *set, const char *prefix, bool read_config);
void tr2_settings_release(struct tr2_settings *set);

/* The setting as text; NULL where it is unset. Valid until release. */
const char *tr2_settings_text(const struct tr2_settings *set, enum tr2_setting id);

/* A boolean as Git reads it; `otherwise` where it is unset or none. */
bool tr2_settings_bool(const struct tr2_settings *set, enum tr2_setting id, bool otherwise);

/* A number as Git's atoi() reads it: digits to an end, wrapped to int; 0 where it is unset. */
int tr2_settings_int(const struct tr2_settings *set, enum tr2_setting id);

/* The name of the setting's variable, e.g. "GIT_TRACE2_EVENT". Returns `out`. */
const char *tr2_settings_variable(const struct tr2_settings *set, enum tr2_setting id,
				  char out[TR2_VARIABLE_BYTES]);

/*
 * What Git's event target is configured to write to: GIT_TRACE2_EVENT where it is set and not
 * empty, else trace2.eventTarget. The text as it stands there, unchecked ("0" and "false" mean
 * off), or NULL where neither is set. The caller frees it.
 */
char *tr2_settings_event_target(void);

#endif
