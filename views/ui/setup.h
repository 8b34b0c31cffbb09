/* SPDX-License-Identifier: MIT */
/*
 * The user's setup: the settings of options.def and the column arrangement of each view. A key of the
 * configuration file is a setting's name, or VIEW.sort and VIEW.columns (setup.def). The ui shows
 * these values, the setup page changes them, and the file is read into and written from them.
 *
 * The command line has priority: reading a file does not change what it set. The file may be reread
 * while the screen runs: a value that was changed on the screen and not saved stays, all others are
 * taken from the file. Plain memory, owned by the screen's owner; loop thread.
 */
#ifndef VIEWS_SETUP_H
#define VIEWS_SETUP_H

#include "monitor/settings/options.h"
#include "views/widget/arrangement.h"
#include "views/ui/view.h"

struct setup {
	struct options options; /* the settings in it are rw */
	struct arrangement views[NR_VIEWS];
	const struct view_ops *const *ops; /* of the views, by enum view_id; borrowed */
	/* path of the configuration file, borrowed; NULL if none may be written */
	const char *path;
	char notice[256]; /* first notice on the screen: an error in the file, or "" */
	/* private to setup_reread.c: the command line's values, and these with the file's */
	struct options given, settled;
	struct arrangement settled_views[NR_VIEWS];
};

/* Initialise from the command line and the views' defaults. `ops` has NR_VIEWS entries. */
void setup_init(struct setup *setup, const struct options *options,
		const struct view_ops *const *ops);

/* True if the view can be sorted by a column. */
bool setup_can_sort(const struct setup *setup, enum view_id id);
/* True if the user can arrange the view's columns. */
bool setup_has_columns(const struct setup *setup, enum view_id id);

/* A config_take (config_file.h) callback; `data` is the setup. */
bool setup_take(void *data, const char *key, const char *value, char *why, size_t why_bytes);

/* Get key `number`, from 0. Returns false after the last. `help` is valid until the next call. */
bool setup_key(const struct setup *setup, int number, char key[64], const char **help);
/* Append the value of a key, in the form that setup_take() accepts. */
void setup_say(const struct setup *setup, const char *key, struct tr2_buf *out);

/*
 * Append the text of a configuration file: `old` (may be empty) with updated values. Comments and
 * unknown lines stay. Missing keys are added if they differ from the default. If `old` is empty all
 * keys are added, those with default values as comments.
 */
void setup_text(const struct setup *setup, const char *old, size_t old_len, struct tr2_buf *out);

/* Write that text to the file at `path`, which must not be NULL. On error returns false with
 * errno, and the file is unchanged. */
bool setup_save(struct setup *setup);

/* True if the setting takes effect only at the next start. */
bool setup_is_later(const char *name);

/* ---- rereading the file at run time (setup_reread.c) ---- */

/* Record that the current settings equal the file's, after reading or writing it. */
void setup_settle(struct setup *setup);

/*
 * Reread the file at `path`. Changed values are set, except those that the user changed on the
 * screen and did not save. Returns true if a setting changed. `told` gets a line for the user: the
 * first error, or that it was read and which settings need a restart; "" if nothing changed. A
 * missing file changes nothing.
 */
bool setup_reread(struct setup *setup, char *told, size_t told_bytes);

#endif
