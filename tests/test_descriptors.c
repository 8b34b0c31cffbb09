/* SPDX-License-Identifier: MIT */
/* Where open files are short: a message, whatever the number; and a command gets back its own. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/resource.h>

#include "tests/program.h"

/* One more than what is standard, which the loader needs. */
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

/* With any number it works, or says why not; it never hangs, and nothing aborts. */
static void tell_or_work(const char **argv, const char *sign)
{
	int nr_worked = 0;

	for (nr_files = FEWEST; nr_files <= ENOUGH; nr_files++) {
		struct program p = { .before_exec = limit };
		int status;

		program_start_at(&p, program_path(), argv, -1);
		status = program_end(&p);
		/* The loader cannot load. */
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
	tell_or_work(argv, "git x");
}

/* Of a directory that cannot be listed something is said, and it ends. */
static void a_directory_that_cannot_be_listed_is_told_of(void **state)
{
	const char *argv[] = { NULL, "--once", dir, NULL };
	const char *build = getenv("abs_top_builddir");
	char shim[4200];
	struct program p;

	(void)state;
	snprintf(shim, sizeof(shim), "%s/tests/.libs/fail_io.so", build ? build : ".");
	if (access(shim, R_OK))
		skip();
	setenv("LD_PRELOAD", shim, 1);
	setenv("FAIL_IO_CALL", "fdopendir", 1);
	setenv("FAIL_IO_NTH", "1", 1);
	setenv("FAIL_IO_MANY", "0", 1);
	setenv("FAIL_IO_ERRNO", "12", 1);
	setenv("FAIL_IO_IN", "trace2top", 1);
	setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
	program_start(&p, argv, -1);
	unsetenv("LD_PRELOAD");
	unsetenv("ASAN_OPTIONS");
	assert_int_equal(program_end(&p), 1);
	assert_non_null(strstr(p.err_text, "it cannot be listed"));
	program_free(&p);
}

static void some_files(void)
{
	struct rlimit both;

	getrlimit(RLIMIT_NOFILE, &both);
	both.rlim_cur = 123;
	setrlimit(RLIMIT_NOFILE, &both);
}

/* We take as many as may be had; a command that asks for its limit must not see that. */
static void a_command_has_the_limit_that_we_were_given(void **state)
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
		cmocka_unit_test(a_directory_that_cannot_be_listed_is_told_of),
		cmocka_unit_test(a_command_has_the_limit_that_we_were_given),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
