/* SPDX-License-Identifier: MIT */
/* Tests of the real trace2top on a pseudo-terminal, mostly with a file that grows. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "tests/pty.h"

#define RMCUP "\033[?1049l"

static char program[4096], trace[64], trace_dir[48];

static void append(const char *text, size_t len)
{
	int fd = open(trace, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), (ssize_t)len);
	close(fd);
}

static void append_scene(void)
{
	char path[4096], bytes[65536];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "%s/tests/screens/scene.event", getenv("abs_top_srcdir"));
	file = fopen(path, "rb");
	assert_non_null(file);
	len = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	append(bytes, len);
}

static void append_live(int pid, const char *label)
{
	char line[2048];
	time_t now = (time_t)(tr2_clock_wall() / NS_PER_SEC);
	struct tm tm;
	char day[40], stamp[40];
	int len;

	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%S.000000Z", &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S.000000Z", &tm);
	len = snprintf(
		line, sizeof(line),
		"{\"event\":\"start\",\"sid\":\"%s-H1-P%08x\",\"thread\":\"main\",\"time\":\"%"
		"s\","
		"\"t_abs\":0.1,\"argv\":[\"git\",\"%s\"]}\n"
		"{\"event\":\"region_enter\",\"sid\":\"%s-H1-P%08x\",\"thread\":\"main\","
		"\"time\":\"%s\",\"nesting\":1,\"category\":\"live\",\"label\":\"%s\"}\n",
		stamp, pid, day, label, stamp, pid, day, label);
	append(line, (size_t)len);
}

static int set_up(void **state)
{
	int fd;

	(void)state;
	snprintf(program, sizeof(program), "%s/trace2top", getenv("abs_top_builddir"));
	/* A directory of its own: the program watches it, and /tmp may have many files. */
	snprintf(trace_dir, sizeof(trace_dir), "/tmp/trace2top-test-XXXXXX");
	if (!mkdtemp(trace_dir))
		return -1;
	snprintf(trace, sizeof(trace), "%s/trace", trace_dir);
	fd = open(trace, O_WRONLY | O_CREAT | O_EXCL, 0600);
	close(fd);
	return fd < 0;
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(trace) || rmdir(trace_dir);
}

static void start(struct pty *pty, const char *option, const char *env, int cols, int rows)
{
	const char *argv[] = { program, trace, option, NULL };
	/* No configuration of the user is read, except if `env` names one. */
	const char *const settings[] = { "XDG_CONFIG_HOME=/nowhere", env ? env : "TZ=UTC", NULL };

	pty_spawn(pty, argv, settings, cols, rows);
}

static void quit(struct pty *pty)
{
	int status;

	pty_send(pty, "\x03"); /* Ctrl-C, on any page */
	status = pty_wait_exit(pty, true);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_true(pty_is_restored(pty));
	assert_true(pty_wrote(pty, RMCUP));
	pty_close(pty);
}

static void panes_fill_from_a_file_and_quit_restores(void **state)
{
	struct pty pty;

	(void)state;
	append_scene();
	start(&pty, NULL, NULL, 120, 40);
	pty_wait(&pty, "1 Processes");
	pty_wait(&pty, "14707");
	pty_wait(&pty, "do_read_index");
	pty_wait(&pty, "rev-list --objects");
	pty_wait(&pty, "4 ended");
	quit(&pty);
}

static void a_live_region_shows_and_ticks_without_new_events(void **state)
{
	struct pty pty;

	(void)state;
	append_scene();
	start(&pty, NULL, NULL, 120, 40);
	pty_wait(&pty, "4 ended"); /* later events are live */
	append_live((int)getpid(), "enumerate");
	pty_send(&pty, "f");
	pty_wait(&pty, "live/enumerate");
	char *before = strdup(pty_text(&pty));

	/* The duration of the region grows, so its line changes on a later screen. */
	char line[400], *at = strstr(before, "live/enumerate");
	size_t len = strcspn(at, "\n");

	assert_true(len < sizeof(line));
	memcpy(line, at, len);
	line[len] = 0;
	pty_wait_gone(&pty, line);
	pty_wait(&pty, "live/enumerate");
	free(before);
	quit(&pty);
}

