/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/platform.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_MALLOC_H
#include <malloc.h>
#endif
#ifdef HAVE_SYS_PRCTL_H
#include <sys/prctl.h>
#endif
#ifdef HAVE_SYS_SYSCTL_H
#include <sys/sysctl.h>
#endif
#ifdef HAVE_STRUCT_XUCRED_CR_UID
#include <sys/ucred.h>
#include <sys/un.h>
#endif
#ifdef HAVE_STRUCT_KINFO_PROC_KI_PPID
#include <sys/proc.h>
#include <sys/user.h>
#endif

#include "monitor/base/die.h"

#if !defined(HAVE_PIPE2) || !HAVE_DECL_SOCK_CLOEXEC
static int set_pair_flags(const int fds[2], bool nonblock)
{
	for (int i = 0; i < 2; i++) {
		if (tr2_platform_set_flags(fds[i], nonblock) < 0) {
			close(fds[1 - i]);
			return -1;
		}
	}
	return 0;
}
#endif

int platform_pipe(int fds[2], bool nonblock)
{
#ifdef HAVE_PIPE2
	return pipe2(fds, O_CLOEXEC | (nonblock ? O_NONBLOCK : 0));
#else
	return pipe(fds) ? -1 : set_pair_flags(fds, nonblock);
#endif
}

int platform_socketpair(int type, int fds[2])
{
#if HAVE_DECL_SOCK_CLOEXEC
	return socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds);
#else
	return socketpair(AF_UNIX, type, 0, fds) ? -1 : set_pair_flags(fds, false);
#endif
}

int platform_accept(int fd)
{
#ifdef HAVE_ACCEPT4
	return accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
#else
	return tr2_platform_set_flags(accept(fd, NULL, NULL), true);
#endif
}

bool platform_peer(int fd, int64_t *pid, int64_t *uid)
{
#ifdef HAVE_STRUCT_UCRED_UID
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len))
		return false;
	*pid = peer.pid;
	*uid = peer.uid;
	return true;
#elif defined(HAVE_STRUCT_XUCRED_CR_UID)
	/* for FreeBSD and macOS; untested */
	struct xucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, 0, LOCAL_PEERCRED, &peer, &len) || peer.cr_version != XUCRED_VERSION)
		return false;
	*uid = peer.cr_uid;
	*pid = 0;
#ifdef LOCAL_PEERPID
	pid_t process;

	len = sizeof(process);
	if (!getsockopt(fd, 0, LOCAL_PEERPID, &process, &len))
		*pid = process;
#endif
	return true;
#else
	(void)fd;
	*pid = *uid = 0;
	return false;
#endif
}

bool platform_has_peers(void)
{
#if defined(HAVE_STRUCT_UCRED_UID) || defined(HAVE_STRUCT_XUCRED_CR_UID)
	return true;
#else
	return false;
#endif
}

int platform_receive(int fd, struct platform_datagram *datagrams, unsigned nr)
{
#ifdef HAVE_RECVMMSG
	_Static_assert(sizeof(*datagrams) == sizeof(struct mmsghdr) &&
			       offsetof(struct platform_datagram, len) ==
				       offsetof(struct mmsghdr, msg_len),
		       "the same members");
	return recvmmsg(fd, (struct mmsghdr *)(void *)datagrams, nr, MSG_DONTWAIT, NULL);
#else
	unsigned taken = 0;

	for (; taken < nr; taken++) {
		ssize_t n = recvmsg(fd, &datagrams[taken].header, MSG_DONTWAIT);

		if (n < 0)
			return taken ? (int)taken : -1;
		datagrams[taken].len = (unsigned)n;
	}
	return (int)taken;
#endif
}

int platform_open_terminal(char *slave, size_t bytes)
{
#ifdef HAVE_PTSNAME_R
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && !grantpt(fd) && !unlockpt(fd) && !ptsname_r(fd, slave, bytes))
		return fd;
