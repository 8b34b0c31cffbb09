/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4). Pure function. */
#ifndef MONITOR_SHA256_H
#define MONITOR_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

void sha256(const void *data, size_t len, uint8_t digest[SHA256_BYTES]);

#endif
