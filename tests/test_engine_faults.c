/* SPDX-License-Identifier: MIT */
/*
 * Tests of libtrace2 when system calls fail (by tests/fail_io.c or ptrace()): the host's exit
 * status and output must not change.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/user.h>

#include "tests/program.h"

#define TRACE_BYTES (1u << 20)

enum target { TO_FILE, TO_DIRECTORY, TO_SOCKET, NR_TARGETS };

static char dir[128], log_file[160], log_dir[160], sock[160], list[160];
static char shim[300], replay[300], script[300];
static int listener = -1;

static const int write_errors[] = { ENOSPC, EIO, EPIPE, EAGAIN, EDQUOT, EBADF };

/* Calls of the engine, besides writes, that fail or, with error 0, read only half. */
static const struct {
	const char *call;
	int error;
} others[] = {
	{ "open", EMFILE },     { "open", ENOSPC },
	{ "open", EACCES },     { "stat", EACCES },
	{ "fstat", EIO },       { "fcntl", EMFILE },
	{ "socket", EMFILE },   { "connect", ECONNREFUSED },
	{ "connect", EINTR },   { "close", EIO },
	{ "read", EIO },        { "read", EINTR },
	{ "read", 0 },          { "dup3", EMFILE },
	{ "opendir", EMFILE },  { "readdir", EIO },
	{ "getcwd", ENOENT },   { "gethostname", EFAULT },
	{ "realpath", ENOENT },
};

static int remove_files(const char *path)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	return system(command);
}

/* Write a script of API calls, except calls whose result depends on tracing. */
static bool script_write(void)
{
	FILE *f = fopen(script, "w");

	if (!f)
		return false;
	fputs("name\thost\nset_config\tdemo.key\tvalue\ndef_repo\t1\t/srv\n", f);
	for (int i = 0; i < 10; i++)
		fprintf(f,
			"enter\tindex\tread%d\t1\ndata\tindex\t1\tkey\tvalue\nleave\tindex\t"
			"read%d\t1\n",
			i, i);
	fputs("child_start\t0\teditor\t-\t-\t0\t1\tvi\nchild_exit\t0\t4242\t0\nerror\tx\n"
	      "exit\t3\nreturn\t7\n",
	      f);
	return !fclose(f);
}

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR"), *build = getenv("abs_top_builddir");
	char config[200];

	(void)state;
	snprintf(shim, sizeof(shim), "%s/tests/.libs/fail_io.so", build ? build : ".");
	snprintf(replay, sizeof(replay), "%s/tests/trace2_replay", build ? build : ".");
	snprintf(dir, sizeof(dir), "%s/engine-XXXXXX", tmp && strlen(tmp) < 60 ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return -1;
	snprintf(log_file, sizeof(log_file), "%s/log", dir);
	snprintf(log_dir, sizeof(log_dir), "%s/logs", dir);
	snprintf(sock, sizeof(sock), "%s/sock", dir);
	snprintf(list, sizeof(list), "%s/list", dir);
	snprintf(script, sizeof(script), "%s/script", dir);
	if (!script_write())
		return -1;
	setenv("HOME", dir, 1);
	unsetenv("XDG_CONFIG_HOME");
	snprintf(config, sizeof(config),
		 "printf '[trace2]\\n\\tconfigParams = demo.*\\n' >'%s/.gitconfig'", dir);
	return system(config);
}

static int teardown(void **state)
{
	(void)state;
	return remove_files(dir);
}

struct outcome {
	int status;
	char *out, *err;
	char *trace;
};

static void target_open(enum target to)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	char value[200];

	unlink(log_file);
	unlink(sock);
	if (to == TO_DIRECTORY) {
		remove_files(log_dir);
		mkdir(log_dir, 0700);
	}
	snprintf(value, sizeof(value), "%s%s", to == TO_SOCKET ? "af_unix:stream:" : "",
		 to == TO_SOCKET ? sock
		 : to == TO_FILE ? log_file
				 : log_dir);
	setenv("GIT_TRACE2_EVENT", value, 1);
	setenv("GIT_TRACE2_MAX_FILES", "100", 1);
	if (to != TO_SOCKET)
		return;
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	strcpy(addr.sun_path, sock);
	assert_int_equal(
		bind(listener, (struct sockaddr *)&addr, sizeof(addr)) | listen(listener, 5), 0);
}

static void read_descriptor(int fd, char *to)
{
	size_t len = 0;
	ssize_t n;

	while (len < TRACE_BYTES - 1 && (n = read(fd, to + len, TRACE_BYTES - 1 - len)) > 0)
		len += (size_t)n;
	to[len] = '\0';
	close(fd);
}

static int directory_file(void)
{
	DIR *d = opendir(log_dir);
	struct dirent *ent;
	int fd = -1;

	while ((ent = readdir(d)))
		if (*ent->d_name != '.')
			fd = openat(dirfd(d), ent->d_name, O_RDONLY);
	closedir(d);
	return fd;
}

