/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/base/platform.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#ifdef HAVE_SYS_AUXV_H
#include <sys/auxv.h>
#endif
#ifdef HAVE_SYS_PRCTL_H
#include <sys/prctl.h>
#endif
#ifdef HAVE_SYS_RANDOM_H
#include <sys/random.h>
#endif
#ifdef HAVE_SYS_SYSMACROS_H
#include <sys/sysmacros.h>
#endif
#ifdef HAVE_SYS_VFS_H
#include <sys/vfs.h>
#endif
#ifdef HAVE_SYS_SYSCTL_H
#include <sys/sysctl.h>
#endif
#if defined(HAVE_STRUCT_KINFO_PROC_KI_PPID)
#include <sys/user.h>
#endif

ssize_t tr2_platform_send(int fd, const char *data, size_t len)
{
#if HAVE_DECL_SYS_SENDTO && defined(__linux__)
	return syscall(SYS_sendto, fd, data, len, MSG_NOSIGNAL, NULL, 0);
#else
#ifdef MSG_NOSIGNAL
	int flags = MSG_NOSIGNAL;
#else
	/* macOS (never run there): only sockets of tr2_platform_socket() have SO_NOSIGPIPE. */
	int flags = 0;
#endif
	int before;
	ssize_t n;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	n = send(fd, data, len, flags);
	pthread_setcancelstate(before, &before);
	return n;
#endif
}

void tr2_platform_take_pending(const sigset_t *set)
{
#ifdef HAVE_SIGTIMEDWAIT
	const struct timespec now = { 0 };

	while (sigtimedwait(set, NULL, &now) < 0 && errno == EINTR)
		;
#else
	/* for macOS; never run there */
	sigset_t pending;
	int signo;

	sigpending(&pending);
	for (int i = 1; i < 32; i++)
		if (sigismember(set, i) == 1 && sigismember(&pending, i) == 1) {
			sigwait(set, &signo);
			return;
		}
#endif
}

int tr2_platform_set_flags(int fd, bool nonblock)
{
	int error;

	if (fd < 0)
		return fd;
	if (!fcntl(fd, F_SETFD, FD_CLOEXEC) &&
	    (!nonblock || !fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK)))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

int tr2_platform_socket(int domain, int type, bool nonblock)
{
#if HAVE_DECL_SOCK_CLOEXEC
	return socket(domain, type | SOCK_CLOEXEC | (nonblock ? SOCK_NONBLOCK : 0), 0);
#else
	int fd = tr2_platform_set_flags(socket(domain, type, 0), nonblock);
#ifdef SO_NOSIGPIPE
	int on = 1;

	/* for macOS; never run there */
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on));
#endif
	return fd;
#endif
}

int tr2_platform_dup_over(int from, int to)
{
#ifdef HAVE_DUP3
	return dup3(from, to, O_CLOEXEC);
#else
	int fd = dup2(from, to);

	if (fd >= 0)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
#endif
}

bool tr2_platform_identify(int fd, uint64_t *dev, uint64_t *ino, mode_t *mode)
{
	struct stat st;
#if defined(HAVE_STATX) && defined(STATX_INO)
	struct statx stx;

	if (!statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, &stx)) {
		*dev = makedev(stx.stx_dev_major, stx.stx_dev_minor);
		*ino = stx.stx_ino;
		*mode = stx.stx_mode;
		return true;
	}
#endif
	/* On a network file system the first fstat() may fail, so try twice. */
	if (fstat(fd, &st) && (errno == EBADF || fstat(fd, &st)))
		return false;
	*dev = st.st_dev;
	*ino = st.st_ino;
	*mode = st.st_mode;
	return true;
}

int tr2_platform_open_directory(const char *path, bool by_link)
{
	int flags = O_DIRECTORY | O_CLOEXEC | (by_link ? 0 : O_NOFOLLOW);

#if HAVE_DECL_O_PATH
	return open(path, O_PATH | flags);
#elif defined(O_SEARCH)
	return open(path, O_SEARCH | flags);
#else
	return open(path, O_RDONLY | flags);
#endif
}

bool tr2_platform_allocation_is_permanent(int dir, const char **why)
{
#if defined(HAVE_FSTATFS) && defined(HAVE_SYS_VFS_H)
	/* statfs.f_type of tmpfs and of ext2 to ext4 */
	static const uint32_t tmpfs = 0x01021994, ext = 0xef53;
	struct statfs fs;

	if (!fstatfs(dir, &fs) && ((uint32_t)fs.f_type == tmpfs || (uint32_t)fs.f_type == ext))
		return true;
	*why = "unsupported file system (use tmpfs or ext4)";
	return false;
#else
	(void)dir;
	*why = "the type of the file system is unknown on this platform";
	return false;
#endif
}

void *tr2_platform_map_file(int fd, off_t at, size_t nr_bytes)
{
#if HAVE_DECL_MAP_POPULATE
	int flags = MAP_SHARED | MAP_POPULATE;
#else
	int flags = MAP_SHARED;
#endif
	void *memory = mmap(NULL, nr_bytes, PROT_READ | PROT_WRITE, flags, fd, at);

	return memory == MAP_FAILED ? NULL : memory;
}

