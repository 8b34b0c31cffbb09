/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monitor/app/git_config.h"
#include "monitor/app/own_socket.h"
#include "monitor/base/die.h"
#include "monitor/base/platform.h"
#include "monitor/source/ring_dir.h"

#define MOST_DESCRIPTORS 65536

enum cleanup_order { ORDER_ON = '+', ORDER_OFF = '-', ORDER_LEAVE = 'q' };

struct reply {
	bool ok;
	char why[GIT_WHY_BYTES];
};

/* A value of trace2.eventTarget, and the path of the socket that it names. */
struct cleanup_entry {
	char *target, *path;
	/* content of Git's configuration file before and after the value was added; set only in the
	 * process that added the value */
	struct git_config_copy copy;
};

struct cleanup {
	struct cleanup_entry entry;
	pid_t pid;
	int fd;
	bool on;
};

/* True if the last value in Git's global configuration is one of --attach, of any monitor. */
static bool entry_counts(char *why)
{
	struct tr2_buf value, origin;
	bool said;

	tr2_buf_init(&value, SIZE_MAX / 2);
	tr2_buf_init(&origin, SIZE_MAX / 2);
	said = git_config_target("--global", &value, &origin);
	if (!said || !own_target_path(tr2_buf_cstr(&value))) {
		snprintf(
			why, GIT_WHY_BYTES,
			"trace2.eventTarget in %.200s overrides every other value; remove it there",
			said ? tr2_buf_cstr(&origin) : "another file");
		said = false;
	}
	tr2_buf_release(&value);
	tr2_buf_release(&origin);
	return said;
}

static bool entry_off(const struct cleanup_entry *entry, char *why)
{
	bool restored;

	if (!git_config_restore(&entry->copy, &restored, why))
		return false;
	return restored || git_config_unset(entry->target, own_target_is_made(entry->target), why);
}

/* Add the value to Git's configuration. Returns false on failure. `*on`: the value is in the file
 * afterwards, which is possible even after a failure. */
static bool entry_on(struct cleanup_entry *entry, bool *on, char *why)
{
	char ignored[GIT_WHY_BYTES];

	*on = git_config_add(entry->target, &entry->copy, why);
	if (!*on)
		return false;
	if (entry_counts(why))
		return true;
	*on = !entry_off(entry, ignored);
	return false;
}

static void descriptors_close(int keep)
{
	long most = sysconf(_SC_OPEN_MAX);
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd <= 2 && null >= 0; fd++)
		dup2(null, fd);
	if (most < 0 || most > MOST_DESCRIPTORS)
		most = MOST_DESCRIPTORS;
	for (int fd = 3; fd < most; fd++)
		if (fd != keep)
			close(fd);
}

static void signals_ignore(void)
{
	for (int signo = 1; signo < PLATFORM_NSIG; signo++)
		if (signo != SIGCHLD)
			signal(signo, SIG_IGN);
}

_Noreturn static void cleanup_run(struct cleanup_entry *entry, int fd)
{
	struct reply reply = { 0 };
	bool on = false, left = false;
	sigset_t none;
	char order;
	ssize_t n;

	setsid();
	signals_ignore();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	descriptors_close(fd);
	platform_name_process("trace2top-clean");
	if (chdir("/"))
		order = 0; /* a failure is ignored: the process keeps its working directory */
	while ((n = recv(fd, &order, 1, 0)) == 1 || (n < 0 && errno == EINTR)) {
		if (n < 0)
			continue;
		memset(&reply, 0, sizeof(reply));
		left = order == ORDER_LEAVE;
		if (left)
			break;
		if (order == ORDER_ON)
			reply.ok = entry_on(entry, &on, reply.why);
		else if ((reply.ok = entry_off(entry, reply.why)))
			on = false;
		if (send(fd, &reply, sizeof(reply), MSG_NOSIGNAL) < 0)
			break;
	}
	if (left && !on)
		_exit(0);
	if (on)
		entry_off(entry, reply.why);
	unlink(entry->path);
	ring_dir_sweep(AT_FDCWD, entry->path);
	_exit(0);
}

struct cleanup *cleanup_new(const char *target, const char *path, char *why)
{
	struct cleanup *c = xcalloc(1, sizeof(*c));
	sigset_t all, before;
	int fds[2];

	c->entry.target = xstrdup(target);
	c->entry.path = xstrdup(path);
	c->fd = -1;
	git_config_copy_init(&c->entry.copy);
	if (!platform_socketpair(SOCK_SEQPACKET, fds)) {
		c->fd = fds[0];
		/* No signal handler of the monitor may run in the cleanup process. */
		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, &before);
		c->pid = fork();
		if (!c->pid) {
			close(fds[0]);
			cleanup_run(&c->entry, fds[1]);
		}
		sigprocmask(SIG_SETMASK, &before, NULL);
		close(fds[1]);
	}
	if (c->fd >= 0 && c->pid > 0)
		return c;
	snprintf(why, GIT_WHY_BYTES, "cannot start the cleanup process: %s", strerror(errno));
	cleanup_free(c);
	return NULL;
}

/* Send an order to the cleanup process and wait for the reply. Returns false if that fails. */
static bool order(struct cleanup *c, enum cleanup_order what, struct reply *reply)
{
	char byte = (char)what;
	ssize_t n;

	if (send(c->fd, &byte, 1, MSG_NOSIGNAL) != 1)
		return false;
	while ((n = recv(c->fd, reply, sizeof(*reply), 0)) < 0 && errno == EINTR)
		;
	return n == (ssize_t)sizeof(*reply);
}

bool cleanup_on(struct cleanup *c, char *why)
{
	struct reply reply;

	if (!order(c, ORDER_ON, &reply)) {
		entry_off(&c->entry, why);
		snprintf(why, GIT_WHY_BYTES,
			 "the cleanup process was killed; start trace2top again");
		return false;
	}
	c->on = reply.ok;
	memcpy(why, reply.why, sizeof(reply.why));
	return reply.ok;
}

bool cleanup_off(struct cleanup *c, char *why)
{
	struct reply reply;

	if (!c->on)
		return true;
	if (!order(c, ORDER_OFF, &reply))
		reply.ok = entry_off(&c->entry, reply.why);
	c->on = !reply.ok;
	memcpy(why, reply.why, sizeof(reply.why));
	return reply.ok;
}

void cleanup_free(struct cleanup *c)
{
	char leave = ORDER_LEAVE;

	if (!c)
		return;
	/* If the value could not be removed, send no order to leave: the cleanup process tries
	 * again when this descriptor is closed. */
	if (c->fd >= 0 && !c->on)
		send(c->fd, &leave, 1, MSG_NOSIGNAL);
	if (c->fd >= 0)
		close(c->fd);
	if (c->pid > 0 && !c->on)
		while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
			;
	git_config_copy_release(&c->entry.copy);
	free(c->entry.target);
	free(c->entry.path);
	free(c);
}
