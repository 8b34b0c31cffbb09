/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/notify.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/base/buf.h"
#include "engine/base/platform.h"
#include "monitor/base/visible.h"

#define STATUS_MAX_BYTES 4096

static bool address_of(const char *name, struct sockaddr_un *address, socklen_t *len)
{
	size_t nr = strlen(name);

	if ((*name != '/' && *name != '@') || nr < 2 || nr >= sizeof(address->sun_path)) {
		errno = EINVAL;
		return false;
	}
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(address->sun_path, name, nr);
	if (*name == '@')
		address->sun_path[0] = '\0';
	/* The name of an abstract socket has no terminating NUL. */
	*len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + nr + (*name == '/'));
	return true;
}

static void status_add(struct tr2_buf *text, const char *fmt, va_list ap)
{
	char status[STATUS_MAX_BYTES];

	vsnprintf(status, sizeof(status), fmt, ap);
	tr2_buf_addstr(text, "STATUS=");
	text_visible(text, status, strlen(status));
}

bool notify_send(const char *state, const char *status_fmt, ...)
{
	const struct timeval most = { .tv_sec = 1 };
	const char *name = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address;
	struct tr2_buf text;
	socklen_t len;
	ssize_t sent;
	va_list ap;
	int fd, saved;

	if (!name || !*name)
		return true;
	if (!address_of(name, &address, &len))
		return false;
	fd = tr2_platform_socket(AF_UNIX, SOCK_DGRAM, false);
	if (fd < 0)
		return false;
	tr2_buf_init(&text, SIZE_MAX / 2);
	if (state)
		tr2_buf_addf(&text, "%s\n", state);
	va_start(ap, status_fmt);
	if (status_fmt)
		status_add(&text, status_fmt, ap);
	va_end(ap);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
	sent = sendto(fd, tr2_buf_cstr(&text), text.len, MSG_NOSIGNAL, (struct sockaddr *)&address,
		      len);
	saved = errno;
	tr2_buf_release(&text);
	close(fd);
	errno = saved;
	return sent >= 0;
}
