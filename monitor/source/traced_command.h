/* SPDX-License-Identifier: MIT */
/*
 * The command that trace2top runs and traces. Any thread, unless stated otherwise. `command` may
 * be NULL if trace2top runs none.
 */
#ifndef MONITOR_TRACED_COMMAND_H
#define MONITOR_TRACED_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "engine/base/clock.h"

/* Newest output of the command that is kept. */
#define COMMAND_OUTPUT_BYTES (1u << 20)

struct traced_command;

enum command_state { COMMAND_NONE, COMMAND_RUNNING, COMMAND_ENDED };

/*
 * Get the state, the wait status once it ended (exit status 127 or 126 if it could not be run),
 * and the run time.
 */
enum command_state traced_command_state(struct traced_command *command, int *wait_status,
					ns_t *ran_ns);
/* True if a signal killed the command: its pid, the signal, and the wall time of its end. */
bool traced_command_killed(struct traced_command *command, pid_t *pid, int *signo, ns_t *ended);
/* Return the wall time at which the command was started; NS_NONE: no command. */
ns_t traced_command_begun(const struct traced_command *command);
/*
 * True if the command may be waiting for input: there is a screen, it runs, and the last line of
 * its output has been incomplete for a second, or its terminal has echo or canonical mode off.
 */
bool traced_command_may_wait(struct traced_command *command);
/*
 * Write input to the command's terminal. Returns how many bytes were accepted: 0 if it has no
 * terminal or does not read. Never blocks.
 */
size_t traced_command_type(struct traced_command *command, const char *bytes, size_t len);
/* Send a signal to the command's process group. */
void traced_command_signal(struct traced_command *command, int signo);
/* Set the size of the command's terminal. */
void traced_command_resize(struct traced_command *command, int cols, int rows);

#endif
