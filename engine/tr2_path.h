/* SPDX-License-Identifier: MIT */
/*
 * Paths and small files for reading Git's configuration. The functions append to the caller's
 * buffer; if one returns false, the bytes that it appended are invalid.
 *
 * Any thread that may call getenv(). Allocates memory.
 */
#ifndef TR2_PATH_H
#define TR2_PATH_H

#include <stdbool.h>

#include "engine/base/buf.h"

/* Maximum length of a path, and maximum size of a file that is read, in bytes. */
#define TR2_PATH_MAX_BYTES (64u << 10)
#define TR2_FILE_MAX_BYTES (16u << 20)

/*
 * Append `path`, with a leading `~`, `~user` or `%(prefix)` expanded. With `real_home`, symbolic
 * links in the path of the home directory that `~` stands for are resolved. Returns false on
 * failure, such as an unknown home directory.
 */
bool tr2_path_expand(struct tr2_buf *out, const char *path, bool real_home);

/*
 * Append the absolute form of a path, without symbolic links, "." and "..". A last component that
 * does not exist, or is a link to nothing, is appended as it is.
 */
bool tr2_path_real(struct tr2_buf *out, const char *path);

/* Append `path`; a relative path is resolved against the current directory, by its name in PWD if
 * that is valid. */
bool tr2_path_absolute(struct tr2_buf *out, const char *path);

/* Append the directory part of the path `file`, with its '/'. */
bool tr2_path_dirname(struct tr2_buf *out, const char *file);

/* Append the contents of the file `path`. Returns false on failure, such as for a directory. */
bool tr2_file_read(struct tr2_buf *out, const char *path);

#endif
