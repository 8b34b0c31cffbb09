/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/notify.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define NOTIFY_MAX_BYTES 4096

/* False with errno where it names no socket. */
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
	/* All of an abstract name counts, so no NUL behind it. */
	*len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + nr + (*name == '/'));
	return true;
}

bool notify_tell(const char *fmt, ...)
{
	const struct timeval most = { .tv_sec = 1 };
	const char *name = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address;
	char text[NOTIFY_MAX_BYTES];
	socklen_t len;
	ssize_t sent;
	va_list ap;
	int fd, saved;

	if (!name || !*name)
		return true;
	if (!address_of(name, &address, &len))
		return false;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
	sent = sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&address, len);
	saved = errno;
	close(fd);
	errno = saved;
	return sent >= 0;
}
