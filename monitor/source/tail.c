/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/source/tail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"
#include "monitor/base/platform.h"
#include "monitor/source/ring_file.h"
#include "monitor/source/source.h"
#include "monitor/stream/packed.h"

/* Number of bytes before the read offset whose hash shows whether the file was rewritten. */
#define MARK_BYTES 4096
#define HEAD_BYTES 512
/* Hashes of lines are not kept if the incomplete last line is longer than this, because each
 * read would include its beginning. */
#define LINE_MAX_BYTES (64 << 10)
/*
 * Assumed resolution of mtime: a file that was written less than this ago may be written again
 * without a change of its mtime.
 */
#define TICK_NS (50 * NS_PER_MS)
/* Maximum number of times that one read may find the file rewritten. */
#define RESYNCS_MAX 4
/* Maximum new bytes per read of a file that is known to be compressed. */
#define PACKED_READ_BYTES (16u << 10)

static int64_t mtime_of(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * NS_PER_SEC + st->st_mtim.tv_nsec;
}

void tail_init(struct tail *t, const struct stat *st, int fd)
{
	*t = (struct tail){ .dev = st->st_dev,
			    .ino = st->st_ino,
			    .fd = fd,
			    .size = -1,
			    .has_lines = true,
			    .is_new = true };
}

/* Read `len` bytes, or fewer at the end of the file: some file systems return short reads. */
static ssize_t tail_read_at(const struct tail *t, char *buf, size_t len, off_t at)
{
	size_t got = 0;
	ssize_t n;

	do {
		n = pread(t->fd, buf + got, len - got, at + (off_t)got);
		if (n > 0)
			got += (size_t)n;
	} while ((n < 0 && errno == EINTR) ||
		 (n > 0 && got < len && (t->size < 0 || at + (off_t)got < t->size)));
	return n < 0 ? -1 : (ssize_t)got;
}

void tail_is_old(struct tail *t, struct source *s, off_t bytes)
{
	t->old_left = bytes;
	s->origin.stats.old_bytes += (uint64_t)bytes;
	s->origin.stats.old_files += bytes > 0;
}

static void old_take(struct tail *t, struct source *s, off_t bytes)
{
	off_t taken = bytes < t->old_left ? bytes : t->old_left;

	if (!t->old_left)
		return;
	t->old_left -= taken;
	s->origin.stats.old_bytes_read += (uint64_t)taken;
	s->origin.stats.old_files_read += !t->old_left;
}

void tail_old_end(struct tail *t, struct source *s)
{
	old_take(t, s, t->old_left);
}

void tail_leave(struct tail *t, struct source *s)
{
	s->origin.stats.left_bytes += (uint64_t)t->old_left;
	s->origin.stats.left_files += t->old_left > 0;
	tail_skip(t, s);
	t->live = true;
}

/*
 * State of a followed file between two reads:
 *
 *   0 ........ line_start ........ offset ............ the file's end
 *   \_ lines _/             \_ mark _/ \_ not read yet _/
 *
 * - All bytes before `offset` were delivered to the stream or skipped; none after it was, unless a
 *   compressed file is read again.
 * - `mark` is the hash of the last MARK_BYTES before `offset` (or of all, if fewer) as delivered.
 *   Each read includes these bytes. If they are unchanged, the bytes after them are delivered.
 *   Otherwise resync() moves `offset` back.
 * - If `has_lines`, `lines` are the hashes of all complete lines up to `line_start`, and there is
 *   no LF from there to `offset`, so the file can be compared line by line. Else
 *   `head`, the hash of the first bytes, shows whether a shorter file was only truncated.
 */

static void tail_lines_forget(struct tail *t)
{
	free(t->lines);
	t->lines = NULL;
	t->nr_lines = t->cap_lines = 0;
	t->has_lines = false;
}

static uint32_t line_hash(const char *line, size_t len)
{
	return (uint32_t)tr2_hash(line, len);
}

static void tail_line_add(struct tail *t, const char *line, size_t len)
{
	if (t->nr_lines == t->cap_lines) {
		t->cap_lines = t->cap_lines ? t->cap_lines * 2 : 16;
		t->lines = xreallocarray(t->lines, t->cap_lines, sizeof(*t->lines));
	}
	t->lines[t->nr_lines++] = line_hash(line, len);
}

