/* SPDX-License-Identifier: MIT */
/* Tests of sockets, such as with many writers, or with a monitor that is suspended or ends. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "monitor/intake/intake_priv.h"
#include "tests/intake_fixture.h"
#include "tests/program.h"

#define NR_CLIENTS 500
#define NR_EACH    20
#define CHAIN      64

static char dir[128], path[200], spec_stream[240], spec_dgram[240];

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	umask(022);
	snprintf(dir, sizeof(dir), "%s/sockets-XXXXXX", tmp && strlen(tmp) < 60 ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/sock", dir);
	snprintf(spec_stream, sizeof(spec_stream), "af_unix:stream:%s", path);
	snprintf(spec_dgram, sizeof(spec_dgram), "af_unix:dgram:%s", path);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static int try_connect(int type)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	strcpy(addr.sun_path, path);
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return fd;
	close(fd);
	return -1;
}

static bool put_string(int fd, unsigned number)
{
	char line[300];
	size_t len = fixture_line(line, sizeof(line), number, 0);

	return send(fd, line, len, MSG_NOSIGNAL) == (ssize_t)len;
}

static void open_intake(struct fixture *f, const char *spec)
{
	char why[200] = "";

	fixture_open(f, &(struct source_config){ 0 }, NR_CLIENTS * NR_EACH);
	if (!intake_add(f->intake, spec, why, sizeof(why)))
		fail_msg("%s", why);
}

static void assert_each_once(const struct fixture *f, unsigned nr)
{
	assert_int_equal(f->nr_seen, nr);
	for (unsigned i = 0; i < nr; i++)
		assert_int_equal(f->seen[i], 1);
}

static void wait_child(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static _Noreturn void clients(int type)
{
	static int fds[NR_CLIENTS];

	for (unsigned i = 0; i < NR_CLIENTS; i++)
		if ((fds[i] = try_connect(type)) < 0)
			_exit(1);
	for (unsigned n = 0; n < NR_EACH; n++)
		for (unsigned i = 0; i < NR_CLIENTS; i++)
			if (!put_string(fds[i], i * NR_EACH + n))
				_exit(2);
	_exit(0);
}

static void crowd(const char *spec, int type)
{
	struct fixture f;
	pid_t pid;

	open_intake(&f, spec);
	pid = fork();
	if (!pid)
		clients(type);
	intake_start(f.intake);
	assert_true(fixture_wait_nr(&f, NR_CLIENTS * NR_EACH));
	wait_child(pid);
	assert_each_once(&f, NR_CLIENTS * NR_EACH);
	fixture_close(&f);
}

static void serves_500_stream_clients_at_once(void **state)
{
	(void)state;
	crowd(spec_stream, SOCK_STREAM);
}

static void serves_500_datagram_clients_at_once(void **state)
{
	(void)state;
	crowd(spec_dgram, SOCK_DGRAM);
}

/* Each process connects before its child starts, and continues when its child has ended. */
static int chain(unsigned depth, int told)
{
	int fd = try_connect(SOCK_STREAM), status = 0;
	pid_t pid;

	if (fd < 0 || write(told, "", 1) != 1 || !put_string(fd, depth * 2))
		return 1;
	if (depth + 1 < CHAIN) {
		pid = fork();
		if (!pid)
			_exit(chain(depth + 1, told));
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			return 2;
	}
	return !put_string(fd, depth * 2 + 1) || status;
}

static void tree_of_64_connects_before_the_first_is_accepted(void **state)
{
	struct fixture f;
	int told[2];
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(told), 0);
	open_intake(&f, spec_stream);
	pid = fork();
	if (!pid)
		_exit(chain(0, told[1]));
	for (int i = 0; i < CHAIN; i++)
		assert_int_equal(read(told[0], &byte, 1), 1);
	intake_start(f.intake);
	assert_true(fixture_wait_nr(&f, CHAIN * 2));
	wait_child(pid);
	assert_each_once(&f, CHAIN * 2);
	fixture_close(&f);
	close(told[0]);
	close(told[1]);
}

static void bursts_of_datagrams_are_all_received(void **state)
{
	struct fixture f;
	pid_t pid;

	(void)state;
	open_intake(&f, spec_dgram);
	intake_start(f.intake);
	pid = fork();
	if (!pid) {
		int fd = try_connect(SOCK_DGRAM);
		struct pollfd ready = { .fd = fd, .events = POLLOUT };

		fcntl(fd, F_SETFL, O_NONBLOCK);
		for (unsigned i = 0; i < 5000;) {
			if (put_string(fd, i))
				i++;
			else if (errno != EAGAIN || poll(&ready, 1, FIXTURE_DEADLINE_MS) != 1)
				_exit(1);
		}
		_exit(0);
	}
	assert_true(fixture_wait_nr(&f, 5000));
	wait_child(pid);
	assert_each_once(&f, 5000);
	fixture_close(&f);
}

