/* SPDX-License-Identifier: MIT */
/* How sources are read, as the user wants it. */
#ifndef MONITOR_SOURCE_CONFIG_H
#define MONITOR_SOURCE_CONFIG_H

#include <stdbool.h>

#include "engine/base/clock.h"
#include "monitor/nats/nats_link.h"

struct replay;

struct source_config {
	bool once;            /* read everything to its current end, then finish */
	bool new_only;        /* --new: skip existing data */
	int input_format;     /* format of all input, index into reader_words; 0: detect */
	unsigned socket_mode; /* permissions of new sockets */
	/* Standard input and the terminal are read by other code, so the command gets neither. */
	bool keeps_input;
	ns_t since;                   /* wall time: oldest data to request from servers; 0: all */
	struct nats_link_config nats; /* credentials and options, without the URL; borrowed */
	/*
	 * Clock of replayed recordings; borrowed; NULL: no replay. A thread that changes it must
	 * call intake_replay_changed().
	 */
	struct replay *replay;
	/*
	 * Callback: called on the intake thread when intake_is_done() or statistics change without
	 * a new event. Must not block.
	 */
	void (*wake)(void *data);
	void *wake_data;
};

#endif