#else
	int fd = tr2_platform_set_flags(posix_openpt(O_RDWR | O_NOCTTY), true);
	const char *name = fd >= 0 && !grantpt(fd) && !unlockpt(fd) ? ptsname(fd) : NULL;

	if (name && strlen(name) < bytes) {
		memcpy(slave, name, strlen(name) + 1);
		return fd;
	}
#endif
	if (fd >= 0)
		close(fd);
	return -1;
}

int platform_make_temporary(char *name)
{
#ifdef HAVE_MKOSTEMP
	return mkostemp(name, O_CLOEXEC);
#else
	return tr2_platform_set_flags(mkstemp(name), false);
#endif
}

bool platform_file_name(int fd, char *name, size_t bytes)
{
#ifdef F_GETPATH
	/* for macOS; untested */
	return bytes >= PATH_MAX && fcntl(fd, F_GETPATH, name) != -1;
#else
	char link[40];
	ssize_t len;

	snprintf(link, sizeof(link), TR2_PLATFORM_PROC "/self/fd/%d", fd);
	len = readlink(link, name, bytes);
	if (len <= 0 || (size_t)len >= bytes)
		return false;
	name[len] = '\0';
	return true;
#endif
}

#ifdef HAVE_EVENTFD
#include <sys/eventfd.h>

bool platform_wakeup_init(struct platform_wakeup *wakeup)
{
	wakeup->in = wakeup->out = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return wakeup->in >= 0;
}
#else
bool platform_wakeup_init(struct platform_wakeup *wakeup)
{
	int fds[2];

	if (platform_pipe(fds, true))
		return false;
	wakeup->in = fds[0];
	wakeup->out = fds[1];
	return true;
}
#endif

void platform_wakeup_release(struct platform_wakeup *wakeup)
{
	close(wakeup->in);
	if (wakeup->out != wakeup->in)
		close(wakeup->out);
}

