/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/read/recording.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/scan.h"

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

/* Magic 0x184D2A54 of the skippable frames, little endian. */
static const char skippable[4] = { 0x54, 0x2a, 0x4d, 0x18 };
static const char head_tag[] = "T2REC 1\n", chunk_tag[] = "T2CK";

#define TAG_BYTES  4
#define HEAD_BYTES (sizeof(head_tag) - 1)
/*
 * Bytes of a chunk's frame before the compressed index. The size stored in a skippable frame
 * excludes its first 8 bytes.
 */
#define FIXED_BYTES RECORDING_FRAME_BYTES
#define FRAME_BYTES 8
/* Level 3 makes recordings hardly smaller than level 1; level 6 makes them somewhat smaller, for
 * several times the work. */
#define LEVEL 1

static uint64_t get_le(const char *from, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)(unsigned char)from[i] << 8 * i;
	return value;
}

static void recording_append_entry(struct tr2_buf *out, const void *bytes, size_t len)
{
	if (!tr2_buf_add(out, bytes, len))
		die_of_memory(out->len + len);
}

static void recording_put_varint(struct tr2_buf *out, uint64_t value)
{
	char bytes[10];
	size_t nr = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[nr++] = (char)(value | 0x80);
	bytes[nr++] = (char)value;
	recording_append_entry(out, bytes, nr);
}

static void recording_put_text(struct tr2_buf *out, struct recorded_text text)
{
	recording_put_varint(out, text.len);
	recording_append_entry(out, text.text, text.len);
}

static uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* The part of untrusted data that is still to be parsed. */
struct recording_rest {
	const char *at;
	size_t left;
	bool bad;
};

static uint64_t recording_take_varint(struct recording_rest *rest)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && rest->left; shift += 7) {
		unsigned char byte = (unsigned char)*rest->at++;

		rest->left--;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	rest->bad = true;
	return 0;
}

static struct recorded_text recording_take_text(struct recording_rest *rest)
{
	uint64_t len = recording_take_varint(rest);
	struct recorded_text text = { rest->at, (size_t)len };

	if (len > rest->left) {
		rest->bad = true;
		return (struct recorded_text){ "", 0 };
	}
	rest->at += len;
	rest->left -= (size_t)len;
	return text;
}

static ns_t recording_clamp_time(ns_t ns)
{
	return ns < 0 ? 0 : ns > RECORDING_MAX_NS ? RECORDING_MAX_NS : ns;
}

void recording_source_pack(struct tr2_buf *out, const struct recording_source *source)
{
	recording_put_text(out, source->kind);
	recording_put_text(out, source->spec);
}

void recording_open_pack(struct tr2_buf *out, const struct recording_open *open)
{
	recording_put_varint(out, open->source);
	recording_put_varint(out, open->flags);
	recording_put_varint(out, (uint64_t)open->peer_pid);
	recording_put_varint(out, zigzag(open->reference_ns));
	recording_put_text(out, open->format);
	recording_put_text(out, open->name);
	if (open->agent.len || open->user)
		recording_put_text(out, open->agent);
	if (open->user)
		recording_put_varint(out, open->user);
}

bool recording_source_unpack(struct recorded_text text, struct recording_source *out)
{
	struct recording_rest rest = { text.text, text.len, false };

	out->kind = recording_take_text(&rest);
	out->spec = recording_take_text(&rest);
	return !rest.bad;
}

bool recording_open_unpack(struct recorded_text text, struct recording_open *out)
{
	struct recording_rest rest = { text.text, text.len, false };

	out->source = (uint32_t)recording_take_varint(&rest);
	out->flags = (uint32_t)recording_take_varint(&rest);
	out->peer_pid = (int64_t)recording_take_varint(&rest);
	out->reference_ns = unzigzag(recording_take_varint(&rest));
	if (out->reference_ns != recording_clamp_time(out->reference_ns))
		out->reference_ns = NS_NONE;
	out->format = recording_take_text(&rest);
	out->name = recording_take_text(&rest);
	out->agent = rest.left ? recording_take_text(&rest) : (struct recorded_text){ "", 0 };
	out->user = rest.left ? recording_take_varint(&rest) : 0;
	return !rest.bad;
}

