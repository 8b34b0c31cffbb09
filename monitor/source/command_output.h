/* SPDX-License-Identifier: MIT */
/*
 * The newest COMMAND_OUTPUT_BYTES of the output of a command that trace2top runs, here or on the
 * host of a relay. Any thread; locks are short.
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
	char *ring; /* the last bytes of the output; NULL: no output yet */
	size_t at, len;
	uint64_t nr_bytes; /* number of bytes written so far */
	ns_t last_ns;      /* monotonic: arrival of the last byte */
};

void command_output_init(struct command_output *output);
void command_output_release(struct command_output *output);

/* Append output. */
void command_output_add(struct command_output *output, const char *bytes, size_t len);

/* Copy the output, as intake_command_output() and intake_command_read() describe. */
size_t command_output_copy(struct command_output *output, char *out, uint64_t *version);
size_t command_output_read(struct command_output *output, uint64_t *at, char *out, size_t bytes);

/* True if the last line of the output has been incomplete for at least `ns`, so that it may be a
 * prompt. */
bool command_output_hangs(struct command_output *output, ns_t ns);

#endif
