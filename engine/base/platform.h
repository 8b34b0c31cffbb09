/* SPDX-License-Identifier: MIT */
/*
 * Calls that POSIX.1-2017 does not have, for the engine: one function each, with a body that uses
 * the system's own call, and a fallback. configure chooses the body; `configure --enable-portable`
 * builds the fallbacks. Bodies marked "never run there" (for FreeBSD and macOS) were not compiled
 * there either.
 *
 * Returned descriptors are close-on-exec. A fallback sets that with fcntl() afterwards: a program
 * that another thread starts in between inherits the descriptor.
 *
 * Any thread. Functions that return -1 set errno.
 */
#ifndef TR2_BASE_PLATFORM_H
#define TR2_BASE_PLATFORM_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#ifdef HAVE_SYS_SYSCALL_H
#include <sys/syscall.h>
#endif

/* Directory in which Linux shows processes as files. That of the portable build does not exist. */
#ifdef TR2_PORTABLE
#define TR2_PLATFORM_PROC "/dev/null/proc"
#else
#define TR2_PLATFORM_PROC "/proc"
#endif

/*
 * Like write(), but not a cancellation point, because tracing must not add such points to the host
 * program's threads. The system call is inline on x86-64 Linux, because caches and return predictor
 * may be cold after it.
 */
static inline ssize_t tr2_platform_write(int fd, const char *data, size_t len)
{
#if HAVE_DECL_SYS_WRITE && defined(__linux__) && defined(__x86_64__) && defined(__LP64__)
	ssize_t n;

	__asm__ volatile("syscall"
			 : "=a"(n)
			 : "0"((long)SYS_write), "D"((long)fd), "S"(data), "d"(len)
			 : "rcx", "r11", "memory");
	if (__builtin_expect(n >= 0, 1))
		return n;
	errno = (int)-n;
	return -1;
#elif HAVE_DECL_SYS_WRITE && defined(__linux__)
	return syscall(SYS_write, fd, data, len);
#else
	int before;
	ssize_t n;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	n = write(fd, data, len);
	pthread_setcancelstate(before, &before);
	return n;
#endif
}

/* Like send(), but not a cancellation point. Does not raise SIGPIPE, except on macOS, if `fd` is
 * not from tr2_platform_socket(). */
ssize_t tr2_platform_send(int fd, const char *data, size_t len);

/* Accept and discard a pending signal of `set`, if any. The calling thread must block the set. The
 * fallback may wait if another thread takes the signal at the same moment. */
void tr2_platform_take_pending(const sigset_t *set);

/* Create a socket like socket(domain, type, 0), non-blocking if `nonblock`. */
int tr2_platform_socket(int domain, int type, bool nonblock);

/* Make `fd` close-on-exec, and set O_NONBLOCK if `nonblock`. Returns `fd`; on failure closes it and
 * returns -1. A negative `fd` is returned. */
int tr2_platform_set_flags(int fd, bool nonblock);

/* Make `to` a close-on-exec duplicate of `from`, like dup3(). */
int tr2_platform_dup_over(int from, int to);

/* Get the device, inode and mode of an open descriptor. Returns false on failure. With statx(),
 * requests no sizes or times, for which NFS would first write out cached data. */
bool tr2_platform_identify(int fd, uint64_t *dev, uint64_t *ino, mode_t *mode);

/* Open a directory for openat() and fstat(), with O_NOFOLLOW unless `by_link`. Without O_PATH and
 * O_SEARCH, needs permission to read it. */
int tr2_platform_open_directory(const char *path, bool by_link);

/*
 * Check if the file system of the directory `dir` does not take back allocated pages (tmpfs, ext2
 * to ext4), so that writing to mapped memory cannot fail. Sets `*why` if it returns false, as the
 * fallback does.
 */
bool tr2_platform_allocation_is_permanent(int dir, const char **why);

/* Map `nr_bytes` of a file at offset `at` for reading and writing, shared. Loads the pages if the
 * system can do that. Returns NULL with errno on failure. */
void *tr2_platform_map_file(int fd, off_t at, size_t nr_bytes);

/* Map `nr_bytes` of private memory, filled with zeros. Safe in signal handlers. Returns NULL on
 * failure. */
void *tr2_platform_map_zeros(size_t nr_bytes);

/* Make the kernel, if it can, fill mapped memory with zeros in forked children. */
void tr2_platform_wipe_on_fork(void *memory, size_t nr_bytes);

/* Fill `bytes` with random numbers of the kernel. With `wait`, which the fallback ignores, waits
 * until the kernel has enough entropy. Returns false on failure; `bytes` is then undefined. */
bool tr2_platform_random(void *bytes, size_t nr, bool wait);

/* True unless the program got privileges with exec() (set-user-ID, capabilities). The fallback
 * cannot detect capabilities. */
bool tr2_platform_env_is_trusted(void);

/* Prepare tr2_platform_is_main_thread() in a forked child, in a callback of pthread_atfork(). */
void tr2_platform_forked(void);

/* True in the process's main thread. The fallback detects it only in a forked child, after
 * tr2_platform_forked(); otherwise it returns false. */
bool tr2_platform_is_main_thread(void);

/* True if the process may read the processor's time-stamp counter. The fallback returns false. */
bool tr2_platform_may_read_counter(void);

/* Return the text of an errno value, in the C locale if the system can do that; NULL: none. Valid
 * until the next call. */
const char *tr2_platform_error_text(int error);

/* Get the name of the process `pid` (any bytes; truncated to `bytes` - 1) and its parent. Returns
 * false on failure. */
bool tr2_platform_process(long pid, char *name, size_t bytes, long *parent);

/* Return the inode number of the pid namespace of this process; 0 if unknown. */
uint64_t tr2_platform_pid_namespace(void);

/* Return local time minus UTC in seconds. `tm` is the result of localtime_r() for `t`. */
static inline int64_t tr2_platform_utc_offset(time_t t, const struct tm *tm)
{
#ifdef HAVE_STRUCT_TM_TM_GMTOFF
	(void)t;
	return tm->tm_gmtoff;
#else
	struct tm utc;
	int days;

	if (!gmtime_r(&t, &utc))
		return 0;
	days = tm->tm_year != utc.tm_year ? (tm->tm_year > utc.tm_year ? 1 : -1)
					  : tm->tm_yday - utc.tm_yday;
	return ((days * 24 + tm->tm_hour - utc.tm_hour) * 60 + tm->tm_min - utc.tm_min) * 60 +
	       tm->tm_sec - utc.tm_sec;
#endif
}

#endif