static void accepts_empty_datagrams_and_missing_newlines(void **state)
{
	char line[300];
	struct fixture f;
	size_t len;
	int fd;

	(void)state;
	open_intake(&f, spec_dgram);
	intake_start(f.intake);
	fd = try_connect(SOCK_DGRAM);
	for (int i = 0; i < 100; i++)
		assert_int_equal(send(fd, "", 0, 0), 0);
	len = fixture_line(line, sizeof(line), 0, 0);
	assert_int_equal(send(fd, line, len - 1, 0), len - 1);
	assert_true(fixture_wait_nr(&f, 1));
	close(fd);
	fixture_close(&f);
}

static _Noreturn void few_descriptors(void)
{
	struct rlimit limit = { 40, 40 };
	struct source_stats stats;
	struct fixture f;
	pid_t pid;
	int told[2];
	char byte;

	open_intake(&f, spec_stream);
	if (pipe(told))
		_exit(5);
	pid = fork();
	if (!pid) {
		int fds[100];

		for (unsigned i = 0; i < 100; i++)
			if ((fds[i] = try_connect(SOCK_STREAM)) < 0 || !put_string(fds[i], i))
				_exit(1);
		_exit(write(told[1], "", 1) != 1 || pause());
	}
	if (read(told[0], &byte, 1) != 1 || setrlimit(RLIMIT_NOFILE, &limit))
		_exit(2);
	intake_start(f.intake);
	/* Connections up to the limit are served; the others when one is closed. */
	if (!fixture_wait_nr(&f, 10))
		_exit(3);
	for (int64_t until = fixture_until(FIXTURE_DEADLINE_MS); fixture_until(0) < until;) {
		intake_stats(f.intake, 0, &stats);
		if (stats.nr_accept_waits)
			break;
		fixture_poll(&f, fixture_until(20));
	}
	kill(pid, SIGKILL);
	if (!fixture_wait_nr(&f, 100))
		_exit(4);
	intake_stats(f.intake, 0, &stats);
	_exit(stats.nr_accept_waits ? 0 : 6);
}

static void running_out_of_descriptors_loses_no_client(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (!pid)
		few_descriptors();
	wait_child(pid);
	unlink(path);
}

#define NR_FLOOD   60000u
#define NR_WAITING 100000u /* events of about 500 bytes each: 50 MB */

static bool has_all_that_was_sent(struct fixture *f, void *data)
{
	(void)data;
	journal_trim(f->journal);
	for (unsigned i = NR_WAITING; i-- > 0;)
		if (!f->seen[i])
			return false;
	return f->nr_printf + f->nr_dropped >= NR_FLOOD;
}

static void file_of_50_mb(const char *file)
{
	FILE *to = fopen(file, "w");
	char line[800];

	assert_non_null(to);
	for (unsigned i = 0; i < NR_WAITING; i++)
		fwrite(line, 1, fixture_line(line, sizeof(line), i, 400), to);
	assert_int_equal(fclose(to), 0);
}

/* Nothing is applied while the socket's events arrive, so some of them are dropped. Most of
 * the file is read later. */
static void flooded_socket_drops_no_event_of_a_file(void **state)
{
	char file[200], why[200];
	struct fixture f;
	pid_t pid;

	(void)state;
	snprintf(file, sizeof(file), "%s/file", dir);
	file_of_50_mb(file);
	fixture_open_keeping(&f, &(struct source_config){ 0 }, NR_WAITING, 1);
	assert_true(intake_add(f.intake, spec_dgram, why, sizeof(why)));
	assert_true(intake_add(f.intake, file, why, sizeof(why)));
	intake_start(f.intake);
	pid = fork();
	if (!pid) {
		int fd = try_connect(SOCK_DGRAM), len;
		char line[400];

		len = snprintf(line, sizeof(line),
			       "{\"event\":\"printf\",\"sid\":\"f\",\"msg\":\"%0*u\"}", 300, 0u);
		for (unsigned i = 0; i < NR_FLOOD; i++)
			if (send(fd, line, (size_t)len, MSG_NOSIGNAL) != len)
				_exit(1);
		_exit(0);
	}
	wait_child(pid);
	assert_true(fixture_wait(&f, has_all_that_was_sent, NULL));
	for (unsigned i = 0; i < NR_WAITING; i++)
		assert_int_equal(f.seen[i], 1);
	assert_true(f.nr_dropped > 0);
	assert_int_equal(f.nr_seen, NR_WAITING);
	assert_int_equal(f.nr_printf + f.nr_dropped, NR_FLOOD);
	fixture_close(&f);
	unlink(file);
}

