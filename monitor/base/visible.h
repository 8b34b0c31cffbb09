/* SPDX-License-Identifier: MIT */
/*
 * visible: convert text of a trace to printable UTF-8, for terminals and reports.
 *
 *   C0 and DEL               ^[ ^M ^?     caret notation
 *   C1, bidi controls, line  <U+009B>     move the cursor, change the direction,
 *   separators                            break or hide the line
 *   private use, U+FFFE      <U+FFFE>     and other invisible characters
 *   ill-formed bytes         <9B>         each byte
 *
 * Wide and combining characters are kept. Any thread.
 */
#ifndef MONITOR_VISIBLE_H
#define MONITOR_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"

/* True for characters that may affect a terminal or editor that shows them: C0, DEL, C1, line
 * separators, and characters that control the direction of text. */
bool visible_is_control(uint32_t ch);

/* Replace C0 and DEL in a string by '?'. */
void visible_mask(char *text);

/* Size of the longest form of one character, "<U+10FFFF>", with NUL. */
#define VISIBLE_BYTES 11

/* Write the visible form of the character at `s` (`len` > 0 readable bytes) into `out`, with NUL;
 * `*out_len` is its length. Returns the number of bytes of `s` that the character has. */
size_t visible_next(const char *s, size_t len, char out[VISIBLE_BYTES], size_t *out_len);

/* Append the printable form of `len` bytes, with passwords hidden (secrets.h). */
void text_visible(struct tr2_buf *out, const char *s, size_t len);
/* Like text_visible(), but after hiding passwords converts at most `max` bytes. Returns the length
 * of the whole text after hiding. */
size_t text_visible_cut(struct tr2_buf *out, const char *s, size_t len, size_t max);

#endif
