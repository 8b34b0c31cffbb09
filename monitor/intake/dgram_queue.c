/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/intake/dgram_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/sched.h>
#include <sys/syscall.h>
#endif

#define STRINGIFY_(x) #x
#define STRINGIFY(x)  STRINGIFY_(x)

static _Atomic bool is_short;

bool dgram_queue_is_short(void)
{
	return is_short;
}

static int ordinary(void)
{
	return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

#ifdef SYS_clone3

/* Of the namespace of whoever looks. */
static const char setting[] = "/proc/sys/net/unix/max_dgram_qlen";

/*
 * In the child: put another socket in the place of `fd`. Descriptors are shared with the
 * parent, memory is not; system calls only.
 */
static _Noreturn void replace(int fd)
{
	static const char length[] = STRINGIFY(DGRAM_QUEUE_MAX);
	int file = open(setting, O_WRONLY | O_CLOEXEC), made = -1;

	if (file >= 0 && write(file, length, sizeof(length) - 1) > 0)
		made = ordinary();
	if (made >= 0)
		dup3(made, fd, O_CLOEXEC);
	close(made);
	close(file);
	_exit(made < 0);
}

/* Replace `fd` by a socket made in new `namespaces`; false where they may not be made. */
static bool replace_in(unsigned long long namespaces, int fd)
{
	struct clone_args args = { .flags = CLONE_FILES | namespaces };
	int status = -1;
	sigset_t all, before;
	pid_t pid;

	/* Nobody's handler runs in the child. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (!pid)
		replace(fd);
	/* It ends without a signal: whoever waits for children does not meet it. */
	while (pid > 0 && waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !status;
}

int dgram_queue_socket(void)
{
	int fd = ordinary();

	/* Root may do without a user namespace, in which older kernels hide the setting. */
	if (fd >= 0 && !replace_in(CLONE_NEWNET, fd) &&
	    !replace_in(CLONE_NEWNET | CLONE_NEWUSER, fd))
		is_short = true;
	return fd;
}

#else

int dgram_queue_socket(void)
{
	is_short = true;
	return ordinary();
}

#endif
