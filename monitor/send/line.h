/* SPDX-License-Identifier: MIT */
/*
 * What a raw line of EVENT says of itself, without a parser: for whoever passes lines on and only
 * has to know whose they are. Only its first 512 bytes are looked at, where Git says it. Pure
 * functions.
 */
#ifndef MONITOR_SEND_LINE_H
#define MONITOR_SEND_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* Its SID, in the line; NULL where it says none. */
const char *line_sid(const char *line, size_t len, size_t *sid_len);
/* Is it the last that its process says? */
bool line_is_last_word(const char *line, size_t len);
/* The name of its process's file, its SID's last component, into `out`; false, and `out` of no use,
 * where it is not a plain name: anybody may have made it up. */
bool line_file_name(const char *line, size_t len, char *out, size_t bytes);

#endif
