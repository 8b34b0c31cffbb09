/* SPDX-License-Identifier: MIT */
/* Get the SID and the kind of a raw EVENT line without a parser. Only the first 512 bytes of the
 * line are searched. Any thread. */
#ifndef MONITOR_SEND_LINE_H
#define MONITOR_SEND_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* Return the SID of the line; NULL: none was found. */
const char *line_sid(const char *line, size_t len, size_t *sid_len);
/* True if the line is an atexit or signal event. */
bool line_is_last_word(const char *line, size_t len);
/*
 * Copy the last component of the line's SID, for use as a file name, to `out`. Returns false, with
 * `out` undefined, if the SID is missing or its last component is too long or not a plain file
 * name.
 */
bool line_file_name(const char *line, size_t len, char *out, size_t bytes);

#endif
