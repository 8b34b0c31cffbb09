/* SPDX-License-Identifier: MIT */
/*
 * --remote=HOST: a relay on another host, which reads the sources there and sends a recording of
 * them through ssh:
 *
 *   sources -> trace2top --record=- -> sshd ... ssh -> here, a source like others
 *
 * The relay reads for itself and never waits for the network, so what is traced there does not
 * either; what does not get through is dropped there and told here. It ends when the ssh here
 * does. Where HOST has no trace2top, one file is followed by tail.
 */
#ifndef MONITOR_REMOTE_H
#define MONITOR_REMOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/intake/intake.h"
#include "monitor/settings/options.h"

/*
 * Start ssh and wait until the relay says something; until then ssh may ask on the terminal, and
 * a signal ends the program as it does any. No thread may exist. False with a line of `why`. What
 * `relay` holds is to be given to intake_add_relay().
 */
bool remote_open(const struct options *options, struct relay *relay, char *why, size_t why_bytes);

/* How it is called among the sources: "HOST:SOURCE ..."; the caller frees it. */
char *remote_spec(const struct options *options);

#endif
