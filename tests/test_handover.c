/* SPDX-License-Identifier: MIT */
/*
 * Tests of handing over the terminal to a command that may wait for input and to an editor, of
 * copying, and of quitting.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/pty.h"

#define MAY_WAIT "The command may wait for input:"
#define LENT     "Ctrl-] returns to trace2top"
#define BACK     "\035"

static const char *program(void)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/trace2top", getenv("abs_top_builddir"));
	return path;
}

static void start(struct pty *pty, const char *script)
{
	const char *argv[] = { program(), "--", "sh", "-c", script, NULL };
	const char *const settings[] = { "XDG_CONFIG_HOME=/nowhere", "TZ=UTC", NULL };

	pty_spawn(pty, argv, settings, 100, 30);
}

static void expect_exit(struct pty *pty, int code)
{
	int status = pty_wait_exit(pty, true);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), code);
	assert_true(pty_is_restored(pty));
}

/* A prompt is a line without an end, or input without echo or line editing. The note about it
 * disappears with the prompt. */
static void reports_a_prompt(void **state)
{
	static const char *const scripts[] = {
		"printf 'Na''me? '; read x; echo; sleep 60",
		"stty -echo; echo; read x; stty echo; sleep 60",
		"stty -icanon; echo; read x; stty icanon; sleep 60"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++) {
		struct pty pty;

		start(&pty, scripts[i]);
		pty_wait(&pty, MAY_WAIT " O");
		pty_send(&pty, "O");
		pty_wait(&pty, MAY_WAIT " Enter");
		pty_send(&pty, "\r");
		pty_wait(&pty, LENT);
		pty_send(&pty, "\r" BACK);
		pty_wait(&pty, "Output of the command");
		pty_wait_gone(&pty, MAY_WAIT);
		pty_send(&pty, "qqy");
		expect_exit(&pty, 128 + SIGHUP);
		pty_close(&pty);
	}
}

/* Complete lines and a progress meter that stopped are not prompts. */
static void ignores_output_without_a_prompt(void **state)
{
	struct pty pty;

	(void)state;
	start(&pty, "echo be''gun; printf '40%%\\r'; sleep 2; echo do''ne; sleep 60");
	pty_send(&pty, "O");
	pty_wait(&pty, "begun");
	pty_wait(&pty, "done");
	assert_false(pty_wrote(&pty, "may wait"));
	pty_send(&pty, "qqy");
	expect_exit(&pty, 128 + SIGHUP);
	pty_close(&pty);
}

static void command_has_the_terminal_until_it_ends(void **state)
{
	struct pty pty;

	(void)state;
	start(&pty, "trap 'echo inter''rupted; read y; exit 7' INT; printf 'Na''me? '; read x; "
		    "echo hel''lo $x;"
		    "stty raw -echo; printf 'key? '; dd bs=1 count=3 2>/dev/null | od -An -tx1;"
		    "stty sane; echo sa''ne; sleep 60 & wait");
	pty_wait(&pty, MAY_WAIT);
	pty_send(&pty, "O\r");
	pty_wait(&pty, LENT);
	pty_send(&pty, "Bob\r");
	pty_wait(&pty, "hello Bob");
	pty_wait(&pty, "key?");
	pty_send(&pty, "\033\023q");
	pty_wait(&pty, "1b 13 71");
	pty_wait(&pty, "sane");
	pty_wait(&pty, LENT);
	pty_send(&pty, "\003");
	pty_wait(&pty, "interrupted");
	pty_send(&pty, "\r");
	pty_wait(&pty, "exit 7 after");
	pty_wait(&pty, "Output of the command");
	pty_send(&pty, "\r");
	pty_wait(&pty, "The command has ended");
	pty_send(&pty, "qqq");
	expect_exit(&pty, 7);
	pty_close(&pty);
}

