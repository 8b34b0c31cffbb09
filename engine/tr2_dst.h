/* SPDX-License-Identifier: MIT */
/*
 * A destination: where a target's lines go. A descriptor of the host's (1, 2 to 9), a file, a
 * new file in a directory, or a Unix socket. It knows nothing of formats.
 *
 * Opened by one thread; then any thread writes, without a lock: one line is one system call. A
 * destination that fails turns itself off for good; its descriptor is not closed, since another
 * thread may be about to write to that number: /dev/null is put over it.
 *
 * The number is the host's to close and to give to something else (closefrom(), daemons). So what
 * was opened is known by its device and inode, and what is no longer that is neither written to
 * nor closed nor replaced: tr2_dst_look() turns the destination off.
 */
#ifndef TR2_DST_H
#define TR2_DST_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "engine/tr2_settings.h"

enum tr2_dst_kind {
	TR2_DST_FILE,    /* writing cannot raise SIGPIPE */
	TR2_DST_SOCKET,  /* MSG_NOSIGNAL keeps it away */
	TR2_DST_PIPE,    /* SIGPIPE is blocked around the write */
	TR2_DST_LIMITED, /* a file under RLIMIT_FSIZE: the same for SIGXFSZ */
};

/* Which file a descriptor is of, sockets and pipes included. */
struct tr2_file_id {
	uint64_t dev, ino;
};

struct tr2_dst {
	int on;                  /* private: atomic; whether lines are still written */
	int fd;                  /* private */
	int kind;                /* private: atomic; enum tr2_dst_kind */
	struct tr2_file_id file; /* private: what was opened */
	bool ours;               /* private: we opened it, and may put /dev/null over it */
	bool in_directory;       /* ro: one file a process */
	bool too_many_files;     /* ro: the file is the directory's sentinel */
	const char *variable;    /* ro: what complaints call it; the caller's */
};

static inline bool tr2_dst_is_on(const struct tr2_dst *dst)
{
	return __atomic_load_n(&dst->on, __ATOMIC_RELAXED);
}

/*
 * Open what the setting `id` names; `variable` must outlive the destination. True where it is
 * on afterwards. `own_sid` is asked for the file's name in a directory. What is wrong is told
 * on standard error where the settings' DST_DEBUG is on, nowhere else.
 */
bool tr2_dst_open(struct tr2_dst *dst, const struct tr2_settings *set, enum tr2_setting id,
		  const char *variable, const char *(*own_sid)(void));

/*
 * Whether the descriptor still is what was opened, asked of the kernel: 0, or EBADF where it is
 * not, which turned the destination off just now. Standard error alone may become another
 * terminal, pipe or log. To be called now and then, and first thing after a fork. Any thread and
 * signal handler; one system call.
 */
int tr2_dst_look(struct tr2_dst *dst);

/*
 * The system call itself where it can be named: write() is a point where the host's threads
 * may be cancelled, and tracing must not add any. In line where we know how, since what runs
 * behind a system call runs cold, each return from a function above all.
 */
static inline ssize_t tr2_bare_write(int fd, const char *data, size_t len)
{
#if defined(__x86_64__) && defined(__LP64__) && defined(__GNUC__)
	ssize_t n;

	__asm__ volatile("syscall"
			 : "=a"(n)
			 : "0"((long)SYS_write), "D"((long)fd), "S"(data), "d"(len)
			 : "rcx", "r11", "memory");
	if (__builtin_expect(n >= 0, 1))
		return n;
	errno = (int)-n;
	return -1;
#elif defined(SYS_write)
	return syscall(SYS_write, fd, data, len);
#else
	return write(fd, data, len);
#endif
}

/* The rest of tr2_dst_write(): `n` is what a first attempt gave, or that there was none. */
#define TR2_DST_UNTRIED (-2)
int tr2_dst_write_rest(struct tr2_dst *dst, const char *line, size_t len, ssize_t n);

/* Write one line. 0, or the errno that turned the destination off just now. Keeps no errno. */
static inline int tr2_dst_write(struct tr2_dst *dst, const char *line, size_t len)
{
	ssize_t n = TR2_DST_UNTRIED;

	if (__builtin_expect(__atomic_load_n(&dst->kind, __ATOMIC_RELAXED) == TR2_DST_FILE, 1)) {
		n = tr2_bare_write(dst->fd, line, len);
		if (__builtin_expect(n >= 0, 1))
			return 0;
	}
	return tr2_dst_write_rest(dst, line, len, n);
}

/* Say on standard error what is wrong with a destination, where the settings' DST_DEBUG is on. */
void tr2_dst_complain(const struct tr2_settings *set, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* What `fd` is of. Any thread and signal handler. */
bool tr2_dst_identify(int fd, struct tr2_file_id *file, mode_t *mode);

/* Move `fd`, which we opened, out of the host's way, close-on-exec; the number that it has now. */
int tr2_dst_move_up(int fd);

/* The path in a setting "af_unix:[stream:|dgram:]PATH" and which kinds of it are meant; NULL
 * where it is something else. Part of `value`. */
const char *tr2_dst_socket_path(const char *value, bool *stream, bool *dgram);

/* Close it, if it still is what was opened; no thread may be writing. */
void tr2_dst_close(struct tr2_dst *dst);

#endif
