/* SPDX-License-Identifier: MIT */
/*
 * Calls that POSIX.1-2017 does not have, for the monitor: one function each, with the system's own
 * call and a fallback. See engine/base/platform.h, which has the rules and those of the engine.
 *
 * Behind this module: pipe2, SOCK_CLOEXEC for socketpair, accept4, SO_PEERCRED, recvmmsg,
 * ptsname_r, flags of posix_openpt, mkostemp, eventfd, inotify, pidfd_open, prctl
 * (PR_SET_PDEATHSIG, PR_SET_NAME), d_type, mallopt, NSIG, memrchr, memmem, strcasestr, qsort_r,
 * explicit_bzero, timegm, lgamma_r, and the files of /proc that show start times and the boot.
 *
 * All functions: any thread, unless stated otherwise. Functions that return -1 set errno.
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

/* ---- descriptors; all are close-on-exec ---- */

/* pipe(), with both ends non-blocking if `nonblock`. Returns 0 or -1. */
int platform_pipe(int fds[2], bool nonblock);

/* socketpair() of Unix sockets. Returns 0 or -1. macOS has no SOCK_SEQPACKET (not run). */
int platform_socketpair(int type, int fds[2]);

/* accept() of a non-blocking descriptor. Returns it or -1. */
int platform_accept(int fd);

/* Get the process and user who connected a Unix socket. Returns false if the system does not
 * report them; `*pid` is 0 if only the user is known. */
bool platform_peer(int fd, int64_t *pid, int64_t *uid);

/* A datagram for platform_receive(), as of recvmmsg(). */
struct platform_datagram {
	struct msghdr header; /* the caller sets the vector */
	unsigned len;         /* length of the received datagram */
};

/* Receive up to `nr` datagrams without waiting. Returns their number, or -1 if the first one
 * failed. The fallback needs one system call per datagram. */
int platform_receive(int fd, struct platform_datagram *datagrams, unsigned nr);

/* Open the non-blocking master of a new pseudo-terminal and get the path of its slave. Returns the
 * descriptor or -1. The fallback must not run in two threads at once. */
int platform_open_terminal(char *slave, size_t bytes);

/* mkstemp(). Returns the descriptor or -1. */
int platform_make_temporary(char *name);

/* Get the name of the file of an open descriptor; it may have been renamed or removed since. Returns
 * false if unknown, as always with the fallback. */
bool platform_file_name(int fd, char *name, size_t bytes);

/* ---- waking a thread that waits for a descriptor ---- */

/* Two descriptors, the same one if it is an eventfd. `in` is readable after platform_wake(). */
struct platform_wakeup {
	int in, out;
};

/* Returns false with errno on failure. */
bool platform_wakeup_init(struct platform_wakeup *wakeup);
void platform_wakeup_release(struct platform_wakeup *wakeup);
/* Make `in` readable. Safe in signal handlers. */
void platform_wake(const struct platform_wakeup *wakeup);
/* Make `in` unreadable until the next platform_wake(). */
void platform_wakeup_clear(const struct platform_wakeup *wakeup);

/* ---- directories ---- */

enum platform_entry {
	PLATFORM_UNKNOWN,
	PLATFORM_FILE,
	PLATFORM_DIRECTORY,
	PLATFORM_LINK,
	PLATFORM_OTHER
};

/* Return the kind of a directory entry; PLATFORM_UNKNOWN if only lstat() shows it, always with the
 * fallback. */
enum platform_entry platform_entry_kind(const struct dirent *entry);

enum platform_change {
	PLATFORM_CHANGED,  /* contents of the file `name` changed */
	PLATFORM_NAMES,    /* `name` was created, removed or replaced */
	PLATFORM_OVERFLOW, /* events were lost: rescan */
	PLATFORM_GONE,     /* the directory was removed */
};

/* Watch a directory. Returns a non-blocking descriptor that is readable after changes, or -1. The
 * fallback returns -1 with ENOSYS: the caller checks for changes regularly. */
int platform_watch_open(const char *path);

/*
 * Read one buffer of changes and call `report` for each until it returns false. `name` is "" if the
 * change is not of one file. Returns false with errno if reading failed; EAGAIN is not a failure.
 */
bool platform_watch_read(int fd,
			 bool (*report)(void *data, enum platform_change what, const char *name),
			 void *data);

/* ---- processes ---- */

/* Return a descriptor that becomes readable when the process ends, or -1. The fallback returns -1:
 * the caller polls with waitpid(). */
int platform_process_descriptor(pid_t pid);

/*
 * Get the wall time at which process `pid` started; NS_NONE if it does not exist. Returns false if
 * unknown: the system may not show it, or hide other users' processes. The fallback can only detect
 * that there is no process.
 */
bool platform_process_started(int64_t pid, ns_t *start);

/* Let the kernel send SIGKILL to the calling process when its parent ends. The fallback does
 * nothing. Safe in signal handlers. */
void platform_end_with_parent(void);

/* Set the name of the calling process, for ps(1). The fallback does nothing. */
void platform_name_process(const char *name);

/* Write up to `bytes` - 1 characters that differ for each boot of this machine. The fallback writes
 * zeros. */
void platform_boot_id(char *out, size_t bytes);

/*
 * Set limits of malloc(). Batches of about 100,000 bytes are allocated by one thread and freed by
 * another. With one arena, and large allocations mapped individually, freed memory is returned;
 * with the defaults glibc holds twice the memory limits. The fallback does nothing. Call before
 * other threads start.
 */
void platform_limit_malloc(void);

/* ---- bytes ---- */

/* Overwrite a secret; not removed by the compiler. */
void platform_wipe(void *bytes, size_t nr);

/* Find the last byte `c`, like memrchr(). Pure. */
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

/* Find the first occurrence of `what` in `bytes`, like memmem(). Pure. */
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

/* Sort like qsort_r() of glibc. The fallback is stable. */
void platform_sort(void *items, size_t nr, size_t bytes,
		   int (*compare)(const void *, const void *, void *), void *data);

/* ---- numbers ---- */

/* Logarithm of the gamma function of a positive number. Pure. The fallback also sets signgam. */
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
 * hold it. Members out of range are allowed; `tm` is not changed by the fallback. */
time_t platform_time_of_utc(struct tm *tm);

#endif