/* The trace fits into the socket buffer, so it need not be read while the host runs. */
static char *target_close(enum target to)
{
	char *trace = calloc(1, TRACE_BYTES);
	int fd = to == TO_SOCKET ? accept(listener, NULL, NULL)
		 : to == TO_FILE ? open(log_file, O_RDONLY)
				 : directory_file();

	if (fd >= 0)
		read_descriptor(fd, trace);
	if (to == TO_SOCKET)
		close(listener);
	return trace;
}

static struct outcome outcome_of(struct program *p, enum target to)
{
	struct outcome o = { .status = program_end(p) };

	o.out = p->out_text;
	o.err = p->err_text;
	o.trace = target_close(to);
	return o;
}

static struct outcome run(enum target to, const char *call, long nth, long many, int error)
{
	const char *argv[] = { NULL, script, NULL };
	struct program p = { .before_exec = NULL };
	char number[3][24];

	snprintf(number[0], sizeof(number[0]), "%ld", nth);
	snprintf(number[1], sizeof(number[1]), "%ld", many);
	snprintf(number[2], sizeof(number[2]), "%d", error);
	target_open(to);
	setenv("FAIL_IO_CALL", call, 1);
	setenv("FAIL_IO_IN", "trace2_replay", 1);
	setenv("FAIL_IO_NTH", number[0], 1);
	setenv("FAIL_IO_MANY", number[1], 1);
	setenv("FAIL_IO_ERRNO", number[2], 1);
	setenv("LD_PRELOAD", shim, 1);
	program_start_at(&p, replay, argv, -1);
	unsetenv("LD_PRELOAD");
	unsetenv("FAIL_IO_LIST");
	unsetenv("GIT_TRACE2_EVENT");
	return outcome_of(&p, to);
}

static void outcome_free(struct outcome *o)
{
	free(o->out);
	free(o->err);
	free(o->trace);
}

static unsigned count_trace_lines(const char *text)
{
	unsigned nr = 0;

	for (; (text = strchr(text, '\n')); text++)
		nr++;
	return nr;
}

static long count_calls(const char *call)
{
	FILE *f = fopen(list, "r");
	char line[40];
	long nr = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		nr += strlen(line) == strlen(call) + 1 && !strncmp(line, call, strlen(call));
	fclose(f);
	return nr;
}

static struct outcome run_whole(enum target to)
{
	struct outcome whole;

	if (access(shim, R_OK))
		skip();
	unlink(list);
	setenv("FAIL_IO_LIST", list, 1);
	whole = run(to, "none", 0, 0, 0);
	assert_int_equal(whole.status, 7);
	assert_true(count_trace_lines(whole.trace) > 30);
	return whole;
}

static void assert_host_unharmed(const struct outcome *o, const struct outcome *whole)
{
	assert_int_equal(o->status, whole->status);
	assert_string_equal(o->out, whole->out);
	assert_string_equal(o->err, whole->err);
}

/*
 * On x86-64 the engine writes to files with an inline system call, which no library can intercept,
 * but ptrace() can.
 */
#ifdef __x86_64__
static void be_traced(void)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(98);
}

static bool is_trace_write(const struct user_regs_struct *regs)
{
	/* The engine's descriptors have high numbers. */
	return regs->orig_rax == SYS_sendto || (regs->orig_rax == SYS_write && regs->rdi >= 64);
}

/* At the start of a write: halve its length, or with an `error` replace the call by one that
 * fails. */
static void spoil_write(pid_t pid, struct user_regs_struct *regs, int error)
{
	int status;

	if (error)
		regs->orig_rax = (unsigned long long)-1;
	else
		regs->rdx = (regs->rdx + 1) / 2;
	ptrace(PTRACE_SETREGS, pid, NULL, regs);
	if (!error)
		return;
	ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	ptrace(PTRACE_GETREGS, pid, NULL, regs);
	regs->rax = (unsigned long long)-error;
	ptrace(PTRACE_SETREGS, pid, NULL, regs);
}

/* Spoil at most `many` writes from the `nth` on, until the host's end. */
static void watch_writes(pid_t pid, long nth, long many, int error)
{
	bool within = false;
	long nr = 0;
	int status, signo = 0;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFSTOPPED(status))
		skip(); /* the system may forbid ptrace() */
	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	while (!ptrace(PTRACE_SYSCALL, pid, NULL, signo)) {
		struct user_regs_struct regs;

		/* Leave the exit status to be collected later. */
		siginfo_t info;

		assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT), 0);
		if (info.si_code == CLD_EXITED || info.si_code == CLD_KILLED ||
		    info.si_code == CLD_DUMPED)
			return;
		assert_int_equal(waitpid(pid, &status, 0), pid);
		signo = WSTOPSIG(status);
		if (signo != (SIGTRAP | 0x80))
			continue;
		signo = 0;
		within = !within;
		ptrace(PTRACE_GETREGS, pid, NULL, &regs);
		if (!within || !is_trace_write(&regs) || ++nr < nth || nr >= nth + many)
			continue;
		spoil_write(pid, &regs, error);
		within = within && !error;
	}
}

