/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/base/hash.h"

#include <sys/random.h>
#include <unistd.h>

#include "engine/base/clock.h"

uint64_t tr2_hash_seed;

void tr2_hash_seed_init(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed))
		seed = (uint64_t)tr2_clock_wall() ^ ((uint64_t)getpid() << 32);
	tr2_hash_seed = seed;
}
