/* SPDX-License-Identifier: MIT */
/*
 * Get the SID and the kind of a raw EVENT line without a parser, to forward lines by process. Only
 * its first 512 bytes are searched, which is enough for lines of Git. The functions have no state.
 */
#ifndef MONITOR_SEND_LINE_H
#define MONITOR_SEND_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* Return the SID in a line of Git's event target; NULL if its first 512 bytes have none. */
const char *line_sid(const char *line, size_t len, size_t *sid_len);
/* True for an atexit or signal event, the last one of its process. */
bool line_is_last_word(const char *line, size_t len);
/*
 * Copy the name of the trace file of an EVENT line's process, the last component of its SID, to
 * `out`. Returns false, with `out` undefined, if there is none, or if it is too long or not a plain
 * file name: the line is untrusted.
 */
bool line_file_name(const char *line, size_t len, char *out, size_t bytes);

#endif
