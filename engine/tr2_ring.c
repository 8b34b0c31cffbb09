/* SPDX-License-Identifier: MIT */
/* The ring file: choosing its directory, creating the file, and assigning rings to threads. */
#include "config.h"
#include "engine/tr2_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/platform.h"
#include "engine/tr2_dst_dir.h"
#include "engine/tr2_env.h"
#include "engine/tr2_sid.h"
#include "engine/tr2_state.h"
#include "engine/tr2_ticks.h"

/* Size of a ring file's name: the last component of the session id, and optionally a number. */
#define NAME_BYTES (TR2_SID_COMPONENT_BYTES + 16)

#define MAX_ATTEMPTS 10

/* State of the rings that this process may write to. It is cleared in a forked child. */
struct own_rings {
	int alive;
	struct tr2_ring rings[TR2_RING_MAX_RINGS];
};

static struct own_rings *mine; /* allocated once and inherited by forked children; never freed */

/* The ring file of this process. Apart from the atomic members, it changes only while no thread
 * uses a ring. */
static struct {
	int fd;
	struct tr2_file_id id;
	size_t ring_bytes;
	int no_more; /* atomic; true after creating a ring failed */
	struct tr2_ring_file *head;
	/* atomic; address of the mapped blocks of each ring; NULL: ring not created yet */
	char *blocks[TR2_RING_MAX_RINGS];
} file = { .fd = -1 };

/* Parse a size such as "128k" (bytes, k or m). Returns false if it is invalid. */
static bool parse_bytes(const char *text, uint64_t *out)
{
	unsigned shift = 0;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*out = strtoull(text, &end, 10);
	if (*end == 'k' || *end == 'K')
		shift = 10;
	else if (*end == 'm' || *end == 'M')
		shift = 20;
	end += shift != 0;
	if (errno || *end)
		return false;
	*out = *out > UINT64_MAX >> shift ? UINT64_MAX : *out << shift;
	return true;
}

/* Return the ring size to use, a power of two: the user's setting, or else trace2_set_ring(). 0: no
 * rings. */
static size_t wanted_bytes(void)
{
	const char *text = tr2_settings_text(&tr2_state.settings, TR2_S_EVENT_RING);
	uint64_t wanted = tr2_state.ring_bytes;
	size_t bytes = TR2_RING_MIN_BYTES;

	if (!TR2_HAVE_RINGS || !tr2_env_is_trusted())
		return 0;
	if (text && !parse_bytes(text, &wanted)) {
		tr2_dst_warn(&tr2_state.settings, "trace2: invalid ring size '%s'", text);
		return 0;
	}
	if (!wanted)
		return 0;
	while (bytes < wanted && bytes < TR2_RING_MAX_BYTES)
		bytes *= 2;
	return bytes;
}

/*
 * Get the directory for ring files from the event target's setting. Sets `by_link` to whether the
 * path may be a symbolic link. Returns false unless it is an existing directory with an absolute
 * path.
 */
