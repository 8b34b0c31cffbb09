/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/send/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/base/whole_file.h"
#include "monitor/base/die.h"
#include "monitor/read/recording.h"

/* Bytes that a pipe accepts without blocking after poll() reported it as writable. */
#define PIPE_BYTES 4096u
#define ASK_MS     100
/* Number and interval in ms of checks whether a FIFO has a reader. */
#define FIFO_TRIES 100
#define FIFO_MS    20

static ssize_t record_file_read_at(int fd, char *to, size_t len, off_t at)
{
	size_t got = 0;
	ssize_t n = 1;

	while (got < len && n) {
		n = pread(fd, to + got, len - got, at + (off_t)got);
		if (n < 0 && errno != EINTR)
			return -1;
		got += n > 0 ? (size_t)n : 0;
	}
	return (ssize_t)got;
}

/* After a power failure, a file may have the length of the chunk, but not its content. Returns
 * false with errno on a read error. */
static bool chunk_check(int fd, off_t at, size_t len, bool *is_whole)
{
	struct recording_chunk *chunk = recording_chunk_new();
	char *frame = xmalloc(len);
	ssize_t n = record_file_read_at(fd, frame, len, at);
	int error = errno;
	const char *why;

	*is_whole = n == (ssize_t)len && recording_chunk_open(chunk, frame, len, &why);
	free(frame);
	recording_chunk_free(chunk);
	errno = error;
	return n >= 0;
}

/* The frames of a recording that are complete by their length. */
struct walked {
	off_t end, last;   /* file offsets of the end and the start of the last complete frame */
	size_t last_bytes; /* size of the last complete frame if it is a chunk; else 0 */
	ns_t first_ns, last_ns;
};

/* Returns false with errno on a read error, or with 0 if the file does not begin like a
 * recording. */
static bool walk(int fd, off_t size, struct walked *w)
{
	char bytes[RECORDING_FRAME_BYTES];
	struct recording_frame frame;

	*w = (struct walked){ .first_ns = NS_NONE, .last_ns = NS_NONE };
	for (;;) {
		ssize_t n = record_file_read_at(fd, bytes, sizeof(bytes), w->end);
		enum recording_check look;

		if (n < 0)
			return false;
		look = recording_check(bytes, (size_t)n, &frame);
		if (!w->end && (look == LOOK_NO || look == LOOK_CHUNK)) {
			errno = 0;
			return false;
		}
		if ((look != LOOK_HEAD && look != LOOK_CHUNK) ||
		    frame.bytes > (uint64_t)(size - w->end))
			return true;
		if (look == LOOK_CHUNK && w->first_ns == NS_NONE)
			w->first_ns = frame.first_ns;
		if (look == LOOK_CHUNK)
			w->last_ns = frame.last_ns;
		w->last_bytes = look == LOOK_CHUNK ? (size_t)frame.bytes : 0;
		w->last = w->end;
		w->end += (off_t)frame.bytes;
	}
}

/* Return the end of a file's complete frames, without a last chunk whose content is incomplete; -1
 * with errno: see walk(). */
static off_t whole_end(int fd, off_t size)
{
	struct walked w;
	bool is_whole = true;

	if (!walk(fd, size, &w) ||
	    (w.last_bytes && !chunk_check(fd, w.last, w.last_bytes, &is_whole)))
		return -1;
	return is_whole ? w.end : w.last;
}

bool record_file_bounds(const char *path, ns_t *first, ns_t *last)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat st;
	struct walked w;
	bool ok = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && walk(fd, st.st_size, &w) &&
		  w.first_ns != NS_NONE;

	if (fd >= 0)
		close(fd);
	if (ok) {
		*first = w.first_ns;
		*last = w.last_ns;
	}
	return ok;
}

static bool go_on(struct record_file *f, off_t size, char *why, size_t why_bytes)
{
	off_t end = size ? whole_end(f->fd, size) : 0;

	if (end < 0 && !errno) {
		snprintf(why, why_bytes,
			 "--record: %s is not a recording and is not overwritten; use another file",
			 f->path);
		return false;
	}
	if (end < 0 || (end < size && ftruncate(f->fd, end)) || lseek(f->fd, end, SEEK_SET) < 0) {
		snprintf(why, why_bytes, "--record: cannot append to %s: %s", f->path,
			 strerror(errno));
		return false;
	}
	f->bytes = (uint64_t)end;
	return true;
}

/* Returns -1 with errno on error; ENXIO: no process reads the FIFO. */
static int fifo_open(const char *path)
{
	int fd = -1;

	for (int i = 0; i < FIFO_TRIES; i++) {
		fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0 || errno != ENXIO)
			break;
		poll(NULL, 0, FIFO_MS);
		errno = ENXIO;
	}
	return fd;
}

