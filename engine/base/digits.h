/* SPDX-License-Identifier: MIT */
/*
 * Numbers as decimal digits, two at a time: printf() takes ten times as long and follows the
 * locale. Pure functions, any thread.
 */
#ifndef TR2_BASE_DIGITS_H
#define TR2_BASE_DIGITS_H

#include <stdint.h>
#include <string.h>

/* Room for the digits of any number. */
#define TR2_DIGITS_BYTES 20u

/* "00" to "99", one behind the other. */
extern const char tr2_digit_pairs[201];

/* Two digits at `out`; `v` is below 100. */
static inline void tr2_two_digits(char *out, unsigned v)
{
	memcpy(out, tr2_digit_pairs + 2 * v, 2);
}

/* The digits of `v`, ending where `text` ends; where the first of them stands. */
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

/* The same with at least `nr_digits` (at most TR2_DIGITS_BYTES), zeroes in front. */
static inline unsigned tr2_digits_from(char text[TR2_DIGITS_BYTES], uint64_t v, unsigned nr_digits)
{
	unsigned at = tr2_digits(text, v);

	while (TR2_DIGITS_BYTES - at < nr_digits)
		text[--at] = '0';
	return at;
}

#endif
