/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/send/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/base/print_error.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/shortage.h"

#define NAME_BYTES 48
#define TEMP_NAME  ".writing"

struct spool {
	int dir;
};

static void spool_name_of(const struct wire_id *id, char *out)
{
	snprintf(out, NAME_BYTES, "%019" PRId64 "-%010" PRIu64, id->run, id->seq);
}

static bool name_parse(const char *name, struct wire_id *out)
{
	char again[NAME_BYTES];
	int end = -1;

	if (sscanf(name, "%" SCNd64 "-%" SCNu64 "%n", &out->run, &out->seq, &end) != 2 ||
	    end != (int)strlen(name) || out->run < 0)
		return false;
	spool_name_of(out, again);
	return !strcmp(name, again);
}

/* Return NULL, or the reason why the directory must not be used. */
static const char *spool_fault_of(int dir)
{
	struct stat st;

	if (fstat(dir, &st))
		return strerror(errno);
	if (st.st_uid != geteuid())
		return "belongs to another user";
	return st.st_mode & (S_IWGRP | S_IWOTH) ? "is writable by other users (chmod go-w)" : NULL;
}

struct spool *spool_open(const char *path, char *why, size_t why_bytes)
{
	const char *fault;
	struct spool *s;
	int dir;

	if (mkdir(path, 0700) && errno != EEXIST) {
		snprintf(why, why_bytes, "--spool: cannot create %s: %s", path, strerror(errno));
		return NULL;
	}
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0) {
		snprintf(why, why_bytes, "--spool: cannot open %s: %s", path, strerror(errno));
		return NULL;
	}
	if ((fault = spool_fault_of(dir))) {
		snprintf(why, why_bytes, "--spool: %s %s; use another directory", path, fault);
		close(dir);
		return NULL;
	}
	if (flock(dir, LOCK_EX | LOCK_NB)) {
		snprintf(why, why_bytes,
			 "--spool: another trace2top uses %s; use another directory", path);
		close(dir);
		return NULL;
	}
	s = xcalloc(1, sizeof(*s));
	s->dir = dir;
	return s;
}

void spool_close(struct spool *s)
{
	if (!s)
		return;
	close(s->dir);
	free(s);
}

/* Format the first line of a message's file, padded with blanks. */
static void head_fill(const struct wire_head *head, size_t len, char *out)
{
	char text[WIRE_HEAD_BYTES];
	size_t nr;

	wire_head_print(head, text);
	nr = (size_t)snprintf(out, WIRE_HEAD_BYTES, "%s %zu", text, len);
	memset(out + nr, ' ', WIRE_HEAD_BYTES - 1 - nr);
	out[WIRE_HEAD_BYTES - 1] = '\n';
}

static bool head_take(char *line, struct wire_head *head, size_t *len)
{
	char *blank, *end;
	size_t nr = WIRE_HEAD_BYTES - 1;

	if (line[nr] != '\n')
		return false;
	while (nr && line[nr - 1] == ' ')
		nr--;
	line[nr] = '\0';
	blank = strrchr(line, ' ');
	if (!blank || blank[1] < '0' || blank[1] > '9')
		return false;
	*len = strtoul(blank + 1, &end, 10);
	*blank = '\0';
	return !*end && *len <= WIRE_MAX_UNPACKED && wire_head_parse(line, head) == WIRE_OK;
}

static bool spool_write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t nr = write(fd, bytes, len);

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0)
			return false;
		bytes += nr;
		len -= (size_t)nr;
	}
	return true;
}

