/* SPDX-License-Identifier: MIT */
/*
 * The user's configuration file: lines of `key = value`, blank lines and those that begin with #.
 * Here is what a file is: where it lies, reading it within bounds, writing it whole or not at
 * all. What the keys mean is the caller's (views/ui/setup.h).
 *
 * Whatever the file holds, reading it ends: it must be a regular file, no more than
 * CONFIG_MAX_BYTES of it count, and no more than CONFIG_MAX_MISTAKES mistakes are told. Loop
 * thread.
 */
#ifndef MONITOR_CONFIG_FILE_H
#define MONITOR_CONFIG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/buf.h"

#define CONFIG_MAX_BYTES    (64u << 10)
#define CONFIG_MAX_MISTAKES 10

/* What to do with a key and its value, both NUL-terminated, valid UTF-8 without control
 * characters. False: not understood, and why, with how to mend it;
 * where there is no room for why (1 byte), nobody is told. */
typedef bool config_take(void *data, const char *key, const char *value, char *why,
			 size_t why_bytes);

/* One line about a mistake, without newline and fit for a terminal. */
typedef void config_tell(void *data, const char *line);

/* $XDG_CONFIG_HOME/trace2top/config, else ~/.config/trace2top/config; malloc()ed. NULL where
 * neither variable is an absolute path. */
char *config_file_path(void);

/* Take `len` bytes of text; `path` is how messages call it. */
void config_parse(const char *text, size_t len, const char *path, config_take *take,
		  config_tell *tell, void *data);

/*
 * Take the file. A file that is not there is silent and gives false, unless `must`: then, as for
 * what is no regular file or cannot be read, it is told.
 */
bool config_file_read(const char *path, bool must, config_take *take, config_tell *tell,
		      void *data);

/* The whole text of what is there, as far as it counts, into `out`. False with errno. */
bool config_file_text(const char *path, struct tr2_buf *out);

/*
 * Put `text` in the file's place: all of it or, where that fails, nothing (false with errno).
 * Directories are made; a symbolic link goes on to point where it did; permissions stay, and
 * are those of the umask for a new file.
 */
bool config_file_write(const char *path, const char *text, size_t len);

#endif
