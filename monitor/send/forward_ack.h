/* SPDX-License-Identifier: MIT */
/*
 * What a JetStream server answers to a message: {"stream":"EVENTS","seq":7}, with "duplicate":true
 * where it had it, or {"error":{"code":503,"description":"maximum bytes exceeded"}}. Pure.
 */
#ifndef MONITOR_FORWARD_ACK_H
#define MONITOR_FORWARD_ACK_H

#include <stdbool.h>
#include <stddef.h>

enum forward_ack {
	FORWARD_STORED,
	FORWARD_REFUSED, /* `why` says it in the server's words */
	FORWARD_UNCLEAR, /* no answer of JetStream's */
};

/* `len` bytes of an answer, which may be anything. `why` is for REFUSED, without control
 * characters. */
enum forward_ack forward_ack_parse(const char *bytes, size_t len, char *why, size_t why_bytes);

#endif
