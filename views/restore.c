/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/restore.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "views/terminal.h"

/* What terminal_restore() needs, set while a screen is up. */
static struct {
	atomic_int up;
	int fd;
	struct termios termios;
	char bytes[256];
	size_t nr_bytes;
} saved;

void terminal_restore(void)
{
	int flags, was = 1;

	if (!atomic_compare_exchange_strong(&saved.up, &was, 0))
		return;
	flags = fcntl(saved.fd, F_GETFL);
	/* Output may be stopped with Ctrl-S: start it, drop what waits, write without waiting. */
	struct termios free_flow = saved.termios;

	free_flow.c_iflag &= ~(tcflag_t)IXON;
	tcsetattr(saved.fd, TCSANOW, &free_flow);
	tcflow(saved.fd, TCOON);
	fcntl(saved.fd, F_SETFL, flags | O_NONBLOCK);
	ssize_t n = write(saved.fd, saved.bytes, saved.nr_bytes);

	if (n < (ssize_t)saved.nr_bytes) { /* full: what waits there is worth less than this */
		tcflush(saved.fd, TCOFLUSH);
		n = write(saved.fd, saved.bytes, saved.nr_bytes);
	}
	fcntl(saved.fd, F_SETFL, flags);
	tcsetattr(saved.fd, TCSANOW, &saved.termios);
}

#ifdef SANITIZED
/* A sanitizer reports crashes itself. */
void restore_crashes(void)
{
}
#else
/* A crash must not leave its user on a screen that nobody draws. The signal's own action, a core
 * dump as a rule, comes after that. */
static void crashed(int signo)
{
	terminal_restore();
	raise(signo);
}

void restore_crashes(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGQUIT };
	struct sigaction action = { .sa_handler = crashed, .sa_flags = SA_RESETHAND | SA_NODEFER };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}
#endif

void restore_begin(int fd, const struct termios *was)
{
	saved.fd = fd;
	saved.termios = *was;
	saved.nr_bytes = 0;
}

void restore_add(const char *bytes)
{
	size_t len = bytes && bytes != (char *)-1 ? strlen(bytes) : 0;

	if (saved.nr_bytes + len < sizeof(saved.bytes)) {
		memcpy(saved.bytes + saved.nr_bytes, bytes ? bytes : "", len);
		saved.nr_bytes += len;
	}
}

void restore_arm(void)
{
	atomic_store(&saved.up, 1);
}

bool restore_is_armed(void)
{
	return atomic_load(&saved.up);
}
