/* SPDX-License-Identifier: MIT */
/* Tests of the rings to which the engine writes events. */
#include "config.h"

#include "tests/traced_host.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>

#include "engine/trace2.h"
#include "engine/trace2_child.h"
#include "engine/trace2_json.h"
#include "engine/trace2_repo.h"
#include "tests/ring_decoder.h"

#define NR_THREADS 16

static const bool sanitized =
#ifdef SANITIZED
	true;
#else
	false;
#endif

/* Return `many` if RINGS_ALL is not empty, as in `make check-long`, else `few`. */
static unsigned long amount(unsigned long few, unsigned long many)
{
	const char *all = getenv("RINGS_ALL");

	return all && *all ? many : few;
}

int __real_posix_fallocate(int fd, off_t at, off_t len);
int __wrap_posix_fallocate(int fd, off_t at, off_t len);

/* calls of posix_fallocate() that still succeed; -1: all */
static int rooms = -1;

int __wrap_posix_fallocate(int fd, off_t at, off_t len)
{
	if (!rooms)
		return ENOSPC;
	if (rooms > 0)
		rooms--;
	return __real_posix_fallocate(fd, at, len);
}

static char rings[PATH_MAX];

/* Return the directory's only file, or the one whose name ends in `tail`. */
static const char *file_in(const char *directory, const char *tail)
{
	static char path[2 * PATH_MAX];
	DIR *list = opendir(directory);
	struct dirent *entry;
	unsigned nr = 0;

	assert_non_null(list);
	while ((entry = readdir(list))) {
		size_t len = strlen(entry->d_name), n = tail ? strlen(tail) : 0;

		if (*entry->d_name == '.' || len < n ||
		    (n && strcmp(entry->d_name + len - n, tail) != 0))
			continue;
		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		nr++;
	}
	closedir(list);
	assert_int_equal(nr, 1);
	return path;
}

static unsigned files_in(const char *directory)
{
	DIR *list = opendir(directory);
	struct dirent *entry;
	unsigned nr = 0;

	assert_non_null(list);
	while ((entry = readdir(list)))
		nr += *entry->d_name != '.';
	closedir(list);
	return nr;
}

static void new_directory(mode_t mode)
{
	char command[2 * PATH_MAX];

	snprintf(command, sizeof(command), "rm -rf '%s'", rings);
	assert_int_equal(system(command), 0);
	assert_int_equal(mkdir(rings, 0700), 0);
	assert_int_equal(chmod(rings, mode), 0);
}

static int make_rings(void **state)
{
	if (make_dir(state))
		return -1;
	snprintf(rings, sizeof(rings), "%s/rings", dir);
	setenv("GIT_TRACE2_EVENT_RING", "128k", 1);
	return 0;
}

/* Return the text of a ring file; the caller frees it. */
static char *decode_ring_file(const char *path, struct ring_decoder *d)
{
	struct ring_decoder own;
	char *text = NULL;
	size_t len;

	d = d ? d : &own;
	ring_open(d, path);
	d->out = open_memstream(&text, &len);
	assert_non_null(d->out);
	ring_look(d);
	fclose(d->out);
	ring_close(d);
	return text;
}

static void assert_line(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	if (!at || (at != text && at[-1] != '\n' && at[-1] != ' '))
		fail_msg("missing: %s\nin:\n%s", line, text);
}

static const char *const argv[] = { "prog", "https://u:secret@h/x", "a b", NULL };
static const char *const names[] = { "sh", "login", NULL };

static int versatile_host(void)
{
	static struct json_writer pretty = { .json = "{\n  \"a\": [\n    1\n  ]\n}", .pretty = 1 };
	struct repository repo = { .worktree = "/w" };
	struct child_process child = { .argv = argv, .git_cmd = 1, .trace2_child_class = "hook" };

	trace2_initialize();
	trace2_cmd_start(argv);
	trace2_cmd_ancestry(names);
	trace2_cmd_name("n");
	trace2_def_repo(&repo);
	trace2_def_param("p", "http://u:secret@h/");
	trace2_child_start(&child);
	trace2_child_exit(&child, -3);
	trace2_region_enter("c", "l", &repo);
	trace2_data_intmax("c", &repo, "k", INTMAX_MIN);
	trace2_data_string("c", NULL, "quote", "\"\\\n\t\x01\xff");
	trace2_data_string(NULL, NULL, NULL, NULL);
	trace2_data_json("c", NULL, "j", &pretty);
	trace2_region_leave_printf("c", "l", &repo, "%d left", 3);
	trace2_printf("%s", "said");
	return trace2_cmd_exit(7);
}