static void assert_refused(const char *text)
{
	struct fixture f;
	char why[200] = "";

	fixture_open(&f, &(struct source_config){ 0 }, 1);
	assert_false(intake_add(f.intake, spec_stream, why, sizeof(why)));
	if (!strstr(why, text) || strchr(why, '\n'))
		fail_msg("'%s' does not say '%s'", why, text);
	fixture_close(&f);
}

static void stale_socket_is_replaced(void **state)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	static const int types[] = { SOCK_STREAM, SOCK_DGRAM };
	struct fixture f;

	(void)state;
	strcpy(addr.sun_path, path);
	for (int i = 0; i < 2; i++) {
		int fd = socket(AF_UNIX, types[i], 0);

		assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
		close(fd);
		open_intake(&f, spec_stream);
		fixture_close(&f);
	}
}

#define NR_RIVALS 8
/* default number of races; SOCKET_RACES overrides it */
#define NR_RACES 8

/* Create the socket when `start` is closed, report the result, and keep it until `end` is
 * closed. */
static _Noreturn void rival(int start, int told, int end)
{
	struct fixture f;
	char why[200] = "", result, byte;
	bool ok;

	fixture_open(&f, &(struct source_config){ 0 }, 1);
	if (read(start, &byte, 1))
		_exit(1);
	ok = intake_add(f.intake, spec_stream, why, sizeof(why));
	result = ok ? 'y' : strstr(why, "already in use by") ? 'n' : '?';
	if (result == '?')
		fprintf(stderr, "%s\n", why);
	if (write(told, &result, 1) != 1 || read(end, &byte, 1))
		_exit(1);
	fixture_close(&f);
	_exit(0);
}

/* Return how many of several processes that start at once get the socket; -1 on any other
 * failure. */
static int race(void)
{
	int start[2], told[2], end[2], nr_won = 0, nr_lost = 0, fd;
	pid_t pids[NR_RIVALS];
	char result;

	assert_int_equal(pipe(start) | pipe(told) | pipe(end), 0);
	for (int i = 0; i < NR_RIVALS; i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		close(start[1]);
		close(end[1]);
		rival(start[0], told[1], end[0]);
	}
	close(start[1]);
	for (int i = 0; i < NR_RIVALS; i++) {
		assert_int_equal(read(told[0], &result, 1), 1);
		nr_won += result == 'y';
		nr_lost += result == 'n';
	}
	fd = try_connect(SOCK_STREAM);
	close(fd);
	close(end[1]);
	for (int i = 0; i < NR_RIVALS; i++)
		wait_child(pids[i]);
	close(start[0]);
	close(told[0]);
	close(told[1]);
	close(end[0]);
	return fd >= 0 && nr_won + nr_lost == NR_RIVALS ? nr_won : -1;
}

static void one_of_many_starts_replaces_the_stale_socket(void **state)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	const char *races = getenv("SOCKET_RACES");
	int nr = races ? atoi(races) : NR_RACES;

	(void)state;
	strcpy(addr.sun_path, path);
	for (int i = 0; i < nr; i++) {
		int fd = socket(AF_UNIX, i % 2 ? SOCK_STREAM : SOCK_DGRAM, 0);

		/* Every fourth time there is no stale socket at the path. */
		if (i % 4)
			assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
		close(fd);
		assert_int_equal(race(), 1);
		assert_int_equal(access(path, F_OK), -1);
	}
}

static void refuses_to_replace_other_files(void **state)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct stat st;
	char user[64];
	int fd;

	(void)state;
	snprintf(user, sizeof(user), "already in use by test_intake_soc (pid %d); stop it",
		 (int)getpid());
#ifdef TR2_PORTABLE /* the portable build cannot find the process that has the socket */
	strcpy(user, "already in use by another program; stop it");
#endif
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(fd, 5), 0);
	assert_refused(user);
	if (!geteuid() && !chown(path, 1, 1))
		assert_refused("belongs to another user");
	close(fd);
	unlink(path);
	fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_refused(user);
	close(fd);
	unlink(path);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_refused("no socket");
	assert_int_equal(stat(path, &st), 0);
	unlink(path);
	assert_int_equal(symlink("elsewhere", path), 0);
	assert_refused("symbolic link");
	unlink(path);
}