static size_t back_of(const struct tail *t)
{
	size_t mark = t->offset < MARK_BYTES ? (size_t)t->offset : MARK_BYTES;
	size_t line = t->has_lines ? (size_t)(t->offset - t->line_start) : 0;

	return line > mark ? line : mark;
}

static uint64_t mark_of(const char *end, off_t offset)
{
	size_t len = offset < MARK_BYTES ? (size_t)offset : MARK_BYTES;

	return tr2_hash(end - len, len);
}

/* Update the hashes after a read of `len` new bytes up to `end`, which the back_of() bytes
 * precede. */
static void remember(struct tail *t, const char *end, size_t len)
{
	const char *line, *lf;

	if (t->offset == (off_t)len) {
		t->head_bytes = len < HEAD_BYTES ? (uint32_t)len : HEAD_BYTES;
		t->head = tr2_hash(end - len, t->head_bytes);
	}
	t->mark = mark_of(end, t->offset);
	if (!t->has_lines)
		return;
	line = end - (t->offset - t->line_start);
	for (const char *at = end - len; (lf = memchr(at, '\n', (size_t)(end - at))); at = line) {
		tail_line_add(t, line, (size_t)(lf + 1 - line));
		line = lf + 1;
	}
	t->line_start = t->offset - (end - line);
	if (t->offset > TAIL_LINES_BYTES || t->offset - t->line_start > LINE_MAX_BYTES)
		tail_lines_forget(t);
}

/* Return the offset after the last LF before `end`; 0: no LF, or it is too far back for a valid
 * line; -1 with errno if reading fails. */
static off_t line_end_before(const struct tail *t, char *buf, off_t end)
{
	for (off_t to = end, from; to > 0 && end - to <= (off_t)SPLITTER_MAX_LINE_BYTES;
	     to = from) {
		from = to > (off_t)SOURCE_BUF_BYTES ? to - (off_t)SOURCE_BUF_BYTES : 0;
		ssize_t n = tail_read_at(t, buf, (size_t)(to - from), from);
		const char *lf = n > 0 ? platform_find_last(buf, '\n', (size_t)n) : NULL;

		if (n < 0)
			return -1;
		if (lf)
			return from + (lf + 1 - buf);
	}
	return 0;
}

/* Return the end of the unchanged lines at the file's beginning; -1 with errno if reading fails. */
static off_t lines_common(struct tail *t, char *buf)
{
	off_t at = 0;
	uint32_t nr = 0;

	while (nr < t->nr_lines) {
		ssize_t n = tail_read_at(t, buf, SOURCE_BUF_BYTES, at);
		const char *line = buf, *lf;

		if (n < 0)
			return -1;
		while (n > 0 && nr < t->nr_lines &&
		       (lf = memchr(line, '\n', (size_t)(buf + n - line))) &&
		       line_hash(line, (size_t)(lf + 1 - line)) == t->lines[nr]) {
			nr++;
			line = lf + 1;
		}
		if (line == buf)
			break;
		at += line - buf;
	}
	t->nr_lines = nr;
	return at;
}

static off_t common(struct tail *t, char *buf)
{
	struct stat st;
	ssize_t n;

	if (t->has_lines)
		return lines_common(t, buf);
	if (fstat(t->fd, &st) || (n = tail_read_at(t, buf, t->head_bytes, 0)) < 0)
		return -1;
	if (!t->head_bytes || st.st_size >= t->offset || n != (ssize_t)t->head_bytes ||
	    tr2_hash(buf, t->head_bytes) != t->head)
		return 0;
	return line_end_before(t, buf, st.st_size);
}

/* Between two reads the stream exists only if it has state; else it is created again with its
 * number and format. */
