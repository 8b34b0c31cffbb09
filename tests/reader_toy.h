/* SPDX-License-Identifier: MIT */
/*
 * Two formats that only tests use (reader_toy.c replaces monitor/read/readers.c).
 *
 * TOY is binary: "toy\0", then records of 8 bytes: kind, three bytes of code, four of time in
 * microseconds, little endian. They hold any byte, including LF and NUL.
 *     'e'  an event of that code and time, held back and sorted by time until an 'f'
 *     'f'  the generation is complete: deliver it
 *
 * Any other kind is malformed. The end of the stream or silence also ends a generation. An
 * incomplete record at the end is malformed.
 *
 * TOYLINE is text of lines, each a code; the first line is "# toyline". Each is held back until the
 * next one, silence or the end.
 *
 * Both deliver one exit per code, of the process toy:NAME#N.
 */
#ifndef TESTS_READER_TOY_H
#define TESTS_READER_TOY_H

#include "monitor/read/reader.h"

#define TOY_RECORD_BYTES 8
#define TOY_MAGIC        "toy"

extern const struct reader_ops reader_toy_ops, reader_toyline_ops;

unsigned toy_kind(const struct reader_ops *ops);

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
