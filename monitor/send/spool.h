/* SPDX-License-Identifier: MIT */
/*
 * A spool is a directory of messages that no server has stored yet, one file per message. Files are
 * named RUN-SEQ, so that names sort in message order. A file's first line, WIRE_HEAD_BYTES long,
 * has the value of the header T2 and the number of bytes of the message, which follows. The
 * directory is locked while the spool is open.
 *
 * A file gets its final name when it is complete. A file whose message is shorter than its first
 * line states was truncated. Files have mode 0600. Used by one thread at a time.
 */
#ifndef MONITOR_SPOOL_H
#define MONITOR_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/nats/wire.h"

#define SPOOL_MAX_BYTES (256u << 20)

struct spool;

/* Open the directory of a spool; create it if needed. Returns NULL with one line in `why` if the
 * directory cannot be used, for example because others can write to it. */
struct spool *spool_open(const char *path, char *why, size_t why_bytes);
void spool_close(struct spool *spool);

/*
 * Call `found` with each message in order. Truncated and damaged files are removed; if their first
 * line is valid, their events, and those that they report as lost, are added to `*torn`. Files that
 * cannot be read now are kept, and reported on stderr.
 */
void spool_scan(struct spool *spool,
		void (*found)(void *data, const struct wire_id *id, const struct wire_head *head,
			      size_t len),
		void *data, uint64_t *torn);
/* Write a message. Returns false with errno on error. */
bool spool_write(struct spool *spool, const struct wire_id *id, const struct wire_head *head,
		 const char *bytes, size_t len);
/* Overwrite the head (first line) of a message. Returns false with errno on error. */
bool spool_rehead(struct spool *spool, const struct wire_id *id, const struct wire_head *head,
		  size_t len);
/* Read a message of `len` bytes; the caller frees it. Returns NULL with errno on failure;
 * ENODATA: the file is truncated. */
char *spool_read(struct spool *spool, const struct wire_id *id, size_t len);
void spool_remove(struct spool *spool, const struct wire_id *id);

#endif
