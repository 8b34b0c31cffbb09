/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/base/hash.h"

#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/platform.h"

uint64_t tr2_hash_seed;

void tr2_hash_seed_init(void)
{
	uint64_t seed;

	if (!tr2_platform_random(&seed, sizeof(seed), false))
		seed = (uint64_t)tr2_clock_wall() ^ ((uint64_t)getpid() << 32);
	tr2_hash_seed = seed;
}
