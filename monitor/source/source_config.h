/* SPDX-License-Identifier: MIT */
/* Options for reading sources. */
#ifndef MONITOR_SOURCE_CONFIG_H
#define MONITOR_SOURCE_CONFIG_H

#include <stdbool.h>

#include "engine/base/clock.h"
#include "monitor/nats/nats_link.h"

struct replay;

struct source_config {
	bool once;     /* --once: end when all sources have ended */
	bool new_only; /* --new: skip data that exists at the start */
	/* format of the input, an index into reader_words; 0: detect */
	int input_format;
	unsigned socket_mode; /* permissions of sockets that users name */
	/* the traced command cannot read trace2top's standard input or terminal */
	bool keeps_input;
	/* wall time of --since, for NATS servers; 0: read all data */
	ns_t since;
	/* borrowed options of NATS connections, without the URL */
	struct nats_link_config nats;
	/*
	 * Clock of replayed recordings, borrowed; NULL: no replay. After a change, call
	 * intake_replay_changed().
	 */
	struct replay *replay;
	/* Called on the intake thread when the loop thread should check the intake. Must not
	 * block; may be NULL. */
	void (*wake)(void *data);
	void *wake_data;
};

#endif