static void pause_holds_and_counts_and_resuming_catches_up(void **state)
{
	struct pty pty;

	(void)state;
	append_scene();
	start(&pty, NULL, NULL, 120, 40);
	pty_wait(&pty, "4 ended");
	pty_send(&pty, " ");
	pty_wait(&pty, "PAUSED +0 events");
	append_live(4711, "meanwhile");
	pty_wait(&pty, "PAUSED +2 events");
	assert_null(strstr(pty_text(&pty), "meanwhile"));
	pty_send(&pty, " ");
	pty_wait(&pty, "meanwhile");
	pty_wait(&pty, "3 running");
	quit(&pty);
}

/* Press `key` until the screen has `text`: how much has arrived when a key is read is unknown. */
static void press_until(struct pty *pty, const char *key, const char *text)
{
	ns_t end = tr2_clock_monotonic() + PTY_DEADLINE_MS * NS_PER_MS;

	while (!strstr(pty_text(pty), text)) {
		if (tr2_clock_monotonic() > end)
			fail_msg("%s does not lead to '%s':\n%s", key, text, pty_text(pty));
		pty_send(pty, key);
		for (int i = 0; i < 16 && pty_feed(pty, 50); i++)
			;
	}
}

static void looking_back_continues_into_new_events(void **state)
{
	struct pty pty;

	(void)state;
	append_scene();
	start(&pty, NULL, NULL, 120, 40);
	pty_wait(&pty, "4 ended");
	pty_send(&pty, "[");
	pty_wait(&pty, " 145 of 146");
	append_live(4711, "meanwhile");
	press_until(&pty, "]", " 148 of 148");
	pty_wait(&pty, "meanwhile");
	pty_wait(&pty, "No later events");
	pty_send(&pty, "{");
	pty_wait_gone(&pty, "meanwhile");
	/* While paused, the next event is the first one that arrived since the pause. */
	pty_send(&pty, "\033OF ");
	pty_wait(&pty, "PAUSED +0");
	append_live(4712, "afterwards");
	pty_wait(&pty, "PAUSED +2");
	pty_send(&pty, "]");
	pty_wait(&pty, " 149 of 150");
	quit(&pty);
}

static void a_go_trace_that_grows_is_followed_and_looked_back_into(void **state)
{
	enum { FIRST = 2787, SEED_HEAD = 8 };
	char path[4096], bytes[8192];
	struct pty pty;
	FILE *file;
	size_t len;

	(void)state;
	snprintf(path, sizeof(path), "%s/tests/fuzz/stream/go1_26-flight",
		 getenv("abs_top_srcdir"));
	file = fopen(path, "rb");
	assert_non_null(file);
	assert_int_equal(fread(bytes, 1, SEED_HEAD, file), SEED_HEAD);
	len = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	assert_true(len > FIRST && len < sizeof(bytes));
	append(bytes, FIRST - 1);
	start(&pty, NULL, NULL, 120, 40);
	/* A generation of a Go trace is not shown without its last byte. */
	pty_wait(&pty, "Nothing has been traced yet");
	append(bytes + FIRST - 1, 1);
	pty_wait(&pty, "2 Goroutines and regions");
	pty_wait(&pty, "G1 main.main");
	pty_wait(&pty, "2 region/step");
	pty_wait(&pty, "9  906ms");
	append(bytes + FIRST, len - FIRST);
	pty_wait(&pty, "10  1.00s");
	pty_send(&pty, "[");
	pty_wait(&pty, " AGO 2026-11-21");
	pty_wait(&pty, "263 of 264");
	for (int i = 0; i < 20 && !strstr(pty_text(&pty), "9  906ms"); i++) {
		pty_send(&pty, "[");
		for (int k = 0; k < 16 && pty_feed(&pty, 50); k++)
			;
	}
	pty_wait(&pty, "9  906ms");
	pty_send(&pty, "\033OF");
	pty_wait(&pty, "10  1.00s");
	quit(&pty);
}

