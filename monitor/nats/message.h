/* SPDX-License-Identifier: MIT */
/* Decode a message of an agent, which is untrusted. Its payload must be one zstd frame whose header
 * has the decompressed size, at most WIRE_MAX_UNPACKED bytes. */
#ifndef MONITOR_NATS_MESSAGE_H
#define MONITOR_NATS_MESSAGE_H

#include <stddef.h>

#include "monitor/nats/wire.h"

struct message {
	struct wire_head head;
	struct wire_id id;
	/* lines, each with its LF, and SCAN_PAD more readable bytes; borrowed until the next
	 * message_read() */
	const char *lines;
	size_t len;
	const char *why; /* why the message is malformed; static */
};

struct message_reader;

/* Create a decoder, for one thread. Exits if out of memory. */
struct message_reader *message_reader_new(void);
void message_reader_free(struct message_reader *reader);

/* Decode a message from the values of its headers Nats-Msg-Id and T2 (NULL: absent) and its
 * payload. After WIRE_NEWER only the id is valid, after WIRE_MALFORMED only `why`. */
enum wire_read message_read(struct message_reader *reader, const char *id, const char *head,
			    const char *payload, size_t len, struct message *out);

#endif
