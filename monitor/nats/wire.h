/* SPDX-License-Identifier: MIT */
/*
 * The protocol of agents and viewers over NATS JetStream: subjects, headers, limits.
 *
 *   subject      trace2.v1.KIND.SITE.HOST; SITE and HOST percent-encoded
 *   payload      one zstd frame with its size in the header: complete EVENT lines, each with its LF,
 *                of one host
 *   Nats-Msg-Id  SITE.HOST:RUN:SEQ; the server drops repeats within two minutes
 *   T2           1 WALL_NS EVENTS LOST FILTERED CODING
 *
 * Readers identify the sender by the subject, because the server's permissions control it. The
 * content of a message is untrusted. Pure functions, any thread.
 */
#ifndef MONITOR_NATS_WIRE_H
#define MONITOR_NATS_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"

#define WIRE_VERSION 1
/* Prefix of every subject; `v` changes with incompatible formats. */
#define WIRE_SUBJECT_ROOT "trace2.v1"
#define WIRE_HEADER       "T2"
#define WIRE_HEADER_ID    "Nats-Msg-Id"
/* Limit of a message's unpacked lines; readers reject more. */
#define WIRE_MAX_UNPACKED (4u << 20)
/* Limit of a message that an agent sends. */
#define WIRE_MAX_LINES (1u << 20)
/* Limit of a message's headers, without its payload. */
#define WIRE_MAX_HEADERS 2048u

/* The three kinds of subjects, and the streams that keep them. */
enum wire_kind {
	WIRE_EVENTS, /* batches of lines */
	WIRE_NOW,    /* the newest summary */
	WIRE_TENMIN, /* one summary per ten minutes */
	NR_WIRE_KINDS
};

extern const char *const wire_kind_words[NR_WIRE_KINDS]; /* "events", as in subjects */
extern const char *const wire_streams[NR_WIRE_KINDS];    /* "EVENTS", the stream's name */

/* ---- names ---- */

/* Limits of a name, decoded and encoded. */
#define WIRE_NAME_BYTES    256u
#define WIRE_ENCODED_BYTES (3 * WIRE_NAME_BYTES)
#define WIRE_SUBJECT_BYTES (2 * WIRE_ENCODED_BYTES + 32)

struct wire_name {
	char site[WIRE_NAME_BYTES], host[WIRE_NAME_BYTES]; /* decoded, not empty */
};

/*
 * Parse "SITE.HOST" as written by a user: SITE up to the first dot, HOST the rest, which may
 * contain dots. Returns false if one is empty or longer than WIRE_NAME_BYTES - 1.
 */
bool wire_name_parse(const char *text, struct wire_name *out);
/* Format "SITE.HOST" decoded; it may contain bytes below 0x20. Always terminated. */
void wire_name_show(const struct wire_name *name, char *out, size_t bytes);

/* Format the subject of a host into `out` of WIRE_SUBJECT_BYTES. */
void wire_subject(enum wire_kind kind, const struct wire_name *name, char *out);
/* The same for a subscription: SITE and HOST may be the wildcard "*". */
void wire_subject_pattern(enum wire_kind kind, const struct wire_name *name, char *out);
/* Parse a subject. Returns false if it is not one of this protocol. */
bool wire_subject_parse(const char *subject, enum wire_kind *kind, struct wire_name *name);

/* ---- headers ---- */

struct wire_head {
	ns_t wall_ns;      /* the agent's clock when the message was sent */
	uint64_t events;   /* lines in it */
	uint64_t lost;     /* lines dropped by the agent since the previous message */
	uint64_t filtered; /* lines filtered out since then */
};

enum wire_read {
	WIRE_OK,
	WIRE_NEWER,     /* another version: "newer than this trace2top" */
	WIRE_MALFORMED, /* invalid, or a CODING other than zstd */
};

/* Format the value of T2 into `out` of WIRE_HEAD_BYTES. */
#define WIRE_HEAD_BYTES 128u
void wire_head_print(const struct wire_head *head, char *out);
enum wire_read wire_head_parse(const char *text, struct wire_head *out);

/* Identifies a message of an agent: RUN is the agent's start (wall ns), SEQ counts from 0. */
struct wire_id {
	int64_t run;
	uint64_t seq;
};

/* Format the value of Nats-Msg-Id into `out` of WIRE_ID_BYTES. */
#define WIRE_ID_BYTES (2 * WIRE_ENCODED_BYTES + 64)
void wire_id_print(const struct wire_name *name, const struct wire_id *id, char *out);
/* Parse RUN and SEQ; the name is ignored, because the subject has it. */
bool wire_id_parse(const char *text, struct wire_id *out);

#endif