static void data_before_since_is_reported_as_older(void **state)
{
	struct pty pty;

	(void)state;
	append_scene();
	start(&pty, "--since=1s", NULL, 120, 40);
	pty_wait(&pty, "older than --since");
	assert_null(strstr(pty_text(&pty), "Nothing has been traced yet"));
	quit(&pty);
}

static void drill_and_return(void **state)
{
	struct pty pty;

	(void)state;
	append_scene();
	start(&pty, NULL, NULL, 120, 40);
	pty_wait(&pty, "4 ended");
	pty_send(&pty, "3\r");
	pty_wait(&pty, "Region · ");
	pty_wait(&pty, "p99");
	pty_send(&pty, "\177");
	pty_wait(&pty, "3 Timings");
	pty_send(&pty, "1\r");
	pty_wait(&pty, "Process · ");
	pty_wait(&pty, "command");
	pty_send(&pty, "\033");
	pty_wait(&pty, "1 Processes");
	pty_send(&pty, "?");
	pty_wait(&pty, "one row up");
	quit(&pty);
}

static void keys_typed_ahead_act_on_the_page_that_they_opened(void **state)
{
	struct pty pty;

	(void)state;
	append_scene();
	start(&pty, NULL, NULL, 80, 24);
	pty_wait(&pty, "4 ended");
	pty_send(&pty, "??jjj");
	pty_wait(&pty, "▸F5");
	pty_send(&pty, "\1774jm");
	pty_wait(&pty, "Children");
	pty_wait(&pty, "◈[1]");
	quit(&pty);
}

/* A sparse file of up to 4 TiB takes long enough to read. */
static void esc_leaves_old_content_and_goes_live(void **state)
{
	struct pty pty;
	off_t hole = (off_t)1 << 42;

	(void)state;
	while (truncate(trace, hole) && hole > 1 << 30)
		hole >>= 1;
	append("\n", 1);
	start(&pty, NULL, NULL, 120, 40);
	pty_wait(&pty, "reading ▕");
	pty_wait(&pty, "Esc skips the rest");
	pty_send(&pty, "\033");
	pty_wait(&pty, "old content is skipped");
	pty_wait_gone(&pty, "reading ▕");
	pty_wait(&pty, "unread ");
	append_live(4711, "afterwards");
	pty_wait(&pty, "afterwards");
	quit(&pty);
	assert_int_equal(truncate(trace, 0), 0);
}

static void resizing_changes_the_layout(void **state)
{
	struct pty pty;

	(void)state;
	append_scene();
	start(&pty, NULL, NULL, 120, 40);
	pty_wait(&pty, "3 Timings");
	pty_resize(&pty, 80, 24);
	pty_wait(&pty, "[1 Processes");
	pty_wait_gone(&pty, "3 Timings ·");
	pty_resize(&pty, 40, 10);
	pty_wait(&pty, "[1 Pro…");
	pty_resize(&pty, 140, 45);
	pty_wait(&pty, "3 Timings ·");
	quit(&pty);
}

/* Curses counts cells in shorts, so the size is limited. */
static void impossible_sizes_do_no_harm(void **state)
{
	struct winsize huge = { .ws_col = 65535, .ws_row = 65535 };
	struct pty pty;

	(void)state;
	append_scene();
	start(&pty, NULL, NULL, 40000, 24);
	pty_wait(&pty, "3 Timings");
	ioctl(pty.fd, TIOCSWINSZ, &huge);
	pty_wait_wrote(&pty, "\033[500;"); /* the last row */
	pty_resize(&pty, 80, 24);
	pty_wait(&pty, "[1 Processes");
	quit(&pty);
	start(&pty, NULL, NULL, 120, 40000);
	pty_wait(&pty, "3 Timings");
	quit(&pty);
}

