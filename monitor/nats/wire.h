/* SPDX-License-Identifier: MIT */
/*
 * What an agent and a viewer say to each other through NATS JetStream: subjects, headers, limits.
 *
 *   subject      trace2.v1.KIND.SITE.HOST; SITE and HOST percent-encoded
 *   payload      one zstd frame that tells its size: whole lines of EVENT, each with its LF, of one
 *                host
 *   Nats-Msg-Id  SITE.HOST:RUN:SEQ; the server drops a repeat of two minutes
 *   T2           1 WALL_NS EVENTS LOST FILTERED CODING
 *
 * Whoever reads takes the subject for who speaks: it is what a server grants. All that stands in a
 * message anybody may have made up. Pure functions, any thread.
 */
#ifndef MONITOR_NATS_WIRE_H
#define MONITOR_NATS_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"

#define WIRE_VERSION 1
/* Begins every subject; another `v` where a reader of this one could not read on. */
#define WIRE_SUBJECT_ROOT "trace2.v1"
#define WIRE_HEADER       "T2"
#define WIRE_HEADER_ID    "Nats-Msg-Id"
/* What a message's lines may be, unpacked: of more a reader takes nothing. */
#define WIRE_MAX_UNPACKED (4u << 20)
/* What an agent gathers into one. */
#define WIRE_MAX_LINES (1u << 20)
/* What the headers take of a message at most, beside its payload. */
#define WIRE_MAX_HEADERS 2048u

/* The three kinds of subjects, and the streams that keep them. */
enum wire_kind {
	WIRE_EVENTS, /* batches of lines */
	WIRE_NOW,    /* the newest summary */
	WIRE_TENMIN, /* a summary for each ten minutes */
	NR_WIRE_KINDS
};

extern const char *const wire_kind_words[NR_WIRE_KINDS]; /* "events", as in subjects */
extern const char *const wire_streams[NR_WIRE_KINDS];    /* "EVENTS", the stream's name */

/* ---- names ---- */

/* What a name may have, decoded, and the most that it takes encoded. */
#define WIRE_NAME_BYTES    256u
#define WIRE_ENCODED_BYTES (3 * WIRE_NAME_BYTES)
#define WIRE_SUBJECT_BYTES (2 * WIRE_ENCODED_BYTES + 32)

struct wire_name {
	char site[WIRE_NAME_BYTES], host[WIRE_NAME_BYTES]; /* decoded, neither empty */
};

/*
 * Take "SITE.HOST" apart, as a person writes it: SITE up to the first dot, HOST all behind it,
 * dots and all. False where one is empty, or longer than WIRE_NAME_BYTES - 1.
 */
bool wire_name_parse(const char *text, struct wire_name *out);
/* "SITE.HOST" for people, decoded; bytes below 0x20 may be in it. Always terminated. */
void wire_name_show(const struct wire_name *name, char *out, size_t bytes);

/* The subject of a host into WIRE_SUBJECT_BYTES. */
void wire_subject(enum wire_kind kind, const struct wire_name *name, char *out);
/* The same, for a subscription: SITE, HOST or both may be "*", which is any. */
void wire_subject_pattern(enum wire_kind kind, const struct wire_name *name, char *out);
/* Take a subject apart. False where it is none of ours. */
bool wire_subject_parse(const char *subject, enum wire_kind *kind, struct wire_name *name);

/* ---- headers ---- */

struct wire_head {
	ns_t wall_ns;      /* the agent's clock when the message was sent */
	uint64_t events;   /* lines in it */
	uint64_t lost;     /* lines that the agent dropped since the message before */
	uint64_t filtered; /* lines that it held back on purpose since then */
};

enum wire_read {
	WIRE_OK,
	WIRE_NEWER,     /* another version: "newer than this trace2top" */
	WIRE_MALFORMED, /* none, or a CODING that is not zstd */
};

/* The value of T2; enough room is WIRE_HEAD_BYTES. */
#define WIRE_HEAD_BYTES 128u
void wire_head_print(const struct wire_head *head, char *out);
enum wire_read wire_head_parse(const char *text, struct wire_head *out);

/* Which message of its agent one is: RUN is when that began (wall ns), SEQ counts from 0. */
struct wire_id {
	int64_t run;
	uint64_t seq;
};

/* The value of Nats-Msg-Id; enough room is WIRE_ID_BYTES. */
#define WIRE_ID_BYTES (2 * WIRE_ENCODED_BYTES + 64)
void wire_id_print(const struct wire_name *name, const struct wire_id *id, char *out);
/* RUN and SEQ of it; the name in it is not looked at: the subject says it. */
bool wire_id_parse(const char *text, struct wire_id *out);

#endif