static void writes_every_kind(void **state)
{
	struct ring_decoder d;
	char *text;

	(void)state;
	new_directory(0700);
	assert_int_equal(run_host(rings, versatile_host), 7);
	text = decode_ring_file(file_in(rings, NULL), &d);
	assert_line(text, "main version :");
	assert_line(text, "evt=4 exe=unknown\n");
	assert_line(text, "argv=[prog,https://u:<REDACTED>@h/x,a b]\n");
	assert_line(text, "ancestry=[sh,login]\n");
	assert_line(text, "worktree=/w\n");
	assert_line(text, "param=p value=http://u:<REDACTED>@h/\n");
	assert_line(text, "child_id=0 child_class=hook use_shell=0 argv=[git,prog,");
	assert_line(text, "pid=0 code=-3 t_rel=");
	assert_line(text, "nesting=2 category=c key=k value=-9223372036854775808\n");
	assert_line(text, "key=quote value=\"\\\n\t\x01\xff\n");
	assert_line(text, "nesting=2 category= key= value=\n");
	assert_line(text, "key=j value={\"a\": [1]}\n");
	assert_line(text, "category=c label=l msg=3 left\n");
	assert_line(text, "msg=said\n");
	assert_line(text, "main atexit :");
	assert_line(text, "code=7\n");
	assert_int_equal(count(text, "file=" __FILE__), 16);
	assert_int_equal(d.read, 17);
	assert_int_equal(d.lost + d.head.unplaced, 0);
	assert_int_equal(d.head.closed, 1);
	assert_true(strstr(file_in(rings, NULL), d.head.sid));
	free(text);
	setenv("GIT_TRACE2_EVENT_BRIEF", "1", 1);
	new_directory(0700);
	assert_int_equal(run_host(rings, versatile_host), 7);
	text = decode_ring_file(file_in(rings, NULL), &d);
	assert_int_equal(count(text, "file="), 0);
	assert_int_equal(d.read, 17);
	free(text);
	unsetenv("GIT_TRACE2_EVENT_BRIEF");
}

static const size_t lengths[] = { 3800, 3900, 3950,  4000,  4032,  4100,
				  8000, 8100, 12000, 30000, 64000, 65300 };
#define NR_LENGTHS (sizeof(lengths) / sizeof(*lengths))

static int long_winded_host(void)
{
	static char text[70001];

	trace2_initialize();
	for (size_t i = 0; i < NR_LENGTHS; i++) {
		memset(text, 'a' + (int)i, lengths[i]);
		text[lengths[i]] = '\0';
		trace2_data_string("c", NULL, "k", text);
		trace2_data_intmax("c", NULL, "k", (intmax_t)i);
	}
	memset(text, 'z', 70000);
	trace2_data_string("c", NULL, "k", text);
	return trace2_cmd_exit(7);
}

static void splits_long_events(void **state)
{
	struct ring_decoder d;
	char *text, *at;

	(void)state;
	new_directory(0700);
	setenv("GIT_TRACE2_EVENT_RING", "1m", 1);
	assert_int_equal(run_host(rings, long_winded_host), 7);
	text = decode_ring_file(file_in(rings, NULL), &d);
	assert_int_equal(d.read, 2 * NR_LENGTHS + 3);
	assert_int_equal(d.lost, 1);
	at = text;
	for (size_t i = 0; i < NR_LENGTHS; i++) {
		char letter[2] = { (char)('a' + i), '\0' };

		at = strstr(at, " value=");
		assert_non_null(at);
		at += strlen(" value=");
		assert_int_equal(strspn(at, letter), lengths[i]);
		at = strstr(at, " value=") + strlen(" value=");
		assert_int_equal(atoi(at), i);
	}
	free(text);
	/* An event may take at most half of a ring. */
	new_directory(0700);
	setenv("GIT_TRACE2_EVENT_RING", "1", 1);
	assert_int_equal(run_host(rings, long_winded_host), 7);
	text = decode_ring_file(file_in(rings, NULL), &d);
	assert_int_equal(d.ring_bytes, TR2_RING_MIN_BYTES);
	assert_int_equal(d.read + d.lost, 2 * NR_LENGTHS + 4);
	assert_null(strchr(text, 'z'));
	free(text);
	setenv("GIT_TRACE2_EVENT_RING", "128k", 1);
}

static struct shared_counters {
	_Atomic int begun, ended;
	_Atomic uint64_t told; /* number of events whose API call has returned */
	_Atomic pid_t child;
} * shared;

static int make_shared(void **state)
{
	(void)state;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	return shared == MAP_FAILED;
}

static void wait_until_set(_Atomic int *what)
{
	while (!*what)
		sched_yield();
}

static uint64_t written;

static int fast_host(void)
{
	static const char filler[] =
		"................................................................";
	unsigned seed = 1;

	trace2_set_ring(1);
	trace2_initialize();
	shared->begun = 1;
	for (uint64_t i = 0; i < written; i++) {
		seed = seed * 1103515245u + 12345u;
		trace2_data_intmax(filler + seed / 65536 % 64, NULL, "k", (intmax_t)i);
	}
	return trace2_cmd_exit(7);
}

