/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/redact/siphash.h"

struct siphash_state {
	uint64_t v[4];
};

static uint64_t turned(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static void rounds(struct siphash_state *s, int nr)
{
	uint64_t *v = s->v;

	while (nr--) {
		v[0] += v[1];
		v[1] = turned(v[1], 13) ^ v[0];
		v[0] = turned(v[0], 32);
		v[2] += v[3];
		v[3] = turned(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = turned(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = turned(v[1], 17) ^ v[2];
		v[2] = turned(v[2], 32);
	}
}

static void siphash_take(struct siphash_state *s, uint64_t word)
{
	s->v[3] ^= word;
	rounds(s, 2);
	s->v[0] ^= word;
}

uint64_t siphash(const struct siphash_key *key, uint64_t domain, const void *bytes, size_t len)
{
	struct siphash_state s = {
		{ key->a ^ domain ^ 0x736f6d6570736575ull, key->b ^ 0x646f72616e646f6dull,
		  key->a ^ domain ^ 0x6c7967656e657261ull, key->b ^ 0x7465646279746573ull }
	};
	const unsigned char *p = bytes;
	uint64_t last = (uint64_t)len << 56;

	for (; len >= 8; len -= 8, p += 8) {
		uint64_t word = 0;

		for (int i = 0; i < 8; i++)
			word |= (uint64_t)p[i] << (8 * i);
		siphash_take(&s, word);
	}
	for (size_t i = 0; i < len; i++)
		last |= (uint64_t)p[i] << (8 * i);
	siphash_take(&s, last);
	s.v[2] ^= 0xff;
	rounds(&s, 4);
	return s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3];
}