/* While the command has our terminal, its own lacks our last row, which names the key to return. */
static void the_commands_terminal_has_the_size_of_ours(void **state)
{
	struct pty pty;

	(void)state;
	start(&pty, "show() { echo si''ze $(stty size); }; trap show WINCH; printf '? ';"
		    "while :; do read x || show; done");
	pty_wait(&pty, MAY_WAIT);
	pty_send(&pty, "O\r");
	pty_wait(&pty, LENT);
	pty_wait(&pty, "size 29 100");
	pty_resize(&pty, 90, 20);
	pty_wait(&pty, "size 19 90");
	pty_wait(&pty, LENT);
	pty_send(&pty, BACK);
	pty_wait(&pty, "Output of the command");
	pty_wait(&pty, "size 20 90");
	/* After the command had the terminal, keys work as before; Down is sent as in terminfo. */
	pty_send(&pty, "\033OB");
	pty_wait(&pty, "▸");
	pty_wait_gone(&pty, "▸?");
	pty_send(&pty, "\r");
	pty_wait(&pty, LENT);
	pty_wait(&pty, "size 19 90");
	kill(pty.pid, SIGTERM);
	expect_exit(&pty, 128 + SIGTERM);
	pty_close(&pty);
}

static void keys_typed_ahead_go_to_the_command(void **state)
{
	struct pty pty;

	(void)state;
	start(&pty, "printf '? '; read x; echo got''ten $x; read y; exit 4");
	pty_wait(&pty, MAY_WAIT);
	pty_send(&pty, "O");
	pty_wait(&pty, MAY_WAIT " Enter");
	pty_send(&pty, "\rqqq\r");
	pty_wait(&pty, "gotten qqq");
	pty_send(&pty, "\r");
	pty_wait(&pty, "exit 4 after");
	pty_send(&pty, "qqq");
	expect_exit(&pty, 4);
	pty_close(&pty);
}

struct place {
	char dir[64], trace[96], editor[96];
};

static void make_file(const char *dir, const char *name, const char *text, int mode)
{
	char path[4200];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	chmod(path, (mode_t)mode);
}

static void make_place(struct place *place, const char *file)
{
	char event[4096];

	strcpy(place->dir, "/tmp/trace2top-lend-XXXXXX");
	assert_non_null(mkdtemp(place->dir));
	snprintf(event, sizeof(event),
		 "{\"event\":\"start\",\"sid\":\"20260102T122836.000000Z-H6b1a4c2e-P00003973\","
		 "\"thread\":\"main\",\"time\":\"2026-01-02T12:28:36.000000Z\",\"file\":\"%s\","
		 "\"line\":12,\"t_abs\":0.001,\"argv\":[\"git\",\"it's\"]}\n",
		 file);
	make_file(place->dir, "trace", event, 0600);
	make_file(place->dir, "git.c", "int x;\n", 0600);
	make_file(place->dir, "-c id;$(id > owned).c", "int x;\n", 0600);
	make_file(place->dir, "edit",
		  "#!/bin/sh\necho >>calls\nprintf 'editing %s' $(wc -l <calls)\n"
		  "printf '<%s>' \"$@\"\nread x\nexit $x\n",
		  0700);
	snprintf(place->trace, sizeof(place->trace), "%s/trace", place->dir);
	snprintf(place->editor, sizeof(place->editor), "EDITOR=%s/edit -w", place->dir);
}

static void remove_place(const struct place *place)
{
	char command[128];

	assert_int_equal(chdir("/"), 0);
	snprintf(command, sizeof(command), "rm -rf %s", place->dir);
	assert_int_equal(system(command), 0);
}

static void edit(struct pty *pty, struct place *place, const char *file, const char *editor)
{
	const char *argv[] = { program(), "--page=events", NULL, NULL };
	const char *settings[] = { "XDG_CONFIG_HOME=/nowhere", "TZ=UTC", "VISUAL=", NULL, NULL };

	make_place(place, file);
	assert_int_equal(chdir(place->dir), 0);
	argv[2] = place->trace;
	settings[3] = editor ? editor : place->editor;
	pty_spawn(pty, argv, settings, 120, 30);
	pty_wait(pty, "start");
	pty_send(pty, "v");
}

static void opens_a_source_line(void **state)
{
	/* Ctrl-C ends the editor only. */
	static const char *const ends[] = { "0\r", "3\r", "\003" };
	struct place place;
	struct pty pty;
	char called[256];

	(void)state;
	edit(&pty, &place, "git.c", NULL);
	for (int i = 0; i < 3; i++) {
		if (i)
			pty_send(&pty, "v");
		snprintf(called, sizeof(called), "editing %d<-w><+12><%s/git.c>", i + 1, place.dir);
		pty_wait(&pty, called);
		pty_send(&pty, ends[i]);
		pty_wait(&pty, i ? "edit -w' failed" : "following the newest");
	}
	pty_send(&pty, "qq");
	expect_exit(&pty, 0);
	pty_close(&pty);
	remove_place(&place);
}

