/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/job.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monitor/base/platform.h"

/* Interval in ms between attempts to continue a process that may not have stopped yet. */
#define CONTINUE_MS 50
/* Interval in s of checks whether the stopped parent still exists, for systems whose kernel does
 * not end the child with the parent. */
#define PARENT_S 1

static pid_t parent_of(pid_t pid)
{
	char name[64];
	long parent;

	return tr2_platform_process(pid, name, sizeof(name), &parent) ? (pid_t)parent : 0;
}

/* Return the process that started the job (process group): the first ancestor outside the job; 0:
 * unknown. */
static pid_t job_parent(void)
{
	pid_t own = getpgrp(), pid = getppid();

	while (pid > 0 && getpgid(pid) == own)
		pid = parent_of(pid);
	return pid;
}

bool job_has_shell(void)
{
	pid_t shell = job_parent();

	return shell > 0 && getsid(shell) == getsid(0);
}

/* Signals that end the wait for Enter. A terminal sends most of them to the whole foreground
 * job. */
static const int ends[] = { SIGINT, SIGQUIT, SIGHUP, SIGTERM };
#define NR_ENDS (sizeof(ends) / sizeof(ends[0]))

static void job_nothing(int signo)
{
	(void)signo;
}

/* Wait for Enter or a signal, then continue the parent process. This runs in the forked child of a
 * program with threads, so it only calls functions that are safe in a signal handler. */
static _Noreturn void waker_run(pid_t parent, int tty, const sigset_t *unblocked)
{
	static const char told[] = "\r\ntrace2top is stopped and no shell can continue it; press "
				   "Enter to continue\r\n";
	struct sigaction interrupts = { .sa_handler = job_nothing };
	const struct timespec wait = { .tv_sec = PARENT_S };
	fd_set typed;
	int ready = 0;
	char line[256];
	ssize_t n;

	platform_end_with_parent();
	if (getppid() != parent)
		_exit(0);
	for (size_t i = 0; i < NR_ENDS; i++)
		sigaction(ends[i], &interrupts, NULL);
	n = write(tty, told, strlen(told));
	/* Make `tty` standard input, because its number may be too large for pselect(). */
	while (n > 0 && !ready && getppid() == parent && dup2(tty, STDIN_FILENO) >= 0) {
		FD_ZERO(&typed);
		FD_SET(STDIN_FILENO, &typed);
		ready = pselect(STDIN_FILENO + 1, &typed, NULL, NULL, &wait, unblocked);
	}
	if (ready > 0)
		n = read(STDIN_FILENO, line, sizeof(line));
	if (getppid() != parent)
		_exit(0);
	(void)n;
	for (;;) {
		kill(parent, SIGCONT);
		poll(NULL, 0, CONTINUE_MS);
	}
}

static pid_t waker_start(void)
{
	pid_t self = getpid(), pid;
	int tty = open("/dev/tty", O_RDWR | O_CLOEXEC);
	sigset_t blocked, before;

	if (tty < 0)
		return 0;
	sigemptyset(&blocked);
	for (size_t i = 0; i < NR_ENDS; i++)
		sigaddset(&blocked, ends[i]);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	pid = fork();
	if (!pid)
		waker_run(self, tty, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(tty);
	return pid < 0 ? 0 : pid;
}

static void stop_alone(void)
{
	pid_t waker = waker_start();

	raise(SIGSTOP);
	if (!waker)
		return;
	kill(waker, SIGKILL);
	waitpid(waker, NULL, 0);
}

static void stop_by(int signo, bool all)
{
	struct sigaction standard = { .sa_handler = SIG_DFL }, was;

	sigaction(signo, &standard, &was);
	if (all)
		kill(0, signo);
	else
		raise(signo);
	sigaction(signo, &was, NULL);
}

void job_stop(bool by_key)
{
	if (job_has_shell())
		stop_by(SIGTSTP, by_key);
	else
		stop_alone();
}

bool job_is_behind(void)
{
	pid_t front = tcgetpgrp(STDOUT_FILENO);
	pid_t shell = job_parent();

	return front > 0 && front != getpgrp() && shell > 0 && getpgid(shell) == front;
}

/* Stop only if a shell started trace2top directly: others, such as timeout(1), never move a
 * background job to the foreground. */
void job_come_to_front(void)
{
	sigset_t blocked;
	pid_t front;

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	while (!sigismember(&blocked, SIGTTOU) && (front = tcgetpgrp(STDOUT_FILENO)) > 0 &&
	       front != getpgrp() && getpgid(getppid()) == front && getsid(getppid()) == getsid(0))
		stop_by(SIGTTOU, true);
}