/* A data event of ring 0, the main thread's, has its number in the ring, minus 1, as its value. */
static void assert_number(void *data, unsigned ring, uint64_t number, unsigned kind,
			  const char *value)
{
	(void)data;
	if (!ring && kind == TR2_E_DATA)
		assert_int_equal(strtoull(value, NULL, 10) + 1, number);
}

static void counts_every_loss(void **state)
{
	struct ring_decoder d;
	pid_t pid;
	int status, ended = 0;

	(void)state;
	new_directory(0700);
	unsetenv("GIT_TRACE2_EVENT_RING");
	written = amount(300000, 6000000);
	shared->begun = 0;
	setenv("GIT_TRACE2_EVENT", rings, 1);
	pid = fork();
	if (!pid)
		exit(fast_host());
	wait_until_set(&shared->begun);
	ring_open(&d, file_in(rings, NULL));
	assert_int_equal(d.ring_bytes, TR2_RING_MIN_BYTES);
	d.event = assert_number;
	while (!ended) {
		ended = waitpid(pid, &status, WNOHANG) == pid;
		ring_look(&d);
	}
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	print_message("read %" PRIu64 " + lost %" PRIu64 " = written %" PRIu64 "\n", d.read, d.lost,
		      written + 3);
	assert_int_equal(d.read + d.lost, written + 3);
	assert_int_equal(d.head.unplaced, 0);
	assert_true(d.read > 100);
	ring_close(&d);
	setenv("GIT_TRACE2_EVENT_RING", "128k", 1);
}

__attribute__((noreturn)) static int endless_host(void)
{
	trace2_initialize();
	shared->begun = 1;
	for (;;) {
		trace2_data_intmax("c", NULL, "k", (intmax_t)shared->told);
		shared->told++;
	}
}

static void kill_loses_no_complete_event(void **state)
{
	unsigned long nr = amount(20, 200);

	(void)state;
	srandom(1);
	setenv("GIT_TRACE2_EVENT", rings, 1);
	for (unsigned long i = 0; i < nr; i++) {
		struct ring_decoder d;
		struct timespec moment = { 0, random() % 4000000 };
		struct stat own;
		pid_t pid;

		new_directory(0700);
		shared->begun = 0;
		shared->told = 0;
		pid = fork();
		if (!pid)
			endless_host();
		wait_until_set(&shared->begun);
		nanosleep(&moment, NULL);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		ring_open(&d, file_in(rings, NULL));
		d.event = assert_number;
		ring_look(&d);
		/* The event that was being written may be included. */
		assert_in_range(d.read + d.lost, shared->told + 1, shared->told + 2);
		assert_int_equal(d.head.closed, 0);
		assert_int_equal(d.head.pid, pid);
		assert_int_equal(stat("/proc/self/ns/pid", &own), 0);
		assert_int_equal(d.head.pid_namespace, own.st_ino);
		ring_close(&d);
	}
}

static int crashing_host(void)
{
	signal(SIGSEGV, SIG_DFL); /* removes cmocka's handler */
	trace2_initialize();
	trace2_region_enter("c", "fatal", NULL);
	raise(SIGSEGV);
	return 0;
}

static void crash_shows_open_regions(void **state)
{
	char *text;

	(void)state;
	new_directory(0700);
	assert_int_equal(run_host(rings, crashing_host), 128 + SIGSEGV);
	text = decode_ring_file(file_in(rings, NULL), NULL);
	assert_line(text, "category=c label=fatal\n");
	free(text);
}

static int ring_sigpipe_host(void)
{
	trace2_initialize();
	raise(SIGPIPE);
	return 0;
}

static void *die_of_sigpipe(void *data)
{
	raise(SIGPIPE);
	return data;
}

static int foreign_sigpipe_host(void)
{
	pthread_t thread;

	trace2_initialize();
	pthread_create(&thread, NULL, die_of_sigpipe, NULL);
	pthread_join(thread, NULL);
	return 0;
}

static void reports_death_by_sigpipe(void **state)
{
	struct ring_decoder d;
	char *text;

	(void)state;
	new_directory(0700);
	assert_int_equal(run_host(rings, ring_sigpipe_host), 128 + SIGPIPE);
	text = decode_ring_file(file_in(rings, NULL), &d);
	assert_line(text, "main signal :");
	assert_line(text, "signo=13\n");
	assert_int_equal(d.head.rings, 1);
	free(text);
	new_directory(0700);
	assert_int_equal(run_host(rings, foreign_sigpipe_host), 128 + SIGPIPE);
	text = decode_ring_file(file_in(rings, NULL), &d);
	assert_line(text, "th01:unknown signal :");
	assert_int_equal(d.head.rings, 2);
	free(text);
}

