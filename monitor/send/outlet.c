/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/send/outlet.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/base/platform.h"
#include "engine/tr2_dst_dir.h"
#include "monitor/base/platform.h"
#include "monitor/base/whole_file.h"
#include "monitor/base/die.h"

/* Maximum bytes per write to a file; other writers may write lines between two writes. */
#define WRITE_BYTES (64u << 10)

static const char *outlet_behind(const char *spec, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(spec, prefix, len) ? NULL : spec + len;
}

bool outlet_target_parse(const char *spec, struct outlet_target *out, char *why, size_t why_bytes)
{
	const char *path;

	*out = (struct outlet_target){ .kind = OUTLET_STREAM };
	if ((path = outlet_behind(spec, "af_unix:stream:"))) {
		out->path = path;
	} else if ((path = outlet_behind(spec, "af_unix:dgram:"))) {
		out->kind = OUTLET_DGRAM;
		out->path = path;
	} else if ((path = outlet_behind(spec, "af_unix:"))) {
		out->any_socket = true;
		out->path = path;
	} else {
		out->kind = OUTLET_FILE;
		out->is_path = true;
		out->path = spec;
	}
	if (*out->path != '/') {
		/* The target may be a URL with a password, so the message does not contain it. */
		snprintf(why, why_bytes,
			 "--tee: the value is not a Git trace target; use an absolute path or "
			 "af_unix:[stream:|dgram:]PATH");
		return false;
	}
	if (!out->is_path && strlen(out->path) >= sizeof(((struct sockaddr_un *)0)->sun_path)) {
		snprintf(why, why_bytes, "--tee: socket path too long: %s", out->path);
		return false;
	}
	return true;
}

void losses_add(struct tap_losses *losses, const char *bytes, size_t len)
{
	const char *at = bytes, *end = bytes + len;

	if (!len)
		return;
	losses->bytes += len;
	for (; (at = memchr(at, '\n', (size_t)(end - at))); at++)
		losses->lines++;
	losses->lines += bytes[len - 1] != '\n';
}

void losses_add_pieces(struct tap_losses *losses, const char *bytes, size_t len)
{
	losses->bytes += len;
	for (const char *at = bytes, *end = bytes + len;
	     (at = memchr(at, '\n', (size_t)(end - at))); at++)
		losses->lines++;
}

static void waiting_lose(struct outlet *o, enum outlet_kind kind, struct tap_losses *lost)
{
	uint32_t nr;

	for (; kind == OUTLET_DGRAM && o->at < o->out.len; o->at += sizeof(nr) + nr) {
		memcpy(&nr, o->out.data + o->at, sizeof(nr));
		lost->lines++;
		lost->bytes += nr;
	}
	if (outlet_waiting(o))
		losses_add(lost, o->out.data + o->at, outlet_waiting(o));
	tr2_buf_clear(&o->out);
	o->at = 0;
}

void outlet_init(struct outlet *o)
{
	*o = (struct outlet){ .fd = -1 };
	tr2_buf_init(&o->out, SIZE_MAX / 2);
}

static int open_socket(struct outlet *o, const struct outlet_target *target)
{
	int type = target->kind == OUTLET_DGRAM ? SOCK_DGRAM : SOCK_STREAM, error;
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	o->fd = tr2_platform_socket(AF_UNIX, type, true);
	if (o->fd < 0)
		return errno;
	memcpy(address.sun_path, target->path, strlen(target->path) + 1);
	if (!connect(o->fd, (struct sockaddr *)&address, sizeof(address)))
		return 0;
	error = errno;
	close(o->fd);
	o->fd = -1;
	return error;
}

int outlet_open(struct outlet *o, const struct outlet_target *target, const char *name)
{
	struct tr2_dir_file file;

	o->torn = false;
	if (!target->is_path)
		return open_socket(o, target);
	if (target->kind == OUTLET_DIR) {
		file = tr2_dir_create(target->path, name, target->max_files);
		if (file.full && file.fd >= 0)
			close(file.fd);
		o->fd = file.full ? -1 : file.fd;
		return o->fd >= 0 ? 0 : file.full ? EDQUOT : file.error;
	}
	o->fd = open(target->path,
		     O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
			     whole_file_nofollow(target->path),
		     0666);
	return o->fd < 0 ? errno : 0;
}

