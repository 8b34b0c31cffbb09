/* SPDX-License-Identifier: MIT */
/*
 * Decode a message of an agent. The content is untrusted: a message is rejected unless it is one
 * zstd frame, with its size in the frame header, of at most WIRE_MAX_UNPACKED bytes.
 */
#ifndef MONITOR_NATS_MESSAGE_H
#define MONITOR_NATS_MESSAGE_H

#include <stddef.h>

#include "monitor/nats/wire.h"

struct message {
	struct wire_head head;
	struct wire_id id;
	/* The lines of the message, each with its LF; borrowed until the next message_read().
	 * SCAN_PAD bytes after them may be read. */
	const char *lines;
	size_t len;
	const char *why; /* what is wrong with a malformed message; static */
};

struct message_reader;

/* Create a decoder. Exits if out of memory. One thread per decoder. */
struct message_reader *message_reader_new(void);
void message_reader_free(struct message_reader *reader);

/*
 * Decode a message from the values of its headers Nats-Msg-Id and T2 (NULL: absent) and its
 * payload. For WIRE_NEWER only the id is valid, for WIRE_MALFORMED only `why`.
 */
enum wire_read message_read(struct message_reader *reader, const char *id, const char *head,
			    const char *payload, size_t len, struct message *out);

#endif