static enum recording_check recording_match(const char *bytes, size_t len, size_t at,
					    const char *tag, size_t tag_len)
{
	size_t nr = len < at ? 0 : len - at < tag_len ? len - at : tag_len;

	if (memcmp(bytes + (nr ? at : 0), tag, nr) != 0)
		return LOOK_NO;
	return nr < tag_len ? LOOK_MORE : LOOK_HEAD;
}

enum recording_check recording_look_first(const char *bytes, size_t len)
{
	enum recording_check look = recording_match(bytes, len, 0, skippable, sizeof(skippable));

	/* The version is not compared here; recording_check() checks it. */
	return look == LOOK_HEAD
		       ? recording_match(bytes, len, FRAME_BYTES, head_tag, HEAD_BYTES - 2)
		       : look;
}

static bool recording_look_chunk(const char *at, struct recording_frame *out)
{
	uint64_t payload = get_le(at + 4, 4);

	out->nr_entries = (uint32_t)get_le(at + 12, 4);
	out->nr_data = (uint32_t)get_le(at + 16, 4);
	out->first_ns = recording_clamp_time((ns_t)get_le(at + 20, 8));
	out->last_ns = recording_clamp_time((ns_t)get_le(at + 28, 8));
	out->first_line = get_le(at + 36, 8);
	out->nr_index = (uint32_t)get_le(at + 44, 4);
	out->nr_packed_data = (uint32_t)get_le(at + 48, 4);
	out->bytes = FRAME_BYTES + payload + out->nr_packed_data;
	return payload >= FIXED_BYTES - FRAME_BYTES && payload <= RECORDING_MAX_BYTES &&
	       out->nr_data <= RECORDING_MAX_BYTES && out->nr_index <= RECORDING_MAX_BYTES &&
	       out->nr_packed_data <= RECORDING_MAX_BYTES && out->nr_entries <= out->nr_index;
}

enum recording_check recording_check(const char *bytes, size_t len, struct recording_frame *out)
{
	enum recording_check look = recording_match(bytes, len, 0, skippable, sizeof(skippable));

	if (look != LOOK_HEAD)
		return look;
	look = recording_match(bytes, len, FRAME_BYTES, chunk_tag, TAG_BYTES);
	if (look == LOOK_HEAD && len < FIXED_BYTES)
		return LOOK_MORE;
	if (look == LOOK_HEAD)
		return recording_look_chunk(bytes, out) ? LOOK_CHUNK : LOOK_NO;
	/* The tags of head frames and chunk frames begin with the same bytes. */
	if (recording_match(bytes, len, FRAME_BYTES, head_tag, HEAD_BYTES) != LOOK_HEAD)
		return recording_match(bytes, len, FRAME_BYTES, head_tag, HEAD_BYTES);
	*out = (struct recording_frame){ .bytes = FRAME_BYTES + get_le(bytes + 4, 4) };
	return out->bytes - FRAME_BYTES <= RECORDING_MAX_HEAD ? LOOK_HEAD : LOOK_NO;
}

#ifdef HAVE_ZSTD

static void put_le(char *to, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		to[i] = (char)(value >> 8 * i);
}

bool recording_is_built(void)
{
	return true;
}

/*
 * `last` is the last entry, at offset `last_at` of the index; data can be appended to it while
 * `may_grow` is set. `before_ns`: time of the entry before it.
 */
struct recording_writer {
	struct tr2_buf index, data;
	uint32_t nr_entries;
	ns_t first_ns, now_ns;
	uint64_t nr_lines, lines_before;
	bool may_grow;
	struct recording_entry last;
	size_t last_at;
	ns_t before_ns;
	ZSTD_CCtx *zstd;
};