static void signals_end_it_while_its_output_is_stopped(void **state)
{
	static const int signals[] = { SIGTERM, SIGHUP, SIGINT };

	(void)state;
	append_scene();
	for (int i = 0; i < 3; i++) {
		struct pty pty;
		int status;

		start(&pty, NULL, NULL, 200, 60);
		pty_wait(&pty, "4 ended");
		pty_send(&pty, "\x13"); /* stop the output */
		for (int k = 0; k < 40; k++)
			pty_send(&pty, k % 2 ? "\t" : "?");
		kill(pty.pid, signals[i]);
		status = pty_wait_exit(&pty, false);
		assert_true(WIFEXITED(status) || WTERMSIG(status) == signals[i]);
		assert_true(pty_is_restored(&pty));
		pty_close(&pty);
	}
}

static void crash(struct pty *pty, int signo, bool reading)
{
	int status;

	kill(pty->pid, signo);
	status = pty_wait_exit(pty, reading);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), signo);
	assert_true(pty_is_restored(pty));
	assert_true(pty_wrote(pty, RMCUP));
	pty_close(pty);
}

static void a_crash_restores_the_terminal(void **state)
{
	static const int signals[] = { SIGSEGV, SIGABRT, SIGQUIT, SIGXCPU };

	(void)state;
#ifdef SANITIZED
	skip(); /* a sanitizer handles crashes itself */
#endif
	append_scene();
	for (int i = 0; i < 4; i++) {
		struct pty pty;

		start(&pty, NULL, NULL, 120, 40);
		pty_wait(&pty, "4 ended");
		crash(&pty, signals[i], true);
	}
}

static bool is_writing(pid_t pid)
{
	char path[300], line[300];
	DIR *tasks;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	assert_non_null(tasks);
	for (struct dirent *e; !found && (e = readdir(tasks));) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/task/%s/syscall", (int)pid, e->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		found = fgets(line, sizeof(line), f) && strtol(line, NULL, 10) == SYS_write &&
			strchr("0123456789", *line);
		fclose(f);
	}
	closedir(tasks);
	return found;
}

/* A write to a stopped terminal blocks all other writers to it. */
static void a_crash_restores_a_terminal_during_output(void **state)
{
	(void)state;
#ifdef SANITIZED
	skip(); /* a sanitizer handles crashes itself */
#endif
	append_scene();
	for (int i = 0; i < 5; i++) {
		struct pty pty;

		start(&pty, NULL, NULL, 200, 60);
		pty_wait(&pty, "4 ended");
		if (access("/proc/self/syscall", R_OK)) {
			pty_close(&pty);
			skip();
		}
		pty_send(&pty, "\x13?");
		for (int tries = 0; !is_writing(pty.pid) && tries < 2000; tries++)
			poll(NULL, 0, 5); /* poll, because the kernel sends no notification */
		assert_true(is_writing(pty.pid));
		crash(&pty, SIGSEGV, i % 2);
	}
}

static void options_of_colour_and_ascii_take_effect(void **state)
{
	static const struct {
		const char *option, *env;
		bool coloured, ascii;
	} cases[] = {
		{ NULL, NULL, true, false },
		{ NULL, "NO_COLOR=1", false, false },
		{ "--color=never", NULL, false, false },
		{ "--color=always", "NO_COLOR=1", true, false },
		{ "--ascii", NULL, true, true },
		{ NULL, "LC_ALL=C", true, true },
	};

	(void)state;
	append_scene();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pty pty;

		start(&pty, cases[i].option, cases[i].env, 120, 40);
		pty_wait(&pty, "4 ended");
		pty_wait(&pty, "Enter open");
		assert_int_equal(pty_wrote(&pty, "38;5;"), cases[i].coloured);
		assert_int_equal(strstr(pty_text(&pty), "─") == NULL, cases[i].ascii);
		quit(&pty);
	}
}

