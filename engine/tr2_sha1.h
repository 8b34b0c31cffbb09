/* SPDX-License-Identifier: MIT */
/*
 * SHA-1, used for the eight digits of a session id that identify the machine; not for security.
 * Pure function.
 */
#ifndef TR2_SHA1_H
#define TR2_SHA1_H

#include <stddef.h>
#include <stdint.h>

void tr2_sha1(const void *data, size_t len, uint8_t digest[20]);

#endif
