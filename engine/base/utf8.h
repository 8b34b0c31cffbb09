/* SPDX-License-Identifier: MIT */
/*
 * UTF-8 as the Unicode Standard defines it (chapter 3, table 3-7): no overlong forms, no
 * surrogates, nothing above U+10FFFF. Pure functions.
 */
#ifndef TR2_BASE_UTF8_H
#define TR2_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xFFFDu

/*
 * Decode the character at `s` (`len` > 0 bytes are readable) into `*ch`. Returns its length in
 * bytes. If the bytes are ill-formed, `*ch` is U+FFFD and the length is that of the maximal
 * ill-formed part.
 */
size_t tr2_utf8_decode(const char *s, size_t len, uint32_t *ch);

/*
 * Write `ch` as 1 to 4 bytes to `out`. Returns the number of bytes. A surrogate or a value above
 * U+10FFFF is written as U+FFFD.
 */
size_t tr2_utf8_encode(uint32_t ch, char *out);

/*
 * Copy `len` bytes with each maximal ill-formed part replaced by U+FFFD to `out`, of 3 * len bytes.
 * Returns the number of bytes written.
 */
size_t tr2_utf8_repair(const char *s, size_t len, char *out);

/* Return the length in bytes of the longest well-formed prefix of `s`. */
size_t tr2_utf8_valid_prefix(const char *s, size_t len);

#endif