static void socket_has_the_requested_mode(void **state)
{
	static const unsigned modes[] = { 0600, 0660, 0666, 0606 };
	char why[200];

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct fixture f;
		struct stat st;

		fixture_open(&f, &(struct source_config){ .socket_mode = modes[i] }, 1);
		assert_true(intake_add(f.intake, spec_dgram, why, sizeof(why)));
		assert_int_equal(lstat(path, &st), 0);
		assert_int_equal(st.st_mode & 07777, modes[i]);
		assert_int_equal(umask(022), 022);
		fixture_close(&f);
		assert_int_equal(lstat(path, &st), -1);
	}
}

/* Another file has replaced the socket. */
static void removes_only_its_own_socket(void **state)
{
	struct fixture f;
	struct stat st;

	(void)state;
	open_intake(&f, spec_stream);
	unlink(path);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	fixture_close(&f);
	assert_int_equal(lstat(path, &st), 0);
	unlink(path);
}

static void suspending_removes_the_socket_and_resuming_reports_a_gap(void **state)
{
	struct fixture f;
	int before, after;

	(void)state;
	open_intake(&f, spec_stream);
	intake_start(f.intake);
	before = try_connect(SOCK_STREAM);
	assert_true(put_string(before, 0));
	assert_true(fixture_wait_nr(&f, 1));
	assert_true(put_string(before, 1));
	intake_suspend(f.intake);
	assert_int_equal(try_connect(SOCK_STREAM), -1);
	assert_int_equal(errno, ENOENT);
	/* A writer that was connected gets an error, and does not block. */
	assert_false(put_string(before, 2));
	assert_int_equal(errno, EPIPE);
	intake_resume(f.intake);
	after = try_connect(SOCK_STREAM);
	assert_true(put_string(after, 2));
	assert_true(fixture_wait_nr(&f, 3));
	assert_each_once(&f, 3);
	assert_int_equal(f.nr_gaps, 1);
	close(before);
	close(after);
	fixture_close(&f);
}

static void start_once(struct program *p, const char *spec)
{
	const char *argv[] = { NULL, "--once", "--format=json", spec, NULL };
	struct path_watch watch;

	path_watch_open(&watch, path);
	program_start(p, argv, -1);
	path_wait(&watch, true);
	path_watch_close(&watch);
}

static void signals_end_a_socket_and_remove_it(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct program p;
	struct stat st;

	(void)state;
	for (int i = 0; i < 6; i++) {
		start_once(&p, i < 3 ? spec_stream : spec_dgram);
		kill(p.pid, signals[i % 3]);
		assert_int_equal(program_end(&p), 0);
		assert_int_equal(program_number(&p, "\"totals\"", "events"), 0);
		program_free(&p);
		assert_int_equal(lstat(path, &st), -1);
	}
}

static int connect_soon(struct program *p, int type)
{
	int64_t until = fixture_until(PROGRAM_DEADLINE_MS);
	int fd;

	/* Between bind() and listen() connections are refused. */
	while ((fd = try_connect(type)) < 0) {
		siginfo_t ended = { 0 };

		if (!waitid(P_PID, (id_t)p->pid, &ended, WEXITED | WNOHANG | WNOWAIT) &&
		    ended.si_pid)
			fail_msg("the program ended with status %d", ended.si_status);
		if (fixture_until(0) > until)
			fail_msg("cannot connect");
	}
	return fd;
}

static void reads_pending_events_when_stopped(void **state)
{
	struct program p;
	int fds[20];

	(void)state;
	start_once(&p, spec_stream);
	for (unsigned i = 0; i < 20; i++) {
		fds[i] = connect_soon(&p, SOCK_STREAM);
		for (unsigned n = 0; n < 50; n++)
			assert_true(put_string(fds[i], n));
		assert_int_equal(send(fds[i], "{\"half", 6, 0), 6);
	}
	kill(p.pid, SIGINT);
	assert_int_equal(program_end(&p), 0);
	assert_int_equal(program_number(&p, "\"totals\"", "events"), 1000);
	/* The part of a line at the end of each connection is malformed. */
	assert_int_equal(program_number(&p, "\"totals\"", "malformed"), 20);
	program_free(&p);
	for (unsigned i = 0; i < 20; i++)
		close(fds[i]);
}

/* Write until the socket is closed. Reports the number of accepted lines when it is 100 and at the
 * end. */
static _Noreturn void writer_without_end(int type, int to)
{
	int fd = try_connect(type);
	unsigned nr = 0;

	while (put_string(fd, nr))
		if (++nr == 100 && write(to, &nr, sizeof(nr)) != sizeof(nr))
			_exit(1);
	_exit(nr < 100 || write(to, &nr, sizeof(nr)) != sizeof(nr));
}

