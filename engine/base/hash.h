/* SPDX-License-Identifier: MIT */
/* A 64-bit hash of bytes for tables within one process. Its seed is random, so that the author of a
 * hostile trace cannot predict collisions; do not write a hash to a file. */
#ifndef TR2_BASE_HASH_H
#define TR2_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Seed of the hashes; 0 until tr2_hash_seed_init(), which must run before any hash table exists. */
extern uint64_t tr2_hash_seed;

void tr2_hash_seed_init(void);

static inline uint64_t tr2_hash_mix(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	__extension__ typedef unsigned __int128 u128;
	u128 r = (u128)a * b;

	return (uint64_t)r ^ (uint64_t)(r >> 64);
#else
	uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
	uint64_t cross = a_high * b_low + (a_low * b_low >> 32);
	uint64_t other = a_low * b_high + (uint32_t)cross;

	return (a * b) ^ (a_high * b_high + (cross >> 32) + (other >> 32));
#endif
}

static inline uint64_t tr2_hash_read(const unsigned char *p, size_t n)
{
	uint64_t v = 0;

	memcpy(&v, p, n);
	return v;
}

static inline uint64_t tr2_hash(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = tr2_hash_seed ^ (0x9e3779b97f4a7c15ull + len);
	size_t left = len;

	while (left > 16) {
		h = tr2_hash_mix(tr2_hash_read(p, 8) ^ 0xa0761d6478bd642full,
				 tr2_hash_read(p + 8, 8) ^ h);
		p += 16;
		left -= 16;
	}
	if (left > 8)
		return tr2_hash_mix(tr2_hash_read(p, 8) ^ 0xe7037ed1a0b428dbull,
				    tr2_hash_read(p + left - 8, 8) ^ h);
	return tr2_hash_mix(tr2_hash_read(p, left) ^ 0x8ebc6af09c88c6e3ull,
			    h ^ 0x589965cc75374cc3ull);
}

static inline uint64_t tr2_hash_pair(uint64_t a, uint64_t b)
{
	return tr2_hash_mix(a ^ 0xa0761d6478bd642full ^ tr2_hash_seed, b ^ 0xe7037ed1a0b428dbull);
}

#endif
