/* SPDX-License-Identifier: MIT */
/*
 * Preload library that makes calls of a program to the C library fail:
 *
 *	FAIL_IO_CALL	which one: read, write, open ... as named below
 *	FAIL_IO_NTH	the first one to fail, from 1
 *	FAIL_IO_MANY	how many in a row; 0: all
 *	FAIL_IO_ERRNO	the error; 0: calls that can do a part do half
 *	FAIL_IO_IN	only in the program with this name
 *	FAIL_IO_FD	for write(), but not syscall(): only on this descriptor
 *	FAIL_IO_LIST	file that gets a line with the name of every call that could fail
 *
 * Calls within the C library (stdio) are not intercepted. syscall() counts as the call that it
 * makes if that is write, sendto or pidfd_open.
 */
#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *wanted; /* name of the call that fails; NULL: none in this process */
static long nth, many, only_fd;
static int error, list = -1;
static _Atomic long nr_calls;

static long setting(const char *name)
{
	const char *text = getenv(name);

	return text ? atol(text) : 0;
}

static void settings_read(void)
{
	const char *call = getenv("FAIL_IO_CALL"), *in = getenv("FAIL_IO_IN");
	const char *path = getenv("FAIL_IO_LIST");

	if (in && strcmp(in, program_invocation_short_name))
		return;
	nth = setting("FAIL_IO_NTH");
	many = setting("FAIL_IO_MANY");
	only_fd = getenv("FAIL_IO_FD") ? setting("FAIL_IO_FD") : -1;
	error = (int)setting("FAIL_IO_ERRNO");
	wanted = call ? strdup(call) : NULL;
	/* open() would call the replacement below. */
	if (path)
		list = (int)syscall(SYS_openat, AT_FDCWD, path,
				    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void list_add(const char *name)
{
	char line[40];
	int len = snprintf(line, sizeof(line), "%s\n", name);

	if (list >= 0 && syscall(SYS_write, list, line, len) != len)
		abort();
}

static bool is_next(const char *name)
{
	long call;

	pthread_once(&once, settings_read);
	list_add(name);
	if (!wanted || strcmp(wanted, name))
		return false;
	call = ++nr_calls;
	return call >= nth && (!many || call < nth + many);
}

static bool call_must_fail(const char *name)
{
	if (!is_next(name) || !error)
		return false;
	errno = error;
	return true;
}

/* Return how many of `len` bytes or messages this call handles; 0 if it must fail. */
static size_t share(const char *name, size_t len)
{
	if (!is_next(name))
		return len;
	errno = error;
	return error ? 0 : (len + 1) / 2;
}

/* Function and data pointers have the same size here. */
static void *find(void **next, const char *name)
{
	if (!*next)
		*next = dlsym(RTLD_NEXT, name);
	return *next;
}

#define NEXT(type, name, ...)                                                                      \
	static void *found;                                                                        \
	type (*next)(__VA_ARGS__);                                                                 \
	*(void **)&next = find(&found, #name)

#define CALL(type, failed, name, params, ...)                                                      \
	type name params                                                                           \
	{                                                                                          \
		static void *found;                                                                \
		type(*next) params;                                                                \
                                                                                                   \
		*(void **)&next = find(&found, #name);                                             \
		if (call_must_fail(#name))                                                         \
			return failed;                                                             \
		return next(__VA_ARGS__);                                                          \
	}

ssize_t read(int fd, void *buf, size_t len)
{
	size_t part = len ? share("read", len) : 0;

	NEXT(ssize_t, read, int, void *, size_t);
	return part || !len ? next(fd, buf, part) : -1;
}

ssize_t pread(int fd, void *buf, size_t len, off_t at)
{
	size_t part = len ? share("pread", len) : 0;

	NEXT(ssize_t, pread, int, void *, size_t, off_t);
	return part || !len ? next(fd, buf, part, at) : -1;
}

ssize_t write(int fd, const void *buf, size_t len)
{
	size_t part = len;

	pthread_once(&once, settings_read);
	if (len && (only_fd < 0 || only_fd == fd))
		part = share("write", len);
	NEXT(ssize_t, write, int, const void *, size_t);
	return part || !len ? next(fd, buf, part) : -1;
}

int recvmmsg(int fd, struct mmsghdr *messages, unsigned nr, int flags, struct timespec *timeout)
{
	size_t part = share("recvmmsg", nr);

	NEXT(int, recvmmsg, int, struct mmsghdr *, unsigned, int, struct timespec *);
	return part ? next(fd, messages, (unsigned)part, flags, timeout) : -1;
}

CALL(ssize_t, -1, recv, (int fd, void *buf, size_t len, int flags), fd, buf, len, flags)
CALL(int, -1, accept4, (int fd, struct sockaddr *sa, socklen_t *len, int flags), fd, sa, len, flags)
CALL(int, -1, socket, (int domain, int type, int protocol), domain, type, protocol)
CALL(int, -1, bind, (int fd, const struct sockaddr *sa, socklen_t len), fd, sa, len)
CALL(int, -1, listen, (int fd, int backlog), fd, backlog)
CALL(int, -1, connect, (int fd, const struct sockaddr *sa, socklen_t len), fd, sa, len)
CALL(int, -1, getsockopt, (int fd, int level, int name, void *value, socklen_t *len), fd, level,
     name, value, len)
CALL(int, -1, stat, (const char *path, struct stat *st), path, st)
CALL(int, -1, lstat, (const char *path, struct stat *st), path, st)
CALL(int, -1, fstat, (int fd, struct stat *st), fd, st)
CALL(int, -1, fstatat, (int fd, const char *path, struct stat *st, int flags), fd, path, st, flags)
CALL(int, -1, fchmod, (int fd, mode_t mode), fd, mode)
CALL(int, -1, ftruncate, (int fd, off_t len), fd, len)
CALL(int, -1, unlink, (const char *path), path)
CALL(int, -1, link, (const char *from, const char *to), from, to)
CALL(int, -1, rename, (const char *from, const char *to), from, to)
CALL(int, -1, inotify_init1, (int flags), flags)
CALL(int, -1, inotify_add_watch, (int fd, const char *path, uint32_t mask), fd, path, mask)
CALL(int, -1, pipe2, (int fds[2], int flags), fds, flags)
CALL(int, -1, dup3, (int from, int to, int flags), from, to, flags)
CALL(int, -1, poll, (struct pollfd * fds, nfds_t nr, int ms), fds, nr, ms)
CALL(int, -1, epoll_wait, (int fd, struct epoll_event *events, int nr, int ms), fd, events, nr, ms)
CALL(int, -1, flock, (int fd, int how), fd, how)
CALL(pid_t, -1, fork, (void))
CALL(pid_t, -1, waitpid, (pid_t pid, int *status, int options), pid, status, options)
CALL(char *, NULL, mkdtemp, (char *template), template)
CALL(int, -1, mkstemp, (char *template), template)
CALL(int, -1, gethostname, (char *name, size_t len), name, len)
CALL(char *, NULL, getcwd, (char *buf, size_t len), buf, len)
CALL(char *, NULL, realpath, (const char *path, char *resolved), path, resolved)
CALL(DIR *, NULL, opendir, (const char *path), path)
CALL(DIR *, NULL, fdopendir, (int fd), fd)
CALL(struct dirent *, NULL, readdir, (DIR * dir), dir)
CALL(FILE *, NULL, fopen, (const char *path, const char *mode), path, mode)
CALL(FILE *, NULL, fdopen, (int fd, const char *mode), fd, mode)

/* close() frees the descriptor even if it fails. */
int close(int fd)
{
	int result;

	NEXT(int, close, int);
	result = next(fd);
	return call_must_fail("close") ? -1 : result;
}

int open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	NEXT(int, open, const char *, int, ...);
	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return call_must_fail("open") ? -1 : next(path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	NEXT(int, openat, int, const char *, int, ...);
	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return call_must_fail("openat") ? -1 : next(dir, path, flags, mode);
}

int fcntl(int fd, int what, ...)
{
	va_list ap;
	void *arg;

	NEXT(int, fcntl, int, int, ...);
	va_start(ap, what);
	arg = va_arg(ap, void *);
	va_end(ap);
	return call_must_fail("fcntl") ? -1 : next(fd, what, arg);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
		   void *data)
{
	NEXT(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	return call_must_fail("pthread_create") ? error : next(thread, attr, start, data);
}

static bool is_own(const long *a)
{
	return list >= 0 && a[0] == list;
}

long syscall(long number, ...)
{
	va_list ap;
	long a[6];
	size_t part;

	NEXT(long, syscall, long, ...);
	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if ((number == SYS_write && !is_own(a)) || number == SYS_sendto) {
		part = a[2] ? share(number == SYS_write ? "write" : "sendto", (size_t)a[2]) : 0;
		if (a[2] && !part)
			return -1;
		a[2] = (long)part;
	}
#ifdef SYS_pidfd_open
	if (number == SYS_pidfd_open && call_must_fail("pidfd_open"))
		return -1;
#endif
	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
