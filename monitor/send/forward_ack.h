/* SPDX-License-Identifier: MIT */
/*
 * Parse a JetStream server's answer to a message: {"stream":"EVENTS","seq":7}, with
 * "duplicate":true if the message was stored before, or {"error":{"code":503,"description":"maximum
 * bytes exceeded"}}. Any thread.
 */
#ifndef MONITOR_FORWARD_ACK_H
#define MONITOR_FORWARD_ACK_H

#include <stdbool.h>
#include <stddef.h>

enum forward_ack {
	FORWARD_STORED,
	FORWARD_REFUSED, /* the server refused the message; `why` has its error text */
	FORWARD_UNCLEAR, /* the text is not an answer of JetStream, or too long */
};

/* Parse `len` untrusted bytes. FORWARD_REFUSED: `why` is set, without control characters. */
enum forward_ack forward_ack_parse(const char *bytes, size_t len, char *why, size_t why_bytes);

#endif
