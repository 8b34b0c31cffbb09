/* SPDX-License-Identifier: MIT */
/*
 * A spool: a directory in which messages wait that a server has not stored, a file each, named
 * RUN-SEQ, so that names sort as messages came. The first line of a file, WIRE_HEAD_BYTES long, is
 * the value of T2 and how many bytes follow; then the message. Who has it locks the directory.
 *
 * A file gets its name when it is whole; one that is shorter than it says was torn by a power cut.
 * Files are for their owner alone (0600). One thread at a time.
 */
#ifndef MONITOR_SPOOL_H
#define MONITOR_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/nats/wire.h"

#define SPOOL_MAX_BYTES (256u << 20)

struct spool;

/* Open the directory; made where it is not there. NULL, with a line of `why`: also where others may
 * write to it. */
struct spool *spool_open(const char *path, char *why, size_t why_bytes);
void spool_close(struct spool *spool);

/* `found` is called with each file, in their order. One that is torn is removed, and of one whose
 * head can be read its events are added to `*torn`. What cannot be looked at now, for want of
 * descriptors or memory, stays for the next start: a line on stderr. */
void spool_scan(struct spool *spool,
		void (*found)(void *data, const struct wire_id *id, const struct wire_head *head,
			      size_t len),
		void *data, uint64_t *torn);
/* Write a message; false with errno. */
bool spool_write(struct spool *spool, const struct wire_id *id, const struct wire_head *head,
		 const char *bytes, size_t len);
/* Write the head of a message anew, which is there; false with errno. */
bool spool_rehead(struct spool *spool, const struct wire_id *id, const struct wire_head *head,
		  size_t len);
/* Its `len` bytes, malloc()ed. NULL with errno: it is not there any more, was torn (ENODATA), or
 * cannot be read now (shortage_is()). */
char *spool_read(struct spool *spool, const struct wire_id *id, size_t len);
void spool_remove(struct spool *spool, const struct wire_id *id);

#endif
