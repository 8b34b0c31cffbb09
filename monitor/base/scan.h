/* SPDX-License-Identifier: MIT */
/*
 * scan: search, compare and copy text many bytes at a time, and parse digits.
 *
 * Uses SSE2 if the compiler has it, else plain C; -DSCAN_PLAIN selects plain C.
 *
 * Functions that search take no end pointer: the text must end in a byte below 0x20, such as the LF
 * of a record, with SCAN_PAD more readable bytes after it. Any thread.
 */
#ifndef MONITOR_SCAN_H
#define MONITOR_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) && !defined(SCAN_PLAIN)
#define SCAN_SSE2 1
#include <emmintrin.h>
#else
#define SCAN_SSE2 0
#endif

#define SCAN_PAD 64

#define SCAN_ONES  0x0101010101010101ull
#define SCAN_HIGHS 0x8080808080808080ull

/* Load eight bytes, the first one as the lowest byte. */
static inline uint64_t scan_load8(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

/* Find the first `"`, `\` or byte below 0x20 at or after `p`. */
static inline const char *scan_string(const char *p)
{
#if SCAN_SSE2
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'),
		      control = _mm_set1_epi8(0x1f);

	for (;; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i stop = _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash));
		unsigned at;

		stop = _mm_or_si128(stop, _mm_cmpeq_epi8(_mm_min_epu8(v, control), v));
		at = (unsigned)_mm_movemask_epi8(stop);
		if (at)
			return p + __builtin_ctz(at);
	}
#else
	for (;; p += 8) {
		uint64_t v = scan_load8(p);
		uint64_t quote = v ^ SCAN_ONES * '"', backslash = v ^ SCAN_ONES * '\\';
		/* The subtractions may borrow from the next byte, which causes false matches only
		 * after a true one. */
		uint64_t stop = ((quote - SCAN_ONES) & ~quote) |
				((backslash - SCAN_ONES) & ~backslash) |
				((v - SCAN_ONES * 0x20) & ~v);

		if (stop & SCAN_HIGHS)
			return p + __builtin_ctzll(stop & SCAN_HIGHS) / 8;
	}
#endif
}

static inline bool scan_equal16(const char *a, const char *b)
{
#if SCAN_SSE2
	__m128i va = _mm_loadu_si128((const __m128i *)(const void *)a);
	__m128i vb = _mm_loadu_si128((const __m128i *)(const void *)b);

	return _mm_movemask_epi8(_mm_cmpeq_epi8(va, vb)) == 0xffff;
#else
	return !memcmp(a, b, 16);
#endif
}

static inline bool scan_equal32(const char *a, const char *b)
{
#if SCAN_SSE2
	__m128i one = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)a),
				     _mm_loadu_si128((const __m128i *)(const void *)b));
	__m128i two = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)(a + 16)),
				     _mm_loadu_si128((const __m128i *)(const void *)(b + 16)));

	return _mm_movemask_epi8(_mm_and_si128(one, two)) == 0xffff;
#else
	return !memcmp(a, b, 32);
#endif
}

/* Compare `len` bytes without reading more. */
static inline bool scan_equal(const char *a, const char *b, size_t len)
{
	if (len < 16)
		return !memcmp(a, b, len);
	if (len < 32)
		return scan_equal16(a, b) && scan_equal16(a + len - 16, b + len - 16);
	for (size_t at = 0; at + 32 < len; at += 32)
		if (!scan_equal32(a + at, b + at))
			return false;
	return scan_equal32(a + len - 32, b + len - 32);
}

/* True if the first `len` < 64 bytes at `p` and `want` are equal; 64 bytes must be readable at
 * both. */
static inline bool scan_begins(const char *p, const char *want, unsigned len)
{
#if SCAN_SSE2
	uint64_t same = 0;

	for (int at = 0; at < 64; at += 16) {
		__m128i a = _mm_loadu_si128((const __m128i *)(const void *)(p + at));
		__m128i b = _mm_loadu_si128((const __m128i *)(const void *)(want + at));

		same |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b)) << at;
	}
	return (same | ~0ull << len) == ~0ull;
#else
	return !memcmp(p, want, len);
#endif
}

/* Like scan_begins() for `len` < 32; 32 bytes must be readable at both. */
static inline bool scan_begins32(const char *p, const char *want, unsigned len)
{
#if SCAN_SSE2
	__m128i a = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i b = _mm_loadu_si128((const __m128i *)(const void *)want);
	__m128i c = _mm_loadu_si128((const __m128i *)(const void *)(p + 16));
	__m128i d = _mm_loadu_si128((const __m128i *)(const void *)(want + 16));
	unsigned same = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b)) |
			(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(c, d)) << 16;

	return (same | ~0u << len) == ~0u;
#else
	return !memcmp(p, want, len);
#endif
}

/* Copy `len` bytes in blocks of 16; up to 15 more are read and written. */
static inline void scan_copy(char *to, const char *from, size_t len)
{
	for (size_t at = 0; at < len; at += 16)
		memcpy(to + at, from + at, 16);
}

/* A text of up to 16 bytes as two numbers, padded with zeros. 16 bytes must be readable. */
struct scan_word16 {
	uint64_t lo, hi;
};

static inline struct scan_word16 scan_word16(const char *p, size_t len)
{
	uint64_t lo = scan_load8(p), hi = scan_load8(p + 8);

	if (len < 8)
		return (struct scan_word16){ lo & ((1ull << (len * 8)) - 1), 0 };
	if (len < 16)
		hi &= (1ull << ((len - 8) * 8)) - 1;
	return (struct scan_word16){ lo, hi };
}

/* Prefetch a cache line for writing. Any address is allowed. */
static inline void scan_prefetch_write(uintptr_t at)
{
#if defined(__x86_64__)
	/* The compiler emits prefetchw only for processors known to support it. Others execute it
	 * as a NOP. */
	__asm__ volatile("prefetchw %0" ::"m"(*(const char *)at));
#else
	__builtin_prefetch((const void *)at, 1);
#endif
}

static inline bool scan_is_digits8(uint64_t v)
{
	return ((v & (SCAN_ONES * 0xf0)) | (((v + SCAN_ONES * 6) & (SCAN_ONES * 0xf0)) >> 4)) ==
	       SCAN_ONES * 0x33;
}

/* Return the value of eight ASCII digits; the first digit is in the lowest byte of `v`. */
static inline uint32_t scan_digits8(uint64_t v)
{
	v -= SCAN_ONES * '0';
	v = v * 10 + (v >> 8);
	return (uint32_t)(((v & 0x000000ff000000ffull) * 0x000f424000000064ull +
			   ((v >> 16) & 0x000000ff000000ffull) * 0x0000271000000001ull) >>
			  32);
}

/* Load the six digits at `p` as eight digits, with two leading zeros. */
static inline uint64_t scan_load6(const char *p)
{
	return scan_load8(p) << 16 | 0x3030;
}

static inline bool scan_is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Skip white space between JSON tokens, except LF, which ends the record. */
static inline const char *scan_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t' || *p == '\r')
		p++;
	return p;
}

#endif