/* The file name is never an option. */
static void hostile_name_is_one_argument(void **state)
{
	struct place place;
	struct pty pty;
	char called[256];

	(void)state;
	edit(&pty, &place, "-c id;$(id > owned).c", NULL);
	snprintf(called, sizeof(called), "<+12><%s/-c id;$(id > owned).c>", place.dir);
	pty_wait(&pty, called);
	pty_send(&pty, "0\r");
	pty_wait(&pty, "following the newest");
	assert_int_equal(access("owned", F_OK), -1);
	pty_send(&pty, "qq");
	expect_exit(&pty, 0);
	pty_close(&pty);
	remove_place(&place);
}

static void refuses_anything_but_local_source_files(void **state)
{
	static const char *const files[] = { "absent.c", "/etc/passwd", "../../etc/passwd", ".",
					     "/dev/tty" };

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct place place;
		struct pty pty;

		edit(&pty, &place, files[i], NULL);
		pty_wait(&pty, i ? "is not a file below the working directory"
				 : "not found; start trace2top in");
		assert_false(pty_wrote(&pty, "editing"));
		pty_send(&pty, "qq");
		expect_exit(&pty, 0);
		pty_close(&pty);
		remove_place(&place);
	}
}

static void reports_a_missing_editor(void **state)
{
	struct place place;
	struct pty pty;

	(void)state;
	edit(&pty, &place, "git.c", "EDITOR=/nowhere/ed");
	pty_wait(&pty, "editor '/nowhere/ed' not found; set EDITOR");
	pty_send(&pty, "qq");
	expect_exit(&pty, 0);
	pty_close(&pty);
	remove_place(&place);
}

static void copies_through_the_terminal_and_prints_at_exit(void **state)
{
	struct place place;
	struct pty pty;

	(void)state;
	edit(&pty, &place, "absent.c", NULL);
	pty_wait(&pty, "not found; start trace2top in");
	pty_send(&pty, "yc");
	pty_wait(&pty, "also printed after quitting");
	pty_send(&pty, "ys");
	/* base64 of: git 'it'\''s', and the SID */
	pty_wait_wrote(&pty, "\033]52;c;Z2l0ICdpdCdcJydzJw==\007");
	pty_wait_wrote(&pty, "\033]52;c;"
			     "MjAyNjAxMDJUMTIyODM2LjAwMDAwMFotSDZiMWE0YzJlLVAwMDAwMzk3Mw==\007");
	pty_send(&pty, "qq");
	expect_exit(&pty, 0);
	assert_non_null(strstr(pty_text(&pty), "git 'it'\\''s'\n20260102T122836.000000Z-"
					       "H6b1a4c2e-P00003973\n"));
	pty_close(&pty);
	remove_place(&place);
}

/* On a terminal, `bootstrap run` starts the demo with these arguments. */
static void quitting_the_demo_succeeds_with_a_summary(void **state)
{
	const char *const settings[] = { "XDG_CONFIG_HOME=/nowhere", "TZ=UTC", NULL };
	char demo[4096];
	const char *argv[] = { program(), "--follow", "--", demo, NULL };
	struct pty pty;

	(void)state;
	snprintf(demo, sizeof(demo), "%s/examples/demo.sh", getenv("abs_top_srcdir"));
	pty_spawn(&pty, argv, settings, 100, 30);
	pty_wait(&pty, " commit ");
	pty_send(&pty, "q");
	pty_wait(&pty, "still running: y stops it");
	pty_send(&pty, "y");
	expect_exit(&pty, 0);
	assert_non_null(strstr(pty_text(&pty), ": exit 0 after "));
	pty_close(&pty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_a_prompt),
		cmocka_unit_test(ignores_output_without_a_prompt),
		cmocka_unit_test(command_has_the_terminal_until_it_ends),
		cmocka_unit_test(the_commands_terminal_has_the_size_of_ours),
		cmocka_unit_test(keys_typed_ahead_go_to_the_command),
		cmocka_unit_test(opens_a_source_line),
		cmocka_unit_test(hostile_name_is_one_argument),
		cmocka_unit_test(refuses_anything_but_local_source_files),
		cmocka_unit_test(reports_a_missing_editor),
		cmocka_unit_test(copies_through_the_terminal_and_prints_at_exit),
		cmocka_unit_test(quitting_the_demo_succeeds_with_a_summary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
