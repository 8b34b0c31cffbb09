/* SPDX-License-Identifier: MIT */
/* Tests of `trace2top --once -- COMMAND` with the real program. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/program.h"

static int run_script(struct program *p, const char *script, int in)
{
	const char *argv[] = { NULL, "--once", "--format=json", "--", "sh", "-c", script, NULL };

	return program_run(p, argv, in);
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in: %s", part, text);
}

static void returns_the_exit_status_of_the_command(void **state)
{
	static const struct {
		const char *script;
		int status;
	} cases[] = { { "exit 0", 0 },       { "exit 3", 3 },          { "exit 255", 255 },
		      { "kill -9 $$", 137 }, { "kill -TERM $$", 143 }, { "kill -INT $$", 130 } };
	struct program p;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(run_script(&p, cases[i].script, -1), cases[i].status);
		assert_has(p.out_text, "trace2top-report/1");
		program_free(&p);
	}
}

static void ignore_sigchld(void)
{
	signal(SIGCHLD, SIG_IGN);
}

/* If a process ignores SIGCHLD, the kernel discards the exit status of its children. */
static void waits_for_the_command_although_sigchld_is_ignored(void **state)
{
	const char *argv[] = { NULL, "--once", "--", "sh", "-c", "exit 3", NULL };
	struct program p = { .before_exec = ignore_sigchld };

	(void)state;
	program_start_at(&p, program_path(), argv, -1);
	assert_int_equal(program_end(&p), 3);
	program_free(&p);
}

static void returns_127_or_126_if_the_command_cannot_run(void **state)
{
	const char *missing[] = { NULL, "--once", "--", "no-such-command-here", NULL };
	const char *no_program[] = { NULL, "--once", "--", "/dev/null", NULL };
	const char *directory[] = { NULL, "--once", "--", "/", NULL };
	struct program p;

	(void)state;
	assert_int_equal(program_run(&p, missing, -1), 127);
	assert_has(p.err_text, "trace2top: no-such-command-here: command not found\n");
	program_free(&p);
	assert_int_equal(program_run(&p, no_program, -1), 126);
	program_free(&p);
	assert_int_equal(program_run(&p, directory, -1), 126);
	program_free(&p);
}

/* If a directory of PATH cannot be searched and none has the command, execvp() fails with EACCES,
 * not ENOENT. */
