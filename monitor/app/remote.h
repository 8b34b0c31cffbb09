/* SPDX-License-Identifier: MIT */
/*
 * The option --remote=HOST starts trace2top on another host (the relay). The relay reads the
 * sources there and sends a recording of them through ssh:
 *
 *   sources -> trace2top --record=- -> sshd ... ssh -> here, a source like others
 *
 * If the network is too slow, events are dropped on the other host and counted on this host; traced
 * programs do not wait. The relay ends when the local ssh ends. If HOST has no trace2top, one file
 * with an absolute path is followed with tail (or read with cat for --once); for other sources, the
 * user may copy the program there (remote_copy.h).
 */
#ifndef MONITOR_REMOTE_H
#define MONITOR_REMOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/intake/intake.h"
#include "monitor/settings/options.h"

/*
 * Start ssh and wait for the relay's first output. Until then ssh may prompt on the terminal, and
 * signals that end or stop the program have their default action. No other thread may exist.
 * Returns false with one line in `why` on error. Pass `relay` to intake_add_relay().
 */
bool remote_open(const struct options *options, struct relay *relay, char *why, size_t why_bytes);

/* Return the name that is shown for the remote source, such as "HOST:SOURCE". The caller frees
 * it. */
char *remote_spec(const struct options *options);

#endif
