/* SPDX-License-Identifier: MIT */
/*
 * Calls that POSIX.1-2017 does not have, for the monitor. Many functions have a second body, the
 * fallback for systems without the call. engine/base/platform.h has the rules.
 *
 * Unless stated otherwise: any thread; functions that return -1 set errno.
 */
#ifndef MONITOR_PLATFORM_H
#define MONITOR_PLATFORM_H

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>

#include "engine/base/clock.h"
#include "engine/base/platform.h"

/* One more than the highest signal number. */
#ifdef NSIG
#define PLATFORM_NSIG NSIG
#else
#define PLATFORM_NSIG 65
#endif

/* Create a pipe, non-blocking if `nonblock`. Returns 0 or -1. */
int platform_pipe(int fds[2], bool nonblock);

/* Create a pair of connected Unix sockets. Returns 0 or -1. */
int platform_socketpair(int type, int fds[2]);

/* Accept a connection as a non-blocking descriptor. Returns it or -1. */
int platform_accept(int fd);

/* Get the process and user at the other end of a Unix socket. Returns false if unknown; `*pid` is 0
 * if only the user is known. */
bool platform_peer(int fd, int64_t *pid, int64_t *uid);
/* True unless platform_peer() is the fallback, which always returns false. */
bool platform_has_peers(void);

/* A datagram for platform_receive(), like struct mmsghdr. */
struct platform_datagram {
	/* the caller sets msg_iov to the buffers for the datagram */
	struct msghdr header;
	unsigned len;
};

/* Receive up to `nr` datagrams without waiting. Returns their number, or -1 if receiving the first
 * one failed. */
int platform_receive(int fd, struct platform_datagram *datagrams, unsigned nr);

/* Open the non-blocking master of a new pseudo-terminal and get the path of its slave. Returns the
 * descriptor, or -1 (errno may be unset). The fallback: one thread at a time. */
int platform_open_terminal(char *slave, size_t bytes);

/* Create a temporary file, like mkstemp(). Returns its descriptor or -1. */
int platform_make_temporary(char *name);

/* Get the path of an open file; the file may be gone. Returns false if the path is unknown or too
 * long. */
bool platform_file_name(int fd, char *name, size_t bytes);

/* Two descriptors: platform_wake() writes to `out`, which makes `in` readable. Both are the same
 * eventfd, or the two ends of a pipe. */
struct platform_wakeup {
	int in, out;
};

/* Create the descriptors. Returns false with errno on failure. */
bool platform_wakeup_init(struct platform_wakeup *wakeup);
void platform_wakeup_release(struct platform_wakeup *wakeup);
/* Make the descriptor `in` readable. Safe in signal handlers. */
void platform_wake(const struct platform_wakeup *wakeup);
/* Empty the descriptor `in`, so that it is not readable until the next platform_wake(). */
void platform_wakeup_clear(const struct platform_wakeup *wakeup);

enum platform_entry {
	PLATFORM_UNKNOWN,
	PLATFORM_FILE,
	PLATFORM_DIRECTORY,
	PLATFORM_LINK,
	PLATFORM_OTHER
};

/* Return the kind of a directory entry; PLATFORM_UNKNOWN: it needs lstat(). */
enum platform_entry platform_entry_kind(const struct dirent *entry);

enum platform_change {
	PLATFORM_CHANGED, /* the file `name` was written to, or closed by a writer */
	PLATFORM_NAMES,   /* `name` was created, removed or renamed */
	/* changes were lost: read the whole directory again */
	PLATFORM_OVERFLOW,
	PLATFORM_GONE, /* the directory was removed, moved or unmounted */
};

/* Watch a directory. Returns a non-blocking descriptor that is readable after changes. Returns -1
 * on failure, and in the fallback. */
int platform_watch_open(const char *path);

/*
 * Read one buffer of changes and call `report` with them until it returns false. `name` is "" if
 * the change does not concern a single file. Returns false with errno if reading failed; EAGAIN is
 * not a failure.
 */
bool platform_watch_read(int fd,
			 bool (*report)(void *data, enum platform_change what, const char *name),
			 void *data);

/* Return a descriptor that becomes readable when the process ends. Returns -1 on failure, and in
 * the fallback. */
int platform_process_descriptor(pid_t pid);

/* Get the wall time at which process `pid` started; NS_NONE if it does not exist or has ended.
 * Returns false if the time is unknown. The fallback detects only that a process does not exist. */
bool platform_process_started(int64_t pid, ns_t *start);

/* Let the kernel kill the calling process when the thread that created it ends. The fallback does
 * nothing. Safe in signal handlers. */
void platform_end_with_parent(void);

/* Set the name of the calling thread. The fallback does nothing. */
void platform_name_process(const char *name);

/* Write `bytes` - 1 characters that identify the current boot of this machine, and a NUL. All '0':
 * unknown. */
void platform_boot_id(char *out, size_t bytes);

/* Limit malloc() to one arena and map large allocations individually, so that more freed memory is
 * returned to the system. The fallback does nothing. Call before other threads start. */
void platform_limit_malloc(void);

/* Overwrite a secret with zeros; the compiler does not remove this call. */
void platform_wipe(void *bytes, size_t nr);

static inline const void *platform_find_last(const void *bytes, int c, size_t nr)
{
#ifdef HAVE_MEMRCHR
	return memrchr(bytes, c, nr);
#else
	const unsigned char *at = (const unsigned char *)bytes + nr;

	while (nr--)
		if (*--at == (unsigned char)c)
			return at;
	return NULL;
#endif
}

static inline const void *platform_find(const void *bytes, size_t nr, const void *what, size_t len)
{
#ifdef HAVE_MEMMEM
	return memmem(bytes, nr, what, len);
#else
	const char *at = bytes, *end = at + nr;

	if (!len)
		return bytes;
	while ((size_t)(end - at) >= len) {
		at = memchr(at, *(const unsigned char *)what, (size_t)(end - at) - len + 1);
		if (!at || !memcmp(at, what, len))
			return at;
		at++;
	}
	return NULL;
#endif
}

/* Find `what` in `text` without regard to the case of letters, like strcasestr(). Pure. */
const char *platform_find_text(const char *text, const char *what);

/* Sort like qsort_r() of glibc. Equal items may be in any order. */
void platform_sort(void *items, size_t nr, size_t bytes,
		   int (*compare)(const void *, const void *, void *), void *data);

/* Logarithm of the gamma function of a positive number. The fallback sets signgam. */
static inline double platform_log_gamma(double x)
{
#ifdef HAVE_LGAMMA_R
	int sign;

	return lgamma_r(x, &sign);
#else
	return lgamma(x);
#endif
}

/* Convert UTC to seconds since 1970, like timegm(). Returns -1 with EOVERFLOW if a time_t cannot
 * hold it. Members out of range are allowed; `tm` may be normalised. */
time_t platform_time_of_utc(struct tm *tm);

#endif
