/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/nats/nats_why.h"

#if defined(HAVE_NATS) && defined(HAVE_ZSTD)

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/base/platform.h"

/* libnats reports only "no server"; find out why. */
static void format_unreachable(const struct nats_server *server, char *out, size_t bytes)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found;
	char port[8];
	int error, fd, on = 0;
	socklen_t len = sizeof(on);
	struct pollfd it = { .events = POLLOUT };

	snprintf(port, sizeof(port), "%u", server->port);
	error = getaddrinfo(server->host, port, &hints, &found);
	if (error) {
		snprintf(out, bytes, "%s: %s", server->host, gai_strerror(error));
		return;
	}
	fd = tr2_platform_socket(found->ai_family, SOCK_STREAM, true);
	it.fd = fd;
	if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen)) {
		on = errno;
		if (on == EINPROGRESS) {
			on = ETIMEDOUT;
			if (poll(&it, 1, NATS_WRITE_MS) > 0)
				getsockopt(fd, SOL_SOCKET, SO_ERROR, &on, &len);
		}
	}
	if (fd >= 0)
		close(fd);
	freeaddrinfo(found);
	snprintf(out, bytes, "%s:%s is unreachable: %s", server->host, port,
		 on == ECONNREFUSED ? "connection refused"
		 : on               ? strerror(on)
				    : "no answer");
}

/* Use the part between the number and ":depth=" of a text such as "SSL handshake error: 20:unable
 * to get local issuer certificate:depth=0:cert=...". */
static void format_untrusted(const struct nats_server *server, const char *text, char *out,
			     size_t bytes)
{
	const char *depth = strstr(text, ":depth=");
	int from = 0;

	if (depth)
		sscanf(text, "%*[^:]: %*d:%n", &from);
	snprintf(out, bytes, "%s:%u: certificate not trusted (%.*s)%s", server->host, server->port,
		 depth ? (int)(depth - text) - from : (int)strlen(text), text + from,
		 strstr(text, " mismatch") ? "" : "; see --tls-ca");
}

static void format_closed(const struct nats_server *server, char *out, size_t bytes)
{
	snprintf(out, bytes, "%s:%u closed the connection; it may require --tls-cert and --tls-key",
		 server->host, server->port);
}

bool nats_why_format(const struct nats_server *server, natsStatus status, char *out, size_t bytes)
{
	const char *text = nats->nats_GetLastError(NULL), *colon;

	/* Skip the position in "(conn.c:733): SSL handshake error: 20:...". */
	colon = text && *text == '(' ? strstr(text, "): ") : NULL;
	text = colon ? colon + 3 : text ? text : nats->natsStatus_GetText(status);
	switch (status) {
	case NATS_NO_SERVER:
		format_unreachable(server, out, bytes);
		return false;
	case NATS_TIMEOUT:
		snprintf(out, bytes, "%s:%u is unreachable: no answer within %d s", server->host,
			 server->port, NATS_CONNECT_MS / 1000);
		return false;
	case NATS_CONNECTION_AUTH_FAILED:
		snprintf(out, bytes, "%s:%u: wrong user, password or key (%s)", server->host,
			 server->port, text);
		return true;
	case NATS_SECURE_CONNECTION_WANTED:
		snprintf(out, bytes, "%s:%u has no TLS; use nats:// or enable TLS on the server",
			 server->host, server->port);
		return true;
	case NATS_SSL_ERROR:
		format_untrusted(server, text, out, bytes);
		return true;
	case NATS_PROTOCOL_ERROR:
		format_closed(server, out, bytes);
		return true;
	/* newer libnats: the server closed the connection, for example during the TLS handshake */
	case NATS_CONNECTION_CLOSED:
		format_closed(server, out, bytes);
		return false;
	default:
		/* The server may close the connection while the client writes. */
		if (strstr(text, "SSL_")) {
			format_closed(server, out, bytes);
			return true;
		}
		snprintf(out, bytes, "%s:%u: %s", server->host, server->port, text);
		return false;
	}
}

#endif
