/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: parse a message of an agent as a viewer does. Byte 0 has flags; then three lines
 * (Nats-Msg-Id, T2, subject); the rest is the payload. With FLAG_PACKS a target with libzstd
 * compresses the payload first, so that the frame is valid.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "monitor/base/scan.h"
#include "monitor/nats/received.h"
#include "monitor/nats/message.h"
#include "monitor/nats/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FLAG_PACKS = 1 };

static struct message_reader *reader;

static void expect(bool ok)
{
	if (!ok)
		abort();
}

/* Return a copy of the next line; NULL if no newline follows. */
static char *line_take(const uint8_t **data, size_t *size)
{
	const uint8_t *end = memchr(*data, '\n', *size);
	size_t len = end ? (size_t)(end - *data) : 0;
	char *line = end ? strndup((const char *)*data, len) : NULL;

	if (end) {
		*data += len + 1;
		*size -= len + 1;
	}
	return line;
}

static void check_message(const struct message *m)
{
	int sum = 0;

	expect(m->len <= WIRE_MAX_UNPACKED + 1);
	expect(!m->len || m->lines[m->len - 1] == '\n');
	/* json.h may read SCAN_PAD bytes after the lines. */
	for (size_t i = 0; i < SCAN_PAD; i++)
		sum |= m->lines[m->len + i];
	expect(sum == 0);
}

static void check_heard(const struct wire_id *id)
{
	struct received received = { 0 };
	struct received_news news;

	received_message(&received, id, &news);
	expect(!news.is_repeat && !news.missed);
	received_message(&received, id, &news);
	expect(news.is_repeat || id->seq == UINT64_MAX);
	received_clock(&received, (ns_t)id->seq, id->run);
	received_skew(&received, id->run);
}

static void one(const char *id, const char *head, const char *payload, size_t len)
{
	struct message first, second;
	enum wire_read is = message_read(reader, id, head, payload, len, &first), again;

	if (is == WIRE_OK)
		check_message(&first);
	else if (is == WIRE_MALFORMED)
		expect(first.why && *first.why);
	if (is != WIRE_MALFORMED)
		check_heard(&first.id);
	again = message_read(reader, id, head, payload, len, &second);
	expect(is == again && first.len == second.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *id, *head, *subject;
	struct wire_name name;
	enum wire_kind kind;
	uint8_t flags;

	if (!size)
		return 0;
	if (!reader)
		reader = message_reader_new();
	flags = *data++;
	size--;
	id = line_take(&data, &size);
	head = line_take(&data, &size);
	subject = line_take(&data, &size);
	if (subject && wire_subject_parse(subject, &kind, &name))
		expect(*name.site && *name.host && kind < NR_WIRE_KINDS);
#ifdef HAVE_ZSTD
	if (flags & FLAG_PACKS) {
		size_t bound = ZSTD_compressBound(size);
		char *packed = malloc(bound);
		size_t nr = packed ? ZSTD_compress(packed, bound, data, size, 1) : 0;

		one(id, head, packed, nr);
		free(packed);
		size = 0;
	}
#endif
	if (size || !(flags & FLAG_PACKS))
		one(id, head, (const char *)data, size);
	free(id);
	free(head);
	free(subject);
	return 0;
}
