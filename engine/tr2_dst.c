/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_dst.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/buf.h"
#include "engine/tr2_dst_dir.h"

/* If possible, destinations get one of this many descriptor numbers below NUMBERS and the process's
 * limit, and none below this number, because shells and daemons rely on low numbers. */
#define LOW_NUMBERS 64
/* End of the descriptor numbers for destinations. The kernel's table of that many descriptors takes
 * 8 KiB. */
#define NUMBERS 1024

void tr2_dst_warn(const struct tr2_settings *set, const char *fmt, ...)
{
	struct tr2_buf text;
	va_list ap;
	bool made;

	if (tr2_settings_int(set, TR2_S_DST_DEBUG) <= 0)
		return;
	tr2_buf_init(&text, SIZE_MAX / 2);
	va_start(ap, fmt);
	made = tr2_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	if (made)
		dprintf(STDERR_FILENO, "warning: %s\n", tr2_buf_cstr(&text));
	tr2_buf_release(&text);
}

/* Writing past RLIMIT_FSIZE would raise SIGXFSZ in the host program. */
static bool is_size_limited(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY;
}

static enum tr2_dst_kind dst_kind_of(mode_t mode)
{
	if (S_ISSOCK(mode))
		return TR2_DST_SOCKET;
	if (S_ISFIFO(mode))
		return TR2_DST_PIPE;
	return S_ISREG(mode) && is_size_limited() ? TR2_DST_LIMITED : TR2_DST_FILE;
}

bool tr2_dst_identify(int fd, struct tr2_file_id *file, mode_t *mode)
{
	return tr2_platform_identify(fd, &file->dev, &file->ino, mode);
}

/* True if standard error, `fd`, is suitable for messages. If the host program closed it, its number
 * may refer to any other file. */
static bool is_for_messages(int fd, mode_t mode)
{
	return S_ISCHR(mode) || S_ISFIFO(mode) || (S_ISREG(mode) && fcntl(fd, F_GETFL) & O_APPEND);
}

static bool dst_fd_is_unchanged(struct tr2_dst *dst)
{
	struct tr2_file_id now;
	mode_t mode;

	if (!tr2_dst_identify(dst->fd, &now, &mode))
		return false;
	if (now.dev == dst->file.dev && now.ino == dst->file.ino)
		return true;
	if (dst->ours || dst->fd != STDERR_FILENO || !is_for_messages(dst->fd, mode))
		return false;
	__atomic_store_n(&dst->kind, dst_kind_of(mode), __ATOMIC_RELAXED);
	return true;
}

static bool dst_use_fd(struct tr2_dst *dst, int fd, bool ours)
{
	mode_t mode = S_IFREG;

	dst->fd = fd;
	dst->ours = ours;
	tr2_dst_identify(fd, &dst->file, &mode);
	dst->kind = dst_kind_of(mode);
	return true;
}

/* Return the lowest descriptor number for libtrace2 to use: a high one, which the host program
 * seldom gets, unless the limit on descriptors is low. */
static int lowest_own_fd(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > NUMBERS)
		return NUMBERS - LOW_NUMBERS;
	return limit.rlim_cur >= 2 * LOW_NUMBERS ? (int)limit.rlim_cur - LOW_NUMBERS : LOW_NUMBERS;
}

int tr2_dst_move_up(int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, lowest_own_fd());

	if (moved < 0)
		return fd;
	close(fd);
	return moved;
}

static bool dst_adopt_fd(struct tr2_dst *dst, int fd)
{
	return dst_use_fd(dst, tr2_dst_move_up(fd), true);
}

static bool dst_open_file(struct tr2_dst *dst, const struct tr2_settings *set, const char *path)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);

	if (fd < 0) {
		tr2_dst_warn(set, "trace2: could not open '%s' for '%s' tracing: %s", path,
			     dst->variable, strerror(errno));
		return false;
	}
	return dst_adopt_fd(dst, fd);
}

static bool dst_open_in_directory(struct tr2_dst *dst, const struct tr2_settings *set,
				  const char *path, const char *(*own_sid)(void))
{
	struct tr2_dir_file file =
		tr2_dir_create(path, own_sid(), tr2_settings_int(set, TR2_S_MAX_FILES));

	dst->in_directory = true;
	if (file.fd < 0) {
		if (file.full)
			tr2_dst_warn(set,
				     "trace2: not opening %s trace file due to too many files in "
				     "target "
				     "directory %s",
				     dst->variable, path);
		else
			tr2_dst_warn(set, "trace2: could not open '%s' for '%s' tracing: %s", path,
				     dst->variable, strerror(file.error));
		return false;
	}
	dst->too_many_files = file.full;
	return dst_adopt_fd(dst, file.fd);
}