struct recording_writer *recording_writer_new(void)
{
	struct recording_writer *w = xcalloc(1, sizeof(*w));

	tr2_buf_init(&w->index, RECORDING_MAX_BYTES);
	tr2_buf_init(&w->data, RECORDING_MAX_BYTES);
	w->zstd = ZSTD_createCCtx();
	if (!w->zstd)
		die("out of memory");
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_contentSizeFlag, 1);
	return w;
}

void recording_writer_free(struct recording_writer *w)
{
	if (!w)
		return;
	tr2_buf_release(&w->index);
	tr2_buf_release(&w->data);
	ZSTD_freeCCtx(w->zstd);
	free(w);
}

void recording_head(struct tr2_buf *out, const char *json)
{
	char size[4];
	size_t len = strlen(json);

	put_le(size, HEAD_BYTES + len, 4);
	recording_append_entry(out, skippable, sizeof(skippable));
	recording_append_entry(out, size, sizeof(size));
	recording_append_entry(out, head_tag, HEAD_BYTES);
	recording_append_entry(out, json, len);
}

static void recording_put_entry(struct recording_writer *w, const struct recording_entry *e)
{
	int64_t step = e->arrival_ns / NS_PER_US - w->now_ns / NS_PER_US;

	recording_put_varint(&w->index, (uint64_t)e->kind | (uint64_t)e->stream << 3);
	recording_put_varint(&w->index, zigzag(step));
	switch (e->kind) {
	case RECORDED_SOURCE:
	case RECORDED_OPEN:
	case RECORDED_FORMAT:
		recording_put_text(&w->index, e->text);
		break;
	case RECORDED_BYTES:
		recording_put_varint(&w->index, e->len);
		break;
	case RECORDED_DATAGRAM:
		recording_put_varint(&w->index, (uint64_t)e->len << 2 | e->flags);
		break;
	case RECORDED_END:
		recording_put_varint(&w->index, e->flags);
		recording_put_text(&w->index, e->text);
		break;
	case RECORDED_GAP:
		recording_put_varint(&w->index, zigzag(e->gap_ns));
		recording_put_text(&w->index, e->text);
		break;
	case RECORDED_DROPPED:
		recording_put_varint(&w->index, e->lines);
		recording_put_varint(&w->index, e->bytes);
		break;
	}
}

void recording_add(struct recording_writer *w, const struct recording_entry *entry,
		   const char *data)
{
	struct recording_entry e = *entry;
	bool has_data = e.kind == RECORDED_BYTES || e.kind == RECORDED_DATAGRAM;

	if (!w->nr_entries)
		w->first_ns = w->now_ns = e.arrival_ns;
	if (w->may_grow && e.kind == RECORDED_BYTES && w->last.stream == e.stream &&
	    w->last.arrival_ns == e.arrival_ns) {
		w->index.len = w->last_at;
		e.len += w->last.len;
		w->now_ns = w->before_ns;
	} else {
		w->nr_entries++;
	}
	w->last = e;
	w->before_ns = w->now_ns;
	w->last_at = w->index.len;
	w->may_grow = e.kind == RECORDED_BYTES;
	recording_put_entry(w, &e);
	w->now_ns = e.arrival_ns;
	if (!has_data)
		return;
	recording_append_entry(&w->data, data, entry->len);
	for (const char *at = data, *end = data + entry->len;
	     (at = memchr(at, '\n', (size_t)(end - at))); at++)
		w->nr_lines++;
}

size_t recording_waiting(const struct recording_writer *w)
{
	return w->data.len + w->index.len;
}

static size_t recording_pack(struct recording_writer *w, const struct tr2_buf *from,
			     struct tr2_buf *out)
{
	size_t bound = ZSTD_compressBound(from->len), nr;

	if (!tr2_buf_reserve(out, bound))
		die_of_memory(out->len + bound);
	nr = ZSTD_compress2(w->zstd, out->data + out->len, bound, from->len ? from->data : "",
			    from->len);
	if (ZSTD_isError(nr))
		die("cannot pack a recording: %s", ZSTD_getErrorName(nr));
	out->len += nr;
	return nr;
}

