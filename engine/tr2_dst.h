/* SPDX-License-Identifier: MIT */
/*
 * A destination: receives the lines of a target. It is an open descriptor of the host program (2 to
 * 9; the setting 1 means 2), a file, a new file in a directory, or a Unix socket.
 *
 * One thread opens it; then any thread writes without a lock, because a line is one system call. If
 * libtrace2 opened the descriptor of a destination that fails, the descriptor is replaced by
 * /dev/null, not closed, since another thread may be about to write to that number.
 *
 * The host program may close the descriptor and reuse its number. If tr2_dst_check() finds another
 * file (device or inode), and standard error was not redirected, it disables the destination, and
 * libtrace2 does not write to, close or replace that descriptor.
 */
#ifndef TR2_DST_H
#define TR2_DST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

#include "engine/base/platform.h"
#include "engine/tr2_settings.h"

enum tr2_dst_kind {
	/* a file or device: no signal is blocked around a write */
	TR2_DST_FILE,
	TR2_DST_SOCKET,
	TR2_DST_PIPE, /* a pipe: SIGPIPE is blocked around each write */
	/* a regular file in a process with RLIMIT_FSIZE: SIGXFSZ is blocked around each write */
	TR2_DST_LIMITED,
};

/* Identity of an open file, socket or pipe: descriptors with equal identities refer to the same
 * file. */
struct tr2_file_id {
	uint64_t dev, ino;
};

struct tr2_dst {
	/* atomic; true: the target's events are written */
	int on;
	int fd;   /* private */
	int kind; /* private: atomic; enum tr2_dst_kind */
	/* private */
	struct tr2_file_id file;
	/* ro: libtrace2 opened the descriptor `fd` */
	bool ours;
	bool in_directory; /* ro: the destination is a directory, with one file per session */
	/* ro: the trace directory is full; the opened file is git-trace2-discard */
	bool too_many_files;
	/* ro: name of the environment variable; owned by the caller */
	const char *variable;
};

static inline bool tr2_dst_is_on(const struct tr2_dst *dst)
{
	return __atomic_load_n(&dst->on, __ATOMIC_RELAXED);
}

/*
 * Open the destination that the setting `id` names. `variable` is the name of its environment
 * variable and must outlive `dst`. `own_sid` is called to get the file name in a directory. Returns
 * false if the setting is off, or on failure.
 */
bool tr2_dst_open(struct tr2_dst *dst, const struct tr2_settings *set, enum tr2_setting id,
		  const char *variable, const char *(*own_sid)(void));

/*
 * Check if the descriptor still refers to the opened file. If not, disables the destination and
 * returns EBADF; otherwise, or if it is already disabled, returns 0. Standard error may be
 * redirected to another character device, pipe or file that is open for appending. Any thread; safe
 * in signal handlers.
 */
int tr2_dst_check(struct tr2_dst *dst);

/* Slow path of tr2_dst_write(). `n` is the result of a first write(), or TR2_DST_UNTRIED. */
#define TR2_DST_UNTRIED (-2)
int tr2_dst_write_rest(struct tr2_dst *dst, const char *line, size_t len, ssize_t n);

/*
 * Write one line. Returns 0, or the errno value that disabled the destination. Does not preserve
 * errno.
 */
static inline int tr2_dst_write(struct tr2_dst *dst, const char *line, size_t len)
{
	ssize_t n = TR2_DST_UNTRIED;

	if (__builtin_expect(__atomic_load_n(&dst->kind, __ATOMIC_RELAXED) == TR2_DST_FILE, 1)) {
		n = tr2_platform_write(dst->fd, line, len);
		if (__builtin_expect(n >= 0, 1))
			return 0;
	}
	return tr2_dst_write_rest(dst, line, len, n);
}

/* Print a warning to standard error, if the setting DST_DEBUG is on. */
void tr2_dst_warn(const struct tr2_settings *set, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Get the identity and mode of the open descriptor `fd`. Returns false on error. Any thread; safe
 * in signal handlers. */
bool tr2_dst_identify(int fd, struct tr2_file_id *file, mode_t *mode);

/* Move `fd`, which libtrace2 opened, to a high number, close-on-exec. Returns the new number, or
 * `fd` on failure. */
int tr2_dst_move_up(int fd);

/* Parse a setting "af_unix:[stream:|dgram:]PATH". Returns the path, a part of `value`, and sets the
 * permitted socket kinds; NULL for other values. */
const char *tr2_dst_socket_path(const char *value, bool *stream, bool *dgram);

/* Disable the destination. Close its descriptor if libtrace2 opened it and the descriptor still
 * refers to the opened file. No thread may be writing. */
void tr2_dst_close(struct tr2_dst *dst);

#endif