static bool ring_directory_of(const char *value, char path[PATH_MAX], bool *by_link)
{
	bool stream, dgram;
	const char *sock = tr2_dst_socket_path(value, &stream, &dgram);
	struct stat st;
	int n;

	*by_link = !sock;
	n = sock ? snprintf(path, PATH_MAX, "%s.rings", sock)
		 : snprintf(path, PATH_MAX, "%s", value);
	return *path == '/' && n > 0 && n < PATH_MAX && !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int open_ring_directory(const char *path, bool by_link, const char **why)
{
	int fd = tr2_platform_open_directory(path, by_link);
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		*why = strerror(errno);
	} else if (st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH)) {
		*why = "writable by other users";
	} else if (tr2_platform_allocation_is_permanent(fd, why)) {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/*
 * Create a ring file that only the process's user may write to. Sets `name`. Returns its
 * descriptor; -1 with errno on failure.
 */
static int create_ring_file(int dir, const char *sid, unsigned first, char name[NAME_BYTES])
{
	int fd = -1;

	for (unsigned nr = first; nr < first + MAX_ATTEMPTS; nr++) {
		if (nr)
			snprintf(name, NAME_BYTES, "%s.%u", sid, nr);
		else
			snprintf(name, NAME_BYTES, "%s", sid);
		fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

/* Writing beyond RLIMIT_FSIZE would raise SIGXFSZ. */
static bool may_grow_to(size_t nr_bytes)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	       limit.rlim_cur >= nr_bytes;
}

static int allocate_blocks(off_t at, size_t nr_bytes)
{
	int error;

	if (!may_grow_to((size_t)at + nr_bytes))
		return EFBIG;
	do
		error = posix_fallocate(file.fd, at, (off_t)nr_bytes);
	while (error == EINTR);
	return error;
}

static int map_ring(unsigned i)
{
	off_t at = (off_t)(TR2_RING_HEAD_BYTES + i * file.ring_bytes);
	int error = allocate_blocks(at, file.ring_bytes);
	char *blocks = error ? NULL : tr2_platform_map_file(file.fd, at, file.ring_bytes);

	if (blocks)
		__atomic_store_n(&file.blocks[i], blocks, __ATOMIC_RELEASE);
	else if (!error)
		error = errno;
	return error;
}

/* Write the head of the ring file before anything else, so that a reader finds either an empty file
 * or a valid head. */
static int write_head(const char *sid, size_t sid_len)
{
	/*
	 * static, because a thread's stack may be as small as 16 KiB. Only one thread of a process
	 * at a time creates ring files.
	 */
	static struct tr2_ring_file head;
	ssize_t n;

	head = (struct tr2_ring_file){
		.version = TR2_RING_VERSION,
		.block_bytes = TR2_RING_BLOCK_BYTES,
		.blocks = (uint32_t)(file.ring_bytes / TR2_RING_BLOCK_BYTES),
		.max_rings = TR2_RING_MAX_RINGS,
		.rings = 1,
		.schema = tr2_schema_id(),
		.start = tr2_state.start,
		.pid = (uint32_t)getpid(),
		.sid_len = (uint32_t)sid_len,
		.pid_namespace = tr2_platform_pid_namespace(),
	};
	if (!may_grow_to(sizeof(head)))
		return EFBIG;
	memcpy(head.magic, TR2_RING_MAGIC, sizeof(head.magic));
	memcpy(head.sid, sid, sid_len);
	n = pwrite(file.fd, &head, sizeof(head), 0);
	return n == (ssize_t)sizeof(head) ? 0 : n < 0 ? errno : ENOSPC;
}

static void release_file(void)
{
	struct tr2_file_id now;
	mode_t mode;

	for (unsigned i = 0; i < TR2_RING_MAX_RINGS; i++) {
		if (file.blocks[i])
			munmap(file.blocks[i], file.ring_bytes);
		file.blocks[i] = NULL;
	}
	if (file.head)
		munmap(file.head, TR2_RING_HEAD_BYTES);
	file.head = NULL;
	if (file.fd >= 0 && tr2_dst_identify(file.fd, &now, &mode) && now.dev == file.id.dev &&
	    now.ino == file.id.ino)
		close(file.fd);
	file.fd = -1;
}

/* Write the head of a new ring file; map the head and ring 0. On failure closes the file and
 * returns an errno value. */
static int fill_ring_file(int fd, const char *sid, size_t ring_bytes)
{
	mode_t mode;
	int error;

	file.fd = tr2_dst_move_up(fd);
	file.ring_bytes = ring_bytes;
	file.no_more = 0;
	tr2_dst_identify(file.fd, &file.id, &mode);
	error = write_head(sid, strlen(sid));
	if (!error)
		error = allocate_blocks(0, TR2_RING_HEAD_BYTES);
	if (!error && !(file.head = tr2_platform_map_file(file.fd, 0, TR2_RING_HEAD_BYTES)))
		error = errno;
	if (!error)
		error = map_ring(0);
	if (error)
		release_file();
	return error;
}

/* Allocate the state of the rings, which is cleared in a forked child, by the kernel or by
 * tr2_ring_forked(). */
static bool allocate_mine(void)
{
	void *memory;

	if (mine)
		return true;
	memory = tr2_platform_map_zeros(sizeof(*mine));
	if (!memory)
		return false;
	tr2_platform_wipe_on_fork(memory, sizeof(*mine));
	mine = memory;
	return true;
}

/* Create the session's ring file. Returns the reason for a failure; NULL: none. */
static const char *open_ring_file(const char *path, bool by_link, size_t ring_bytes, unsigned first)
{
	char name[NAME_BYTES], variable[TR2_VARIABLE_BYTES];
	const char *sid = tr2_sid_get(tr2_variable(TR2_S_PARENT_SID, variable)), *why = NULL;
	int error = 0, fd, dir;

	if (!*sid || strlen(sid) > TR2_RING_SID_MAX)
		return "the session id is too long";
	if (!allocate_mine())
		return strerror(ENOMEM);
	dir = open_ring_directory(path, by_link, &why);
	if (dir < 0)
		return why;
	fd = create_ring_file(dir, tr2_sid_own(), first, name);
	if (fd < 0) {
		why = strerror(errno);
	} else {
		error = fill_ring_file(fd, sid, ring_bytes);
		if (error) {
			unlinkat(dir, name, 0);
			why = strerror(error);
		}
	}
	close(dir);
	if (!why)
		__atomic_store_n(&mine->alive, 1, __ATOMIC_RELEASE);
	return why;
}

/* Create the ring file of this session, if possible. `first`: first suffix to try for its name; 0:
 * none. */
static bool open_session_rings(struct tr2_target *target, size_t ring_bytes, unsigned first)
{
	const struct tr2_settings *set = &tr2_state.settings;
	const char *value = tr2_settings_text(set, TR2_S_EVENT), *why;
	/* static, because the stack of a thread may be too small for a path */
	static char path[PATH_MAX];
	bool by_link;

	if (!value || !ring_bytes || !ring_directory_of(value, path, &by_link) ||
	    (by_link && !tr2_dir_has_space(path, tr2_settings_int(set, TR2_S_MAX_FILES))))
		return false;
	why = open_ring_file(path, by_link, ring_bytes, first);
	if (why) {
		tr2_dst_warn(set, "trace2: cannot use rings in '%s', writing lines: %s", path, why);
		return false;
	}
	target->dst = (struct tr2_dst){ .on = 1, .fd = -1, .variable = target->variable };
	target->rings = true;
	tr2_ticks_allow();
	return true;
}

bool tr2_ring_open(struct tr2_target *target)
{
	return open_session_rings(target, wanted_bytes(), 0);
}

bool tr2_ring_is_alive(void)
{
	return mine && __atomic_load_n(&mine->alive, __ATOMIC_ACQUIRE);
}

void tr2_ring_forked(void)
{
	if (tr2_ring_is_alive())
		memset(mine, 0, sizeof(*mine));
}

/* In a forked child that continues its parent's session, a number is appended to the file name,
 * because the parent's file exists. */
void tr2_ring_renew(struct tr2_target *target)
{
	size_t ring_bytes = file.ring_bytes;
	int cancellable;

	if (tr2_ring_is_alive())
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
	release_file();
	if (!open_session_rings(target, ring_bytes, tr2_state.fork_sid ? 0 : (unsigned)getpid())) {
		target->rings = false;
		tr2_dst_open(&target->dst, &tr2_state.settings, TR2_S_EVENT, target->variable,
			     tr2_sid_own);
	}
	pthread_setcancelstate(cancellable, NULL);
}

void tr2_ring_abandon(void)
{
	if (!tr2_ring_is_alive())
		return;
	tr2_ring_close();
	memset(mine, 0, sizeof(*mine));
	release_file();
}

void tr2_ring_close(void)
{
	if (tr2_ring_is_alive())
		__atomic_store_n(&file.head->closed, 1, __ATOMIC_RELEASE);
}

static bool ring_fd_is_unchanged(void)
{
	struct tr2_file_id now;
	mode_t mode;

	return tr2_dst_identify(file.fd, &now, &mode) && now.dev == file.id.dev &&
	       now.ino == file.id.ino;
}

static void count_ring(unsigned i)
{
	uint32_t rings = __atomic_load_n(&file.head->rings, __ATOMIC_RELAXED);

	while (rings <= i && !__atomic_compare_exchange_n(&file.head->rings, &rings, i + 1, false,
							  __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

static bool ring_is_mapped(unsigned i)
{
	return __atomic_load_n(&file.blocks[i], __ATOMIC_ACQUIRE);
}

/* Prepare ring `i`, which the calling thread owns. Returns false on failure. */
static bool prepare_ring(struct tr2_ring *ring, unsigned i)
{
	struct tr2_ring_head *heads =
		(struct tr2_ring_head *)(void *)((char *)file.head + TR2_RING_HEADS_AT);

	if (!ring->blocks) {
		if (!ring_is_mapped(i) && (!ring_fd_is_unchanged() || map_ring(i))) {
			__atomic_store_n(&file.no_more, 1, __ATOMIC_RELAXED);
			return false;
		}
		count_ring(i);
		ring->head = &heads[i];
		ring->mask = file.ring_bytes - 1;
		ring->blocks = __atomic_load_n(&file.blocks[i], __ATOMIC_ACQUIRE);
	}
	ring->fresh = true;
	return true;
}

static void count_unplaced(void)
{
#if TR2_HAVE_RINGS
	__atomic_fetch_add(&file.head->unplaced, 1, __ATOMIC_RELAXED);
#endif
}

/* Take the ring for the thread if it is free. Also true if the thread owns the ring already,
 * because a signal handler jumped out of an earlier call. */
static bool claim_ring(struct tr2_ring *ring, struct tr2_thread *self)
{
	const struct tr2_thread *owner = __atomic_load_n(&ring->owner, __ATOMIC_RELAXED);

	return owner == self ||
	       (!owner && __atomic_compare_exchange_n(&ring->owner, &owner, self, false,
						      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
}

struct tr2_ring *tr2_ring_claim(struct tr2_thread *self)
{
	for (unsigned i = 0; i < TR2_RING_MAX_RINGS; i++) {
		struct tr2_ring *ring = &mine->rings[i];

		if ((!ring_is_mapped(i) && __atomic_load_n(&file.no_more, __ATOMIC_RELAXED)) ||
		    !claim_ring(ring, self))
			continue;
		if (prepare_ring(ring, i)) {
			self->ring = ring;
			return ring;
		}
		__atomic_store_n(&ring->owner, NULL, __ATOMIC_RELEASE);
	}
	count_unplaced();
	return NULL;
}

void tr2_ring_keep_first(const struct tr2_ring *ring)
{
	size_t len = sizeof(struct tr2_ring_block), end = (size_t)ring->written;
	struct tr2_ring_piece record;

	if (ring != &mine->rings[0])
		return;
	if (end > TR2_RING_FIRST_BYTES)
		end = TR2_RING_FIRST_BYTES;
	for (; len + sizeof(record) <= end; len += record.length) {
		memcpy(&record, ring->blocks + len, sizeof(record));
		if (!record.length || record.flags || record.length > end - len)
			break;
	}
	memcpy(file.head->first, ring->blocks, len);
	__atomic_store_n(&file.head->first_bytes, (uint32_t)len, __ATOMIC_RELEASE);
}

static bool thread_owns_ring(const struct tr2_thread *self)
{
	return self->ring && __atomic_load_n(&self->ring->owner, __ATOMIC_RELAXED) == self;
}

void tr2_ring_release(struct tr2_thread *self)
{
	if (thread_owns_ring(self))
		__atomic_store_n(&self->ring->owner, NULL, __ATOMIC_RELEASE);
	self->ring = NULL;
}

void tr2_ring_renamed(struct tr2_thread *self)
{
	if (thread_owns_ring(self))
		self->ring->fresh = true;
}

void tr2_ring_transfer(struct tr2_thread *from, struct tr2_thread *to)
{
	if (from && to && thread_owns_ring(from)) {
		to->ring = from->ring;
		__atomic_store_n(&to->ring->owner, to, __ATOMIC_RELAXED);
	}
}
