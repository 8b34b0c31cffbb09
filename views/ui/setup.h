/* SPDX-License-Identifier: MIT */
/*
 * The user's setup: the settings of options.def, and the arrangement of columns of each view. A key
 * of the configuration file is a setting's name, or VIEW.sort or VIEW.columns (setup.def).
 *
 * Reading the file does not change values that the command line set. When it is read again while
 * the screen runs, values that the user changed on the screen and did not save stay. Plain memory,
 * owned by the screen's owner; loop thread.
 */
#ifndef VIEWS_SETUP_H
#define VIEWS_SETUP_H

#include "monitor/settings/options.h"
#include "views/widget/arrangement.h"
#include "views/ui/view.h"

struct setup {
	struct options options; /* values of all options; those that are also settings are rw */
	struct arrangement views[NR_VIEWS];
	const struct view_ops *const *ops; /* operations of the views, by enum view_id; borrowed */
	/* path of the configuration file, borrowed; NULL: the file must not be written */
	const char *path;
	/* notice that the screen shows first, such as an error in the configuration file; "":
	 * none */
	char notice[256];
	/* private: the options of the command line alone, and with the values of the file */
	struct options given, settled;
	struct arrangement settled_views[NR_VIEWS];
};

/* Initialise the setup from the command line and the defaults of the views. `ops` has NR_VIEWS
 * entries. */
void setup_init(struct setup *setup, const struct options *options,
		const struct view_ops *const *ops);

bool setup_can_sort(const struct setup *setup, enum view_id id);
bool setup_has_columns(const struct setup *setup, enum view_id id);

/* Set a key of the configuration file: a config_take callback (config_file.h); `data` is the
 * setup. */
bool setup_take(void *data, const char *key, const char *value, char *why, size_t why_bytes);

/* Get key `number` of the configuration file, counted from 0, and its help unless `help` is NULL.
 * Returns false after the last key. */
#define SETUP_HELP_BYTES 200
bool setup_key(const struct setup *setup, int number, char key[64], char help[SETUP_HELP_BYTES]);
/* Append the value of a key in the form that setup_take() accepts. */
void setup_say(const struct setup *setup, const char *key, struct tr2_buf *out);

/*
 * Append the text of a configuration file: the text `old` (may be empty) with updated values.
 * Comments and unknown lines of `old` are kept. Keys that `old` lacks are added if their value is
 * not the default. If `old` is empty, all keys are added, those with default values as comments.
 */
void setup_text(const struct setup *setup, const char *old, size_t old_len, struct tr2_buf *out);

/* Write setup_text() to the configuration file at setup->path, which must not be NULL, and call
 * setup_settle(). On error returns false with errno, and the file is unchanged. */
bool setup_save(struct setup *setup);

/* True if a change of the setting takes effect only at the next start. */
bool setup_is_later(const char *name);

/* Record the current settings as those of the file: call after the file was read or written. */
void setup_settle(struct setup *setup);

/*
 * Read the configuration file at setup->path again. Values that differ from those last read or
 * saved are set, except those that the user changed on the screen and did not save. Returns true if
 * a setting changed. `told` gets a line for the user, such as the first error; "": none. If the
 * file is missing, nothing changes.
 */
bool setup_reread(struct setup *setup, char *told, size_t told_bytes);

#endif
