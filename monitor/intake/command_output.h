/* SPDX-License-Identifier: MIT */
/*
 * What a command has written, its newest COMMAND_OUTPUT_BYTES: of one that was started here, or
 * by a relay elsewhere. Any thread; locks are short.
 */
#ifndef MONITOR_COMMAND_OUTPUT_H
#define MONITOR_COMMAND_OUTPUT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"

struct command_output { /* all private */
	pthread_mutex_t lock;
	char *ring; /* NULL: it has written nothing */
	size_t at, len;
	uint64_t nr_bytes; /* ever: changes with each */
	ns_t last_ns;      /* monotonic: when the last came */
};

void command_output_init(struct command_output *output);
void command_output_release(struct command_output *output);

/* It has written that. */
void command_output_add(struct command_output *output, const char *bytes, size_t len);

/* For intake_command_output() and intake_command_read(). */
size_t command_output_copy(struct command_output *output, char *out, uint64_t *version);
size_t command_output_read(struct command_output *output, uint64_t *at, char *out, size_t bytes);

/* Has its last line had no end for as long as that? It may be a question. */
bool command_output_hangs(struct command_output *output, ns_t ns);

#endif
