/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "views/terminal.h"

/* How long a terminal that takes nothing is tried: 0.2 s. */
#define WRITE_TRIES  200
#define WRITE_TRY_NS 1000000

/* What terminal_restore() needs, set while a screen is up. */
static struct {
	atomic_int up;
	int fd;
	struct termios termios;
	char bytes[256];
	size_t nr_bytes;
} saved;

/*
 * The terminal may be full, and it is another's for as long as a thread is writing to it (even
 * one that cannot go on): that one is given a moment, then what waits there is dropped until
 * both are over. It is worth less than this. Async-signal-safe.
 */
static void write_soon(void)
{
	static const struct timespec moment = { .tv_nsec = WRITE_TRY_NS };
	ssize_t n;

	for (int tries = 0; tries < WRITE_TRIES; tries++) {
		if (tries > 1)
			tcflush(saved.fd, TCOFLUSH);
		n = write(saved.fd, saved.bytes, saved.nr_bytes);
		if (n == (ssize_t)saved.nr_bytes || (n < 0 && errno != EAGAIN && errno != EINTR))
			return;
		nanosleep(&moment, NULL);
	}
}

void terminal_restore(void)
{
	int flags, was = 1;

	if (!atomic_compare_exchange_strong(&saved.up, &was, 0))
		return;
	flags = fcntl(saved.fd, F_GETFL);
	/* Output may be stopped with Ctrl-S: start it, and wait for nobody who reads. */
	struct termios free_flow = saved.termios;

	free_flow.c_iflag &= ~(tcflag_t)IXON;
	tcsetattr(saved.fd, TCSANOW, &free_flow);
	tcflow(saved.fd, TCOON);
	fcntl(saved.fd, F_SETFL, flags | O_NONBLOCK);
	write_soon();
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
