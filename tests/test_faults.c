/* SPDX-License-Identifier: MIT */
/*
 * Tests of failing system calls, most by tests/fail_io.c, preloaded into the real program: the n-th
 * call of a kind is interrupted, does half of its work, or fails with an error. The report must
 * have the same figures, or the exit status and a line on stderr must report the error.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "engine/base/buf.h"
#include "tests/program.h"

#define NR_FILES  3
#define NR_EVENTS 300
/* If all later calls fail, too: highest number of the first call that fails; without FAULTS_ALL it
 * is 1. */
#define MAX_NTH_ON 3

static char dir[128], logs[160], file[200], list[200], sock[200], out[200];
static char shim[300], replay[300], script[300];

struct error {
	const char *name;
	int number; /* errno; 0: half of the work is done */
	bool harmless;
};

static const struct error interrupted = { "EINTR", EINTR, true };
static const struct error halved = { "half", 0, true };
static const struct error no_input = { "EIO", EIO, false };
static const struct error no_descriptor = { "EMFILE", EMFILE, false };
static const struct error no_memory = { "ENOMEM", ENOMEM, false };
static const struct error not_allowed = { "EACCES", EACCES, false };
static const struct error too_early = { "EAGAIN", EAGAIN, true };
static const struct error too_many = { "EAGAIN", EAGAIN, false };

/* Writes are not included: here the program writes reports with stdio, and stdio's calls are not
 * intercepted. */
static const struct fault {
	const char *call;
	const struct error *error;
} faults[] = {
	{ "read", &interrupted },
	{ "read", &halved },
	{ "read", &no_input },
	{ "pread", &interrupted },
	{ "pread", &halved },
	{ "pread", &no_input },
	{ "recvmmsg", &interrupted },
	{ "recvmmsg", &halved },
	{ "recvmmsg", &too_early },
	{ "recvmmsg", &no_memory },
	{ "recv", &interrupted },
	{ "recv", &no_memory },
	{ "accept4", &interrupted },
	{ "accept4", &no_descriptor },
	{ "accept4", &no_memory },
	{ "epoll_wait", &interrupted },
	{ "poll", &interrupted },
	{ "poll", &no_memory },
	{ "close", &interrupted },
	{ "close", &no_input },
	{ "open", &no_descriptor },
	{ "open", &not_allowed },
	{ "openat", &no_descriptor },
	{ "openat", &no_input },
	{ "stat", &no_memory },
	{ "lstat", &no_memory },
	{ "fstat", &no_input },
	{ "fstatat", &no_input },
	{ "fdopendir", &no_memory },
	{ "readdir", &no_input },
	{ "socket", &no_descriptor },
	{ "bind", &not_allowed },
	{ "listen", &no_memory },
	{ "connect", &interrupted },
	{ "getsockopt", &no_memory },
	{ "fchmod", &not_allowed },
	{ "unlink", &not_allowed },
	{ "fcntl", &no_descriptor },
	{ "pipe2", &no_descriptor },
	{ "fork", &too_many },
	{ "waitpid", &interrupted },
	{ "mkdtemp", &not_allowed },
	{ "pthread_create", &too_many },
	{ "pidfd_open", &no_descriptor },
	{ "getcwd", &not_allowed },
	{ "gethostname", &not_allowed },
	{ "opendir", &no_descriptor },
	{ "realpath", &not_allowed },
};

static void file_write(const char *path, unsigned first, unsigned nr)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	for (unsigned i = first; i < first + nr; i++)
		fprintf(f,
			"{\"event\":\"%s\",\"sid\":\"s%u\",\"thread\":\"main\",\"t_abs\":%u.5,"
			"\"code\":%u,\"pad\":\"%0*u\"}\n",
			i % 3 ? "version" : "exit", i % 7, i, i % 5, (int)(i % 7) * 150 + 1, 0u);
	assert_int_equal(fclose(f), 0);
}

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR"), *build = getenv("abs_top_builddir");
	const char *source = getenv("abs_top_srcdir");
	char path[240];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	snprintf(shim, sizeof(shim), "%s/tests/.libs/fail_io.so", build ? build : ".");
	snprintf(replay, sizeof(replay), "%s/tests/trace2_replay", build ? build : ".");
	snprintf(script, sizeof(script), "%s/tests/api/all-events.script", source ? source : "..");
	snprintf(dir, sizeof(dir), "%s/faults-XXXXXX", tmp && strlen(tmp) < 60 ? tmp : "/tmp");
	/* Files remain if unlink() fails; they are removed with this directory. */
	if (!mkdtemp(dir) || setenv("TMPDIR", dir, 1))
		return -1;
	snprintf(logs, sizeof(logs), "%s/logs", dir);
	snprintf(file, sizeof(file), "%s/file", dir);
	snprintf(list, sizeof(list), "%s/list", dir);
	snprintf(sock, sizeof(sock), "%s/sock", dir);
	snprintf(out, sizeof(out), "%s/out", dir);
	if (mkdir(logs, 0700))
		return -1;
	file_write(file, 0, NR_EVENTS * 3);
	for (unsigned i = 0; i < NR_FILES; i++) {
		snprintf(path, sizeof(path), "%s/%u", logs, i);
		file_write(path, i * NR_EVENTS, NR_EVENTS / 3);
	}
	return 0;
}

