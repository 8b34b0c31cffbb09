/* SPDX-License-Identifier: MIT */
/* Tests of failing calls on descriptors and of the limit on open files. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/program.h"

/* Lowest limit to test: the dynamic loader needs one more than stdin, stdout and stderr. */
#define FEWEST 4
#define ENOUGH 24

static char dir[64], file[80];
static rlim_t nr_files;

static int set_up(void **state)
{
	int fd;

	(void)state;
	strcpy(dir, "/tmp/trace2top-few-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(file, sizeof(file), "%s/trace", dir);
	fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	dprintf(fd, "{\"event\":\"start\",\"sid\":\"s\",\"thread\":\"main\",\"t_abs\":0.1,"
		    "\"argv\":[\"git\",\"x\"]}\n");
	return close(fd);
}

static int tear_down(void **state)
{
	(void)state;
	unlink(file);
	return rmdir(dir);
}

static void limit(void)
{
	struct rlimit both = { nr_files, nr_files };

	setrlimit(RLIMIT_NOFILE, &both);
}

static void tell_or_work(const char **argv, const char *sign)
{
	int nr_worked = 0;

	for (nr_files = FEWEST; nr_files <= ENOUGH; nr_files++) {
		struct program p = { .before_exec = limit };
		int status;

		program_start_at(&p, program_path(), argv, -1);
		status = program_end(&p);
		/* The dynamic loader failed, not the program. */
		if (status == 127 && strstr(p.err_text, "shared libraries")) {
			program_free(&p);
			continue;
		}
		if (status != 0 && status != 1 && status != 2)
			fail_msg("%ju files: status %d: %s", (uintmax_t)nr_files, status,
				 p.err_text);
		if (status && strncmp(p.err_text, "trace2top: ", 11))
			fail_msg("%ju files: status %d, but '%s'", (uintmax_t)nr_files, status,
				 p.err_text);
		if (!status && !strstr(p.out_text, sign))
			fail_msg("%ju files: %s", (uintmax_t)nr_files, p.out_text);
		nr_worked += !status;
		program_free(&p);
	}
	assert_true(nr_worked > 0);
}

static void a_report_of_a_file(void **state)
{
	const char *argv[] = { NULL, "--once", "--format=json", file, NULL };

	(void)state;
	tell_or_work(argv, "\"events\": 1");
}

static void a_report_of_a_directory(void **state)
{
	const char *argv[] = { NULL, "--once", "--format=json", dir, NULL };

	(void)state;
	tell_or_work(argv, "\"events\": 1");
}

static void a_command(void **state)
{
	const char *argv[] = { NULL, "--once", "--format=json", "--", "true", NULL };

	(void)state;
	tell_or_work(argv, "\"events\": 0");
}

static void a_dump(void **state)
{
	const char *argv[] = { NULL, "--dump=-", file, NULL };

	(void)state;
	tell_or_work(argv, "1 stale");
}

/* Start the program with fail_io.c: each `call` fails with `error`. */
static void start_failing(struct program *p, const char **argv, const char *call, int error)
{
	const char *build = getenv("abs_top_builddir");
	char shim[4200], number[12];

	snprintf(shim, sizeof(shim), "%s/tests/.libs/fail_io.so", build ? build : ".");
	if (access(shim, R_OK))
		skip();
	snprintf(number, sizeof(number), "%d", error);
	setenv("LD_PRELOAD", shim, 1);
	setenv("FAIL_IO_CALL", call, 1);
	setenv("FAIL_IO_NTH", "1", 1);
	setenv("FAIL_IO_MANY", "0", 1);
	setenv("FAIL_IO_ERRNO", number, 1);
	setenv("FAIL_IO_IN", "trace2top", 1);
	setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
	program_start(p, argv, -1);
	unsetenv("LD_PRELOAD");
	unsetenv("ASAN_OPTIONS");
}

static void reports_an_unreadable_directory(void **state)
{
	const char *argv[] = { NULL, "--once", dir, NULL };
	struct program p;

	(void)state;
	start_failing(&p, argv, "fdopendir", ENOMEM);
	assert_int_equal(program_end(&p), 1);
	assert_non_null(strstr(p.err_text, "it cannot be listed"));
	program_free(&p);
}

/* A writer gets an error once its socket is closed; the program prints the reason. */
static void is_closed(int type, const char *call, int error, const char *said)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct timeval patience = { .tv_sec = PROGRAM_DEADLINE_MS / 1000 };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	char sock[80], spec[120], line[1000];
	const char *argv[] = { NULL, "--once", spec, NULL };
	struct path_watch watch;
	struct program p;

	snprintf(sock, sizeof(sock), "%s/sock", dir);
	snprintf(spec, sizeof(spec), "af_unix:%s:%s", type == SOCK_DGRAM ? "dgram" : "stream",
		 sock);
	strcpy(addr.sun_path, sock);
	memset(line, '\n', sizeof(line));
	path_watch_open(&watch, sock);
	start_failing(&p, argv, call, error);
	path_wait(&watch, true);
	/* The path of a socket exists shortly before the socket accepts connections. */
	while (connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		assert_int_equal(errno, ECONNREFUSED);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	while (send(fd, line, sizeof(line), MSG_NOSIGNAL) > 0)
		;
	if (errno == EAGAIN)
		kill(p.pid, SIGTERM);
	assert_int_not_equal(errno, EAGAIN);
	path_wait(&watch, false);
	path_watch_close(&watch);
	assert_int_equal(program_end(&p), 1);
	if (!strstr(p.err_text, said))
		fail_msg("'%s' does not say '%s'", p.err_text, said);
	assert_true(error == EMFILE || !strstr(p.err_text, "ulimit"));
	program_free(&p);
	close(fd);
}

static void closes_a_socket_that_cannot_be_read(void **state)
{
	(void)state;
#ifdef TR2_PORTABLE /* the portable build uses accept() and recvmsg() */
	skip();
#endif
	is_closed(SOCK_STREAM, "accept4", EMFILE,
		  "accept: Too many open files: its socket was closed, so that writers go on; "
		  "raise the limit of open files (ulimit -n)");
	is_closed(SOCK_STREAM, "accept4", EPERM,
		  "accept: Operation not permitted: its socket was closed");
	is_closed(SOCK_DGRAM, "recvmmsg", ENOSYS,
		  "recvmmsg: Function not implemented: its socket was closed");
}

static void some_files(void)
{
	struct rlimit both;

	getrlimit(RLIMIT_NOFILE, &both);
	both.rlim_cur = 123;
	setrlimit(RLIMIT_NOFILE, &both);
}

/* trace2top raises its own limit on open files. */
static void commands_inherit_the_original_limit(void **state)
{
	const char *argv[] = { NULL, "--once", "--", "sh", "-c", "ulimit -Sn", NULL };
	struct program p = { .before_exec = some_files };
	struct rlimit both;

	(void)state;
	getrlimit(RLIMIT_NOFILE, &both);
	if (both.rlim_max <= 123)
		skip();
	program_start_at(&p, program_path(), argv, -1);
	assert_int_equal(program_end(&p), 0);
	assert_string_equal(p.err_text, "123\n");
	program_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_of_a_file),
		cmocka_unit_test(a_report_of_a_directory),
		cmocka_unit_test(a_command),
		cmocka_unit_test(a_dump),
		cmocka_unit_test(reports_an_unreadable_directory),
		cmocka_unit_test(closes_a_socket_that_cannot_be_read),
		cmocka_unit_test(commands_inherit_the_original_limit),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