static struct stream *stream_get(struct tail *t, struct source *s, int64_t mtime_ns)
{
	if (!t->stream) {
		t->stream = xcalloc(1, sizeof(*t->stream));
		if (t->is_new) {
			stream_init(t->stream, &s->origin);
			t->number = t->stream->number;
			t->is_new = false;
		} else {
			stream_init_again(t->stream, &s->origin, t->number);
		}
		if (t->refuses)
			stream_refuse_others(t->stream);
		if (t->started)
			stream_go_on(t->stream, t->format);
		else
			stream_may_be_packed(t->stream);
		t->stream->about.one_process = t->one_process;
		t->stream->has_uid = t->one_process && t->has_uid;
		t->stream->uid = t->uid;
		t->stream->about.reference_ns = t->live ? NS_NONE : mtime_ns;
	}
	t->stream->name = t->name;
	t->stream->live = t->live;
	t->stream->about.is_skipped = t->skips;
	return t->stream;
}

static void stream_put(struct tail *t)
{
	struct stream *stream = t->stream;

	if (!stream)
		return;
	t->foreign |= stream->splitter.foreign;
	if (stream_has_state(stream)) {
		if (!stream->reader)
			stream_keep_name(stream);
		return;
	}
	t->started = true;
	t->format = stream->format;
	stream_release(stream);
	free(stream);
	t->stream = NULL;
}

static void stream_drop(struct tail *t)
{
	if (!t->stream)
		return;
	stream_release(t->stream);
	free(t->stream);
	t->stream = NULL;
}

static bool needs_beginning(const struct tail *t)
{
	return t->stream && (stream_is_own(t->stream) || stream_is_packed(t->stream));
}

static void go_back(struct tail *t)
{
	tail_lines_forget(t);
	t->offset = t->line_start = 0;
}

enum beginning {
	BEGINS_ANEW,  /* the first bytes differ from the kept ones: the file was rewritten */
	BEGINS_SHORT, /* the file is shorter than the kept first bytes */
	BEGINS_AS_EVER,
	BEGINS_ERROR, /* the file could not be read: errno */
};

static enum beginning packed_check(const struct tail *t, char *buf)
{
	const char *first;
	size_t nr = stream_packed_first(t->stream, &first);
	ssize_t n = tail_read_at(t, buf, nr, 0);

	if (n < 0)
		return BEGINS_ERROR;
	if (memcmp(buf, first, (size_t)n) != 0)
		return BEGINS_ANEW;
	return (size_t)n < nr ? BEGINS_SHORT : BEGINS_AS_EVER;
}

/* Find the offset where reading of a rewritten file continues. Returns false, without changes,
 * if the file cannot be read. */
static bool resync(struct tail *t, struct source *s)
{
	char *buf = s->context->buf;
	bool was_packed = t->stream && stream_is_packed(t->stream);
	off_t at;
	size_t len;

	/* Decompress from the beginning; packed_check() then compares the first bytes. */
	if (was_packed && t->offset) {
		stream_unpack_again(t->stream);
		go_back(t);
		s->origin.stats.nr_restarts++;
		return true;
	}
	at = needs_beginning(t) ? 0 : common(t, buf);
	if (at < 0)
		return false;
	if (t->stream) {
		/* Discard the decompressor first, so that stream_end() reports no incomplete
		 * compressed data. */
		packed_release(t->stream);
		stream_end(t->stream, false);
	}
	stream_drop(t);
	t->offset = t->line_start = at;
	if (!t->offset) {
		tail_lines_forget(t);
		t->has_lines = true;
		t->started = t->foreign = false;
	}
	len = t->offset < MARK_BYTES ? (size_t)t->offset : MARK_BYTES;
	if (tail_read_at(t, buf, len, t->offset - (off_t)len) == (ssize_t)len)
		t->mark = mark_of(buf + len, t->offset);
	s->origin.stats.nr_restarts += !was_packed;
	return true;
}

bool tail_has_changed(const struct tail *t, const struct stat *st)
{
	return st->st_size != t->size || mtime_of(st) != t->mtime_ns;
}

/* Returns false if the stream did not use all bytes or has more decompressed data. */
static bool tail_take(struct tail *t, struct source *s, const char *bytes, size_t n, size_t *budget,
		      int64_t mtime_ns)
{
	struct stream *stream = stream_get(t, s, mtime_ns);
	size_t used = stream_feed_some(stream, bytes, n, budget);

	if (needs_beginning(t))
		tail_lines_forget(t);
	t->grew_ns = tr2_clock_monotonic();
	t->offset += (off_t)used;
	remember(t, bytes + used, used);
	/* Not a trace: the remaining bytes are not read, but count as bytes of the source. */
	t->foreign |= stream->splitter.foreign;
	if (t->foreign && t->size > t->offset)
		*(stream_is_packed(stream) ? &s->origin.stats.packed_bytes
					   : &s->origin.framed.nr_bytes) +=
			(uint64_t)(t->size - t->offset);
	return used == n && !stream_has_more(stream);
}

