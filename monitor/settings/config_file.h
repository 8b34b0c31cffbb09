/* SPDX-License-Identifier: MIT */
/*
 * The user's configuration file: lines `key = value`, blank lines and comments that start with #.
 * This module finds, reads and writes the file; the caller interprets the keys (views/ui/setup.h).
 *
 * Of a file, only lines within the first CONFIG_MAX_BYTES are parsed, and at most
 * CONFIG_MAX_MISTAKES errors in lines are reported. Used by the loop thread; any thread may call
 * config_file_path().
 */
#ifndef MONITOR_CONFIG_FILE_H
#define MONITOR_CONFIG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/buf.h"

#define CONFIG_MAX_BYTES    (64u << 10)
#define CONFIG_MAX_MISTAKES 10

/*
 * Called with a key and its value, both NUL-terminated, valid UTF-8 without C0 (except tabs) and
 * DEL. Returns false if the key or value is invalid, and writes the error and advice to `why`. If
 * `why_bytes` is 1, the error is not reported.
 */
typedef bool config_take(void *data, const char *key, const char *value, char *why,
			 size_t why_bytes);

/* Called with an error: one line without LF, safe to print on a terminal. */
typedef void config_tell(void *data, const char *line);

/*
 * Return the path of the configuration file: $XDG_CONFIG_HOME/trace2top/config, else
 * ~/.config/trace2top/config. The caller frees it. NULL if neither $XDG_CONFIG_HOME nor $HOME is an
 * absolute path, or if the path is too long.
 */
char *config_file_path(void);

/* Parse a configuration file's text. Messages name the file `path`. */
void config_parse(const char *text, size_t len, const char *path, config_take *take,
		  config_tell *tell, void *data);

/*
 * Parse the configuration file. Returns false if it does not exist, cannot be read or is not a
 * regular file. That is reported, unless the file is missing and `must` is false.
 */
bool config_file_read(const char *path, bool must, config_take *take, config_tell *tell,
		      void *data);

/*
 * Read the file into `out`, which must be empty. Of a file of more than CONFIG_MAX_BYTES, at least
 * one byte more than that is read. Returns false and sets errno on error.
 */
bool config_file_text(const char *path, struct tr2_buf *out);

/*
 * Replace the file by `text` atomically. Returns false with errno on error; the file is then
 * unchanged. Missing directories are created, symbolic links are followed (a dangling one is
 * replaced), and the file's permissions are kept; a new file gets those that the umask gives.
 */
bool config_file_write(const char *path, const char *text, size_t len);

#endif