static bool open_path(struct record_file *f, char *why, size_t why_bytes)
{
	struct stat st;

	/* Open a FIFO for writing only: otherwise it would always have a reader, and a missing one
	 * could not be detected. */
	if (!stat(f->path, &st) && S_ISFIFO(st.st_mode)) {
		f->fd = fifo_open(f->path);
		if (f->fd < 0 && errno == ENXIO) {
			snprintf(why, why_bytes,
				 "--record: no program reads the FIFO %s; start its reader first",
				 f->path);
			return false;
		}
	} else {
		f->fd = open(f->path,
			     O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | whole_file_nofollow(f->path),
			     0600);
	}
	if (f->fd < 0 || fstat(f->fd, &st)) {
		snprintf(why, why_bytes, "--record: cannot open %s: %s", f->path, strerror(errno));
		return false;
	}
	f->is_stored = S_ISREG(st.st_mode);
	if (!f->is_stored)
		return true;
	if (flock(f->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		snprintf(why, why_bytes,
			 "--record: another trace2top records to %s; use another file", f->path);
		return false;
	}
	return go_on(f, st.st_size, why, why_bytes);
}

bool record_file_open(struct record_file *f, const char *path, char *why, size_t why_bytes)
{
	bool is_standard = !strcmp(path, "-");

	*f = (struct record_file){ .path = is_standard ? NULL : path, .fd = STDOUT_FILENO };
	if (!is_standard) {
		if (open_path(f, why, why_bytes))
			return true;
		record_file_close(f);
		return false;
	}
	if (!isatty(STDOUT_FILENO))
		return true;
	snprintf(why, why_bytes,
		 "--record=-: standard output is a terminal; use a file or redirect it");
	return false;
}

static ssize_t record_file_write_some(struct record_file *f, const char *bytes, size_t len,
				      bool (*give_up)(void *data), void *data)
{
	struct pollfd it = { .fd = f->fd, .events = POLLOUT };

	if (f->is_stored)
		return write(f->fd, bytes, len);
	while (poll(&it, 1, ASK_MS) <= 0)
		if (give_up(data)) {
			errno = ETIMEDOUT;
			return -1;
		}
	return write(f->fd, bytes, len < PIPE_BYTES ? len : PIPE_BYTES);
}

bool record_file_write(struct record_file *f, const char *bytes, size_t len,
		       bool (*give_up)(void *data), void *data)
{
	size_t done = 0;
	int error;

	while (done < len) {
		ssize_t n = record_file_write_some(f, bytes + done, len - done, give_up, data);

		if (n >= 0) {
			done += (size_t)n;
			continue;
		}
		if (errno == EINTR || errno == EAGAIN)
			continue;
		error = errno;
		if (f->is_stored && done && ftruncate(f->fd, (off_t)f->bytes))
			error = errno;
		errno = error;
		return false;
	}
	f->bytes += len;
	return true;
}

bool record_file_renew(struct record_file *f)
{
	size_t len = strlen(f->path);
	char *old = xmalloc(len + sizeof(".old"));
	int fd = -1, error;

	memcpy(old, f->path, len);
	memcpy(old + len, ".old", sizeof(".old"));
	if (!rename(f->path, old)) {
		fd = open(f->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
		error = errno;
		if (fd < 0)
			rename(old, f->path);
	} else {
		error = errno;
	}
	free(old);
	errno = error;
	if (fd < 0)
		return false;
	flock(fd, LOCK_EX | LOCK_NB);
	close(f->fd);
	f->fd = fd;
	f->bytes = 0;
	return true;
}

enum record_file_state record_file_check(const struct record_file *f)
{
	struct stat named, opened;

	if (!f->is_stored || fstat(f->fd, &opened))
		return RECORD_FILE_SAME;
	if (!opened.st_nlink)
		return RECORD_FILE_REMOVED;
	if (stat(f->path, &named))
		return errno == ENOENT || errno == ENOTDIR ? RECORD_FILE_RENAMED : RECORD_FILE_SAME;
	return named.st_dev == opened.st_dev && named.st_ino == opened.st_ino ? RECORD_FILE_SAME
									      : RECORD_FILE_RENAMED;
}

bool record_file_reopen(struct record_file *f, char *why, size_t why_bytes)
{
	const char *path = f->path;

	record_file_close(f);
	return record_file_open(f, path, why, why_bytes);
}

void record_file_close(struct record_file *f)
{
	if (f->fd >= 0 && f->path)
		close(f->fd);
	f->fd = -1;
}