/* True if none of the file was read yet and no format but EVENT was given. */
static bool may_be_ring(const struct tail *t, const struct source *s)
{
	return !t->ring && !t->was_ring && !t->offset && !t->started && !t->foreign && !t->stream &&
	       (s->origin.format < 0 || s->origin.format == READER_EVENT);
}

/* Read at most about `*budget` bytes. Returns TAIL_MORE if there may be more or the file was
 * rewritten; but TAIL_END after more than RESYNCS_MAX rewrites. */
static enum tail_result tail_read_some(struct tail *t, struct source *s, size_t *budget,
				       int64_t mtime_ns, int *resyncs)
{
	char *buf = s->context->buf;
	bool packed = t->stream && stream_is_packed(t->stream);
	size_t back = back_of(t), room = SOURCE_BUF_BYTES - back, want = *budget;
	enum beginning begins;
	ssize_t n;

	/* Decompressed bytes use up the budget, and unused input is read again. */
	if (packed && want > PACKED_READ_BYTES)
		want = PACKED_READ_BYTES;
	/* If the file is not a trace, read only the bytes that show a rewrite. */
	room = t->foreign ? 0 : room < want ? room : want;
	begins = packed && !t->offset ? packed_check(t, buf) : BEGINS_AS_EVER;
	if (begins == BEGINS_ERROR)
		return TAIL_ERROR;
	if (begins == BEGINS_SHORT)
		return TAIL_END;
	if (begins == BEGINS_ANEW)
		return resync(t, s) ? TAIL_MORE : TAIL_ERROR;
	n = tail_read_at(t, buf, back + room, t->offset - (off_t)back);
	if (n < 0)
		return TAIL_ERROR;
	if ((size_t)n < back || (t->offset && mark_of(buf + back, t->offset) != t->mark)) {
		if (++*resyncs > RESYNCS_MAX)
			return TAIL_END;
		return resync(t, s) ? TAIL_MORE : TAIL_ERROR;
	}
	n -= (ssize_t)back;
	/* The file became a ring file after ring_begin(): check again. */
	if (may_be_ring(t, s) && ring_is_magic(buf, (size_t)n))
		return ++*resyncs > RESYNCS_MAX ? TAIL_END : TAIL_MORE;
	if ((n || (t->stream && stream_has_more(t->stream))) &&
	    !tail_take(t, s, buf + back, (size_t)n, budget, mtime_ns))
		return TAIL_MORE;
	return (size_t)n < room || !room ? TAIL_END : TAIL_MORE;
}

/* Returns false with errno if the file is a ring file but cannot be followed. */
static bool ring_begin(struct tail *t, struct source *s, const struct stat *st)
{
	if (!may_be_ring(t, s) || !ring_file_is(t->fd))
		return true;
	t->ring = ring_file_new(s, t->fd, st, t->live);
	if (!t->ring)
		return false;
	tail_lines_forget(t);
	/* `skips`: tail_skip() could not skip the existing data yet. */
	if (t->skips)
		ring_file_skip(t->ring);
	t->skips = false;
	return true;
}

bool tail_ring_is_over(struct tail *t, struct source *s)
{
	if (!t->ring || !ring_file_is_over(t->ring))
		return false;
	t->foreign = ring_file_is_foreign(t->ring);
	t->was_ring = true;
	ring_file_end(t->ring);
	t->ring = NULL;
	tail_old_end(t, s);
	return true;
}

static enum tail_result ring_read(struct tail *t, struct source *s, size_t *budget)
{
	enum tail_result result = ring_file_read(t->ring, t->name, budget);

	/* Set the offset so that no data counts as unread. */
	t->offset = t->line_start = t->size;
	t->grew_ns = tr2_clock_monotonic();
	if (result == TAIL_MORE)
		return result;
	t->live = true;
	tail_old_end(t, s);
	tail_ring_is_over(t, s);
	return result;
}