static void saved_settings_apply_at_the_next_start(void **state)
{
	char dir[] = "/tmp/trace2top-config-XXXXXX", env[64], command[128];
	struct pty pty;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(env, sizeof(env), "XDG_CONFIG_HOME=%s", dir);
	append_scene();
	start(&pty, NULL, env, 120, 40);
	pty_wait(&pty, "4 ended");
	pty_wait(&pty, "exit 128");
	assert_true(pty_wrote(&pty, "38;5;203m"));  /* dark: failed */
	assert_false(pty_wrote(&pty, "38;5;160m")); /* light */
	pty_send(&pty, "C");
	pty_wait(&pty, "Setup · /tmp/trace2top-config-");
	pty_send(&pty, "jjjjjjj  "); /* auto, dark, light */
	pty_wait(&pty, "light");
	pty_send(&pty, "\033");
	pty_wait(&pty, "1 Processes");
	pty_wait(&pty, "exit 128");
	assert_true(pty_wrote(&pty, "38;5;160m")); /* immediately */
	pty_send(&pty, "Cjjjjjjjw");
	pty_wait(&pty, "Setup saved to ");
	quit(&pty);
	start(&pty, NULL, env, 120, 40);
	pty_wait(&pty, "4 ended");
	pty_wait(&pty, "exit 128");
	assert_false(pty_wrote(&pty, "38;5;203m"));
	assert_true(pty_wrote(&pty, "38;5;160m"));
	quit(&pty);
	start(&pty, "--theme=dark", env, 120, 40); /* --theme takes precedence */
	pty_wait(&pty, "4 ended");
	pty_wait(&pty, "exit 128");
	assert_false(pty_wrote(&pty, "38;5;160m"));
	quit(&pty);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	assert_int_equal(system(command), 0);
}

static void pasted_text_goes_into_a_line_and_never_acts(void **state)
{
	struct pty pty;

	(void)state;
	append_scene();
	start(&pty, NULL, NULL, 120, 40);
	pty_wait(&pty, "4 ended");
	pty_send(&pty, "\033[200~q\r\003wz3\033[201~");
	pty_wait(&pty, "Paste text into a prompt");
	pty_wait(&pty, "3 Timings"); /* not zoomed */
	pty_send(&pty, "\\");
	pty_wait(&pty, "Filter:");
	pty_send(&pty, "\033[200~name = push\rq\003\033[201~");
	pty_wait(&pty, "Filter: name = push q");
	pty_send(&pty, "\177\177\r"); /* keys still work */
	pty_wait(&pty, "filter: name = push");
	quit(&pty);
}

static void the_title_shows_sources_without_control_characters(void **state)
{
	char evil[] = "/tmp/trace2top-\033]0;x\007-XXXXXX";
	const char *argv[] = { program, evil, NULL };
	const char *const settings[] = { "XDG_CONFIG_HOME=/nowhere", NULL };
	struct pty pty;
	int fd;

	(void)state;
	start(&pty, NULL, NULL, 80, 24);
	pty_wait(&pty, "Nothing has been traced yet");
	assert_true(pty_wrote(&pty, "\033]2;trace2top /tmp/trace2top-test-"));
	quit(&pty);
	fd = mkstemp(evil);
	assert_true(fd >= 0);
	close(fd);
	pty_spawn(&pty, argv, settings, 80, 24);
	pty_wait(&pty, "Nothing has been traced yet");
	assert_true(pty_wrote(&pty, "\033]2;trace2top /tmp/trace2top-^[]0;x^G-"));
	assert_false(pty_wrote(&pty, "\033]0;x"));
	quit(&pty);
	unlink(evil);
}

