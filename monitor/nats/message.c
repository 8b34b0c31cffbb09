/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/nats/message.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/scan.h"

#ifdef HAVE_ZSTD
#include <zstd.h>
#else
typedef struct nothing ZSTD_DCtx;
#endif

struct message_reader {
	ZSTD_DCtx *zstd;
	char *lines;
	size_t cap;
};

struct message_reader *message_reader_new(void)
{
	return xcalloc(1, sizeof(struct message_reader));
}

void message_reader_free(struct message_reader *r)
{
	if (!r)
		return;
#ifdef HAVE_ZSTD
	ZSTD_freeDCtx(r->zstd);
#endif
	free(r->lines);
	free(r);
}

static enum wire_read message_bad(struct message *out, const char *why)
{
	out->why = why;
	return WIRE_MALFORMED;
}

/* Append an LF if the last line has none, so that the next message is not joined to it. */
static void lines_end(struct message_reader *r, struct message *out)
{
	if (out->len && r->lines[out->len - 1] != '\n')
		r->lines[out->len++] = '\n';
	memset(r->lines + out->len, 0, SCAN_PAD);
	out->lines = r->lines;
}

static enum wire_read unpack(struct message_reader *r, const char *payload, size_t len,
			     struct message *out)
{
#ifdef HAVE_ZSTD
	unsigned long long bytes = ZSTD_getFrameContentSize(payload, len);
	size_t nr;

	if (bytes == ZSTD_CONTENTSIZE_ERROR)
		return message_bad(out, "not a zstd frame");
	if (bytes == ZSTD_CONTENTSIZE_UNKNOWN)
		return message_bad(out, "zstd frame without a size");
	if (bytes > WIRE_MAX_UNPACKED)
		return message_bad(out, "larger than 4 MiB");
	if (ZSTD_findFrameCompressedSize(payload, len) != len)
		return message_bad(out, "not exactly one zstd frame");
	if (r->cap < bytes + 1 + SCAN_PAD) {
		r->cap = (size_t)bytes + 1 + SCAN_PAD;
		free(r->lines);
		r->lines = xmalloc(r->cap);
	}
	if (!r->zstd)
		r->zstd = ZSTD_createDCtx();
	if (!r->zstd)
		die_of_memory(r->cap);
	nr = ZSTD_decompressDCtx(r->zstd, r->lines, (size_t)bytes, payload, len);
	if (ZSTD_isError(nr) || nr != bytes)
		return message_bad(out, "cannot be decompressed");
	out->len = nr;
	lines_end(r, out);
	return WIRE_OK;
#else
	(void)r;
	(void)payload;
	(void)len;
	(void)lines_end;
	return message_bad(out, "this trace2top was built without libzstd");
#endif
}

enum wire_read message_read(struct message_reader *r, const char *id, const char *head,
			    const char *payload, size_t len, struct message *out)
{
	enum wire_read read;

	*out = (struct message){ 0 };
	if (!id || !wire_id_parse(id, &out->id))
		return message_bad(out, "missing or malformed header " WIRE_HEADER_ID);
	if (!head)
		return message_bad(out, "no header " WIRE_HEADER);
	read = wire_head_parse(head, &out->head);
	if (read == WIRE_MALFORMED)
		return message_bad(out, "malformed header " WIRE_HEADER);
	return read == WIRE_OK ? unpack(r, payload, len, out) : read;
}
