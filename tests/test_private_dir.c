/* SPDX-License-Identifier: MIT */
/* Tests of the private directory of a command. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monitor/source/private_dir.h"

static char tmp[] = "/tmp/trace2top-test-XXXXXX";
static char why[200];

static bool path_exists(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

static void make_old(const char *path)
{
	static const struct timespec long_ago[2] = { { 1000, 0 }, { 1000, 0 } };

	assert_int_equal(utimensat(AT_FDCWD, path, long_ago, 0), 0);
}

/* Create a private directory, with a socket or with `file`, of a process that has ended. */
static void create_abandoned(char *path, size_t bytes, const char *file)
{
	int to_us[2], status;

	assert_int_equal(pipe(to_us), 0);
	if (!fork()) {
		struct private_dir dir;
		struct sockaddr_un address = { .sun_family = AF_UNIX };
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);

		if (!private_dir_make(&dir, why, sizeof(why)))
			_exit(1);
		snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", dir.path,
			 file ? file : PRIVATE_DIR_SOCKET);
		if (file)
			close(open(address.sun_path, O_CREAT | O_WRONLY, 0600));
		else if (bind(fd, (struct sockaddr *)&address, sizeof(address)))
			_exit(2);
		if (write(to_us[1], dir.path, strlen(dir.path)) < 0)
			_exit(3);
		_exit(0);
	}
	close(to_us[1]);
	ssize_t n = read(to_us[0], path, bytes - 1);

	assert_true(n > 0);
	path[n] = '\0';
	close(to_us[0]);
	wait(&status);
	assert_int_equal(status, 0);
}

static void removes_directories_of_killed_processes(void **state)
{
	char left[200], young[200], other[200];
	struct private_dir dir, second;

	(void)state;
	create_abandoned(left, sizeof(left), NULL);
	create_abandoned(young, sizeof(young), NULL);
	create_abandoned(other, sizeof(other), "somebody's");
	assert_true(private_dir_make(&dir, why, sizeof(why)));
	private_dir_hold(&dir);
	assert_true(path_exists(left) && path_exists(young) && path_exists(other));
	make_old(left);
	make_old(other);
	make_old(dir.path);
	assert_true(private_dir_make(&second, why, sizeof(why)));
	assert_false(path_exists(left));
	assert_true(path_exists(young));
	assert_true(path_exists(other));
	assert_true(path_exists(dir.path)); /* the process that created it is alive */
	private_dir_remove(&second);
	private_dir_remove(&dir);
	assert_null(dir.path);
}

/* private_dir_make() leaves the directory's lock free, because listener_open() takes it.
 * private_dir_hold() takes it later. */
static void accepts_socket_before_lock(void **state)
{
	struct private_dir dir;
	int fd;

	(void)state;
	assert_true(private_dir_make(&dir, why, sizeof(why)));
	fd = open(dir.path, O_RDONLY | O_DIRECTORY);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	close(fd);
	private_dir_hold(&dir);
	fd = open(dir.path, O_RDONLY | O_DIRECTORY);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
	close(fd);
	private_dir_remove(&dir);
}

static void reports_failure_to_create(void **state)
{
	struct private_dir dir;

	(void)state;
	setenv("TMPDIR", "/nowhere", 1);
	assert_false(private_dir_make(&dir, why, sizeof(why)));
	assert_non_null(strstr(why, "private directory in /nowhere: No such file"));
	private_dir_remove(&dir);
	setenv("TMPDIR", tmp, 1);
}

static int set_up(void **state)
{
	(void)state;
	return !mkdtemp(tmp) || setenv("TMPDIR", tmp, 1);
}

static int tear_down(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", tmp);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(removes_directories_of_killed_processes),
		cmocka_unit_test(accepts_socket_before_lock),
		cmocka_unit_test(reports_failure_to_create),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
