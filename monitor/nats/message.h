/* SPDX-License-Identifier: MIT */
/*
 * A message of an agent, taken apart by who reads it. All of it anybody may have made up: it is one
 * zstd frame that says its size, of at most WIRE_MAX_UNPACKED, or nothing of it is used.
 */
#ifndef MONITOR_NATS_MESSAGE_H
#define MONITOR_NATS_MESSAGE_H

#include <stddef.h>

#include "monitor/nats/wire.h"

struct message {
	struct wire_head head;
	struct wire_id id;
	/* Its lines, the last with its LF; borrowed until the next message_read(). SCAN_PAD
	 * bytes behind them may be read. */
	const char *lines;
	size_t len;
	const char *why; /* what is malformed; static */
};

struct message_reader;

/* Out of memory ends the program. One thread for a reader. */
struct message_reader *message_reader_new(void);
void message_reader_free(struct message_reader *reader);

/*
 * Take one apart: the values of its headers Nats-Msg-Id and T2 (NULL: it has none) and its payload.
 * WIRE_NEWER: the id may be used, nothing else. WIRE_MALFORMED: `why` alone.
 */
enum wire_read message_read(struct message_reader *reader, const char *id, const char *head,
			    const char *payload, size_t len, struct message *out);

#endif
