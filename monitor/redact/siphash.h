/* SPDX-License-Identifier: MIT */
/* SipHash-2-4 (Aumasson and Bernstein): a hash with a secret key, equal on all machines. */
#ifndef MONITOR_SIPHASH_H
#define MONITOR_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct siphash_key {
	uint64_t a, b;
};

/* Hash `bytes`. Different values of `domain` make different hashes under one key. */
uint64_t siphash(const struct siphash_key *key, uint64_t domain, const void *bytes, size_t len);

#endif