static void reports_127_despite_an_unsearchable_directory(void **state)
{
	const char *missing[] = { NULL, "--once", "--", "no-such-command-here", NULL };
	const char *no_program[] = { NULL, "--once", "--", "no-program", NULL };
	char dir[] = "/tmp/trace2top-path-XXXXXX", closed[64], file[64], path[200], *before;
	struct program p = { .before_exec = program_be_ordinary };

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(closed, sizeof(closed), "%s/closed", dir);
	snprintf(file, sizeof(file), "%s/no-program", dir);
	assert_int_equal(mkdir(closed, 0), 0);
	close(open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	before = strdup(getenv("PATH"));
	snprintf(path, sizeof(path), "%s:%s", closed, dir);
	setenv("PATH", path, 1);
	program_start_at(&p, program_path(), missing, -1);
	assert_int_equal(program_end(&p), 127);
	assert_has(p.err_text, "trace2top: no-such-command-here: command not found\n");
	program_free(&p);
	program_start_at(&p, program_path(), no_program, -1);
	assert_int_equal(program_end(&p), 126);
	program_free(&p);
	setenv("PATH", before, 1);
	free(before);
	unlink(file);
	rmdir(closed);
	rmdir(dir);
}

static void command_output_goes_to_standard_error(void **state)
{
	struct program p;
	int in[2];

	(void)state;
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(write(in[1], "hello\n", 6), 6);
	close(in[1]);
	assert_int_equal(run_script(&p, "read x; echo got $x; echo bad >&2", in[0]), 0);
	close(in[0]);
	assert_has(p.err_text, "got hello\n");
	assert_has(p.err_text, "bad\n");
	assert_null(strstr(p.out_text, "got hello"));
	program_free(&p);
}

static void sets_the_environment_of_the_command_only(void **state)
{
	struct program p;

	(void)state;
	setenv("GIT_TRACE2_PARENT_SID", "outer", 1);
	setenv("GIT_TRACE2_PARENT_NAME", "outer-name", 1);
	setenv("GIT_TRACE2_EVENT_NESTING", "1", 1);
	setenv("GIT_TRACE2_EVENT_BRIEF", "1", 1);
	assert_int_equal(run_script(&p,
				    "echo \"e=$GIT_TRACE2_EVENT n=$GIT_TRACE2_EVENT_NESTING "
				    "b=$GIT_TRACE2_EVENT_BRIEF s=${GIT_TRACE2_PARENT_SID-none} "
				    "p=${GIT_TRACE2_PARENT_NAME-none}.\"",
				    -1),
			 0);
	assert_has(p.err_text, "e=af_unix:stream:/");
	assert_has(p.err_text, " n=100 b=0 s=none p=none.");
	program_free(&p);
	unsetenv("GIT_TRACE2_PARENT_SID");
	unsetenv("GIT_TRACE2_PARENT_NAME");
	unsetenv("GIT_TRACE2_EVENT_NESTING");
	unsetenv("GIT_TRACE2_EVENT_BRIEF");
}

/* Git processes that a shell's children start are in the report; the private socket is removed
 * afterwards. */
static void grandchildren_are_in_the_report(void **state)
{
	char socket[300] = "", *at;
	struct program p;

	(void)state;
	setenv("GIT_TRACE2_PARENT_SID", "outer", 1);
	assert_int_equal(run_script(&p,
				    "echo [$GIT_TRACE2_EVENT]; git version; (git version; "
				    "sh -c 'git version & git -c alias.v=!git\\ version v; wait')",
				    -1),
			 0);
	unsetenv("GIT_TRACE2_PARENT_SID");
	assert_int_equal(program_number(&p, "\"totals\"", "processes"), 5);
	assert_int_equal(program_number(&p, "\"totals\"", "running"), 0);
	assert_int_equal(program_number(&p, "\"totals\"", "lost"), 0);
	assert_has(p.out_text, "\"depth\": 1");
	assert_null(strstr(p.out_text, "\"depth\": 2"));
	at = strstr(p.err_text, "[af_unix:stream:");
	assert_non_null(at);
	sscanf(at, "[af_unix:stream:%299[^]]", socket);
	assert_int_equal(access(socket, F_OK), -1);
	*strrchr(socket, '/') = '\0';
	assert_int_equal(access(socket, F_OK), -1);
	program_free(&p);
}

/* A background process keeps standard error open. */
static void exits_although_a_daemon_remains(void **state)
{
	const char *argv[] = { NULL,
			       "--once",
			       "--format=json",
			       "--",
			       "sh",
			       "-c",
			       "(exec sleep 1000) >&2 & echo pid=$!; git version",
			       NULL };
	struct program p;
	int status;

	(void)state;
	program_start(&p, argv, -1);
	while (program_read(p.out, &p.out_text))
		;
	assert_int_equal(waitpid(p.pid, &status, 0), p.pid);
	assert_int_equal(status, 0);
	assert_int_equal(program_number(&p, "\"totals\"", "processes"), 1);
	program_read(p.err, &p.err_text);
	assert_has(p.err_text, "pid=");
	kill(atoi(strstr(p.err_text, "pid=") + 4), SIGKILL);
	close(p.out);
	close(p.err);
	program_free(&p);
}

/* The shell waits for a child: a shell that reads could miss a signal that arrives just before
 * read(). */
static void signals_reach_the_command(void **state)
{
	const char *argv[] = { NULL,
			       "--once",
			       "--",
			       "sh",
			       "-c",
			       "trap 'while [ $((i += 1)) -lt 100000 ]; do :; done; exit 7' TERM;"
			       "sleep 60 >/dev/null 2>&1 & echo ready; wait",
			       NULL };
	struct program p;
	int in[2];

	(void)state;
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	program_start(&p, argv, in[0]);
	while (!strstr(p.err_text, "ready"))
		assert_true(program_read(p.err, &p.err_text));
	kill(p.pid, SIGTERM);
	assert_int_equal(program_end(&p), 7);
	program_free(&p);
	close(in[0]);
	close(in[1]);
}

static void stopping_stops_the_command_and_keeps_the_socket(void **state)
{
	const char *argv[] = { NULL, "--once", "--",
			       "sh", "-c",     "echo $$ $GIT_TRACE2_EVENT; read x; exit 5",
			       NULL };
	char socket[300];
	struct program p;
	int in[2], status, command;

	(void)state;
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	program_start(&p, argv, in[0]);
	while (!strchr(p.err_text, '\n'))
		assert_true(program_read(p.err, &p.err_text));
	assert_int_equal(sscanf(p.err_text, "%d af_unix:stream:%299s", &command, socket), 2);
	kill(p.pid, SIGTSTP);
	assert_int_equal(waitpid(p.pid, &status, WUNTRACED), p.pid);
	assert_true(WIFSTOPPED(status));
	program_wait_mode(command, 'T');
	assert_int_equal(access(socket, F_OK), 0);
	kill(p.pid, SIGCONT);
	assert_int_equal(write(in[1], "\n", 1), 1);
	assert_int_equal(program_end(&p), 5);
	program_free(&p);
	close(in[0]);
	close(in[1]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns_the_exit_status_of_the_command),
		cmocka_unit_test(waits_for_the_command_although_sigchld_is_ignored),
		cmocka_unit_test(returns_127_or_126_if_the_command_cannot_run),
		cmocka_unit_test(reports_127_despite_an_unsearchable_directory),
		cmocka_unit_test(command_output_goes_to_standard_error),
		cmocka_unit_test(sets_the_environment_of_the_command_only),
		cmocka_unit_test(grandchildren_are_in_the_report),
		cmocka_unit_test(exits_although_a_daemon_remains),
		cmocka_unit_test(signals_reach_the_command),
		cmocka_unit_test(stopping_stops_the_command_and_keeps_the_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