void outlet_close(struct outlet *o, enum outlet_kind kind, struct tap_losses *lost)
{
	waiting_lose(o, kind, lost);
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
}

void outlet_release(struct outlet *o)
{
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
	tr2_buf_release(&o->out);
}

static void outlet_append(struct outlet *o, const void *bytes, size_t len)
{
	if (o->at) {
		memmove(o->out.data, o->out.data + o->at, outlet_waiting(o));
		o->out.len -= o->at;
		o->at = 0;
	}
	if (!tr2_buf_add(&o->out, bytes, len))
		die_of_memory(o->out.len + len);
}

static void put_message(struct outlet *o, const char *bytes, size_t len, size_t room,
			struct tap_losses *lost)
{
	uint32_t nr = (uint32_t)len;

	if (len > OUTLET_MAX_DGRAM || outlet_waiting(o) + len + sizeof(nr) > room) {
		lost->lines++;
		lost->bytes += len;
		return;
	}
	outlet_append(o, &nr, sizeof(nr));
	outlet_append(o, bytes, len);
}

void outlet_put(struct outlet *o, enum outlet_kind kind, const char *bytes, size_t len,
		bool message, size_t room, struct tap_losses *lost)
{
	const char *end = bytes + len, *lf;
	size_t fits;

	if (kind == OUTLET_DGRAM && message) {
		put_message(o, bytes, len, room, lost);
		return;
	}
	for (; kind == OUTLET_DGRAM && bytes < end; bytes = lf) {
		lf = memchr(bytes, '\n', (size_t)(end - bytes));
		lf = lf ? lf + 1 : end;
		put_message(o, bytes, (size_t)(lf - bytes), room, lost);
	}
	if (kind == OUTLET_DGRAM)
		return;
	fits = outlet_waiting(o) < room ? room - outlet_waiting(o) : 0;
	if (fits < len) {
		lf = fits ? platform_find_last(bytes, '\n', fits) : NULL;
		fits = lf ? (size_t)(lf + 1 - bytes) : 0;
	} else {
		fits = len;
	}
	outlet_append(o, bytes, fits);
	losses_add(lost, bytes + fits, len - fits);
}

static ssize_t outlet_write_some(struct outlet *o, enum outlet_kind kind)
{
	const char *from = o->out.data + o->at, *lf;
	size_t len = outlet_waiting(o);

	if (kind == OUTLET_STREAM)
		return send(o->fd, from, len, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (len > WRITE_BYTES) {
		lf = platform_find_last(from, '\n', WRITE_BYTES);
		len = lf ? (size_t)(lf + 1 - from) : WRITE_BYTES;
	}
	return write(o->fd, from, len);
}

/* Send one buffered message as a datagram. Returns 0 or an errno value. A message too large for the
 * socket is lost. */
static int send_message(struct outlet *o, struct tap_losses *lost, struct tap_losses *passed)
{
	uint32_t nr;

	memcpy(&nr, o->out.data + o->at, sizeof(nr));
	if (send(o->fd, o->out.data + o->at + sizeof(nr), nr, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) {
		passed->lines++;
		passed->bytes += nr;
	} else if (errno == EMSGSIZE) {
		lost->lines++;
		lost->bytes += nr;
	} else {
		return errno;
	}
	o->at += sizeof(nr) + nr;
	return 0;
}

int outlet_flush(struct outlet *o, enum outlet_kind kind, struct tap_losses *lost,
		 struct tap_losses *passed)
{
	int error = 0;

	while (!error && outlet_waiting(o)) {
		ssize_t n;

		if (kind == OUTLET_DGRAM) {
			error = send_message(o, lost, passed);
			continue;
		}
		n = outlet_write_some(o, kind);
		if (n < 0) {
			error = errno;
			continue;
		}
		losses_add_pieces(passed, o->out.data + o->at, (size_t)n);
		o->at += (size_t)n;
		o->torn = o->out.data[o->at - 1] != '\n';
	}
	if (!outlet_waiting(o)) {
		tr2_buf_clear(&o->out);
		o->at = 0;
		return 0;
	}
	if (error == EINTR || error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS)
		return 0;
	outlet_close(o, kind, lost);
	return error;
}