static int teardown(void **state)
{
	char command[200];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

struct run {
	const char **argv;
	/* called once the program runs, to send the data that it waits for */
	void (*play)(struct program *p);
	int in;
	bool is_fed;   /* standard input is a pipe with the contents of `file` */
	bool is_mixed; /* other processes write to the program's stderr, too */
	struct program program;
	int status;
};

static void number_set(const char *name, long number)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", number);
	setenv(name, text, 1);
}

static void faults_set(const char *call, const struct error *error, long nth, long many)
{
	setenv("FAIL_IO_CALL", call, 1);
	setenv("FAIL_IO_IN", "trace2top", 1);
	number_set("FAIL_IO_NTH", nth);
	number_set("FAIL_IO_MANY", many);
	number_set("FAIL_IO_ERRNO", error->number);
	setenv("LD_PRELOAD", shim, 1);
#ifdef SANITIZED
	setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
#endif
}

/* Return the report's text from "totals" to the next closing brace. */
static const char *totals(const struct program *p)
{
	static char text[2][1024];
	static int next;
	const char *at = strstr(p->out_text, "\"totals\""), *end = at ? strchr(at, '}') : NULL;

	next = !next;
	snprintf(text[next], sizeof(text[next]), "%.*s", at && end ? (int)(end - at) : 0,
		 at ? at : "");
	return text[next];
}

static pid_t feeder(int to, int other_end)
{
	pid_t pid = fork();
	char bytes[65536];
	int from;
	ssize_t n;

	if (pid)
		return pid;
	signal(SIGPIPE, SIG_DFL);
	close(other_end);
	from = open(file, O_RDONLY);
	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		if (write(to, bytes, (size_t)n) != n)
			_exit(1);
	_exit(0);
}

static void run(struct run *r)
{
	int in[2] = { -1, -1 };
	pid_t pid = -1;

	if (r->is_fed && pipe2(in, O_CLOEXEC))
		fail();
	program_start(&r->program, r->argv, in[0]);
	unsetenv("LD_PRELOAD");
	unsetenv("FAIL_IO_LIST");
	if (r->is_fed) {
		pid = feeder(in[1], in[0]);
		close(in[0]);
		close(in[1]);
	}
	if (r->play)
		r->play(&r->program);
	r->status = program_end(&r->program);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* True if the program wrote a line "trace2top: ..." to stderr, and otherwise (unless is_mixed) only
 * lines of a run without faults. */
static bool is_clear(const struct run *r, const struct run *whole)
{
	char *text = strdup(r->program.err_text), *rest = NULL;
	int nr_clear = 0, nr_other = 0;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		bool clear = !strncmp(line, "trace2top: ", 11);

		nr_clear += clear;
		nr_other += !clear && !strstr(whole->program.err_text, line);
	}
	free(text);
	return nr_clear && (!nr_other || r->is_mixed);
}

static bool is_right(const struct run *r, const struct run *whole, const struct error *error)
{
	bool same =
		r->status == whole->status && !strcmp(totals(&r->program), totals(&whole->program));

	if (same || error->harmless)
		return same;
	return (r->status == 1 || r->status == 2) && is_clear(r, whole);
}

static long nr_calls(const char *call)
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

/* Run the program with a `call` of a fault failing, or with `on` also all later ones, once for each
 * of some calls. */
static unsigned try_fault(struct run *how, const struct run *whole, const struct fault *fault,
			  bool on, int *nr_bad)
{
	long nr = nr_calls(fault->call), max_on = getenv("FAULTS_ALL") ? MAX_NTH_ON : 1;
	bool all = getenv("FAULTS_ALL") || !strcmp(fault->call, "fstat");
	unsigned nr_runs = 0;

	nr = !on || nr < max_on ? nr : max_on;
	/* Of many calls try only some: the first ones differ most. */
	for (long nth = 1; nth <= nr;
	     nth += all ? nth > 16 ? nth / 4 : 1 : 1 + nth / 2, nr_runs++) {
		unlink(sock);
		faults_set(fault->call, fault->error, nth, !on);
		run(how);
		if (!is_right(how, whole, fault->error)) {
			++*nr_bad;
			print_error("%s %ld%s, %s: status %d, %lld events; %s\n", fault->call, nth,
				    on ? " and on" : "", fault->error->name, how->status,
				    program_number(&how->program, "\"totals\"", "events"),
				    how->program.err_text);
		}
		program_free(&how->program);
	}
	return nr_runs;
}

