/* SPDX-License-Identifier: MIT */
/*
 * The command that trace2top runs and traces. Any thread. `command` may be NULL if trace2top runs
 * none.
 */
#ifndef MONITOR_TRACED_COMMAND_H
#define MONITOR_TRACED_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "engine/base/clock.h"

/* Maximum number of bytes of the newest output that are kept. */
#define COMMAND_OUTPUT_BYTES (1u << 20)

struct traced_command;

enum command_state { COMMAND_NONE, COMMAND_RUNNING, COMMAND_ENDED };

/*
 * Return the command's state. Unless it is COMMAND_NONE, sets `*wait_status`, valid once the
 * command has ended (exit status 127 or 126 if it could not be executed), and `*ran_ns`, its run
 * time.
 */
enum command_state traced_command_state(struct traced_command *command, int *wait_status,
					ns_t *ran_ns);
/* True if a signal killed the command. Sets its pid, the signal, and the wall time of its end. */
bool traced_command_killed(struct traced_command *command, pid_t *pid, int *signo, ns_t *ended);
/* Return the wall time at which the command was started; NS_NONE: no command. */
ns_t traced_command_begun(const struct traced_command *command);
/* True if the command may wait for input: it runs on a pseudo-terminal, and its output has ended
 * without LF or CR for a second, or its terminal has echo or canonical mode off. */
bool traced_command_may_wait(struct traced_command *command);
/* Write input to the command's terminal without blocking. Returns the number of accepted bytes. */
size_t traced_command_type(struct traced_command *command, const char *bytes, size_t len);
/* Send a signal to a running command: to its process group if it has its own; else to the command,
 * unless the terminal sends that signal. With a pseudo-terminal, SIGSTOP replaces SIGTSTP. */
void traced_command_signal(struct traced_command *command, int signo);
/* Set the size of the pseudo-terminal. */
void traced_command_resize(struct traced_command *command, int cols, int rows);

#endif
