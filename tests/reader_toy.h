/* SPDX-License-Identifier: MIT */
/*
 * Two formats that no program writes, beside those that are read (reader_toy.c). A test that links
 * reader_toy.c has them in its table of readers.
 *
 * TOY is binary: "toy\0", then records of 8 bytes: kind, three bytes of code, four of time in
 * microseconds, the lowest first; they hold any byte, LF and NUL included.
 *     'e'  an event of that code and time, held back and sorted by time until an 'f'
 *     'f'  the generation is whole: deliver it
 * Any other kind is malformed. What no 'f' ends, the end of the stream or silence ends; the rest of
 * a record that is cut off is malformed.
 * TOYLINE is text of lines, each a code; the first one is "# toyline". Each is held back until the
 * next. It is a twin of EVENT. A first line that begins with # may be one.
 * Both give an exit for each code, of the process toy:NAME#N, and an ABOUT first.
 */
#ifndef TESTS_READER_TOY_H
#define TESTS_READER_TOY_H

#include "monitor/read/reader.h"

#define TOY_RECORD_BYTES 8
#define TOY_MAGIC        "toy"

extern const struct reader_ops reader_toy_ops, reader_toyline_ops;

/* The index of one of them. */
unsigned toy_kind(const struct reader_ops *ops);

/* Write a record; returns what follows it. */
static inline char *toy_put(char *to, char kind, uint32_t code, uint32_t time_us)
{
	*to++ = kind;
	for (int i = 0; i < 3; i++)
		*to++ = (char)(code >> 8 * i);
	for (int i = 0; i < 4; i++)
		*to++ = (char)(time_us >> 8 * i);
	return to;
}

static inline char *toy_begin(char *to)
{
	for (const char *p = TOY_MAGIC; *p; p++)
		*to++ = *p;
	*to++ = '\0';
	return to;
}

#endif
