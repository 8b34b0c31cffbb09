/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/report/otlp_ids.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "monitor/event/sid.h"

/* Maximum bytes of a thread's name; longer names are cut. */
#define MAX_THREAD_BYTES 200

static size_t first_len(const char *sid, size_t len)
{
	const char *slash = len ? memchr(sid, '/', len) : NULL;

	return slash ? (size_t)(slash - sid) : len;
}

static void span_of(const char *sid, size_t len, uint8_t id[OTLP_SPAN_BYTES])
{
	uint8_t digest[SHA256_BYTES];
	size_t own_len;
	const char *own = sid_own(sid, len, &own_len);

	sha256(own, own_len, digest);
	memcpy(id, digest + OTLP_TRACE_BYTES, OTLP_SPAN_BYTES);
}

static void trace_of(const char *sid, size_t len, uint8_t id[OTLP_TRACE_BYTES])
{
	uint8_t digest[SHA256_BYTES];

	sha256(sid, first_len(sid, len), digest);
	memcpy(id, digest, OTLP_TRACE_BYTES);
}

void otlp_ids_of_sid(const char *sid, size_t len, struct otlp_ids *ids)
{
	struct sid_parts parts;

	*ids = (struct otlp_ids){ .has_parent = false };
	sid_take_apart(sid, len, &parts);
	trace_of(sid, len, ids->trace);
	span_of(sid, len, ids->span);
	ids->has_parent = parts.parent_len != SID_NO_PARENT;
	if (ids->has_parent)
		span_of(sid, parts.parent_len, ids->parent);
	sha256(sid, len, ids->seed);
}

void otlp_ids_set_parent(struct otlp_ids *ids, const char *parent, size_t len)
{
	trace_of(parent, len, ids->trace);
	span_of(parent, len, ids->parent);
	ids->has_parent = true;
}

void otlp_ids_inner(const struct otlp_ids *ids, const char *kind, uint64_t n, const char *thread,
		    size_t thread_len, uint8_t id[OTLP_SPAN_BYTES])
{
	char text[SHA256_BYTES + 40 + MAX_THREAD_BYTES];
	uint8_t digest[SHA256_BYTES];
	size_t len = SHA256_BYTES;

	memcpy(text, ids->seed, SHA256_BYTES);
	len += (size_t)snprintf(text + len, 40, "%.12s:%" PRIu64 "%s", kind, n, thread ? ":" : "");
	if (thread_len > MAX_THREAD_BYTES)
		thread_len = MAX_THREAD_BYTES;
	if (thread_len)
		memcpy(text + len, thread, thread_len);
	sha256(text, len + thread_len, digest);
	memcpy(id, digest, OTLP_SPAN_BYTES);
}
