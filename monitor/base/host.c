/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/host.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <strings.h>

bool host_is_loopback(const char *host)
{
	struct in6_addr v6;
	struct in_addr v4;

	if (!strcasecmp(host, "localhost"))
		return true;
	if (inet_pton(AF_INET, host, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == 127;
	return inet_pton(AF_INET6, host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}
