/* SPDX-License-Identifier: MIT */
/* A datagram socket that holds more than the machine's own setting says. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monitor/intake/dgram_queue.h"

static const char setting[] = "/proc/sys/net/unix/max_dgram_qlen";

static struct sockaddr_un address = { .sun_family = AF_UNIX };

static int set_up(void **state)
{
	char dir[] = "/tmp/trace2top-queue-XXXXXX";

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(address.sun_path);
	*strrchr(address.sun_path, '/') = '\0';
	return rmdir(address.sun_path);
}

/* How many events of Git a writer gets rid of before it would have to wait; closes `fd`. */
static int held_by(int fd)
{
	static const char event[250];
	int writer = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), nr = 0;

	assert_true(fd >= 0 && writer >= 0);
	unlink(address.sun_path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(connect(writer, (struct sockaddr *)&address, sizeof(address)), 0);
	while (send(writer, event, sizeof(event), 0) > 0)
		nr++;
	assert_int_equal(errno, EAGAIN);
	close(writer);
	close(fd);
	return nr;
}

static int plain(void)
{
	return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

static int the_setting(void)
{
	FILE *file = fopen(setting, "r");
	int nr;

	if (!file)
		skip();
	assert_int_equal(fscanf(file, "%d", &nr), 1);
	fclose(file);
	return nr;
}

/* Does this machine allow it, asked in another way? */
static bool is_allowed(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		bool there = syscall(SYS_clone3, NULL, 0) < 0 && errno == EINVAL;
		bool apart = !unshare(CLONE_NEWNET) || !unshare(CLONE_NEWNET | CLONE_NEWUSER);
		int fd = open(setting, O_WRONLY);

		_exit(!there || !apart || write(fd, "99", 2) != 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return !status;
}

static void the_queue_is_as_long_as_the_senders_buffer(void **state)
{
	int machine, own, before = the_setting();

	(void)state;
	machine = held_by(plain());
	own = held_by(dgram_queue_socket());
	if (is_allowed())
		assert_true(own > 100);
	else
		assert_int_equal(own, machine);
	/* The machine's own is as it was. */
	assert_int_equal(the_setting(), before);
	assert_int_equal(held_by(plain()), machine);
}

static int highest_descriptor(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

static volatile sig_atomic_t nr_children;

static void child_ended(int sig)
{
	(void)sig;
	nr_children++;
}

static void nothing_is_left_of_the_making(void **state)
{
	int before = highest_descriptor(), fd;

	(void)state;
	signal(SIGCHLD, child_ended);
	fd = dgram_queue_socket();
	signal(SIGCHLD, SIG_DFL);
	assert_int_equal(nr_children, 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG | __WALL), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(fd, before);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	close(fd);
	assert_int_equal(highest_descriptor(), before);
}

/* No namespace may be made, as in many containers. */
static void forbid_namespaces(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(77);
}

static void without_permission_the_machines_own_queue_serves(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid) {
		int machine = held_by(plain());

		forbid_namespaces();
		_exit(held_by(dgram_queue_socket()) != machine);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_queue_is_as_long_as_the_senders_buffer),
		cmocka_unit_test(nothing_is_left_of_the_making),
		cmocka_unit_test(without_permission_the_machines_own_queue_serves),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