bool spool_write(struct spool *s, const struct wire_id *id, const struct wire_head *head,
		 const char *bytes, size_t len)
{
	char line[WIRE_HEAD_BYTES], name[NAME_BYTES];
	bool ok;
	int fd, error;

	/* A crash may have left a temporary file. */
	unlinkat(s->dir, TEMP_NAME, 0);
	fd = openat(s->dir, TEMP_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	head_fill(head, len, line);
	spool_name_of(id, name);
	ok = spool_write_all(fd, line, sizeof(line)) && spool_write_all(fd, bytes, len);
	error = errno;
	if (close(fd) && ok) {
		error = errno;
		ok = false;
	}
	if (ok && !renameat(s->dir, TEMP_NAME, s->dir, name))
		return true;
	if (ok)
		error = errno;
	unlinkat(s->dir, TEMP_NAME, 0);
	errno = error;
	return false;
}

bool spool_rehead(struct spool *s, const struct wire_id *id, const struct wire_head *head,
		  size_t len)
{
	char line[WIRE_HEAD_BYTES], name[NAME_BYTES];
	bool ok;
	int fd;

	spool_name_of(id, name);
	fd = openat(s->dir, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	head_fill(head, len, line);
	ok = pwrite(fd, line, sizeof(line), 0) == sizeof(line);
	return !close(fd) && ok;
}

/* Return the number of bytes that were read; if it is less than `bytes`, errno is set. */
static size_t read_all(int fd, char *out, size_t bytes)
{
	size_t at = 0;

	while (at < bytes) {
		ssize_t nr = read(fd, out + at, bytes - at);

		if (nr < 0 && errno == EINTR)
			continue;
		if (!nr)
			errno = ENODATA;
		if (nr <= 0)
			break;
		at += (size_t)nr;
	}
	return at;
}

char *spool_read(struct spool *s, const struct wire_id *id, size_t len)
{
	char name[NAME_BYTES], *bytes = NULL;
	int fd, error;

	spool_name_of(id, name);
	fd = openat(s->dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (lseek(fd, WIRE_HEAD_BYTES, SEEK_SET) >= 0)
		bytes = xmalloc(len + 1);
	if (bytes && read_all(fd, bytes, len) == len) {
		close(fd);
		return bytes;
	}
	error = errno;
	free(bytes);
	close(fd);
	errno = error;
	return NULL;
}

void spool_remove(struct spool *s, const struct wire_id *id)
{
	char name[NAME_BYTES];

	spool_name_of(id, name);
	unlinkat(s->dir, name, 0);
}

/* Read a file's first line. Returns false with errno on failure; ENODATA: the file is damaged or
 * not a regular file. `head` has the numbers of events that could be read, else 0. */
static bool spool_check(struct spool *s, const struct wire_id *id, struct wire_head *head,
			size_t *len)
{
	char line[WIRE_HEAD_BYTES], name[NAME_BYTES];
	struct stat st;
	int fd, error;

	*head = (struct wire_head){ 0 };
	spool_name_of(id, name);
	fd = openat(s->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	error = ENODATA;
	if (fstat(fd, &st)) {
		error = errno;
	} else if (S_ISREG(st.st_mode)) {
		if (read_all(fd, line, sizeof(line)) != sizeof(line))
			error = errno;
		else if (head_take(line, head, len) &&
			 (uint64_t)st.st_size == WIRE_HEAD_BYTES + *len)
			error = 0;
	}
	close(fd);
	errno = error;
	return !error;
}

static void left_report(unsigned nr, int error)
{
	if (nr)
		complain_print_error(
			"--spool: cannot read %u message%s; retrying at the next start: %s%s", nr,
			nr == 1 ? "" : "s", strerror(error), shortage_recover(error));
	else
		complain_print_error(
			"--spool: cannot read the directory; retrying at the next start: %s%s",
			strerror(error), shortage_recover(error));
}

static int compare(const void *a, const void *b)
{
	const struct wire_id *x = a, *y = b;

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

void spool_scan(struct spool *s,
		void (*found)(void *data, const struct wire_id *id, const struct wire_head *head,
			      size_t len),
		void *data, uint64_t *torn)
{
	struct wire_id *ids = NULL, id;
	uint32_t nr = 0, cap = 0;
	unsigned nr_left = 0;
	struct wire_head head;
	struct dirent *entry;
	int fd = openat(s->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), left_by = 0;
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	size_t len = 0;

	if (!dir) {
		left_report(0, errno);
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir))) {
		if (!name_parse(entry->d_name, &id))
			continue;
		GROW(ids, nr, cap, 64);
		ids[nr++] = id;
	}
	closedir(dir);
	if (nr)
		qsort(ids, nr, sizeof(*ids), compare);
	for (uint32_t i = 0; i < nr; i++) {
		if (spool_check(s, &ids[i], &head, &len)) {
			found(data, &ids[i], &head, len);
			continue;
		}
		if (errno != ENODATA) {
			left_by = errno;
			nr_left++;
			continue;
		}
		*torn += head.events + head.lost;
		spool_remove(s, &ids[i]);
	}
	free(ids);
	if (nr_left)
		left_report(nr_left, left_by);
}
