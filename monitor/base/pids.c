/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/pids.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/tr2_sha1.h"

/* Tolerance when a start time is compared with /proc, which counts ticks since boot. The boot time
 * is computed as a difference of two clocks and is inexact. */
#define SLACK_NS (50 * NS_PER_MS)

static ns_t boot_time(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_BOOTTIME, &ts))
		return NS_NONE;
	return tr2_clock_wall() - ((ns_t)ts.tv_sec * NS_PER_SEC + ts.tv_nsec);
}

/*
 * Get the wall time at which process `pid` started; NS_NONE if it does not exist. Returns false if
 * unknown: /proc may be missing or hide other users' processes.
 */
static bool started(int64_t pid, ns_t *start)
{
	char path[40], stat[1024], *field;
	unsigned long long ticks = 0;
	ssize_t n;
	int fd;

	*start = NS_NONE;
	snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return pid <= INT_MAX && kill((pid_t)pid, 0) && errno == ESRCH;
	n = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	if (n <= 0)
		return true;
	stat[n] = '\0';
	/* In /proc/PID/stat the command's name may contain anything, even parentheses. It ends at
	 * the last closing parenthesis. */
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

/* This machine's name in SIDs: 'H' and the first 8 hexadecimal digits of the SHA-1 of the host
 * name, as Git writes it. */
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
	struct stat st;

	if (!stat("/proc/self/ns/pid", &st))
		own_namespace = st.st_ino;
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
	if (pid <= 0 || strcmp(host, own_host) || !started(pid, &start))
		return PID_UNKNOWN;
	if (start == NS_NONE)
		return PID_OTHERS;
	if (began == NS_NONE)
		return PID_UNKNOWN;
	return start > began + SLACK_NS ? PID_OTHERS : PID_ALIVE;
}
