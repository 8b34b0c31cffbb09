/* SPDX-License-Identifier: MIT */
/* Tests of the window's title and of the state of the command. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/intake/command_status.h"
#include "views/terminal/title.h"

static void title_is(const char *const *specs, int nr, const char *const *command, bool utf8,
		     const char *wanted)
{
	char *title = title_new(specs, nr, command, utf8);

	assert_string_equal(title, wanted);
	free(title);
}

static void title_names_the_source(void **state)
{
	static const char *const specs[] = { "/tmp/a", "af_unix:dgram:/tmp/b" };
	static const char *const command[] = { "git", "status", NULL };

	(void)state;
	title_is(NULL, 0, NULL, true, "trace2top");
	title_is(specs, 2, NULL, true, "trace2top /tmp/a af_unix:dgram:/tmp/b");
	title_is(NULL, 0, command, true, "trace2top -- git status");
}

static void escapes_names_in_the_title(void **state)
{
	static const char *const specs[] = { "a\033]0;x\007b\nc", "\xff" };
	static const char *const words[] = { "caf\xc3\xa9" };
	char *title = title_new(specs, 2, NULL, true);

	(void)state;
	for (const char *p = title; *p; p++)
		assert_true((unsigned char)*p >= 0x20 && *p != 0x7f);
	assert_null(strstr(title, "\xff"));
	free(title);
	title_is(words, 1, NULL, true, "trace2top caf\xc3\xa9");
	title_is(words, 1, NULL, false, "trace2top caf??");
}

static void a_long_title_is_cut(void **state)
{
	char name[2000];
	const char *const specs[] = { name, name, name };
	char *title;

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	title = title_new(specs, 3, NULL, true);
	assert_in_range(strlen(title), 60, 200);
	free(title);
}

static void shows_the_end_of_the_command(void **state)
{
	char text[80];

	(void)state;
	assert_int_equal(command_status_code(3 << 8), 3);
	assert_int_equal(command_status_code(SIGTERM), 128 + SIGTERM);
	command_status_format(3 << 8, 5200 * NS_PER_MS, text, sizeof(text));
	assert_non_null(strstr(text, "exit 3 after 5.2"));
	command_status_format(SIGKILL, NS_PER_SEC, text, sizeof(text));
	assert_non_null(strstr(text, "killed (SIGKILL"));
	command_status_format_running(1999 * NS_PER_MS, text, sizeof(text));
	assert_non_null(strstr(text, "running for 1"));
	command_status_format(SIGKILL, NS_PER_SEC, text, 10);
	assert_int_equal(strlen(text), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(title_names_the_source),
		cmocka_unit_test(escapes_names_in_the_title),
		cmocka_unit_test(a_long_title_is_cut),
		cmocka_unit_test(shows_the_end_of_the_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
