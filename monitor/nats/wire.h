/* SPDX-License-Identifier: MIT */
/*
 * The protocol of agents and viewers over NATS JetStream: subjects, headers, limits.
 *
 *   subject      trace2.v1.KIND.SITE.HOST; SITE and HOST percent-encoded
 *   payload      of events: one zstd frame, whose header has its size: complete EVENT lines of one
 *                host, each with its LF
 *   Nats-Msg-Id  SITE.HOST:RUN:SEQ, by which the server drops repeats
 *   T2           VERSION WALL_NS EVENTS LOST FILTERED CODING: numbers (struct wire_head), then zstd
 *
 * Readers identify the sender by the subject, which the server's permissions control. The content
 * of a message is untrusted. Any thread.
 */
#ifndef MONITOR_NATS_WIRE_H
#define MONITOR_NATS_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"

#define WIRE_VERSION 1
/* Beginning of subjects. `v1` changes when the format becomes incompatible. */
#define WIRE_SUBJECT_ROOT "trace2.v1"
#define WIRE_HEADER       "T2"
#define WIRE_HEADER_ID    "Nats-Msg-Id"
/* Maximum bytes of a message's decompressed lines. */
#define WIRE_MAX_UNPACKED (4u << 20)
/* Bytes of lines at which a message of an agent is full. */
#define WIRE_MAX_LINES (1u << 20)
/* Maximum bytes of a message's headers. */
#define WIRE_MAX_HEADERS 2048u

/* Kinds of subjects, each with a JetStream stream. */
enum wire_kind {
	WIRE_EVENTS, /* batches of EVENT lines */
	WIRE_NOW,    /* newest summary of a host */
	WIRE_TENMIN, /* summary of a host per ten minutes */
	NR_WIRE_KINDS
};

/* words in subjects, such as "events" */
extern const char *const wire_kind_words[NR_WIRE_KINDS];
/* JetStream streams, such as "EVENTS" */
extern const char *const wire_streams[NR_WIRE_KINDS];

/* Sizes of buffers for a site or host, decoded and encoded, with the NUL; for a subject. */
#define WIRE_NAME_BYTES    256u
#define WIRE_ENCODED_BYTES (3 * WIRE_NAME_BYTES)
#define WIRE_SUBJECT_BYTES (2 * WIRE_ENCODED_BYTES + 32)

struct wire_name {
	char site[WIRE_NAME_BYTES], host[WIRE_NAME_BYTES]; /* decoded, not empty */
};

/* Parse "SITE.HOST" as a user writes it; SITE ends at the first dot. Returns false if SITE or HOST
 * is empty or too long. */
bool wire_name_parse(const char *text, struct wire_name *out);
/* Format a name as "SITE.HOST", decoded, perhaps with control characters. */
void wire_name_show(const struct wire_name *name, char *out, size_t bytes);

/* Format the subject of an agent into `out` (WIRE_SUBJECT_BYTES). */
void wire_subject(enum wire_kind kind, const struct wire_name *name, char *out);
/* Format a subject to subscribe to; SITE and HOST may be "*". */
void wire_subject_pattern(enum wire_kind kind, const struct wire_name *name, char *out);
/* Parse a subject. Returns false if it does not belong to this protocol. */
bool wire_subject_parse(const char *subject, enum wire_kind *kind, struct wire_name *name);

struct wire_head {
	ns_t wall_ns;    /* time of sending the message, by the agent's clock */
	uint64_t events; /* lines in the message */
	uint64_t lost;   /* lines that the agent dropped since its previous message */
	/* lines that the agent's filter removed since its previous message */
	uint64_t filtered;
};

enum wire_read {
	WIRE_OK,
	WIRE_NEWER,     /* the message uses another version of the protocol */
	WIRE_MALFORMED, /* the message is invalid or cannot be decoded */
};

/* Format the value of the header T2 into `out` (WIRE_HEAD_BYTES). */
#define WIRE_HEAD_BYTES 128u
void wire_head_print(const struct wire_head *head, char *out);
/* Parse the value of the header T2. `*out` changes only if the result is WIRE_OK. */
enum wire_read wire_head_parse(const char *text, struct wire_head *out);

/* Identifies a message of an agent: RUN is the start of the agent's run (wall time in ns), SEQ
 * counts the run's messages from 0. */
struct wire_id {
	int64_t run;
	uint64_t seq;
};

/* Format the value of the header Nats-Msg-Id into `out` (WIRE_ID_BYTES). */
#define WIRE_ID_BYTES (2 * WIRE_ENCODED_BYTES + 64)
void wire_id_print(const struct wire_name *name, const struct wire_id *id, char *out);
/* Parse RUN and SEQ of a message id; its name is ignored. */
bool wire_id_parse(const char *text, struct wire_id *out);

#endif