static void try_all(struct run *how)
{
	struct run whole = *how;
	unsigned nr = 0;
	int nr_bad = 0;

	if (access(shim, R_OK))
		skip();
	unlink(list);
	unlink(sock);
	setenv("FAIL_IO_LIST", list, 1);
	faults_set("none", &interrupted, 1, 1);
	run(&whole);
	assert_true(strlen(totals(&whole.program)) > 20);
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
#ifdef TR2_PORTABLE
		/* The portable build calls fcntl() after accept(); if fcntl() fails, the connection
		 * is lost. */
		if (how->is_mixed && !strcmp(faults[i].call, "fcntl"))
			continue;
#endif
		nr += try_fault(how, &whole, &faults[i], false, &nr_bad);
		/* If every call had a harmless error, the program would make no progress. */
		if (!faults[i].error->harmless)
			nr += try_fault(how, &whole, &faults[i], true, &nr_bad);
	}
	print_message("%u runs\n", nr);
	assert_true(nr > 20);
	assert_int_equal(nr_bad, 0);
	program_free(&whole.program);
}

static void files_and_directories(void **state)
{
	const char *argv[] = { NULL, "--once", "--format=json", file, logs, NULL };

	(void)state;
	try_all(&(struct run){ .argv = argv });
}

static void standard_input(void **state)
{
	const char *argv[] = { NULL, "--once", "--format=json", "-", NULL };

	(void)state;
	try_all(&(struct run){ .argv = argv, .is_fed = true });
}

static void survives_faults_with_a_command(void **state)
{
	const char *argv[] = { NULL, "--once", "--format=json", "--", replay, script, NULL };

	(void)state;
	try_all(&(struct run){ .argv = argv, .is_mixed = true });
}

static void send_datagrams(struct program *p)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	static const char line[] =
		"{\"event\":\"exit\",\"sid\":\"s\",\"thread\":\"main\",\"code\":3}\n";
	struct timeval patience = { .tv_sec = 5 };
	struct path_watch watch;
	int nr_refused = 0;

	path_watch_open(&watch, sock);
	strcpy(addr.sun_path, sock);
	/* The path of a socket exists shortly before connect() succeeds. */
	while (connect(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		struct pollfd fds[] = { { .fd = watch.fd, .events = POLLIN },
					{ .fd = p->err, .events = POLLIN } };
		char bytes[4096];

		if (errno == ECONNREFUSED && nr_refused++ < 1000 && !poll(&fds[1], 1, 1))
			continue;
		assert_true(poll(fds, 2, PROGRAM_DEADLINE_MS) > 0);
		/* A message other than "listening" means that the program could not listen. */
		if (fds[1].revents &&
		    (!program_read(p->err, &p->err_text) || !strstr(p->err_text, ": listening;")))
			break;
		while (read(watch.fd, bytes, sizeof(bytes)) > 0)
			;
	}
	/* A program without memory does not receive, and a writer would wait forever. */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	for (int i = 0; i < 60; i++)
		if (send(fd, line, strlen(line), MSG_NOSIGNAL) < 0)
			break;
	close(fd);
	path_watch_close(&watch);
	kill(p->pid, SIGTERM);
}

static void survives_faults_with_a_datagram_socket(void **state)
{
	char spec[240];
	const char *argv[] = { NULL, "--once", "--format=json", spec, NULL };

	(void)state;
	snprintf(spec, sizeof(spec), "af_unix:dgram:%s", sock);
	try_all(&(struct run){ .argv = argv, .play = send_datagrams });
}

/* The program must fail with one line on stderr that contains `why`. `max`: bytes per file (0:
 * unchanged). */
static void refuses_to_write(const char **argv, rlim_t max, const char *why)
{
	struct rlimit before, limit;
	struct program p;

	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = max ? max : before.rlim_cur;
	setrlimit(RLIMIT_FSIZE, &limit);
	program_start(&p, argv, -1);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(program_end(&p), 1);
	if (!strstr(p.err_text, why) || strchr(p.err_text, '\n') != strrchr(p.err_text, '\n'))
		fail_msg("'%s' does not say '%s'", p.err_text, why);
	assert_int_equal(strncmp(p.err_text, "trace2top: cannot write", 23), 0);
	program_free(&p);
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -1 : st.st_size;
}

