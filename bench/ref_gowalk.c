/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "bench/ref_gowalk.h"

#define HEADER_BYTES 16

/* Number of arguments of an event, including the time; 0: not an event of a thread. */
static const uint8_t nr_args[256] = {
	[9] = 3,   [10] = 3,  [11] = 1,  [12] = 4,  [13] = 3,  [14] = 4,  [15] = 2,
	[16] = 3,  [17] = 1,  [18] = 1,  [19] = 3,  [20] = 3,  [21] = 4,  [22] = 3,
	[23] = 1,  [24] = 1,  [25] = 4,  [26] = 3,  [27] = 1,  [28] = 2,  [29] = 3,
	[30] = 2,  [31] = 2,  [32] = 2,  [33] = 3,  [34] = 2,  [35] = 2,  [36] = 1,
	[37] = 2,  [38] = 2,  [39] = 2,  [40] = 5,  [41] = 3,  [42] = 4,  [43] = 4,
	[44] = 5,  [45] = 3,  [46] = 3,  [47] = 4,  [48] = 5,  [128] = 4, [129] = 4,
	[130] = 2, [131] = 3, [132] = 3, [133] = 2, [134] = 3, [135] = 3, [136] = 2,
};

static const uint8_t *varint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
		*v |= (uint64_t)(*p & 127) << shift;
		if (*p++ < 128)
			return p;
	}
	return NULL;
}

static void walk_batch(const uint8_t *p, const uint8_t *end, struct ref_gowalk *walk)
{
	uint64_t nr_events = 0, sum = 0, v;

	while (p && p < end) {
		uint8_t type = *p++;
		unsigned args = nr_args[type];

		if (!args)
			break;
		walk->nr[type]++;
		nr_events++;
		for (; args && p; args--) {
			p = varint(p, end, &v);
			sum += v;
		}
	}
	walk->nr_events += nr_events;
	walk->sum += sum;
}

void ref_gowalk(const uint8_t *bytes, size_t len, struct ref_gowalk *walk)
{
	const uint8_t *p = bytes + HEADER_BYTES, *end = bytes + len;

	while (p && p < end) {
		uint64_t head[4]; /* generation, thread, time, size */
		uint8_t type = *p++;

		if (type == 52)
			continue;
		if (type != 1 && type != 49)
			break;
		p += type == 49;
		for (unsigned i = 0; i < 4 && p; i++)
			p = varint(p, end, &head[i]);
		if (!p || head[3] > (uint64_t)(end - p))
			break;
		/* Batches with other first types are tables, clocks or samples. */
		if (type == 1 && head[3] && *p > 8 && *p != 50)
			walk_batch(p, p + head[3], walk);
		p += head[3];
	}
}
