/* SPDX-License-Identifier: MIT */
/* Tests of API calls, of signals and of a failing target in hosts. */
#include "config.h"

#include "tests/traced_host.h"

#include <pthread.h>
#include <signal.h>

#include "engine/trace2.h"
#include "engine/tr2_call.h"

#define LONG_SID_BYTES 5000
#define NR_DEEP        5000

/* Consume `ap` as Git's die() does. Returns 1 if it was at its beginning. */
static int is_fresh(va_list ap)
{
	char text[64];

	vsnprintf(text, sizeof(text), "%d %d %d", ap);
	return !strcmp(text, "1 2 3");
}

__attribute__((format(printf, 2, 3))) static int call_va(int which, const char *fmt, ...)
{
	va_list ap;
	int fresh;

	va_start(ap, fmt);
	if (which == 0)
		trace2_cmd_error_va(fmt, ap);
	else if (which == 1)
		trace2_printf_va(fmt, ap);
	else if (which == 2)
		trace2_region_enter_printf_va("c", "l", NULL, fmt, ap);
	else
		trace2_region_leave_printf_va("c", "l", NULL, fmt, ap);
	fresh = is_fresh(ap);
	va_end(ap);
	return fresh;
}

static int va_host(void)
{
	int nr = 0;

	trace2_initialize();
	for (int which = 0; which < 4; which++)
		nr += call_va(which, "%d %d %d", 1, 2, 3);
	return nr;
}

static void va_list_of_caller_is_unchanged(void **state)
{
	(void)state;
	unlink(target);
	assert_int_equal(run_host(target, va_host), 4);
	assert_int_equal(count_in(target, "\"msg\":\"1 2 3\""), 4);
	assert_int_equal(run_host("0", va_host), 4);
}

static int dying_host(void)
{
	trace2_initialize();
	raise(SIGPIPE);
	return 0;
}

static void reports_signal_with_any_session_id(void **state)
{
	char sid[LONG_SID_BYTES + 1];

	(void)state;
	memset(sid, '"', LONG_SID_BYTES); /* quotes take two bytes each in JSON */
	sid[LONG_SID_BYTES] = '\0';
	setenv("GIT_TRACE2_PARENT_SID", sid, 1);
	unlink(target);
	assert_int_equal(run_host(target, dying_host), 128 + SIGPIPE);
	unsetenv("GIT_TRACE2_PARENT_SID");
	assert_int_equal(count_in(target, "\"signo\":13}"), 1);
	assert_whole_lines(target, false);
}

static int deep_host(void)
{
	setenv("GIT_TRACE2_PERF", target, 1);
	trace2_initialize();
	for (int i = 0; i < NR_DEEP; i++)
		trace2_region_enter(NULL, NULL, NULL);
	raise(SIGPIPE);
	return 0;
}

static void reports_signal_in_any_region(void **state)
{
	(void)state;
	unlink(target);
	assert_int_equal(run_host("0", deep_host), 128 + SIGPIPE);
	assert_int_equal(count_in(target, "..signo:13\n"), 1);
}

static void *interrupted_thread(void *kept)
{
	struct tr2_thread *self;
	struct tr2_call call;

	trace2_thread_start("worker");
	self = tr2_thread_current;
	if (!tr2_call_begin(&call, TR2_E_PRINTF, __FILE__, __LINE__))
		return NULL;
	/* A signal handler runs deeper on the stack than the call. */
	self->busy.frame = (const char *)__builtin_frame_address(0) + 4096;
	trace2_thread_start("handler");
	*(bool *)kept = tr2_thread_current == self;
	if (*(bool *)kept)
		tr2_call_end(&call);
	trace2_thread_exit();
	return NULL;
}

static int interrupted_host(void)
{
	bool kept = false;
	pthread_t thread;

	trace2_initialize();
	if (pthread_create(&thread, NULL, interrupted_thread, &kept) || pthread_join(thread, NULL))
		return 2;
	return kept;
}

static void interrupted_call_keeps_its_thread(void **state)
{
	(void)state;
	unlink(target);
	assert_int_equal(run_host(target, interrupted_host), 1);
	assert_int_equal(count_in(target, "{\"event\":\"thread_start\""), 1);
	assert_int_equal(count_in(target, "\"thread\":\"th01:worker\""), 3);
}

static int exec_host(void)
{
	const char *none[] = { NULL }, *some[] = { "a", NULL };

	setenv("GIT_TRACE2_PERF", target, 1);
	trace2_initialize();
	trace2_exec("prog", none);
	trace2_exec("prog", some);
	trace2_exec(NULL, some);
	trace2_exec(NULL, none);
	return 0;
}

static void perf_exec_line_has_no_trailing_blank(void **state)
{
	(void)state;
	unlink(target);
	assert_int_equal(run_host("0", exec_host), 0);
	assert_int_equal(count_in(target, "| id:0 argv:[prog]\n"), 1);
	assert_int_equal(count_in(target, "| id:1 argv:[prog a]\n"), 1);
	assert_int_equal(count_in(target, "| id:2 argv:[a]\n"), 1);
	assert_int_equal(count_in(target, "| id:3 argv:[]\n"), 1);
}

static int full_disk_host(void)
{
	setenv("GIT_TRACE2_PERF", "/dev/full", 1);
	setenv("GIT_TRACE2_DST_DEBUG", "1", 1);
	trace2_initialize();
	return 0;
}

static void failed_target_reports_location_of_git_warning(void **state)
{
	(void)state;
	unlink(target);
	assert_int_equal(run_host(target, full_disk_host), 0);
	assert_int_equal(count_in(target, "\"file\":\"usage.c\",\"line\":99,\"msg\":\"unable to "
					  "write trace to 'GIT_TRACE2_PERF': "),
			 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(va_list_of_caller_is_unchanged),
		cmocka_unit_test(reports_signal_with_any_session_id),
		cmocka_unit_test(reports_signal_in_any_region),
		cmocka_unit_test(interrupted_call_keeps_its_thread),
		cmocka_unit_test(perf_exec_line_has_no_trailing_blank),
		cmocka_unit_test(failed_target_reports_location_of_git_warning),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