static pid_t (*make_child)(void);
static bool child_executes;

static pid_t bare_fork(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

static int forking_host(void)
{
	int status = 0;
	pid_t pid;

	trace2_initialize();
	trace2_printf("before");
	pid = make_child();
	if (!pid) {
		if (child_executes) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		for (int i = 0; i < 1000; i++)
			trace2_data_intmax("c", NULL, "child", i);
		_exit(0);
	}
	shared->child = pid;
	for (int i = 0; i < 100; i++)
		trace2_data_intmax("c", NULL, "parent", i);
	waitpid(pid, &status, 0);
	trace2_printf("behind");
	return trace2_cmd_exit(status ? 1 : 7);
}

static void assert_two_files(bool own_session)
{
	struct ring_decoder parent, child;
	char *text, path[2 * PATH_MAX], tail[32];

	assert_int_equal(files_in(rings), 2);
	snprintf(tail, sizeof(tail), own_session ? "P%08x" : ".%d", (int)shared->child);
	snprintf(path, sizeof(path), "%s", file_in(rings, tail));
	text = decode_ring_file(path, &child);
	assert_int_equal(count(text, "key=child"), 1000);
	assert_int_equal(count(text, "main data"), 1000);
	assert_int_equal(child.read, 1000 + own_session);
	assert_int_equal(child.head.closed, 0);
	assert_int_equal(child.head.pid, shared->child);
	free(text);
	unlink(path);
	text = decode_ring_file(file_in(rings, NULL), &parent);
	assert_int_equal(count(text, "key=parent"), 100);
	assert_int_equal(parent.read, 105);
	assert_line(text, "msg=behind\n");
	assert_int_equal(parent.head.closed, 1);
	assert_true(own_session ? child.head.sid_len > parent.head.sid_len
				: child.head.sid_len == parent.head.sid_len);
	assert_memory_equal(parent.head.sid, child.head.sid, parent.head.sid_len);
	free(text);
}

static int forked_session_host(void)
{
	trace2_set_fork_sid(1);
	return forking_host();
}

static void forked_child_has_own_file(void **state)
{
	(void)state;
	setenv("GIT_TRACE2_EVENT_RING", "512k", 1);
	make_child = fork;
	new_directory(0700);
	assert_int_equal(run_host(rings, forking_host), 7);
	assert_two_files(false);
	new_directory(0700);
	assert_int_equal(run_host(rings, forked_session_host), 7);
	assert_two_files(true);
	/* bare_fork() runs no fork handlers. */
	make_child = bare_fork;
	new_directory(0700);
	assert_int_equal(run_host(rings, forking_host), 7);
	assert_two_files(false);
	setenv("GIT_TRACE2_EVENT_RING", "128k", 1);
}

static void silent_child_has_no_file(void **state)
{
	struct ring_decoder d;
	char *text;

	(void)state;
	make_child = fork;
	child_executes = true;
	new_directory(0700);
	assert_int_equal(run_host(rings, forking_host), 7);
	child_executes = false;
	text = decode_ring_file(file_in(rings, NULL), &d);
	assert_int_equal(d.read, 105);
	free(text);
}

static int vforking_host(void)
{
	int status = 0;
	pid_t pid;

	trace2_initialize();
	pid = vfork();
	if (!pid) {
		trace2_printf("in the child");
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	trace2_printf("behind");
	waitpid(pid, &status, 0);
	return trace2_cmd_exit(status ? 1 : 7);
}

static int executing_host(void)
{
	trace2_initialize();
	trace2_printf("last words");
	execl("/bin/false", "false", (char *)NULL);
	return 0;
}

static void vforked_child_writes_as_parent(void **state)
{
	struct ring_decoder d;
	char *text;

	(void)state;
	if (sanitized)
		skip(); /* the sanitizer's vfork() is fork() */
	new_directory(0700);
	assert_int_equal(run_host(rings, vforking_host), 7);
	text = decode_ring_file(file_in(rings, NULL), &d);
	assert_line(text, "msg=in the child\n");
	assert_line(text, "msg=behind\n");
	assert_int_equal(d.read, 5);
	free(text);
}

static void exec_keeps_file(void **state)
{
	struct ring_decoder d;
	char *text;

	(void)state;
	new_directory(0700);
	assert_int_equal(run_host(rings, executing_host), 1);
	text = decode_ring_file(file_in(rings, NULL), &d);
	assert_line(text, "msg=last words\n");
	assert_int_equal(d.head.closed, 0);
	free(text);
}

static pthread_barrier_t barrier;
static unsigned nr_generations;

static void *come_and_go(void *data)
{
	trace2_thread_start("storm");
	for (int i = 0; i < 20; i++)
		trace2_data_intmax("c", NULL, "k", i);
	/* Without `data`, threads end without trace2_thread_exit(). */
	if (data)
		trace2_thread_exit();
	return NULL;
}

static void *storm(void *data)
{
	pthread_barrier_wait(&barrier);
	for (unsigned i = 0; i < nr_generations; i++) {
		pthread_t thread;

		if (!pthread_create(&thread, NULL, come_and_go, i % 2 ? &barrier : NULL))
			pthread_join(thread, NULL);
	}
	return data;
}

/* Each thread that storm() starts writes 21 events, every other one also a thread_exit event. The
 * main thread writes 3. */
static uint64_t nr_storm_events(unsigned nr_threads)
{
	uint64_t threads = (uint64_t)nr_threads * nr_generations;

	return threads * 21 + threads / 2 + 3;
}

static int stormy_host(void)
{
	pthread_t threads[NR_THREADS];

	trace2_initialize();
	shared->begun = 1;
	pthread_barrier_init(&barrier, NULL, NR_THREADS);
	for (int i = 0; i < NR_THREADS; i++)
		pthread_create(&threads[i], NULL, storm, NULL);
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	return trace2_cmd_exit(7);
}

static void threads_reuse_rings(void **state)
{
	struct ring_decoder d;
	pid_t pid;
	int status, ended = 0;

	(void)state;
	nr_generations = (unsigned)amount(20, 200);
	new_directory(0700);
	shared->begun = 0;
	setenv("GIT_TRACE2_EVENT", rings, 1);
	pid = fork();
	if (!pid)
		exit(stormy_host());
	wait_until_set(&shared->begun);
	ring_open(&d, file_in(rings, NULL));
	while (!ended) {
		ended = waitpid(pid, &status, WNOHANG) == pid;
		ring_look(&d);
	}
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	assert_int_equal(d.read + d.lost, nr_storm_events(NR_THREADS));
	assert_int_equal(d.head.unplaced, 0);
	assert_in_range(d.head.rings, 2, NR_THREADS + 1);
	ring_close(&d);
}

static _Atomic int reading;

static void *read_meanwhile(void *data)
{
	struct ring_decoder *d = data;

	while (reading)
		ring_look(d);
	return data;
}

static int reading_host(void)
{
	struct ring_decoder d;
	pthread_t reader;
	int code;

	trace2_initialize();
	ring_open(&d, file_in(rings, NULL));
	reading = 1;
	pthread_create(&reader, NULL, read_meanwhile, &d);
	code = stormy_host();
	reading = 0;
	pthread_join(reader, NULL);
	ring_look(&d);
	/* The atexit event is not written yet. */
	if (d.read + d.lost != nr_storm_events(NR_THREADS) - 1)
		code = 1;
	ring_close(&d);
	return code;
}

static void process_reads_and_writes_rings(void **state)
{
	(void)state;
	nr_generations = (unsigned)amount(20, 200);
	new_directory(0700);
	assert_int_equal(run_host(rings, reading_host), 7);
}

#define NR_FORKS 40

static int forking_storm(void)
{
	pthread_t threads[4];
	int status, bad = 0;

	trace2_initialize();
	pthread_barrier_init(&barrier, NULL, 4);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, storm, NULL);
	for (int i = 0; i < NR_FORKS; i++) {
		pid_t pid = fork();

		if (!pid) {
			pthread_t thread;

			alarm(120);
			/*
			 * Any thread of the child may call first. Not with sanitizers: a thread
			 * that the child does not have may hold their locks.
			 */
			if (!sanitized && i % 2 &&
			    !pthread_create(&thread, NULL, come_and_go, NULL))
				pthread_join(thread, NULL);
			trace2_printf("in child %d", i);
			_exit(0);
		}
		bad += pid < 0 || waitpid(pid, &status, 0) != pid || status;
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return trace2_cmd_exit(bad ? 1 : 7);
}

static void survives_forks_under_load(void **state)
{
	struct ring_decoder d;
	DIR *list;
	struct dirent *entry;
	unsigned children = 0;

	(void)state;
#ifdef __SANITIZE_THREAD__ /* tsan takes the parent's threads for those of the child */
	skip();
#endif
	nr_generations = 60;
	new_directory(0700);
	setenv("GIT_TRACE2_EVENT_RING", "512k", 1);
	assert_int_equal(run_host(rings, forking_storm), 7);
	setenv("GIT_TRACE2_EVENT_RING", "128k", 1);
	assert_int_equal(files_in(rings), NR_FORKS + 1);
	list = opendir(rings);
	while ((entry = readdir(list))) {
		char path[2 * PATH_MAX], *text;

		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", rings, entry->d_name);
		text = decode_ring_file(path, &d);
		if (d.head.closed) {
			assert_int_equal(d.read + d.lost, nr_storm_events(4));
			assert_int_equal(count(text, "in child"), 0);
		} else {
			int own = count(text, "storm");

			children++;
			assert_int_equal(count(text, "in child"), 1);
			assert_true(own == 0 || own == 21);
			assert_int_equal(d.read, own + 1);
		}
		free(text);
	}
	closedir(list);
	assert_int_equal(children, NR_FORKS);
}

#define NR_CROWD 80

static void *crowd_thread(void *data)
{
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 10; i++)
		trace2_printf("in a crowd");
	pthread_barrier_wait(&barrier);
	return data;
}

static int crowded_host(void)
{
	pthread_t threads[NR_CROWD];

	trace2_initialize();
	pthread_barrier_init(&barrier, NULL, NR_CROWD);
	for (int i = 0; i < NR_CROWD; i++)
		pthread_create(&threads[i], NULL, crowd_thread, NULL);
	for (int i = 0; i < NR_CROWD; i++)
		pthread_join(threads[i], NULL);
	pthread_create(&threads[0], NULL, come_and_go, NULL);
	pthread_join(threads[0], NULL);
	return trace2_cmd_exit(7);
}

static void counts_events_of_threads_without_ring(void **state)
{
	const unsigned without = NR_CROWD + 1 - TR2_RING_MAX_RINGS;
	struct ring_decoder d;
	char *text;

	(void)state;
	new_directory(0700);
	setenv("GIT_TRACE2_EVENT_RING", "16k", 1);
	assert_int_equal(run_host(rings, crowded_host), 7);
	text = decode_ring_file(file_in(rings, NULL), &d);
	assert_int_equal(d.head.rings, TR2_RING_MAX_RINGS);
	assert_int_equal(d.head.unplaced, 10 * without);
	assert_int_equal(d.read, 10 * (NR_CROWD - without) + 3 + 21);
	assert_int_equal(d.lost, 0);
	assert_int_equal(count(text, "th81:storm data"), 20);
	free(text);
	setenv("GIT_TRACE2_EVENT_RING", "128k", 1);
}

static int two_threads_host(void)
{
	pthread_t thread;

	trace2_initialize();
	trace2_printf("main");
	pthread_create(&thread, NULL, come_and_go, NULL);
	pthread_join(thread, NULL);
	return trace2_cmd_exit(7);
}

static void assert_lines(void)
{
	const char *path = file_in(rings, NULL);

	assert_whole_lines(path, false);
	assert_int_equal(count_in(path, "\"event\":\"atexit\""), 1);
}

static void writes_lines_on_full_file_system(void **state)
{
	struct ring_decoder d;
	char *text;

	(void)state;
	for (rooms = 0; rooms < 2;) {
		int nr = rooms;

		new_directory(0700);
		assert_int_equal(run_host(rings, two_threads_host), 7);
		assert_lines();
		rooms = nr + 1;
	}
	/* There is space for the first ring, not for the second. */
	new_directory(0700);
	assert_int_equal(run_host(rings, two_threads_host), 7);
	rooms = -1;
	text = decode_ring_file(file_in(rings, NULL), &d);
	assert_int_equal(d.read, 4);
	assert_int_equal(d.head.unplaced, 21);
	free(text);
}

static int limited_host(void)
{
	struct rlimit limit = { 100000, 100000 };

	setrlimit(RLIMIT_FSIZE, &limit);
	return two_threads_host();
}

static int addressless_host(void)
{
	struct rlimit limit = { 0, 0 };

	trace2_initialize();
	setrlimit(RLIMIT_AS, &limit);
	trace2_printf("main");
	return trace2_cmd_exit(7);
}

static void survives_resource_limits(void **state)
{
	(void)state;
	new_directory(0700);
	assert_int_equal(run_host(rings, limited_host), 7);
	assert_lines();
	if (sanitized)
		return; /* the sanitizer itself needs memory */
	new_directory(0700);
	assert_int_equal(run_host(rings, addressless_host), 7);
}

static int nr_used_rings(const struct ring_decoder *d)
{
	int nr = 0;

	for (unsigned i = 0; i < TR2_RING_MAX_RINGS; i++)
		nr += d->rings[i].count != 0;
	return nr;
}

/* Use a real tmpfs that has space for two rings; needs root. Threads that allocate a ring at the
 * same time may take each other's space. */
static void survives_full_tmpfs(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	nr_generations = 20;
	new_directory(0700);
	pid = fork();
	if (!pid) {
		struct ring_decoder d;

		if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    mount("none", rings, "tmpfs", 0, "size=300k,mode=700"))
			_exit(77);
		if (run_host(rings, stormy_host) != 7)
			_exit(1);
		ring_open(&d, file_in(rings, NULL));
		ring_look(&d);
		if (d.read + d.lost + d.head.unplaced != nr_storm_events(NR_THREADS))
			_exit(2);
		_exit(d.head.closed && nr_used_rings(&d) <= 2 ? 0 : 3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

static void assert_lines_in(void)
{
	assert_int_equal(run_host(rings, two_threads_host), 7);
	assert_lines();
}

static void writes_lines_in_unsafe_directories(void **state)
{
	(void)state;
	new_directory(0770);
	assert_lines_in();
	new_directory(01777);
	assert_lines_in();
	if (!geteuid()) {
		new_directory(0755);
		assert_int_equal(chown(rings, 65534, 65534), 0);
		assert_lines_in();
	}
	new_directory(0755);
	assert_int_equal(run_host(rings, two_threads_host), 7);
	assert_int_equal(count_in(file_in(rings, NULL), TR2_RING_MAGIC), 1);
}

static void writes_lines_if_rings_are_off(void **state)
{
	const char *const values[] = { "0", "", "many", "-5", "128x", "9999999999999999999999k" };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		setenv("GIT_TRACE2_EVENT_RING", values[i], 1);
		new_directory(0700);
		assert_lines_in();
	}
	setenv("GIT_TRACE2_EVENT_RING", "128k", 1);
	unlink(target);
	assert_int_equal(run_host(target, two_threads_host), 7);
	assert_whole_lines(target, false);
	new_directory(0700);
	setenv("GIT_TRACE2_MAX_FILES", "2", 1);
	assert_int_equal(run_host(rings, two_threads_host), 7);
	unsetenv("GIT_TRACE2_MAX_FILES");
	assert_int_equal(count_in(file_in(rings, "discard"), "too_many_files"), 1);
}

static int prefix_host(void)
{
	trace2_set_prefix("MYTOOL_TRACE2");
	return two_threads_host();
}

static void uses_directory_next_to_socket(void **state)
{
	char path[PATH_MAX], value[2 * PATH_MAX], beside[PATH_MAX + 10], command[5 * PATH_MAX];
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	(void)state;
	snprintf(path, sizeof(path), "%s/sock", dir);
	snprintf(beside, sizeof(beside), "%s.rings", path);
	snprintf(value, sizeof(value), "af_unix:%s", path);
	snprintf(sa.sun_path, sizeof(sa.sun_path), "%.90s/sock", dir);
	assert_int_equal(bind(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
	assert_int_equal(listen(fd, 10), 0);
	assert_int_equal(run_host(value, two_threads_host), 7);
	assert_true(accept(fd, NULL, NULL) >= 0);
	assert_int_equal(mkdir(beside, 0700), 0);
	assert_int_equal(run_host(value, two_threads_host), 7);
	assert_true(accept(fd, NULL, NULL) < 0);
	assert_int_equal(count_in(file_in(beside, NULL), TR2_RING_MAGIC), 1);
	snprintf(value, sizeof(value), "af_unix:stream:%s", path);
	assert_int_equal(unlink(file_in(beside, NULL)), 0);
	setenv("MYTOOL_TRACE2_EVENT", value, 1);
	setenv("MYTOOL_TRACE2_EVENT_RING", "16k", 1);
	unsetenv("GIT_TRACE2_EVENT_RING");
	assert_int_equal(run_host("", prefix_host), 7);
	setenv("GIT_TRACE2_EVENT_RING", "128k", 1);
	assert_int_equal(count_in(file_in(beside, NULL), TR2_RING_MAGIC), 1);
	/* Next to a socket, a directory that others can write to is rejected, and so is a link. */
	assert_int_equal(chmod(beside, 01777), 0);
	assert_int_equal(run_host(value, two_threads_host), 7);
	assert_true(accept(fd, NULL, NULL) >= 0);
	snprintf(command, sizeof(command), "rm -r '%s' && ln -s '%s' '%s'", beside, rings, beside);
	new_directory(0700);
	assert_int_equal(system(command), 0);
	assert_int_equal(run_host(value, two_threads_host), 7);
	assert_true(accept(fd, NULL, NULL) >= 0);
	assert_int_equal(files_in(rings), 0);
	/* A link that the user named is accepted. */
	assert_int_equal(run_host(beside, two_threads_host), 7);
	assert_int_equal(count_in(file_in(rings, NULL), TR2_RING_MAGIC), 1);
	close(fd);
}

static int closing_host(void)
{
	struct stat st;
	pthread_t thread;
	int fds[100];

	trace2_initialize();
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	for (int i = 0; i < 100; i++)
		fds[i] = open(target, O_RDWR | O_CREAT | O_TRUNC, 0600);
	dup2(fds[0], 1023);
	for (int fd = 960; fd < 1023; fd++)
		dup2(fds[0], fd);
	trace2_printf("goes on");
	pthread_create(&thread, NULL, come_and_go, NULL);
	pthread_join(thread, NULL);
	if (stat(target, &st) || st.st_size || fcntl(fds[0], F_GETFD) < 0)
		return 1;
	return trace2_cmd_exit(7);
}

static void survives_closed_descriptor(void **state)
{
	struct ring_decoder d;
	char *text;

	(void)state;
	new_directory(0700);
	assert_int_equal(run_host(rings, closing_host), 7);
	text = decode_ring_file(file_in(rings, NULL), &d);
	assert_line(text, "msg=goes on\n");
	assert_int_equal(d.read, 4);
	assert_int_equal(d.head.unplaced, 21);
	assert_int_equal(d.head.closed, 1);
	free(text);
}

static sigjmp_buf back;
static volatile sig_atomic_t may_jump;

static void jump(int signo)
{
	(void)signo;
	if (may_jump) {
		may_jump = 0;
		siglongjmp(back, 1);
	}
}

static int jumping_host(void)
{
	struct itimerval soon = { .it_interval = { 0, 50 }, .it_value = { 0, 50 } };
	struct sigaction action = { .sa_handler = jump };
	volatile unsigned jumps = 0;
	unsigned most = (unsigned)amount(500, 20000);

	trace2_initialize();
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	while (jumps < most) {
		if (sigsetjmp(back, 1)) {
			jumps++;
			continue;
		}
		may_jump = 1;
		for (;;)
			trace2_data_string("category", NULL, "key",
					   "a value that is copied in a few moves");
	}
	signal(SIGALRM, SIG_IGN);
	trace2_data_string("category", NULL, "key", "landed");
	return trace2_cmd_exit(7);
}

static void survives_jump_out_of_record(void **state)
{
	struct ring_decoder d;
	char *text;

	(void)state;
	new_directory(0700);
	assert_int_equal(run_host(rings, jumping_host), 7);
	text = decode_ring_file(file_in(rings, NULL), &d);
	assert_line(text, "value=landed\n");
	assert_int_equal(d.head.rings, 1);
	free(text);
}

static int sleepless_host(void)
{
	trace2_initialize();
	trace2_printf("now");
	return trace2_cmd_exit(7);
}

/* The time of a record plus `ahead` of its block is a wall time of the last 30 seconds. */
static void times_equal_wall_clock(void **state)
{
	struct tr2_ring_block block;
	struct tr2_ring_record record;
	struct timespec now;
	int64_t wall;
	int fd;

	(void)state;
	new_directory(0700);
	assert_int_equal(run_host(rings, sleepless_host), 7);
	clock_gettime(CLOCK_REALTIME, &now);
	fd = open(file_in(rings, NULL), O_RDONLY);
	assert_int_equal(pread(fd, &block, sizeof(block), TR2_RING_HEAD_BYTES), sizeof(block));
	assert_int_equal(pread(fd, &record, sizeof(record), TR2_RING_HEAD_BYTES + sizeof(block)),
			 sizeof(record));
	close(fd);
	wall = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	assert_in_range(wall - (record.time + block.ahead), 0, INT64_C(30000000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_every_kind),
		cmocka_unit_test(splits_long_events),
		cmocka_unit_test(times_equal_wall_clock),
		cmocka_unit_test_setup(counts_every_loss, make_shared),
		cmocka_unit_test_setup(kill_loses_no_complete_event, make_shared),
		cmocka_unit_test(crash_shows_open_regions),
		cmocka_unit_test(reports_death_by_sigpipe),
		cmocka_unit_test_setup(forked_child_has_own_file, make_shared),
		cmocka_unit_test_setup(silent_child_has_no_file, make_shared),
		cmocka_unit_test(vforked_child_writes_as_parent),
		cmocka_unit_test(exec_keeps_file),
		cmocka_unit_test_setup(threads_reuse_rings, make_shared),
		cmocka_unit_test_setup(process_reads_and_writes_rings, make_shared),
		cmocka_unit_test(survives_forks_under_load),
		cmocka_unit_test(counts_events_of_threads_without_ring),
		cmocka_unit_test(writes_lines_on_full_file_system),
		cmocka_unit_test(survives_resource_limits),
		cmocka_unit_test_setup(survives_full_tmpfs, make_shared),
		cmocka_unit_test(writes_lines_in_unsafe_directories),
		cmocka_unit_test(writes_lines_if_rings_are_off),
		cmocka_unit_test(uses_directory_next_to_socket),
		cmocka_unit_test(survives_closed_descriptor),
		cmocka_unit_test(survives_jump_out_of_record),
	};

#ifdef TR2_PORTABLE
	puts("skipped: the portable build does not know file systems, so it writes no rings");
	return 77;
#endif
	return cmocka_run_group_tests(tests, make_rings, remove_dir);
}
