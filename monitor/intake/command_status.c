/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/intake/command_status.h"

#include <stdio.h>
#include <sys/wait.h>

#include "monitor/base/humanize.h"
#include "monitor/base/signal_name.h"

int command_status_code(int wait_status)
{
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
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
