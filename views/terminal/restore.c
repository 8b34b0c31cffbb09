/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/terminal/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/platform.h"
#include "views/terminal/terminal.h"

/* Maximum waiting times, in tries of TRY_NS: for a terminal that accepts no bytes, and for another
 * thread that is restoring the terminal. */
#define WRITE_TRIES 200
#define DONE_TRIES  300
#define TRY_NS      1000000

enum { DOWN, UP, BEING_RESTORED };

/* State for terminal_restore(). */
static struct {
	atomic_int state;
	int draw_fd; /* descriptor with which the screen is drawn */
	int fd;      /* descriptor for the same terminal, opened again if possible */
	int null_fd;
	struct termios termios;
	char bytes[256];
	size_t nr_bytes;
	const char *to_write; /* the bytes to write: `bytes` above, or a constant */
	size_t nr_to_write;
} saved = { .draw_fd = -1, .fd = -1, .null_fd = -1 };

static void moment(void)
{
	static const struct timespec length = { .tv_nsec = TRY_NS };

	nanosleep(&length, NULL);
}

/*
 * The terminal's buffer may be full, and a blocked writer locks the terminal. Therefore later tries
 * flush pending output first. Flushing a pseudo-terminal does not wake a blocked writer, but
 * setting its modes does.
 */
static void write_soon(const struct termios *modes)
{
	ssize_t n;

	for (int tries = 0; tries < WRITE_TRIES; tries++) {
		if (tries > 1) {
			tcflush(saved.fd, TCOFLUSH);
			tcsetattr(saved.fd, TCSANOW, modes);
		}
		n = write(saved.fd, saved.to_write, saved.nr_to_write);
		if (n == (ssize_t)saved.nr_to_write || (n < 0 && errno != EAGAIN && errno != EINTR))
			return;
		moment();
	}
}

static void restore_put_back(void)
{
	struct termios free_flow = saved.termios;
	int flags = fcntl(saved.fd, F_GETFL);

	/* The user may have stopped output with Ctrl-S: turning IXON off starts it again. */
	free_flow.c_iflag &= ~(tcflag_t)IXON;
	tcsetattr(saved.fd, TCSANOW, &free_flow);
	tcflow(saved.fd, TCOON);
	if (!(flags & O_NONBLOCK))
		fcntl(saved.fd, F_SETFL, flags | O_NONBLOCK);
	write_soon(&free_flow);
	if (!(flags & O_NONBLOCK))
		fcntl(saved.fd, F_SETFL, flags);
	tcsetattr(saved.fd, TCSANOW, &saved.termios);
}

void restore_now(bool by_drawer)
{
	int was = UP;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (atomic_compare_exchange_strong(&saved.state, &was, BEING_RESTORED)) {
		if (!by_drawer && saved.null_fd >= 0)
			dup2(saved.null_fd, saved.draw_fd);
		restore_put_back();
		atomic_store(&saved.state, DOWN);
	}
	/* If another thread is restoring the terminal, wait for it: the caller may be about to end
	 * the program. */
	for (int tries = 0; saved.state == BEING_RESTORED && tries < DONE_TRIES; tries++)
		moment();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void terminal_restore(void)
{
	restore_now(false);
}

#ifdef SANITIZED
void restore_crashes(void)
{
}
#else
static void crashed(int signo)
{
	terminal_restore();
	signal(signo, SIG_DFL);
	raise(signo);
}

void restore_crashes(void)
{
	/* Signals whose default action ends the program. */
	static const int signals[] = { SIGSEGV, SIGBUS,  SIGILL,   SIGFPE,  SIGABRT,
				       SIGQUIT, SIGSYS,  SIGTRAP,  SIGXCPU, SIGALRM,
				       SIGUSR2, SIGPROF, SIGVTALRM };
	struct sigaction action = { .sa_handler = crashed }, was;

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		/* Keep other handlers, such as a profiler's, and signals that are ignored. */
		if (!sigaction(signals[i], NULL, &was) && was.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
}
#endif

void restore_begin(int fd, const struct termios *was)
{
	char path[64];

	snprintf(path, sizeof(path), TR2_PLATFORM_PROC "/self/fd/%d", fd);
	saved.draw_fd = fd;
	saved.fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	/* Otherwise, such as without /proc, find the terminal by name. */
	if (saved.fd < 0 && !ttyname_r(fd, path, sizeof(path)))
		saved.fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	/* Opening may fail, for example if the terminal belongs to another user. */
	if (saved.fd < 0)
		saved.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	saved.null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	saved.termios = *was;
	saved.nr_bytes = 0;
}

void restore_end(void)
{
	if (saved.fd >= 0)
		close(saved.fd);
	if (saved.null_fd >= 0)
		close(saved.null_fd);
	saved.draw_fd = saved.fd = saved.null_fd = -1;
}

void restore_add(const char *bytes)
{
	size_t len = bytes && bytes != (char *)-1 ? strlen(bytes) : 0;

	if (saved.nr_bytes + len < sizeof(saved.bytes)) {
		memcpy(saved.bytes + saved.nr_bytes, bytes ? bytes : "", len);
		saved.nr_bytes += len;
	}
}

static void arm(const char *bytes, size_t nr)
{
	saved.to_write = bytes;
	saved.nr_to_write = nr;
	atomic_store(&saved.state, UP);
}

void restore_arm(void)
{
	arm(saved.bytes, saved.nr_bytes);
}

void restore_arm_with(const char *bytes)
{
	arm(bytes, strlen(bytes));
}

bool restore_is_armed(void)
{
	return atomic_load(&saved.state) == UP;
}