static void never_leaves_a_partial_report(void **state)
{
	const char *report[] = { NULL, "--once", "--format=json", "-o", out, file, NULL };
	const char *dump[] = { NULL, "--dump", out, "--size=200x60", file, NULL };
	char other[240];
	struct program p;
	off_t whole;

	(void)state;
	snprintf(other, sizeof(other), "%s/other", dir);
	refuses_to_write(report, 600, "File too large");
	assert_int_equal(size_of(out), -1);
	refuses_to_write(dump, 600, "File too large");
	assert_int_equal(size_of(out), -1);
	assert_int_equal(program_run(&p, report, -1), 0);
	program_free(&p);
	whole = size_of(out);
	assert_true(whole > 600);
	assert_int_equal(chmod(out, 0640), 0);
	refuses_to_write(report, 600, "File too large");
	assert_int_equal(size_of(out), whole);
	/* A file with two names is overwritten, so that both remain. */
	assert_int_equal(link(out, other), 0);
	assert_int_equal(program_run(&p, report, -1), 0);
	program_free(&p);
	assert_int_equal(size_of(other), whole);
	refuses_to_write(report, 600, "File too large");
	assert_int_equal(size_of(other), 0);
	unlink(out);
	unlink(other);
}

static void reports_a_full_disk(void **state)
{
	const char *report[] = { NULL, "--once", "-o", "/dev/full", file, NULL };
	const char *dump[] = { NULL, "--dump", "/dev/full", file, NULL };

	(void)state;
	if (access("/dev/full", W_OK))
		skip();
	refuses_to_write(report, 0, "No space left");
	refuses_to_write(dump, 0, "No space left");
}

static void reports_the_number_of_unreadable_files(void **state)
{
	const char *argv[] = { NULL, "--once", logs, NULL };
	struct program p = { .before_exec = program_be_ordinary };
	char name[300];

	(void)state;
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "%s/%d", logs, i);
		assert_int_equal(chmod(name, 0), 0);
	}
	program_start_at(&p, program_path(), argv, -1);
	assert_int_equal(program_end(&p), 1);
	assert_non_null(strstr(p.err_text, "Permission denied: "));
	assert_non_null(strstr(p.err_text, ", and 2 other files"));
	program_free(&p);
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "%s/%d", logs, i);
		assert_int_equal(chmod(name, 0600), 0);
	}
}

static void passes_on_the_output_of_a_command_completely(void **state)
{
	static const struct error *const errors[] = { &interrupted, &halved };
	char tee[240] = "";
	const char *argv[] = { NULL, tee, "--", "seq", "3000", NULL };
	struct tr2_buf expected;
	struct run r = { .argv = argv };

	(void)state;
	if (access(shim, R_OK))
		skip();
	snprintf(tee, sizeof(tee), "--tee=%s/tee", dir);
	tr2_buf_init(&expected, SIZE_MAX / 2);
	for (int i = 1; i <= 3000; i++)
		tr2_buf_addf(&expected, "%d\r\n", i);
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		faults_set("write", errors[i], 1, errors[i] == &halved ? 0 : 1);
		number_set("FAIL_IO_FD", STDERR_FILENO);
		run(&r);
		unsetenv("FAIL_IO_FD");
		assert_int_equal(r.status, 0);
		assert_string_equal(r.program.err_text, tr2_buf_cstr(&expected));
		program_free(&r.program);
	}
	tr2_buf_release(&expected);
}

#ifdef HAVE_ZSTD
static void keeps_a_recording_that_cannot_be_read(void **state)
{
	char recording[200], option[240];
	const char *argv[] = { NULL, "--once", option, file, NULL };
	struct run r = { .argv = argv };
	off_t whole;

	(void)state;
	if (access(shim, R_OK))
		skip();
	snprintf(recording, sizeof(recording), "%s/recording", dir);
	snprintf(option, sizeof(option), "--record=%s", recording);
	run(&r);
	assert_int_equal(r.status, 0);
	program_free(&r.program);
	whole = size_of(recording);
	for (int nth = 1; nth <= 3; nth++) {
		faults_set("pread", &no_input, nth, 0);
		run(&r);
		assert_int_equal(r.status, 2);
		assert_non_null(strstr(r.program.err_text, "Input/output error"));
		assert_int_equal(size_of(recording), whole);
		program_free(&r.program);
	}
	unlink(recording);
}
#endif

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_and_directories),
		cmocka_unit_test(standard_input),
		cmocka_unit_test(survives_faults_with_a_command),
		cmocka_unit_test(survives_faults_with_a_datagram_socket),
		cmocka_unit_test(never_leaves_a_partial_report),
		cmocka_unit_test(reports_a_full_disk),
		cmocka_unit_test(reports_the_number_of_unreadable_files),
		cmocka_unit_test(passes_on_the_output_of_a_command_completely),
#ifdef HAVE_ZSTD
		cmocka_unit_test(keeps_a_recording_that_cannot_be_read),
#endif
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