static void the_largest_and_the_smallest_screen_work(void **state)
{
	static const int sizes[][2] = { { 500, 200 }, { 40, 10 } };
	static const struct {
		const char *key, *page;
	} ways[] = { { "t", "─ Timeline" }, { "F", "─ Flame" }, { "e", "─ Events" },
		     { "?", "─ Help" },     { "C", "─ Setup" }, { "o", "─ Sources" } };

	(void)state;
	append_scene();
	for (int i = 0; i < 2; i++) {
		struct pty pty;

		start(&pty, NULL, NULL, sizes[i][0], sizes[i][1]);
		pty_wait(&pty, i ? "14707" : "4 ended");
		for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
			pty_send(&pty, ways[w].key);
			pty_wait(&pty, ways[w].page);
			pty_send(&pty, "\033");
			pty_wait(&pty, "─ 1 Processes");
		}
		pty_send(&pty, "1\r");
		pty_wait(&pty, "─ Process · ");
		quit(&pty);
	}
}

static void an_error_in_the_configuration_is_reported_and_skipped(void **state)
{
	char dir[] = "/tmp/trace2top-config-XXXXXX", env[64], command[256];
	struct pty pty;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(env, sizeof(env), "XDG_CONFIG_HOME=%s", dir);
	snprintf(command, sizeof(command),
		 "mkdir %s/trace2top && printf 'colour = never\\nascii = yes\\n' "
		 ">%s/trace2top/config",
		 dir, dir);
	assert_int_equal(system(command), 0);
	append_scene();
	start(&pty, NULL, env, 120, 40);
	pty_wait(&pty, "config:1: unknown key 'colour': did you mean 'color'?"); /* bottom line */
	pty_wait(&pty, "4 ended");
	assert_null(strstr(pty_text(&pty), "─")); /* the line after the invalid one is used */
	/* Standard error gets the message before the screen opens. */
	assert_true(strstr(tr2_buf_cstr(&pty.raw), "trace2top: /tmp/trace2top-config-") <
		    strstr(tr2_buf_cstr(&pty.raw), "\033[?1049h"));
	pty_send(&pty, "j");
	pty_wait_gone(&pty, "unknown key");
	quit(&pty);
	start(&pty, "--no-config", env, 120, 40);
	pty_wait(&pty, "4 ended");
	assert_false(pty_wrote(&pty, "unknown key"));
	pty_send(&pty, "Cw");
	pty_wait(&pty, "Not saved: there is no configuration");
	quit(&pty);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	assert_int_equal(system(command), 0);
}

/* Change the configuration file as editors do: replace it, or overwrite it. */
static void the_configuration_is_read_again_after_a_change(void **state)
{
	char dir[] = "/tmp/trace2top-config-XXXXXX", env[64], command[400];
	struct pty pty;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(env, sizeof(env), "XDG_CONFIG_HOME=%s", dir);
	append_scene();
	start(&pty, "--depth=all", env, 120, 40); /* the file does not exist yet */
	pty_wait(&pty, "4 ended");
	pty_wait(&pty, "┌");
	snprintf(command, sizeof(command),
		 "cd %s && mkdir trace2top && printf 'ascii = yes\\ndepth = 0\\nprocesses.columns "
		 "= pid "
		 "command\\n' >new && mv new trace2top/config",
		 dir);
	assert_int_equal(system(command), 0);
	pty_wait(&pty, "The configuration was reread");
	pty_wait_gone(&pty, "┌");
	pty_wait(&pty, "|   PID COMMAND ");
	pty_wait(&pty, "rev-list"); /* --depth takes precedence */
	pty_send(&pty, "j");
	pty_wait_gone(&pty, "was reread");

	/* A change on the setup page that was not saved (the mouse) stays; the rest is read
	 * again. */
	pty_send(&pty, "C");
	pty_wait(&pty, "| mouse             yes ");
	pty_send(&pty, "/mouse  ");
	pty_wait(&pty, "|>mouse             yes ");
	pty_send(&pty, "\r");
	pty_wait_gone(&pty, "Search: ");
	pty_send(&pty, " ");
	pty_wait(&pty, "|>mouse             no ");
	snprintf(command, sizeof(command),
		 "printf 'history = 64M\\nmouse = yes\\ninterval = 50\\n' >%s/trace2top/config",
		 dir);
	assert_int_equal(system(command), 0);
	pty_wait(&pty, "The configuration was reread; from the next start: history");
	pty_wait(&pty, "┌");
	pty_wait(&pty, "│ interval          50 ");
	pty_wait(&pty, "│▸mouse             no ");

	snprintf(command, sizeof(command),
		 "printf 'theme = puce\\nascii = yes\\n' >%s/trace2top/config", dir);
	assert_int_equal(system(command), 0);
	pty_wait(&pty, "config:1: theme: 'puce' is not valid"); /* bottom line */
	/* The line after the invalid one is used. */
	pty_wait_gone(&pty, "┌");
	quit(&pty);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	assert_int_equal(system(command), 0);
}

