/* SPDX-License-Identifier: MIT */
/* Format numbers as decimal digits. Any thread. */
#ifndef TR2_BASE_DIGITS_H
#define TR2_BASE_DIGITS_H

#include <stdint.h>
#include <string.h>

/* Size of a buffer that holds the digits of any uint64_t. */
#define TR2_DIGITS_BYTES 20u

extern const char tr2_digit_pairs[201];

/* Write the number `v`, below 100, as two digits to `out`. */
static inline void tr2_two_digits(char *out, unsigned v)
{
	memcpy(out, tr2_digit_pairs + 2 * v, 2);
}

/* Write the digits of `v` right-aligned into `text`. Returns the index of the first digit. */
static inline unsigned tr2_digits(char text[TR2_DIGITS_BYTES], uint64_t v)
{
	unsigned at = TR2_DIGITS_BYTES;

	while (v >= 100) {
		at -= 2;
		tr2_two_digits(text + at, (unsigned)(v % 100));
		v /= 100;
	}
	at -= 2;
	tr2_two_digits(text + at, (unsigned)v);
	return at + (v < 10);
}

/* Like tr2_digits(), padded with leading zeros to at least `nr_digits` (at most
 * TR2_DIGITS_BYTES). */
static inline unsigned tr2_digits_padded(char text[TR2_DIGITS_BYTES], uint64_t v,
					 unsigned nr_digits)
{
	unsigned at = tr2_digits(text, v);

	while (TR2_DIGITS_BYTES - at < nr_digits)
		text[--at] = '0';
	return at;
}

#endif
