/* SPDX-License-Identifier: MIT */
/* Keeps the newest output of a command, at most COMMAND_OUTPUT_BYTES bytes. Any thread may add
 * and read output. */
#ifndef MONITOR_COMMAND_OUTPUT_H
#define MONITOR_COMMAND_OUTPUT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"

struct command_output { /* all private */
	pthread_mutex_t lock;
	char *ring; /* ring buffer; NULL until the first addition */
	size_t at, len;
	uint64_t nr_bytes; /* number of bytes that were added */
	ns_t last_ns;      /* monotonic time of the last addition */
};

void command_output_init(struct command_output *output);
void command_output_release(struct command_output *output);

void command_output_add(struct command_output *output, const char *bytes, size_t len);

/* The contracts are those of intake_command_output() and intake_command_read(). */
size_t command_output_copy(struct command_output *output, char *out, uint64_t *version);
size_t command_output_read(struct command_output *output, uint64_t *at, char *out, size_t bytes);

/* True if the newest output is at least `ns` nanoseconds old and does not end with LF or CR, so
 * that its last line may be a prompt. */
bool command_output_hangs(struct command_output *output, ns_t ns);

#endif
