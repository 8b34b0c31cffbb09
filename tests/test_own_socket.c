/* SPDX-License-Identifier: MIT */
/* Tests of the default socket, which is in a directory of the user or refused, and of named
 * ones. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/file.h>

#include "monitor/app/own_socket.h"
#include "tests/program.h"

static char home[64], cache[100], own[120], sock[140], why[400];

static int set_up(void **state)
{
	(void)state;
	strcpy(home, "/tmp/trace2top-own-XXXXXX");
	if (!mkdtemp(home))
		return -1;
	snprintf(cache, sizeof(cache), "%s/.cache", home);
	snprintf(own, sizeof(own), "%s/trace2top", cache);
	snprintf(sock, sizeof(sock), "%s/trace2top.sock", own);
	setenv("HOME", home, 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	unsetenv("XDG_RUNTIME_DIR");
	unsetenv("GIT_TRACE2_EVENT");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	chmod(own, 0700);
	rmdir(own);
	unlink(own);
	rmdir(cache);
	unlink(cache);
	return rmdir(home);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static void proposes(const char *path)
{
	char *is = own_socket_path(why, sizeof(why));

	assert_non_null(is);
	assert_string_equal(is, path);
	free(is);
}

static void refuses(const char *because)
{
	assert_null(own_socket_path(why, sizeof(why)));
	if (!strstr(why, because))
		fail_msg("'%s' does not say '%s'", why, because);
	assert_non_null(strstr(why, "give a SOURCE"));
	assert_null(strchr(why, '\n'));
}

static void the_runtime_directory_comes_first(void **state)
{
	(void)state;
	setenv("XDG_RUNTIME_DIR", home, 1);
	snprintf(sock, sizeof(sock), "%s/trace2top.sock", home);
	proposes(sock);
	assert_int_equal(access(cache, F_OK), -1);
}

static void a_missing_cache_is_created(void **state)
{
	mode_t mask = umask(0);

	(void)state;
	proposes(sock);
	assert_int_equal(mode_of(cache), 0700);
	assert_int_equal(mode_of(own), 0700);
	umask(mask);
	/* A relative XDG_RUNTIME_DIR is ignored. */
	setenv("XDG_RUNTIME_DIR", "run", 1);
	proposes(sock);
}

static void directories_writable_by_others_are_refused(void **state)
{
	(void)state;
	setenv("XDG_RUNTIME_DIR", home, 1);
	chmod(home, 0770);
	refuses("is open to other users");
	chmod(home, 01777);
	refuses("is open to other users");
	chmod(home, 0700);
	unsetenv("XDG_RUNTIME_DIR");
	proposes(sock);
	chmod(own, 0711);
	refuses("is open to other users");
	chmod(own, 0700);
	proposes(sock);
	chmod(cache, 0777);
	refuses("is open to other users");
	/* The cache may be writable for its group, as with umask 002. */
	chmod(cache, 0775);
	proposes(sock);
}

static void directories_of_other_users_are_refused(void **state)
{
	bool is_root = !geteuid();

	(void)state;
	setenv("XDG_RUNTIME_DIR", is_root ? home : "/usr", 1);
	if (is_root)
		assert_int_equal(chown(home, 12345, (gid_t)-1), 0);
	refuses("belongs to another user");
	if (!is_root)
		return;
	assert_int_equal(chown(home, 0, (gid_t)-1), 0);
	unsetenv("XDG_RUNTIME_DIR");
	proposes(sock);
	assert_int_equal(chown(own, 12345, (gid_t)-1), 0);
	refuses("belongs to another user");
}

static void links_and_files_are_refused(void **state)
{
	char link[100];

	(void)state;
	assert_int_equal(mkdir(cache, 0700), 0);
	assert_int_equal(symlink(home, own), 0);
	refuses("is a symbolic link");
	unlink(own);
	close(open(own, O_CREAT | O_WRONLY, 0600));
	refuses("is not a directory");
	unlink(own);
	/* The user chooses where the cache is, so it may be a link. */
	snprintf(link, sizeof(link), "%s/elsewhere", home);
	assert_int_equal(rename(cache, link), 0);
	assert_int_equal(symlink(link, cache), 0);
	proposes(sock);
	setenv("XDG_RUNTIME_DIR", cache, 1);
	refuses("is a symbolic link");
	rmdir(own);
	rmdir(link);
}

