/* SPDX-License-Identifier: MIT */
/* The line that is printed after the screen of `-- COMMAND` has ended, similar to that of
 * time(1). */
#ifndef MONITOR_LAST_LINE_H
#define MONITOR_LAST_LINE_H

#include "engine/base/buf.h"
#include "monitor/app/session.h"

/*
 * Append the line and LF, such as "git pull -q: exit 0 after 23.5s: 39 % progress/Updating files".
 * `command_line` NULL: append nothing. Text of the command and of the trace is made printable. Call
 * it before session_end().
 */
void last_line_format(struct session *session, const char *command_line, struct tr2_buf *out);

#endif
