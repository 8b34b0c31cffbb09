/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/signal_name.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

const char *signal_name(int64_t signo, char number[SIGNAL_NAME_BYTES])
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
	snprintf(number, SIGNAL_NAME_BYTES, "signal %" PRId64, signo);
	return number;
}