void platform_wake(const struct platform_wakeup *wakeup)
{
	static const uint64_t one = 1;

	while (write(wakeup->out, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

void platform_wakeup_clear(const struct platform_wakeup *wakeup)
{
	uint64_t taken[64];
	ssize_t n;

	/* A pipe may have more bytes than fit into the buffer. */
	do
		n = read(wakeup->in, taken, sizeof(taken));
	while (n == (ssize_t)sizeof(taken) || (n < 0 && errno == EINTR));
}

enum platform_entry platform_entry_kind(const struct dirent *entry)
{
#ifdef HAVE_STRUCT_DIRENT_D_TYPE
	switch (entry->d_type) {
	case DT_UNKNOWN:
		return PLATFORM_UNKNOWN;
	case DT_REG:
		return PLATFORM_FILE;
	case DT_DIR:
		return PLATFORM_DIRECTORY;
	case DT_LNK:
		return PLATFORM_LINK;
	default:
		return PLATFORM_OTHER;
	}
#else
	(void)entry;
	return PLATFORM_UNKNOWN;
#endif
}

#ifdef HAVE_SYS_INOTIFY_H
#include <sys/inotify.h>

#define NAMES (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
#define GONE  (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)

int platform_watch_open(const char *path)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (fd >= 0 && inotify_add_watch(fd, path,
					 IN_MODIFY | IN_CLOSE_WRITE | NAMES | IN_DELETE_SELF |
						 IN_MOVE_SELF | IN_ONLYDIR) >= 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

bool platform_watch_read(int fd,
			 bool (*report)(void *data, enum platform_change what, const char *name),
			 void *data)
{
	_Alignas(struct inotify_event) char buf[64 << 10];
	bool more = true;
	ssize_t n;

	do
		n = read(fd, buf, sizeof(buf));
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno != EAGAIN)
		return false;
	for (char *p = buf; n > 0 && p < buf + n && more;) {
		const struct inotify_event *ev = (const struct inotify_event *)(void *)p;
		const char *name = ev->len ? ev->name : "";

		p += sizeof(*ev) + ev->len;
		if (ev->mask & IN_Q_OVERFLOW)
			more = report(data, PLATFORM_OVERFLOW, "");
		else if (ev->mask & GONE)
			more = report(data, PLATFORM_GONE, "");
		else if (*name)
			more = report(data, ev->mask & NAMES ? PLATFORM_NAMES : PLATFORM_CHANGED,
				      name);
	}
	return true;
}
#else
int platform_watch_open(const char *path)
{
	(void)path;
	errno = ENOSYS;
	return -1;
}

bool platform_watch_read(int fd,
			 bool (*report)(void *data, enum platform_change what, const char *name),
			 void *data)
{
	(void)fd;
	(void)report;
	(void)data;
	errno = ENOSYS;
	return false;
}
#endif

int platform_process_descriptor(pid_t pid)
{
#if HAVE_DECL_SYS_PIDFD_OPEN
	return (int)syscall(SYS_pidfd_open, pid, 0);
#else
	(void)pid;
	errno = ENOSYS;
	return -1;
#endif
}

static bool has_no_process(int64_t pid)
{
	return pid <= INT_MAX && kill((pid_t)pid, 0) && errno == ESRCH;
}

#if HAVE_DECL_CLOCK_BOOTTIME
static ns_t boot_time(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_BOOTTIME, &ts))
		return NS_NONE;
	return tr2_clock_wall() - ((ns_t)ts.tv_sec * NS_PER_SEC + ts.tv_nsec);
}

bool platform_process_started(int64_t pid, ns_t *start)
{
	char path[40], stat[1024], *field;
	unsigned long long ticks = 0;
	ssize_t n;
	int fd;

	*start = NS_NONE;
	snprintf(path, sizeof(path), TR2_PLATFORM_PROC "/%lld/stat", (long long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return has_no_process(pid);
	n = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	if (n <= 0)
		return true;
	stat[n] = '\0';
	/* The command's name in /proc/PID/stat may contain parentheses. */
	field = strrchr(stat, ')');
	if (!field || field[1] != ' ' || field[2] == 'Z' || field[2] == 'X')
		return true;
	if (sscanf(field + 2,
		   "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
		   "%*d %llu",
		   &ticks) != 1)
		return false;
	*start = boot_time() + (ns_t)(ticks * (unsigned long long)NS_PER_SEC /
				      (unsigned long long)sysconf(_SC_CLK_TCK));
	return true;
}
#elif defined(HAVE_STRUCT_KINFO_PROC_KI_PPID) || defined(HAVE_STRUCT_KINFO_PROC_KP_EPROC)
/* for FreeBSD and macOS; untested */
bool platform_process_started(int64_t pid, ns_t *start)
{
	int mib[4] = { CTL_KERN, KERN_PROC, KERN_PROC_PID, (int)pid };
	struct kinfo_proc info;
	size_t size = sizeof(info);
	struct timeval at;
	bool ended;

	*start = NS_NONE;
	if (pid > INT_MAX || sysctl(mib, 4, &info, &size, NULL, 0) || !size)
		return has_no_process(pid);
#ifdef HAVE_STRUCT_KINFO_PROC_KI_PPID
	at = info.ki_start;
	ended = info.ki_stat == SZOMB;
#else
	at = info.kp_proc.p_starttime;
	ended = info.kp_proc.p_stat == SZOMB;
#endif
	if (!ended)
		*start = (ns_t)at.tv_sec * NS_PER_SEC + (ns_t)at.tv_usec * NS_PER_US;
	return true;
}
#else
bool platform_process_started(int64_t pid, ns_t *start)
{
	*start = NS_NONE;
	return has_no_process(pid);
}
#endif

void platform_end_with_parent(void)
{
#if HAVE_DECL_PR_SET_PDEATHSIG
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

void platform_name_process(const char *name)
{
#if HAVE_DECL_PR_SET_NAME
	prctl(PR_SET_NAME, name);
#else
	(void)name;
#endif
}

void platform_boot_id(char *out, size_t bytes)
{
	int fd = open(TR2_PLATFORM_PROC "/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	size_t len = bytes - 1;

	if (fd < 0 || read(fd, out, len) != (ssize_t)len) {
		memset(out, '0', len);
#if defined(HAVE_SYS_SYSCTL_H) && defined(KERN_BOOTTIME)
		/* for FreeBSD and macOS; untested */
		int mib[2] = { CTL_KERN, KERN_BOOTTIME };
		struct timeval at;
		size_t size = sizeof(at);

		if (!sysctl(mib, 2, &at, &size, NULL, 0) && size == sizeof(at))
			snprintf(out, bytes, "%0*llx", (int)len, (unsigned long long)at.tv_sec);
#endif
	}
	out[len] = '\0';
	if (fd >= 0)
		close(fd);
}

void platform_limit_malloc(void)
{
#if defined(HAVE_MALLOPT) && defined(M_ARENA_MAX)
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

void platform_wipe(void *bytes, size_t nr)
{
#ifdef HAVE_EXPLICIT_BZERO
	explicit_bzero(bytes, nr);
#else
	volatile unsigned char *at = bytes;

	while (nr--)
		*at++ = 0;
#endif
}

const char *platform_find_text(const char *text, const char *what)
{
#ifdef HAVE_STRCASESTR
	return strcasestr(text, what);
#else
	for (;; text++) {
		size_t same = 0;

		while (what[same] &&
		       tolower((unsigned char)text[same]) == tolower((unsigned char)what[same]))
			same++;
		if (!what[same])
			return text;
		if (!*text)
			return NULL;
	}
#endif
}

#ifdef HAVE_QSORT_R
void platform_sort(void *items, size_t nr, size_t bytes,
		   int (*compare)(const void *, const void *, void *), void *data)
{
	qsort_r(items, nr, bytes, compare, data);
}
#else
/* Merge adjacent pairs of sorted sequences of up to `run` items. */
static void merge_runs(const char *from, char *to, size_t nr, size_t bytes, size_t run,
		       int (*compare)(const void *, const void *, void *), void *data)
{
	for (size_t begin = 0; begin < nr; begin += 2 * run) {
		size_t a = begin, a_end = nr - begin < run ? nr : begin + run;
		size_t b = a_end, b_end = nr - a_end < run ? nr : a_end + run;

		while (a < a_end || b < b_end) {
			bool first = b == b_end ||
				     (a < a_end &&
				      compare(from + a * bytes, from + b * bytes, data) <= 0);

			memcpy(to, from + (first ? a++ : b++) * bytes, bytes);
			to += bytes;
		}
	}
}

void platform_sort(void *items, size_t nr, size_t bytes,
		   int (*compare)(const void *, const void *, void *), void *data)
{
	char *from = items, *to = nr > 1 ? xmalloc(nr * bytes) : NULL, *other = to;

	for (size_t run = 1; run < nr; run *= 2) {
		char *swap = from;

		merge_runs(from, to, nr, bytes, run, compare, data);
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, nr * bytes);
	free(other);
}
#endif

time_t platform_time_of_utc(struct tm *tm)
{
#ifdef HAVE_TIMEGM
	return timegm(tm);
#else
	/* Count days from 0000-03-01, so that a leap day ends its year. */
	int64_t months = (int64_t)tm->tm_year * 12 + tm->tm_mon + 1900 * 12 - 2, year, days,
		seconds;
	int month = (int)((months % 12 + 12) % 12);
	time_t out;

	year = (months - month) / 12;
	days = year * 365 + (year >= 0 ? year : year - 3) / 4 -
	       (year >= 0 ? year : year - 99) / 100 + (year >= 0 ? year : year - 399) / 400 +
	       (153 * month + 2) / 5 + tm->tm_mday - 1;
	seconds =
		((days - 719468) * 24 + tm->tm_hour) * 3600 + (int64_t)tm->tm_min * 60 + tm->tm_sec;
	out = (time_t)seconds;
	if (out != seconds) {
		errno = EOVERFLOW;
		return -1;
	}
	return out;
#endif
}
