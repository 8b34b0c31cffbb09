/* SPDX-License-Identifier: MIT */
/*
 * Test host whose signal handlers interrupt a call of libtrace2, and jump out (siglongjmp), end the
 * process or return. The thread must be able to write events again, and every line must be
 * complete.
 */
#include "config.h"
#include "tests/hosts/host.h"

#include <setjmp.h>
#include <sys/time.h>

#include "engine/base/clock.h"
#include "engine/trace2_repo.h"

static char trace[PATH_MAX];
static sigjmp_buf back;
static volatile sig_atomic_t nr_jumps;

/* libtrace2 calls this function in the middle of an API call. */
static void interrupted_reader(struct repository *repo, void *sink)
{
	if (repo->trace2_repo_id == 1)
		raise(SIGUSR1);
	(trace2_repo_fields)(sink, &repo->trace2_repo_id, repo->worktree);
}

static struct repository repo = { .trace2_repo_id = 1, .worktree = "/srv" };

static void begin_jumper(void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	setenv("GIT_TRACE2_EVENT", trace, 1);
	trace2_set_repo_reader(interrupted_reader);
	trace2_initialize();
	CHECK(trace2_is_enabled() && !sigaction(SIGUSR1, &action, NULL), "sigaction: %m");
}

__attribute__((noinline)) static void interrupted_call(void)
{
	trace2_data_string("c", &repo, "interrupted", "v");
}

static void jump_out_of_handler(int signo)
{
	(void)signo;
	nr_jumps++;
	siglongjmp(back, 1);
}

static void jumps_out(void)
{
	begin_jumper(jump_out_of_handler, 0);
	if (!sigsetjmp(back, 1))
		interrupted_call();
	trace2_data_string("c", NULL, "after", "v");
	trace2_region_enter("c", "after", NULL);
	trace2_region_leave("c", "after", NULL);
}

/* Emit an event from 20,000 bytes deeper in the stack than the caller. */
__attribute__((noinline)) static void emit_from_below(void)
{
	volatile char much[20000];

	much[0] = much[sizeof(much) - 1] = 0;
	trace2_data_string("c", NULL, "after", much[0] ? "?" : "v");
	much[1] = much[0];
}

static void jumps_out_and_calls_from_below(void)
{
	ns_t until = tr2_clock_monotonic() + 120 * NS_PER_SEC;

	begin_jumper(jump_out_of_handler, 0);
	if (!sigsetjmp(back, 1))
		interrupted_call();
	while (!host_count(trace, "\"after\"") && tr2_clock_monotonic() < until)
		emit_from_below();
}

/* Jump out at any point of a call, after calls by which libtrace2 has allocated its memory. */
static void jumps_out_again_and_again(void)
{
	struct itimerval each = { .it_interval.tv_usec = 300, .it_value.tv_usec = 300 };
	struct sigaction action = { .sa_handler = jump_out_of_handler };

	begin_jumper(jump_out_of_handler, 0);
	for (int i = 0; i < 100; i++)
		trace2_data_string("c", NULL, "warm", "v");
	sigaction(SIGALRM, &action, NULL);
	if (!sigsetjmp(back, 1))
		setitimer(ITIMER_REAL, &each, NULL);
	while (nr_jumps < 15)
		trace2_data_string("c", NULL, "k", "v");
	each = (struct itimerval){ .it_value = { 0 } };
	setitimer(ITIMER_REAL, &each, NULL);
	trace2_data_string("c", NULL, "after", "v");
}

static void exit_in_handler(int signo)
{
	(void)signo;
	exit(3);
}

static void exits(void)
{
	begin_jumper(exit_in_handler, 0);
	interrupted_call();
}

static void emit_in_handler(int signo)
{
	(void)signo;
	trace2_data_string("c", NULL, "nested", "a value longer than the interrupted one");
	emit_from_below();
}

static void comes_back(void)
{
	begin_jumper(emit_in_handler, 0);
	interrupted_call();
	trace2_data_string("c", NULL, "behind", "v");
}

static void comes_back_from_another_stack(void)
{
	static char above[65536];
	char below[65536];

	for (int i = 0; i < 2; i++) {
		stack_t other = { .ss_sp = i ? above : below, .ss_size = 65536 };

		CHECK(!sigaltstack(&other, NULL), "sigaltstack: %m");
		begin_jumper(emit_in_handler, SA_ONSTACK);
		interrupted_call();
	}
	trace2_data_string("c", NULL, "behind", "v");
}

static void check_jumper_trace(const char *what, void (*host)(void), int status, const char *key,
			       unsigned nr)
{
	char *text;
	int got;

	unlink(trace);
	got = host_run(host);
	CHECK(got == status, "%s: status %d", what, got);
	CHECK(host_count(trace, key) == nr, "%s: %s occurs %u times", what, key,
	      host_count(trace, key));
	CHECK(host_count(trace, "\"event\":\"atexit\"") == 1, "%s: no atexit", what);
	text = host_read(trace);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		CHECK(line[0] == '{' && line[strlen(line) - 1] == '}' &&
			      !strstr(line + 1, "{\"event"),
		      "%s: a torn line: %s", what, line);
	free(text);
}

int main(void)
{
	host_begin();
	snprintf(trace, sizeof(trace), "%s", host_path("trace"));
	check_jumper_trace("a handler that jumps", jumps_out, 0, "\"after\"", 3);
	check_jumper_trace("one that jumps, and deeper calls", jumps_out_and_calls_from_below, 0,
			   "\"after\"", 1);
	check_jumper_trace("handlers that jump", jumps_out_again_and_again, 0, "\"after\"", 1);
	check_jumper_trace("a handler that exits", exits, 3, "\"code\":0}", 1);
	check_jumper_trace("a handler that emits", comes_back, 0, "\"behind\"", 1);
	CHECK(!host_count(trace, "\"nested\"") && !host_count(trace, "\"after\"") &&
		      host_count(trace, "\"interrupted\"") == 1,
	      "a handler's call is not left out");
	check_jumper_trace("a handler on another stack", comes_back_from_another_stack, 0,
			   "\"behind\"", 1);
	CHECK(!host_count(trace, "\"nested\"") && host_count(trace, "\"interrupted\"") == 2,
	      "a handler's call on another stack is not dropped");
	return host_end();
}
