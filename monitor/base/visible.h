/* SPDX-License-Identifier: MIT */
/*
 * Bytes of a trace made fit for a terminal or a bug report: printable UTF-8 and nothing else.
 *
 *   C0 and DEL               ^[ ^M ^?     as they are typed
 *   C1, bidi controls, line  <U+009B>     what moves the cursor, turns the line around,
 *   separators                            breaks it or hides
 *   noncharacters, private   <U+FFFE>
 *   ill-formed bytes         <9B>         each byte
 *
 * Wide and combining characters pass; their columns are the views' business. Pure functions.
 */
#ifndef MONITOR_VISIBLE_H
#define MONITOR_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"

/* The longest form of one character, "<U+10FFFF>", and a NUL. */
#define VISIBLE_BYTES 11

/*
 * The visible form of the character at `s` (`len` > 0 bytes are readable) into `out`, with a
 * NUL; returns how many bytes of `s` it stands for, `*out_len` how many it has.
 */
size_t visible_next(const char *s, size_t len, char out[VISIBLE_BYTES], size_t *out_len);

/* Append the visible form of `len` bytes. */
void text_visible(struct tr2_buf *out, const char *s, size_t len);

#endif