static void the_mouse_selects_sorts_and_drags(void **state)
{
	struct pty pty;
	char axis[400], *at;

	(void)state;
	append_scene();
	start(&pty, NULL, NULL, 120, 40);
	pty_wait(&pty, "4 ended");
	pty_send(&pty, "\033[<0;20;10M\033[<0;20;10m"); /* the fourth row */
	pty_wait(&pty, "regions · push 14801");
	pty_send(&pty, "\033[<64;20;10M"); /* the wheel, up */
	pty_wait(&pty, "regions · fetch > gc 14709");
	pty_send(&pty, "\033[<0;30;6M\033[<0;30;6m"); /* a heading */
	pty_wait(&pty, "TIME▼");
	pty_send(&pty, "\033[<0;30;6M\033[<0;30;6m");
	pty_wait(&pty, "TIME▲"); /* the second click on a heading opens no page */
	assert_non_null(strstr(pty_text(&pty), "1 Processes"));
	/* Two clicks with a frame between may take longer than a double click on a busy machine, so
	 * the last attempt sends both at once. */
	for (int i = 0; i < 5; i++) {
		pty_send(&pty, "\033[<0;20;9M\033[<0;20;9m");
		if (i < 4)
			pty_wait(&pty, "regions · status 14600");
		pty_send(&pty, "\033[<0;20;9M\033[<0;20;9m");
		if (pty_comes(&pty, "Process · status 14600", 10000))
			break;
	}
	pty_wait(&pty, "Process · status 14600");
	pty_send(&pty, "\177");
	pty_wait(&pty, "1 Processes");
	pty_send(&pty, "ta+++");
	pty_wait(&pty, "Timeline · ");
	pty_wait(&pty, "ms of 5.1");
	pty_wait(&pty, "│+");
	at = strstr(pty_text(&pty), "│+");
	assert_non_null(at);
	snprintf(axis, sizeof(axis), "%.*s", (int)strcspn(at, "\n"), at);
	pty_send(&pty, "\033[<0;60;8M\033[<32;90;8M\033[<0;90;8m");
	pty_wait_gone(&pty, axis);
	pty_wait(&pty, "│+");
	quit(&pty);
}