static void exits_although_a_writer_never_stops(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		int told[2], type = i ? SOCK_DGRAM : SOCK_STREAM;
		struct program p;
		unsigned nr = 0;
		pid_t pid;

		start_once(&p, i ? spec_dgram : spec_stream);
		close(connect_soon(&p, type));
		assert_int_equal(pipe2(told, O_CLOEXEC), 0);
		pid = fork();
		if (!pid)
			writer_without_end(type, told[1]);
		assert_int_equal(read(told[0], &nr, sizeof(nr)), sizeof(nr));
		kill(p.pid, SIGTERM);
		assert_int_equal(program_end(&p), 0);
		assert_int_equal(read(told[0], &nr, sizeof(nr)), sizeof(nr));
		wait_child(pid);
		assert_int_equal(program_number(&p, "\"totals\"", "events") +
					 program_number(&p, "\"dropped\"", "unread_events"),
				 nr);
		program_free(&p);
		close(told[0]);
		close(told[1]);
	}
}

static void *stopper(void *intake)
{
	intake_stop(intake);
	return NULL;
}

/* The intake thread stops before it reads the second event; closing the source reads it. */
static void unread_at_stop(const char *spec, int type)
{
	pthread_t thread;
	struct fixture f;
	int fd;

	open_intake(&f, spec);
	intake_start(f.intake);
	pthread_mutex_lock(&f.hold);
	fd = try_connect(type);
	assert_true(put_string(fd, 0));
	for (struct journal_stats stats = { 0 }; !stats.pushed_events;) {
		journal_stats(f.journal, &stats);
		sched_yield();
	}
	assert_true(put_string(fd, 1));
	close(fd);
	assert_int_equal(pthread_create(&thread, NULL, stopper, f.intake), 0);
	while (!f.intake->stop)
		sched_yield();
	pthread_mutex_unlock(&f.hold);
	pthread_join(thread, NULL);
	fixture_take(&f);
	assert_each_once(&f, 2);
	assert_int_equal(f.nr_ends, type == SOCK_STREAM);
	fixture_close(&f);
}

static void hands_over_events_read_while_closing(void **state)
{
	(void)state;
	unread_at_stop(spec_stream, SOCK_STREAM);
	unread_at_stop(spec_dgram, SOCK_DGRAM);
}

static void killed_monitor_blocks_no_writer_and_its_socket_is_replaced(void **state)
{
	struct program p;
	int fds[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		int type = i ? SOCK_DGRAM : SOCK_STREAM;

		start_once(&p, i ? spec_dgram : spec_stream);
		fds[i] = connect_soon(&p, type);
		assert_true(put_string(fds[i], 0));
		kill(p.pid, SIGKILL);
		assert_int_equal(program_end(&p), 128 + SIGKILL);
		program_free(&p);
		assert_false(put_string(fds[i], 1));
		close(fds[i]);
		assert_int_equal(try_connect(type), -1);
		assert_int_equal(errno, ECONNREFUSED);
	}
	/* The next start replaces the stale socket. */
	start_once(&p, spec_stream);
	fds[0] = connect_soon(&p, SOCK_STREAM);
	assert_true(put_string(fds[0], 0));
	close(fds[0]);
	kill(p.pid, SIGTERM);
	assert_int_equal(program_end(&p), 0);
	assert_int_equal(program_number(&p, "\"totals\"", "events"), 1);
	program_free(&p);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(serves_500_stream_clients_at_once),
		cmocka_unit_test(serves_500_datagram_clients_at_once),
		cmocka_unit_test(tree_of_64_connects_before_the_first_is_accepted),
		cmocka_unit_test(bursts_of_datagrams_are_all_received),
		cmocka_unit_test(accepts_empty_datagrams_and_missing_newlines),
		cmocka_unit_test(flooded_socket_drops_no_event_of_a_file),
		cmocka_unit_test(running_out_of_descriptors_loses_no_client),
		cmocka_unit_test(stale_socket_is_replaced),
		cmocka_unit_test(one_of_many_starts_replaces_the_stale_socket),
		cmocka_unit_test(refuses_to_replace_other_files),
		cmocka_unit_test(socket_has_the_requested_mode),
		cmocka_unit_test(removes_only_its_own_socket),
		cmocka_unit_test(suspending_removes_the_socket_and_resuming_reports_a_gap),
		cmocka_unit_test(signals_end_a_socket_and_remove_it),
		cmocka_unit_test(reads_pending_events_when_stopped),
		cmocka_unit_test(exits_although_a_writer_never_stops),
		cmocka_unit_test(hands_over_events_read_while_closing),
		cmocka_unit_test(killed_monitor_blocks_no_writer_and_its_socket_is_replaced),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
