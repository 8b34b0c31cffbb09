/* SPDX-License-Identifier: MIT */
/*
 * What a user has set up: the settings of options.def and the arrangement of each view's
 * columns. A key of the configuration file is a setting's name, or VIEW.sort and VIEW.columns
 * (setup.def). The ui shows what stands here, its setup page changes it, and the file is read
 * into it and written from it.
 *
 * What the command line gave wins: reading a file does not change it. The file may be read anew while
 * the screen runs: a key is what was set on the screen and not written, else what the file says now.
 * Plain memory, owned by who runs the screen; loop thread.
 */
#ifndef VIEWS_SETUP_H
#define VIEWS_SETUP_H

#include "monitor/settings/options.h"
#include "views/widget/arrangement.h"
#include "views/ui/view.h"

struct setup {
	struct options options; /* the settings among them are rw */
	struct arrangement views[NR_VIEWS];
	const char *path; /* of the file that is written; NULL: none may be; borrowed */
	char notice[256]; /* what the screen begins with: a mistake in the file; "" none */
	/* private, setup_reread.c: the command line, and what with it the file said */
	struct options given, settled;
	struct arrangement settled_views[NR_VIEWS];
};

/* Everything as the command line and the views themselves say. */
void setup_init(struct setup *setup, const struct options *options);

/* Can the view be sorted by a column? */
bool setup_can_sort(enum view_id id);
/* Does the view have columns to arrange? */
bool setup_has_columns(enum view_id id);

/* A config_take (see config_file.h): `data` is the setup. */
bool setup_take(void *data, const char *key, const char *value, char *why, size_t why_bytes);

/* The keys, from 0 on: false behind the last. `help` is valid until the next call. */
bool setup_key(int number, char key[64], const char **help);
/* The value of a key, as setup_take() takes it. */
void setup_say(const struct setup *setup, const char *key, struct tr2_buf *out);

/*
 * The text of a configuration file with all that is set: `old` (may be empty) with the values
 * of its keys brought up to date. Comments and what is not understood stay. What is not in it
 * is added where it is not as it would be of itself; to an empty one all keys are added, those
 * as comments that say so.
 */
void setup_text(const struct setup *setup, const char *old, size_t old_len, struct tr2_buf *out);

/* Write that text over the file at `path`, which must not be NULL. False with errno, and the file
 * is as it was. */
bool setup_save(struct setup *setup);

/* Does the setting of that name count only where the program begins? */
bool setup_is_later(const char *name);

/* ---- read anew while it runs (setup_reread.c) ---- */

/* What is set now is what the file says: it was read, or written. */
void setup_settle(struct setup *setup);

/*
 * Read the file at `path` anew. What it says otherwise than before is set, but for what was set here
 * since and not written. True where anything is another now. `told`: a line for the user: the first
 * mistake, else that it was read, and what of it counts from the next start; "" where nothing is to
 * be told. A file that is not there changes nothing.
 */
bool setup_reread(struct setup *setup, char *told, size_t told_bytes);

#endif
