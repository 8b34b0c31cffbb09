/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/source/command_output.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/source/traced_command.h"

void command_output_init(struct command_output *o)
{
	*o = (struct command_output){ 0 };
	pthread_mutex_init(&o->lock, NULL);
}

void command_output_release(struct command_output *o)
{
	pthread_mutex_destroy(&o->lock);
	free(o->ring);
}

void command_output_add(struct command_output *o, const char *bytes, size_t len)
{
	pthread_mutex_lock(&o->lock);
	if (!o->ring)
		o->ring = xmalloc(COMMAND_OUTPUT_BYTES);
	o->nr_bytes += len;
	o->last_ns = tr2_clock_monotonic();
	while (len) {
		size_t part = COMMAND_OUTPUT_BYTES - o->at;

		part = part < len ? part : len;
		memcpy(o->ring + o->at, bytes, part);
		o->at = (o->at + part) % COMMAND_OUTPUT_BYTES;
		o->len += part;
		bytes += part;
		len -= part;
	}
	if (o->len > COMMAND_OUTPUT_BYTES)
		o->len = COMMAND_OUTPUT_BYTES;
	pthread_mutex_unlock(&o->lock);
}

/* Copy `len` kept bytes, from `back` bytes before the end. The caller holds the output's lock. */
static void ring_copy(const struct command_output *o, size_t back, char *out, size_t len)
{
	size_t from = (o->at + COMMAND_OUTPUT_BYTES - back) % COMMAND_OUTPUT_BYTES;
	size_t part = len < COMMAND_OUTPUT_BYTES - from ? len : COMMAND_OUTPUT_BYTES - from;

	if (!len)
		return;
	memcpy(out, o->ring + from, part);
	memcpy(out + part, o->ring, len - part);
}

size_t command_output_copy(struct command_output *o, char *out, uint64_t *version)
{
	size_t len = SIZE_MAX;

	pthread_mutex_lock(&o->lock);
	if (o->nr_bytes != *version) {
		*version = o->nr_bytes;
		len = o->len;
		ring_copy(o, len, out, len);
	}
	pthread_mutex_unlock(&o->lock);
	return len;
}

size_t command_output_read(struct command_output *o, uint64_t *at, char *out, size_t bytes)
{
	uint64_t left;

	pthread_mutex_lock(&o->lock);
	left = o->nr_bytes - *at;
	left = left < o->len ? left : o->len;
	bytes = bytes < left ? bytes : (size_t)left;
	ring_copy(o, (size_t)left, out, bytes);
	*at = o->nr_bytes - left + bytes;
	pthread_mutex_unlock(&o->lock);
	return bytes;
}

bool command_output_hangs(struct command_output *o, ns_t ns)
{
	char last = '\n';
	bool hangs;

	pthread_mutex_lock(&o->lock);
	ring_copy(o, 1, &last, o->len != 0);
	/* A last line that ends with CR counts as a progress meter, not as a prompt. */
	hangs = last != '\n' && last != '\r' && tr2_clock_monotonic() - o->last_ns >= ns;
	pthread_mutex_unlock(&o->lock);
	return hangs;
}