static struct outcome run_writes(enum target to, long nth, long many, int error)
{
	const char *argv[] = { NULL, script, NULL };
	struct program p = { .before_exec = be_traced };

	target_open(to);
	program_start_at(&p, replay, argv, -1);
	watch_writes(p.pid, nth, many, error);
	return outcome_of(&p, to);
}
#else
static struct outcome run_writes(enum target to, long nth, long many, int error)
{
	return run(to, to == TO_SOCKET ? "sendto" : "write", nth, many, error);
}
#endif

/* Of many calls try only some, more with FAULTS_ALL: the first ones differ most. */
static long nth_after(long nth)
{
	return nth + 1 + nth / (getenv("FAULTS_ALL") ? 6 : 3);
}

static void failing_writes(enum target to)
{
	struct outcome whole = run_whole(to);
	long nr = count_trace_lines(whole.trace);

	for (long nth = 1; nth <= nr; nth = nth_after(nth))
		for (size_t i = 0; i < sizeof(write_errors) / sizeof(*write_errors); i++) {
			struct outcome o;

			/* Without FAULTS_ALL, try every third error, in turn. */
			if ((nth + (long)i) % 3 && !getenv("FAULTS_ALL"))
				continue;
			o = run_writes(to, nth, 1, write_errors[i]);
			assert_host_unharmed(&o, &whole);
			assert_int_equal(count_trace_lines(o.trace), nth - 1);
			assert_true(!*o.trace || o.trace[strlen(o.trace) - 1] == '\n');
			outcome_free(&o);
		}
	outcome_free(&whole);
}

static void failed_file_write_ends_only_the_trace(void **state)
{
	(void)state;
	failing_writes(TO_FILE);
}

static void failed_directory_write_ends_only_the_trace(void **state)
{
	(void)state;
	failing_writes(TO_DIRECTORY);
}

static void closed_socket_ends_only_the_trace(void **state)
{
	(void)state;
	failing_writes(TO_SOCKET);
}

static void partial_write_tears_one_line(void **state)
{
	(void)state;
	for (enum target to = 0; to < NR_TARGETS; to++) {
		struct outcome whole = run_whole(to);
		long nr = count_trace_lines(whole.trace);

		for (long nth = 1; nth <= nr; nth = nth_after(nth)) {
			struct outcome o = run_writes(to, nth, 1, 0);

			assert_host_unharmed(&o, &whole);
			assert_int_equal(count_trace_lines(o.trace), nr - 1);
			assert_true(strlen(o.trace) + 60 < strlen(whole.trace));
			outcome_free(&o);
		}
		outcome_free(&whole);
	}
}

static void repeats_interrupted_write(void **state)
{
	(void)state;
	for (enum target to = 0; to < NR_TARGETS; to++) {
		struct outcome whole = run_whole(to);
		unsigned nr = count_trace_lines(whole.trace);

		for (long nth = 1; nth <= (long)nr; nth += 7) {
			struct outcome o = run_writes(to, nth, 3, EINTR);

			assert_host_unharmed(&o, &whole);
			assert_int_equal(count_trace_lines(o.trace), nr);
			outcome_free(&o);
		}
		outcome_free(&whole);
	}
}

static void host_survives_any_failed_call(void **state)
{
	bool all = getenv("FAULTS_ALL") != NULL;
	unsigned nr_runs = 0;

	(void)state;
	for (enum target to = 0; to < NR_TARGETS; to++) {
		struct outcome whole = run_whole(to);

		for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
			long nr = count_calls(others[i].call);

			for (long nth = 1; nth <= nr;
			     nth = all ? nth + 1 : nth_after(nth), nr_runs++) {
				struct outcome o = run(to, others[i].call, nth, 1, others[i].error);
				unsigned lines = count_trace_lines(o.trace);

				assert_host_unharmed(&o, &whole);
				/* The trace is empty, or complete except for at most 3 lines. */
				if (lines && lines + 3 < count_trace_lines(whole.trace))
					fail_msg("%s %ld, %s: %u lines", others[i].call, nth,
						 strerror(others[i].error), lines);
				outcome_free(&o);
			}
		}
		outcome_free(&whole);
	}
	print_message("%u runs\n", nr_runs);
	assert_true(nr_runs > 30);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(failed_file_write_ends_only_the_trace),
		cmocka_unit_test(failed_directory_write_ends_only_the_trace),
		cmocka_unit_test(closed_socket_ends_only_the_trace),
		cmocka_unit_test(partial_write_tears_one_line),
		cmocka_unit_test(repeats_interrupted_write),
		cmocka_unit_test(host_survives_any_failed_call),
	};

#ifdef SANITIZED
	/* The leak checker does not work under ptrace(). Preloaded libraries come before the
	 * sanitizer's. */
	setenv("ASAN_OPTIONS", "detect_leaks=0:verify_asan_link_order=0", 1);
#endif
	return cmocka_run_group_tests(tests, setup, teardown);
}