void recording_chunk(struct recording_writer *w, struct tr2_buf *out)
{
	char fixed[FIXED_BYTES] = { 0 };
	size_t at = out->len, index, data;

	if (!w->nr_entries)
		return;
	recording_append_entry(out, fixed, sizeof(fixed));
	index = recording_pack(w, &w->index, out);
	data = recording_pack(w, &w->data, out);
	memcpy(fixed, skippable, sizeof(skippable));
	put_le(fixed + 4, FIXED_BYTES - FRAME_BYTES + index, 4);
	memcpy(fixed + 8, chunk_tag, TAG_BYTES);
	put_le(fixed + 12, w->nr_entries, 4);
	put_le(fixed + 16, w->data.len, 4);
	put_le(fixed + 20, (uint64_t)w->first_ns, 8);
	put_le(fixed + 28, (uint64_t)w->now_ns, 8);
	put_le(fixed + 36, w->lines_before, 8);
	put_le(fixed + 44, w->index.len, 4);
	put_le(fixed + 48, data, 4);
	memcpy(out->data + at, fixed, sizeof(fixed));
	w->lines_before += w->nr_lines;
	w->nr_lines = 0;
	w->nr_entries = 0;
	w->may_grow = false;
	tr2_buf_clear(&w->index);
	tr2_buf_clear(&w->data);
}

struct recording_chunk {
	struct recording_frame frame;
	char *index, *data;
	struct recording_rest rest; /* the part of the index that is still to be parsed */
	size_t data_at;
	uint32_t nr_read;
	ns_t now_ns;
	ZSTD_DCtx *zstd;
};

static const char damaged[] = "a chunk of the recording is damaged";

struct recording_chunk *recording_chunk_new(void)
{
	return xcalloc(1, sizeof(struct recording_chunk));
}

void recording_chunk_close(struct recording_chunk *c)
{
	free(c->index);
	free(c->data);
	ZSTD_freeDCtx(c->zstd);
	*c = (struct recording_chunk){ 0 };
}

void recording_chunk_free(struct recording_chunk *c)
{
	if (!c)
		return;
	recording_chunk_close(c);
	free(c);
}

/* Returns false if the frame is damaged or does not unpack to `to_len` bytes. */
static bool unpack_whole(struct recording_chunk *c, const char *from, size_t len, char *to,
			 size_t to_len)
{
	size_t nr;

	if (ZSTD_findFrameCompressedSize(from, len) != len)
		return false;
	nr = ZSTD_decompressDCtx(c->zstd, to, to_len, from, len);
	return !ZSTD_isError(nr) && nr == to_len;
}

bool recording_chunk_open(struct recording_chunk *c, const char *frame, size_t len,
			  const char **why)
{
	size_t nr_packed_index;
	struct recording_frame *f = &c->frame;

	recording_chunk_close(c);
	*why = damaged;
	if (recording_check(frame, len, f) != LOOK_CHUNK || f->bytes != len)
		return false;
	c->zstd = ZSTD_createDCtx();
	c->index = malloc(f->nr_index + 1u);
	c->data = malloc(f->nr_data + SCAN_PAD + 1u);
	if (!c->zstd || !c->index || !c->data) {
		*why = "not enough memory to unpack it";
		recording_chunk_close(c);
		return false;
	}
	nr_packed_index = len - FIXED_BYTES - f->nr_packed_data;
	if (!unpack_whole(c, frame + FIXED_BYTES, nr_packed_index, c->index, f->nr_index) ||
	    !unpack_whole(c, frame + len - f->nr_packed_data, f->nr_packed_data, c->data,
			  f->nr_data)) {
		recording_chunk_close(c);
		return false;
	}
	memset(c->data + f->nr_data, 0, SCAN_PAD + 1u);
	c->rest = (struct recording_rest){ c->index, f->nr_index, false };
	c->now_ns = f->first_ns;
	return true;
}

