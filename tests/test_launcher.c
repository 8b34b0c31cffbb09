/* SPDX-License-Identifier: MIT */
/* Tests of `-- COMMAND` on a terminal. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/pty.h"

/* In a script, "rea''dy" gives a marker that only the output contains: the title shows the command
 * line unchanged. A shell that reads could miss a signal that arrives just before read(). If its
 * trap has a command, it therefore waits for a child, which the signal ends, too. */
static void start(struct pty *pty, const char *script)
{
	static char program[4096];
	const char *argv[] = { program, "--", "sh", "-c", script, NULL };
	const char *const settings[] = { "XDG_CONFIG_HOME=/nowhere", "TZ=UTC", NULL };

	snprintf(program, sizeof(program), "%s/trace2top", getenv("abs_top_builddir"));
	pty_spawn(pty, argv, settings, 120, 40);
}

static void expect_exit(struct pty *pty, int code)
{
	int status = pty_wait_exit(pty, true);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), code);
	assert_true(pty_is_restored(pty));
	pty_close(pty);
}

static void screen_stays_with_summary_and_output(void **state)
{
	struct pty pty;

	(void)state;
	start(&pty, "echo hello from it, pager=$GIT_PAGER; git version; exit 7");
	pty_wait(&pty, "? sh -c echo hello");
	pty_wait(&pty, "exit 7 after ");
	pty_wait(&pty, "WAITED FOR");
	pty_wait(&pty, "idle");
	pty_wait(&pty, "Total");
	pty_send(&pty, "O");
	pty_wait(&pty, "hello from it, pager=cat");
	pty_send(&pty, "\177");
	pty_wait(&pty, "Total");
	pty_send(&pty, "\177");
	pty_wait(&pty, "1 Processes");
	pty_wait_gone(&pty, "Total");
	pty_send(&pty, "S");
	pty_wait(&pty, "Total");
	pty_send(&pty, "qq");
	/* One line stays on the terminal after the screen. */
	pty_wait(&pty, ": exit 7 after ");
	pty_wait(&pty, " % idle");
	expect_exit(&pty, 7);
}

static void summary_does_not_replace_a_page(void **state)
{
	struct pty pty;

	(void)state;
	start(&pty, "echo rea''dy; read x; exit 0");
	pty_send(&pty, "O");
	pty_wait(&pty, "ready");
	pty_send(&pty, "\003");
	pty_wait(&pty, "The command has ended: S shows");
	pty_wait(&pty, "Output of the command");
	pty_send(&pty, "S");
	pty_wait(&pty, "killed (SIGINT) after ");
	pty_send(&pty, "qqq");
	expect_exit(&pty, 128 + SIGINT);
}

static void first_ctrl_c_goes_to_the_command(void **state)
{
	struct pty pty;

	(void)state;
	start(&pty, "trap 'exit 9' INT; sleep 60 & echo rea''dy; wait");
	pty_send(&pty, "O");
	pty_wait(&pty, "ready");
	pty_send(&pty, "\003");
	pty_wait(&pty, "exit 9 after ");
	pty_send(&pty, "\003");
	expect_exit(&pty, 9);
}

static void second_ctrl_c_quits(void **state)
{
	struct pty pty;

	(void)state;
	start(&pty, "trap '' INT HUP; echo rea''dy; read x");
	pty_send(&pty, "O");
	pty_wait(&pty, "ready");
	pty_send(&pty, "\003");
	pty_wait(&pty, "Ctrl-C was sent to the command; press it again to quit");
	pty_send(&pty, "\003\003");
	expect_exit(&pty, 128 + SIGHUP);
}

static void passes_signals_and_returns_the_status(void **state)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		struct pty pty;

		start(&pty, "echo rea''dy; read x");
		pty_send(&pty, "O");
		pty_wait(&pty, "ready");
		kill(pty.pid, signals[i]);
		expect_exit(&pty, 128 + signals[i]);
	}
	struct pty pty;

	start(&pty, "trap 'exit 5' TERM; sleep 60 & echo rea''dy; wait");
	pty_send(&pty, "O");
	pty_wait(&pty, "ready");
	kill(pty.pid, SIGTERM);
	expect_exit(&pty, 5);
}

static void quitting_sends_sighup_to_the_command(void **state)
{
	struct pty pty;

	(void)state;
	start(&pty, "echo rea''dy; read x");
	pty_send(&pty, "O");
	pty_wait(&pty, "ready");
	pty_send(&pty, "q");
	pty_wait_gone(&pty, "ready");
	pty_send(&pty, "q");
	pty_wait(&pty, "The command is still running: y stops it");
	pty_send(&pty, "n");
	pty_wait_gone(&pty, "still runs");
	pty_send(&pty, "\033[21~"); /* F10 */
	pty_wait(&pty, "The command is still running: y stops it");
	pty_send(&pty, "y");
	expect_exit(&pty, 128 + SIGHUP);
}

static void quitting_twice_leaves_a_command_that_ignores_signals(void **state)
{
	struct pty pty;

	(void)state;
	start(&pty, "trap '' HUP; echo rea''dy; read x");
	pty_send(&pty, "O");
	pty_wait(&pty, "ready");
	pty_send(&pty, "qqyq");
	expect_exit(&pty, 128 + SIGHUP);
}

static void reports_death_by_a_signal(void **state)
{
	struct pty pty;

	(void)state;
	start(&pty, "kill -9 $$");
	pty_wait(&pty, "killed (SIGKILL) after ");
	pty_send(&pty, "\x03");
	expect_exit(&pty, 128 + SIGKILL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screen_stays_with_summary_and_output),
		cmocka_unit_test(summary_does_not_replace_a_page),
		cmocka_unit_test(first_ctrl_c_goes_to_the_command),
		cmocka_unit_test(second_ctrl_c_quits),
		cmocka_unit_test(passes_signals_and_returns_the_status),
		cmocka_unit_test(quitting_sends_sighup_to_the_command),
		cmocka_unit_test(quitting_twice_leaves_a_command_that_ignores_signals),
		cmocka_unit_test(reports_death_by_a_signal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