static int connect_socket(const struct sockaddr_un *sa, int type)
{
	int fd = tr2_platform_socket(AF_UNIX, type, false), error;

	if (fd < 0)
		return -1;
	if (!connect(fd, (const struct sockaddr *)sa, sizeof(*sa)))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

const char *tr2_dst_socket_path(const char *value, bool *stream, bool *dgram)
{
	static const char scheme[] = "af_unix:";
	const char *path;

	*stream = *dgram = true;
	if (strncmp(value, scheme, sizeof(scheme) - 1) != 0)
		return NULL;
	path = value + sizeof(scheme) - 1;
	if (!strncmp(path, "stream:", 7)) {
		*dgram = false;
		path += 7;
	} else if (!strncmp(path, "dgram:", 6)) {
		*stream = false;
		path += 6;
	}
	return path;
}

static bool dst_open_socket(struct tr2_dst *dst, const struct tr2_settings *set, const char *value)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	bool try_stream, try_dgram;
	const char *path = tr2_dst_socket_path(value, &try_stream, &try_dgram);
	int fd = -1;

	if (!*path) {
		tr2_dst_warn(set, "trace2: invalid AF_UNIX value '%s' for '%s' tracing", value,
			     dst->variable);
		return false;
	}
	if (*path != '/' || strlen(path) >= sizeof(sa.sun_path)) {
		tr2_dst_warn(set, "trace2: invalid AF_UNIX path '%s' for '%s' tracing", path,
			     dst->variable);
		return false;
	}
	memcpy(sa.sun_path, path, strlen(path) + 1);
	if (try_stream)
		fd = connect_socket(&sa, SOCK_STREAM);
	if (fd < 0 && try_dgram && (!try_stream || errno == EPROTOTYPE))
		fd = connect_socket(&sa, SOCK_DGRAM);
	if (fd >= 0)
		return dst_adopt_fd(dst, fd);
	tr2_dst_warn(set, "trace2: could not connect to socket '%s' for '%s' tracing: %s", path,
		     dst->variable, strerror(errno));
	return false;
}

static bool dst_open_value(struct tr2_dst *dst, const struct tr2_settings *set, const char *value,
			   const char *(*own_sid)(void))
{
	struct stat st;

	if (!value || !*value || !strcmp(value, "0") || !strcasecmp(value, "false"))
		return false;
	if (!strcmp(value, "1") || !strcasecmp(value, "true"))
		return dst_use_fd(dst, STDERR_FILENO, false);
	if (value[0] >= '2' && value[0] <= '9' && !value[1])
		return dst_use_fd(dst, value[0] - '0', false);
	if (*value == '/')
		return !stat(value, &st) && S_ISDIR(st.st_mode)
			       ? dst_open_in_directory(dst, set, value, own_sid)
			       : dst_open_file(dst, set, value);
	if (!strncmp(value, "af_unix:", 8))
		return dst_open_socket(dst, set, value);
	tr2_dst_warn(set, "trace2: unknown value for '%s': '%s'", dst->variable, value);
	return false;
}

bool tr2_dst_open(struct tr2_dst *dst, const struct tr2_settings *set, enum tr2_setting id,
		  const char *variable, const char *(*own_sid)(void))
{
	*dst = (struct tr2_dst){ .fd = -1, .variable = variable };
	dst->on = dst_open_value(dst, set, tr2_settings_text(set, id), own_sid);
	return dst->on;
}

/* Write to a descriptor for which write() may raise the signal `signo` and fail with errno `cause`.
 * Discards the signal that this write raised. */
static ssize_t write_without_signal(int fd, const char *data, size_t len, int signo, int cause)
{
	sigset_t it_only, before, pending;
	bool was_pending;
	ssize_t n;
	int error;

	sigemptyset(&it_only);
	sigaddset(&it_only, signo);
	sigpending(&pending);
	was_pending = sigismember(&pending, signo) == 1;
	pthread_sigmask(SIG_BLOCK, &it_only, &before);
	n = tr2_platform_write(fd, data, len);
	error = errno;
	if (n < 0 && error == cause && !was_pending)
		tr2_platform_take_pending(&it_only);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return n;
}

static void dst_disable(struct tr2_dst *dst)
{
	int null;

	if (!__atomic_exchange_n(&dst->on, 0, __ATOMIC_RELAXED) || !dst->ours ||
	    !dst_fd_is_unchanged(dst))
		return;
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null >= 0) {
		tr2_platform_dup_over(null, dst->fd);
		close(null);
	}
}

static ssize_t write_by_kind(const struct tr2_dst *dst, const char *line, size_t len)
{
	switch (__atomic_load_n(&dst->kind, __ATOMIC_RELAXED)) {
	case TR2_DST_SOCKET:
		return tr2_platform_send(dst->fd, line, len);
	case TR2_DST_PIPE:
		return write_without_signal(dst->fd, line, len, SIGPIPE, EPIPE);
	case TR2_DST_LIMITED:
		return write_without_signal(dst->fd, line, len, SIGXFSZ, EFBIG);
	default:
		return tr2_platform_write(dst->fd, line, len);
	}
}

int tr2_dst_write_rest(struct tr2_dst *dst, const char *line, size_t len, ssize_t n)
{
	int error;

	while (n == TR2_DST_UNTRIED || (n < 0 && errno == EINTR))
		n = write_by_kind(dst, line, len);
	if (n >= 0)
		return 0;
	error = errno;
	dst_disable(dst);
	return error;
}

int tr2_dst_check(struct tr2_dst *dst)
{
	if (dst_fd_is_unchanged(dst))
		return 0;
	return __atomic_exchange_n(&dst->on, 0, __ATOMIC_RELAXED) ? EBADF : 0;
}

void tr2_dst_close(struct tr2_dst *dst)
{
	__atomic_store_n(&dst->on, 0, __ATOMIC_RELAXED);
	if (dst->ours && dst_fd_is_unchanged(dst))
		close(dst->fd);
	dst->fd = -1;
	dst->ours = false;
}