static void a_missing_home_is_reported(void **state)
{
	(void)state;
	setenv("HOME", "/nowhere/at-all", 1);
	refuses("/nowhere/at-all/.cache: No such file");
	unsetenv("HOME");
	refuses("neither XDG_RUNTIME_DIR nor HOME is set");
	setenv("XDG_RUNTIME_DIR", "/nowhere", 1);
	refuses("/nowhere: No such file");
}

/* Other users who can write to the directory could bind the path. */
static void listens_only_in_a_private_directory(void **state)
{
	const char *argv[] = { NULL, "--once", NULL };
	struct path_watch watch;
	struct program p;

	(void)state;
	assert_int_equal(mkdir(cache, 0700) | mkdir(own, 0700), 0);
	path_watch_open(&watch, sock);
	program_start(&p, argv, -1);
	path_wait(&watch, true);
	path_watch_close(&watch);
	kill(p.pid, SIGTERM);
	assert_int_equal(program_end(&p), 0);
	program_free(&p);
	assert_int_equal(access(sock, F_OK), -1);

	chmod(own, 0755);
	assert_int_equal(program_run(&p, argv, -1), 2);
	assert_non_null(strstr(p.err_text, "trace2top: cannot create a socket: "));
	assert_string_equal(p.out_text, "");
	program_free(&p);
}

/* A path in GIT_TRACE2_EVENT is accepted even if other users can write to its directory. */
static void accepts_any_named_path(void **state)
{
	const char *argv[] = { NULL, "--once", NULL };
	struct path_watch watch;
	struct program p;
	char target[200];

	(void)state;
	setenv("HOME", "/nowhere", 1);
	chmod(home, 01777);
	snprintf(sock, sizeof(sock), "%s/named", home);
	snprintf(target, sizeof(target), "af_unix:stream:%s", sock);
	setenv("GIT_TRACE2_EVENT", target, 1);
	path_watch_open(&watch, sock);
	program_start(&p, argv, -1);
	path_wait(&watch, true);
	path_watch_close(&watch);
	kill(p.pid, SIGTERM);
	assert_int_equal(program_end(&p), 0);
	program_free(&p);
}

/* Return the voluntary context switches of the process's first thread. */
static long waits_of(pid_t pid)
{
	char file[40], line[200];
	long waits = -1;
	FILE *f;

	snprintf(file, sizeof(file), "/proc/%d/status", (int)pid);
	f = fopen(file, "r");
	assert_non_null(f);
	while (waits < 0 && fgets(line, sizeof(line), f))
		sscanf(line, "voluntary_ctxt_switches: %ld", &waits);
	fclose(f);
	return waits;
}

/* Other users can hold the lock for starting in a public directory, so it is tried a few times
 * only. */
static void foreign_lock_does_not_delay_the_start(void **state)
{
	char spec[200];
	const char *argv[] = { NULL, "--once", spec, NULL };
	int fd = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct path_watch watch;
	struct program p;

	(void)state;
	snprintf(sock, sizeof(sock), "%s/named", home);
	snprintf(spec, sizeof(spec), "af_unix:%s", sock);
	chmod(home, 01777);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	path_watch_open(&watch, sock);
	program_start(&p, argv, -1);
	path_wait(&watch, true);
	assert_in_range(waits_of(p.pid), 1, 300);
	path_watch_close(&watch);
	kill(p.pid, SIGTERM);
	assert_int_equal(program_end(&p), 0);
	program_free(&p);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(the_runtime_directory_comes_first),
		TEST(a_missing_cache_is_created),
		TEST(directories_writable_by_others_are_refused),
		TEST(directories_of_other_users_are_refused),
		TEST(links_and_files_are_refused),
		TEST(a_missing_home_is_reported),
		TEST(listens_only_in_a_private_directory),
		TEST(accepts_any_named_path),
		TEST(foreign_lock_does_not_delay_the_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