static void recording_take_entry(struct recording_rest *rest, struct recording_entry *e)
{
	uint64_t number;

	switch (e->kind) {
	case RECORDED_SOURCE:
	case RECORDED_OPEN:
	case RECORDED_FORMAT:
		e->text = recording_take_text(rest);
		break;
	case RECORDED_BYTES:
		number = recording_take_varint(rest);
		rest->bad |= number > RECORDING_MAX_BYTES;
		e->len = (uint32_t)number;
		break;
	case RECORDED_DATAGRAM:
		number = recording_take_varint(rest);
		rest->bad |= number >> 2 > RECORDING_MAX_BYTES;
		e->len = (uint32_t)(number >> 2);
		e->flags = number & 3;
		break;
	case RECORDED_END:
		e->flags = (uint32_t)recording_take_varint(rest);
		e->text = recording_take_text(rest);
		break;
	case RECORDED_GAP:
		e->gap_ns = unzigzag(recording_take_varint(rest));
		e->text = recording_take_text(rest);
		break;
	case RECORDED_DROPPED:
		e->lines = recording_take_varint(rest);
		e->bytes = recording_take_varint(rest);
		break;
	}
}

bool recording_next(struct recording_chunk *c, struct recording_entry *out, char **data,
		    const char **why)
{
	uint64_t number, step;

	*why = NULL;
	if (!c->rest.left) {
		if (c->nr_read != c->frame.nr_entries || c->data_at != c->frame.nr_data)
			*why = damaged;
		return false;
	}
	number = recording_take_varint(&c->rest);
	step = recording_take_varint(&c->rest);
	*out = (struct recording_entry){ .kind = (enum recorded)(number & 7),
					 .stream = (uint32_t)(number >> 3) };
	/* The index has steps in microseconds; the head of the chunk's frame has the first time in
	 * ns. */
	if (step) {
		ns_t us = ns_add(c->now_ns / NS_PER_US, unzigzag(step));

		c->now_ns = us < 0                              ? 0
			    : us > RECORDING_MAX_NS / NS_PER_US ? RECORDING_MAX_NS
								: us * NS_PER_US;
	}
	out->arrival_ns = c->now_ns;
	recording_take_entry(&c->rest, out);
	if (c->rest.bad || number >> 3 > UINT32_MAX || out->len > c->frame.nr_data - c->data_at) {
		*why = damaged;
		return false;
	}
	*data = c->data + c->data_at;
	c->data_at += out->len;
	c->nr_read++;
	return true;
}

#else

bool recording_is_built(void)
{
	return false;
}

struct recording_writer *recording_writer_new(void)
{
	return NULL;
}

void recording_writer_free(struct recording_writer *w)
{
	(void)w;
}

void recording_head(struct tr2_buf *out, const char *json)
{
	(void)out;
	(void)json;
}

void recording_add(struct recording_writer *w, const struct recording_entry *entry,
		   const char *data)
{
	(void)w;
	(void)entry;
	(void)data;
}

size_t recording_waiting(const struct recording_writer *w)
{
	(void)w;
	return 0;
}

void recording_chunk(struct recording_writer *w, struct tr2_buf *out)
{
	(void)w;
	(void)out;
}

struct recording_chunk *recording_chunk_new(void)
{
	return NULL;
}

void recording_chunk_free(struct recording_chunk *c)
{
	(void)c;
}

bool recording_chunk_open(struct recording_chunk *c, const char *frame, size_t len,
			  const char **why)
{
	(void)c;
	(void)frame;
	(void)len;
	*why = "it is a recording, but this trace2top was built without libzstd";
	return false;
}

bool recording_next(struct recording_chunk *c, struct recording_entry *out, char **data,
		    const char **why)
{
	(void)c;
	(void)out;
	(void)data;
	*why = NULL;
	return false;
}

void recording_chunk_close(struct recording_chunk *c)
{
	(void)c;
}

#endif
