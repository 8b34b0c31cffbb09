/* SPDX-License-Identifier: MIT */
/*
 * SipHash-2-4 (Aumasson and Bernstein): a keyed hash that reveals nothing about its input without
 * the key. Its results are the same on every machine.
 */
#ifndef MONITOR_SIPHASH_H
#define MONITOR_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct siphash_key {
	uint64_t a, b;
};

/* `domain` gives different hashes for different purposes under one key. */
uint64_t siphash(const struct siphash_key *key, uint64_t domain, const void *bytes, size_t len);

#endif
