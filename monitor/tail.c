/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/tail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/hash.h"
#include "monitor/die.h"
#include "monitor/source.h"

/* Bytes before the offset that are hashed. Lines hold times and ids, so that two files hardly
 * ever agree in so many. */
#define MARK_BYTES 4096
/* So many of them that were just read will do. */
#define MARK_ENOUGH_BYTES 256

static int64_t mtime_of(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * NS_PER_SEC + st->st_mtim.tv_nsec;
}

void tail_init(struct tail *t, const struct stat *st, int fd)
{
	*t = (struct tail){ .dev = st->st_dev,
			    .ino = st->st_ino,
			    .fd = fd,
			    .size = st->st_size,
			    .is_new = true };
}

/* The hash of the `len` bytes before the offset, as they stand in the file now. */
static bool mark_read(const struct tail *t, size_t len, uint64_t *mark)
{
	char bytes[MARK_BYTES];
	size_t have = 0;

	while (have < len) {
		ssize_t n = pread(t->fd, bytes + have, len - have,
				  t->offset - (off_t)len + (off_t)have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		have += (size_t)n;
	}
	*mark = tr2_hash(bytes, len);
	return true;
}

/* Note what stands before the offset: `len` bytes of it were just read and are at `bytes`. Where
 * they are few, more are read once again. */
static void mark_take(struct tail *t, const char *bytes, size_t len)
{
	size_t want = t->offset < MARK_BYTES ? (size_t)t->offset : MARK_BYTES;

	if (len >= want || len >= MARK_ENOUGH_BYTES) {
		want = len < want ? len : want;
		t->mark = tr2_hash(bytes + len - want, want);
	} else if (!mark_read(t, want, &t->mark)) {
		want = 0;
	}
	t->mark_len = (uint16_t)want;
}

/* The stream that its bytes go to; between reads only what matters of it is kept. */
static struct stream *stream_get(struct tail *t, struct source *s)
{
	if (t->stream)
		return t->stream;
	t->stream = xcalloc(1, sizeof(*t->stream));
	if (t->is_new) {
		stream_init(t->stream, s);
		t->number = t->stream->number;
		t->is_new = false;
	} else {
		t->stream->source = s;
		t->stream->number = t->number;
		framer_init(&t->stream->framer, &s->intake->pool, &s->framed);
	}
	t->stream->framer.need_json = t->need_json;
	if (t->started)
		t->stream->framer.started = t->stream->framer.judged = true;
	return t->stream;
}

static void stream_put(struct tail *t)
{
	if (!t->stream)
		return;
	t->started |= t->stream->framer.judged;
	t->foreign |= t->stream->framer.foreign;
	if (framer_held(&t->stream->framer) || t->stream->framer.discard)
		return;
	stream_release(t->stream);
	free(t->stream);
	t->stream = NULL;
}

static void restart(struct tail *t, struct source *s)
{
	if (t->stream) {
		stream_end(t->stream, false);
		stream_release(t->stream);
		free(t->stream);
		t->stream = NULL;
	}
	t->offset = 0;
	t->mark_len = 0;
	t->started = t->foreign = false;
	s->live.nr_restarts++;
}

/* Is what stands before the offset still what was read? Asked where the file changed. */
static bool is_same(const struct tail *t, const struct stat *st)
{
	uint64_t mark;

	if (st->st_size < t->offset)
		return false;
	if (!t->mark_len || (mtime_of(st) == t->mtime_ns && st->st_size == t->size))
		return true;
	return mark_read(t, t->mark_len, &mark) && mark == t->mark;
}

bool tail_has_changed(const struct tail *t, const struct stat *st)
{
	return st->st_size != t->offset || mtime_of(st) != t->mtime_ns;
}

enum tail_result tail_read(struct tail *t, struct source *s, size_t *budget)
{
	enum tail_result result = TAIL_MORE;
	struct stat st;

	size_t last = 0;

	if (fstat(t->fd, &st))
		return TAIL_ERROR;
	if (!is_same(t, &st))
		restart(t, s);
	t->size = st.st_size;
	if (t->foreign) {
		/* Nobody wants what it says; only whether it is still the same file. */
		t->offset = st.st_size;
		t->mtime_ns = mtime_of(&st);
		mark_take(t, NULL, 0);
		return TAIL_END;
	}
	while (*budget) {
		ssize_t n = pread(t->fd, s->intake->buf, INTAKE_BUF_BYTES, t->offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			result = n ? TAIL_ERROR : TAIL_END;
			break;
		}
		t->offset += n;
		last = (size_t)n;
		t->grew_ns = tr2_clock_monotonic();
		*budget -= (size_t)n < *budget ? (size_t)n : *budget;
		stream_get(t, s)->live = t->live;
		if (!t->foreign)
			stream_feed(t->stream, s->intake->buf, (size_t)n);
		t->foreign |= t->stream->framer.foreign;
		if (n < (ssize_t)INTAKE_BUF_BYTES && t->offset >= st.st_size) {
			result = TAIL_END;
			break;
		}
	}
	stream_put(t);
	/* The time from before reading: what changes in between is looked at again. */
	t->mtime_ns = mtime_of(&st);
	if (last)
		mark_take(t, s->intake->buf, last);
	if (result == TAIL_END)
		t->live = true;
	return result;
}

void tail_skip(struct tail *t, struct source *s)
{
	char *buf = s->intake->buf;
	struct stat st;
	off_t from;
	ssize_t n;

	if (fstat(t->fd, &st))
		return;
	from = st.st_size > (off_t)INTAKE_BUF_BYTES ? st.st_size - (off_t)INTAKE_BUF_BYTES : 0;
	n = pread(t->fd, buf, INTAKE_BUF_BYTES, from);
	while (n > 0 && buf[n - 1] != '\n')
		n--;
	t->offset = n > 0 ? from + n : 0;
	t->size = st.st_size;
	t->mtime_ns = 0; /* whatever comes is looked at */
	mark_take(t, NULL, 0);
}

void tail_end(struct tail *t, struct source *s)
{
	if (t->stream) {
		stream_end(t->stream, false);
		stream_release(t->stream);
		free(t->stream);
		t->stream = NULL;
	}
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
	(void)s;
}