enum tail_result tail_read(struct tail *t, struct source *s, size_t *budget)
{
	enum tail_result result = TAIL_MORE;
	struct stat st;
	int resyncs = 0;

	if (fstat(t->fd, &st))
		return TAIL_ERROR;
	if (s->context->config.once)
		t->has_lines = false;
	t->size = st.st_size;
	t->uid = st.st_uid;
	t->has_uid = true;
	t->mtime_ns = tr2_clock_wall() - mtime_of(&st) < TICK_NS ? -1 : mtime_of(&st);
	if (t->was_ring)
		return TAIL_END;
	while (*budget && result == TAIL_MORE) {
		off_t before = t->offset;

		if (!ring_begin(t, s, &st)) {
			result = TAIL_ERROR;
			break;
		}
		if (t->ring)
			return ring_read(t, s, budget);
		if (t->stream && !stream_catch_up(t->stream))
			break;
		result = tail_read_some(t, s, budget, mtime_of(&st), &resyncs);
		old_take(t, s, t->offset > before ? t->offset - before : 0);
	}
	if (result == TAIL_END && t->stream && t->stream->is_behind)
		result = TAIL_MORE;
	if (result == TAIL_END && t->stream && !stream_unpack_rest(t->stream, false))
		go_back(t);
	stream_put(t);
	if (result != TAIL_MORE)
		tail_old_end(t, s);
	if (result == TAIL_END) {
		t->live = true;
		t->skips = false;
	}
	/* Forget the size, so that the next check reads the file again. */
	if (result == TAIL_ERROR)
		t->size = -1;
	return result;
}

/* The data up to `end` ends within an oversized line: skip the data, and the rest of that line
 * when it arrives. */
static void skip_oversized(struct tail *t, struct source *s, off_t end)
{
	t->offset = t->line_start = end;
	stream_get(t, s, 0)->splitter.discard = true;
	s->origin.framed.nr_oversized++;
}

/* True if existing data must be read, although not shown, to decode later data. */
static bool cannot_skip(const struct tail *t, const struct source *s)
{
	char *buf = s->context->buf;
	ssize_t n;

	if (t->started || t->foreign || (t->stream && t->stream->reader))
		return needs_beginning(t);
	n = tail_read_at(t, buf, SPLITTER_PROBE_BYTES, 0);
	return n > 0 && stream_would_own(&s->origin, t->refuses, buf, (size_t)n);
}

void tail_skip(struct tail *t, struct source *s)
{
	char *buf = s->context->buf;
	struct stat st;
	size_t len;

	tail_old_end(t, s);
	if (fstat(t->fd, &st))
		return;
	/* The next read skips a ring file that cannot be followed now. */
	if (!ring_begin(t, s, &st)) {
		t->skips = true;
		return;
	}
	if (t->ring) {
		ring_file_skip(t->ring);
		return;
	}
	t->skips = cannot_skip(t, s);
	if (t->skips)
		return;
	stream_put(t);
	stream_drop(t);
	tail_lines_forget(t);
	t->offset = t->line_start = line_end_before(t, buf, st.st_size);
	if (!t->offset && st.st_size > (off_t)SPLITTER_MAX_LINE_BYTES)
		skip_oversized(t, s, st.st_size);
	len = t->offset < MARK_BYTES ? (size_t)t->offset : MARK_BYTES;
	if (tail_read_at(t, buf, len, t->offset - (off_t)len) == (ssize_t)len)
		t->mark = mark_of(buf + len, t->offset);
}

void tail_close(struct tail *t)
{
	/* Free the decompressor's memory. If that is not possible without loss, the file is read
	 * again from its beginning. */
	if (t->stream && !stream_unpack_rest(t->stream, true))
		go_back(t);
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
	tail_lines_forget(t);
}

void tail_end(struct tail *t, struct source *s)
{
	ring_file_end(t->ring);
	t->ring = NULL;
	/* End the stream even if it has no state: taps know its number. */
	if (t->stream || (s->context->streams->taps.nr && t->started))
		stream_end(stream_get(t, s, 0), false);
	stream_drop(t);
	tail_old_end(t, s);
	tail_close(t);
}