void *tr2_platform_map_zeros(size_t nr_bytes)
{
#if HAVE_DECL_MAP_ANONYMOUS
	void *memory =
		mmap(NULL, nr_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#else
	int fd = open("/dev/zero", O_RDWR | O_CLOEXEC);
	void *memory;

	if (fd < 0)
		return NULL;
	memory = mmap(NULL, nr_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
#endif
	return memory == MAP_FAILED ? NULL : memory;
}

void tr2_platform_wipe_on_fork(void *memory, size_t nr_bytes)
{
#if HAVE_DECL_MADV_WIPEONFORK
	madvise(memory, nr_bytes, MADV_WIPEONFORK);
#else
	(void)memory;
	(void)nr_bytes;
#endif
}

bool tr2_platform_random(void *bytes, size_t nr, bool wait)
{
#ifdef HAVE_GETRANDOM
	return getrandom(bytes, nr, wait ? 0 : GRND_NONBLOCK) == (ssize_t)nr;
#else
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	size_t at = 0;
	ssize_t n = 1;

	(void)wait;
	if (fd < 0)
		return false;
	while (at < nr && (n > 0 || (n < 0 && errno == EINTR))) {
		n = read(fd, (char *)bytes + at, nr - at);
		at += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	return at == nr;
#endif
}

bool tr2_platform_env_is_trusted(void)
{
#ifdef HAVE_GETAUXVAL
	return !getauxval(AT_SECURE);
#elif defined(HAVE_ISSETUGID)
	return !issetugid(); /* for FreeBSD and macOS; never run there */
#else
	return getuid() == geteuid() && getgid() == getegid();
#endif
}

#if HAVE_DECL_SYS_GETTID && defined(__linux__)
void tr2_platform_forked(void)
{
}

bool tr2_platform_is_main_thread(void)
{
	return syscall(SYS_gettid) == getpid();
}
#else
/* In a forked child: the thread that called fork(), and the child's pid. */
static pthread_t forking_thread;
static pid_t forked_pid;

void tr2_platform_forked(void)
{
	forking_thread = pthread_self();
	forked_pid = getpid();
}

bool tr2_platform_is_main_thread(void)
{
	return forked_pid == getpid() && pthread_equal(forking_thread, pthread_self());
}
#endif

bool tr2_platform_may_read_counter(void)
{
#if HAVE_DECL_PR_GET_TSC && (defined(__x86_64__) || defined(__i386__))
	int is;

	return !prctl(PR_GET_TSC, &is, 0, 0, 0) && is == PR_TSC_ENABLE;
#elif HAVE_DECL_PR_GET_TSC
	return true;
#else
	return false;
#endif
}

const char *tr2_platform_error_text(int error)
{
#if defined(HAVE_STRERRORDESC_NP) && defined(__GLIBC__)
	return strerrordesc_np(error);
#elif defined(HAVE_STRERROR_L)
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	const char *text = c ? strerror_l(error, c) : NULL;

	if (c)
		freelocale(c);
	return text;
#else
	return strerror(error);
#endif
}

bool tr2_platform_process(long pid, char *name, size_t bytes, long *parent)
{
#ifdef HAVE_STRUCT_KINFO_PROC_KI_PPID
	/* for FreeBSD; never run there */
	int mib[4] = { CTL_KERN, KERN_PROC, KERN_PROC_PID, (int)pid };
	struct kinfo_proc info;
	size_t size = sizeof(info);

	if (sysctl(mib, 4, &info, &size, NULL, 0) || !size)
		return false;
	snprintf(name, bytes, "%s", info.ki_comm);
	*parent = info.ki_ppid;
	return true;
#elif defined(HAVE_STRUCT_KINFO_PROC_KP_EPROC)
	/* for macOS; never run there */
	int mib[4] = { CTL_KERN, KERN_PROC, KERN_PROC_PID, (int)pid };
	struct kinfo_proc info;
	size_t size = sizeof(info);

	if (sysctl(mib, 4, &info, &size, NULL, 0) || !size)
		return false;
	snprintf(name, bytes, "%s", info.kp_proc.p_comm);
	*parent = info.kp_eproc.e_ppid;
	return true;
#else
	char path[64], text[64 + 1], *open_paren, *close_paren;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), TR2_PLATFORM_PROC "/%ld/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	open_paren = strchr(text, '(');
	close_paren = strrchr(text, ')');
	if (!open_paren || !close_paren || close_paren < open_paren || strlen(close_paren) < 5)
		return false;
	*close_paren = '\0';
	snprintf(name, bytes, "%s", open_paren + 1);
	*parent = strtol(close_paren + 4, NULL, 10);
	return true;
#endif
}

uint64_t tr2_platform_pid_namespace(void)
{
	struct stat st;

	return stat(TR2_PLATFORM_PROC "/self/ns/pid", &st) ? 0 : st.st_ino;
}