static void opens_a_file_chosen_at_the_start(void **state)
{
	char home[] = "/tmp/trace2top-home-XXXXXX", home_is[64], runtime_is[64];
	const char *argv[] = { program, "--no-config", NULL };
	const char *settings[] = { home_is,
				   runtime_is,
				   "XDG_CONFIG_HOME=/nowhere",
				   "GIT_CONFIG_NOSYSTEM=1",
				   "GIT_TRACE2_EVENT=",
				   NULL };
	struct pty pty;

	(void)state;
	assert_non_null(mkdtemp(home));
	snprintf(home_is, sizeof(home_is), "HOME=%s", home);
	snprintf(runtime_is, sizeof(runtime_is), "XDG_RUNTIME_DIR=%s", home);
	append_scene();
	pty_spawn(&pty, argv, settings, 120, 40);
	pty_wait(&pty, "open a trace file or directory");
	pty_send(&pty, "o");
	pty_wait(&pty, "Open FILE:");
	pty_send(&pty, "/nowhere/at/all\r");
	pty_wait(&pty, "Cannot open this file: No such file");
	pty_send(&pty, "\x03");
	assert_int_equal(WEXITSTATUS(pty_wait_exit(&pty, true)), 0);
	pty_close(&pty);
	pty_spawn(&pty, argv, settings, 120, 40);
	pty_wait(&pty, "open a trace file or directory");
	pty_send(&pty, "o");
	pty_wait(&pty, "Open FILE:");
	pty_send(&pty, trace);
	pty_send(&pty, "\r");
	pty_wait(&pty, "14707");
	quit(&pty);
	assert_int_equal(rmdir(home), 0);
}

/* The screen shows why the directory for its socket cannot be used. */
static void offers_choices_without_a_private_directory(void **state)
{
	char home[] = "/tmp/trace2top-home-XXXXXX", home_is[64], runtime_is[64], fix[80];
	const char *argv[] = { program, "--no-config", NULL };
	const char *settings[] = { home_is,
				   runtime_is,
				   "XDG_CONFIG_HOME=/nowhere",
				   "GIT_CONFIG_NOSYSTEM=1",
				   "GIT_TRACE2_EVENT=",
				   NULL };
	struct pty pty;

	(void)state;
	assert_non_null(mkdtemp(home));
	assert_int_equal(chmod(home, 0777), 0);
	snprintf(home_is, sizeof(home_is), "HOME=%s", home);
	snprintf(runtime_is, sizeof(runtime_is), "XDG_RUNTIME_DIR=%s", home);
	snprintf(fix, sizeof(fix), "run chmod go-rwx %s", home);
	append_scene();
	pty_spawn(&pty, argv, settings, 160, 40);
	pty_wait(&pty, "open a trace file or directory");
	pty_wait(&pty, fix);
	pty_send(&pty, "a");
	pty_wait(&pty, "Attaching needs the same directory");
	pty_send(&pty, "T");
	pty_wait(&pty, "open a trace file or directory");
	pty_send(&pty, "o");
	pty_wait(&pty, "Open FILE:");
	pty_send(&pty, trace);
	pty_send(&pty, "\r");
	pty_wait(&pty, "14707");
	quit(&pty);
	assert_int_equal(rmdir(home), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(panes_fill_from_a_file_and_quit_restores),
		TEST(opens_a_file_chosen_at_the_start),
		TEST(offers_choices_without_a_private_directory),
		TEST(a_live_region_shows_and_ticks_without_new_events),
		TEST(pause_holds_and_counts_and_resuming_catches_up),
		TEST(looking_back_continues_into_new_events),
		TEST(a_go_trace_that_grows_is_followed_and_looked_back_into),
		TEST(data_before_since_is_reported_as_older),
		TEST(drill_and_return),
		TEST(keys_typed_ahead_act_on_the_page_that_they_opened),
		TEST(esc_leaves_old_content_and_goes_live),
		TEST(resizing_changes_the_layout),
		TEST(impossible_sizes_do_no_harm),
		TEST(signals_end_it_while_its_output_is_stopped),
		TEST(a_crash_restores_the_terminal),
		TEST(a_crash_restores_a_terminal_during_output),
		TEST(options_of_colour_and_ascii_take_effect),
		TEST(an_error_in_the_configuration_is_reported_and_skipped),
		TEST(the_configuration_is_read_again_after_a_change),
		TEST(the_mouse_selects_sorts_and_drags),
		TEST(pasted_text_goes_into_a_line_and_never_acts),
		TEST(the_title_shows_sources_without_control_characters),
		TEST(the_largest_and_the_smallest_screen_work),
		TEST(saved_settings_apply_at_the_next_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
