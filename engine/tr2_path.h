/* SPDX-License-Identifier: MIT */
/*
 * Paths and small files as Git's configuration needs them. Every function appends to a buffer of
 * the caller's, and is false where that cannot be done: then what was appended is of no use.
 * Nothing is kept on the stack that is as long as a path may be: hosts' threads have small ones.
 *
 * Any thread that may call getenv(). Allocates.
 */
#ifndef TR2_PATH_H
#define TR2_PATH_H

#include <stdbool.h>

#include "engine/base/buf.h"

/* At most so many bytes of a path, and of a file. */
#define TR2_PATH_MAX_BYTES (64u << 10)
#define TR2_FILE_MAX_BYTES (16u << 20)

/* `~/x`, `~user/x` and `%(prefix)/x` in full, anything else as it is. With `real_home` the home
 * directory is without symbolic links. False where there is no such home. */
bool tr2_path_expand(struct tr2_buf *out, const char *path, bool real_home);

/* Without symbolic links, "." and ".."; absolute. The last component need not exist. */
bool tr2_path_real(struct tr2_buf *out, const char *path);

/* Below the present directory where it is relative, by the name that PWD has for it. */
bool tr2_path_absolute(struct tr2_buf *out, const char *path);

/* The directory of `file` with its '/'; nothing where there is none. */
bool tr2_path_dirname(struct tr2_buf *out, const char *file);

/* The whole of a file; false for a directory too. */
bool tr2_file_read(struct tr2_buf *out, const char *path);

#endif
