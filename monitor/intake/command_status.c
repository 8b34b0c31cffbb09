/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/intake/command_status.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "monitor/base/humanize.h"

#define SIGNAL_NAME_BYTES 20

int command_status_code(int wait_status)
{
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

/* Such as "SIGKILL"; a rare one as "signal 64" in `number`. */
static const char *signal_name(int signo, char number[SIGNAL_NAME_BYTES])
{
	static const struct {
		int signo;
		const char *name;
	} names[] = {
		{ SIGHUP, "SIGHUP" },   { SIGINT, "SIGINT" },   { SIGQUIT, "SIGQUIT" },
		{ SIGILL, "SIGILL" },   { SIGABRT, "SIGABRT" }, { SIGBUS, "SIGBUS" },
		{ SIGFPE, "SIGFPE" },   { SIGKILL, "SIGKILL" }, { SIGUSR1, "SIGUSR1" },
		{ SIGSEGV, "SIGSEGV" }, { SIGUSR2, "SIGUSR2" }, { SIGPIPE, "SIGPIPE" },
		{ SIGALRM, "SIGALRM" }, { SIGTERM, "SIGTERM" }, { SIGXCPU, "SIGXCPU" },
		{ SIGXFSZ, "SIGXFSZ" }, { SIGSYS, "SIGSYS" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].signo == signo)
			return names[i].name;
	snprintf(number, SIGNAL_NAME_BYTES, "signal %d", signo);
	return number;
}

void command_status_format(int wait_status, ns_t ran, char *out, size_t bytes)
{
	char number[SIGNAL_NAME_BYTES];

	if (WIFSIGNALED(wait_status))
		snprintf(out, bytes, "killed (%s) after %s",
			 signal_name(WTERMSIG(wait_status), number), human_duration(ran).text);
	else
		snprintf(out, bytes, "exit %d after %s", WEXITSTATUS(wait_status),
			 human_duration(ran).text);
}

void command_status_format_running(ns_t ran, char *out, size_t bytes)
{
	snprintf(out, bytes, "running for %s", human_duration(ran / NS_PER_SEC * NS_PER_SEC).text);
}
