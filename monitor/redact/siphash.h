/* SPDX-License-Identifier: MIT */
/*
 * SipHash-2-4 (Aumasson and Bernstein): a hash of bytes that says nothing of them to who does not
 * have its key. The same on every machine. Pure functions.
 */
#ifndef MONITOR_SIPHASH_H
#define MONITOR_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct siphash_key {
	uint64_t a, b;
};

/* `domain` keeps apart what is hashed for different ends under one key. */
uint64_t siphash(const struct siphash_key *key, uint64_t domain, const void *bytes, size_t len);

#endif
