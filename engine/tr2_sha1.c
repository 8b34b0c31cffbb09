/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_sha1.h"

#include <string.h>

static uint32_t sha1_rotate(uint32_t x, unsigned n)
{
	return x << n | x >> (32 - n);
}

static void sha1_block(uint32_t h[5], const uint8_t *p)
{
	static const uint32_t k[4] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };
	uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];

	for (int i = 0; i < 16; i++, p += 4)
		w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	for (int i = 16; i < 80; i++)
		w[i] = sha1_rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (int i = 0; i < 80; i++) {
		uint32_t f, t;

		if (i < 20)
			f = (b & c) | (~b & d);
		else if (i >= 40 && i < 60)
			f = (b & c) | (b & d) | (c & d);
		else
			f = b ^ c ^ d;
		t = sha1_rotate(a, 5) + f + e + k[i / 20] + w[i];
		e = d;
		d = c;
		c = sha1_rotate(b, 30);
		b = a;
		a = t;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
	h[4] += e;
}

void tr2_sha1(const void *data, size_t len, uint8_t digest[20])
{
	uint32_t h[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
	const uint8_t *p = data;
	uint8_t tail[128] = { 0 };
	size_t left = len % 64, tail_len = left < 56 ? 64 : 128;

	for (size_t i = 0; i + 64 <= len; i += 64)
		sha1_block(h, p + i);
	if (left)
		memcpy(tail, p + len - left, left);
	tail[left] = 0x80;
	for (int i = 0; i < 8; i++)
		tail[tail_len - 1 - (size_t)i] = (uint8_t)((uint64_t)len * 8 >> 8 * i);
	for (size_t i = 0; i < tail_len; i += 64)
		sha1_block(h, tail + i);
	for (int i = 0; i < 20; i++)
		digest[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
}
