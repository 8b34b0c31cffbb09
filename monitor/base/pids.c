/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/pids.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/tr2_sha1.h"
#include "monitor/base/platform.h"

/* Tolerance for start times computed from an inexact boot time. */
#define SLACK_NS (50 * NS_PER_MS)

/* This machine's name in SIDs: 'H' and 8 hexadecimal digits of the SHA-1 of the host name;
 * "Localhost" if that is unknown. */
static char own_host[12];
static pthread_once_t own_host_once = PTHREAD_ONCE_INIT;

static void own_host_find(void)
{
	char name[256];
	uint8_t digest[20];

	if (gethostname(name, sizeof(name))) {
		memcpy(own_host, "Localhost", 10);
		return;
	}
	name[sizeof(name) - 1] = '\0';
	tr2_sha1(name, strlen(name), digest);
	snprintf(own_host, sizeof(own_host), "H%02x%02x%02x%02x", digest[0], digest[1], digest[2],
		 digest[3]);
}

static uint64_t own_namespace;
static pthread_once_t own_namespace_once = PTHREAD_ONCE_INIT;

static void own_namespace_find(void)
{
	own_namespace = tr2_platform_pid_namespace();
}

bool pid_namespace_is_own(uint64_t inode)
{
	pthread_once(&own_namespace_once, own_namespace_find);
	return !inode || !own_namespace || inode == own_namespace;
}

const char *pid_own_host(void)
{
	pthread_once(&own_host_once, own_host_find);
	return own_host;
}

enum pid_is pid_check(const char *host, int64_t pid, ns_t began)
{
	ns_t start;

	pthread_once(&own_host_once, own_host_find);
	if (pid <= 0 || strcmp(host, own_host) || !platform_process_started(pid, &start))
		return PID_UNKNOWN;
	if (start == NS_NONE)
		return PID_OTHERS;
	if (began == NS_NONE)
		return PID_UNKNOWN;
	return start > began + SLACK_NS ? PID_OTHERS : PID_ALIVE;
}
